"""The sites, their channels, and when their lists are polled."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, ForeignKey, Integer, SmallInteger, Text

from newsspider.store.tables.columns import Json, Moment, Number, flag, key, optional, required, table

sites = table(
    "sites",
    "The registry behind `scrapy sites`.",
    key("name", Text, "its name"),
    required("toml", Text, "all of it, as a site file"),
    required("origin", Text, "`shipped:FILE`, `given:PATH#NAME` for `-a sites=`; empty: added by hand", ""),
    required("origin_hash", Text, "a hash of the text that the origin gave last", ""),
    required("enabled", Boolean, "whether it is crawled"),
    flag("removed", "a shipped site that was removed stays removed"),
    required("weight", Integer, "1-10"),
    required("media_class", Text, "`central`, `portal`, `local`, `trade`, `column`, `blog`, `forum` or `official`", ""),
    required("region", Text, "its province or city; empty: not known", ""),
    required("added_at", Moment, "when it was added"),
    required("changed_at", Moment, "when it was last changed"),
    required("revision", Integer, "the number of that change over all sites: running crawls watch the highest"),
)

channels = table(
    "channels",
    "The channels of the sites, with the result of their last poll.",
    key("site", Text, "the site", ForeignKey("sites.name", ondelete="CASCADE")),
    key("name", Text, "its name"),
    required("url", Text, "its canonical URL"),
    required("key", BigInteger, "the key of that URL"),
    required("weight", Integer, "1-10"),
    required("kind", Text, "`home`, `channel`, `list`, `rolling`, `feed` or `sitemap`"),
    required("polls", Integer, "polls that got a response", "0"),
    optional("last_polled_at", Moment, "when the last one was stored"),
    optional("last_status", SmallInteger, "its HTTP status"),
    optional("last_links", Integer, "links on it, without those marked `nofollow`"),
    optional("last_new", Integer, "URLs on it that were new"),
    required("list_paths", Json, "learned XPaths of the links of its lists; empty: none yet", ""),
    optional("list_learned_at", Moment, "when they were last learned"),
    required("list_moves", Integer, "how often they were learned again after a redesign", "0"),
    optional("list_lost_at", Moment, "since when the page shows no list; empty: it shows one"),
    required("rate_posterior", Json, "the probability of each publication rate; empty: nothing learned yet", ""),
    optional("rate", Number, "the expected number of new items a day"),
    optional("seen_at", Moment, "when it was last read successfully"),
    required("found_since", Integer, "new URLs that its further pages brought since then", "0"),
)

poll_multipliers = table(
    "poll_multipliers",
    "What multiplies the price of a poll so that the polls stay within the budget; the next crawl starts from it.",
    key("topic", Text, "the topic of the crawl"),
    key("host", Text, "a host that would be asked too much; empty: all"),
    required("factor", Number, "the multiplier"),
)

publication_profiles = table(
    "publication_profiles",
    "When each site publishes, as the polls of its lists show.",
    key("site", Text, "the site"),
    required("counts", Json, "items and hours watched by hour and weekday; old ones count less"),
)
