"""How long a host is left alone, when a page is requested conditionally, and which hosts answer that honestly."""

from hypothesis import given
from hypothesis import strategies as st

from newsspider.core.fetching.politeness import (
    DISTRUST_SECONDS,
    LONGEST_RETRY_AFTER_SECONDS,
    Ask,
    Delay,
    DelayLimits,
    DelayReason,
    KnownResponse,
    asked_next_at,
    back_off,
    condition_headers,
    etag_of,
    how_to_ask,
    is_distrusted,
    last_modified_of,
    learned_validators,
    polite_delay,
    retry_after,
    smoothed_latency,
)
from tests.support.tables import each

LIMITS = DelayLimits(factor=100, minimum_seconds=1, maximum_seconds=30, crawl_delay_maximum_seconds=3600)
SECONDS = st.floats(0, 1000)


@each(
    ("wishes", "seconds", "reason"),
    [
        ((None, None, None), 1, DelayReason.MINIMUM),  # nothing known yet
        ((0.002, None, None), 1, DelayReason.MINIMUM),
        ((0.05, None, None), 5, DelayReason.LATENCY),
        ((4.0, None, None), 30, DelayReason.MAXIMUM),
        ((0.05, None, 10), 10, DelayReason.CRAWL_DELAY),
        ((0.05, None, 2), 5, DelayReason.LATENCY),  # a Crawl-delay never makes us faster
        ((0.05, None, 0), 5, DelayReason.LATENCY),
        ((0.05, None, 10**9), 3600, DelayReason.CRAWL_DELAY),
        ((4.0, None, 40), 40, DelayReason.CRAWL_DELAY),  # nor does our own upper bound cut it
        ((0.05, 8, None), 8, DelayReason.SITE),
        ((0.2, 8, None), 20, DelayReason.LATENCY),  # a site that asks for more than the minimum is a floor
        ((4.0, 0.05, None), 0.05, DelayReason.SITE),  # one that asks for less replaces our wish
        ((4.0, 0.05, 0.5), 0.5, DelayReason.CRAWL_DELAY),
        ((None, 0.0, None), 0, DelayReason.SITE),
    ],
)
def test_the_longest_wish_sets_the_delay_and_is_named(wishes, seconds, reason):
    assert polite_delay(*wishes, LIMITS) == Delay(seconds, reason)


@given(st.none() | SECONDS, st.none() | SECONDS, st.none() | SECONDS)
def test_nobody_who_asks_for_time_is_cut_short(latency, site_delay, crawl_delay):
    seconds = polite_delay(latency, site_delay, crawl_delay, LIMITS).seconds
    assert seconds >= max(wish or 0 for wish in (site_delay, crawl_delay))


@given(st.floats(0.0, 60.0), st.floats(0.0, 1.0), st.floats(0.001, 300.0), st.floats(0.0, 5.0))
def test_two_requests_arrive_no_closer_than_the_delay(latency, arrived, delay, late):
    sent = 1000.0
    next_at = asked_next_at(sent, sent + latency, delay)
    assert next_at >= sent + delay
    assert next_at + late - (sent + arrived * latency) >= delay * (1 - 1e-9)


@given(SECONDS, SECONDS)
def test_a_smoothed_latency_lies_between_the_old_and_the_new(old, new):
    assert min(old, new) <= smoothed_latency(old, new) <= max(old, new)


def test_a_slow_answer_weighs_more_than_a_fast_one():
    assert smoothed_latency(1.0, 2.0) - 1.0 > 1.0 - smoothed_latency(1.0, 0.0)


@each(
    ("value", "seconds"),
    [
        ("0", 0),
        (" 120 ", 120),
        ("1.5", 1.5),
        ("999999999999", LONGEST_RETRY_AFTER_SECONDS),
        ("9" * 400, LONGEST_RETRY_AFTER_SECONDS),
        ("Tue, 14 Nov 2023 22:14:20 GMT", 60),
        ("Tue, 14 Nov 2023 22:14:20", 60),  # no zone: UTC
        ("Tuesday, 14-Nov-23 22:14:20 GMT", 60),
        ("Wed, 15 Nov 2023 06:14:20 +0800", 60),
        ("Tue, 14 Nov 2023 22:00:00 GMT", 0),  # past
        ("Tue, 14 Nov 2099 22:00:00 GMT", LONGEST_RETRY_AFTER_SECONDS),
        ("Tue, 99 Nov 2023 22:00:00 GMT", None),
        ("Tue, 14 Nov 2023 22:00:00 +9999999", None),
        ("-5", None),
        ("soon", None),
        ("１２", None),
        ("", None),
        (None, None),
    ],
)
def test_retry_after_is_seconds_or_a_date_and_garbage_is_nothing(value, seconds):
    assert retry_after(value, now=1_700_000_000.0) == seconds


