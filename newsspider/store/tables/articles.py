"""The articles, their URLs and what is derived from them."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    SmallInteger,
    Table,
    Text,
    text,
)

from newsspider.store.tables.columns import Key, metadata, partial_index

articles = Table(
    "articles",
    metadata,
    Column("id", Key, primary_key=True),
    Column("key", BigInteger, nullable=False),
    Column("url", Text, nullable=False),
    Column("canonical_url", Text, nullable=False),
    Column("site", Text, nullable=False),
    Column("channel", Text, nullable=False),
    Column("media_class", Text, nullable=False),
    Column("anchor", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("authors", Text, nullable=False),  # JSON
    Column("source", Text),
    Column("published_at", Text),  # ISO 8601 with the page's offset
    Column("published_ts", BigInteger),
    Column("crawled_at", Text, nullable=False),
    Column("crawled_ts", BigInteger, nullable=False),
    Column("meta_keywords", Text, nullable=False),  # JSON
    Column("meta_description", Text),
    Column("summary", Text, nullable=False),
    Column("language", Text),
    Column("charset", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("link_count", Integer, nullable=False),
    Column("priority", Integer, nullable=False),
    Column("topic", Text, nullable=False),
    Column("score", Float(53), nullable=False),
    Column("terms", Text, nullable=False),  # JSON
    Column("model", Text, nullable=False),
    Column("attachments", Text, nullable=False),  # JSON
    Column("body_md5", Text, unique=True),  # two workers cannot store one body twice
    Column("snapshot", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("editors", Text, nullable=False, server_default="[]"),  # JSON
    Column("images", Text, nullable=False, server_default="[]"),  # JSON: objects {url, caption}
    Column("comments", Text, nullable=False, server_default="[]"),  # JSON
    Column("parts", Text, nullable=False, server_default="[]"),  # JSON: objects {url, snapshot} of its further pages
    Column("modified_at", Text),  # ISO 8601 with the page's offset
)
Index("ix_articles_published", articles.c.published_ts)
Index("ix_articles_crawled", articles.c.crawled_ts)
Index("ix_articles_topic", articles.c.topic, articles.c.crawled_ts)
partial_index("ix_articles_snapshot", articles.c.snapshot, where="snapshot <> ''")

article_urls = Table(
    "article_urls",
    metadata,
    Column("key", Key, primary_key=True, autoincrement=False),
    Column("article_id", Key, ForeignKey("articles.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("url", Text, nullable=False),
    Column("canonical_url", Text, nullable=False),
    Column("site", Text, nullable=False),
    Column("channel", Text, nullable=False),
    Column("noindex", Boolean, nullable=False, server_default=text("false")),  # its page asks not to be found
    Column("title", Text, nullable=False, server_default=""),
    Column("source", Text),
    Column("published_ts", BigInteger),
    Column("priority", Integer, nullable=False, server_default="0"),
    Column("added_at", Float(53), nullable=False),
)

keywords = Table(
    "keywords",
    metadata,
    Column("article_id", Key, ForeignKey("articles.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("position", SmallInteger, primary_key=True, autoincrement=False),  # from 1, the strongest first
    Column("word", Text, nullable=False),
    sqlite_with_rowid=False,
)

subtopics = Table(
    "subtopics",
    metadata,
    Column("article_id", Key, ForeignKey("articles.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    # from 1, in the order of the topic's profile
    Column("position", SmallInteger, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    sqlite_with_rowid=False,
)
Index("ix_subtopics_name", subtopics.c.name, subtopics.c.article_id, unique=True)

boilerplate_lines = Table(
    "boilerplate_lines",
    metadata,
    Column("site", Text, primary_key=True),
    Column("line", Text, primary_key=True),  # stands at the edges of the texts of many articles
    Column("learned_at", Float(53), nullable=False),
    sqlite_with_rowid=False,
)

snapshots = Table(
    "snapshots",
    metadata,
    Column("name", Text, primary_key=True),  # SHA-256 of the bytes as fetched, hex
    Column("content", LargeBinary, nullable=False),  # Zstandard
)

article_part_snapshots = Table(
    "article_part_snapshots",
    metadata,
    Column("article_id", Key, ForeignKey("articles.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("snapshot", Text, primary_key=True, index=True),  # in the article's ``parts``
    sqlite_with_rowid=False,
)

fingerprints = Table(
    "fingerprints",
    metadata,
    Column("value", Integer, primary_key=True, autoincrement=False),
    # a hint: what is left of an article that has gone is met and removed
    Column("article_id", Key, primary_key=True, autoincrement=False),
    sqlite_with_rowid=False,
)

reprints = Table(
    "reprints",
    metadata,
    Column("article_id", Key, ForeignKey("articles.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("group_id", BigInteger, nullable=False, index=True),  # the first number that its articles had
    Column("is_first", Boolean, nullable=False),  # the first source is a page of this article
    Column("closest_id", BigInteger),  # the article it is closest to, of those before it
    Column("containment", Float(53)),  # of the smaller of the two in the larger
    Column("resemblance", Float(53)),
)

labels = Table(
    "labels",
    metadata,
    Column("topic", Text, primary_key=True),
    Column("key", BigInteger, primary_key=True, autoincrement=False),  # of a URL of the article
    Column("relevant", Boolean, nullable=False),
    Column("labelled_at", Float(53), nullable=False),
    Column("url", Text, nullable=False, server_default=""),  # these as they were then: the article may leave the store
    Column("title", Text, nullable=False, server_default=""),
    Column("text", Text, nullable=False, server_default=""),
    sqlite_with_rowid=False,
)
