"""The ledger: every URL, what is known of its host, and what is learned about URLs of one pattern."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Computed,
    Float,
    Index,
    Integer,
    LargeBinary,
    SmallInteger,
    Table,
    Text,
    text,
)

from newsspider.store.tables.columns import Key, Priority, metadata, partial_index

SUSPECT_DEATHS = 3  # a URL whose workers died so often is claimed alone
PUT_OFF = ("retry", "rate_limited", "no_robots")  # reasons of a visit that is still to be made, of a known page too
ARTICLES = ("article", "blog", "forum")  # kinds of pages that are stored

urls = Table(
    "urls",
    metadata,
    Column("key", Key, primary_key=True, autoincrement=False),
    Column("url", Text, nullable=False),
    Column("host", Text, nullable=False),
    Column("site", Text, nullable=False, server_default=""),
    Column("channel", Text, nullable=False, server_default=""),
    Column("kind", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("detail", Text, nullable=False, server_default=""),
    Column("depth", SmallInteger, nullable=False, server_default="0"),
    Column("hops", SmallInteger, nullable=False, server_default="0"),
    Column("parent", BigInteger),
    Column("anchor", Text, nullable=False, server_default=""),
    Column("priority", Priority, nullable=False, server_default="0"),
    # JSON: what an explore crawl's strategy remembers of it
    Column("strategy_state", Text, nullable=False, server_default=""),
    # JSON: of a further page, its article as far as the pages before it go
    Column("partial_article", Text, nullable=False, server_default=""),
    Column("found_at", Float(53), nullable=False),
    Column("due_at", Float(53)),
    Column("update_cycle", Float(53)),
    Column("last_fetched_at", Float(53)),
    Column("last_status", SmallInteger),
    Column("fetch_count", Integer, nullable=False, server_default="0"),
    Column("change_count", Integer, nullable=False, server_default="0"),
    Column("failures", Integer, nullable=False, server_default="0"),
    Column("deaths", SmallInteger, nullable=False, server_default="0"),
    # processes that failed over it because of errors of ours
    Column("internal_errors", SmallInteger, nullable=False, server_default="0"),
    Column("etag", Text),
    Column("last_modified", Text),
    Column("body_hash", Text),
    # of the answer as it came: where it is another, the page was changed and not only read otherwise
    Column("bytes_hash", Text),
    Column(
        "stale_validators", Boolean, nullable=False, server_default=text("false")
    ),  # the validators are of an older content
    Column("topic", Text),
    Column("lease_worker", Text),
    Column("lease_token", Integer, nullable=False, server_default="0"),
    Column("lease_ends_at", Float(53)),
    Column("lease_state", Text),  # where the row stood before it was claimed
    Column(
        "queue",
        SmallInteger,
        Computed(
            "CASE WHEN due_at IS NULL OR state = 'processing' THEN NULL "
            f"WHEN deaths >= {SUSPECT_DEATHS} THEN 2 "
            f"WHEN state = 'waiting' OR reason IN {PUT_OFF} THEN 0 "
            f"WHEN state = 'done' AND update_cycle IS NULL AND kind IN {ARTICLES} THEN 3 ELSE 1 END",
            persisted=True,
        ),
    ),
)
partial_index(
    "ix_urls_waiting",
    urls.c.host,
    urls.c.site,
    urls.c.priority.desc(),
    urls.c.due_at,
    urls.c.found_at,
    where="queue = 0",
)
partial_index("ix_urls_due", urls.c.host, urls.c.site, urls.c.queue, urls.c.due_at, where="queue IS NOT NULL")
partial_index("ix_urls_suspect", urls.c.due_at, where="queue = 2")
partial_index("ix_urls_off_topic", urls.c.topic, urls.c.last_fetched_at, where="reason = 'off_topic'")
partial_index("ix_urls_refused_body", urls.c.body_hash, where="reason = 'off_topic' AND body_hash IS NOT NULL")
partial_index("ix_urls_trapped", urls.c.site, urls.c.detail, urls.c.found_at, where="reason = 'trap'")
partial_index("ix_urls_detail", urls.c.site, urls.c.detail, where="reason IN ('redirect', 'duplicate')")
Index("ix_urls_state", urls.c.state)
partial_index("ix_urls_internal_errors", urls.c.site, where="internal_errors > 0")
partial_index("ix_urls_polled", urls.c.site, where="update_cycle IS NOT NULL")
partial_index("ix_urls_explore_depth", urls.c.site, urls.c.depth, where="channel = 'explore'")
partial_index(
    "ix_urls_explore_waiting",
    urls.c.site,
    urls.c.priority.desc(),
    urls.c.found_at,
    where="channel = 'explore' AND queue = 0",
)

hosts = Table(
    "hosts",
    metadata,
    Column("host", Text, primary_key=True),
    Column("next_at", Float(53), nullable=False, server_default="0"),
    Column("paused_until", Float(53), nullable=False, server_default="0"),
    Column("last_visit_at", Float(53)),
    Column("pages", Integer, nullable=False, server_default="0"),
    Column("addresses", Text, nullable=False, server_default=""),  # separated by blanks
    Column("address", Text, nullable=False, server_default=""),  # the one where it was last asked
    Column("delay", Float(53)),
    Column("delay_reason", Text, nullable=False, server_default=""),
    Column("latency", Float(53)),
    Column("failures", Integer, nullable=False, server_default="0"),
    Column("robots_status", SmallInteger),
    Column("robots_text", LargeBinary),
    Column("robots_fetched_at", Float(53)),
    Column("robots_good_status", SmallInteger),
    Column("robots_good_at", Float(53)),
    Column("page_at", Float(53)),  # when a page of it was read well
    Column("article_at", Float(53)),  # when an article of it was
    Column("conditional_requests", Integer, nullable=False, server_default="0"),  # requests that named validators
    Column("not_modified", Integer, nullable=False, server_default="0"),  # and were answered 304
    # and were answered in full, though nothing had changed
    Column("unchanged_in_full", Integer, nullable=False, server_default="0"),
    Column("unconditional_checks", Integer, nullable=False, server_default="0"),  # requests without conditions, to see
    Column("validator_problem", Text, nullable=False, server_default=""),  # why it is no longer asked with conditions
    Column("validator_problem_at", Float(53)),
    Column("busy_key", BigInteger),
    Column("busy_until", Float(53)),
)
partial_index("ix_hosts_address", hosts.c.address, where="address <> ''")

addresses = Table(
    "addresses",
    metadata,
    Column("address", Text, primary_key=True),
    Column("next_at", Float(53), nullable=False, server_default="0"),
    Column("busy_key", BigInteger),
)
partial_index("ix_addresses_busy", addresses.c.busy_key, where="busy_key IS NOT NULL")

queues = Table(
    "queues",
    metadata,
    Column("host", Text, primary_key=True),
    Column("site", Text, primary_key=True),
    Column("queue", SmallInteger, primary_key=True, autoincrement=False),
    Column("due_at", Float(53)),
    Column(
        "top_priority", Priority, nullable=False, server_default="0"
    ),  # its best priority, to ask hosts in this order
    Column("host_ready_at", Float(53), nullable=False, server_default="0"),
    Column("revision", BigInteger, nullable=False, server_default="0"),  # grows with every change
    sqlite_with_rowid=False,
)

url_patterns = Table(
    "url_patterns",
    metadata,
    Column("key", Key, primary_key=True, autoincrement=False),
    Column("site", Text, nullable=False),
    Column("pattern", Text, nullable=False),  # empty: all URLs of the site
    Column("wasted", Integer, nullable=False),  # fetches that brought nothing, ever
    Column("debt", Integer, nullable=False),  # those that nothing has paid for
    Column("yielded", Boolean, nullable=False),  # a page of it brought something
    Column("spent_at", Float(53)),  # since when its URLs are not fetched
    Column("tries", Integer, nullable=False),  # since then
    Column("retry_at", Float(53)),
    Column("probe", BigInteger),  # the URL that it is tried with
    Column("holds", Boolean, nullable=False),  # URLs of it may have been refused
    Column("quarantined", Boolean, nullable=False),  # of a whole site: nothing is fetched but its lists
)
partial_index("ix_url_patterns_spent", url_patterns.c.site, where="spent_at IS NOT NULL")

url_equivalences = Table(
    "url_equivalences",
    metadata,
    Column("key", Key, primary_key=True, autoincrement=False),  # of a site, a pattern, and a URL without one part
)

url_deletions = Table(
    "url_deletions",
    metadata,
    Column("id", SmallInteger, primary_key=True, autoincrement=False),  # one row at most: 1
    Column("total", BigInteger, nullable=False),  # how often a URL was forgotten
)