@given(st.text())
def test_no_retry_after_header_breaks_the_reader(value):
    delay = retry_after(value, now=1_700_000_000.0)
    assert delay is None or 0 <= delay <= LONGEST_RETRY_AFTER_SECONDS


def test_each_failure_doubles_the_wait_up_to_the_cap():
    assert [back_off(failures, 60, 600, 1.0) for failures in range(1, 6)] == [60, 120, 240, 480, 600]


@given(st.integers(0, 10**6), st.floats(0, 1))
def test_jitter_shortens_a_wait_by_at_most_half(failures, jitter):
    whole = back_off(failures, 60, 600, 1.0)
    assert whole / 2 <= back_off(failures, 60, 600, jitter) <= whole


DATE = "Sat, 21 Nov 2026 08:00:00 GMT"
OLD = KnownResponse('"a"', DATE, "old")


@each(
    ("value", "stored"), [('"a"', '"a"'), (' W/"a b" ', 'W/"a b"'), ("", None), (None, None), ('"a\r\nX: 1"', None), ("x" * 501, None)]
)
def test_an_etag_is_kept_as_it_came_if_it_can_be_sent_back(value: str | None, stored: str | None) -> None:
    assert etag_of(value) == stored


@each(("value", "stored"), [(DATE, DATE), ("yesterday", None), ("", None), (None, None)])
def test_a_last_modified_is_kept_if_it_is_a_date(value: str | None, stored: str | None) -> None:
    assert last_modified_of(value) == stored


def test_a_page_without_validators_and_a_host_that_answered_wrongly_are_asked_plainly() -> None:
    assert how_to_ask(KnownResponse(), 9, is_list=True) is Ask.PLAINLY
    assert how_to_ask(OLD, 9, is_list=True, distrusted=True) is Ask.PLAINLY
    assert how_to_ask(OLD, 9, is_list=True) is Ask.IF_CHANGED


def test_a_host_is_distrusted_for_a_month() -> None:
    month = [is_distrusted(100, now) for now in (100, 99 + DISTRUST_SECONDS, 100 + DISTRUST_SECONDS)]
    assert month == [True, True, False]
    assert not is_distrusted(None, 100)


def test_conditions_name_what_is_known() -> None:
    assert condition_headers(OLD) == {"If-None-Match": '"a"', "If-Modified-Since": DATE}
    assert condition_headers(KnownResponse(etag='"a"')) == {"If-None-Match": '"a"'}


def test_a_list_is_looked_at_without_conditions_early_and_then_rarely_an_article_never_early() -> None:
    visits = range(180)
    assert [n for n in visits if how_to_ask(OLD, n, is_list=True) is Ask.TO_CHECK] == [3, 59, 118, 177]
    assert {how_to_ask(OLD, n, is_list=False) for n in visits} == {Ask.IF_CHANGED}
    assert how_to_ask(OLD._replace(proving=True), 59, is_list=True) is Ask.IF_CHANGED


def test_a_304_keeps_what_is_known_and_takes_newer_validators() -> None:
    assert learned_validators(OLD, KnownResponse('"b"'), Ask.IF_CHANGED, 304) == (KnownResponse('"b"', DATE, "old"), False)


def test_a_host_that_says_304_to_the_validators_of_an_older_content_is_wrong() -> None:
    new = KnownResponse('"b"', DATE, "new")
    checked, is_wrong = learned_validators(OLD, new, Ask.TO_CHECK, 200)
    assert (checked, is_wrong) == (KnownResponse('"a"', DATE, "new", proving=True), False)
    assert learned_validators(checked, KnownResponse(), Ask.IF_CHANGED, 304)[1]
    assert learned_validators(checked, new, Ask.IF_CHANGED, 200) == (new, False)


BYTES = OLD._replace(came="bytes")


@each(
    ("before", "now", "mode", "is_wrong"),
    [
        (OLD, OLD._replace(content="new"), Ask.TO_CHECK, True),  # another content with the same validators
        (OLD, OLD, Ask.TO_CHECK, False),
        (BYTES, BYTES._replace(content="new"), Ask.TO_CHECK, False),  # it is only read differently
        (BYTES, BYTES._replace(content="new", came="others"), Ask.TO_CHECK, True),
        (OLD, KnownResponse('"b"', None, "new"), Ask.IF_CHANGED, False),
        (OLD, KnownResponse('"b"', None, "old"), Ask.IF_CHANGED, False),
    ],
)
def test_what_a_full_response_says_of_a_host(before: KnownResponse, now: KnownResponse, mode: Ask, is_wrong: bool) -> None:
    assert learned_validators(before, now, mode, 200) == (now, is_wrong)


def test_the_hash_of_the_bytes_outlives_a_304() -> None:
    assert learned_validators(BYTES, KnownResponse(), Ask.IF_CHANGED, 304)[0].came == "bytes"
