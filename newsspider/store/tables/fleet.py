"""The workers that run at the same time, and which hosts each one fetches from."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Float, Index, Table, Text

from newsspider.store.tables.columns import metadata

workers = Table(
    "workers",
    metadata,
    Column("worker", Text, primary_key=True),
    Column("scope", Text, nullable=False),  # a name for the sites that it claims from
    Column("heartbeats", BigInteger, nullable=False),  # counted up while it lives
    Column("seen_at", Float(53), nullable=False),
)

assigned_hosts = Table(
    "assigned_hosts",
    metadata,
    Column("scope", Text, primary_key=True),
    Column("host", Text, primary_key=True),
    Column("worker", Text, nullable=False),
    sqlite_with_rowid=False,
)
Index("ix_assigned_hosts_worker", assigned_hosts.c.worker, assigned_hosts.c.host)
