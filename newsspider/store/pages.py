"""Saves pages: their articles, links, offers and effects, and the settlements of their leases, all or nothing.

:data:`STEPS` has the functions that save them, in the order in which rows are locked. A new mechanism is a type in
:mod:`newsspider.core` that pages carry (``PageResult.effects``), a function, and a line there. Functions get the pages
that have the effect, each with it; those of :data:`EVERY` get all pages. They write to the caller's transaction, and to
the results in :class:`~newsspider.store.saved.Saved`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from enum import Enum, auto
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import Connection

from newsspider.core.crawling.visit import Awaited, HeldArticle, Missed, Moved, NewBoilerplate, PageResult, UnlikeAnchor
from newsspider.core.fetching.conditional_requests import WrongNotModified
from newsspider.core.fetching.robots import RobotsText
from newsspider.core.fetching.traps import Budget
from newsspider.core.model import Layout, Reason
from newsspider.core.scheduling.poll_schedule import Polling
from newsspider.hooks import plugins
from newsspider.store import ledger
from newsspider.store.articles import articles_by_body, held_articles, page_articles, revisits
from newsspider.store.engine.statement import rows_among
from newsspider.store.index import entries
from newsspider.store.index.sqlite import written_together
from newsspider.store.ledger import (
    guard_pages,
    hosts,
    links,
    polls,
    queues,
    rechecks,
    redirects,
    site_knowledge,
    trap_budgets,
)
from newsspider.store.ledger.offers import changes_known
from newsspider.store.saved import Saved

_LOCK = "SELECT key FROM urls WHERE key IN ({keys}) [ORDER BY key FOR UPDATE]"
EVERY = object  # instead of the type of an effect: for every page


def _lock_urls(conn: Connection, pages: Sequence[Saved]) -> None:
    """Lock the URLs of these pages, those of their offers that may change a known URL, and those whose rechecks they
    may change, before any is changed and in one order, so that two writers do not wait for each other; SQLite has only
    one. The targets of a redirect count: :mod:`~newsspider.store.ledger.redirects` may have them read again."""
    if conn.dialect.name != "postgresql":
        return
    keys = {page.lease.key for page in pages}.union(rechecks.others(conn, pages))
    for page in pages:
        moved = page.result.effect(Moved) is not None
        keys.update(offer.key for offer in page.result.offers if moved or changes_known(offer))
    rows_among(conn, _LOCK, sorted(keys))


class Stage(Enum):
    """When a step runs."""

    FIRST = auto()  # once for all pages of a job, some of which may not be settled after all
    BEFORE = auto()  # before the leases are settled: it may change the settlements
    SETTLED = auto()  # right after that; its changes of the queues are gathered
    CONTENT = auto()
    SHARED = auto()  # last, once for all pages of a job: all writers share these rows


class Step(NamedTuple):
    """A function for the pages with an effect of this type. From :attr:`Stage.SETTLED` on, pages whose lease had ended
    are left out."""

    stage: Stage
    effect: type
    apply: Callable[[Connection, Any], None]


STEPS = (
    Step(Stage.FIRST, EVERY, links.number),
    Step(Stage.FIRST, EVERY, rechecks.remember),
    Step(Stage.FIRST, EVERY, _lock_urls),
    Step(Stage.BEFORE, UnlikeAnchor, guard_pages.judge),
    Step(Stage.BEFORE, Moved, redirects.judge),
    Step(Stage.BEFORE, Missed, revisits.judge_missing),
    Step(Stage.SETTLED, RobotsText, hosts.note_robots),
    Step(Stage.SETTLED, WrongNotModified, hosts.distrust),
    Step(Stage.SETTLED, EVERY, links.keep),
    Step(Stage.SETTLED, Polling, polls.learn),
    Step(Stage.CONTENT, EVERY, polls.count),
    Step(Stage.CONTENT, Layout, site_knowledge.note_list_positions),
    Step(Stage.CONTENT, NewBoilerplate, site_knowledge.note_all_boilerplate),
    Step(Stage.CONTENT, EVERY, page_articles.keep),
    Step(Stage.CONTENT, EVERY, entries.note_new_anchors),
    Step(Stage.CONTENT, HeldArticle, held_articles.hold_all),
    Step(Stage.CONTENT, Missed, revisits.keep_missing),
    Step(Stage.CONTENT, EVERY, revisits.mark_visited),
    Step(Stage.CONTENT, EVERY, page_articles.tidy),
    Step(Stage.SHARED, EVERY, revisits.count_visits),
    Step(Stage.SHARED, Polling, polls.note),
    Step(Stage.SHARED, Budget, trap_budgets.charge),
    Step(Stage.SHARED, EVERY, rechecks.compare),
    Step(Stage.SHARED, Awaited, rechecks.note),
    Step(Stage.SHARED, UnlikeAnchor, guard_pages.mend),
    Step(Stage.SHARED, EVERY, rechecks.cancel),
)


def _tell_plugins(conn: Connection, pages: Sequence[Saved]) -> None:
    """Call ``articles_changed`` for the articles of these pages, and ``page_steps``, so that plug-ins can act in the same
    transaction."""
    with_articles = (page for page in pages if page.result.article is not None)
    stored = {page.article_id: page for page in with_articles if page.article_id is not None}
    changed = [number for number, page in stored.items() if page.new_article or page.changed or page.corrected]
    seen_again = [number for number, page in stored.items() if page.exact is Reason.DUPLICATE and number not in changed]
    articles_by_body.announce(conn, changed, seen_again, pages[0].now)
    plugins().hook.page_steps(conn=conn, pages=pages)


@cache
def all_steps() -> tuple[Step, ...]:
    """The steps with those of plug-ins: what these do :attr:`Stage.FIRST` comes before all others, the rest behind."""
    more = [step for of_plugin in plugins().hook.effects() for step in of_plugin]
    first = [step for step in more if step.stage is Stage.FIRST]
    others = (step for step in more if step.stage is not Stage.FIRST)
    return (*first, *STEPS, *others, Step(Stage.SHARED, EVERY, _tell_plugins))


def apply(conn: Connection, stage: Stage, pages: Sequence[Saved]) -> None:
    """Run the steps of a stage for these pages."""
    for step in all_steps():
        if step.stage is stage:
            step_pages: Sequence[Any] = pages
            if step.effect is not EVERY:
                step_pages = [
                    (page, effect)
                    for page in pages
                    for effect in page.result.effects
                    if isinstance(effect, step.effect)
                ]
            if step_pages:
                step.apply(conn, step_pages)


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
