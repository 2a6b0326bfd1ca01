"""What Scrapy logs of each page, the log format, and that none holds what a terminal obeys."""

from __future__ import annotations

import json
import logging
import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self
from zoneinfo import ZoneInfo

from scrapy import signals
from scrapy.logformatter import LogFormatter
from scrapy.utils.log import _get_handler, get_scrapy_root_handler

from newsspider.core.text.characters import escape_controls

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings, Settings

WORKER = "NEWSSPIDER_WORKER"  # environment: the number of one of several workers
_FORMATTER = logging.Formatter()


class PageLogFormatter(LogFormatter):
    """Scrapy's lines on fetched and scraped pages only where ``LOG_LEVEL`` shows them: the ledger keeps what became of
    a page.

    Scrapy makes these lines for every page whatever the level, which costs 1 % of a crawl. Where another program than
    ``scrapy crawl`` runs the crawl, the log has its form from here, and anew from the opening of the spider on: Scrapy
    changes its handler in between.
    """

    def __init__(self, level: str | int) -> None:
        number = logging.getLevelName(level) if isinstance(level, str) else level
        self.shown = not isinstance(number, int) or number <= logging.DEBUG

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        format_logs(crawler.settings)
        crawler.signals.connect(cls._format_logs, signals.spider_opened)
        return cls(crawler.settings["LOG_LEVEL"])

    @staticmethod
    def _format_logs(spider: Spider) -> None:
        format_logs(spider.settings)

    def crawled(self, *args: Any, **kwargs: Any) -> Any:
        return super().crawled(*args, **kwargs) if self.shown else None

    def dropped(self, item: Any, exception: BaseException, response: Any, spider: Any) -> Any:
        """In a line with the URL, without the text of the article."""
        line = super().dropped(item, exception, response, spider)
        url = getattr(response, "url", None) or type(item).__name__
        reason = " ".join(str(exception).split())
        return {**line, "msg": "Dropped: %(reason)s (%(url)s)", "args": {"reason": reason, "url": url}}

    def item_error(self, item: Any, exception: BaseException, response: Any, spider: Any) -> Any:
        """For pages with a lease at debug level: internal errors are logged once a kind, not once a page with a
        traceback each."""
        from newsspider.core.model import StoredArticle  # here and below: every command imports this module

        line = super().item_error(item, exception, response, spider)
        is_leased = isinstance(item, StoredArticle) and item.page is not None
        return {**line, "level": logging.DEBUG} if is_leased else line

    def spider_error(self, failure: Any, request: Request, response: Any, spider: Any) -> Any:
        """The same of an error between the spider and the pipelines."""
        from newsspider.crawl.fetch_notes import LEASE

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
            record.msg, record.args = escape_controls(record.getMessage()), None
        except (TypeError, ValueError, KeyError):  # its arguments do not fit, which the handler itself reports
            return True
        if record.exc_info and not record.exc_text:
            record.exc_text = _FORMATTER.formatException(record.exc_info)
        if record.exc_text:
            record.exc_text = escape_controls(record.exc_text)
        return True


class ZonedFormatter(logging.Formatter):
    """Scrapy's lines, with their times in a time zone."""

    def __init__(self, settings: BaseSettings) -> None:
        super().__init__(settings["LOG_FORMAT"], settings["LOG_DATEFORMAT"])
        self.zone = ZoneInfo(settings["TIME_ZONE"])

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: N802 -- Python's name
        moment = datetime.fromtimestamp(record.created, self.zone)
        return moment.strftime(datefmt) if datefmt else moment.isoformat(" ", "milliseconds")


class JsonFormatter(logging.Formatter):
    """A JSON object a line: ``time`` (UTC), ``level``, ``logger``, ``message``; ``exception`` if there is one, and
    ``worker`` where there are several (``-a workers=N``)."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if WORKER in os.environ:
            line["worker"] = os.environ[WORKER]
        if record.exc_info and not record.exc_text:
            record.exc_text = self.formatException(record.exc_info)
        if record.exc_text:
            line["exception"] = record.exc_text
        return json.dumps(line, ensure_ascii=False)


def open_log(settings: Settings) -> None:
    """Open the log that the settings name, in its form from the first line on. Scrapy must not install its own: it
    does so several times while a crawl starts."""
    logging.root.setLevel(logging.NOTSET)
    handler = _get_handler(settings)
    _format(handler, settings)
    logging.root.addHandler(handler)
    escape_logs()


def format_logs(settings: BaseSettings) -> None:
    """Give the lines of Scrapy's handler their form, and escape what any handler writes."""
    if (handler := get_scrapy_root_handler()) is not None:
        _format(handler, settings)
    escape_logs()


def _format(handler: logging.Handler, settings: BaseSettings) -> None:
    if settings.getbool("LOG_JSON"):
        handler.setFormatter(JsonFormatter())
    elif type(handler.formatter) is logging.Formatter:  # not one with colours
        handler.setFormatter(ZonedFormatter(settings))


def escape_logs() -> None:
    """Escape what the handlers of the root logger write, and what Python itself writes where there is none."""
    for handler in (*logging.root.handlers, logging.lastResort):
        if handler is not None and not any(isinstance(log_filter, EscapedRecords) for log_filter in handler.filters):
            handler.addFilter(EscapedRecords())
