"""The full-text index of PostgreSQL: a GIN index over the tokens of each entry, and the units that decide on phrases.

Vectors have no positions here, because PostgreSQL keeps too few of them. Their tokens say which entries may contain a
phrase; phrases longer than two characters are then compared with the units.

A GIN index is unordered, and reading a vector costs more than finding it. So no vector is read, and only as many of the
newest entries are searched as contain enough hits: a vector also has a token for the period of each of the
:data:`PERIOD_HOURS` in which its entry lies, from an hour to half a year, so that a few of them stand for any window of
time. Entries that the tokens do not decide are tested, the newest first, up to a number that takes about half a second.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from itertools import accumulate, count
from typing import Any, NamedTuple

from sqlalchemy import Connection

from newsspider.core.caching import bounded_cache
from newsspider.core.query.query_tree import All, Either, Every, Near, Node, Not, Text, Value, widen_query
from newsspider.core.text.tokenizer import (
    PLACES,
    character_pairs,
    fields_of,
    index_tokens,
    is_run,
    join_units,
    phrase_string,
)
from newsspider.store.engine.statement import Statement, pipelined
from newsspider.store.index.backend import Choice, Newest, SearchEntry
from newsspider.store.index.contents import Content

LONG = "long"  # a token of entries with more tokens than a vector holds; they are decided by their units alone
MOST_BYTES = 900_000  # of the tokens of a vector, which takes 1 MiB at most
LAST_MOMENT = 2**62  # a moment after all others
HOUR_SECONDS = 3_600
PERIOD_HOURS = (1, 8, 64, 512, 4_096)  # hours: an entry has a token for that of each length in which it was published
MOST_PERIODS = 16  # such tokens in a query: the index compares each of them
LEAST_WINDOW = 500  # newest entries that are searched first
MOST_WINDOWS = 4  # that are searched before all entries are
MOST_TESTED = 20_000  # entries whose units are read in one search

_ADD = Statement(
    f"INSERT INTO search_vectors (id, article_id, revision_id, moment, is_long, tokens, {', '.join(PLACES)})"
    " SELECT id, article_id, revision_id, moment, :is_long, array_to_tsvector(string_to_array(:tokens, ' ')),"
    f" {', '.join(f':{field}' for field in PLACES)} FROM search_entries WHERE id = :id"
)
_REMOVE = Statement("DELETE FROM search_vectors WHERE id = :id")
# The planner does not know the cost of reading vectors, which are stored outside their rows (TOAST).
_BY_INDEX = Statement("SELECT set_config('enable_seqscan', :on, true), set_config('jit', 'off', true)")
# moments of the newest entries; the last two say how often one comes: the very newest may be dated a day ahead
_MOMENTS = Statement(
    "SELECT"
    " (SELECT min(moment) FROM search_entries WHERE moment < :until) AS oldest,"
    " (SELECT max(moment) FROM search_entries WHERE moment < :until) AS newest,"
    " (SELECT moment FROM search_entries WHERE moment < :until ORDER BY moment DESC OFFSET :half LIMIT 1) AS middle,"
    " (SELECT moment FROM search_entries WHERE moment < :until ORDER BY moment DESC OFFSET :count LIMIT 1) AS first"
)
_ENTRY = "id, article_id, revision_id, moment"
_NEWEST = f"SELECT {_ENTRY} FROM {{table}} s WHERE {{bounds}} ORDER BY moment DESC, id DESC LIMIT :most"
_HITS = f"WITH hits AS MATERIALIZED ({_NEWEST})"
# with the last entry that may be tested, though it be no hit
_TESTED = f"""
SELECT {_ENTRY}, CASE WHEN place = :tested THEN {{tested}} ELSE true END AS is_hit, place = :tested AS is_last
FROM (
    SELECT {_ENTRY}, row_number() OVER (ORDER BY moment DESC, id DESC) AS place
    FROM {{table}} s WHERE {{bounds}} ORDER BY moment DESC, id DESC LIMIT :tested
) s WHERE {{tested}} OR place = :tested ORDER BY moment DESC, id DESC LIMIT :most
"""


class GinIndex:
    """The index of PostgreSQL; its entries are numbered in the order of indexing."""

    numbers_by_moment = False

    def add(self, conn: Connection, contents: Mapping[int, Content]) -> None:
        """Index entries."""
        _ADD.change_many(conn, [_row(entry, content) for entry, content in contents.items()])

    def remove(self, conn: Connection, entry: int, content: Content) -> None:
        """Remove an entry."""
        _REMOVE.change(conn, {"id": entry})

    def merge(self, conn: Connection, *, begin: bool) -> bool:
        """Move the pending list into the index, all at once, as autovacuum also does."""
        Statement("SELECT gin_clean_pending_list('ix_search_vectors_tokens')").run(conn, {})
        return False

    def newest(self, conn: Connection, choice: Choice, limit: int) -> Newest:
        """The newest matching entries, at most ``limit``."""
        question = _question(choice)
        if question.tokens is None:
            return _run(conn, question, limit)
        until = LAST_MOMENT if choice.until is None else choice.until
        if choice.behind is not None:
            until = min(until, choice.behind.moment + 1)
        count = max(2 * limit, LEAST_WINDOW)
        moments = _MOMENTS.run(conn, {"until": until, "half": count // 2, "count": count}).one()
        since = moments.oldest if choice.since is None else choice.since
        if moments.newest is None or since > moments.newest:
            return Newest([])
        newest = None if moments.first is None else _of_windows(conn, question, limit, count, moments, since)
        if newest is not None:
            return newest
        return _run(conn, question, limit, "" if choice.since is None else _periods(since, moments.newest)[0])

    def aggregate(self, conn: Connection, choice: Choice, limit: int, query: str) -> list[tuple[Any, ...]] | None:
        """The rows of a query over the newest matching entries, which are ``hits (article_id, moment)``."""
        question = _question(choice)
        if question.tested or "!" in (question.tokens or ""):
            return None
        table, bounds, values = _searched(question)
        return _by_index(conn, _statement(f"{_HITS} {query}", table, bounds, ""), values | {"most": limit})


INDEX = GinIndex()


class _Question(NamedTuple):
    """A choice as SQL: the tokens to search the index for, ``None`` for everything; conditions on the columns of an
    entry; conditions that are tested entry by entry; and their values."""

    tokens: str | None
    bounds: tuple[str, ...]
    tested: tuple[str, ...]
    values: dict[str, Any]


def _of_windows(
    conn: Connection, question: _Question, limit: int, count: int, moments: Any, since: int
) -> Newest | None:
    """The newest hits, if a window has enough of them; the first has this many entries. ``None`` where searching all
    entries since then takes as long."""
    latest, begin = 2 * moments.middle - moments.first, moments.first
    for _ in range(MOST_WINDOWS):
        periods, begin = _periods(begin, moments.newest)
        if not periods or begin <= since:
            return None
        newest = _run(conn, question, limit, periods)
        hits = len(newest.entries)
        if hits == limit or newest.tested_last is not None:
            return newest
        span = max(latest - begin, HOUR_SECONDS)
        if (hits + 1) * (latest - since) < count * span:
            return None
        begin = latest - 3 * span * limit // (2 * hits + 1)
    return None


def _run(conn: Connection, question: _Question, limit: int, periods: str = "") -> Newest:
    """The newest hits, of these periods if there are some."""
    table, bounds, values = _searched(question, periods)
    tested = question.tested
    values |= {"most": limit, "tested": MOST_TESTED if tested else None}
    if "!" in (question.tokens or ""):  # while GIN's pending list is cleaned, NOT has false hits
        tested = (*tested, _tested("f.tokens @@ CAST(:tokens AS tsquery)"))
    sql = _TESTED if tested else _NEWEST
    rows = _by_index(conn, _statement(sql, table, bounds, " AND ".join(tested)), values)
    if not tested:
        return Newest(list(map(SearchEntry._make, rows)))
    entries = [SearchEntry._make(entry) for *entry, is_hit, _ in rows if is_hit]
    is_cut = len(entries) < limit and rows and rows[-1][-1]
    return Newest(entries, SearchEntry._make(rows[-1][:4]) if is_cut else None)


def _searched(question: _Question, periods: str = "") -> tuple[str, str, dict[str, Any]]:
    """The table to search, the conditions on its rows, and their values."""
    if question.tokens is None:
        return "search_entries", " AND ".join(question.bounds) or "true", question.values
    tokens = f"({question.tokens}) & ({periods})" if periods else question.tokens
    bounds = " AND ".join(("tokens @@ CAST(:tokens AS tsquery)", *question.bounds))
    return "search_vectors", bounds, question.values | {"tokens": tokens}


def _by_index(conn: Connection, statement: Statement, values: dict[str, Any]) -> list[tuple[Any, ...]]:
    with pipelined(conn):
        _BY_INDEX.change(conn, {"on": "off"})
        rows = statement.bare(conn, values)
        _BY_INDEX.change(conn, {"on": "on"})
    return rows


@bounded_cache(32)  # cache: statements of the search, by their conditions
def _statement(sql: str, table: str, bounds: str, tested: str) -> Statement:
    return Statement(sql.format(table=table, bounds=bounds, tested=tested))


def _periods(first: int, last: int) -> tuple[str, int]:
    """A query for the tokens of the shortest periods that hold the entries between two moments, and when these periods
    begin; empty if there are too many.

    >>> _periods(1_750_000_000, 1_750_006_000)
    ("'h1=486111' | 'h1=486112'", 1749999600)
    """
    for hours in PERIOD_HOURS:
        length = hours * HOUR_SECONDS
        numbers = range(first // length, last // length + 1)
        if len(numbers) <= MOST_PERIODS:
            return " | ".join(f"'h{hours}={number}'" for number in numbers), numbers[0] * length
    return "", first


def _row(entry: int, content: Content) -> dict[str, Any]:
    texts = {field: join_units(content.texts.get(field, ())) for field in PLACES}
    fitting = _fitting(content)
    # tokens are one text: the driver takes a millisecond to write them as an array
    return {"id": entry, "is_long": fitting[-1] == LONG, "tokens": " ".join(fitting), **texts}


def _fitting(content: Content) -> list[str]:
    """The tokens of an entry, with :data:`LONG` in place of those that do not fit in a vector."""
    entry_tokens = [f"h{hours}={content.moment // (hours * HOUR_SECONDS)}" for hours in PERIOD_HOURS] + content.meta()
    for field, text_units in content.texts.items():
        place = PLACES[field]
        entry_tokens += [place + token for token in index_tokens(text_units)]
    fitting = list(dict.fromkeys(entry_tokens))
    if len(entry_tokens) * 4 + sum(map(len, entry_tokens)) * 4 <= MOST_BYTES:  # a character has 4 bytes at most
        return fitting
    ends = list(accumulate(len(token.encode()) + 4 for token in fitting))
    fits = bisect_right(ends, MOST_BYTES)
    return fitting if fits == len(fitting) else [*fitting[:fits], LONG]


def _question(choice: Choice) -> _Question:
    names, values = count(), dict[str, Any]()

    def name(value: Any) -> str:
        values[key := f"v{next(names)}"] = value
        return f":{key}"

    tested: list[str] = []
    bounds = [] if choice.revisions else ["article_id IS NOT NULL"]
    node = widen_query(choice.wanted)
    query, exact = may_match(node)
    if query is not None:
        query = f"({query}) | '{LONG}'"
        if exact:
            bounds.append(f"(NOT is_long OR {_tested(_matches(node, name))})")
        else:
            short, full = _matches(_undecided(node), name), _matches(node, name)
            tested.append(_tested(f"CASE WHEN f.is_long THEN {full} ELSE {short} END"))
    elif not exact:
        tested.append(_tested(_matches(node, name)))
    if choice.since is not None:
        bounds.append(f"moment >= {name(choice.since)}")
    if choice.until is not None:
        bounds.append(f"moment < {name(choice.until)}")
    if choice.after_article is not None:
        bounds.append(f"article_id > {name(choice.after_article)}")
    if choice.known_article is not None:
        bounds.append(f"(article_id IS NULL OR article_id <= {name(choice.known_article)})")
    if choice.behind is not None:
        bounds.append(f"(moment, id) < ({name(choice.behind.moment)}, {name(choice.behind.id)})")
    if choice.after_entry is not None:
        last, gaps = choice.after_entry
        listed = "".join(f" OR id BETWEEN {name(first)} AND {name(end)}" for first, end in gaps)
        bounds.append(f"(id > {name(last)}{listed})")
    return _Question(query, tuple(bounds), tuple(tested), values)


def _tested(condition: str) -> str:
    """A condition on the row of an entry, which is read only when the entry is tested."""
    return f"(SELECT {condition} FROM search_vectors f WHERE f.id = s.id)"


def _undecided(node: Node) -> Node:
    """The part of a node that the tokens of an entry do not decide."""
    if not isinstance(node, All):
        return node
    return All(tuple(part for part in node.sides if not may_match(part)[1]))


def may_match(node: Node) -> tuple[str | None, bool]:
    """A query of tokens that finds at least what the node matches (``None``: everything), and whether it finds nothing
    else.

    >>> may_match(All((Text(("新高考",), "title"), Not(Text(("gre",))))))
    ("(('2新高' & '2高考')) & (!('2gre' | '1gre'))", False)
    """
    if isinstance(node, Text):
        queries = [" & ".join(_tokens(PLACES[field], node)) for field in fields_of(node.field)]
        exact = len(node.units) == 1 and (not is_run(node.units[0]) or len(node.units[0]) <= 2)
        return " | ".join(f"({query})" if "&" in query else query for query in queries), exact
    if isinstance(node, Value):
        return _quoted(node), True
    if isinstance(node, Every):
        return None, True
    if isinstance(node, Not):
        query, exact = may_match(node.inner)
        return (f"!({query})", True) if exact and query is not None else (None, False)
    assert not isinstance(node, Near)
    parts = [may_match(part) for part in node.sides]
    exact = all(exact for _, exact in parts)
    queries = [_grouped(query) for query, _ in parts if query is not None]
    if isinstance(node, Either):
        return (None if len(queries) < len(parts) else " | ".join(queries)), exact
    return " & ".join(queries) or None, exact


def _grouped(query: str) -> str:
    return f"({query})" if " " in query else query


def _tokens(place: str, node: Text) -> list[str]:
    tokens_of_units = [
        token for unit in node.units for token in ((character_pairs(unit) or [unit]) if is_run(unit) else [unit])
    ]
    quoted = [f"'{place}{token}'" for token in tokens_of_units]
    if node.prefix:
        quoted[-1] += ":*"
    return quoted


def _matches(node: Node, name: Any) -> str:
    """The SQL condition that the units and fields of an entry match the node."""
    if isinstance(node, Text):
        pattern = name(f"%{phrase_string(node.units, prefix=node.prefix)}%")  # units have no wildcards of LIKE
        return f"({' OR '.join(f'f.{column} LIKE {pattern}' for column in fields_of(node.field))})"
    if isinstance(node, Value):
        return f"f.tokens @@ CAST({name(_quoted(node))} AS tsquery)"
    if isinstance(node, Every):
        return "true"
    if isinstance(node, Not):
        return f"NOT ({_matches(node.inner, name)})"
    assert isinstance(node, All | Either)
    operator = " AND " if isinstance(node, All) else " OR "
    return f"({operator.join(_matches(part, name) for part in node.sides)})"


def _quoted(node: Value) -> str:
    return f"'{node.token}'"
