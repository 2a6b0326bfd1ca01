"""The tables of the feature: what pages are worth by the links between them."""

from __future__ import annotations

from sqlalchemy import Integer

from newsspider.store.tables.columns import Key, Moment, Number, key, required, table

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
