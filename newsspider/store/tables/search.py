"""The search index: its entries, the same on both databases, and the index itself, which differs."""

from __future__ import annotations

import sqlite3

from sqlalchemy import BigInteger, Column, Connection, Index, Text, text
from sqlalchemy.exc import DatabaseError

from newsspider.core.text.tokenizer import PLACES, tokens_version
from newsspider.store.tables.columns import Key, metadata, optional, required, table

REINDEX = "reindex"  # the kind of its batch jobs

search_entries = table(
    "search_entries",
    "One row for each article and each revision that the search index has. On SQLite the index is the FTS5 table"
    " `search_index` with these numbers as rowids, on PostgreSQL the table `search_vectors`. Write neither: the index"
    " would no longer match; `scrapy reindex --rebuild` makes it again.",
    Column("id", Key, primary_key=True, doc="its number; on SQLite 16 x `moment` or the next free one"),
    optional("article_id", BigInteger, "the article"),
    optional("revision_id", BigInteger, "or the revision"),
    required("moment", BigInteger, "when it was published, or crawled if that is unknown, in seconds since the epoch"),
    required("anchors", Text, "what links from lists call the article if not by its title, one a line", ""),
)
Index("ix_search_entries_article", search_entries.c.article_id, unique=True)
Index("ix_search_entries_revision", search_entries.c.revision_id, unique=True)
Index("ix_search_entries_moment", search_entries.c.moment)

DROP = {"sqlite": "DROP TABLE IF EXISTS search_index", "postgresql": "DROP TABLE IF EXISTS search_vectors"}
CREATE = {
    "sqlite": (
        f"CREATE VIRTUAL TABLE search_index USING fts5({', '.join(PLACES)}, meta,"
        " content='', columnsize=0, tokenize='ascii')",
        # eight parts of one size are merged; each night all are
        "INSERT INTO search_index (search_index, rank) VALUES ('automerge', 8)",
    ),
    "postgresql": (
        f"""
        CREATE TABLE search_vectors (
            id BIGINT PRIMARY KEY REFERENCES search_entries (id) ON DELETE CASCADE,
            article_id BIGINT, revision_id BIGINT, moment BIGINT NOT NULL, is_long BOOLEAN NOT NULL,
            tokens TSVECTOR NOT NULL, {", ".join(f"{field} TEXT NOT NULL" for field in PLACES)}
        ) WITH (toast_tuple_target = 128)
        """,  # the rows are narrow: vectors and long texts are stored outside of them
        "ALTER TABLE search_vectors ALTER tokens SET STATISTICS 0, ALTER title SET STORAGE MAIN",
        "CREATE INDEX ix_search_vectors_tokens ON search_vectors USING gin (tokens)"
        " WITH (gin_pending_list_limit = 512)",  # kB, which each search reads
    ),
}
REPAIR = (  # FTS5 does not open an index whose structure (number 10) is damaged
    "DELETE FROM search_index_data",
    "INSERT INTO search_index_data (id, block) VALUES (1, x''), (10, x'00000000000000')",
)
NAMES = ("search_index", "search_vectors")  # the prefixes of the names of all that the index creates


def is_current(conn: Connection) -> bool:
    """Whether the index was built with the present tokens."""
    last = "SELECT arguments FROM batch_jobs WHERE kind = :kind ORDER BY id DESC LIMIT 1"
    return bool(conn.execute(text(last), {"kind": REINDEX}).scalar() == tokens_version())


def start_again(conn: Connection, now: float) -> None:
    """Create the index again, and begin the job that fills it with the present tokens."""
    drop = DROP[conn.dialect.name]
    try:
        with conn.begin_nested():
            conn.execute(text(drop))
    except DatabaseError as error:
        if getattr(error.orig, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_CORRUPT:
            raise
        for statement in (*REPAIR, drop):
            conn.execute(text(statement))
    metadata.drop_all(conn, tables=[search_entries])
    metadata.create_all(conn, tables=[search_entries])
    for statement in CREATE[conn.dialect.name]:
        conn.execute(text(statement))
    end = "UPDATE batch_jobs SET finished_at = :now WHERE kind = :kind AND finished_at IS NULL"
    conn.execute(text(end), {"kind": REINDEX, "now": now})
    begin = (
        "INSERT INTO batch_jobs (kind, arguments, last_id, began_at, finished_at)"
        " SELECT :kind, :asked, COALESCE(max(id), 0), :now, CASE WHEN max(id) IS NULL THEN 0 END FROM articles"
    )
    conn.execute(text(begin), {"kind": REINDEX, "asked": tokens_version(), "now": now})
