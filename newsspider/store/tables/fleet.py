"""The running workers, and the assignment of hosts to them."""

from __future__ import annotations

from sqlalchemy import BigInteger, Index, Text

from newsspider.store.tables.columns import Moment, key, required, table

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
