"""The tables of the store, the same on SQLite and PostgreSQL; migrations bring a database to this shape.

Moments of the ledger are seconds since the epoch. ``urls.queue`` is worked out by the database itself and says in which
queue of its host a row stands, so that no statement can forget to: 0 waiting or put off, 1 to be visited again, 2
suspected of killing workers, 3 a stored article to be visited again, NULL not claimable. A row of ``queues`` sums up
one queue of one site on one host: ``due_at`` is never later than its first due row, ``gate`` never later than the
moment at which the host may be asked. A claim looks at these few rows instead of at millions, and sets right what it
finds too early.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Computed,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    text,
)

SUSPECT_DEATHS = 3  # a URL whose workers died so often is claimed alone
PUT_OFF = ("retry", "rate_limited", "no_robots")  # reasons of a visit that is still to be made, of a known page too
ARTICLES = ("article", "blog", "forum")  # kinds of pages that are stored

metadata = MetaData()

Key = BigInteger().with_variant(Integer(), "sqlite")  # INTEGER PRIMARY KEY is SQLite's own row number: no second tree
Priority = BigInteger().with_variant(Integer(), "sqlite")  # where every integer has 64 bits


def _partial_index(name: str, *columns: ColumnElement[Any], where: str) -> None:
    """An index of the rows of which this holds."""
    Index(name, *columns, sqlite_where=text(where), postgresql_where=text(where))


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
    Column("carried", Text, nullable=False, server_default=""),
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
    Column("faults", SmallInteger, nullable=False, server_default="0"),
    Column("etag", Text),
    Column("last_modified", Text),
    Column("body_hash", Text),
    # of the answer as it came: where it is another, the page was changed and not only read otherwise
    Column("bytes_hash", Text),
    Column("proving", Boolean, nullable=False, server_default=text("false")),  # the validators are of an older content
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
_partial_index(
    "ix_urls_waiting",
    urls.c.host,
    urls.c.site,
    urls.c.priority.desc(),
    urls.c.due_at,
    urls.c.found_at,
    where="queue = 0",
)
_partial_index("ix_urls_due", urls.c.host, urls.c.site, urls.c.queue, urls.c.due_at, where="queue IS NOT NULL")
_partial_index("ix_urls_suspect", urls.c.due_at, where="queue = 2")
_partial_index("ix_urls_off_topic", urls.c.topic, urls.c.last_fetched_at, where="reason = 'off_topic'")
_partial_index("ix_urls_refused_body", urls.c.body_hash, where="reason = 'off_topic' AND body_hash IS NOT NULL")
_partial_index("ix_urls_trapped", urls.c.site, urls.c.detail, urls.c.found_at, where="reason = 'trap'")
_partial_index("ix_urls_alike", urls.c.site, urls.c.detail, where="reason IN ('redirect', 'duplicate')")
Index("ix_urls_state", urls.c.state)
_partial_index("ix_urls_faults", urls.c.site, where="faults > 0")
_partial_index("ix_urls_polled", urls.c.site, where="update_cycle IS NOT NULL")
_partial_index("ix_urls_explored", urls.c.site, urls.c.depth, where="channel = 'explore'")
_partial_index(
    "ix_urls_best", urls.c.site, urls.c.priority.desc(), urls.c.found_at, where="channel = 'explore' AND queue = 0"
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
    Column("conditional", Integer, nullable=False, server_default="0"),  # requests that named validators
    Column("not_modified", Integer, nullable=False, server_default="0"),  # and were answered 304
    # and were answered in full, though nothing had changed
    Column("useless", Integer, nullable=False, server_default="0"),
    Column("checked", Integer, nullable=False, server_default="0"),  # requests without conditions, to see
    Column("lie", Text, nullable=False, server_default=""),  # why it is no longer asked with conditions
    Column("lied_at", Float(53)),
    Column("busy_key", BigInteger),
    Column("busy_until", Float(53)),
)
_partial_index("ix_hosts_address", hosts.c.address, where="address <> ''")

addresses = Table(
    "addresses",
    metadata,
    Column("address", Text, primary_key=True),
    Column("next_at", Float(53), nullable=False, server_default="0"),
    Column("busy_key", BigInteger),
)
_partial_index("ix_addresses_busy", addresses.c.busy_key, where="busy_key IS NOT NULL")

workers = Table(
    "workers",
    metadata,
    Column("worker", Text, primary_key=True),
    Column("watched", Text, nullable=False),  # a name for the sites that it claims from
    Column("beats", BigInteger, nullable=False),  # counted up while it lives
    Column("seen_at", Float(53), nullable=False),
)

assigned_hosts = Table(
    "assigned_hosts",
    metadata,
    Column("watched", Text, primary_key=True),
    Column("host", Text, primary_key=True),
    Column("worker", Text, nullable=False),
    sqlite_with_rowid=False,
)
Index("ix_assigned_hosts_worker", assigned_hosts.c.worker, assigned_hosts.c.host)

queues = Table(
    "queues",
    metadata,
    Column("host", Text, primary_key=True),
    Column("site", Text, primary_key=True),
    Column("queue", SmallInteger, primary_key=True, autoincrement=False),
    Column("due_at", Float(53)),
    Column("top", Priority, nullable=False, server_default="0"),  # its best priority, to ask hosts in this order
    Column("gate", Float(53), nullable=False, server_default="0"),
    Column("revision", BigInteger, nullable=False, server_default="0"),  # grows with every change
    sqlite_with_rowid=False,
)

sites = Table(
    "sites",
    metadata,
    Column("name", Text, primary_key=True),
    Column("toml", Text, nullable=False),
    Column("origin", Text, nullable=False, server_default=""),
    Column("origin_hash", Text, nullable=False, server_default=""),
    Column("enabled", Boolean, nullable=False),
    Column("removed", Boolean, nullable=False, server_default=text("false")),
    Column("weight", Integer, nullable=False),
    Column("media_class", Text, nullable=False, server_default=""),
    Column("added_at", Float(53), nullable=False),
    Column("changed_at", Float(53), nullable=False),
    Column("revision", Integer, nullable=False),  # the store-wide number of its last change
)

channels = Table(
    "channels",
    metadata,
    Column("site", Text, ForeignKey("sites.name", ondelete="CASCADE"), primary_key=True),
    Column("name", Text, primary_key=True),
    Column("url", Text, nullable=False),
    Column("key", BigInteger, nullable=False),
    Column("weight", Integer, nullable=False),
    Column("kind", Text, nullable=False),
    Column("polls", Integer, nullable=False, server_default="0"),
    Column("last_polled_at", Float(53)),
    Column("last_status", SmallInteger),
    Column("last_links", Integer),
    Column("last_new", Integer),
    Column("list_paths", Text, nullable=False, server_default=""),  # JSON: XPaths of the links of its lists, as learned
    Column("list_learned_at", Float(53)),
    Column("list_moves", Integer, nullable=False, server_default="0"),  # how often they were learned again
    Column("list_lost_at", Float(53)),  # since when there is no list on its page
    # JSON: how probable each rate is (core.revisiting.rates)
    Column("belief", Text, nullable=False, server_default=""),
    Column("rate", Float(53)),  # items a day that are expected of it
    Column("seen_at", Float(53)),  # when it was last read well
    Column("found_since", Integer, nullable=False, server_default="0"),  # new items on its further pages since then
)

prices = Table(
    "prices",
    metadata,
    Column("topic", Text, primary_key=True),  # of the crawl: each has lists and a budget of its own
    Column("host", Text, primary_key=True),  # empty: all
    # by which the price of a request is multiplied (core.revisiting.revisit)
    Column("factor", Float(53), nullable=False),
)

rhythms = Table(
    "rhythms",
    metadata,
    Column("site", Text, primary_key=True),
    # JSON: items and hours watched, by hour and day of the week (core.revisiting.profile)
    Column("seen", Text, nullable=False),
)

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
Index("ix_articles_judged", articles.c.topic, articles.c.crawled_ts)
_partial_index("ix_articles_snapshot", articles.c.snapshot, where="snapshot <> ''")

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

patterns = Table(
    "patterns",
    metadata,
    Column("key", Key, primary_key=True, autoincrement=False),
    Column("site", Text, nullable=False),
    Column("pattern", Text, nullable=False),  # empty: all URLs of the site; see core.fetching.budget
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
_partial_index("ix_patterns_spent", patterns.c.site, where="spent_at IS NOT NULL")

places = Table(
    "places",
    metadata,
    Column("key", Key, primary_key=True, autoincrement=False),  # of a site, a pattern, and a URL without one part
)

absences = Table(
    "absences",
    metadata,
    Column("key", Key, ForeignKey("article_urls.key", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("absence", Text, nullable=False),  # what stands there instead
    Column("misses", Integer, nullable=False),  # those that count
    Column("since", Float(53)),  # the first of them; NULL: it is there again
    Column("last_at", Float(53)),
    Column("returned", Integer, nullable=False),  # how often it was there again
    Column("returned_at", Float(53)),
    Column("vanished_at", Float(53)),
    Column("gone_at", Float(53)),  # the last time that it had vanished, be it there again or not
    Column("deleted_at", Float(53)),  # its snapshots
)
_partial_index("ix_absences_vanished", absences.c.vanished_at, where="vanished_at IS NOT NULL")

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
_partial_index("ix_revisions_snapshot", revisions.c.snapshot, where="snapshot <> ''")

revisited = Table(
    "revisited",
    metadata,
    Column("site", Text, primary_key=True),
    Column("visits", Integer, nullable=False),  # to its stored articles, answered
    Column("changes", Integer, nullable=False),  # of their texts that these found
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
_partial_index("ix_links_shown", links.c.dst, links.c.channel, where="channel IS NOT NULL AND NOT nofollow")
_partial_index("ix_links_nofollow", links.c.src, links.c.dst, where="nofollow")

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
    Column("father", Integer, nullable=False),  # pages that link to the best known of these
    Column("mirrors", Integer, nullable=False),  # other hosts that show its article or a reprint
    Column("ranked_at", Float(53), nullable=False),
)

explorations = Table(
    "explorations",
    metadata,
    Column("site", Text, primary_key=True),  # the crawl: "explore:NAME" or "query:WORDS", the site of its URLs
    Column("strategy", Text, nullable=False),
    Column("visits", BigInteger, nullable=False, server_default="0"),  # pages read, over all workers and runs
    Column("hosts", Integer, nullable=False, server_default="0"),  # how many it knows
    Column("began_at", Float(53), nullable=False),
    Column("resumed_at", Float(53), nullable=False),
)

explored_hosts = Table(
    "explored_hosts",
    metadata,
    Column("site", Text, primary_key=True),
    Column("host", Text, primary_key=True),
    Column("number", Integer, nullable=False),  # hosts that the crawl knew before it
    Column("lowest", BigInteger, nullable=False),  # the lowest priority that one of its URLs ever had
    sqlite_with_rowid=False,
)

explored_pages = Table(
    "explored_pages",
    metadata,
    Column("key", Key, primary_key=True, autoincrement=False),
    Column("title", Text, nullable=False),
    Column("faults", Text, nullable=False, server_default="[]"),  # JSON: of its markup
)

lessons = Table(
    "lessons",
    metadata,
    Column("crawl", Text, primary_key=True),  # the site of its URLs
    Column("name", Text, primary_key=True),  # of a weight, or of a place where pages were read
    Column("first", Float(53), nullable=False),  # the change of the weight; pages read
    Column("second", Float(53), nullable=False),  # the sum of its squared gradients; pages on topic
    sqlite_with_rowid=False,
)

boilerplate = Table(
    "boilerplate",
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

part_snapshots = Table(
    "part_snapshots",
    metadata,
    Column("article_id", Key, ForeignKey("articles.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("snapshot", Text, primary_key=True, index=True),  # in the article's ``parts``
    sqlite_with_rowid=False,
)

further_snapshots = Table(
    "further_snapshots",
    metadata,
    Column("revision_id", Key, ForeignKey("revisions.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("snapshot", Text, primary_key=True, index=True),  # in ``further`` of the revision
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
    Column("like_id", BigInteger),  # the article it is closest to, of those before it
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

passes = Table(
    "passes",
    metadata,
    Column("id", Key, primary_key=True),
    Column("kind", Text, nullable=False),  # what is done: "reread", "regroup" or "rank"
    Column("asked", Text, nullable=False),  # JSON: for which articles, or how; the same is gone on with
    Column("after_id", BigInteger, nullable=False, server_default="0"),  # the last article that is done
    Column("last_id", BigInteger, nullable=False),  # the last one that there was when it began
    Column("figures", Text, nullable=False, server_default="{}"),  # JSON: what became of how many
    Column("began_at", Float(53), nullable=False),
    Column("finished_at", Float(53)),
)

forgets = Table(
    "forgets",
    metadata,
    Column("id", SmallInteger, primary_key=True, autoincrement=False),  # one row at most: 1
    Column("times", BigInteger, nullable=False),  # how often a URL was forgotten
)

runs = Table(
    "runs",
    metadata,
    Column("id", Key, primary_key=True),
    Column("spider", Text, nullable=False),
    Column("worker", Text, nullable=False, server_default=""),
    Column("arguments", Text, nullable=False, server_default="{}"),  # JSON
    Column("started_at", Float(53), nullable=False),
    Column("finished_at", Float(53)),
    Column("reason", Text),
    Column("figures", Text, nullable=False, server_default="{}"),  # JSON
)
