"""Decides whether a continuous crawl that reached its memory limit restarts, and with which command line."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from newsspider.core.crawling.finish_reasons import CrawlLimits, Finish
from newsspider.crawl.crawl import Crawl

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

LEAST_PAGES, LEAST_SECONDS = 100, 600.0  # a crawl that does less before its limit is not worth a start


def restart_arguments(crawler: Crawler, argv: Sequence[str]) -> list[str] | None:
    """The command line, without its program, that continues the crawl; ``None`` if it is over.

    ``argv`` is :data:`sys.orig_argv`. If that is not ``scrapy crawl``, another program runs the crawl.
    """
    spider: Any = crawler.spider
    assert crawler.stats is not None
    forever = getattr(spider, "forever", False)
    if crawler.stats.get_value("finish_reason") != Finish.MEMORY or not forever or "crawl" not in argv:
        return None
    ending = Crawl.of(crawler).ending
    if ending.counters.settled < LEAST_PAGES and ending.seconds() < LEAST_SECONDS:
        return None
    limits = ending.limits_left()
    return None if limits is None else with_limits(argv[1:], limits)


def with_limits(arguments: Iterable[str], limits: CrawlLimits) -> list[str]:
    """A command line with its limits replaced by these.

    >>> with_limits(["scrapy", "crawl", "education", "-a", "pages=9", "-a", "forever=1"], CrawlLimits(pages=5))
    ['scrapy', 'crawl', 'education', '-a', 'forever=1', '-a', 'pages=5']
    """
    values_by_name = {"pages": limits.pages, "articles": limits.articles, "minutes": limits.minutes}
    values = [f"{name}={value}" for name, value in values_by_name.items() if value is not None]
    return [*without_arguments(arguments, values_by_name), *(word for value in values for word in ("-a", value))]


def without_arguments(arguments: Iterable[str], names: Collection[str]) -> list[str]:
    """A command line without the arguments of the crawl that have these names.

    >>> without_arguments(["education", "-ajob=1", "-a=pages=5", "-a", "pages=9", "-a", "forever=1"], {"pages", "job"})
    ['education', '-a', 'forever=1']
    """
    remaining: list[str] = []
    for argument in arguments:
        is_value = remaining[-1:] == ["-a"]
        text = argument if is_value else argument.removeprefix("-a").removeprefix("=")
        if (is_value or argument.startswith("-a")) and text.partition("=")[0] in names:
            del remaining[len(remaining) - is_value :]
        else:
            remaining.append(argument)
    return remaining
