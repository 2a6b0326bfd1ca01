"""The links between pages, their ranks, and the explore crawls."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Float, Integer, Table, Text, text

from newsspider.store.tables.columns import Key, metadata, partial_index

links = Table(
    "links",
    metadata,
    Column("src", BigInteger, primary_key=True, autoincrement=False),
    Column("dst", BigInteger, primary_key=True, autoincrement=False),
    Column("url", Text, nullable=False),
    Column("anchor", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("region", Text, nullable=False),
    Column("channel", Text),  # "site/channel" of the list page that shows it; NULL on the pages of articles
    Column("found_at", Float(53), nullable=False),
    # the link or its page asks not to follow it
    Column("nofollow", Boolean, nullable=False, server_default=text("false")),
    sqlite_with_rowid=False,
)
partial_index("ix_links_shown", links.c.dst, links.c.channel, where="channel IS NOT NULL AND NOT nofollow")
partial_index("ix_links_nofollow", links.c.src, links.c.dst, where="nofollow")

ranks = Table(
    "ranks",
    metadata,
    Column("key", Key, primary_key=True, autoincrement=False),  # of a URL to or from which a link leads
    Column("pagerank", Float(53), nullable=False),
    Column("hub", Float(53), nullable=False),
    Column("authority", Float(53), nullable=False),
    # core.exploring.ranks.page_weight of the next three and the depth of its directory
    Column("weight", Float(53), nullable=False),
    Column("indegree", Integer, nullable=False),  # pages that link to it
    Column("parent_indegree", Integer, nullable=False),  # pages that link to the best known of these
    Column("mirrors", Integer, nullable=False),  # other hosts that show its article or a reprint
    Column("ranked_at", Float(53), nullable=False),
)

explore_crawls = Table(
    "explore_crawls",
    metadata,
    Column("site", Text, primary_key=True),  # the crawl: "explore:NAME" or "query:WORDS", the site of its URLs
    Column("strategy", Text, nullable=False),
    Column("visits", BigInteger, nullable=False, server_default="0"),  # pages read, over all workers and runs
    Column("hosts", Integer, nullable=False, server_default="0"),  # how many it knows
    Column("began_at", Float(53), nullable=False),
    Column("resumed_at", Float(53), nullable=False),
)

explore_hosts = Table(
    "explore_hosts",
    metadata,
    Column("site", Text, primary_key=True),
    Column("host", Text, primary_key=True),
    Column("hosts_before", Integer, nullable=False),  # hosts that the crawl knew before it
    Column("lowest_priority", BigInteger, nullable=False),  # the lowest priority that one of its URLs ever had
    sqlite_with_rowid=False,
)

explore_pages = Table(
    "explore_pages",
    metadata,
    Column("key", Key, primary_key=True, autoincrement=False),
    Column("title", Text, nullable=False),
    Column("markup_errors", Text, nullable=False, server_default="[]"),  # JSON: of its markup
)

strategy_counters = Table(
    "strategy_counters",
    metadata,
    Column("crawl", Text, primary_key=True),  # the site of its URLs
    Column("name", Text, primary_key=True),  # of a weight, or of a place where pages were read
    Column("first", Float(53), nullable=False),  # the change of the weight; pages read
    Column("second", Float(53), nullable=False),  # the sum of its squared gradients; pages on topic
    sqlite_with_rowid=False,
)
