"""The queries that people search for, counted by day. Nothing about the people is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import timedelta
from threading import Lock
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Engine

from newsspider.core.query.query_dates import date_of
from newsspider.core.text.characters import storable_text
from newsspider.store.engine.database import writing
from newsspider.store.engine.statement import Statement

if TYPE_CHECKING:
    from argparse import Namespace

    from newsspider.cli.command import DataCommand
    from newsspider.cli.command_group import CommandGroup

DAYS_SEARCHED = 7  # of the queries that are shown
SHOWN_QUERIES = 20
LONGEST_QUERY = 60  # characters; longer ones are pasted headlines
KEPT_DAYS = 90
LEAST_SEARCHES = 3  # of a query that is shown: a rare one may reveal who searched
MOST_QUERIES = 1_000  # different ones of a day

_NOTE = Statement(
    """
    INSERT INTO search_counts (day, query, searches)
    SELECT CAST(:day AS TEXT), CAST(:query AS TEXT), CAST(:searches AS INTEGER)
    WHERE (SELECT count(*) FROM search_counts WHERE day = :day) < :most
       OR EXISTS (SELECT 1 FROM search_counts WHERE day = :day AND query = :query)
    ON CONFLICT (day, query) DO UPDATE SET searches = search_counts.searches + excluded.searches
    """
)
_FORGET = Statement("DELETE FROM search_counts WHERE day < :day")
_HOT = Statement(
    """
    SELECT query, sum(searches) AS searches FROM search_counts WHERE day >= :first AND day <= :last
    GROUP BY query HAVING sum(searches) >= :least ORDER BY sum(searches) DESC, query LIMIT :limit
    """
)


def note(conn: Connection, searches: Mapping[str, int], now: float) -> None:
    """Add to the counts of today, in China, and delete days older than :data:`KEPT_DAYS`."""
    today = date_of(now)
    _FORGET.change(conn, {"day": (today - timedelta(days=KEPT_DAYS)).isoformat()})
    values = {"day": today.isoformat(), "most": MOST_QUERIES}
    _NOTE.change_many(conn, [{**values, "query": query, "searches": searches[query]} for query in sorted(searches)])


def hot_searches(conn: Connection, now: float, days: int, limit: int) -> list[Any]:
    """The most frequent queries of the last ``days`` days, each with the number of its searches."""
    today = date_of(now)
    first = today - timedelta(days=days - 1)
    values = {"first": first.isoformat(), "last": today.isoformat(), "least": LEAST_SEARCHES, "limit": limit}
    return _HOT.run(conn, values)


class Searches:
    """Counts queries until they are stored: a search itself writes nothing, so it waits for no crawl."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._lock = Lock()

    def add(self, query: str) -> None:
        """Count a query that found something."""
        query = " ".join(storable_text(query).split())
        with self._lock:
            if 0 < len(query) <= LONGEST_QUERY and (query in self._counts or len(self._counts) < MOST_QUERIES):
                self._counts[query] += 1

    def store(self, engine: Engine, now: float) -> None:
        """Write down what was counted since the last time; what cannot be written is forgotten."""
        with self._lock:
            counts, self._counts = self._counts, Counter()
        if counts:
            with writing(engine) as conn:
                note(conn, counts, now)


def add_action(group: CommandGroup) -> None:
    """Add ``scrapy hot searches``."""
    summary = "Show the most frequent searches of the console's readers"
    searches = group.add_action("searches", show_searches, "[--limit N] [--json]", summary, "--limit 5")
    searches.add_argument("--limit", metavar="N", help="at most N (20)")
    searches.add_argument("--json", action="store_true", help="one JSON object a line")


def show_searches(command: DataCommand, opts: Namespace) -> None:
    """Show the queries of the last seven days that were asked at least three times in the console and found something.

    They are counted by the day; who asked is kept nowhere. A query longer than 60 characters is not counted.
    """
    from newsspider.cli.command import print_line, print_note, print_record
    from newsspider.commands.export import limit_of, reading_store
    from newsspider.store.engine.clock import Clock

    limit = limit_of(opts) or SHOWN_QUERIES
    with reading_store(command) as conn:
        queries = hot_searches(conn, Clock().now(), DAYS_SEARCHED, limit)
    for row in queries:
        if opts.json:
            print_record({"query": row.query, "searches": int(row.searches)})
        else:
            print_line(f"{row.searches:>6}  {row.query}")
    if not queries:
        print_note("no query was asked three times in the last seven days")
