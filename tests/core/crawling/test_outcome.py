"""Every way a fetch can end has one outcome; the table below is the contract."""

import math
from dataclasses import replace

from newsspider.core.crawling.outcome import (
    INTERNAL_PROCESSES,
    RetryPolicy,
    after,
    failed,
    internal,
    missed,
    no_page,
    put_back,
    rate_limited,
    read,
    revisit_failed,
)
from newsspider.core.crawling.visit import Lease, Settlement
from newsspider.core.model import PageType, Reason, State
from tests.support.tables import each

POLICY = RetryPolicy(times=3, base_seconds=10.0, cap_seconds=3600.0)
NEW = Lease(1, "http://a.example/1", "a.example", PageType.ARTICLE, "a", "home", 2, "", 50, 1, 100.0, 0.0)
KNOWN = replace(NEW, fetch_count=2, stored_at=0.0)
LIST = replace(NEW, kind=PageType.LIST, update_cycle=60.0)
TIRED = replace(NEW, failures=3)

FAILURES = [
    # lease, reason, status -> state, reason in the ledger, comes back
    (NEW, Reason.TIMEOUT, None, State.WAITING, Reason.RETRY, True),
    (NEW, Reason.DNS, None, State.WAITING, Reason.RETRY, True),
    (NEW, Reason.CONNECTION, None, State.WAITING, Reason.RETRY, True),
    (NEW, Reason.TRUNCATED, None, State.WAITING, Reason.RETRY, True),
    (NEW, Reason.HTTP_STATUS, 500, State.WAITING, Reason.RETRY, True),
    (NEW, Reason.HTTP_STATUS, 404, State.ERROR, Reason.HTTP_STATUS, False),
    (NEW, Reason.HTTP_STATUS, 410, State.ERROR, Reason.HTTP_STATUS, False),
    (NEW, Reason.HTTP_STATUS, 403, State.ERROR, Reason.HTTP_STATUS, False),
    (NEW, Reason.BAD_ANSWER, None, State.WAITING, Reason.RETRY, True),
    (NEW, Reason.TOO_LARGE, None, State.ERROR, Reason.TOO_LARGE, False),
    (NEW, Reason.UNREADABLE, 200, State.WAITING, Reason.RETRY, True),
    (TIRED, Reason.UNREADABLE, 200, State.ERROR, Reason.UNREADABLE, False),
    (TIRED, Reason.TIMEOUT, None, State.ERROR, Reason.TIMEOUT, False),
    (TIRED, Reason.HTTP_STATUS, 503, State.ERROR, Reason.HTTP_STATUS, False),
    (KNOWN, Reason.HTTP_STATUS, 404, State.DONE, Reason.HTTP_STATUS, False),
    (KNOWN, Reason.TIMEOUT, None, State.DONE, Reason.RETRY, True),
    (replace(LIST, failures=9), Reason.HTTP_STATUS, 404, State.ERROR, Reason.HTTP_STATUS, True),
    (replace(LIST, failures=9, fetch_count=5), Reason.DNS, None, State.DONE, Reason.DNS, True),
]


@each(("lease", "reason", "status", "state", "recorded_reason", "has_due_time"), FAILURES)
def test_a_failure_ends_in_exactly_this_state(
    lease: Lease, reason: Reason, status: int | None, state: State, recorded_reason: Reason, has_due_time: bool
) -> None:
    settlement = failed(lease, reason, 1000.0, POLICY, status=status)
    assert (settlement.state, settlement.reason, settlement.due_at is not None) == (state, recorded_reason, has_due_time)
    assert settlement.failures == lease.failures + 1
    assert settlement.due_at is None or settlement.due_at > 1000.0


def hourly(lease: Lease, processes: int) -> list[Settlement]:
    """The settlements of a page on which each of ``processes`` processes fails once."""
    settlements: list[Settlement] = []
    for _ in range(processes):
        settlements.append(internal(lease, 0.0, 10.0, 1, "KeyError('x')"))
        lease = replace(lease, faults=settlements[-1].faults)
    return settlements


