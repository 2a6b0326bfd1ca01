"""Jobs of a real scrapyd crawl the sample portal."""

import json
import threading
import time
from collections import Counter
from pathlib import Path

from tests.support.portal import Portal, rows
from tests.support.scrapyd import ARTICLES, Ended, Scrapyd, sample

__all__ = ["sample"]

ENOUGH_STORED = 5  # for a job that is under way
START_SECONDS = 300.0  # a busy machine imports for a minute


def schedule(service: Scrapyd, sample: Portal, database: Path, **arguments: str) -> str:
    """Schedule a crawl of the portal that keeps every article, into a database of its own."""
    setting = f"DATABASE_URL=sqlite:///{database}"
    return service.schedule(sites=str(sample.sites), topic="any", setting=setting, **arguments)


def finish_reason(ended: Ended) -> str:
    """The reason in the last line of a job's log."""
    assert "Traceback" not in ended.log
    return ended.log.splitlines()[-1].rpartition("Spider closed ")[2]


def assert_complete(sample: Portal, database: Path) -> None:
    """Every article that the portal makes known is stored, and each was asked for once."""
    pages = [page for page in sample.get("/__truth__")["pages"] if "relevant" in page]
    reachable = {page["url"] for page in pages if page["reachable"]}
    assert len(reachable) > ARTICLES / 2
    assert reachable <= {url for (url,) in rows(database, "SELECT url FROM article_urls")}
    requests = Counter(f"http://{hit['host']}{hit['path']}" for hit in sample.hits())
    assert {url: requests[url] for url in reachable} == dict.fromkeys(reachable, 1)


def test_a_second_job_goes_on_where_the_first_one_reached_its_limit(
    deployed: Scrapyd, sample: Portal, tmp_path: Path
) -> None:
    database = tmp_path / "store" / "news.db"
    first = deployed.wait(schedule(deployed, sample, database, pages="40"))
    assert (first.exit_code, finish_reason(first)) == (0, "(pages_limit)")
    assert "listening on" not in first.log, "a job opens no port of its own"
    stored = rows(database, "SELECT count(*) FROM articles")[0][0]
    assert 0 < stored < 40
    second = deployed.wait(schedule(deployed, sample, database))
    assert (second.exit_code, finish_reason(second)) == (0, "(finished)")
    assert_complete(sample, database)
    assert not deployed.data.joinpath("news.db").exists()


def test_two_triggers_of_one_job_give_one_run(deployed: Scrapyd, sample: Portal, tmp_path: Path) -> None:
    jobs = [schedule(deployed, sample, tmp_path / "news.db", job="hourly") for _ in range(2)]
    ended = [deployed.wait(job) for job in jobs]
    assert sorted(map(finish_reason, ended)) == ["(already_runs)", "(finished)"]
    assert [job.exit_code for job in ended] == [0, 0]
    assert sorted(rows(tmp_path / "news.db", "SELECT reason FROM runs")) == [("already_runs",), ("finished",)]


def test_answers_of_a_query_reach_the_items_feed_of_its_job(deployed: Scrapyd, sample: Portal, tmp_path: Path) -> None:
    database = tmp_path / "news.db"
    deployed.wait(schedule(deployed, sample, database, articles="10"))
    feed = {f"file://{tmp_path}/items.jl": {"format": "jsonlines"}}  # what scrapyd says with items_dir
    answer = deployed.post(
        "schedule", project="newsspider", spider="query", q="学校", enough="1", job="q",
        setting=[f"DATABASE_URL=sqlite:///{database}", f"FEEDS={json.dumps(feed)}"],
    )  # fmt: skip
    ended = deployed.wait(answer["jobid"], spider="query")
    assert ended.exit_code == 0, ended.log
    records = [json.loads(line) for line in (tmp_path / "items.jl").read_text("utf-8").splitlines()]
    assert records
    stored = {url for (url,) in rows(database, "SELECT url FROM articles")}
    assert {record["url"] for record in records} <= stored
    answers = rows(database, "SELECT url FROM articles WHERE text LIKE '%学校%'")
    assert {url for (url,) in answers} <= {record["url"] for record in records}


def test_two_jobs_at_once_share_one_database(deployed: Scrapyd, sample: Portal, tmp_path: Path) -> None:
    jobs = [schedule(deployed, sample, tmp_path / "news.db") for _ in range(2)]
    reasons = {finish_reason(deployed.wait(job)) for job in jobs}
    assert "(finished)" in reasons
    assert_complete(sample, tmp_path / "news.db")


def test_a_cancelled_job_loses_nothing(deployed: Scrapyd, sample: Portal, tmp_path: Path) -> None:
    database = tmp_path / "news.db"
    job = schedule(deployed, sample, database, forever="1")
    wait_for_articles(deployed, job, database)
    deployed.post("cancel", project="newsspider", job=job, signal="TERM")
    cancelled = deployed.wait(job)
    assert (cancelled.exit_code, finish_reason(cancelled)) == (0, "(shutdown)")
    assert rows(database, "SELECT url FROM urls WHERE state = 'processing'") == []
    assert rows(database, "SELECT count(*) FROM urls WHERE state = 'waiting'")[0][0] > 0, "cancelled too late to tell"
    assert deployed.wait(schedule(deployed, sample, database)).exit_code == 0
    assert_complete(sample, database)


def test_a_job_without_a_database_uses_the_data_folder_of_the_service(
    deployed: Scrapyd, sample: Portal, tmp_path: Path
) -> None:
    job = deployed.schedule(sites=str(sample.sites), topic="any", pages="20")
    assert finish_reason(deployed.wait(job)) == "(pages_limit)"
    fetched = rows(deployed.data / "newsspider.db", "SELECT url FROM urls WHERE reason IN ('polled', 'stored')")
    assert set() < {url for (url,) in fetched} <= {f"http://{hit['host']}{hit['path']}" for hit in sample.hits()}
    status = deployed.command("status")
    assert status.returncode == 0, status.stderr
    assert "pages_limit" in status.stdout


def wait_for_articles(service: Scrapyd, job: str, database: Path) -> None:
    """Wait until the job has stored some articles."""
    deadline, pause = time.monotonic() + START_SECONDS, threading.Event()
    while not database.exists() or not stored_articles(database):
        assert service.state(job) != "finished", service.log(job)
        assert time.monotonic() < deadline, service.log(job)
        pause.wait(0.1)


def stored_articles(database: Path) -> bool:
    """Whether enough articles are stored; also before the tables are made."""
    tables = rows(database, "SELECT 1 FROM sqlite_master WHERE name = 'articles'")
    return bool(tables) and rows(database, "SELECT count(*) FROM articles")[0][0] >= ENOUGH_STORED
