"""What the search index has, and what it would have if it were built again."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, text

from newsspider.core.text.tokenizer import PLACES
from newsspider.store.index import rebuild
from tests.support.samples import NOW


def index_of(conn: Connection) -> list[tuple[Any, ...]]:
    """All that the index has: by article or revision, the tokens that find it."""
    if conn.dialect.name == "postgresql":
        rows = conn.execute(
            text(
                "SELECT e.article_id, e.revision_id, e.moment, f.* FROM search_entries e JOIN search_vectors f ON f.id = e.id"
            )
        )
        return sorted(
            (row.article_id or 0, row.revision_id or 0, row.moment, row.tokens, *(getattr(row, field) for field in PLACES))
            for row in rows
        )
    conn.execute(
        text("CREATE VIRTUAL TABLE IF NOT EXISTS temp.words USING fts5vocab('main', 'search_index', 'instance')")
    )
    keys = {
        row.id: (row.article_id or 0, row.revision_id or 0, row.moment)
        for row in conn.execute(text("SELECT * FROM search_entries"))
    }
    rows = conn.execute(text("SELECT term, doc, col, offset FROM temp.words"))
    return sorted((*keys[row.doc], row.term, row.col, row.offset) for row in rows)


def rebuilt(conn: Connection) -> list[tuple[Any, ...]]:
    """All that it has once it is emptied and built again."""
    run = rebuild.begin(conn, NOW, again=True)
    while rebuild.add_revisions(conn, 3):
        pass
    while run is not None:
        run = rebuild.go_on(conn, run, 3)
    return index_of(conn)
