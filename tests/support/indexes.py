"""What the search index has, and what it would have if it were built again."""

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, text

from newsspider.core.query.query_tree import Text
from newsspider.core.text.tokenizer import PLACES, units_of_text
from newsspider.store.index import entries
from newsspider.store.index.backend import Choice
from tests.support.samples import NOW, save_article


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
    run = entries.begin_rebuild(conn, NOW, again=True)
    while entries.add_missing_revisions(conn, 3):
        pass
    while run is not None:
        run = entries.index_next(conn, run, 3)
    return index_of(conn)


MOMENT = datetime(2026, 11, 1, 8, 30, tzinfo=UTC)


def found(conn, node, **choice):
    """The numbers of the articles that are found, the latest first."""
    return [entry.article_id for entry in entries.backend_of(conn).newest(conn, Choice(node, **choice), 1_000).entries]


def phrase(words, field=""):
    return Text(tuple(units_of_text(words)), field)


def save(conn, number, body, **values):
    values = {"title": f"第{number}篇", "published_at": MOMENT + timedelta(hours=number), **values}
    return save_article(conn, f"http://a.cn/{number}", body, **values).article_id
