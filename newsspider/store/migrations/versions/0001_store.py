"""The tables of the first release.

Revision: 0001
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

# For users of the classical tables of focused crawlers: what is still to be checked, and the index of pages.
VIEWS = (
    """
    CREATE VIEW unchecked_url AS
    SELECT key AS "URL_id", url AS "URL", update_cycle AS "UpdateCycle",
           CASE WHEN state IN ('done', 'error') THEN 1 ELSE 0 END AS checked
    FROM urls
    """,
    """
    CREATE VIEW page_index AS
    SELECT a.id AS "Index_id", a.url AS "URL", a.summary AS content, a.title AS "Title",
    """
    + ", ".join(
        f'(SELECT word FROM keywords k WHERE k.article_id = a.id AND k.position = {n}) AS "Key{n}"'
        for n in range(1, 11)
    )
    + """, a.text AS "Body", a.priority AS "Priority"
    FROM articles a
    """,
)


def upgrade() -> None:
    op.create_table(
        "articles",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("key", sa.BigInteger(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("canonical_url", sa.Text(), nullable=False),
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("media_class", sa.Text(), nullable=False),
        sa.Column("anchor", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("authors", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=True),
        sa.Column("published_at", sa.Text(), nullable=True),
        sa.Column("published_ts", sa.BigInteger(), nullable=True),
        sa.Column("crawled_at", sa.Text(), nullable=False),
        sa.Column("crawled_ts", sa.BigInteger(), nullable=False),
        sa.Column("meta_keywords", sa.Text(), nullable=False),
        sa.Column("meta_description", sa.Text(), nullable=True),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=True),
        sa.Column("charset", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("link_count", sa.Integer(), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("topic", sa.Text(), nullable=False),
        sa.Column("score", sa.Float(precision=53), nullable=False),
        sa.Column("terms", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("attachments", sa.Text(), nullable=False),
        sa.Column("body_md5", sa.Text(), nullable=True),
        sa.Column("snapshot", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("body_md5"),
    )
    op.create_index("ix_articles_crawled", "articles", ["crawled_ts"], unique=False)
    op.create_index("ix_articles_published", "articles", ["published_ts"], unique=False)
    op.create_table(
        "hosts",
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("next_at", sa.Float(precision=53), server_default="0", nullable=False),
        sa.Column("paused_until", sa.Float(precision=53), server_default="0", nullable=False),
        sa.Column("last_visit_at", sa.Float(precision=53), nullable=True),
        sa.Column("pages", sa.Integer(), server_default="0", nullable=False),
        sa.Column("addresses", sa.Text(), server_default="", nullable=False),
        sa.Column("delay", sa.Float(precision=53), nullable=True),
        sa.Column("delay_reason", sa.Text(), server_default="", nullable=False),
        sa.Column("latency", sa.Float(precision=53), nullable=True),
        sa.Column("failures", sa.Integer(), server_default="0", nullable=False),
        sa.Column("robots_status", sa.SmallInteger(), nullable=True),
        sa.Column("robots_text", sa.LargeBinary(), nullable=True),
        sa.Column("robots_fetched_at", sa.Float(precision=53), nullable=True),
        sa.Column("busy_key", sa.BigInteger(), nullable=True),
        sa.Column("busy_until", sa.Float(precision=53), nullable=True),
        sa.PrimaryKeyConstraint("host"),
    )
    op.create_table(
        "links",
        sa.Column("src", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("dst", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("anchor", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("region", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=True),
        sa.Column("found_at", sa.Float(precision=53), nullable=False),
        sa.PrimaryKeyConstraint("src", "dst"),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_links_shown",
        "links",
        ["dst", "channel"],
        unique=False,
        sqlite_where=sa.text("channel IS NOT NULL"),
        postgresql_where=sa.text("channel IS NOT NULL"),
    )
    op.create_table(
        "queues",
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("queue", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("due_at", sa.Float(precision=53), nullable=True),
        sa.Column("top", sa.Integer(), server_default="0", nullable=False),
        sa.Column("gate", sa.Float(precision=53), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("host", "site", "queue"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "runs",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("spider", sa.Text(), nullable=False),
        sa.Column("worker", sa.Text(), server_default="", nullable=False),
        sa.Column("arguments", sa.Text(), server_default="{}", nullable=False),
        sa.Column("started_at", sa.Float(precision=53), nullable=False),
        sa.Column("finished_at", sa.Float(precision=53), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("figures", sa.Text(), server_default="{}", nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "sites",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("toml", sa.Text(), nullable=False),
        sa.Column("origin", sa.Text(), server_default="", nullable=False),
        sa.Column("origin_hash", sa.Text(), server_default="", nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("removed", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("weight", sa.Integer(), nullable=False),
        sa.Column("media_class", sa.Text(), server_default="", nullable=False),
        sa.Column("added_at", sa.Float(precision=53), nullable=False),
        sa.Column("changed_at", sa.Float(precision=53), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "snapshots",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "urls",
        sa.Column("key", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("site", sa.Text(), server_default="", nullable=False),
        sa.Column("channel", sa.Text(), server_default="", nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), server_default="", nullable=False),
        sa.Column("depth", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("hops", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("parent", sa.BigInteger(), nullable=True),
        sa.Column("anchor", sa.Text(), server_default="", nullable=False),
        sa.Column("priority", sa.Integer(), server_default="0", nullable=False),
        sa.Column("found_at", sa.Float(precision=53), nullable=False),
        sa.Column("due_at", sa.Float(precision=53), nullable=True),
        sa.Column("update_cycle", sa.Float(precision=53), nullable=True),
        sa.Column("last_fetched_at", sa.Float(precision=53), nullable=True),
        sa.Column("last_status", sa.SmallInteger(), nullable=True),
        sa.Column("fetch_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("change_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("failures", sa.Integer(), server_default="0", nullable=False),
        sa.Column("deaths", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("etag", sa.Text(), nullable=True),
        sa.Column("last_modified", sa.Text(), nullable=True),
        sa.Column("body_hash", sa.Text(), nullable=True),
        sa.Column("topic", sa.Text(), nullable=True),
        sa.Column("lease_worker", sa.Text(), nullable=True),
        sa.Column("lease_token", sa.Integer(), server_default="0", nullable=False),
        sa.Column("lease_ends_at", sa.Float(precision=53), nullable=True),
        sa.Column("lease_state", sa.Text(), nullable=True),
        sa.Column(
            "queue",
            sa.SmallInteger(),
            sa.Computed(
                "CASE WHEN due_at IS NULL OR state = 'processing' THEN NULL "
                "WHEN deaths >= 3 THEN 2 "
                "WHEN state = 'waiting' OR reason IN ('retry', 'rate_limited', 'no_robots') THEN 0 ELSE 1 END",
                persisted=True,
            ),
            nullable=True,
        ),
        sa.PrimaryKeyConstraint("key"),
    )
    op.create_index(
        "ix_urls_due",
        "urls",
        ["host", "site", "queue", "due_at"],
        unique=False,
        sqlite_where=sa.text("queue IS NOT NULL"),
        postgresql_where=sa.text("queue IS NOT NULL"),
    )
    op.create_index(
        "ix_urls_off_topic",
        "urls",
        ["topic"],
        unique=False,
        sqlite_where=sa.text("reason = 'off_topic'"),
        postgresql_where=sa.text("reason = 'off_topic'"),
    )
    op.create_index(
        "ix_urls_polled",
        "urls",
        ["site"],
        unique=False,
        sqlite_where=sa.text("update_cycle IS NOT NULL"),
        postgresql_where=sa.text("update_cycle IS NOT NULL"),
    )
    op.create_index("ix_urls_state", "urls", ["state"], unique=False)
    op.create_index(
        "ix_urls_suspect",
        "urls",
        ["due_at"],
        unique=False,
        sqlite_where=sa.text("queue = 2"),
        postgresql_where=sa.text("queue = 2"),
    )
    op.create_index(
        "ix_urls_waiting",
        "urls",
        ["host", "site", sa.literal_column("priority DESC"), "due_at", "found_at"],
        unique=False,
        sqlite_where=sa.text("queue = 0"),
        postgresql_where=sa.text("queue = 0"),
    )
    op.create_table(
        "article_urls",
        sa.Column("key", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False),
        sa.Column("article_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("canonical_url", sa.Text(), nullable=False),
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("noindex", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("added_at", sa.Float(precision=53), nullable=False),
        sa.ForeignKeyConstraint(["article_id"], ["articles.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("key"),
    )
    op.create_index(op.f("ix_article_urls_article_id"), "article_urls", ["article_id"], unique=False)
    op.create_table(
        "channels",
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("key", sa.BigInteger(), nullable=False),
        sa.Column("weight", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("polls", sa.Integer(), server_default="0", nullable=False),
        sa.Column("last_polled_at", sa.Float(precision=53), nullable=True),
        sa.Column("last_status", sa.SmallInteger(), nullable=True),
        sa.Column("last_links", sa.Integer(), nullable=True),
        sa.Column("last_new", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["site"], ["sites.name"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("site", "name"),
    )
    op.create_table(
        "fingerprints",
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("value", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column(
            "article_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.ForeignKeyConstraint(["article_id"], ["articles.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("kind", "value", "article_id"),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_fingerprints_article_id"), "fingerprints", ["article_id"], unique=False)
    op.create_table(
        "keywords",
        sa.Column(
            "article_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("position", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("word", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["article_id"], ["articles.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("article_id", "position"),
        sqlite_with_rowid=False,
    )
    for view in VIEWS:
        op.execute(view)
