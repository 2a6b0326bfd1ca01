"""The steps that save the effects of pages: one table, in the order in which rows are locked.

A new mechanism is a type in :mod:`newsspider.core` that pages carry (``PageResult.effects``), a function, and a line
here. Functions get the pages that have the effect, each with it; those of :data:`EVERY` get all pages. They write
to the caller's transaction, and to the results in :class:`~newsspider.store.saved.Saved`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum, auto
from typing import Any, NamedTuple

from sqlalchemy import Connection

from newsspider.core.crawling.visit import (
    Awaited,
    DiscoveredPage,
    HeldArticle,
    InCrawl,
    Missed,
    Moved,
    NewBoilerplate,
    UnlikeAnchor,
)
from newsspider.core.fetching.robots import RobotsText
from newsspider.core.fetching.trap_budget import Budget
from newsspider.core.fetching.validators import WrongNotModified
from newsspider.core.model import Layout
from newsspider.core.scheduling.poll_schedule import Polling
from newsspider.store.articles import (
    announcements,
    boilerplate_lines,
    held_articles,
    page_articles,
    revisions,
    vanished,
)
from newsspider.store.exploring import crawls, discovered
from newsspider.store.index import page_links
from newsspider.store.ledger import (
    guards,
    links,
    list_positions,
    polls,
    rechecks,
    redirects,
    robots,
    row_locks,
    same_content,
    trap_budgets,
    validators,
)
from newsspider.store.saved import Saved

EVERY = object  # instead of the type of an effect: for every page


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
    Step(Stage.FIRST, InCrawl, crawls.lock),
    Step(Stage.FIRST, EVERY, same_content.remember),
    Step(Stage.FIRST, EVERY, row_locks.lock),
    Step(Stage.BEFORE, UnlikeAnchor, guards.judge),
    Step(Stage.BEFORE, Moved, redirects.judge),
    Step(Stage.BEFORE, Missed, vanished.judge),
    Step(Stage.SETTLED, RobotsText, robots.note),
    Step(Stage.SETTLED, WrongNotModified, validators.note),
    Step(Stage.SETTLED, EVERY, links.keep),
    Step(Stage.SETTLED, Polling, polls.learn),
    Step(Stage.CONTENT, EVERY, polls.count),
    Step(Stage.CONTENT, Layout, list_positions.note_all),
    Step(Stage.CONTENT, NewBoilerplate, boilerplate_lines.note_all),
    Step(Stage.CONTENT, EVERY, page_articles.keep),
    Step(Stage.CONTENT, EVERY, page_links.note),
    Step(Stage.CONTENT, HeldArticle, held_articles.hold_all),
    Step(Stage.CONTENT, Missed, vanished.keep),
    Step(Stage.CONTENT, EVERY, vanished.mark_visited),
    Step(Stage.CONTENT, EVERY, page_articles.tidy),
    Step(Stage.SHARED, EVERY, revisions.count_visits),
    Step(Stage.SHARED, Polling, polls.note),
    Step(Stage.SHARED, Budget, trap_budgets.charge),
    Step(Stage.SHARED, EVERY, rechecks.compare),
    Step(Stage.SHARED, Awaited, same_content.note),
    Step(Stage.SHARED, UnlikeAnchor, guards.mend),
    Step(Stage.SHARED, EVERY, rechecks.cancel),
    Step(Stage.SHARED, InCrawl, crawls.follow),
    Step(Stage.SHARED, DiscoveredPage, discovered.keep),
    Step(Stage.SHARED, InCrawl, discovered.release),
    Step(Stage.SHARED, EVERY, announcements.announce_pages),
    Step(Stage.SHARED, EVERY, announcements.run_page_steps),
)


def apply(conn: Connection, stage: Stage, pages: Sequence[Saved]) -> None:
    """Run the steps of a stage for these pages."""
    for step in STEPS:
        if step.stage is stage:
            step_pages: Sequence[Any] = pages if step.effect is EVERY else _with(pages, step.effect)
            if step_pages:
                step.apply(conn, step_pages)


def _with(pages: Sequence[Saved], kind: type) -> list[tuple[Saved, object]]:
    return [(page, effect) for page in pages for effect in page.result.effects if isinstance(effect, kind)]
