"""A test that goes through a table runs every case and shows those that fail."""

import pytest

from tests.support.tables import each


def test_every_case_runs_and_each_that_fails_is_shown():
    seen = []

    @each("left, right", [(1, 1), (1, 2), (2, 2), (2, 1)])
    def same(left, right, others):
        others.append((left, right))
        assert left == right

    with pytest.raises(ExceptionGroup, match="2 of 4 cases") as raised:
        same(others=seen)
    assert seen == [(1, 1), (1, 2), (2, 2), (2, 1)]
    assert [error.__notes__ for error in raised.value.exceptions] == [["in the case (1, 2)"], ["in the case (2, 1)"]]


def test_a_table_without_cases_is_no_test():
    with pytest.raises(AssertionError):
        each("left", [])(lambda left: None)()
