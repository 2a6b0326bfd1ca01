"""``scrapy sites check`` asks real servers on loopback addresses, each with one planted fault."""

import json
import os
import pty
import signal
import sqlite3
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest
from scrapy import Request
from scrapy.http import Response

from demo import faults
from newsspider.core.text.terminal_columns import column_count
from newsspider.sites.loader import load_sites
from tests.hostile.certificates import context_of
from tests.support import serving
from tests.support.events import until
from tests.support.name_server import name_server
from tests.support.portal import ROOT, command, environment, portal, rows, scrapy, start, stop
from tests.support.serving import Answer, article, listing, served

QUICK = ("-s", "DELAY_MIN_SECONDS=0.01")
HOST_OF_HTTPS = f"{faults.NETWORK}{[site.fault for site in faults.PLANTED].index('https') + 1}"


class Checked(NamedTuple):
    """The first run, of all planted faults, and a second one that found the servers gone."""

    first: subprocess.CompletedProcess[str]
    second: subprocess.CompletedProcess[str]
    page: str
    report: str
    sites: Path

    @property
    def verdicts(self) -> dict[str, str]:
        """The verdict of each site."""
        return {record["name"]: record["verdict"] for record in self.records}

    @property
    def records(self) -> list[dict]:
        """The JSON objects of the first run."""
        return [json.loads(line) for line in self.first.stdout.splitlines()]


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Checked:
    folder = tmp_path_factory.mktemp("check")
    sites, page, report = folder / "sites", folder / "check.html", folder / "report.json"
    arguments = ("sites", "check", str(sites), "-s", "DOWNLOAD_TIMEOUT=60", *QUICK)
    with faults.planted(context_of("self-signed", HOST_OF_HTTPS, folder)) as files, name_server("127.0.11.240") as (_, names):
        faults.write(files, sites)
        options = ("--json", "-o", str(page), "--report", str(report), "-s", f"DNS_SERVERS={names}")
        first = scrapy(folder / "n.db", *arguments, *options)
    second = scrapy(folder / "n.db", *arguments, "--apply")
    return Checked(first, second, page.read_text("utf-8"), report.read_text("utf-8"), sites)


@pytest.mark.slow
@pytest.mark.parametrize("fault", [site.fault for site in faults.PLANTED])
def test_each_planted_fault_is_named_rightly(checked: Checked, fault: str) -> None:
    assert checked.verdicts.get(fault) == fault, checked.first.stderr


@pytest.mark.slow
def test_what_a_site_without_fault_shows_is_counted_and_its_article_is_read(checked: Checked) -> None:
    record = next(record for record in checked.records if record["name"] == "ok")
    assert (record["lists"], record["found"], record["items"], record["dated"], record["charset"]) == (1, 1, 12, 12, "utf-8")
    assert record["newest"] == f"{faults.day(0):%Y-%m-%d}"
    article = record["article"]
    assert (article["source"], article["authors"], article["title"]) == ("示例教育报", ["王小明"], faults.title(0))
    assert article["characters"] > 200
    assert checked.first.returncode == 1
    assert record["findings"] == record["repairs"] == []


@pytest.mark.slow
def test_the_second_run_goes_on_from_the_first_and_its_table_fits_80_columns(checked: Checked) -> None:
    lines = [line for line in checked.second.stdout.splitlines() if not line.startswith("  ")]
    assert {line.split()[0]: line.split()[-1] for line in lines[1:]} == checked.verdicts
    assert max(map(column_count, lines)) <= 80
    assert f"{len(faults.PLANTED)} sites were visited within a day" in checked.second.stderr
    assert "  do (captcha): newsspider solves none" in checked.second.stdout


@pytest.mark.slow
def test_repairs_go_into_the_site_files_and_comments_stay(checked: Checked) -> None:
    sites = {site.name: site for site in load_sites(checked.sites)}
    assert sites["moved"].channels[0].url.endswith("/tongzhi/")
    assert sites["gone"].channels[0].url.endswith("/tzgg/")
    assert sites["https"].channels[0].url.startswith("https://")
    assert sites["list_moved"].channels[0].regions != ("//ul[@class='old']",)
    text = (checked.sites / "list_moved.toml").read_text("utf-8")
    assert [word in text for word in ("# planted: list_moved", "# as all", "# the only one", "# its address")] == [True] * 4
    repaired = {line.split()[0] for line in checked.second.stderr.splitlines() if " was repaired in " in line}
    assert repaired == {"moved", "gone", "https", "list_moved"}, "what leads elsewhere is for people to decide"


