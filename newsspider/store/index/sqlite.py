"""The search index of SQLite: an FTS5 table without contents (https://www.sqlite.org/fts5.html)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection

from newsspider.core.query.tree import All, Either, Every, Near, Node, Not, Text, Value
from newsspider.core.text.search_tokens import IN_BODY, IN_TITLE, is_run, pairs, token_text, tokens
from newsspider.store.engine.statement import Statement
from newsspider.store.index.backend import Choice, Entry
from newsspider.store.index.contents import EVERY, Content

SLOTS = 16  # numbers a second
MOST_SPREAD = 86_400  # seconds: an entry stands at most so long after its moment

_PLACES = {"": (IN_TITLE, IN_BODY), "title": (IN_TITLE,), "body": (IN_BODY,)}
_COLUMNS = {"": "{title body}", "title": "title", "body": "body"}

_VALUES = "(:id, :title, :body, :meta)"
_ADD = Statement(f"INSERT INTO search_index (rowid, title, body, meta) VALUES {_VALUES}")
_REMOVE = Statement(
    "INSERT INTO search_index (search_index, rowid, title, body, meta) VALUES ('delete', :id, :title, :body, :meta)"
)
_MERGE = Statement("INSERT INTO search_index (search_index) VALUES ('optimize')")
_ENTRIES = "FROM search_index f CROSS JOIN search_entries e ON e.id = f.rowid WHERE search_index MATCH :match"


class Fts5Index:
    """The numbers of the entries are the rowids, so the newest come first without sorting."""

    numbers_by_moment = True

    def add(self, conn: Connection, entry: int, content: Content) -> None:
        """Index an entry."""
        _ADD.change(conn, _row(entry, content))

    def remove(self, conn: Connection, entry: int, content: Content) -> None:
        """Take an entry with this content out."""
        _REMOVE.change(conn, _row(entry, content))

    def merge(self, conn: Connection) -> None:
        """Join the parts of the index into one."""
        _MERGE.change(conn, {})

    def newest(self, conn: Connection, choice: Choice, limit: int) -> list[Entry]:
        """The entries that are asked for, at most so many, the latest first."""
        conditions, values = _conditions(choice)
        sql = f"SELECT e.id, e.article_id, e.revision_id, e.moment {_ENTRIES}{conditions}"
        rows = Statement(f"{sql} ORDER BY f.rowid DESC LIMIT :most").run(conn, values | {"most": limit})
        return [Entry(*row) for row in rows]

    def count(self, conn: Connection, choice: Choice, most: int) -> int:
        """How many entries are asked for; at most so many are counted."""
        conditions, values = _conditions(choice)
        sql = f"SELECT count(*) FROM (SELECT 1 {_ENTRIES}{conditions} ORDER BY f.rowid DESC LIMIT :most)"
        return int(Statement(sql).run(conn, values | {"most": most}).scalar())


INDEX = Fts5Index()


def _row(entry: int, content: Content) -> dict[str, Any]:
    meta = " ".join(content.meta())
    return {"id": entry, "title": token_text(content.title), "body": token_text(content.body), "meta": meta}


def _conditions(choice: Choice) -> tuple[str, dict[str, Any]]:
    conditions = [] if choice.revisions else ["e.article_id IS NOT NULL"]
    values: dict[str, Any] = {"match": match(choice.wanted)}
    bounds = []  # of the numbers, from above
    if choice.since is not None:
        conditions += ["f.rowid >= :low", "e.moment >= :since"]
        values |= {"low": choice.since * SLOTS, "since": choice.since}
    if choice.until is not None:
        conditions.append("e.moment < :until")
        values["until"] = choice.until
        bounds.append((choice.until + MOST_SPREAD) * SLOTS)
    if choice.before is not None:
        bounds.append(choice.before.id)
    if bounds:
        conditions.append("f.rowid < :high")
        values["high"] = min(bounds)
    if choice.after_article is not None:
        conditions.append("e.article_id > :after")
        values["after"] = choice.after_article
    return "".join(f" AND {condition}" for condition in conditions), values


def match(node: Node) -> str:
    """The query as FTS5 reads it.

    >>> match(All((Text(("新高考",)), Not(Text(("gre",), "title")))))
    '({title body} : "新高 高考") NOT ((title : "gre"))'
    """
    if isinstance(node, Text):
        return _text(node)
    if isinstance(node, Value):
        return f'meta : "{node.token}"'
    if isinstance(node, Every):
        return f'meta : "{EVERY}"'
    if isinstance(node, Either):
        return " OR ".join(f"({match(side)})" for side in node.sides)
    if isinstance(node, Not):
        return match(All((node,)))
    assert not isinstance(node, Near)
    positive = [side for side in node.sides if not isinstance(side, Not)] or [Every()]
    negative = [side.inner for side in node.sides if isinstance(side, Not)]
    both = " AND ".join(f"({match(side)})" for side in positive)
    if not negative:
        return both
    return f"{both if len(positive) == 1 else f'({both})'} NOT ({' OR '.join(f'({match(side)})' for side in negative)})"


def _text(node: Text) -> str:
    *inner, last = node.units
    if not inner and is_run(last) and len(last) == 1:
        return f"meta : ({' OR '.join(_quoted([place + last]) for place in _PLACES[node.field])})"
    ending = pairs(last) if is_run(last) else [last]
    star = " *" if node.prefix or not ending else ""
    return f"{_COLUMNS[node.field]} : {_quoted(tokens(inner) + (ending or [last]))}{star}"


def _quoted(phrase: Sequence[str]) -> str:
    return f'"{" ".join(phrase)}"'
