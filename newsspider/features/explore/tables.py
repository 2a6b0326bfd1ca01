"""The tables of the feature: what explore crawls read and learned, and the ranks of pages."""

from __future__ import annotations

from sqlalchemy import BigInteger, Integer, LargeBinary, Text

from newsspider.store.tables.columns import Json, Key, Moment, Number, key, required, table

ranks = table(
    "ranks",
    "What each URL is worth by the links to and from it, without navigation, footers and links on most pages of a site."
    " Written by `scrapy graph rank`.",
    key("key", Key, "the key of the URL"),
    required("pagerank", Number, "its PageRank; all rows sum to 1"),
    required("hub", Number, "its hub score (HITS); all rows sum to 1"),
    required("authority", Number, "its authority score (HITS); all rows sum to 1"),
    required("weight", Number, "its page weight"),
    required("indegree", Integer, "pages that link to it"),
    required("parent_indegree", Integer, "pages that link to the best known of those"),
    required("mirrors", Integer, "other hosts that show its article or a reprint"),
    required("ranked_at", Moment, "when these were computed"),
)

explore_hosts = table(
    "explore_hosts",
    "The hosts of a crawl whose strategy takes turns by host (`webcrawler`).",
    key("site", Text, "as in `explore_crawls`"),
    key("host", Text, "as in `hosts`"),
    required("hosts_before", Integer, "hosts that the crawl found before it"),
    required("lowest_priority", BigInteger, "the lowest priority that one of its URLs ever had"),
    sqlite_with_rowid=False,
)

explore_pages = table(
    "explore_pages",
    "The pages that explore crawls read, articles or not.",
    key("key", Key, "as in `urls`"),
    required("title", Text, "its `<title>`"),
    required("markup_errors", Json, "its markup errors, if the strategy records them", "[]"),
)

discovered_pages = table(
    "discovered_pages",
    "The pages that may be articles, as they were fetched, until they are indexed (`rbse`).",
    key("key", Key, "as in `urls`"),
    required("content", LargeBinary, "its bytes, compressed by zlib"),
    required("charset", Text, "by which it was read"),
)

strategy_counters = table(
    "strategy_counters",
    "What crawls learned about links (strategy `focused`): pairs of numbers that add up.",
    key("crawl", Text, "the site of its URLs, `explore:NAME`"),
    key("name", Text, "`weight FACT`, `read HOST/FOLDER/` or `beside PAGE HOST/FOLDER`"),
    required("first", Number, "the change of the weight; or pages read"),
    required("second", Number, "the sum of its squared gradients; or pages on topic"),
    sqlite_with_rowid=False,
)