def test_an_internal_error_is_retried_soon_then_hours_later_and_given_up_after_several_processes() -> None:
    settlements = hourly(NEW, INTERNAL_PROCESSES)
    assert [settlement.due_at for settlement in settlements] == [10.0, 7200.0, 14_400.0, 28_800.0, None]
    assert {(settlement.state, settlement.reason, settlement.detail) for settlement in settlements[:-1]} == {
        (State.WAITING, Reason.RETRY, "internal: KeyError('x')")
    }
    assert (settlements[-1].state, settlements[-1].reason, settlements[-1].detail) == (State.ERROR, Reason.INTERNAL, "KeyError('x')")
    assert {settlement.failures for settlement in settlements} == {0}


def test_one_process_alone_never_gives_up_a_page() -> None:
    lease, settlements = NEW, []
    for tries in range(1, 40):
        settlements.append(internal(lease, 0.0, 10.0, tries, "KeyError('x')"))
        lease = replace(lease, faults=settlements[-1].faults)
    assert [settlement.due_at for settlement in settlements[:5]] == [10.0, 3600.0, 7200.0, 14_400.0, 28_800.0]
    assert {settlement.due_at for settlement in settlements[6:]} == {86_400.0}
    assert {(settlement.state, settlement.faults) for settlement in settlements} == {(State.WAITING, 1)}


@each("lease", [LIST, replace(NEW, kind=PageType.ROBOTS)], ids=["list", "robots"])
def test_a_list_and_a_robots_file_are_never_given_up_for_an_error_of_ours(lease: Lease) -> None:
    settlements = hourly(lease, 3 * INTERNAL_PROCESSES)
    assert {settlement.state for settlement in settlements} == {State.WAITING}
    assert max(settlement.due_at or 1e9 for settlement in settlements) == 3600.0


def test_a_recheck_that_hits_an_internal_error_is_repeated_later_and_holds_up_no_round() -> None:
    revisit = internal(replace(KNOWN, revisit=True, again=True), 0.0, 10.0, 1, "KeyError('x')")
    looked_at = internal(replace(NEW, again=True, failures=2), 0.0, 10.0, 1, "KeyError('x')")
    assert (revisit.state, revisit.reason, revisit.due_at) == (State.DONE, Reason.INTERNAL, 10.0)
    assert (looked_at.state, looked_at.reason, looked_at.due_at, looked_at.failures) == (State.ERROR, Reason.INTERNAL, 10.0, 2)


def test_any_answer_ends_the_count_of_our_errors_and_a_page_given_back_keeps_it() -> None:
    lease = replace(NEW, faults=3)
    assert read(lease, Reason.STORED, 0.0).faults == 0
    assert put_back(lease, Reason.RELEASED, 0.0).faults == 3


def test_an_error_of_ours_keeps_what_the_visit_says_of_the_host() -> None:
    visit = replace(read(NEW, Reason.STORED, 0.0), fetched_at=5.0, host_next_at=7.0, host_delay=2.0, host_delay_reason="a site")
    settlement = after(internal(NEW, 0.0, 10.0, 1, ""), visit)
    assert (settlement.fetched_at, settlement.host_next_at) == (5.0, 7.0)
    assert (settlement.host_delay, settlement.host_delay_reason) == (2.0, "a site")
    assert settlement.reason is Reason.RETRY


def test_each_further_failure_is_waited_for_longer() -> None:
    waits = [failed(replace(NEW, failures=n), Reason.TIMEOUT, 0.0, POLICY).due_at or 0 for n in range(3)]
    assert waits[0] < waits[1] < waits[2]


def test_a_page_that_was_read_is_done_and_a_list_is_due_again_in_its_next_round() -> None:
    assert (read(NEW, Reason.STORED, 1000.0).state, read(NEW, Reason.STORED, 1000.0).due_at) == (State.DONE, None)
    assert read(LIST, Reason.POLLED, 1000.0).due_at == 1020.0