@pytest.mark.slow
def test_the_page_names_each_fault_in_chinese_and_the_report_names_no_site_of_a_user(checked: Checked) -> None:
    assert "要求登录" in checked.page
    assert "列表由脚本加载" in checked.page
    assert "可修：通知公告 url" in checked.page
    report = json.loads(checked.report)
    assert report["sites"] == []
    assert report["other_sites"]["captcha"] == 1
    assert faults.NETWORK not in checked.report


@pytest.mark.slow
def test_the_sample_portal_has_no_fault(tmp_path: Path) -> None:
    with portal(tmp_path, "--fast", "--plain", "--start", f"{faults.day(0).isoformat()}") as served:
        ran = scrapy(tmp_path / "n.db", "sites", "check", str(served.sites), "--json", *QUICK)
        hits = served.hits()
    records = [json.loads(line) for line in ran.stdout.splitlines()]
    assert {record["name"]: record["verdict"] for record in records if record["verdict"] != "ok"} == {}, ran.stderr
    assert ran.returncode == 0
    assert len(records) == 10
    assert all(record["found"] == record["lists"] for record in records)
    robots = Counter(hit["host"] for hit in hits if hit["path"] == "/robots.txt")
    assert set(robots.values()) == {1}, "each host is asked for robots.txt once, and first"


def play(path: str, times: int) -> Answer:
    match path:
        case "/robots.txt":
            return 404, "", {}
        case "/list/":
            return listing(*range(12))
    return article(int(path[-9:-5])) if path.endswith(".html") else (404, "", {})


