"""The tables of the health of sources."""

from __future__ import annotations

from sqlalchemy import Integer, Text

from newsspider.store.tables.columns import Json, Moment, key, required, table

channel_days = table(
    "channel_days",
    "The figures of each channel on each day: what `scrapy health` rests on. The last 60 days are kept.",
    key("site", Text, "the site"),
    key("channel", Text, "the channel"),
    key("day", Integer, "the day in China, counted from 1970-01-01"),
    required("figures", Json, "polls, new URLs, articles shown, what articles lack, and what goes wrong in a row"),
    sqlite_with_rowid=False,
)

site_checks = table(
    "site_checks",
    "The last result of `scrapy sites check` for each site, by which a command that was stopped continues.",
    key("site", Text, "the site, which need not be watched"),
    required("digest", Text, "the hash of its site file: a site that was changed is asked again"),
    required("checked_at", Moment, "when it was visited"),
    required("result", Json, "what the visit showed"),
    sqlite_with_rowid=False,
)
