"""What came in is counted from the articles of that time alone."""

from datetime import UTC, datetime
from functools import partial

from newsspider.store.articles.arrivals import by_site_and_hour
from tests.support.plans import Plans
from tests.support.samples import NOW, save_article
from tests.support.stores import on_sqlite


def test_articles_are_counted_by_site_and_hour(conn):
    for number, (site, age) in enumerate((("甲", 0), ("甲", 3_600), ("乙", 0), ("乙", 0), ("丙", 200_000))):
        crawled_at = datetime.fromtimestamp(NOW - age, UTC)
        save_article(conn, f"http://a.cn/{number}", f"第{number}篇的正文", site=site, crawled_at=crawled_at)
    counts = by_site_and_hour(conn, NOW)
    assert {site: hours[-2:] for site, hours in counts.items()} == {"甲": [1, 1], "乙": [0, 2]}


@on_sqlite
def test_older_articles_are_not_gone_through(conn):
    plans = Plans(conn)
    plans.of(partial(by_site_and_hour, now=NOW))
    assert [line for line in plans.lines if "articles" in line] == ["SEARCH articles USING INDEX ix_articles_crawled (crawled_ts>?)"]
