"""``scrapy health``."""

import json
import time
from dataclasses import replace

import pytest

from newsspider.core.crawling.visit import ArticleObservation, PageResult, Settlement
from newsspider.core.model import Reason, State
from newsspider.core.scheduling.publication_rate import DAY, HOUR
from newsspider.features.health.rules.states import Health
from newsspider.features.health.sources import SourceHealth
from newsspider.sites.model import Channel, ChannelKind, from_home
from newsspider.store import pages, sites
from newsspider.store.engine.database import open_store
from tests.support.commands import database, scrapy
from tests.support.samples import article, blocked_for_ten_hours, lease_on

__all__ = ["database", "scrapy"]


@pytest.fixture
def unhealthy(database):
    """A store with a site of which one list is well and one has been blocked for ten hours."""
    now = time.time()
    with open_store(database).begin() as conn:
        blocked_for_ten_hours(conn, now)
    return now


def test_an_unhealthy_list_is_named_with_since_when_why_and_what_to_do(scrapy, unhealthy):
    ran = scrapy("health", "--site", "病站")
    assert ran.code == 0
    first, *rest = ran.out.splitlines()
    assert first.startswith("病站/blocked: blocked since ")
    assert first.endswith(": its host refuses us")
    assert rest[:2] == ["  seen: list: 11 visits in a row (11 blocked)", "  seen: HTTP status 403"]
    assert rest[2].startswith("  do: ask its webmaster")
    assert ran.err.splitlines()[-1] == "2 lists: 1 blocked, 1 live"


def test_a_disabled_site_is_called_so(scrapy, unhealthy, database):
    with open_store(database).begin() as conn:
        sites.enable(conn, "病站", False, unhealthy)
    ran = scrapy("health", "--site", "病站", "--all")
    assert (ran.code, ran.out, ran.err.splitlines()[-1]) == (0, "", "病站 is disabled: scrapy sites enable '病站'")
    assert "`scrapy sites test '病 站'`" in SourceHealth.advice("病 站", Health.RULE_BROKEN)  # a name may have blanks


def test_as_json_a_list_is_an_object_and_all_shows_those_that_are_well(scrapy, unhealthy):
    rows = [json.loads(line) for line in scrapy("health", "--json", "--all", "--site", "病站").out.splitlines()]
    assert {row["channel"]: row["health"] for row in rows} == {"well": "live", "blocked": "blocked"}
    (row,) = [row for row in rows if row["channel"] == "blocked"]
    assert row["since"] == pytest.approx(unhealthy - 10 * HOUR)


def test_a_sudden_loss_of_dates_and_authors_shows_two_pages_before_and_after(scrapy, database):
    now = time.time()
    site = replace(from_home("http://q.cn/"), name="质", channels=(Channel("a", "http://q.cn/a", 5, ChannelKind.LIST),))
    with open_store(database).begin() as conn:
        sites.put(conn, site, now)
        for day in range(8, -1, -1):
            for number in range(10):
                moment = now - day * DAY + number
                lacks = day < 2
                url = f"http://q.cn/{day}-{number}"
                lease = lease_on(conn, url, moment, site="质", channel="a")
                page = PageResult(
                    lease, Settlement(State.DONE, Reason.STORED, status=200),
                    effects=(ArticleObservation(("date", "author") if lacks else ()),),
                    article=article(
                        url, f"正文{day}{number}", site="质", crawled_at=_utc(moment), published_at=None if lacks else _utc(moment),
                        authors=() if lacks or number == 9 else ("王芳",),
                    ),
                )  # fmt: skip
                pages.save(conn, page, moment)
    rows = [row for line in scrapy("health", "--json", "--site", "质").out.splitlines() if "lacks" in (row := json.loads(line))]
    assert [(row["lacks"], row["before"], row["after"]) for row in rows] == [("date", 0.0, 1.0), ("author", 0.0, 1.0)]
    assert [row["pages_before"] for row in rows] == [["http://q.cn/2-9", "http://q.cn/2-8"], ["http://q.cn/2-8", "http://q.cn/2-7"]]
    assert [row["pages_after"] for row in rows] == [["http://q.cn/0-9", "http://q.cn/0-8"]] * 2
    assert "质: quality changed on " in scrapy("health", "--site", "质").out


def _utc(moment: float):
    from datetime import UTC, datetime

    return datetime.fromtimestamp(moment, UTC)
