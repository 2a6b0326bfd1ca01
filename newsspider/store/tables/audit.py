"""The audit trail of changes."""

from __future__ import annotations

from sqlalchemy import Column, Text

from newsspider.store.tables.columns import Json, Key, Moment, required, table

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