def test_each_failed_revisit_of_a_stored_article_doubles_the_wait_until_it_is_given_up() -> None:
    settlements = [revisit_failed(replace(KNOWN, failures=n), Reason.TIMEOUT, 0.0, 100.0) for n in range(9)]
    assert [settlement.due_at for settlement in settlements] == [100.0 * 2**n for n in range(8)] + [None]
    assert {(settlement.state, settlement.reason) for settlement in settlements} == {(State.DONE, Reason.TIMEOUT)}


@each(
    ("lease", "reason", "status", "expected"),
    [
        (NEW, Reason.HTTP_STATUS, 404, True),
        (NEW, Reason.TOO_LARGE, None, True),
        (TIRED, Reason.UNREADABLE, 200, True),
        (NEW, Reason.HTTP_STATUS, 503, False),
        (TIRED, Reason.HTTP_STATUS, 503, False),
        (TIRED, Reason.TIMEOUT, None, False),
        (TIRED, Reason.DNS, None, False),
    ],
)
def test_a_missing_page_is_distinguished_from_a_host_in_trouble(lease: Lease, reason: Reason, status: int | None, expected: bool) -> None:
    assert no_page(failed(lease, reason, 1000.0, POLICY, status=status)) is expected


def test_a_redirect_and_a_file_are_no_pages_and_an_article_is_one() -> None:
    ends = (Reason.REDIRECT, Reason.CONTENT_TYPE, Reason.STORED, Reason.OFF_TOPIC, Reason.ROBOTS)
    assert [no_page(read(NEW, reason, 1000.0)) for reason in ends] == [True, True, False, False, False]


def test_an_article_that_is_missing_is_no_failure() -> None:
    settlement = missed(replace(KNOWN, failures=2), "not_found")
    assert (settlement.state, settlement.reason, settlement.failures, settlement.detail) == (State.DONE, Reason.MISSED, 0, "not_found")


def test_being_put_back_is_no_failure() -> None:
    settlement = put_back(replace(NEW, failures=2), Reason.RATE_LIMITED, 1030.0, status=429)
    assert (settlement.state, settlement.due_at, settlement.failures) == (State.WAITING, 1030.0, 2)
    assert put_back(KNOWN, Reason.RATE_LIMITED, 1030.0).state is State.DONE


def test_a_revisit_that_is_put_back_remains_a_revisit() -> None:
    visit = replace(KNOWN, revisit=True)
    settlement = put_back(visit, Reason.RATE_LIMITED, 1030.0, status=429, detail="busy")
    assert (settlement.state, settlement.reason) == (State.DONE, Reason.PUT_OFF)
    assert (settlement.due_at, settlement.detail) == (1030.0, "rate_limited: busy")
    assert put_back(visit, Reason.RELEASED, 1030.0).reason is Reason.RELEASED
    assert rate_limited(visit, 1000.0, 10.0, 429, math.inf).reason is Reason.PUT_OFF


@each("pause", [0.0, 1.0, 60.0, 3600.0, 86_400.0])
def test_a_page_of_a_host_that_asks_for_patience_waits_as_long_as_it_says_and_at_most_an_hour_more(pause: float) -> None:
    waits = [rate_limited(replace(LIST, failures=n), 0.0, pause, 503, math.inf).due_at or 0.0 for n in range(40)]
    assert waits[0] > pause, "others of its host go first"
    assert waits == sorted(waits)
    assert waits[-1] == pause + 3600.0, "so a round ends, however often its host says that it may go on"
    assert waits[0] <= pause + 300.0


def test_a_list_of_a_rate_limited_host_waits_no_longer_than_its_next_round() -> None:
    assert rate_limited(replace(LIST, failures=5), 0.0, 600.0, 503, 700.0).due_at == 700.0
    assert rate_limited(replace(LIST, failures=5), 0.0, 600.0, 503, 300.0).due_at == 600.0, "but as long as its host says"
