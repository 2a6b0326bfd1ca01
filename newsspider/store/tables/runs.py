"""The crawls, and the commands that go through all articles."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Float, Table, Text

from newsspider.store.tables.columns import Key, metadata

batch_jobs = Table(
    "batch_jobs",
    metadata,
    Column("id", Key, primary_key=True),
    Column("kind", Text, nullable=False),  # what is done: "reread", "regroup" or "rank"
    Column("arguments", Text, nullable=False),  # JSON: for which articles, or how; the same is gone on with
    Column("last_done_id", BigInteger, nullable=False, server_default="0"),  # the last article that is done
    Column("last_id", BigInteger, nullable=False),  # the last one that there was when it began
    Column("figures", Text, nullable=False, server_default="{}"),  # JSON: what became of how many
    Column("began_at", Float(53), nullable=False),
    Column("finished_at", Float(53)),
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
