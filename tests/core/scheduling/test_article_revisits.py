"""When stored articles are visited again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsspider.core.scheduling.article_revisits import LEAST_PACE, RevisitSchedule, pace_of, steps_of
from tests.support.tables import each

HOUR, DAY = 3600.0, 86_400.0
LADDER = RevisitSchedule(steps_of(["1h", "6h", "1d", "3d", "7d"]), 30 * DAY)


def visits(ladder: RevisitSchedule, pace: float = 1.0, published_at: float | None = None) -> list[float]:
    moments, now = [], 0.0
    while (due := ladder.next_visit(0.0, published_at, now, pace)) is not None:
        moments.append(due)
        now = due
    return moments


def test_an_article_is_visited_at_every_step_and_then_never() -> None:
    assert visits(LADDER) == [HOUR, 6 * HOUR, DAY, 3 * DAY, 7 * DAY]


def test_an_article_of_a_site_that_edits_much_is_visited_between_the_steps_too_and_no_longer() -> None:
    moments = visits(LADDER, 0.5)
    assert set(visits(LADDER)) <= set(moments)
    assert len(moments) == 10
    assert moments[-1] == 7 * DAY


def test_steps_that_were_missed_are_not_made_up_for() -> None:
    assert LADDER.next_visit(0.0, None, 2 * DAY) == 3 * DAY


def test_an_article_that_was_old_when_it_was_found_is_not_visited_again() -> None:
    assert visits(LADDER, published_at=-31 * DAY) == []
    assert len(visits(LADDER, published_at=-29 * DAY)) == 5


def test_no_steps_are_no_visits() -> None:
    assert visits(RevisitSchedule(())) == []


@each("text", ["", "h", "1", "1 week", "0h", "-1h"])
def test_invalid_revisit_steps_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no time"):
        steps_of([text])


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_the_more_changes_are_found_the_closer_the_visits(visits: int, changes: int) -> None:
    changes = min(visits, changes)
    assert LEAST_PACE <= pace_of(visits, changes) <= 1.0
    assert pace_of(visits + 1, changes + 1) <= pace_of(visits + 1, changes)
