"""Adds to a page that was read what follows from its visit, whatever kind of page it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from newsspider.core.crawling.visit import PageResult
    from newsspider.crawl.article_revisits import ArticleRevisits
    from newsspider.crawl.crawl_sites import CrawlSites
    from newsspider.crawl.poll_policy import PollPolicy
    from newsspider.crawl.validator_learning import ValidatorLearning


@dataclass(frozen=True, slots=True)
class PageCompletion:
    """Validators, the next visit of an article, and by what the store decides when a list is polled next
    (:mod:`newsspider.store.ledger.polls`)."""

    sites: CrawlSites
    polls: PollPolicy
    validators: ValidatorLearning
    revisits: ArticleRevisits

    def complete(self, page: PageResult) -> None:
        self.validators.complete(page)
        self.revisits.complete(page)
        if page.lease.kind.polled or page.lease.update_cycle is not None:
            _, channel = self.sites.place(page.lease)
            if channel is not None:
                page.add(self.polls.polling(channel.weight))
