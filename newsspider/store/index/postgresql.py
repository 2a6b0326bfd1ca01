"""The full-text index of PostgreSQL: a GIN index over the tokens of each entry, and the units that decide on phrases.

Vectors have no positions here, because PostgreSQL keeps too few of them. Their tokens say which entries may contain a
phrase; phrases longer than two characters are then compared with the units.

A GIN index is unordered, and reading a vector costs more than finding it. So no vector is read. For frequent words only
as many of the newest entries are searched as contain enough hits: the hour and the day of an entry are tokens of its
vector, too. Entries that the tokens do not decide are tested, the newest first, up to a number that takes about half a
second.
"""

from __future__ import annotations

from itertools import chain, count
from typing import Any, NamedTuple

from sqlalchemy import Connection

from newsspider.core.caching import bounded_cache
from newsspider.core.query.tree import All, Either, Every, Near, Node, Not, Text, Value, widened
from newsspider.core.text.tokenizer import PLACES, fields_of, is_run, joined, pairs, phrase, tokens
from newsspider.store.engine.statement import Statement, pipelined
from newsspider.store.index.backend import Choice, Entry, Newest
from newsspider.store.index.contents import Content

LONG = "long"  # a token of entries with more tokens than a vector holds; they are decided by their units alone
MOST_BYTES = 900_000  # of the tokens of a vector, which takes 1 MiB at most
LAST_MOMENT = 2**62  # a moment after all others
PERIODS = (("hour", 3_600), ("day", 86_400))  # the tokens for the moment of an entry
MOST_PERIODS = 64  # such tokens in a query: the index compares each of them
LEAST_WINDOW = 500  # newest entries that are searched first
MOST_TESTED = 20_000  # entries whose units are read in one search
WORTH = 1.4  # a window of this many times the expected hits among all entries takes as long as searching all

_ADD = Statement(
    f"INSERT INTO search_vectors (id, moment, is_long, tokens, {', '.join(PLACES)}) VALUES (:id, :moment, :is_long,"
    f" array_to_tsvector(CAST(:tokens AS _text)), {', '.join(f':{field}' for field in PLACES)})"
)
_REMOVE = Statement("DELETE FROM search_vectors WHERE id = :id")
# The planner does not know the cost of reading vectors, which are stored outside their rows (TOAST).
_BY_INDEX = Statement("SELECT set_config('enable_seqscan', :on, true), set_config('jit', 'off', true)")
_WINDOW = Statement(
    """
    SELECT min(moment) AS first, max(moment) AS last, count(*) AS entries,
           (SELECT max(id) FROM search_entries) AS last_id
    FROM (SELECT moment FROM search_entries WHERE moment < :until ORDER BY moment DESC LIMIT :count) AS newest
    """
)
_NEWEST = """
SELECT e.id, e.article_id, e.revision_id, e.moment
FROM (SELECT * FROM {table} WHERE {inner} ORDER BY moment DESC, id DESC LIMIT :tested) s
CROSS JOIN LATERAL (SELECT * FROM search_entries WHERE id = s.id OFFSET 0) e
WHERE {outer} ORDER BY s.moment DESC, s.id DESC LIMIT :most
"""
_TESTED_LAST = """
SELECT id, NULL, NULL, moment FROM {table} WHERE {inner}
ORDER BY moment DESC, id DESC LIMIT 1 OFFSET :tested - 1
"""


class GinIndex:
    """The index of PostgreSQL; its entries are numbered in the order of indexing."""

    numbers_by_moment = False

    def add(self, conn: Connection, entry: int, content: Content) -> None:
        """Index an entry."""
        texts = {field: joined(content.texts.get(field, ())) for field in PLACES}
        fitting = _fitting(content)
        values = {"id": entry, "moment": content.moment, "is_long": fitting[-1] == LONG, "tokens": fitting}
        _ADD.change(conn, values | texts)

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
            return _run(conn, question, limit, None)
        size, until = max(2 * limit, LEAST_WINDOW), choice.until or LAST_MOMENT
        if choice.behind is not None:
            until = min(until, choice.behind.moment + 1)
        window = _WINDOW.run(conn, {"until": until, "count": size}).one()
        while window.entries == size and _periods(window.first, window.last):
            newest = _run(conn, question, limit, (window.first, window.last))
            hits = len(newest.entries)
            if hits == limit or newest.tested_last is not None:
                return newest
            last_size, size = size, 3 * size * limit // (2 * hits + 1)
            if size > WORTH * window.last_id * hits / last_size:
                break
            window = _WINDOW.run(conn, {"until": until, "count": size}).one()
        return _run(conn, question, limit, None)


INDEX = GinIndex()