def site(folder: Path, name: str, base: str, path: str = "/list/", more: str = "") -> str:
    file = folder / f"{name}.toml"
    file.write_text(
        f'name = "{name}"\nhome = "{base}/"\nweight = 5\nmedia_class = "portal"\n{more}'
        f'[[channels]]\nname = "c"\nurl = "{base}{path}"\nkind = "list"\n',
        encoding="utf-8",
    )
    return str(file)


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A store in which none of the sites that newsspider ships is watched."""
    database = tmp_path / "n.db"
    assert scrapy(database, "sites", "list").returncode == 0
    with sqlite3.connect(database) as conn:
        conn.execute("UPDATE sites SET removed = 1")
    return database


@pytest.mark.slow
def test_a_check_that_was_stopped_goes_on_with_the_sites_that_it_had_not_visited(tmp_path: Path) -> None:
    database = tmp_path / "n.db"
    asked: Counter[str] = Counter()

    def waiting(path: str, times: int) -> Answer:
        asked[path] += 1
        return (200, _late(), {}) if path == "/list/" and asked[path] == 1 else play(path, times)

    def _late() -> Iterator[bytes]:
        stopped.wait(60)
        yield b""

    stopped = threading.Event()
    with served("127.0.11.241", play) as (quick, counts), served("127.0.11.242", waiting) as (slow, _):
        files = site(tmp_path, "quick", quick), site(tmp_path, "slow", slow)
        arguments = ("sites", "check", *files, *QUICK)
        process = start(database, *arguments, log=tmp_path / "log")
        until(lambda: database.exists() and _checked(database) == ["quick"] and asked["/list/"] == 1)
        code = stop(process, signal.SIGINT)
        stopped.set()
        before = counts.total()
        again = scrapy(database, *arguments)
        after = counts.total()
    assert code == 130
    assert "1 sites were visited within a day" in again.stderr
    assert (before, after) == (after, before), "the site that was visited is not asked again"
    assert {line.split()[0] for line in again.stdout.splitlines()[1:] if line[0] != " "} == {"quick", "slow"}


def _checked(database: Path) -> list[str]:
    try:
        return [row[0] for row in rows(database, "SELECT site FROM site_checks")]
    except sqlite3.OperationalError:
        return []


@pytest.mark.slow
def test_each_site_is_asked_with_the_delay_of_its_own_file(own: Path, tmp_path: Path) -> None:
    requests = []

    def noting(name: str) -> Callable[[str, int], Answer]:
        def noted(path: str, times: int) -> Answer:
            requests.append((name, time.monotonic()))
            return play(path, times)

        return noted

    with served("127.0.11.243", noting("quick")) as (quick, _), served("127.0.11.244", noting("slow")) as (slow, _):
        files = [
            site(tmp_path, name, base, more=f'delay_seconds = {delay}\ndelay_reason = "a test"\n')
            for name, base, delay in (("quick", quick, 0.01), ("slow", slow, 6))
        ]
        added = scrapy(own, "sites", "add", *files)
        assert added.returncode == 0, added.stderr
        scrapy(own, "sites", "check")
    moments = [moment for name, moment in requests if name == "slow"]
    assert len(moments) == 3  # robots.txt, the list, an article
    assert all(later - earlier > 5.9 for earlier, later in pairwise(moments[1:]))
    assert requests[-1][0] == "slow", "the quick site waited for the slow one"


@pytest.mark.slow
def test_a_region_chooses_watched_sites_and_repairs_go_into_the_registry(own: Path, tmp_path: Path) -> None:
    def moved(path: str, times: int) -> Answer:
        return (301, "", {"Location": "/list/"}) if path == "/old/" else play(path, times)

    with served("127.0.11.245", moved) as (base, counts):
        files = (
            site(tmp_path, "天津市教育委员会", base, "/old/"),
            site(tmp_path, "别处", base.replace("245", "246"), "/nothing/"),
            site(tmp_path, "西青", base, more='region = "天津"\nenabled = false\n'),
        )
        added = scrapy(own, "sites", "add", *files)
        assert added.returncode == 0, added.stderr
        ran = scrapy(own, "sites", "check", "--region", "天津", "--apply", "--json", *QUICK)
    (record,) = map(json.loads, ran.stdout.splitlines())
    assert (record["name"], record["verdict"]) == ("天津市教育委员会", "moved"), ran.stderr
    assert not counts["/nothing/"]
    assert f'url = "{base}/list/"' in scrapy(own, "sites", "show", "天津市教育委员会").stdout


@pytest.mark.slow
def test_the_date_of_an_article_counts_though_the_next_one_that_is_tried_is_gone(tmp_path: Path) -> None:
    def film(path: str, times: int) -> Answer:
        match path:
            case "/more/":
                return listing(*range(20, 32))
            case "/2024/0501/10000.html":
                text = "<title>学校教育改革座谈会</title><h1>学校教育改革座谈会</h1><p>发布时间：2024-05-01 10:00</p><p>视频</p>"
                return 200, f"<html><head><meta charset=utf-8></head><body>{text}</body></html>", {}
        return play(path, times) if path in ("/robots.txt", "/list/") else (404, "", {})

    with served("127.0.11.249", film) as (base, counts):
        file = serving.site(tmp_path, base, {"/list/": 1, "/more/": 1})
        ran = scrapy(tmp_path / "n.db", "sites", "check", str(file), "--json", *QUICK)
    (record,) = map(json.loads, ran.stdout.splitlines())
    assert (counts["/2024/0501/10000.html"], counts["/2024/0501/10020.html"]) == (1, 1)
    assert record["article"]["published_at"].startswith("2024-05-01")
    assert [finding["fault"] for finding in record["findings"]] == ["empty_body"]


@pytest.mark.slow
def test_of_a_site_with_one_list_a_second_article_is_read_if_the_first_has_no_text(tmp_path: Path) -> None:
    gone = "/2024/0501/10000.html"
    with served("127.0.11.250", lambda path, times: (404, "", {}) if path == gone else play(path, times)) as (base, counts):
        ran = scrapy(tmp_path / "n.db", "sites", "check", site(tmp_path, "s", base), "--json", *QUICK)
    (record,) = map(json.loads, ran.stdout.splitlines())
    assert (record["verdict"], counts[gone]) == ("ok", 1), ran.stderr


@pytest.mark.slow
def test_a_home_page_to_which_a_list_leads_is_not_counted_as_that_list(tmp_path: Path) -> None:
    def moved(path: str, times: int) -> Answer:
        match path:
            case "/old/":
                return 301, "", {"Location": "/"}
            case "/":
                status, page, headers = listing(*range(20, 28))
                return status, str(page).replace("<ul>", '<p><a href="/list/">c</a></p><ul>'), headers
        return play(path, times)

    with served("127.0.11.251", moved) as (base, _):
        ran = scrapy(tmp_path / "n.db", "sites", "check", site(tmp_path, "s", base, "/old/"), "--json", *QUICK)
    (record,) = map(json.loads, ran.stdout.splitlines())
    assert (record["verdict"], record["found"], record["lists"], record["items"]) == ("gone", 1, 1, 12)
    assert [repair["new"] for repair in record["repairs"]] == [[f"{base}/list/"]]


class BrokenMiddleware:
    """A downloader middleware of a user that fails on some answers."""

    def process_response(self, request: Request, response: Response) -> Response:
        if "/broken/" in request.url:
            raise ZeroDivisionError("a defect")
        return response


@pytest.mark.slow
def test_an_internal_error_with_one_site_is_shown_once_and_the_others_are_visited(tmp_path: Path) -> None:
    names = {"one": "/broken/1/", "two": "/broken/2/", "well": "/list/"}
    middlewares = json.dumps({f"{__name__}.{BrokenMiddleware.__name__}": 1})
    with served("127.0.11.248", play) as (base, _):
        files = [site(tmp_path, name, base, path) for name, path in names.items()]
        arguments = ("sites", "check", *files, "--json", "-s", f"DOWNLOADER_MIDDLEWARES={middlewares}", *QUICK)
        ran = scrapy(tmp_path / "n.db", *arguments)
    records = {record["name"]: record for record in map(json.loads, ran.stdout.splitlines())}
    assert {name: record["verdict"] for name, record in records.items()} == {
        "one": "internal_error", "two": "internal_error", "well": "ok",
    }, ran.stderr  # fmt: skip
    assert records["two"]["findings"][0]["evidence"] == "ZeroDivisionError: a defect"
    assert ran.stderr.count("Traceback") == 1
    assert ran.returncode == 1
    assert _checked(tmp_path / "n.db") == ["well"], "the next command visits the others again"


@pytest.mark.slow
def test_a_repair_keeps_what_people_changed_in_the_registry_during_the_visit(own: Path, tmp_path: Path) -> None:
    changes = {
        "/off/": "UPDATE sites SET enabled = 0 WHERE name = 'off'",
        "/gone/": "UPDATE sites SET removed = 1 WHERE name = 'gone'",
        "/edited/": "UPDATE sites SET toml = replace(toml, '/edited/', '/by-hand/') WHERE name = 'edited'",
    }

    def moved(path: str, times: int) -> Answer:
        if path not in changes:
            return play(path, times)
        with sqlite3.connect(own) as conn:
            conn.execute(changes[path])
        return 301, "", {"Location": "/list/"}

    with served("127.0.11.247", moved) as (base, _):
        added = scrapy(own, "sites", "add", *(site(tmp_path, path.strip("/"), base, path) for path in changes))
        assert added.returncode == 0, added.stderr
        ran = scrapy(own, "sites", "check", "--apply", *QUICK)
    stored = {row[0]: row[1:] for row in rows(own, "SELECT name, enabled, removed, toml FROM sites WHERE revision > 0")}
    assert (stored["off"][:2], f'"{base}/list/"' in stored["off"][2]) == ((0, 0), True), ran.stderr
    assert (stored["gone"][1], f'"{base}/gone/"' in stored["gone"][2]) == (1, True)
    assert f'"{base}/by-hand/"' in stored["edited"][2]
    assert "gone was not repaired: gone: name: it is not watched" in ran.stderr
    assert "edited was not repaired: edited: channel c: it is not" in ran.stderr


def test_without_a_terminal_no_public_host_is_asked_and_the_option_that_allows_it_is_named(tmp_path: Path) -> None:
    for chosen in ([], ["--catalogue", "--region", "西藏"]):
        ran = scrapy(tmp_path / "n.db", "sites", "check", *chosen)
        assert (ran.returncode, ran.stdout) == (2, "")
        assert "public hosts" in ran.stderr
        assert "--yes" in ran.stderr


def test_a_public_host_of_a_channel_is_not_asked_without_a_question_either(own: Path, tmp_path: Path) -> None:
    file = Path(site(tmp_path, "s", "http://127.0.11.252"))
    file.write_text(file.read_text("utf-8").replace('url = "http://127.0.11.252/', 'url = "http://www.news.example/'), "utf-8")
    added = scrapy(own, "sites", "add", str(file))
    assert added.returncode == 0, added.stderr
    ran = scrapy(own, "sites", "check", *QUICK)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "requests go to 1 public hosts, such as www.news.example" in ran.stderr


@pytest.mark.parametrize("answer", ["n", "yesterday"])
def test_at_a_terminal_no_public_host_is_asked_before_somebody_agrees(tmp_path: Path, answer: str) -> None:
    asking, terminal = pty.openpty()
    os.write(asking, f"{answer}\n".encode())
    ran = subprocess.run(
        command("sites", "check"), cwd=ROOT, env=environment(tmp_path / "n.db"), stdin=terminal,
        capture_output=True, text=True, encoding="utf-8", timeout=240, check=False,
    )  # fmt: skip
    os.close(asking)
    os.close(terminal)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.endswith("Go on? [y/N]\n")
