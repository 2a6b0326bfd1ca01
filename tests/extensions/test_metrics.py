"""Metrics and health of a running crawl, asked by the official parser and by a real Prometheus."""

import asyncio
import json
import re
import shutil
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from newsspider.core.model import State
from newsspider.crawl.counters import PublicationLag
from newsspider.crawl.crawl import Crawl
from newsspider.extensions import metrics as metrics_module
from newsspider.extensions.metrics import METRIC_PREFIX, METRICS, Metrics, problems_of
from tests.support.crawler import crawler_of
from tests.support.events import until
from tests.support.portal import ROOT, portal, scrapy, start, stop
from tests.support.samples import blocked_for_ten_hours
from tests.support.servers import free_port, prometheus, promtool
from tests.support.serving import QUICK, site

parsed = pytest.importorskip("prometheus_client.parser").text_string_to_metric_families
MONITORING = ROOT / "deploy/monitoring"
NAME = re.compile(r"newsspider_\w+")


@dataclass
class Worker:
    """A crawl around the clock with an endpoint."""

    address: str
    folder: Path

    def get(self, path: str) -> tuple[int, str]:
        return get(f"http://{self.address}{path}")


def get(url: str) -> tuple[int, str]:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
    except urllib.error.URLError:
        return 0, ""


@pytest.fixture(scope="module")
def worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worker]:
    folder = tmp_path_factory.mktemp("metrics")
    new_worker = Worker(f"127.0.0.1:{free_port()}", folder)
    with portal(folder, "--articles", "60") as sample:
        process = start(
            folder / "news.db", "crawl", "education", "-a", f"sites={sample.sites}", "-a", "topic=any", "-a", "forever=1",
            *QUICK, "-s", f"METRICS_ADDRESS={new_worker.address}", "-s", f"METRICS_FOLDER={folder / 'text'}", log=folder / "log",
        )  # fmt: skip
        try:
            until(lambda: sum(values_of(new_worker.get("/metrics")[1], "newsspider_articles_total")) > 20, process)
            yield new_worker
        finally:
            stop(process)


def values_of(text: str, name: str) -> list[float]:
    return [sample.value for family in parsed(text) for sample in family.samples if sample.name == name]


def names_in_files() -> set[str]:
    dashboard = (MONITORING / "grafana-dashboard.json").read_text("utf-8")
    return set(NAME.findall(dashboard + (MONITORING / "alerts.yml").read_text("utf-8")))


@pytest.mark.slow
def test_every_declared_metric_is_on_the_endpoint_and_parses(worker: Worker) -> None:
    status, text = worker.get("/metrics")
    families = {family.name: family for family in parsed(text)}
    assert status == 200
    assert set(families) == {METRIC_PREFIX + metric.name for metric in METRICS}
    assert all(families[METRIC_PREFIX + metric.name].type == metric.kind for metric in METRICS)
    assert all(sample.labels["spider"] == "education" for family in families.values() for sample in family.samples)
    for name in ("pages_total", "articles_total", "judged_articles_total", "outcomes_total", "responses_total", "queue_urls",
                 "commits_total", "memory_bytes", "host_delay_seconds", "polls_total", "polls_planned_per_hour"):  # fmt: skip
        assert sum(values_of(text, METRIC_PREFIX + name)) > 0, name
    buckets = values_of(text, "newsspider_publication_lag_seconds_bucket")
    assert buckets == sorted(buckets)


@pytest.mark.slow
def test_the_files_for_prometheus_and_grafana_name_only_metrics_that_there_are(worker: Worker) -> None:
    names = {family.name for family in parsed(worker.get("/metrics")[1])}
    assert {re.sub("_(total|bucket)$", "", name) for name in names_in_files()} <= names


def test_each_line_of_the_dashboard_has_a_name_of_its_own() -> None:
    for panel in json.loads((MONITORING / "grafana-dashboard.json").read_text("utf-8"))["panels"]:
        names = [target.get("legendFormat", "") for target in panel["targets"]]
        assert all(names), panel["title"]
        assert len(set(names)) == len(names), panel["title"]
        for target, name in zip(panel["targets"], names, strict=True):
            grouping = re.search(r"by \(([^)]*)\) \((?!rate\(newsspider_publication)", target["expr"])
            assert not grouping or "{{" + grouping[1] + "}}" in name, panel["title"]


@pytest.mark.slow
def test_health_says_that_a_worker_is_ready(worker: Worker) -> None:
    status, body = worker.get("/health")
    assert (status, json.loads(body)) == (200, {"live": True, "ready": True, "problems": []})
    assert worker.get("/health/live")[0] == 200
    assert worker.get("/")[0] == 404


@pytest.mark.long
def test_prometheus_answers_every_query_of_the_dashboard_and_the_alerts(worker: Worker, tmp_path: Path) -> None:
    for command in (["check", "rules", "alerts.yml"], ["check", "config", "prometheus.yml"]):
        checked = subprocess.run([promtool(), *command], cwd=MONITORING, capture_output=True, text=True, check=False)
        assert checked.returncode == 0, checked.stderr
    config = (MONITORING / "prometheus.yml").read_text("utf-8")
    config = config.replace("127.0.0.1:9410", worker.address).replace("scrape_interval: 15s", "scrape_interval: 1s")
    tmp_path.joinpath("prometheus.yml").write_text(config, "utf-8")
    shutil.copy(MONITORING / "alerts.yml", tmp_path)
    base = f"127.0.0.1:{free_port()}"
    with (tmp_path / "log").open("w") as log, subprocess.Popen(
        [prometheus(), f"--config.file={tmp_path}/prometheus.yml", f"--storage.tsdb.path={tmp_path}/data", f"--web.listen-address={base}"],
        stdout=log, stderr=log,
    ) as server:  # fmt: skip
        try:
            until(lambda: len(query(base, "newsspider_pages_total[1m]")) > 0 and points(base) >= 3, server)
            panels = json.loads((MONITORING / "grafana-dashboard.json").read_text("utf-8"))["panels"]
            for expression in [target["expr"] for panel in panels for target in panel["targets"]]:
                assert query(base, re.sub(r"\[\d+[mh]\]", "[1m]", expression)), expression
            rules = json.loads(get(f"http://{base}/api/v1/rules")[1])["data"]["groups"][0]["rules"]
            until(lambda: all(rule["health"] in ("ok", "unknown") for rule in rules), server)
            for rule in rules:
                query(base, rule["query"])
            assert not [rule["name"] for rule in rules if rule["state"] == "firing"]
        finally:
            server.terminate()


