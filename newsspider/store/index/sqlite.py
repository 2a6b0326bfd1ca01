"""The full-text index of SQLite: an FTS5 table without contents (https://www.sqlite.org/fts5.html).

A title is indexed twice: with the tokens of every text, and with tokens that only titles have. The posting lists of the
latter are so short that titles with several frequent words are found at once, however few there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any

from sqlalchemy import Connection

from newsspider.core.caching import bounded_cache
from newsspider.core.query.query_tree import All, Either, Every, Near, Node, Not, Text, Value, alternatives, widen_query
from newsspider.core.text.tokenizer import PLACES, character_pairs, fields_of, index_tokens, is_run, token_text
from newsspider.store.engine.statement import Statement
from newsspider.store.index.backend import Choice, Newest, SearchEntry
from newsspider.store.index.contents import EVERY, Content

SLOTS_A_SECOND = 16  # entry numbers for each second
MOST_SPREAD = 86_400  # seconds by which the number of an entry may be late
MOST_PAIRS = 16  # pairs of phrases in one NEAR query
MERGED_PAGES = 500  # of 4 kB, in one transaction
NONE = "none"  # a token that no entry has
TITLED = "＝"  # the prefix of the tokens that only titles have; no unit contains it, and no value begins with it

_WAITING = "search_index"  # the key of the waiting writes in ``Connection.info``
_NAMES = ("id", *PLACES, "meta")
_VALUES = ", ".join(f":{name}" for name in _NAMES)
_COLUMNS = f"rowid, {', '.join(_NAMES[1:])}"
_ADD = Statement(f"INSERT INTO search_index ({_COLUMNS}) VALUES ({_VALUES})")
_REMOVE = Statement(f"INSERT INTO search_index (search_index, {_COLUMNS}) VALUES ('delete', {_VALUES})")
_MERGE = Statement("INSERT INTO search_index (search_index, rank) VALUES ('merge', :pages)")
_ENTRIES = "FROM search_index f CROSS JOIN search_entries e ON e.id = f.rowid WHERE search_index MATCH :match"


class Fts5Index:
    """The index of SQLite; the numbers of the entries are the rowids, so the newest come first without sorting."""

    numbers_by_moment = True

    def add(self, conn: Connection, contents: Mapping[int, Content]) -> None:
        """Index entries."""
        for entry, content in contents.items():
            _write(conn, _ADD, _row(entry, content))

    def remove(self, conn: Connection, entry: int, content: Content) -> None:
        """Remove an entry with this content."""
        _write(conn, _REMOVE, _row(entry, content))

    def merge(self, conn: Connection, *, begin: bool) -> bool:
        """Merge some segments of the index; returns whether there is more to do."""
        file: Any = conn.connection.driver_connection
        changes_before = file.total_changes
        _MERGE.change(conn, {"pages": -MERGED_PAGES if begin else MERGED_PAGES})
        # as https://www.sqlite.org/fts5.html#the_merge_command says
        return bool(file.total_changes - changes_before >= 2)

    def newest(self, conn: Connection, choice: Choice, limit: int) -> Newest:
        """The newest matching entries, at most ``limit``."""
        conditions, values = _conditions(choice)
        return Newest(list(map(SearchEntry._make, _newest(conditions).bare(conn, values | {"most": limit}))))

    def aggregate(self, conn: Connection, choice: Choice, limit: int, query: str) -> list[tuple[Any, ...]] | None:
        """The rows of a query over the newest matching entries, which are ``hits (article_id, moment)``."""
        conditions, values = _conditions(choice)
        return _newest(conditions, query).bare(conn, values | {"most": limit})


INDEX = Fts5Index()


@contextmanager
def written_together(conn: Connection) -> Iterator[None]:
    """Write the entries added and removed inside the block at its end.

    FTS5 writes its pending entries as a segment at every savepoint, and SQLite makes one for each statement that
    changes several rows and may fail, such as an upsert. An article written at once would cost a segment and later its
    merge: a sixth of the writer's time for a page.
    """
    waiting: list[tuple[Statement, dict[str, Any]]] = []
    info = conn.info
    info[_WAITING] = waiting
    try:
        yield
    finally:
        info.pop(_WAITING, None)
    for statement, row in waiting:
        statement.change(conn, row)


def _write(conn: Connection, statement: Statement, row: dict[str, Any]) -> None:
    waiting: list[tuple[Statement, dict[str, Any]]] | None = conn.info.get(_WAITING)
    if waiting is None:
        statement.change(conn, row)
    else:
        waiting.append((statement, row))


@bounded_cache(32)  # cache: statements of the search, by their conditions
def _newest(conditions: str, query: str = "") -> Statement:
    columns = "e.article_id, e.moment" if query else "e.id, e.article_id, e.revision_id, e.moment"
    sql = f"SELECT {columns} {_ENTRIES}{conditions} ORDER BY f.rowid DESC LIMIT :most"
    return Statement(f"WITH hits AS MATERIALIZED ({sql}) {query}" if query else sql)


def _row(entry: int, content: Content) -> dict[str, Any]:
    texts = {field: token_text(text_units) for field, text_units in content.texts.items()}
    if title := texts.get("title"):
        texts["title"] = f"{title} {TITLED}{title.replace(' ', f' {TITLED}')}"
    return {**dict.fromkeys(PLACES, ""), **texts, "id": entry, "meta": " ".join(content.meta())}


def _conditions(choice: Choice) -> tuple[str, dict[str, Any]]:
    conditions = [] if choice.revisions else ["e.article_id IS NOT NULL"]
    values: dict[str, Any] = {"match": match(widen_query(choice.wanted, near=True))}
    if choice.since is not None:
        conditions += ["f.rowid >= :low", "e.moment >= :since"]
        values |= {"low": choice.since * SLOTS_A_SECOND, "since": choice.since}
    if choice.until is not None:
        conditions += ["f.rowid < :high", "e.moment < :until"]
        values |= {"high": (choice.until + MOST_SPREAD) * SLOTS_A_SECOND, "until": choice.until}
    if choice.after_article is not None:
        conditions.append("e.article_id > :after")
        values["after"] = choice.after_article
    if choice.known_article is not None:
        conditions.append("(e.article_id IS NULL OR e.article_id <= :known)")
        values["known"] = choice.known_article
    if choice.behind is not None:
        conditions.append("f.rowid < :behind")
        values["behind"] = choice.behind.id
    return "".join(f" AND {condition}" for condition in conditions), values


def match(node: Node) -> str:
    """The query in the syntax of FTS5.

    >>> match(All((Text(("新高考",)), Not(Text(("gre",), "title")))))
    '({title body} : "新高 高考") NOT (("＝gre"))'
    """
    if isinstance(node, Text):
        return _text(node)
    if isinstance(node, Value):
        return f'meta : "{node.token}"'
    if isinstance(node, Every):
        return f'meta : "{EVERY}"'
    if isinstance(node, Either):
        return " OR ".join(f"({match(part)})" for part in node.sides)
    if isinstance(node, Not):
        return match(All((node,)))
    if isinstance(node, Near):
        return _near(node)
    positive = [part for part in node.sides if not isinstance(part, Not)] or [Every()]
    negative = [part.inner for part in node.sides if isinstance(part, Not)]
    conjunction = " AND ".join(f"({match(part)})" for part in positive)
    if not negative:
        return conjunction
    excluded = " OR ".join(f"({match(part)})" for part in negative)
    return f"{conjunction if len(positive) == 1 else f'({conjunction})'} NOT ({excluded})"


def _near(node: Near) -> str:
    """FTS5 counts the tokens between two phrases, in either order: it finds at least what the node matches."""
    phrase_pairs = [(left, right) for left in alternatives(node.left) for right in alternatives(node.right)]
    if len(phrase_pairs) > MOST_PAIRS or any(map(_is_character, chain(*phrase_pairs))):
        return match(All((node.left, node.right)))
    conditions = [
        f"{_columns(shared)} : NEAR({_phrase(left)} {_phrase(right)}, {node.within + 1})"
        for left, right in phrase_pairs
        if (shared := [field for field in fields_of(left.field) if field in fields_of(right.field)])
    ]
    return " OR ".join(f"({condition})" for condition in conditions) or f'meta : "{NONE}"'


def _text(node: Text) -> str:
    if _is_character(node):
        return f"meta : ({' OR '.join(_quoted([PLACES[field] + node.units[0]]) for field in fields_of(node.field))})"
    if node.field == "title":
        return _phrase(node, TITLED)
    return f"{_columns(fields_of(node.field))} : {_phrase(node)}"


def _columns(fields: Sequence[str]) -> str:
    return fields[0] if len(fields) == 1 else f"{{{' '.join(fields)}}}"


def _is_character(node: Text) -> bool:
    return len(node.units) == 1 and len(node.units[0]) == 1 and is_run(node.units[0])


def _phrase(node: Text, prefix: str = "") -> str:
    *inner, last = node.units
    ending = character_pairs(last) if is_run(last) else [last]
    star = " *" if node.prefix or not ending else ""
    return f"{_quoted([prefix + token for token in index_tokens(inner) + (ending or [last])])}{star}"


def _quoted(phrase: Sequence[str]) -> str:
    return f'"{" ".join(phrase)}"'
