"""The runs of spiders, the named jobs, and the passes through all articles."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Text

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
