"""The accounts of the console and the API, and the audit trail of changes there."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Text

from newsspider.store.tables.columns import Json, Key, Moment, key, optional, required, table

accounts = table(
    "accounts", "The people who may log in to the console; without any, it listens on its own machine alone.",
    key("name", Text, "its name"),
    required("role", Text, "`reader`, `editor` or `admin`"),
    required("password_hash", Text, "an Argon2id hash of the password, with its salt and its costs"),
    required("added_at", Moment, "when it was added"),
    required("changed_at", Moment, "when its role or password was last changed"),
)  # fmt: skip

account_tokens = table(
    "account_tokens", "What stands for an account: sessions of browsers, and tokens of the API.",
    key("hash", Text, "the SHA-256 of the secret, which is stored nowhere"),
    required("account", Text, "the account", None, ForeignKey("accounts.name", ondelete="CASCADE"), index=True),
    required("scope", Text, "of a token: `read`, `edit` or `admin`; empty: a session", ""),
    required("label", Text, "what the token is for; of a session the browser that began it"),
    required("made_at", Moment, "when it was made"),
    required("used_at", Moment, "when it was last used, to within ten minutes"),
    optional("ends_at", Moment, "when it ends, whatever happens; empty: never"),
)  # fmt: skip

audit_trail = table(
    "audit_trail", "One row for each change that somebody made in the console, the API, by `accounts` or `event`.",
    Column("id", Key, primary_key=True, doc="its number"),
    required("at", Moment, "when"),
    required("account", Text, "who; empty: somebody at the machine itself, where there are no accounts"),
    required("action", Text, "what was done: `site.weight`, `account.add`, `url.forget` ..."),
    required("subject", Text, "to what: the name of a site or an account, a URL ..."),
    required("before", Json, "what it was; empty: nothing", ""),
    required("after", Json, "what it is; empty: nothing", ""),
)  # fmt: skip
