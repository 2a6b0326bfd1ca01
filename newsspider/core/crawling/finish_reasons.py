"""How a crawl ended: its finish reason, the sentence for people and the exit code of the process."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Finish(StrEnum):
    """The finish reasons of a crawl."""

    FINISHED = "finished"  # nothing is left undone
    ARTICLES = "articles_limit"
    PAGES = "pages_limit"
    MINUTES = "minutes_limit"
    POSTPONED = "postponed"
    NOTHING_READ = "no_list_could_be_read"
    UNREAD_LISTS = "unread_lists"  # some were read, some were not
    INTERNAL_ERRORS = "internal_errors"  # pages wait, or were given up, because of internal errors
    INTERNAL_OUTAGE = "internal_outage"  # internal errors wherever it looks, or the machine has no more of something
    STORE_FAILED = "store_failed"
    MEMORY = "memusage_exceeded"  # Scrapy's word
    ALREADY_RUNS = "already_runs"  # another run of the same `-a job=`
    SHUTDOWN = "shutdown"  # Scrapy's word for a stop by signal
    START_ERROR = "start_error"  # Scrapy's word for an exception in start()
    REFUSED = "refused"  # a setting, or a component that is missing, breaks a guarantee


@dataclass(frozen=True, slots=True)
class Ending:
    """What a finish reason means for the shell and for people; ``details`` are for the reference."""

    exit_code: int
    sentence: str
    details: str = ""
    orderly: bool = False  # nothing went wrong: 0 under scrapyd, which takes any other code for a died process


ENDINGS = {
    Finish.FINISHED: Ending(0, "finished: nothing is due any more", "even at a limit", orderly=True),
    Finish.START_ERROR: Ending(
        1,
        "an error of ours stopped the crawl; see the log",
        "the run could not be started (a dictionary or table cannot be read, say), or its claim loop failed",
    ),
    Finish.REFUSED: Ending(
        2,
        "refused before the first request: the settings break a guarantee, or a site cannot be used; the log names it",
        "an add-on or a spider changed the settings, or a stored site is no longer a site file",
    ),
    Finish.ARTICLES: Ending(3, "stopped at the limit of articles; go on with the same command", orderly=True),
    Finish.PAGES: Ending(4, "stopped at the limit of pages; go on with the same command", orderly=True),
    Finish.MINUTES: Ending(5, "stopped at the limit of minutes; go on with the same command", orderly=True),
    Finish.POSTPONED: Ending(
        6,
        "ended with pages put off for later (hosts that ask for patience); run it again later",
        "pages were put off for longer than `ROUND_PATIENCE_SECONDS`",
        orderly=True,
    ),
    Finish.NOTHING_READ: Ending(
        7, "not one list, or page to start from, could be read; see `scrapy status` and the log"
    ),
    Finish.STORE_FAILED: Ending(8, "the store failed; what was not committed will be fetched again"),
    Finish.UNREAD_LISTS: Ending(
        9,
        "ended with all done but the lists that could not be read; they are asked again in the next round",
        "stderr says how many of how many, `scrapy status` which and why",
        orderly=True,
    ),
    Finish.INTERNAL_ERRORS: Ending(
        10,
        "some pages could not be read because of internal errors; they are tried again later, see the log",
        "some may have been given up just now; the log has one traceback a kind of error",
    ),
    Finish.INTERNAL_OUTAGE: Ending(
        11,
        "stopped by internal errors; nothing is lost: mend the cause and go on with the same command",
        "no more open files, threads or disk, or internal errors on most hosts (with one or two hosts: on more than "
        "half of the pages, and more than 40); stderr names the cause",
    ),
    Finish.MEMORY: Ending(
        12,
        "stopped at MEMUSAGE_LIMIT_MB; go on with the same command, with a higher limit if it ends so again",
        "around the clock it restarts instead: docs/how-to/bound-memory.md",
    ),
    Finish.ALREADY_RUNS: Ending(
        13,
        "not started: a run of the same job is under way, or was started within the last minute",
        "only with `-a job=NAME`",
        orderly=True,
    ),
    Finish.SHUTDOWN: Ending(
        143, "stopped by a signal; go on with the same command", "SIGTERM; 130 after SIGINT", orderly=True
    ),
}
UNKNOWN = Ending(1, "ended for a reason of its own")


def ending_of_reason(reason: str | None) -> Ending:
    """The ending of any finish reason, also of one that is not ours.

    >>> [ending_of_reason(reason).exit_code for reason in ("finished", "closespider_errorcount", "enough")]
    [0, 0, 1]
    """
    if reason is not None and reason.startswith("closespider_"):  # Scrapy's words for limits that the user set
        return Ending(0, f"stopped at {reason.upper()}; go on with the same command", orderly=True)
    return ENDINGS.get(Finish(reason), UNKNOWN) if reason in set(Finish) else UNKNOWN


_ORDERLY_CODES = {0, 130} | {end.exit_code for end in ENDINGS.values() if end.orderly}


def is_failure(exit_code: int) -> bool:
    """Whether a process with this exit code failed.

    >>> is_failure(0), is_failure(4), is_failure(2)
    (False, False, True)
    """
    return exit_code not in _ORDERLY_CODES


@dataclass(frozen=True, slots=True)
class CrawlLimits:
    """How far a crawl may go; ``None`` is no limit."""

    pages: int | None = None
    articles: int | None = None
    minutes: float | None = None

    def pages_left(self, pages: int) -> int:
        """How many more pages may be fetched after these.

        >>> CrawlLimits(pages=10).pages_left(8)
        2
        """
        return 1 << 30 if self.pages is None else max(0, self.pages - pages)

    def left(self, pages: int, articles: int, seconds: float) -> CrawlLimits | None:
        """The limits of a crawl that goes on after these figures; ``None`` if one is reached.

        >>> CrawlLimits(pages=10, minutes=2).left(8, 5, 90)
        CrawlLimits(pages=2, articles=None, minutes=0.5)
        """
        if self.reached(pages, articles, seconds) is not None:
            return None
        return CrawlLimits(
            None if self.pages is None else self.pages - pages,
            None if self.articles is None else self.articles - articles,
            None if self.minutes is None else self.minutes - seconds / 60,
        )

    def reached(self, pages: int, articles: int, seconds: float) -> Finish | None:
        """The limit that these figures reach, if any.

        >>> CrawlLimits(articles=5).reached(100, 5, 1.0)
        <Finish.ARTICLES: 'articles_limit'>
        """
        if self.articles is not None and articles >= self.articles:
            return Finish.ARTICLES
        if self.pages is not None and pages >= self.pages:
            return Finish.PAGES
        if self.minutes is not None and seconds >= 60 * self.minutes:
            return Finish.MINUTES
        return None
