"""The search index of PostgreSQL: a GIN index over the tokens of each entry, and the units that decide on phrases.

A vector has no positions here: PostgreSQL keeps too few of them. Its tokens say which entries may have a phrase; of
phrases longer than two characters the units decide.
"""

from __future__ import annotations

from itertools import chain, count
from typing import Any

from sqlalchemy import Connection

from newsspider.core.caching import bounded_cache
from newsspider.core.query.tree import All, Either, Every, Near, Node, Not, Text, Value, widened
from newsspider.core.text.search_tokens import PLACES, fields_of, is_run, joined, pairs, phrase, tokens
from newsspider.store.engine.statement import Statement
from newsspider.store.index.backend import Choice, Entry
from newsspider.store.index.contents import Content

LONG = "long"  # a token of entries that have more tokens than a vector holds: their units decide on everything
MOST_BYTES = 900_000  # of the tokens of a vector, which takes 1 MiB at most

_ADD = Statement(
    f"INSERT INTO search_vectors (id, tokens, {', '.join(PLACES)})"
    f" VALUES (:id, array_to_tsvector(CAST(:tokens AS _text)), {', '.join(f':{field}' for field in PLACES)})"
)
_REMOVE = Statement("DELETE FROM search_vectors WHERE id = :id")
_ENTRIES = "FROM search_vectors f JOIN search_entries e ON e.id = f.id WHERE "


class GinIndex:
    """The numbers of the entries are in the order of indexing."""

    numbers_by_moment = False

    def add(self, conn: Connection, entry: int, content: Content) -> None:
        """Index an entry."""
        texts = {field: joined(content.texts.get(field, ())) for field in PLACES}
        _ADD.change(conn, {"id": entry, "tokens": _fitting(content), **texts})

    def remove(self, conn: Connection, entry: int, content: Content) -> None:
        """Take an entry out."""
        _REMOVE.change(conn, {"id": entry})

    def merge(self, conn: Connection, *, begin: bool) -> bool:
        """Move what was added lately into the index, all at once; autovacuum does so, too."""
        Statement("SELECT gin_clean_pending_list('ix_search_vectors_tokens')").run(conn, {})
        return False

    def newest(self, conn: Connection, choice: Choice, limit: int) -> list[Entry]:
        """The entries that are asked for, at most so many, the latest first."""
        conditions, values = _conditions(choice)
        return list(map(Entry._make, _newest(conditions).bare(conn, values | {"most": limit})))


INDEX = GinIndex()


@bounded_cache(32)  # cache: statements of the search, by their conditions
def _newest(conditions: str) -> Statement:
    sql = f"SELECT e.id, e.article_id, e.revision_id, e.moment {_ENTRIES}{conditions}"
    return Statement(f"{sql} ORDER BY e.moment DESC, e.id DESC LIMIT :most")


def _fitting(content: Content) -> list[str]:
    """The tokens, as far as a vector holds them."""
    several = (PLACES[field] + token for field, text_units in content.texts.items() for token in tokens(text_units))
    size = 0
    fitting: list[str] = []
    for token in dict.fromkeys(chain(content.meta(), several)):
        size += len(token.encode()) + 4
        if size > MOST_BYTES:
            return [*fitting, LONG]
        fitting.append(token)
    return fitting


def _conditions(choice: Choice) -> tuple[str, dict[str, Any]]:
    names, values = count(), dict[str, Any]()

    def name(value: Any) -> str:
        values[key := f"v{next(names)}"] = value
        return f":{key}"

    conditions = [] if choice.revisions else ["e.article_id IS NOT NULL"]
    wanted = widened(choice.wanted)
    query, exact = may_match(wanted)
    if query is not None:
        indexed = f"f.tokens @@ CAST({name(query)} AS tsquery)"
        long = f"f.tokens @@ CAST({name(LONG)} AS tsquery)"
        decided = _matches(wanted, name)
        conditions.append(f"({indexed} OR {long}) AND ({f'{indexed} AND NOT {long} OR ' if exact else ''}{decided})")
    elif not exact:
        conditions.append(_matches(wanted, name))
    if choice.since is not None:
        conditions.append(f"e.moment >= {name(choice.since)}")
    if choice.until is not None:
        conditions.append(f"e.moment < {name(choice.until)}")
    if choice.after_article is not None:
        conditions.append(f"e.article_id > {name(choice.after_article)}")
    if choice.known_article is not None:
        conditions.append(f"(e.article_id IS NULL OR e.article_id <= {name(choice.known_article)})")
    if choice.behind is not None:
        conditions.append(f"(e.moment, e.id) < ({name(choice.behind.moment)}, {name(choice.behind.id)})")
    if choice.after_entry is not None:
        last, gaps = choice.after_entry
        listed = "".join(f" OR e.id BETWEEN {name(first)} AND {name(end)}" for first, end in gaps)
        conditions.append(f"(e.id > {name(last)}{listed})")
    return " AND ".join(conditions) or "true", values


def may_match(node: Node) -> tuple[str | None, bool]:
    """A query of tokens that finds at least what the node matches, ``None`` for everything, and whether it finds
    nothing else.

    >>> may_match(All((Text(("新高考",), "title"), Not(Text(("gre",))))))
    ("(('2新高' & '2高考')) & !('2gre' | '1gre')", False)
    """
    if isinstance(node, Text):
        several = [" & ".join(_tokens(place, node)) for place in map(PLACES.__getitem__, fields_of(node.field))]
        exact = len(node.units) == 1 and (not is_run(node.units[0]) or len(node.units[0]) <= 2)
        return " | ".join(f"({side})" if "&" in side else side for side in several), exact
    if isinstance(node, Value):
        return _quoted(node), True
    if isinstance(node, Every):
        return None, True
    if isinstance(node, Not):
        query, exact = may_match(node.inner)
        return (f"!({query})", True) if exact and query is not None else (None, False)
    assert not isinstance(node, Near)
    sides = [may_match(side) for side in node.sides]
    exact = all(exact for _, exact in sides)
    queries = [_grouped(query) for query, _ in sides if query is not None]
    if isinstance(node, Either):
        return (None if len(queries) < len(sides) else " | ".join(queries)), exact
    return " & ".join(queries) or None, exact


def _grouped(query: str) -> str:
    return f"({query})" if " " in query and not query.startswith("!(") else query


def _tokens(place: str, node: Text) -> list[str]:
    several = [token for unit in node.units for token in ((pairs(unit) or [unit]) if is_run(unit) else [unit])]
    quoted = [f"'{place}{token}'" for token in several]
    if node.prefix:
        quoted[-1] += ":*"
    return quoted


def _matches(node: Node, name: Any) -> str:
    """Whether the units and fields of an entry are what is asked for, as SQL."""
    if isinstance(node, Text):
        pattern = name(f"%{phrase(node.units, prefix=node.prefix)}%")  # units have no character that LIKE knows
        return f"({' OR '.join(f'f.{column} LIKE {pattern}' for column in fields_of(node.field))})"
    if isinstance(node, Value):
        return f"f.tokens @@ CAST({name(_quoted(node))} AS tsquery)"
    if isinstance(node, Every):
        return "true"
    if isinstance(node, Not):
        return f"NOT ({_matches(node.inner, name)})"
    assert isinstance(node, All | Either)
    operator = " AND " if isinstance(node, All) else " OR "
    return f"({operator.join(_matches(side, name) for side in node.sides)})"


def _quoted(node: Value) -> str:
    return f"'{node.token}'"
