"""The schema of the first release. It is frozen: later changes of the tables are migrations of their own.

Revision: 0100 (0001 to 0032 came before the first release; their stores are refused)
"""

import sqlalchemy as sa
from alembic import op

revision = "0100"
down_revision = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")  # as INTEGER PRIMARY KEY, SQLite's own row number
REAL = sa.Float(precision=53)
QUEUE = (
    "CASE "
    "WHEN due_at IS NULL OR state = 'processing' THEN NULL "
    "WHEN deaths >= 3 THEN 2 "
    "WHEN state = 'waiting' OR reason IN ('retry', 'rate_limited', 'no_robots') THEN 0 "
    "WHEN state = 'done' AND update_cycle IS NULL AND kind IN ('article', 'blog', 'forum') THEN 3 "
    "ELSE 1 END"
)

# For users of the classical tables of focused crawlers: the URLs still to be checked, and the index of pages.
VIEWS = (
    """
    CREATE VIEW unchecked_url AS
    SELECT key AS "URL_id", url AS "URL", update_cycle AS "UpdateCycle",
           CASE WHEN state IN ('done', 'error') THEN 0 ELSE 1 END AS checked
    FROM urls
    """,
    """
    CREATE VIEW page_index AS
    SELECT a.id AS "Index_id", a.url AS "URL", a.snapshot AS content, a.title AS "Title",
    """
    + ", ".join(
        f'(SELECT word FROM keywords k WHERE k.article_id = a.id AND k.position = {n}) AS "Key{n}"'
        for n in range(1, 11)
    )
    + """, a.text AS "Body", a.link_count AS "Priority"
    FROM articles a
    """,
)


def upgrade() -> None:
    _create_ledger()
    _create_fleet()
    _create_sites()
    _create_articles()
    _create_revisits()
    _create_exploring()
    _create_runs()
    for view in VIEWS:
        op.execute(view)


