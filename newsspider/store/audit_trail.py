"""The audit trail: which changes people made, at the command line or in a browser."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Connection

from newsspider.core.text.characters import storable_text
from newsspider.store.engine.statement import Statement

AT_THE_MACHINE = ""  # who made a change at the command line

_NOTE = Statement(
    """
    INSERT INTO audit_trail (at, account, action, subject, before, after)
    VALUES (:at, :account, :action, :subject, :before, :after)
    """
)
_TRAIL = Statement("SELECT * FROM audit_trail WHERE id < :before ORDER BY id DESC LIMIT :count")


def note(
    conn: Connection, who: str, action: str, subject: str, now: float, *, before: object = None, after: object = None
) -> None:
    """Add a change to the audit trail, in the transaction that makes it."""
    values = {
        "at": now,
        "account": who,
        "action": action,
        "subject": storable_text(subject),
        "before": "" if before is None else json.dumps(before, ensure_ascii=False),
        "after": "" if after is None else json.dumps(after, ensure_ascii=False),
    }
    _NOTE.change(
        conn, {name: storable_text(value) if isinstance(value, str) else value for name, value in values.items()}
    )


def trail(conn: Connection, count: int, before: int = 2**63 - 1) -> list[Any]:
    """The last ``count`` changes with a number below ``before``, the newest first."""
    return _TRAIL.run(conn, {"count": count, "before": before}).all()
