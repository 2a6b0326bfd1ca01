"""Submitted pages: an article is stored, the links of a list are followed once."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.events import until
from tests.support.handed_in import POLITE, elsewhere, pages, watched
from tests.support.portal import rows, scrapy, start, stop
from tests.support.serving import served, site

STORED = "SELECT count(*) FROM urls WHERE reason = 'stored'"


def handed_in(folder: Path, submitted: Sequence[str]) -> tuple[Counter[str], dict[str, str]]:
    """What was asked for when these paths were submitted, and the reason of each URL."""
    store = folder / "news.db"
    with served("127.0.2.91", watched) as (base, _), served("127.0.2.92", elsewhere) as (other, requests):
        done = scrapy(store, "submit", *(other + path for path in submitted))
        assert done.returncode == 0, done.stderr
        done = scrapy(store, "crawl", "education", "-a", f"sites={site(folder, base, {'/': 5})}", "-a", "topic=any", *POLITE)
        assert done.returncode == 0, done.stderr[-3000:]
        url_rows = rows(store, f"SELECT url, reason FROM urls WHERE url LIKE '{other}%'")
        return requests, {url.removeprefix(other): reason for url, reason in url_rows}


@pytest.mark.parametrize(
    ("path", "articles", "reason"),
    [
        ("/2024/0501/10070.html", {70}, "stored"),
        ("/list.html", set(range(20, 29)), "polled"),
        ("/moved", set(range(20, 29)), "redirect"),
        ("/feed.xml", {30, 31, 32}, "polled"),
        ("/", {60, 61}, "polled"),
    ],
    ids=["article", "list", "redirected list", "feed", "site"],
)
def test_a_submitted_page_is_stored_or_followed_by_its_kind(tmp_path: Path, path: str, articles: set[int], reason: str) -> None:
    requests, reasons = handed_in(tmp_path, [path])
    stored = {url for url, outcome in reasons.items() if outcome == "stored"}
    assert stored == pages(*articles)
    assert reasons[path] == reason
    assert reasons.get("/2024/0501/10029.html", "not_an_article") == "not_an_article"
    assert not requests["/list_2.html"]
    assert set(requests.values()) == {1}


def test_a_list_with_watch_is_a_channel_that_the_running_crawl_polls(tmp_path: Path) -> None:
    store, log = tmp_path / "news.db", tmp_path / "log"
    with served("127.0.2.91", watched) as (base, _), served("127.0.2.92", elsewhere) as (other, requests):
        crawl = start(store, "crawl", "education", "-a", f"sites={site(tmp_path, base, {'/': 5})}", "-a", "topic=any",
                      "-a", "forever=1", *POLITE, log=log)  # fmt: skip
        try:
            until(lambda: store.exists() and rows(store, STORED) == [(1,)], crawl, 120)
            done = scrapy(store, "submit", "--watch", f"{other}/list.html", f"{other}/feed.xml")
            assert done.returncode == 0, done.stderr
            until(lambda: rows(store, STORED) == [(1 + 9 + 3 + 10,)], crawl, 120)
        finally:
            code = stop(crawl)
        polled = rows(store, "SELECT count(*), count(DISTINCT site) FROM urls WHERE update_cycle IS NOT NULL AND url LIKE '%.92:%'")
    assert (polled, code) == ([(2, 1)], 143), log.read_text("utf-8")[-3000:]
    assert requests["/list_2.html"]