def query(base: str, expression: str) -> list[Any]:
    status, body = get(f"http://{base}/api/v1/query?query={urllib.parse.quote(expression)}")
    assert status in (0, 200, 503), body
    return json.loads(body)["data"]["result"] if status == 200 else []


def points(base: str) -> int:
    series = query(base, "newsspider_pages_total[1m]")
    return len(series[0]["values"]) if series else 0


@pytest.mark.slow
def test_a_short_job_leaves_its_metrics_and_its_finish_reason_in_a_file(tmp_path: Path) -> None:
    sites = site(tmp_path, "http://127.0.0.1:9", {"/": 5})
    scrapy(
        tmp_path / "news.db", "crawl", "education", "-a", f"sites={sites}", *QUICK, "-s", "ROUND_PATIENCE_SECONDS=1",
        "-s", f"METRICS_FOLDER={tmp_path}/text", "-a", "job=每小时",
    )  # fmt: skip
    (file,) = (tmp_path / "text").iterdir()
    assert file.name == "newsspider_education_%E6%AF%8F%E5%B0%8F%E6%97%B6.prom", "another job would write over it"
    text = file.read_text("utf-8")
    finished = [sample.labels for family in parsed(text) if family.name == "newsspider_finished" for sample in family.samples]
    assert finished == [{"spider": "education", "job_name": "每小时", "reason": "no_list_could_be_read"}]
    assert sum(values_of(text, "newsspider_errors_total")) > 0


def test_a_store_in_trouble_is_a_problem_and_a_crawl_that_ends_is_none_that_is_ready(tmp_path: Path) -> None:
    async def asked() -> tuple[list[str], list[str]]:
        crawl = Crawl.of(crawler)
        crawl.storage.writer.trouble.cause = "the store cannot be written: away"
        in_trouble = problems_of(crawl)
        crawl.storage.writer.trouble.cause = None
        assert problems_of(crawl) == []
        text = Metrics(crawler, "127.0.0.1:0", "").text().decode()
        assert values_of(text, "newsspider_problems") == [0.0]
        await crawl.close("finished")
        crawl.storage.writer.failed = "the store is full"
        return in_trouble, problems_of(crawl)

    crawler = crawler_of(tmp_path)
    assert asyncio.run(asked()) == (["the store cannot be written: away"], ["the store is full"])


def test_a_source_that_is_ill_is_a_value_with_its_site_and_diagnosis(tmp_path: Path) -> None:
    async def asked() -> str:
        crawl = Crawl.of(crawler)
        with crawl.storage.engine.begin() as conn:
            blocked_for_ten_hours(conn, crawl.clock.now())
        metrics = Metrics(crawler, "127.0.0.1:0", "")
        await metrics.step()
        await crawl.close("finished")
        return metrics.text().decode()

    crawler = crawler_of(tmp_path)
    (unhealthy,) = [family.samples for family in parsed(asyncio.run(asked())) if family.name == "newsspider_source_health"]
    assert [(sample.labels, sample.value) for sample in unhealthy] == [({"spider": "education", "site": "病站", "state": "blocked"}, 1.0)]


def test_a_count_of_the_queue_that_takes_long_is_served_when_it_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def asked() -> list[list[float]]:
        gate, counts = asyncio.Event(), Crawl.of(crawler).storage.frontier.counts

        async def slow():  # type: ignore[no-untyped-def]
            await gate.wait()
            return {**await counts(), State.WAITING: 7}

        served = []
        metrics = Metrics(crawler, "127.0.0.1:0", "")
        monkeypatch.setattr(metrics.queue.frontier, "counts", slow)
        await metrics._count()
        served.append(values_of(metrics.text().decode(), "newsspider_queue_urls"))
        gate.set()
        assert metrics.counting is not None
        await metrics.counting
        served.append(values_of(metrics.text().decode(), "newsspider_queue_urls"))
        await Crawl.of(crawler).close("finished")
        return served

    monkeypatch.setattr(metrics_module, "COUNT_SECONDS", 0.01)
    crawler = crawler_of(tmp_path)
    at_first, at_last = asyncio.run(asked())
    assert (at_first, sum(at_last)) == ([], 7)


def test_the_lag_of_an_article_is_counted_where_its_page_gives_an_hour() -> None:
    lag, day = PublicationLag(), datetime(2026, 11, 25, tzinfo=timezone(timedelta(hours=8)))
    lag.add(day, day.timestamp() + 100)
    lag.add(None, day.timestamp())
    assert sum(lag.counts) == 0
    lag.add(day.replace(hour=9), day.timestamp() + 9 * 3600 + 61)
    assert (lag.counts[:3], lag.sum, lag.last_article_at) == ([0, 1, 0], 61.0, day.timestamp() + 9 * 3600 + 61)
