"""The ledger: every URL, its host, what is learned about URLs of one pattern, and the links between pages."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Computed, Index, Integer, LargeBinary, SmallInteger, Text

from newsspider.store.tables.columns import (
    Json,
    Key,
    Moment,
    Priority,
    Seconds,
    flag,
    index_where,
    key,
    optional,
    required,
    table,
)

SUSPECT_DEATHS = 3  # of its workers, after which a URL is claimed alone
PUT_OFF = ("retry", "rate_limited", "no_robots")  # reasons of a visit that is still to be made, of a known page too
ARTICLE_KINDS = ("article", "blog", "forum")  # kinds of pages that are stored

_QUEUE = (
    "CASE WHEN due_at IS NULL OR state = 'processing' THEN NULL "
    f"WHEN deaths >= {SUSPECT_DEATHS} THEN 2 "
    f"WHEN state = 'waiting' OR reason IN {PUT_OFF} THEN 0 "
    f"WHEN state = 'done' AND update_cycle IS NULL AND kind IN {ARTICLE_KINDS} THEN 3 ELSE 1 END"
)

urls = table(
    "urls",
    "One row for every URL ever seen. The counts of the four states sum to the number of rows.",
    key("key", Key, "the key of the URL"),
    required("url", Text, "the canonical URL"),
    required("host", Text, "its host, with an unusual port: the unit of politeness"),
    required("site", Text, "the site that it belongs to; empty: submitted, and of no site", ""),
    required("channel", Text, "the channel that it was found on; `submitted`, or `explore` in explore crawls", ""),
    required("kind", Text, "what it is expected to be; once it was fetched, its page type"),
    required("state", Text, "one of the [states](reasons.md#states)"),
    required("reason", Text, "one of the [reasons](reasons.md#reasons)"),
    required("detail", Text, "more about the reason: the exception, the target of a redirect, a duplicate's URL", ""),
    required("depth", SmallInteger, "1: a list; 2: an article; in explore crawls: links from a seed", "0"),
    required("hops", SmallInteger, "redirects, frames or next pages on the way to it", "0"),
    optional("parent", BigInteger, "key of the page that first led to it"),
    required("anchor", Text, "the text of the link that led to it", ""),
    required("priority", Priority, "higher first: 10 times the channel's weight, plus 1000 for lists", "0"),
    required("strategy_state", Json, "what the strategy of an explore crawl keeps for it; empty: none", ""),
    required("partial_article", Json, "of a further page: its article, as far as the pages before it go", ""),
    required(
        "meta",
        Json,
        "for `Request.meta`: of a start URL what its message says beyond it, of an entry of another program's feed its text",
        "",
    ),
    required("found_at", Moment, "when it was first seen"),
    optional("due_at", Moment, "when it may be fetched (again); empty: never"),
    optional("update_cycle", Seconds, "the longest time between two polls of a list; empty: not a list"),
    optional("last_fetched_at", Moment, "when its last request was sent; empty: never"),
    optional("last_status", SmallInteger, "the HTTP status of the last response"),
    required("fetch_count", Integer, "successful fetches", "0"),
    required("change_count", Integer, "fetches that found another body than the one before", "0"),
    required("failures", Integer, "failed attempts since the last success, or rechecks in vain", "0"),
    required("deaths", SmallInteger, "workers that died while they held it, since its last settled lease", "0"),
    required("internal_errors", SmallInteger, "processes in a row that failed on it through an internal error", "0"),
    optional("etag", Text, "the ETag of the last full response"),
    optional("last_modified", Text, "the Last-Modified of the last full response"),
    optional("body_hash", Text, "MD5 of the normalised text; of a list, of the URLs that it shows"),
    optional("bytes_hash", Text, "hash of the last full response that had validators: same bytes, no change"),
    flag("stale_validators", "the validators belong to an older content: a 304 would be wrong"),
    optional("topic", Text, "the topic that refused it, for `off_topic`"),
    optional("lease_worker", Text, "the worker that holds it: host:process:moment"),
    required("lease_token", Integer, "the number of its last lease; results of older leases are refused", "0"),
    optional("lease_ends_at", Moment, "when the lease expires"),
    optional("lease_state", Text, "the state before it was claimed"),
    optional(
        "queue",
        SmallInteger,
        "computed: 0 to be fetched, 1 to be revisited, 2 suspected of killing workers, 3 an article to be revisited",
        Computed(_QUEUE, persisted=True),
    ),
)
_FIRST = (urls.c.priority.desc(), urls.c.due_at, urls.c.found_at)
index_where("ix_urls_waiting", urls.c.host, urls.c.site, *_FIRST, where="queue = 0")
index_where("ix_urls_due", urls.c.host, urls.c.site, urls.c.queue, urls.c.due_at, where="queue IS NOT NULL")
index_where("ix_urls_suspect", urls.c.due_at, where="queue = 2")
index_where("ix_urls_off_topic", urls.c.topic, urls.c.last_fetched_at, where="reason = 'off_topic'")
index_where("ix_urls_refused_body", urls.c.body_hash, where="reason = 'off_topic' AND body_hash IS NOT NULL")
index_where("ix_urls_trapped", urls.c.site, urls.c.detail, urls.c.found_at, where="reason = 'trap'")
index_where("ix_urls_detail", urls.c.site, urls.c.detail, where="reason IN ('redirect', 'duplicate')")
Index("ix_urls_state", urls.c.state, urls.c.reason, urls.c.found_at)
index_where("ix_urls_failing", urls.c.failures, where="failures > 0")
index_where("ix_urls_internal_errors", urls.c.site, where="internal_errors > 0")
index_where("ix_urls_polled", urls.c.site, where="update_cycle IS NOT NULL")
index_where("ix_urls_explore_depth", urls.c.site, urls.c.depth, where="channel = 'explore'")
_WAITING = "channel = 'explore' AND queue = 0"
index_where("ix_urls_explore_waiting", urls.c.site, urls.c.priority.desc(), urls.c.found_at, where=_WAITING)

hosts = table(
    "hosts",
    "What is known of each host. Its politeness delay is kept here, for all workers together.",
    key("host", Text, "the host, as in `urls`"),
    required("next_at", Moment, "no request is sent before", "0"),
    required("paused_until", Moment, "no request is sent before: the host is in trouble, or asked us to wait", "0"),
    optional("last_visit_at", Moment, "when the last request was sent"),
    required("pages", Integer, "responses so far", "0"),
    required("addresses", Text, "the IP addresses that responded, separated by spaces", ""),
    required("address", Text, "the IP address of the last request; empty: unknown, or behind a proxy", ""),
    optional("delay", Seconds, "the last delay"),
    required("delay_reason", Text, "[what set the delay](reasons.md#what-sets-the-delay-of-a-host)", ""),
    optional("latency", Seconds, "smoothed time from request to last byte"),
    required("failures", Integer, "pauses in a row", "0"),
    optional("robots_status", SmallInteger, "the status of its robots.txt; empty: it could not be fetched"),
    optional("robots_text", LargeBinary, "the last robots.txt; it serves for 30 days while fetching it fails"),
    optional("robots_fetched_at", Moment, "when robots.txt was last asked for; empty: never"),
    optional("robots_good_status", SmallInteger, "the status of the robots.txt in `robots_text`"),
    optional("robots_good_at", Moment, "when that was fetched; empty: none ever was"),
    optional("page_at", Moment, "when a list or an article was last read successfully"),
    optional("article_at", Moment, "when an article was last read successfully"),
    optional("wrong_304_at", Moment, "when it last answered 304 for a changed page: no validators for a month"),
    optional("busy_key", BigInteger, "the URL that is being fetched from it: one at a time"),
    optional("busy_until", Moment, "when that lease expires"),
)
index_where("ix_hosts_address", hosts.c.address, where="address <> ''")

addresses = table(
    "addresses",
    "IP addresses shared by several hosts, which together are asked no more often than one host.",
    key("address", Text, "the IP address, as in `hosts`"),
    required("next_at", Moment, "no request is sent to its hosts before", "0"),
    optional("busy_key", BigInteger, "the URL that is being fetched from one of its hosts"),
)
index_where("ix_addresses_busy", addresses.c.busy_key, where="busy_key IS NOT NULL")

queues = table(
    "queues",
    "A summary of `urls` and `hosts` that makes claims fast: one row for each queue of a site on a host.",
    key("host", Text, "the host"),
    key("site", Text, "the site"),
    key("queue", SmallInteger, "0, 1 or 3, as in `urls`"),
    optional("due_at", Moment, "no row of the queue is due before; empty: the queue is empty"),
    required("top_priority", Priority, "its highest priority; a million less in queue 3, so that news goes first", "0"),
    required("host_ready_at", Moment, "the host may not be asked before", "0"),
    required("revision", BigInteger, "grows with every change: of two copies of a row, the higher is newer", "0"),
    sqlite_with_rowid=False,
)

url_patterns = table(
    "url_patterns",
    "What URLs of one pattern wasted and yielded (trap budgets)."
    " The URLs of an exhausted pattern are `done` with the reason `trap`.",
    key("key", Key, "number of site and pattern"),
    required("site", Text, "the site; of an explore crawl: its name, a space and the domain"),
    required("pattern", Text, "the pattern; empty: all URLs of the site"),
    required("wasted", Integer, "fetches that brought nothing, ever"),
    required("debt", Integer, "wasted fetches that no new article has paid for; negative: a surplus"),
    required("yielded", Boolean, "one of its pages was a new article, on topic or off, or led to one"),
    optional("spent_at", Moment, "since when its URLs are not fetched"),
    required("tries", Integer, "fetches in vain since then"),
    optional("retry_at", Moment, "when the next attempt is made"),
    optional("probe", BigInteger, "the key of the URL of that attempt, while it waits"),
    required("holds", Boolean, "URLs of it may have been refused, which wait again when it yields"),
    required("quarantined", Boolean, "of a whole site: only its lists are fetched"),
)
index_where("ix_url_patterns_spent", url_patterns.c.site, where="spent_at IS NOT NULL")

url_equivalences = table(
    "url_equivalences",
    "URLs already read, without one part that a site was found to ignore; explored pages that brought something.",
    key("key", Key, "number of site, pattern and URL, with `{}` for the ignored part; or of crawl and URL"),
)

explore_crawls = table(
    "explore_crawls",
    "One row for each explore or query crawl. Its URLs have keys and rows of their own in `urls`.",
    key("site", Text, "`explore:NAME` or `query:WORDS`; `/index` behind it: indexing what that crawl found"),
    required("strategy", Text, "its strategy"),
    required("visits", BigInteger, "pages read, over all workers and runs", "0"),
    required("hosts", Integer, "hosts in `explore_hosts`", "0"),
    required("began_at", Moment, "when its first run began"),
    required("resumed_at", Moment, "when its last run began"),
)

url_deletions = table(
    "url_deletions",
    "How often a URL was forgotten; at most one row. Writers that cache keys check it. If you delete rows of `urls` by"
    " hand during a crawl on PostgreSQL, add 1 in the same transaction.",
    key("id", SmallInteger, "always 1"),
    required("total", BigInteger, "deletions so far"),
)


distinct_links = table(
    "distinct_links",
    "Every different link, once, however many pages show it. The view `links_of_lists` has the links of lists in full;"
    " `scrapy graph --from` prints those of any page.",
    Column("id", Key, primary_key=True, doc="its number"),
    optional(
        "form",
        BigInteger,
        "its hash, unique with `dst`, by which it is looked up; NULL once pruned: no page referred to it",
    ),
    required("dst", BigInteger, "key of the page linked to; it need not be in `urls`"),
    required("url", Text, "the canonical URL of that page"),
    required("anchor", Text, "the anchor text, at most 300 characters"),
    required("kind", Text, "`article`, `list`, `next`, `attachment` or `other`; on article pages one of the last two"),
    required("region", Text, "`main`, `side`, `navigation`, `footer` or `body`"),
)
Index("ix_distinct_links_form", distinct_links.c.form, distinct_links.c.dst, unique=True)

link_lists = table(
    "link_lists",
    "The pages whose links count as those of a list: list pages, and all pages of explore crawls.",
    Column("id", Key, primary_key=True, doc="its number"),
    required("src", BigInteger, "key of the page that links"),
    required("channel", Text, "site/channel"),
)
Index("ix_link_lists_src", link_lists.c.src, link_lists.c.channel, unique=True)

list_links = table(
    "list_links",
    "The links of lists: every link between two pages once. Those marked `nofollow` do not count.",
    key("list", Key, "as in `link_lists`"),
    key("dst", BigInteger, "key of the page linked to"),
    required("link", Key, "as in `distinct_links`"),
    required("found_at", Moment, "when it was stored"),
    flag("nofollow", "the link or its page asks not to follow it"),
    sqlite_with_rowid=False,
)
index_where("ix_list_links_shown", list_links.c.dst, list_links.c.list, where="NOT nofollow")

page_links = table(
    "page_links",
    "The links of all other pages: a row for each visit that found new ones.",
    key("src", BigInteger, "key of the page that links"),
    key("found_at", Moment, "when they were stored"),
    required(
        "links",
        LargeBinary,
        "compressed by zlib: 64-bit numbers, low byte first, each what is to be added to the one before. They are twice"
        " the number in `distinct_links`, and 1 more for `nofollow`",
    ),
    sqlite_with_rowid=False,
)
