"""The arguments of a query crawl, checked before it starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from newsspider.core.crawling.finish_reasons import CrawlLimits
from newsspider.crawl.arguments import JOB, LIMITS, count_of, job_of, positive_number, split_arguments
from newsspider.crawl.wrong_use import wrong_use
from newsspider.features.explore.crawl_starts import Seed
from newsspider.features.explore.query_answers import LONGEST_QUESTION, question_words
from newsspider.features.explore.rules.best_first import RealTimeQuery
from newsspider.features.explore.rules.strategy_names import make_strategy, options_of
from newsspider.features.explore.seeds import read_seeds

ENOUGH_ARTICLES = 20
QUERY_SECONDS = 60.0
KNOWN = {
    "q": "the question: words with blanks between them",
    "enough": f"end when there are this many answers, those already stored included (default: {ENOUGH_ARTICLES})",
    "seconds": f"stop claiming after this many seconds (default: {QUERY_SECONDS:.0f}); exit code as for minutes",
    "pages": LIMITS["pages"],
    "seeds": "as for `explore`: where to start beside the answers, or if there are none",
    **JOB,
}
SITE_PREFIX = "query:"


@dataclass(frozen=True, slots=True)
class QueryArguments:
    """The arguments of ``scrapy crawl query``."""

    given: Mapping[str, str]
    question: str
    strategy: RealTimeQuery
    seeds: tuple[Seed, ...]
    enough: int
    limits: CrawlLimits

    @classmethod
    def read(cls, raw: Mapping[str, str]) -> QueryArguments:
        """Parse the arguments; raises ``UsageError`` for the first invalid one."""
        own, options = split_arguments(raw, KNOWN)
        job_of(own)
        question = " ".join(question_words(own.get("q", "")))
        if not question:
            raise wrong_use('say what to look for, as in -a q="高考 改革"')
        if len(question) > LONGEST_QUESTION:
            raise wrong_use(f"-a q=... has {len(question)} characters; say at most {LONGEST_QUESTION}")
        unknown = next((name for name in options if name not in options_of("query")), None)
        if unknown is not None:
            raise wrong_use(f"unknown argument -a {unknown}=...; there are {', '.join((*KNOWN, *options_of('query')))}")
        try:
            query_strategy = make_strategy("query", options)
        except ValueError as error:
            raise wrong_use(f"-a {error}") from error
        assert isinstance(query_strategy, RealTimeQuery)
        seconds = positive_number(own, "seconds") or QUERY_SECONDS
        return cls(
            dict(raw),
            question,
            query_strategy,
            read_seeds(own["seeds"]) if "seeds" in own else (),
            count_of(own, "enough") or ENOUGH_ARTICLES,
            CrawlLimits(count_of(own, "pages"), None, seconds / 60),
        )

    @property
    def site(self) -> str:
        """The name of the crawl in the store."""
        return f"{SITE_PREFIX}{self.question}"
