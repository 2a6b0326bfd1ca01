"""The share of each site that was kept for a topic, by week."""

from datetime import UTC, datetime

import pytest

from newsspider.core.crawling.visit import PageResult, Settlement
from newsspider.core.model import Reason, State
from newsspider.features.workbench.topic_drift import MIN_EARLIER_ARTICLES, Week, drift, weekly_figures
from newsspider.store import pages
from tests.support.samples import lease_on, save_article
from tests.support.stores import backend

__all__ = ["backend"]

SUNDAY = datetime(2026, 11, 15, 15, 59, 59, tzinfo=UTC).timestamp()  # in Shanghai the last second of the week
MONDAY = SUNDAY + 1


def refuse(conn, url, now, topic="education"):
    lease = lease_on(conn, url, now)
    settlement = Settlement(State.DONE, Reason.OFF_TOPIC, status=200, fetched_at=now, topic=topic)
    assert pages.save(conn, PageResult(lease, settlement), now).settled


def test_weeks_begin_on_monday_in_shanghai(conn):
    save_article(conn, "http://a.cn/1", "一", SUNDAY)
    save_article(conn, "http://a.cn/2", "二", MONDAY)
    (site_weeks,) = weekly_figures(conn, "education", MONDAY, 2).values()
    assert [(week.start, week.kept, week.refused) for week in site_weeks] == [(MONDAY - 604_800, 1, 0), (MONDAY, 1, 0)]


def test_the_last_half_second_of_a_week_is_part_of_it(conn):
    save_article(conn, "http://a.cn/1", "一", SUNDAY + 0.6)
    refuse(conn, "http://a.cn/2", SUNDAY + 0.6)
    of_two_sites = weekly_figures(conn, "education", MONDAY, 2).values()
    assert [[week.start for week in site_weeks] for site_weeks in of_two_sites] == [[MONDAY - 604_800]] * 2


def test_what_was_refused_counts_for_the_topic_that_refused_it(conn):
    save_article(conn, "http://a.cn/1", "一", MONDAY)
    refuse(conn, "http://a.cn/2", MONDAY + 10)
    refuse(conn, "http://a.cn/3", MONDAY + 20, "sports")
    all_weeks = [week for site_weeks in weekly_figures(conn, "education", MONDAY + 30, 1).values() for week in site_weeks]
    assert (sum(week.kept for week in all_weeks), sum(week.refused for week in all_weeks)) == (1, 1)


@pytest.mark.parametrize(("count", "expected"), [(1, 1), (2, 2), (8, 2)])
def test_as_many_weeks_are_told_as_are_asked_for(conn, count, expected):
    save_article(conn, "http://a.cn/1", "一", SUNDAY)
    save_article(conn, "http://a.cn/2", "二", MONDAY)
    (site_weeks,) = weekly_figures(conn, "education", MONDAY, count).values()
    assert len(site_weeks) == expected


def test_a_store_without_articles_tells_nothing(conn):
    assert weekly_figures(conn, "education", MONDAY, 8) == {}


def weeks_of(*figures: tuple[int, int]) -> list[Week]:
    return [Week("a.cn", 604_800.0 * n, relevant, refused) for n, (relevant, refused) in enumerate(figures)]


def drifted(*figures: tuple[int, int]) -> list[bool]:
    return [week.drifted for week in drift(weeks_of(*figures))]


def test_a_shift_of_the_share_is_reported_and_chance_variation_is_not():
    assert drifted((40, 10), (38, 12), (10, 40)) == [False, False, True]
    assert drifted((10, 40), (12, 38), (40, 10)) == [False, False, True]
    assert drifted((40, 10), (36, 14), (44, 6)) == [False, False, False]


def test_few_articles_say_nothing():
    assert drifted((MIN_EARLIER_ARTICLES - 1, 0), (0, 50)) == [False, False]
    assert drifted((50, 0), (0, 4)) == [False, False]


def test_a_share_of_all_or_none_that_stays_is_no_drift():
    assert drifted((30, 0), (30, 0)) == [False, False]
    assert drifted((0, 30), (0, 30), (30, 0)) == [False, False, True]


def test_the_share_is_that_of_what_was_kept():
    assert weeks_of((1, 3))[0].share == 0.25
