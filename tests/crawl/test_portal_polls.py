"""The sample portal, asked again: what has not changed is answered 304."""

from collections import Counter
from pathlib import Path

from demo.makes import MAKES
from demo.server import WITH_ETAG
from tests.support.newsroom import ALONE, HOUR, later
from tests.support.portal import portal, rows, scrapy

# Hosts whose pages have an ETag.
HOSTS = {"127.0.0.1" if make.host == "localhost" else make.host for make in MAKES if make.template in WITH_ETAG}


def test_nearly_all_polls_of_pages_that_have_not_changed_are_answered_304(tmp_path: Path) -> None:
    database = tmp_path / "news.db"
    crawl = ("crawl", "education", "-a", "topic=any", *ALONE, "-s", "ARTICLE_REVISIT_MAX_AGE_DAYS=3650")
    with portal(tmp_path, "--plain", "--fast", "--articles", "200") as running:
        assert scrapy(database, *crawl, "-a", f"sites={running.sites}").returncode == 0
        polls: Counter[int] = Counter()
        articles: Counter[int] = Counter()
        lists = {url for (url,) in rows(database, "SELECT url FROM urls WHERE kind IN ('list', 'feed', 'sitemap')")}
        for hours in (1.5, 6):
            running.post("/__reset__")
            later(database, hours * HOUR)
            done = scrapy(database, *crawl, "-a", f"sites={running.sites}")
            assert done.returncode == 0, done.stderr[-3000:]
            for hit in running.hits():
                if hit["host"].partition(":")[0] in HOSTS and hit["path"] != "/robots.txt":
                    kind = polls if f"http://{hit['host']}{hit['path']}" in lists else articles
                    kind[hit["status"]] += 1
    assert polls.total() > 20
    assert polls[304] >= 0.95 * polls.total(), polls
    assert articles.total() > 50
    assert articles[304] >= 0.95 * articles.total(), articles
    assert rows(database, "SELECT count(*) FROM revisions") == [(0,)]
    assert rows(database, "SELECT count(*) FROM missing_articles") == [(0,)]
    assert rows(database, "SELECT count(*) FROM hosts WHERE wrong_304_at IS NOT NULL") == [(0,)]
