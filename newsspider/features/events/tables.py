"""The tables of the events."""

from __future__ import annotations

from sqlalchemy import BigInteger, Connection, ForeignKey, Index, Integer, Text, delete, insert

from newsspider.store.tables.columns import Json, Key, Moment, Number, key, metadata, optional, required, table
from newsspider.store.tables.runs import batch_jobs, last_arguments

ANALYSE = "analyse"  # the kind of its batch job, whose `last_done_id` is the last article that was analysed
RULES_VERSION = 7  # of the rules: events of another version are rebuilt

events = table(
    "events",
    "One row for each event that articles tell of.",
    key("id", Key, "the number of the article that began it"),
    required("first_ts", BigInteger, "when the first of its articles was published, in seconds since the epoch"),
    required("last_ts", BigInteger, "when the last one was"),
    required("seen_ts", BigInteger, "when the last one was crawled"),
    required("articles", Integer, "how many articles joined it; its members are in `event_articles`"),
    required("weights", Json, "its words with the sums of their weights, the heaviest first"),
    required("figures", Json, "the days, months, decimals and numbers of issues in the titles of its articles"),
    required("places", Json, "the places in the titles of its articles"),
    required("numbers", Json, "the numbers that its articles tell"),
    required("names", Json, "the names in it: places, people and institutions, each with the number of its articles"),
    optional("group_id", BigInteger, "the group that people put its articles in, if they did"),
)
Index("ix_events_seen", events.c.seen_ts)

event_articles = table(
    "event_articles",
    "The event of each article.",
    key("article_id", Key, "the article", ForeignKey("articles.id", ondelete="CASCADE")),
    required("event_id", BigInteger, "its event", index=True),
    required("similarity", Number, "how similar it was to that; 1 for a reprint, 0 if it began the event"),
    required("words", Text, "its words, separated by blanks, the heaviest first"),
    required("names", Text, "those of them that are names"),
)

event_changes = table(
    "event_changes",
    "Events that became one, or that people made of others.",
    key("article_id", BigInteger, "the article that showed it, or the first one that people moved"),
    key("event_id", BigInteger, "the event that has it now"),
    key("other_id", BigInteger, "the event that became part of it, or from which people took articles"),
    required("changed_at", Moment, "when that article was crawled, or people decided"),
)
Index("ix_event_changes_other", event_changes.c.other_id)

event_decisions = table(
    "event_decisions",
    "What people decided about events, page by page. It survives a rebuild of the events.",
    key("key", BigInteger, "the key of the page's URL"),
    optional("group_id", BigInteger, "pages of one group are one event, those of two are never; empty: nobody said"),
    optional("before_id", BigInteger, "its group before the last decision, which undoing brings back"),
    required("decision_id", BigInteger, "the number of that decision; `audit_trail` says who made it", "0"),
    required("title", Text, "the title that people gave its event; empty: none", ""),
)

TABLES = (events, event_articles, event_changes)  # derived from the articles and the decisions


def is_current(conn: Connection) -> bool:
    """Whether the events were found by the present rules."""
    return last_arguments(conn, ANALYSE) == str(RULES_VERSION)


def start_again(conn: Connection, now: float) -> None:
    """Create the tables again, and begin with the first article. What people decided stays."""
    metadata.drop_all(conn, tables=list(TABLES))
    metadata.create_all(conn, tables=[*TABLES, event_decisions])
    conn.execute(delete(batch_jobs).where(batch_jobs.c.kind == ANALYSE))
    conn.execute(insert(batch_jobs).values(kind=ANALYSE, arguments=str(RULES_VERSION), last_id=0, began_at=now))
