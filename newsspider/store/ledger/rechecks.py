"""The second looks at awaited URLs, each for itself: where nothing was, and where many show one text that is off
topic."""

from __future__ import annotations

from sqlalchemy import Connection

from newsspider.core.crawling.visit import Awaited, Lease
from newsspider.core.model import Reason
from newsspider.core.scheduling.recheck import LOOKS_ALONE, MOST_ALIKE, may_pass, recheck
from newsspider.store.engine.statement import Statement
from newsspider.store.ledger import schedule
from newsspider.store.ledger.schedule import Due
from newsspider.store.saved import Pages, Saved

_SAME_TEXT = "reason = 'off_topic' AND body_hash = :body AND site = :site AND update_cycle IS NULL"
_MANY = Statement(f"SELECT count(*) FROM (SELECT 1 FROM urls WHERE {_SAME_TEXT} LIMIT {MOST_ALIKE + 1}) found")
_UNASKED = Statement(
    f"SELECT key FROM urls WHERE {_SAME_TEXT} AND state = 'done' AND failures = 0 AND due_at IS NULL "
    "[ORDER BY key FOR UPDATE]"
)


def ask(conn: Connection, lease: Lease, due_at: float | None, looks: int) -> None:
    """Ask a URL that is settled again then, or never, after so many looks in vain."""
    schedule.postpone(conn, [Due(lease.key, due_at, looks)])


def note(conn: Connection, pages: Pages[Awaited]) -> None:
    """Ask awaited URLs that are settled again if there may be an article later; with one that shows what many show,
    all of these."""
    for page, _ in pages:
        _note(conn, page)


def _note(conn: Connection, page: Saved) -> None:
    lease, settlement, reason, now = page.lease, page.result.settlement, page.reason, page.now
    same = {"body": settlement.body_hash, "site": lease.site}
    many = (
        reason is Reason.OFF_TOPIC and settlement.body_hash is not None and _MANY.run(conn, same).scalar() > MOST_ALIKE
    )
    if lease.had_article or not (many or may_pass(reason, settlement.kind, settlement.detail)):
        return
    looks = lease.failures + 1 if lease.looked_at else 1
    ask(conn, lease, recheck(now, looks, LOOKS_ALONE), looks)
    if many:
        first = recheck(now, 1, LOOKS_ALONE)
        schedule.postpone(conn, [Due(row.key, first, 1) for row in _UNASKED.run(conn, same)])
