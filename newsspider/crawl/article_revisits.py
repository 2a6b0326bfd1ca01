"""Schedules the next revisit of a stored article."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from newsspider.core.model import Reason
from newsspider.core.scheduling.revisit_schedule import RevisitSchedule, pace_of, steps_of

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from newsspider.core.crawling.visit import PageResult
    from newsspider.crawl.counters import Counters
    from newsspider.store.engine.clock import Clock

DAY = 86_400.0
VISITED = frozenset({Reason.STORED, Reason.UNCHANGED, Reason.NOT_AN_ARTICLE, Reason.MISSED, Reason.REDIRECT})


class ArticleRevisits:
    """Gives the settlement of an article, stored now or before, its next visit of the schedule
    (:mod:`newsspider.core.scheduling.revisit_schedule`).

    Nothing else is revisited because of its age: no page without an article, no off-topic or further page, and
    nothing in an explore crawl. Settings: ``ARTICLE_REVISITS``, ``ARTICLE_REVISIT_MAX_AGE_DAYS``.
    """

    def __init__(self, settings: BaseSettings, counters: Counters, clock: Clock, *, watches: bool) -> None:
        steps = steps_of(settings.getlist("ARTICLE_REVISITS")) if watches else ()
        self.schedule = RevisitSchedule(steps, settings.getfloat("ARTICLE_REVISIT_MAX_AGE_DAYS") * DAY)
        self.counters = counters
        self.clock = clock

    def complete(self, page: PageResult) -> None:
        """Set when the page of an article is due again."""
        if self._shows_an_article(page):
            page.settlement = dataclasses.replace(page.settlement, due_at=self._due(page))

    def _shows_an_article(self, page: PageResult) -> bool:
        if not self.schedule.steps or page.lease.kind.polled or page.lease.update_cycle is not None:
            return False
        return page.settlement.reason in VISITED and (page.lease.had_article or page.article is not None)

    def _due(self, page: PageResult) -> float | None:
        lease, now = page.lease, self.clock.now()
        published = page.article.published_at if page.article else None
        return self.schedule.next_visit(
            now if lease.stored_at is None else lease.stored_at,
            lease.published_at if published is None else published.timestamp(),
            max(now, lease.due_at) if lease.revisit else now,
            pace_of(*self.counters.visits.get(lease.site, (0, 0))),
        )
