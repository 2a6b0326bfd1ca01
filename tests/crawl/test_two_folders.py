"""Two jobs with folders of sites on one store: neither takes the other's sites of the same name while it runs."""

import shutil
from pathlib import Path

import pytest

from tests.support.events import until
from tests.support.portal import rows, scrapy, start, stop
from tests.support.servers import new_file
from tests.support.serving import QUICK, Answer, article, listing, served, site

pytestmark = pytest.mark.slow


def play(path: str, _: int) -> Answer:
    if path == "/list.html":
        return listing(1, 2)
    number = path.rpartition("/")[2].removesuffix(".html")
    return article(int(number) - 10000) if number.isdecimal() else (404, "", {})


def folder(place: Path, base: str) -> Path:
    place.mkdir()
    site(place, base, {"/list.html": 5})
    return place


def crawl(sites: Path) -> tuple[str, ...]:
    return ("crawl", "education", "-a", f"sites={sites}", "-a", "topic=any", *QUICK)


def test_a_second_job_with_other_sites_of_the_same_names_is_refused_until_the_first_has_ended(tmp_path: Path) -> None:
    database, log = tmp_path / "news.db", tmp_path / "log.txt"
    new_file(database)
    with served("127.0.0.226", play) as (base, requests), served("127.0.0.227", play) as (other_base, other_requests):
        mine, other = folder(tmp_path / "mine", base), folder(tmp_path / "other", other_base)
        same = tmp_path / "same"
        shutil.copytree(mine, same)
        watching = ("-a", "forever=1", "-s", "SITES_WATCH_SECONDS=0.2")
        process = start(database, *crawl(mine), *watching, log=log)
        try:
            until(lambda: requests["/list.html"] > 0, process)
            refused = scrapy(database, *crawl(other))
            assert refused.returncode == 2, refused.stderr
            assert f"-a sites: s: {mine} has other sites of the same name, and the crawl " in refused.stderr
            assert not other_requests
            copied = scrapy(database, *crawl(same))
            assert copied.returncode == 0, copied.stderr
            assert scrapy(database, *crawl(other)).returncode == 2, "the first one still runs"
            until(lambda: rows(database, "SELECT count(*) FROM articles") == [(2,)], process)
        finally:
            assert stop(process) == 143
        assert "sites changed" not in log.read_text("utf-8")
        assert rows(database, "SELECT reason FROM runs ORDER BY id") == [("shutdown",), ("refused",), ("finished",), ("refused",)]
        before = requests.copy()
        done = scrapy(database, *crawl(other))
        assert done.returncode == 0, done.stderr
        assert f"WARNING: s: {mine} has other sites of the same name in this store; those of this crawl" in done.stderr
        assert (requests, other_requests["/list.html"]) == (before, 1)


def test_a_job_that_was_killed_holds_its_sites_no_longer(tmp_path: Path) -> None:
    database = tmp_path / "news.db"
    new_file(database)
    with served("127.0.0.226", play) as (base, requests), served("127.0.0.227", play) as (other_base, other_requests):
        mine, other = folder(tmp_path / "mine", base), folder(tmp_path / "other", other_base)
        process = start(database, *crawl(mine), "-a", "forever=1", log=tmp_path / "log.txt")
        until(lambda: requests["/list.html"] > 0, process)
        process.kill()
        process.wait(240)
        done = scrapy(database, *crawl(other))
        assert done.returncode == 0, done.stderr
        assert other_requests["/list.html"] == 1
