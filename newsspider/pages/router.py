"""Routes a response to the reader of its page type, and returns the one result that the pipelines pass on to the
store."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from newsspider.core.crawling import outcome
from newsspider.core.crawling.visit import Missed, PageResult
from newsspider.core.extraction.dom.page import UnreadablePageError
from newsspider.core.extraction.guard_page import GuardPageError
from newsspider.core.fetching.politeness import DelayReason
from newsspider.core.fetching.validators import Ask
from newsspider.core.model import PageType, Reason
from newsspider.core.scheduling.vanished import BY_STATUS
from newsspider.crawl.fetch_notes import REDIRECTS, visit_of
from newsspider.pages.response import Answer
from newsspider.store.ledger.submitted import is_submitted

if TYPE_CHECKING:
    from scrapy.http import Response
    from twisted.python.failure import Failure

    from newsspider.core.scheduling.vanished import ConfirmationThreshold
    from newsspider.crawl.host_policy import HostPolicy
    from newsspider.pages.article_page import ArticleReader
    from newsspider.pages.failure import FailedFetches, FailureReader
    from newsspider.pages.list_page import ListReader
    from newsspider.pages.redirect import Moves
    from newsspider.pages.robots_txt import RobotsReader
    from newsspider.store.engine.clock import Clock

NO_PAGES = frozenset({PageType.ERROR, PageType.LOGIN})
RETRY_LATER = frozenset({429, 503})
NOT_ASKED = "304 to a request that named no validators"


@dataclass(frozen=True, slots=True)
class Readers:
    """The readers of all page types, and the other inputs of the router."""

    moves: Moves
    robots: RobotsReader
    lists: ListReader
    articles: ArticleReader
    failures: FailureReader
    failed: FailedFetches
    threshold: ConfirmationThreshold
    longest_wait_seconds: float  # of a page whose host sends 429 or 503


@dataclass(eq=False)
class PageReader:
    """From response or failure to :class:`~newsspider.core.crawling.visit.PageResult`: lease and response decide which
    reader is used."""

    readers: Readers
    host_policy: HostPolicy
    clock: Clock

    def result(self, response: Response) -> PageResult:
        answer = Answer.of(response)
        if answer.lease.kind is PageType.ROBOTS:
            return self.readers.robots.read(answer)
        if answer.status in RETRY_LATER:
            return self._retry_later(answer)
        if answer.status in REDIRECTS:
            return self.readers.moves.redirected(answer)
        if answer.status == 304:
            if answer.asked is not Ask.IF_CHANGED:
                return self._failed(answer, Reason.HTTP_STATUS, NOT_ASKED)
            unchanged = outcome.read(answer.lease, Reason.UNCHANGED, self.clock.now())
            return answer.settled(self.host_policy, unchanged)
        if answer.lease.had_article and (absence := BY_STATUS.get(answer.status)) is not None:
            return answer.missed(self.host_policy, Missed(absence, self.readers.threshold))
        if answer.status != 200:
            return self._failed(answer, Reason.HTTP_STATUS)
        if answer.is_cut:
            return self._failed(answer, Reason.TRUNCATED, "it does not end with its end tag")
        try:
            return self.page(answer)
        except UnreadablePageError as error:
            return self._failed(answer, Reason.UNREADABLE, str(error))
        except GuardPageError as guard:
            if answer.lease.hops and answer.lease.alone:  # the article that led to it is retried
                return self.readers.failed.guarded(answer, str(guard))
            return self._failed(answer, Reason.GUARDED, str(guard))

    def page(self, answer: Answer) -> PageResult:
        """A page with status 200; raises :exc:`UnreadablePageError` or :exc:`GuardPageError`."""
        if answer.lease.kind.polled:
            return self.readers.lists.read(answer)
        result = self.readers.articles.read(answer)
        return self._handed_in(answer, result) if is_submitted(answer.lease) else result

    def _handed_in(self, answer: Answer, result: PageResult) -> PageResult:
        """A page that somebody handed in: if it is no article, its links are followed, those of this page only."""
        kind = result.settlement.kind
        if result.article is not None or kind is None or kind in NO_PAGES:
            return result
        lease = replace(answer.lease, kind=kind if kind.polled else PageType.LIST)
        listed = self.readers.lists.read(replace(answer, lease=lease))
        listed.offers = tuple(offer for offer in listed.offers if not offer.fresh_only)
        return listed if listed.offers or kind.polled else result

    def failure(self, failure: Failure) -> PageResult:
        """The result of a fetch without a response."""
        return self.readers.failures.read(failure)

    def _failed(self, answer: Answer, reason: Reason, detail: str = "") -> PageResult:
        return self.readers.failed.result(answer.lease, answer.request, reason, status=answer.status, detail=detail)

    def _retry_later(self, answer: Answer) -> PageResult:
        """429 or 503: the whole host is left alone, and the page is retried behind others."""
        lease, host_policy, requested_pause = answer.lease, self.host_policy, answer.asked_pause(self.clock.now())
        if requested_pause is None and answer.status == 503 and lease.failures >= self.host_policy.retries.times:
            return self._failed(answer, Reason.HTTP_STATUS)
        pause = host_policy.pause(lease) if requested_pause is None else requested_pause
        because = DelayReason.BACK_OFF if requested_pause is None else DelayReason.RETRY_AFTER
        settlement = outcome.rate_limited(
            lease, self.clock.now(), pause, answer.status, self.readers.longest_wait_seconds
        )
        visited = host_policy.visited(lease, visit_of(answer.request), settlement, pause=pause, because=because)
        return PageResult(lease, visited)
