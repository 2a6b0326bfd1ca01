"""Saves pages: their articles, links, offers and effects, and the settlements of their leases, all or nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy

from sqlalchemy import Connection

from newsspider.core.crawling.visit import PageResult
from newsspider.store import ledger
from newsspider.store.effects import Stage, apply
from newsspider.store.index.sqlite import written_together
from newsspider.store.ledger import queues
from newsspider.store.saved import Saved


def save(conn: Connection, result: PageResult, now: float) -> Saved:
    """Write all results of a page, in the caller's transaction, and settle its lease."""
    return save_all(conn, [(result, now)])[0]


def save_all(conn: Connection, pages: Sequence[tuple[PageResult, float]]) -> list[Saved]:
    """The same for several pages together, each with its moment. Pages of an explore crawl are saved one by one, as the
    placements of one page count for the next."""
    saved = [Saved(copy(result), now) for result, now in pages]  # a job that is done again begins anew
    apply(conn, Stage.FIRST, saved)
    alone = bool(saved) and saved[0].crawl != ""
    for job in [[page] for page in saved] if alone else [saved]:
        for group in _of_different_hosts(job):
            _save(conn, group)
        apply(conn, Stage.SHARED, [page for page in job if page.settled])
    return saved


def _save(conn: Connection, pages: Sequence[Saved]) -> None:
    apply(conn, Stage.BEFORE, pages)
    with queues.gathered(conn):
        settled = ledger.settle_all(conn, [(page.lease, page.result.settlement) for page in pages])
        for page, done in zip(pages, settled, strict=True):
            page.settled = done
        written = [page for page in pages if page.settled]
        apply(conn, Stage.SETTLED, written)
    with written_together(conn):
        apply(conn, Stage.CONTENT, written)


def _of_different_hosts(pages: Sequence[Saved]) -> Iterator[list[Saved]]:
    """The pages in order, split where a host is repeated: its earlier lease must be settled first."""
    group: list[Saved] = []
    hosts: set[str] = set()
    for page in pages:
        if page.lease.host in hosts:
            yield group
            group, hosts = [], set()
        group.append(page)
        hosts.add(page.lease.host)
    yield group
