"""Schedules the next revisit of a stored article."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Self

from newsspider.core.crawling.visit import PageResult
from newsspider.core.model import Reason
from newsspider.core.scheduling.revisit_schedule import RevisitSchedule, pace_of, steps_of
from newsspider.crawl.crawl import Crawl

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from newsspider.crawl.counters import Counters
    from newsspider.store.engine.clock import Clock

DAY = 86_400.0
VISITED = frozenset({Reason.STORED, Reason.UNCHANGED, Reason.NOT_AN_ARTICLE, Reason.MISSED, Reason.REDIRECT})


class RevisitsPipeline:
    """Sets the due time of an article, new or stored before, by the schedule
    (:mod:`newsspider.core.scheduling.revisit_schedule`).

    Nothing else is revisited because of its age: no page without an article, no off-topic or further page, and
    nothing in an explore crawl. Settings: ``ARTICLE_REVISITS``, ``ARTICLE_REVISIT_MAX_AGE_DAYS``.
    """

    def __init__(self, schedule: RevisitSchedule, counters: Counters, clock: Clock) -> None:
        self.schedule = schedule
        self.counters = counters
        self.clock = clock

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        settings = crawler.settings
        watches = getattr(crawler.spider, "watches", False)
        steps = steps_of(settings.getlist("ARTICLE_REVISITS")) if watches else ()
        schedule = RevisitSchedule(steps, settings.getfloat("ARTICLE_REVISIT_MAX_AGE_DAYS") * DAY)
        crawl = Crawl.of(crawler)
        return cls(schedule, crawl.ending.counters, crawl.clock)

    def process_item(self, item: Any) -> Any:
        if isinstance(item, PageResult) and self._shows_an_article(item):
            item.settlement = dataclasses.replace(item.settlement, due_at=self._due(item))
        return item

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
