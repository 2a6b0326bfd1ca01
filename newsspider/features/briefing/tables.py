"""The table of the briefings that were made."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, Integer, Text

from newsspider.store.tables.columns import Json, Key, Moment, optional, required, table

briefings = table(
    "briefings",
    "The briefings that were made. The next daily or weekly one of a scope begins where the last one ended, and leaves"
    " out the events that it told unless they grew.",
    Column("id", Key, primary_key=True, doc="its number"),
    required("kind", Text, "`daily`, `weekly` or `special`"),
    required("scope", Json, "what it was asked for: topic, region and query"),
    required("since_ts", BigInteger, "from when on it tells of articles, in seconds since the epoch"),
    required("until_ts", BigInteger, "up to when, exclusive"),
    required("made_at", Moment, "when it was made"),
    required("events", Json, "the events that it tells of, each with the number of its pages at that time"),
    required("heading", Text, "its title with the number of the issue, and what it is about"),
    optional("original", Json, "all of it, in the words of its articles; NULL if `content` is the same"),
    required("content", Json, "all of it, as a model worded it and an editor left it"),
    required("edits", Integer, "how often it was edited", "0"),
    optional("sent_at", Moment, "when it was given to the outbox of the alerts; from then on it stays as it is"),
    sqlite_autoincrement=True,  # the number of a deleted one is not used again: links would lead elsewhere
)
Index("ix_briefings_until", briefings.c.until_ts)
