"""When a page is requested conditionally, and which hosts answer such requests honestly."""

from __future__ import annotations

import pytest

from newsspider.core.fetching.validators import (
    NO_TRUST,
    USELESS,
    Ask,
    Known,
    Lie,
    Trust,
    ask,
    conditions,
    etag_of,
    last_modified_of,
    learned,
)

DATE = "Sat, 21 Nov 2026 08:00:00 GMT"
OLD = Known('"a"', DATE, "old")


@pytest.mark.parametrize(
    ("value", "stored"), [('"a"', '"a"'), (' W/"a b" ', 'W/"a b"'), ("", None), (None, None), ('"a\r\nX: 1"', None), ("x" * 501, None)]
)
def test_an_etag_is_kept_as_it_came_if_it_can_be_sent_back(value: str | None, stored: str | None) -> None:
    assert etag_of(value) == stored


@pytest.mark.parametrize(("value", "stored"), [(DATE, DATE), ("yesterday", None), ("", None), (None, None)])
def test_a_last_modified_is_kept_if_it_is_a_date(value: str | None, stored: str | None) -> None:
    assert last_modified_of(value) == stored


def test_a_page_without_validators_and_a_host_that_lied_are_asked_plainly() -> None:
    assert ask(Known(), NO_TRUST, 9) is Ask.PLAINLY
    assert ask(OLD, Trust(lie=Lie.STALE), 9) is Ask.PLAINLY
    assert ask(OLD, NO_TRUST, 9) is Ask.IF_CHANGED


def test_conditions_name_what_is_known() -> None:
    assert conditions(OLD) == {"If-None-Match": '"a"', "If-Modified-Since": DATE}
    assert conditions(Known(etag='"a"')) == {"If-None-Match": '"a"'}


def checks_of(pages: int, visits: int) -> list[int]:
    """The numbers of the requests that are unconditional when a host answers 304 to everything and its pages are visited in turn."""
    trust, checks = NO_TRUST, []
    for number in range(pages * visits):
        if ask(OLD, trust, 1 + number // pages) is Ask.TO_CHECK:
            checks.append(number + 1)
            trust = trust._replace(checked=trust.checked + 1)
        else:
            trust = trust._replace(asked=trust.asked + 1, not_modified=trust.not_modified + 1)
    return checks


def test_a_few_of_the_requests_to_a_host_that_says_304_are_made_without_conditions() -> None:
    assert checks_of(pages=300, visits=1) == [29, 58, 87, 166, 249]
    assert ask(OLD._replace(proving=True), Trust(28, 28), 30) is Ask.IF_CHANGED
    assert ask(OLD, Trust(asked=28), 30) is Ask.IF_CHANGED  # it never said 304


def test_the_only_list_of_a_host_is_looked_at_without_conditions_early_and_then_rarely() -> None:
    assert checks_of(pages=1, visits=300) == [3, 8, 29, 83, 166, 249]


@pytest.mark.parametrize("pages", [1, 3, 10, 40])
def test_over_a_day_of_polls_nearly_all_requests_name_conditions(pages: int) -> None:
    polls = 100
    assert len(checks_of(pages, polls)) <= 0.05 * pages * polls


@pytest.mark.parametrize("pages", [3, 10, 28])
def test_pages_polled_twice_are_not_yet_checked_without_conditions(pages: int) -> None:
    assert [number for number in checks_of(pages, 2) if number < 29] == []


def test_a_304_keeps_what_is_known_and_takes_newer_validators() -> None:
    lesson = learned(OLD, Known('"b"'), Ask.IF_CHANGED, 304, NO_TRUST)
    assert lesson.known == Known('"b"', DATE, "old")
    assert lesson.trust == Trust(asked=1, not_modified=1)


def test_a_host_that_says_304_to_the_validators_of_an_older_content_lies() -> None:
    new = Known('"b"', DATE, "new")
    checked = learned(OLD, new, Ask.TO_CHECK, 200, NO_TRUST)
    assert checked.known == Known('"a"', DATE, "new", proving=True)
    assert not checked.trust.lie
    assert learned(checked.known, Known(), Ask.IF_CHANGED, 304, NO_TRUST).trust.lie is Lie.STALE
    honest = learned(checked.known, new, Ask.IF_CHANGED, 200, NO_TRUST)
    assert (honest.known, honest.trust) == (new, Trust(asked=1))


def test_a_host_that_gives_another_content_the_same_validators_lies() -> None:
    assert learned(OLD, OLD._replace(content="new"), Ask.TO_CHECK, 200, NO_TRUST).trust.lie is Lie.STALE
    assert learned(OLD, OLD, Ask.TO_CHECK, 200, NO_TRUST).trust == Trust(checked=1)


def test_a_change_in_how_a_page_is_read_is_not_a_change_of_the_page() -> None:
    previous = OLD._replace(came="bytes")
    assert learned(previous, previous._replace(content="new"), Ask.TO_CHECK, 200, NO_TRUST).trust == Trust(checked=1)
    assert learned(previous, Known('"b"', None, "new", came="bytes"), Ask.IF_CHANGED, 200, NO_TRUST).trust.useless == 1
    other = previous._replace(content="new", came="others")
    assert learned(previous, other, Ask.TO_CHECK, 200, NO_TRUST).trust.lie is Lie.STALE
    assert learned(previous, Known(), Ask.IF_CHANGED, 304, NO_TRUST).known.came == "bytes"


def test_a_host_that_gives_every_answer_another_validator_is_asked_without() -> None:
    trust = NO_TRUST
    for number in range(USELESS):
        assert not trust.lie
        change = learned(OLD, Known(f'"{number}"', None, "old"), Ask.IF_CHANGED, 200, trust).trust
        trust = Trust(trust.asked + change.asked, 0, trust.useless + change.useless, 0, change.lie)
    assert trust == Trust(USELESS, 0, USELESS, 0, Lie.USELESS)


def test_a_host_that_also_says_304_is_not_given_up_for_pages_that_differ_in_their_bytes() -> None:
    trust = Trust(asked=100, not_modified=60, useless=40)
    assert not learned(OLD, OLD._replace(etag='"b"'), Ask.IF_CHANGED, 200, trust).trust.lie


def test_a_page_that_changed_says_nothing_of_its_host() -> None:
    assert learned(OLD, Known('"b"', None, "new"), Ask.IF_CHANGED, 200, NO_TRUST).trust == Trust(asked=1)
