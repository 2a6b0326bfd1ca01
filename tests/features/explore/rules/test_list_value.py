"""What a list page is worth: its share on topic, its rate, and whether its articles are original."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsspider.core.duplicates.first_source import Copy
from newsspider.features.explore.rules.list_value import (
    DAY,
    HEAVIEST_LIST,
    OnTopicArticle,
    least_share,
    names_itself,
    original_of,
    rate_of,
)
from tests.features.explore.rules.lists import NOW, listed
from tests.support.tables import each


@given(st.integers(1, 500), st.data())
def test_the_bound_lies_below_the_share_and_rises_with_what_was_read_and_kept(read, data):
    on_topic = data.draw(st.integers(0, read))
    bound = least_share(on_topic, read)
    assert 0 <= bound <= on_topic / read
    assert least_share(2 * on_topic, 2 * read) >= bound
    assert least_share(on_topic + 1, read + 1) >= bound


def test_the_bound_is_that_of_wilson():
    assert least_share(81, 263) == pytest.approx(0.2553, abs=1e-4)  # Newcombe (1998), table I
    assert least_share(15, 148) == pytest.approx(0.0624, abs=1e-4)
    assert {least_share(0, read) for read in range(500)} == {0}


def test_what_a_choosing_crawl_left_unread_counts_a_quarter():
    half = {"good": range(8), "bad": range(10, 12), "more": range(20, 30)}
    chosen, complete = listed("a/", **half, choosing=True), listed("a/", **half)
    assert (complete.share, chosen.share) == (0.8, pytest.approx(0.8 * 0.625))
    assert chosen.least_share == pytest.approx(complete.least_share * 0.625)
    assert listed("a/", range(8), range(10, 12), choosing=True).share == 0.8, "nothing was left"


def test_the_rate_is_that_of_the_younger_half():
    hours = [3600.0 * n for n in range(1, 21)]
    assert rate_of(hours) == pytest.approx(24)
    assert rate_of([*hours, 4e8, 5e8]) == pytest.approx(24)
    assert rate_of([age + 400 * DAY for age in hours]) < 0.05, "nothing was added for a year"
    assert rate_of([-50.0]) == 24, "a moment to come is no infinite rate"


def test_articles_without_a_time_count_for_the_rate_as_those_with_one():
    timed = listed("a/", range(4))
    some = listed("a/", range(4), kept={**timed.kept, **{key: OnTopicArticle() for key in range(10, 14)}})
    assert some.a_day == pytest.approx(2 * timed.a_day)


def test_without_times_the_visits_tell_the_rate():
    untimed = {key: OnTopicArticle() for key in range(6)}
    assert listed("a/", range(6), kept=untimed).a_day is None
    assert listed("a/", range(6), kept=untimed, first_visit_at=NOW - 60, later=2).a_day is None, "a minute says nothing"
    assert listed("a/", range(6), kept=untimed, first_visit_at=NOW - DAY / 2, later=2).a_day == pytest.approx(4)


def test_a_weight_follows_share_and_rate():
    pure = listed("a/", range(60))
    mixed = listed("b/", range(30), range(100, 130))
    slow = listed("c/", range(60), kept={key: OnTopicArticle(NOW - key * 10 * DAY) for key in range(60)})
    assert [candidate.weight for candidate in (pure, mixed, slow)] == [6, 3, 2]
    fast = listed("d/", range(400), kept={key: OnTopicArticle(NOW - key * 60) for key in range(400)})
    assert fast.weight == HEAVIEST_LIST


def test_a_list_that_mostly_reprints_is_lighter():
    own = listed("a/", range(20))
    reprinting = listed("a/", range(20), kept={key: article._replace(original=key < 8) for key, article in own.kept.items()})
    assert reprinting.original == 0.4
    assert reprinting.weight == own.weight - 1


@each(
    ("copies", "original"),
    [
        ([Copy("http://a.cn/1", "a")], "http://a.cn/1"),
        ([Copy("http://a.cn/1", "a", "新华社")], None),
        ([Copy("http://a.cn/1", "a", published_at=5), Copy("http://b.cn/1", "b", published_at=3)], "http://b.cn/1"),
        ([Copy("http://a.cn/1", "a", published_at=5), Copy("http://b.cn/1", "b", "新华社", published_at=3)], "http://a.cn/1"),
    ],
)
def test_an_original_is_the_first_of_its_copies_and_names_no_other(copies, original):
    assert original_of(copies) == original


@each(("source", "own"), [("示例教育网", True), ("示例", True), ("新华网", False), ("", False), (None, False)])
def test_a_site_that_names_itself_as_source_is_told_by_its_titles(source, own):
    assert names_itself(source, "校长谈改革_示例　教育网") is own
