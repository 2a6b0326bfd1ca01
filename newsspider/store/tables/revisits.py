"""What visits to stored articles found: changed texts and vanished pages."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Float, ForeignKey, Index, Integer, Table, Text

from newsspider.store.tables.columns import Key, metadata, partial_index

missing_articles = Table(
    "missing_articles",
    metadata,
    Column("key", Key, ForeignKey("article_urls.key", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("absence", Text, nullable=False),  # what stands there instead
    Column("misses", Integer, nullable=False),  # those that count
    Column("missing_since", Float(53)),  # the first of them; NULL: it is there again
    Column("last_missed_at", Float(53)),
    Column("return_count", Integer, nullable=False),  # how often it was there again
    Column("returned_at", Float(53)),
    Column("vanished_at", Float(53)),
    Column("last_vanished_at", Float(53)),  # the last time that it had vanished, be it there again or not
    Column("snapshots_deleted_at", Float(53)),  # its snapshots
)
partial_index("ix_missing_articles_vanished", missing_articles.c.vanished_at, where="vanished_at IS NOT NULL")

revisions = Table(
    "revisions",
    metadata,
    Column("id", Key, primary_key=True),
    Column("key", BigInteger, nullable=False, index=True),  # of the URL
    Column("url", Text, nullable=False),
    Column("site", Text, nullable=False),
    Column("changed_at", Float(53), nullable=False),  # when the change was found
    Column("parts", Text, nullable=False),  # JSON: what changed, of "text", "title" and "time"
    Column("edits", Text, nullable=False),  # JSON: pairs of the paragraphs before and after
    Column("title", Text, nullable=False),  # all that follows is as it was before
    Column("published_at", Text),
    Column("crawled_at", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("charset", Text, nullable=False),
    Column("snapshot", Text, nullable=False),
    Column("further", Text, nullable=False, server_default="[]"),  # JSON: objects {url, snapshot} of its further pages
)
Index("ix_revisions_changed", revisions.c.changed_at)
partial_index("ix_revisions_snapshot", revisions.c.snapshot, where="snapshot <> ''")

revision_part_snapshots = Table(
    "revision_part_snapshots",
    metadata,
    Column("revision_id", Key, ForeignKey("revisions.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("snapshot", Text, primary_key=True, index=True),  # in ``further`` of the revision
    sqlite_with_rowid=False,
)

revisit_counters = Table(
    "revisit_counters",
    metadata,
    Column("site", Text, primary_key=True),
    Column("visits", Integer, nullable=False),  # to its stored articles, answered
    Column("changes", Integer, nullable=False),  # of their texts that these found
)
