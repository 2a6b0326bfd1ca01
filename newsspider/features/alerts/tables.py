"""The alerts, the stories of each alert, and the messages to be delivered."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, Text

from newsspider.store.tables.columns import Json, Key, Moment, index_where, key, optional, required, table

alerts = table(
    "alerts",
    "What people asked to be told. Its channels hold secrets: passwords of services, keys of webhooks.",
    Column("id", Key, primary_key=True, doc="its number"),
    required("owner", Text, "the account that it belongs to; empty without accounts", ""),
    required("name", Text, "its name, one of its owner's"),
    required(
        "kind", Text, "`query`, `event` (an event grows), `source` (a source is unhealthy), `briefing` (on schedule)"
    ),
    required("query", Text, "which articles; of `event`: events with such an article; of `source`: a site", ""),
    required("pages", Integer, "of `event`: how many pages within 24 hours", "0"),
    required("once", Text, "of `query`: `event` or `reprints`, of which one story is told", "event"),
    required("channels", Json, "the URLs that its messages go to"),
    required(
        "rhythm", Text, "`immediately`, `hourly`, `daily HH:MM`, `weekly mon HH:MM [ZONE]`; `by hand`", "immediately"
    ),
    required("quiet", Text, "hours without messages, as `22:00-07:00`", ""),
    required("muted_from", Moment, "since when it is muted: what is found from then on is not told", "0"),
    required("muted_until", Moment, "until when nothing is told", "0"),
    required("token", Text, "random: whoever has it may mute the alert; part of the keys of its messages"),
    required("created_at", Moment, "when it was added"),
    required(
        "checked_at", Moment, "of `event`, `source`: when it was last looked for; `briefing`: the last one's time", "0"
    ),
    required("details", Json, "of `briefing`: topic, region, template, whether an empty one is sent", "{}"),
    required("error", Text, "of `briefing`: why the one that is due could not be made", ""),
    required("tried_at", Moment, "of `briefing`: when a process last began to make it, or failed", "0"),
)
Index("ix_alerts_name", alerts.c.owner, alerts.c.name, unique=True)

alert_stories = table(
    "alert_stories",
    "The stories of each alert, told or to be told. That of an article is written in the transaction that stores it."
    " A row stays as long as its article; without one 90 days.",
    Column("id", Key, primary_key=True, doc="its number"),
    required("alert_id", BigInteger, "the alert", None, ForeignKey("alerts.id", ondelete="CASCADE")),
    required("subject", Text, "what it is: the digest of a body, an event, a problem of a source"),
    optional("article_id", BigInteger, "its article, if stored", ForeignKey("articles.id", ondelete="SET NULL")),
    required("story", Json, "title, URL, source, and why it is told"),
    required("noted_at", Moment, "when it was found"),
    optional("told_in", Text, "the message that has it; `muted`; `told` if its event was told before"),
)
Index("ix_alert_stories_subject", alert_stories.c.alert_id, alert_stories.c.subject, unique=True)
Index("ix_alert_stories_article", alert_stories.c.article_id)
index_where("ix_alert_stories_new", alert_stories.c.alert_id, alert_stories.c.noted_at, where="told_in IS NULL")

alert_deliveries = table(
    "alert_deliveries",
    "One row for each message to each channel. What was sent is deleted after 30 days.",
    key("key", Text, "the idempotency key: the same in every try"),
    required("alert_id", BigInteger, "the alert", None, ForeignKey("alerts.id", ondelete="CASCADE")),
    required("channel", Integer, "which of its channels, from 0"),
    required("message", Json, "title, stories, links"),
    required("state", Text, "`waiting`, `sent` or `dead`: given up", "waiting"),
    required("tries", Integer, "how often it was tried", "0"),
    required("pieces", Integer, "how many of its pieces the robot of a chat took before one failed", "0"),
    required("due_at", Moment, "when it is tried next"),
    required("leased_until", Moment, "until when a process has it", "0"),
    required("lease", Text, "which one", ""),
    required("error", Text, "why the last try failed, or which addresses refused what others took", ""),
    required("created_at", Moment, "when it was put together"),
    optional("sent_at", Moment, "when the receiver took it"),
    required("about", Text, "the page of the console with what was sent, as `/briefings/7`: the row is kept", ""),
    sqlite_with_rowid=False,
)
index_where("ix_alert_deliveries_about", alert_deliveries.c.about, where="about <> ''")
index_where("ix_alert_deliveries_due", alert_deliveries.c.due_at, where="state = 'waiting'")
_FIGURES = (alert_deliveries.c[name] for name in ("alert_id", "created_at", "state", "sent_at"))
Index("ix_alert_deliveries_figures", *_FIGURES)  # the figures of all alerts, and the latest messages of one
Index("ix_alert_deliveries_state", alert_deliveries.c.state, alert_deliveries.c.created_at)
Index("ix_alert_deliveries_created", alert_deliveries.c.created_at)
