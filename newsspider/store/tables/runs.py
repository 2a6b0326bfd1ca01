"""The runs of spiders, their workers and the hosts assigned to these, the named jobs, the passes through all
articles, and the audit trail of changes."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Connection, Index, Text, select

from newsspider.store.tables.columns import Json, Key, Moment, key, optional, required, table

batch_jobs = table(
    "batch_jobs",
    "The progress of commands that go through all articles, and can resume.",
    Column("id", Key, primary_key=True, doc="its number"),
    required("kind", Text, "`reread`, `regroup` (`scrapy reprints --rebuild`), `reindex`, `analyse` (events)"),
    required(
        "arguments", Json, "which articles a `reread` covers; how a `regroup` compares texts; the version of others"
    ),
    required("last_done_id", BigInteger, "the last article that is done", "0"),
    required("last_id", BigInteger, "the last article that existed when it began"),
    required("figures", Json, "what became of how many articles; of a `rank`: how many pages and links", "{}"),
    required("began_at", Moment, "when it began"),
    optional("finished_at", Moment, "when it ended, or another job took its place"),
)

runs = table(
    "runs",
    "One row for each crawl.",
    Column("id", Key, primary_key=True, doc="its number"),
    required("spider", Text, "`education`, `explore` or `query`"),
    required("worker", Text, "its name in `urls.lease_worker`", ""),
    required("arguments", Json, "what was given with `-a`", "{}"),
    required("started_at", Moment, "when it began"),
    optional("finished_at", Moment, "when it ended; empty: it runs, or died"),
    optional("reason", Text, "its [finish reason](commands.md#scrapy-crawl); `died`: its process was found gone"),
    required("figures", Json, "pages, articles and lists read; of a named job also exit code and last line", "{}"),
)

jobs = table(
    "jobs",
    "The jobs that have a name: `-a job=NAME`, or an entry of `schedule.toml`. A row a name; it is kept.",
    key("name", Text, "its name; `schedule:NAME`: an entry, `schedule:`: the service that starts them"),
    optional("holder", Text, "the worker or service that runs it; of an entry: the node it was started on"),
    required("started_at", Moment, "when it was started last"),
    required("held_until", Moment, "until when nobody else may start it; its holder extends this"),
    optional("due_at", Moment, "of an entry: the scheduled moment for which it was started last"),
)


audit_trail = table(
    "audit_trail",
    "One row for each change that somebody made in the console, the API, by `accounts` or `event`.",
    Column("id", Key, primary_key=True, doc="its number"),
    required("at", Moment, "when"),
    required("account", Text, "who; empty: somebody at the machine itself, where there are no accounts"),
    required("action", Text, "what was done: `site.weight`, `account.add`, `url.forget` ..."),
    required("subject", Text, "to what: the name of a site or an account, a URL ..."),
    required("before", Json, "what it was; empty: nothing", ""),
    required("after", Json, "what it is; empty: nothing", ""),
)


workers = table(
    "workers",
    "The running workers. One that sends no heartbeat for six seconds is removed by the others.",
    key("worker", Text, "host, process and moment, as in `urls.lease_worker`"),
    required("scope", Text, "a name for the sites that it claims from; workers of one scope share the hosts"),
    required("heartbeats", BigInteger, "counted up every two seconds"),
    required("seen_at", Moment, "the last heartbeat, by the worker's own clock"),
)

assigned_hosts = table(
    "assigned_hosts",
    "Which worker fetches from which host, for hosts that have something due.",
    key("scope", Text, "as in `workers`"),
    key("host", Text, "as in `hosts`"),
    required("worker", Text, "as in `workers`"),
    sqlite_with_rowid=False,
)
Index("ix_assigned_hosts_worker", assigned_hosts.c.worker, assigned_hosts.c.host)


def last_arguments(conn: Connection, kind: str) -> str | None:
    """The arguments of the newest batch job of a kind; ``None`` if there is none."""
    query = select(batch_jobs.c.arguments).where(batch_jobs.c.kind == kind)
    return conn.execute(query.order_by(batch_jobs.c.id.desc()).limit(1)).scalar()
