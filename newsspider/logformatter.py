"""What Scrapy logs of each page, and that no log line holds what a terminal obeys."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Self

from scrapy.logformatter import LogFormatter

from newsspider.core.model import StoredArticle
from newsspider.core.text.escapes import escaped
from newsspider.crawl.fetch_notes import LEASE

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

_FORMATTER = logging.Formatter()


class PageLogFormatter(LogFormatter):
    """Scrapy's lines on fetched and scraped pages only where ``LOG_LEVEL`` shows them: the ledger keeps what became of
    a page.

    Scrapy makes these lines for every page whatever the level, which costs 1 % of a crawl. Scrapy makes one as a crawl
    starts, after it has opened the log: from then on the log is escaped.
    """

    def __init__(self, level: str | int) -> None:
        number = logging.getLevelName(level) if isinstance(level, str) else level
        self.shown = not isinstance(number, int) or number <= logging.DEBUG

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        escape_logs()
        return cls(crawler.settings["LOG_LEVEL"])

    def crawled(self, *args: Any, **kwargs: Any) -> Any:
        return super().crawled(*args, **kwargs) if self.shown else None

    def item_error(self, item: Any, exception: BaseException, response: Any, spider: Any) -> Any:
        """For our pages at debug level: internal errors are logged once a kind, not once a page with a traceback
        each."""
        line = super().item_error(item, exception, response, spider)
        return {**line, "level": logging.DEBUG} if isinstance(item, StoredArticle) else line

    def spider_error(self, failure: Any, request: Request, response: Any, spider: Any) -> Any:
        """The same of an error between the spider and the pipelines."""
        line = super().spider_error(failure, request, response, spider)
        return {**line, "level": logging.DEBUG} if LEASE in request.meta else line

    def scraped(self, *args: Any, **kwargs: Any) -> Any:
        return super().scraped(*args, **kwargs) if self.shown else None


class EscapedRecords(logging.Filter):
    """Escapes the control characters of the records of a handler, those of exceptions too; no record is left out.

    It changes the records and not what a formatter makes of them: Scrapy's has colours, which are escape sequences.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        try:
            record.msg, record.args = escaped(record.getMessage()), None
        except (TypeError, ValueError, KeyError):  # its arguments do not fit, which the handler itself reports
            return True
        if record.exc_info and not record.exc_text:
            record.exc_text = _FORMATTER.formatException(record.exc_info)
        if record.exc_text:
            record.exc_text = escaped(record.exc_text)
        return True


def escape_logs() -> None:
    """Escape what the handlers of the root logger write, and what Python itself writes where there is none."""
    for handler in (*logging.root.handlers, logging.lastResort):
        if handler is not None and not any(isinstance(each, EscapedRecords) for each in handler.filters):
            handler.addFilter(EscapedRecords())
