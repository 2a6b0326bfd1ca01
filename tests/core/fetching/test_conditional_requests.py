"""When a page is requested conditionally, and which hosts answer such requests honestly."""

from newsspider.core.fetching.conditional_requests import (
    DISTRUST_SECONDS,
    Ask,
    Known,
    condition_headers,
    etag_of,
    how_to_ask,
    is_distrusted,
    last_modified_of,
    learned_validators,
)
from tests.support.tables import each

DATE = "Sat, 21 Nov 2026 08:00:00 GMT"
OLD = Known('"a"', DATE, "old")


@each(
    ("value", "stored"), [('"a"', '"a"'), (' W/"a b" ', 'W/"a b"'), ("", None), (None, None), ('"a\r\nX: 1"', None), ("x" * 501, None)]
)
def test_an_etag_is_kept_as_it_came_if_it_can_be_sent_back(value: str | None, stored: str | None) -> None:
    assert etag_of(value) == stored


@each(("value", "stored"), [(DATE, DATE), ("yesterday", None), ("", None), (None, None)])
def test_a_last_modified_is_kept_if_it_is_a_date(value: str | None, stored: str | None) -> None:
    assert last_modified_of(value) == stored


def test_a_page_without_validators_and_a_host_that_answered_wrongly_are_asked_plainly() -> None:
    assert how_to_ask(Known(), 9, is_list=True) is Ask.PLAINLY
    assert how_to_ask(OLD, 9, is_list=True, distrusted=True) is Ask.PLAINLY
    assert how_to_ask(OLD, 9, is_list=True) is Ask.IF_CHANGED


def test_a_host_is_distrusted_for_a_month() -> None:
    month = [is_distrusted(100, now) for now in (100, 99 + DISTRUST_SECONDS, 100 + DISTRUST_SECONDS)]
    assert month == [True, True, False]
    assert not is_distrusted(None, 100)


def test_conditions_name_what_is_known() -> None:
    assert condition_headers(OLD) == {"If-None-Match": '"a"', "If-Modified-Since": DATE}
    assert condition_headers(Known(etag='"a"')) == {"If-None-Match": '"a"'}


def test_a_list_is_looked_at_without_conditions_early_and_then_rarely_an_article_never_early() -> None:
    visits = range(180)
    assert [n for n in visits if how_to_ask(OLD, n, is_list=True) is Ask.TO_CHECK] == [3, 59, 118, 177]
    assert {how_to_ask(OLD, n, is_list=False) for n in visits} == {Ask.IF_CHANGED}
    assert how_to_ask(OLD._replace(proving=True), 59, is_list=True) is Ask.IF_CHANGED


def test_a_304_keeps_what_is_known_and_takes_newer_validators() -> None:
    assert learned_validators(OLD, Known('"b"'), Ask.IF_CHANGED, 304) == (Known('"b"', DATE, "old"), False)


def test_a_host_that_says_304_to_the_validators_of_an_older_content_is_wrong() -> None:
    new = Known('"b"', DATE, "new")
    checked, is_wrong = learned_validators(OLD, new, Ask.TO_CHECK, 200)
    assert (checked, is_wrong) == (Known('"a"', DATE, "new", proving=True), False)
    assert learned_validators(checked, Known(), Ask.IF_CHANGED, 304)[1]
    assert learned_validators(checked, new, Ask.IF_CHANGED, 200) == (new, False)


BYTES = OLD._replace(came="bytes")


@each(
    ("before", "now", "mode", "is_wrong"),
    [
        (OLD, OLD._replace(content="new"), Ask.TO_CHECK, True),  # another content with the same validators
        (OLD, OLD, Ask.TO_CHECK, False),
        (BYTES, BYTES._replace(content="new"), Ask.TO_CHECK, False),  # it is only read differently
        (BYTES, BYTES._replace(content="new", came="others"), Ask.TO_CHECK, True),
        (OLD, Known('"b"', None, "new"), Ask.IF_CHANGED, False),
        (OLD, Known('"b"', None, "old"), Ask.IF_CHANGED, False),
    ],
)
def test_what_a_full_response_says_of_a_host(before: Known, now: Known, mode: Ask, is_wrong: bool) -> None:
    assert learned_validators(before, now, mode, 200) == (now, is_wrong)


def test_the_hash_of_the_bytes_outlives_a_304() -> None:
    assert learned_validators(BYTES, Known(), Ask.IF_CHANGED, 304)[0].came == "bytes"
