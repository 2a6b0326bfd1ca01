"""When the share of a site has moved, and when it has not."""

from __future__ import annotations

from newsspider.core.relevance.topic_share import MIN_EARLIER_ARTICLES, Week, drift


def weeks(*figures: tuple[int, int]) -> list[Week]:
    return [Week("a.cn", 604_800.0 * n, relevant, refused) for n, (relevant, refused) in enumerate(figures)]


def drifted(*figures: tuple[int, int]) -> list[bool]:
    return [week.drifted for week in drift(weeks(*figures))]


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
    assert weeks((1, 3))[0].share == 0.25
