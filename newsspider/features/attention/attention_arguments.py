"""Reads what people ask of attention: queries, days, the length of a period."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date, datetime

from sqlalchemy import Connection

from newsspider.core.query.query_dates import ZONE
from newsspider.core.query.query_language import Query, parse_query
from newsspider.features.attention.counting import MOST_QUERIES, Split, first_moment
from newsspider.features.attention.rules.periods import PeriodLength, Span, day_number, latest_span, span_of

LEAST_PERIODS = 7  # of a store that is younger than what is shown if nobody says since when


def queries_of(typed: Iterable[str], split: Split | None, now: datetime) -> dict[str, Query]:
    """The queries by what was typed, each once; without the empty ones.

    Raises :exc:`ValueError` for too many, and :exc:`RuleError` for one that cannot be read.
    """
    names = list(dict.fromkeys(name for text in typed if (name := text.strip())))
    if len(names) > MOST_QUERIES:
        raise ValueError(f"at most {MOST_QUERIES} queries, not {len(names)}")
    if split is not None and len(names) > 1:
        raise ValueError("only one query can be counted apart")
    return {name: parse_query(name, now) for name in names}


def span_asked(conn: Connection, since: date | None, until: date | None, step: PeriodLength, now: datetime) -> Span:
    """The whole periods of these days; without a first day the latest ones, from that of the first article on.
    Raises :exc:`ValueError`."""
    last = until or now.astimezone(ZONE).date()
    try:
        return span_of(since, last, step) if since is not None else _begun(conn, latest_span(last, step))
    except OverflowError:
        raise ValueError("the calendar does not reach that far") from None


def _begun(conn: Connection, span: Span) -> Span:
    """The span without the periods before the first article."""
    first = first_moment(conn, span)
    empty = 0 if first is None else span.places()[day_number(first)]
    return replace(span, starts=span.starts[max(min(empty, len(span.starts) - LEAST_PERIODS), 0) :])
