"""The search index: its entries, the same on both databases, and the index itself, which differs."""

from __future__ import annotations

import sqlite3

from sqlalchemy import BigInteger, Column, Connection, Index, Text, func, insert, select, update
from sqlalchemy.exc import DatabaseError

from newsspider.core.text.tokenizer import PLACES, tokens_version
from newsspider.store.tables.articles import articles
from newsspider.store.tables.columns import Key, metadata, optional, required, table
from newsspider.store.tables.runs import batch_jobs, last_arguments

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
    return last_arguments(conn, REINDEX) == tokens_version()


def start_again(conn: Connection, now: float) -> None:
    """Create the index again, and begin the job that fills it with the present tokens."""
    drop = DROP[conn.dialect.name]
    try:
        with conn.begin_nested():
            conn.exec_driver_sql(drop)
    except DatabaseError as error:
        if getattr(error.orig, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_CORRUPT:
            raise
        for statement in (*REPAIR, drop):
            conn.exec_driver_sql(statement)
    metadata.drop_all(conn, tables=[search_entries])
    metadata.create_all(conn, tables=[search_entries])
    for statement in CREATE[conn.dialect.name]:
        conn.exec_driver_sql(statement)
    open_jobs = batch_jobs.c.kind == REINDEX, batch_jobs.c.finished_at.is_(None)
    conn.execute(update(batch_jobs).where(*open_jobs).values(finished_at=now))
    last_id = conn.execute(select(func.max(articles.c.id))).scalar()
    job = {"kind": REINDEX, "arguments": tokens_version(), "last_id": last_id or 0, "began_at": now}
    conn.execute(insert(batch_jobs).values(**job, finished_at=None if last_id else 0))