class _Question(NamedTuple):
    """A choice as SQL: the tokens to search the index for, ``None`` for everything; conditions on the moment and number
    of an entry; conditions that are tested entry by entry; and their values."""

    tokens: str | None
    bounds: tuple[str, ...]
    tested: tuple[str, ...]
    values: dict[str, Any]
    reads_units: bool  # testing an entry reads its units


def _run(conn: Connection, question: _Question, limit: int, window: tuple[int, int] | None) -> Newest:
    """The newest hits, within the window if there is one."""
    most_tested = MOST_TESTED if question.reads_units else None
    bounds, values = question.bounds, question.values | {"most": limit, "tested": most_tested}
    if question.tokens is not None:
        bounds = ("tokens @@ CAST(:tokens AS tsquery)", *bounds)
        values["tokens"] = question.tokens
    if window is not None:
        values |= {"first": window[0], "tokens": f"({question.tokens}) & ({_periods(*window)})"}
        bounds = (*bounds, "moment >= :first")
    tested = question.tested
    if "!" in (question.tokens or ""):  # while GIN's pending list is cleaned, NOT has false hits
        tested = (*tested, _tested("f.tokens @@ CAST(:tokens AS tsquery)"))
    table = "search_entries" if question.tokens is None else "search_vectors"
    inner, outer = " AND ".join(bounds) or "true", " AND ".join(tested) or "true"
    entries = _by_index(conn, _statement(_NEWEST, table, inner, outer), values)
    if not question.reads_units or len(entries) == limit:
        return Newest(entries)
    return Newest(entries, next(iter(_by_index(conn, _statement(_TESTED_LAST, table, inner), values)), None))


def _by_index(conn: Connection, statement: Statement, values: dict[str, Any]) -> list[Entry]:
    with pipelined(conn):
        _BY_INDEX.change(conn, {"on": "off"})
        rows = statement.bare(conn, values)
        _BY_INDEX.change(conn, {"on": "on"})
    return list(map(Entry._make, rows))


@bounded_cache(32)  # cache: statements of the search, by their conditions
def _statement(sql: str, table: str, inner: str, outer: str = "") -> Statement:
    return Statement(sql.format(table=table, inner=inner, outer=outer))


def _periods(first: int, last: int) -> str:
    """A query for the tokens of the entries between two moments; empty if there are too many.

    >>> _periods(1_750_000_000, 1_750_006_000)
    "'hour486111' | 'hour486112'"
    """
    for name, length in PERIODS:
        numbers = range(first // length, last // length + 1)
        if len(numbers) <= MOST_PERIODS:
            return " | ".join(f"'{name}{number}'" for number in numbers)
    return ""


def _fitting(content: Content) -> list[str]:
    """The tokens of an entry, with :data:`LONG` in place of those that do not fit in a vector."""
    text_tokens = (PLACES[field] + token for field, text_units in content.texts.items() for token in tokens(text_units))
    size = 0
    fitting: list[str] = []
    moments = (f"{name}{content.moment // length}" for name, length in PERIODS)
    for token in dict.fromkeys(chain(moments, content.meta(), text_tokens)):
        size += len(token.encode()) + 4
        if size > MOST_BYTES:
            return [*fitting, LONG]
        fitting.append(token)
    return fitting


def _question(choice: Choice) -> _Question:
    names, values = count(), dict[str, Any]()

    def name(value: Any) -> str:
        values[key := f"v{next(names)}"] = value
        return f":{key}"

    bounds: list[str] = []
    tested = [] if choice.revisions else ["e.article_id IS NOT NULL"]
    node = widened(choice.wanted)
    query, exact = may_match(node)
    if query is not None:
        query = f"({query}) | '{LONG}'"
        if exact:
            tested.append(f"(NOT s.is_long OR {_tested(_matches(node, name))})")
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
        tested.append(f"e.article_id > {name(choice.after_article)}")
    if choice.known_article is not None:
        tested.append(f"(e.article_id IS NULL OR e.article_id <= {name(choice.known_article)})")
    if choice.behind is not None:
        bounds.append(f"(moment, id) < ({name(choice.behind.moment)}, {name(choice.behind.id)})")
    if choice.after_entry is not None:
        last, gaps = choice.after_entry
        listed = "".join(f" OR id BETWEEN {name(first)} AND {name(end)}" for first, end in gaps)
        bounds.append(f"(id > {name(last)}{listed})")
    return _Question(query, tuple(bounds), tuple(tested), values, not exact)


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
    tokens_of_units = [token for unit in node.units for token in ((pairs(unit) or [unit]) if is_run(unit) else [unit])]
    quoted = [f"'{place}{token}'" for token in tokens_of_units]
    if node.prefix:
        quoted[-1] += ":*"
    return quoted


def _matches(node: Node, name: Any) -> str:
    """The SQL condition that the units and fields of an entry match the node."""
    if isinstance(node, Text):
        pattern = name(f"%{phrase(node.units, prefix=node.prefix)}%")  # units have no wildcards of LIKE
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