def _create_ledger() -> None:
    op.create_table(
        "urls",
        sa.Column("key", BIG, primary_key=True, autoincrement=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("site", sa.Text(), nullable=False, server_default=""),
        sa.Column("channel", sa.Text(), nullable=False, server_default=""),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False, server_default=""),
        sa.Column("depth", sa.SmallInteger(), nullable=False, server_default="0"),
        sa.Column("hops", sa.SmallInteger(), nullable=False, server_default="0"),
        sa.Column("parent", sa.BigInteger()),
        sa.Column("anchor", sa.Text(), nullable=False, server_default=""),
        sa.Column("priority", BIG, nullable=False, server_default="0"),
        sa.Column("strategy_state", sa.Text(), nullable=False, server_default=""),
        sa.Column("partial_article", sa.Text(), nullable=False, server_default=""),
        sa.Column("found_at", REAL, nullable=False),
        sa.Column("due_at", REAL),
        sa.Column("update_cycle", REAL),
        sa.Column("last_fetched_at", REAL),
        sa.Column("last_status", sa.SmallInteger()),
        sa.Column("fetch_count", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("change_count", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("failures", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("deaths", sa.SmallInteger(), nullable=False, server_default="0"),
        sa.Column("internal_errors", sa.SmallInteger(), nullable=False, server_default="0"),
        sa.Column("etag", sa.Text()),
        sa.Column("last_modified", sa.Text()),
        sa.Column("body_hash", sa.Text()),
        sa.Column("bytes_hash", sa.Text()),
        sa.Column("stale_validators", sa.Boolean(), nullable=False, server_default=sa.text("false")),
        sa.Column("topic", sa.Text()),
        sa.Column("lease_worker", sa.Text()),
        sa.Column("lease_token", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("lease_ends_at", REAL),
        sa.Column("lease_state", sa.Text()),
        sa.Column("queue", sa.SmallInteger(), sa.Computed(QUEUE, persisted=True)),
    )
    _index("ix_urls_detail", "urls", ["site", "detail"], where="reason IN ('redirect', 'duplicate')")
    _index("ix_urls_due", "urls", ["host", "site", "queue", "due_at"], where="queue IS NOT NULL")
    _index("ix_urls_explore_depth", "urls", ["site", "depth"], where="channel = 'explore'")
    _index(
        "ix_urls_explore_waiting",
        "urls",
        ["site", sa.text("priority DESC"), "found_at"],
        where="channel = 'explore' AND queue = 0",
    )
    _index("ix_urls_internal_errors", "urls", ["site"], where="internal_errors > 0")
    _index("ix_urls_off_topic", "urls", ["topic", "last_fetched_at"], where="reason = 'off_topic'")
    _index("ix_urls_polled", "urls", ["site"], where="update_cycle IS NOT NULL")
    _index("ix_urls_refused_body", "urls", ["body_hash"], where="reason = 'off_topic' AND body_hash IS NOT NULL")
    _index("ix_urls_state", "urls", ["state"])
    _index("ix_urls_suspect", "urls", ["due_at"], where="queue = 2")
    _index("ix_urls_trapped", "urls", ["site", "detail", "found_at"], where="reason = 'trap'")
    _index(
        "ix_urls_waiting", "urls", ["host", "site", sa.text("priority DESC"), "due_at", "found_at"], where="queue = 0"
    )
    op.create_table(
        "hosts",
        sa.Column("host", sa.Text(), primary_key=True),
        sa.Column("next_at", REAL, nullable=False, server_default="0"),
        sa.Column("paused_until", REAL, nullable=False, server_default="0"),
        sa.Column("last_visit_at", REAL),
        sa.Column("pages", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("addresses", sa.Text(), nullable=False, server_default=""),
        sa.Column("address", sa.Text(), nullable=False, server_default=""),
        sa.Column("delay", REAL),
        sa.Column("delay_reason", sa.Text(), nullable=False, server_default=""),
        sa.Column("latency", REAL),
        sa.Column("failures", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("robots_status", sa.SmallInteger()),
        sa.Column("robots_text", sa.LargeBinary()),
        sa.Column("robots_fetched_at", REAL),
        sa.Column("robots_good_status", sa.SmallInteger()),
        sa.Column("robots_good_at", REAL),
        sa.Column("page_at", REAL),
        sa.Column("article_at", REAL),
        sa.Column("conditional_requests", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("not_modified", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("unchanged_in_full", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("unconditional_checks", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("validator_problem", sa.Text(), nullable=False, server_default=""),
        sa.Column("validator_problem_at", REAL),
        sa.Column("busy_key", sa.BigInteger()),
        sa.Column("busy_until", REAL),
    )
    _index("ix_hosts_address", "hosts", ["address"], where="address <> ''")
    op.create_table(
        "addresses",
        sa.Column("address", sa.Text(), primary_key=True),
        sa.Column("next_at", REAL, nullable=False, server_default="0"),
        sa.Column("busy_key", sa.BigInteger()),
    )
    _index("ix_addresses_busy", "addresses", ["busy_key"], where="busy_key IS NOT NULL")
    op.create_table(
        "queues",
        sa.Column("host", sa.Text(), primary_key=True),
        sa.Column("site", sa.Text(), primary_key=True),
        sa.Column("queue", sa.SmallInteger(), primary_key=True, autoincrement=False),
        sa.Column("due_at", REAL),
        sa.Column("top_priority", BIG, nullable=False, server_default="0"),
        sa.Column("host_ready_at", REAL, nullable=False, server_default="0"),
        sa.Column("revision", sa.BigInteger(), nullable=False, server_default="0"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "url_patterns",
        sa.Column("key", BIG, primary_key=True, autoincrement=False),
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("pattern", sa.Text(), nullable=False),
        sa.Column("wasted", sa.Integer(), nullable=False),
        sa.Column("debt", sa.Integer(), nullable=False),
        sa.Column("yielded", sa.Boolean(), nullable=False),
        sa.Column("spent_at", REAL),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("retry_at", REAL),
        sa.Column("probe", sa.BigInteger()),
        sa.Column("holds", sa.Boolean(), nullable=False),
        sa.Column("quarantined", sa.Boolean(), nullable=False),
    )
    _index("ix_url_patterns_spent", "url_patterns", ["site"], where="spent_at IS NOT NULL")
    op.create_table("url_equivalences", sa.Column("key", BIG, primary_key=True, autoincrement=False))
    op.create_table(
        "url_deletions",
        sa.Column("id", sa.SmallInteger(), primary_key=True, autoincrement=False),
        sa.Column("total", sa.BigInteger(), nullable=False),
    )


def _create_fleet() -> None:
    op.create_table(
        "workers",
        sa.Column("worker", sa.Text(), primary_key=True),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("heartbeats", sa.BigInteger(), nullable=False),
        sa.Column("seen_at", REAL, nullable=False),
    )
    op.create_table(
        "assigned_hosts",
        sa.Column("scope", sa.Text(), primary_key=True),
        sa.Column("host", sa.Text(), primary_key=True),
        sa.Column("worker", sa.Text(), nullable=False),
        sqlite_with_rowid=False,
    )
    _index("ix_assigned_hosts_worker", "assigned_hosts", ["worker", "host"])


def _create_sites() -> None:
    op.create_table(
        "sites",
        sa.Column("name", sa.Text(), primary_key=True),
        sa.Column("toml", sa.Text(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False, server_default=""),
        sa.Column("origin_hash", sa.Text(), nullable=False, server_default=""),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("removed", sa.Boolean(), nullable=False, server_default=sa.text("false")),
        sa.Column("weight", sa.Integer(), nullable=False),
        sa.Column("media_class", sa.Text(), nullable=False, server_default=""),
        sa.Column("added_at", REAL, nullable=False),
        sa.Column("changed_at", REAL, nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
    )
    op.create_table(
        "channels",
        sa.Column("site", sa.Text(), sa.ForeignKey("sites.name", ondelete="CASCADE"), primary_key=True),
        sa.Column("name", sa.Text(), primary_key=True),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("key", sa.BigInteger(), nullable=False),
        sa.Column("weight", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("polls", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("last_polled_at", REAL),
        sa.Column("last_status", sa.SmallInteger()),
        sa.Column("last_links", sa.Integer()),
        sa.Column("last_new", sa.Integer()),
        sa.Column("list_paths", sa.Text(), nullable=False, server_default=""),
        sa.Column("list_learned_at", REAL),
        sa.Column("list_moves", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("list_lost_at", REAL),
        sa.Column("rate_posterior", sa.Text(), nullable=False, server_default=""),
        sa.Column("rate", REAL),
        sa.Column("seen_at", REAL),
        sa.Column("found_since", sa.Integer(), nullable=False, server_default="0"),
    )
    op.create_table(
        "poll_multipliers",
        sa.Column("topic", sa.Text(), primary_key=True),
        sa.Column("host", sa.Text(), primary_key=True),
        sa.Column("factor", REAL, nullable=False),
    )
    op.create_table(
        "publication_profiles",
        sa.Column("site", sa.Text(), primary_key=True),
        sa.Column("counts", sa.Text(), nullable=False),
    )


def _create_articles() -> None:
    op.create_table(
        "articles",
        sa.Column("id", BIG, primary_key=True),
        sa.Column("key", sa.BigInteger(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("canonical_url", sa.Text(), nullable=False),
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("media_class", sa.Text(), nullable=False),
        sa.Column("anchor", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("authors", sa.Text(), nullable=False),
        sa.Column("source", sa.Text()),
        sa.Column("published_at", sa.Text()),
        sa.Column("published_ts", sa.BigInteger()),
        sa.Column("crawled_at", sa.Text(), nullable=False),
        sa.Column("crawled_ts", sa.BigInteger(), nullable=False),
        sa.Column("meta_keywords", sa.Text(), nullable=False),
        sa.Column("meta_description", sa.Text()),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("language", sa.Text()),
        sa.Column("charset", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("link_count", sa.Integer(), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("topic", sa.Text(), nullable=False),
        sa.Column("score", REAL, nullable=False),
        sa.Column("terms", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("attachments", sa.Text(), nullable=False),
        sa.Column("body_md5", sa.Text(), unique=True),
        sa.Column("snapshot", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("editors", sa.Text(), nullable=False, server_default="[]"),
        sa.Column("images", sa.Text(), nullable=False, server_default="[]"),
        sa.Column("comments", sa.Text(), nullable=False, server_default="[]"),
        sa.Column("parts", sa.Text(), nullable=False, server_default="[]"),
        sa.Column("modified_at", sa.Text()),
    )
    _index("ix_articles_crawled", "articles", ["crawled_ts"])
    _index("ix_articles_published", "articles", ["published_ts"])
    _index("ix_articles_snapshot", "articles", ["snapshot"], where="snapshot <> ''")
    _index("ix_articles_topic", "articles", ["topic", "crawled_ts"])
    op.create_table(
        "article_urls",
        sa.Column("key", BIG, primary_key=True, autoincrement=False),
        sa.Column("article_id", BIG, sa.ForeignKey("articles.id", ondelete="CASCADE"), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("canonical_url", sa.Text(), nullable=False),
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("noindex", sa.Boolean(), nullable=False, server_default=sa.text("false")),
        sa.Column("title", sa.Text(), nullable=False, server_default=""),
        sa.Column("source", sa.Text()),
        sa.Column("published_ts", sa.BigInteger()),
        sa.Column("priority", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("added_at", REAL, nullable=False),
    )
    _index("ix_article_urls_article_id", "article_urls", ["article_id"])
    op.create_table(
        "keywords",
        sa.Column(
            "article_id", BIG, sa.ForeignKey("articles.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
        ),
        sa.Column("position", sa.SmallInteger(), primary_key=True, autoincrement=False),
        sa.Column("word", sa.Text(), nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "subtopics",
        sa.Column(
            "article_id", BIG, sa.ForeignKey("articles.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
        ),
        sa.Column("position", sa.SmallInteger(), primary_key=True, autoincrement=False),
        sa.Column("name", sa.Text(), nullable=False),
        sqlite_with_rowid=False,
    )
    _index("ix_subtopics_name", "subtopics", ["name", "article_id"], unique=True)
    op.create_table(
        "boilerplate_lines",
        sa.Column("site", sa.Text(), primary_key=True),
        sa.Column("line", sa.Text(), primary_key=True),
        sa.Column("learned_at", REAL, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "snapshots",
        sa.Column("name", sa.Text(), primary_key=True),
        sa.Column("content", sa.LargeBinary(), nullable=False),
    )
    op.create_table(
        "article_part_snapshots",
        sa.Column(
            "article_id", BIG, sa.ForeignKey("articles.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
        ),
        sa.Column("snapshot", sa.Text(), primary_key=True),
        sqlite_with_rowid=False,
    )
    _index("ix_article_part_snapshots_snapshot", "article_part_snapshots", ["snapshot"])
    op.create_table(
        "fingerprints",
        sa.Column("value", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("article_id", BIG, primary_key=True, autoincrement=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "reprints",
        sa.Column(
            "article_id", BIG, sa.ForeignKey("articles.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
        ),
        sa.Column("group_id", sa.BigInteger(), nullable=False),
        sa.Column("is_first", sa.Boolean(), nullable=False),
        sa.Column("closest_id", sa.BigInteger()),
        sa.Column("containment", REAL),
        sa.Column("resemblance", REAL),
    )
    _index("ix_reprints_group_id", "reprints", ["group_id"])
    op.create_table(
        "labels",
        sa.Column("topic", sa.Text(), primary_key=True),
        sa.Column("key", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("relevant", sa.Boolean(), nullable=False),
        sa.Column("labelled_at", REAL, nullable=False),
        sa.Column("url", sa.Text(), nullable=False, server_default=""),
        sa.Column("title", sa.Text(), nullable=False, server_default=""),
        sa.Column("text", sa.Text(), nullable=False, server_default=""),
        sqlite_with_rowid=False,
    )


def _create_revisits() -> None:
    op.create_table(
        "missing_articles",
        sa.Column(
            "key", BIG, sa.ForeignKey("article_urls.key", ondelete="CASCADE"), primary_key=True, autoincrement=False
        ),
        sa.Column("absence", sa.Text(), nullable=False),
        sa.Column("misses", sa.Integer(), nullable=False),
        sa.Column("missing_since", REAL),
        sa.Column("last_missed_at", REAL),
        sa.Column("return_count", sa.Integer(), nullable=False),
        sa.Column("returned_at", REAL),
        sa.Column("vanished_at", REAL),
        sa.Column("last_vanished_at", REAL),
        sa.Column("snapshots_deleted_at", REAL),
    )
    _index("ix_missing_articles_vanished", "missing_articles", ["vanished_at"], where="vanished_at IS NOT NULL")
    op.create_table(
        "revisions",
        sa.Column("id", BIG, primary_key=True),
        sa.Column("key", sa.BigInteger(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("changed_at", REAL, nullable=False),
        sa.Column("parts", sa.Text(), nullable=False),
        sa.Column("edits", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("published_at", sa.Text()),
        sa.Column("crawled_at", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("charset", sa.Text(), nullable=False),
        sa.Column("snapshot", sa.Text(), nullable=False),
        sa.Column("further", sa.Text(), nullable=False, server_default="[]"),
    )
    _index("ix_revisions_changed", "revisions", ["changed_at"])
    _index("ix_revisions_key", "revisions", ["key"])
    _index("ix_revisions_snapshot", "revisions", ["snapshot"], where="snapshot <> ''")
    op.create_table(
        "revision_part_snapshots",
        sa.Column(
            "revision_id", BIG, sa.ForeignKey("revisions.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
        ),
        sa.Column("snapshot", sa.Text(), primary_key=True),
        sqlite_with_rowid=False,
    )
    _index("ix_revision_part_snapshots_snapshot", "revision_part_snapshots", ["snapshot"])
    op.create_table(
        "revisit_counters",
        sa.Column("site", sa.Text(), primary_key=True),
        sa.Column("visits", sa.Integer(), nullable=False),
        sa.Column("changes", sa.Integer(), nullable=False),
    )


def _create_exploring() -> None:
    op.create_table(
        "links",
        sa.Column("src", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("dst", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("anchor", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("region", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text()),
        sa.Column("found_at", REAL, nullable=False),
        sa.Column("nofollow", sa.Boolean(), nullable=False, server_default=sa.text("false")),
        sqlite_with_rowid=False,
    )
    _index("ix_links_nofollow", "links", ["src", "dst"], where="nofollow")
    _index("ix_links_shown", "links", ["dst", "channel"], where="channel IS NOT NULL AND NOT nofollow")
    op.create_table(
        "ranks",
        sa.Column("key", BIG, primary_key=True, autoincrement=False),
        sa.Column("pagerank", REAL, nullable=False),
        sa.Column("hub", REAL, nullable=False),
        sa.Column("authority", REAL, nullable=False),
        sa.Column("weight", REAL, nullable=False),
        sa.Column("indegree", sa.Integer(), nullable=False),
        sa.Column("parent_indegree", sa.Integer(), nullable=False),
        sa.Column("mirrors", sa.Integer(), nullable=False),
        sa.Column("ranked_at", REAL, nullable=False),
    )
    op.create_table(
        "explore_crawls",
        sa.Column("site", sa.Text(), primary_key=True),
        sa.Column("strategy", sa.Text(), nullable=False),
        sa.Column("visits", sa.BigInteger(), nullable=False, server_default="0"),
        sa.Column("hosts", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("began_at", REAL, nullable=False),
        sa.Column("resumed_at", REAL, nullable=False),
    )
    op.create_table(
        "explore_hosts",
        sa.Column("site", sa.Text(), primary_key=True),
        sa.Column("host", sa.Text(), primary_key=True),
        sa.Column("hosts_before", sa.Integer(), nullable=False),
        sa.Column("lowest_priority", sa.BigInteger(), nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "explore_pages",
        sa.Column("key", BIG, primary_key=True, autoincrement=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("markup_errors", sa.Text(), nullable=False, server_default="[]"),
    )
    op.create_table(
        "strategy_counters",
        sa.Column("crawl", sa.Text(), primary_key=True),
        sa.Column("name", sa.Text(), primary_key=True),
        sa.Column("first", REAL, nullable=False),
        sa.Column("second", REAL, nullable=False),
        sqlite_with_rowid=False,
    )


def _create_runs() -> None:
    op.create_table(
        "batch_jobs",
        sa.Column("id", BIG, primary_key=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("arguments", sa.Text(), nullable=False),
        sa.Column("last_done_id", sa.BigInteger(), nullable=False, server_default="0"),
        sa.Column("last_id", sa.BigInteger(), nullable=False),
        sa.Column("figures", sa.Text(), nullable=False, server_default="{}"),
        sa.Column("began_at", REAL, nullable=False),
        sa.Column("finished_at", REAL),
    )
    op.create_table(
        "runs",
        sa.Column("id", BIG, primary_key=True),
        sa.Column("spider", sa.Text(), nullable=False),
        sa.Column("worker", sa.Text(), nullable=False, server_default=""),
        sa.Column("arguments", sa.Text(), nullable=False, server_default="{}"),
        sa.Column("started_at", REAL, nullable=False),
        sa.Column("finished_at", REAL),
        sa.Column("reason", sa.Text()),
        sa.Column("figures", sa.Text(), nullable=False, server_default="{}"),
    )


def _index(name: str, table: str, columns: list, *, unique: bool = False, where: str | None = None) -> None:
    condition = {} if where is None else {"sqlite_where": sa.text(where), "postgresql_where": sa.text(where)}
    op.create_index(name, table, columns, unique=unique, **condition)
