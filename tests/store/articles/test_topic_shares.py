"""The share of each site that was kept for a topic, by week."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from newsspider.core.crawling.visit import PageResult, Settlement
from newsspider.core.model import Reason, State
from newsspider.store import pages
from newsspider.store.articles.topic_shares import weeks
from tests.support.samples import lease_on, save_article

SUNDAY = datetime(2026, 11, 15, 15, 59, 59, tzinfo=UTC).timestamp()  # in Shanghai the last second of the week
MONDAY = SUNDAY + 1


def refuse(conn, url, now, topic="education"):
    lease = lease_on(conn, url, now)
    settlement = Settlement(State.DONE, Reason.OFF_TOPIC, status=200, fetched_at=now, topic=topic)
    assert pages.save(conn, PageResult(lease, settlement), now).settled


def test_weeks_begin_on_monday_in_shanghai(conn):
    save_article(conn, "http://a.cn/1", "一", SUNDAY)
    save_article(conn, "http://a.cn/2", "二", MONDAY)
    (site_weeks,) = weeks(conn, "education", MONDAY, 2).values()
    assert [(week.start, week.kept, week.refused) for week in site_weeks] == [(MONDAY - 604_800, 1, 0), (MONDAY, 1, 0)]


def test_the_last_half_second_of_a_week_is_part_of_it(conn):
    save_article(conn, "http://a.cn/1", "一", SUNDAY + 0.6)
    refuse(conn, "http://a.cn/2", SUNDAY + 0.6)
    of_two_sites = weeks(conn, "education", MONDAY, 2).values()
    assert [[week.start for week in site_weeks] for site_weeks in of_two_sites] == [[MONDAY - 604_800]] * 2


def test_what_was_refused_counts_for_the_topic_that_refused_it(conn):
    save_article(conn, "http://a.cn/1", "一", MONDAY)
    refuse(conn, "http://a.cn/2", MONDAY + 10)
    refuse(conn, "http://a.cn/3", MONDAY + 20, "sports")
    all_weeks = [week for site_weeks in weeks(conn, "education", MONDAY + 30, 1).values() for week in site_weeks]
    assert (sum(week.kept for week in all_weeks), sum(week.refused for week in all_weeks)) == (1, 1)


@pytest.mark.parametrize(("count", "expected"), [(1, 1), (2, 2), (8, 2)])
def test_as_many_weeks_are_told_as_are_asked_for(conn, count, expected):
    save_article(conn, "http://a.cn/1", "一", SUNDAY)
    save_article(conn, "http://a.cn/2", "二", MONDAY)
    (site_weeks,) = weeks(conn, "education", MONDAY, count).values()
    assert len(site_weeks) == expected


def test_a_store_without_articles_tells_nothing(conn):
    assert weeks(conn, "education", MONDAY, 8) == {}
