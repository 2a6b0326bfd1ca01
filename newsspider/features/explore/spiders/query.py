"""The query spider: searches for answers to one query now, starting from the best results of the index."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from scrapy import signals

from newsspider.cli.hit_lines import SCREEN_WIDTH, lines_of_hit
from newsspider.core.crawling.finish_reasons import Finish
from newsspider.core.crawling.visit import Offer
from newsspider.core.relevance.scoring import Document, score
from newsspider.core.text.terminal_columns import cut_to_columns
from newsspider.crawl.arguments import check_start
from newsspider.features.explore import crawl_starts
from newsspider.features.explore.explore_arguments import check_seeds
from newsspider.features.explore.explored_page import explore_link_offers, explore_reader
from newsspider.features.explore.link_placement import placed_at
from newsspider.features.explore.query_answers import QueryAnswer, find_answers, links_of, node_of, question_words
from newsspider.features.explore.query_arguments import QueryArguments
from newsspider.features.explore.rules.query_topic import profile_of
from newsspider.features.explore.scope import ExploreScope
from newsspider.features.explore.spiders.explore import ExploringSpider
from newsspider.search.hits import Hit

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from newsspider.crawl.crawl import Crawl
    from newsspider.pages.router import PageReader

BEST_RESULTS = 50  # results whose links are followed at the start

logger = logging.getLogger(__name__)


class QuerySpider(ExploringSpider):
    """``scrapy crawl query -a q=WORDS [-a NAME=VALUE]...``

    WebCrawler's real-time mode. It starts from the best answers of the store and follows the links whose anchors
    resemble the question (``-a resembling=0.1`` is the least score, ``-a depth=5`` how far). Every page that is an
    article is stored, then the question is asked again and the crawl goes on from the new top. At the end the articles
    that hold every word are printed on stdout, best first: place, score, time and title; site and source; address; a
    piece of the text. Feeds get them as they are found. The crawl is the site ``query:WORDS``, which the same question
    continues.
    """

    name = "query"
    topic = "any"  # every result is stored

    def __init__(self, **arguments: str) -> None:
        super().__init__()
        self.arguments = QueryArguments.read(arguments)
        self.limits = self.arguments.limits
        self.scope = ExploreScope(self.arguments.site, self.arguments.strategy)
        self.profile = profile_of(question_words(self.arguments.question))
        self.found: list[QueryAnswer] = []
        self.last = 0  # the id behind which all articles are seen

    @staticmethod
    def check(settings: BaseSettings, arguments: dict[str, str]) -> None:
        """Reject invalid arguments and settings before anything is started; raises ``UsageError``."""
        read = QueryArguments.read(arguments)
        check_start(settings, None)
        check_seeds(settings, read.seeds)

    @property
    def best(self) -> list[QueryAnswer]:
        """The results that contain every word, best first."""
        return sorted((answer for answer in self.found if answer.whole), key=QueryAnswer.place)

    def report(self) -> Iterator[str]:
        """The lines that ``scrapy crawl`` prints at the end."""
        for place, answer in enumerate(self.best, 1):
            first, *more = lines_of_hit(Hit(answer.record, text=answer.record["text"]), node_of(answer.words))
            yield cut_to_columns(f"{place}. {answer.score:.2f}  {first}", SCREEN_WIDTH)
            yield from more

    def build_reader(self) -> PageReader:
        self.link_filter = explore_link_offers(self.crawler, self.scope.site, lambda url: True)
        return explore_reader(self.crawler, self.arguments.strategy, self.link_filter, partial(score, self.profile))

    async def begin(self, crawl: Crawl, now: float) -> None:
        """Offer the seeds, then the links of the best results."""
        start = partial(
            crawl_starts.begin,
            site=self.scope.site,
            name="query",
            strategy=self.arguments.strategy,
            seeds=self.arguments.seeds,
            now=now,
        )
        await crawl.storage.frontier.run(start)
        await self._ask(crawl, self.arguments.enough)
        if not self.found and not self.arguments.seeds:
            logger.warning("the index has no result to start from; say where to start with -a seeds=FILE|URL,...")

    async def before_next_round(self, crawl: Crawl) -> None:
        """Run the query again until every page that was read is covered: the next claim is for the new top."""
        while True:
            settled = crawl.ending.counters.settled
            await self._ask(crawl)
            if crawl.ending.counters.settled == settled and not crawl.ending.counters.saving:
                return

    async def nothing_read(self, crawl: Crawl) -> bool:
        """There was nothing to start from, or it could not be read."""
        return crawl.ending.counters.pages_read == 0 and not self.found

    async def _ask(self, crawl: Crawl, enough: int = 0) -> None:
        latest = await crawl.storage.writer.run(
            partial(find_answers, question=self.arguments.question, after=self.last, enough=enough)
        )
        self.last = latest.last
        known_ids = {answer.record["id"] for answer in self.found}
        fresh = [answer for answer in latest.answers if answer.record["id"] not in known_ids]
        self.found += fresh
        for answer in fresh:
            if answer.whole and answer.record["site"] != self.scope.site:  # those of this crawl are items already
                signal = signals.item_scraped
                self.crawler.signals.send_catch_log(signal, item=answer.record, response=None, spider=self)
        for answer in fresh[:BEST_RESULTS]:
            await self._follow(crawl, answer)
        if len(self.best) >= self.arguments.enough:
            crawl.ending.stop(Finish.FINISHED)

    async def _follow(self, crawl: Crawl, answer: QueryAnswer) -> None:
        """Offer the links of a result that another crawl stored; those of this crawl are placed as they are read."""
        if answer.record["site"] == self.scope.site:
            return
        links = await crawl.storage.writer.run(partial(links_of, answer=answer))
        await crawl.storage.frontier.offer(filter(None, (self._offer(answer, url, anchor) for url, anchor in links)))

    def _offer(self, answer: QueryAnswer, url: str, anchor: str) -> Offer | None:
        placement = self.arguments.strategy.place(answer.score, score(self.profile, Document(anchor=anchor)).score, 1)
        return placed_at(self.link_filter.offer(url, anchor, 1, answer.record["url"]), placement) if placement else None
