"""The sites, their channels, and when their lists are polled."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Float, ForeignKey, Integer, SmallInteger, Table, Text, text

from newsspider.store.tables.columns import metadata

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
    Column("rate_posterior", Text, nullable=False, server_default=""),
    Column("rate", Float(53)),  # items a day that are expected of it
    Column("seen_at", Float(53)),  # when it was last read well
    Column("found_since", Integer, nullable=False, server_default="0"),  # new items on its further pages since then
)

poll_multipliers = Table(
    "poll_multipliers",
    metadata,
    Column("topic", Text, primary_key=True),  # of the crawl: each has lists and a budget of its own
    Column("host", Text, primary_key=True),  # empty: all
    # by which the price of a request is multiplied (core.revisiting.revisit)
    Column("factor", Float(53), nullable=False),
)

publication_profiles = Table(
    "publication_profiles",
    metadata,
    Column("site", Text, primary_key=True),
    # JSON: items and hours watched, by hour and day of the week (core.revisiting.profile)
    Column("counts", Text, nullable=False),
)
