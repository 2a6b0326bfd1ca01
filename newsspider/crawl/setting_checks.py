"""What each setting may be: one table, asked by every command before anything is started."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from newsspider.core.fetching.addresses import Exceptions
from newsspider.core.relevance.topic import Model
from newsspider.core.scheduling.revisit_schedule import steps_of
from newsspider.crawl.poll_policy import Policy
from newsspider.crawl.wrong_use import wrong_use
from newsspider.sites.holidays import calendar_of

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

LONGEST_SHOWN = 60  # characters of a value that is refused
DAY = 86_400
YES, NO = frozenset({"1", "true"}), frozenset({"0", "false"})
LEVELS = ("CRITICAL", "ERROR", "WARNING", "INFO", "DEBUG")

_STORE = re.compile(r"\s*(?:sqlite|postgresql)(?:\+\w+)?://.*", re.DOTALL)
_TOKEN = re.compile(r"[\w.-]+", re.ASCII)
_COUNTRY = re.compile(r"(?:[A-Z]{2})?")
_TYPE = re.compile(r"[^\s/,;]+/[^\s/,;]+")
_SUFFIX = re.compile(r"[^\s.,/]+")


@dataclass(frozen=True, slots=True)
class Rule:
    """What a value must be: ``told`` says it to people, after the setting and its value."""

    told: str
    fits: Callable[[Any], bool]


def whole(least: int, most: int) -> Rule:
    """A whole number between the two, both included."""

    def fits(value: Any) -> bool:
        return least <= int(value) <= most and float(value).is_integer()

    return Rule(f"say a whole number from {least} to {most}", fits)


def number(least: float, most: float) -> Rule:
    """A number between the two, both included."""
    return Rule(f"say a number from {least:.10g} to {most:.10g}", lambda value: least <= float(value) <= most)


def seconds(least: float, most: float = DAY) -> Rule:
    """A number of seconds between the two, both included."""
    return Rule(f"say seconds from {least:.10g} to {most:.10g}", number(least, most).fits)


def one_of(*names: str, otherwise: str = "") -> Rule:
    """One of these words, or nothing if it is told what nothing means."""
    known = frozenset(names) | ({""} if otherwise else frozenset())
    return Rule(
        f"there are {', '.join(names)}" + (f", or nothing: {otherwise}" if otherwise else ""), known.__contains__
    )


def switch(allowed: frozenset[str], promise: str) -> Rule:
    """A switch that stays as it is shipped, because we promise so."""
    return Rule(promise, lambda value: str(value).strip().lower() in allowed)


def always(value: int, promise: str) -> Rule:
    """A number that stays as it is shipped, because we promise so."""
    return Rule(promise, lambda given: float(given) == value)


def _entries(value: Any) -> list[str]:
    return value.split(",") if isinstance(value, str) and value else list(value)


def _is_server(text: str) -> bool:
    from newsspider.download.name_servers import Server

    return text == "system" or bool(Server.read(text))


def texts(pattern: re.Pattern[str], told: str, least: int = 0) -> Rule:
    """A list of texts, given as a list or with commas between them, each of which fits the whole pattern."""

    def fits(value: Any) -> bool:
        entries = [entry for entry in value.split(",") if value] if isinstance(value, str) else list(value)
        return len(entries) >= least and all(pattern.fullmatch(entry) for entry in entries)

    return Rule(told, fits)


def _are_steps(value: Any) -> bool:
    steps_of(_entries(value))
    return True


def _is_topic(value: Any) -> bool:
    from newsspider.topics.loader import topic_names

    return value in topic_names() or Path(value).is_file()


def _is_country(value: Any) -> bool:
    if value in ("", "CN"):  # most ask for these, and the table takes a tenth of a second
        return True
    from holidays import list_supported_countries

    return _COUNTRY.fullmatch(value) is not None and value in list_supported_countries()


def _is_charset(value: Any) -> bool:
    b"a".decode(value, "replace")
    return True


def _is_redis(value: Any) -> bool:
    from redis.connection import parse_url

    return value == "" or bool(parse_url(value))  # type: ignore[no-untyped-call] # redis-py types its clients only


def _is_line(value: Any) -> bool:
    return bool(value.strip()) and value.isascii() and value.isprintable()


# Every setting of ours and every one of Scrapy's that we set, but for the wiring: classes are Scrapy's to check.
RULES: dict[str, Rule] = {
    "DATABASE_URL": Rule(
        "say a database URL like sqlite:////folder/news.db or postgresql://user@host/name",
        lambda value: bool(_STORE.fullmatch(value)),
    ),
    "REDIS_URL": Rule("say nothing, or a URL like redis://127.0.0.1:6379/0", _is_redis),
    "REDIS_PREFIX": Rule(
        "say a word of letters, digits, '_', '.' and '-'", lambda value: bool(_TOKEN.fullmatch(value))
    ),
    "SEEN_FILTER": one_of("exact", "redis", "bloom"),
    "SEEN_ERROR_RATE": number(1e-6, 0.1),
    "START_URLS_SECONDS": seconds(0.05),
    "TOPIC": Rule("neither a topic of `scrapy topics list` nor a file that can be read", _is_topic),
    "RELEVANCE_MODEL": one_of(*Model, otherwise="the model of the topic's profile"),
    "USER_AGENT": Rule("say one line of ASCII text that names you, with a contact", _is_line),
    "ROBOTS_AGENT": Rule(
        "say a product token as in robots.txt, of letters, digits, '_', '.' and '-'",
        lambda value: bool(_TOKEN.fullmatch(value)),
    ),
    "ROBOTSTXT_OBEY": switch(YES, "newsspider always obeys robots.txt; leave it True"),
    "COOKIES_ENABLED": switch(NO, "newsspider neither keeps nor sends cookies; leave it False"),
    "TELNETCONSOLE_ENABLED": switch(NO, "newsspider opens no port; leave it False"),
    "DELAY_FACTOR": number(0, 10_000),
    "DELAY_MIN_SECONDS": seconds(0, 3600),
    "DELAY_MAX_SECONDS": seconds(0, 3600),
    "CRAWL_DELAY_MAX_SECONDS": seconds(1),
    "DOWNLOAD_FIRST_BYTE_SECONDS": seconds(0.1, 600),
    "DOWNLOAD_TIMEOUT": seconds(0.1, 600),
    "DOWNLOAD_MAXSIZE": whole(1024, 2**30),
    "DOWNLOAD_WARNSIZE": whole(0, 2**30),
    "DOWNLOAD_DELAY": always(0, "leave it 0; the delay is set by DELAY_MIN_SECONDS, DELAY_FACTOR and the site files"),
    "CONCURRENT_REQUESTS_PER_DOMAIN": always(1, "newsspider asks a host for one page at a time; leave it 1"),
    "RETRY_TIMES": whole(0, 100),
    "RETRY_BASE_SECONDS": seconds(0.001),
    "RETRY_CAP_SECONDS": seconds(0.001),
    "REDIRECT_MAX_TIMES": whole(0, 100),
    "ALLOWED_ADDRESSES": Rule(
        "say addresses, networks and host names like 10.1.2.3,127.0.0.0/8,intranet.example.cn",
        lambda value: isinstance(Exceptions.read(_entries(value)), Exceptions),
    ),
    "DNS_SERVERS": Rule(
        "say addresses like 9.9.9.9,127.0.0.1:5353, or system", lambda value: all(map(_is_server, _entries(value)))
    ),
    "DNS_RECORDS": Rule("say A or AAAA, or both", lambda value: {"A", "AAAA"} >= set(_entries(value)) > set()),
    "DNS_TIMEOUT": seconds(0.1, 600),
    "DNS_ATTEMPT_SECONDS": seconds(0.05, 600),
    "DNS_DEAD_SECONDS": seconds(0),
    "DNSCACHE_SIZE": whole(1, 10_000_000),
    "DNS_TTL_MIN_SECONDS": seconds(0, 7 * DAY),
    "DNS_TTL_MAX_SECONDS": seconds(0, 7 * DAY),
    "DNS_NEGATIVE_SECONDS": seconds(0),
    "REVISIT_POLICY": one_of(*Policy),
    "REVISIT_REQUESTS_PER_LIST": number(0.001, 3600),
    "REVISIT_REQUESTS_PER_HOUR": number(0.1, 1e7),
    "REVISIT_REQUESTS_PER_HOST": number(0.1, 3600),
    "REVISIT_SHORTEST_SECONDS": seconds(0.1),
    "REVISIT_LONGEST_SECONDS": seconds(0.1, 7 * DAY),
    "REVISIT_FIXED_SECONDS": seconds(0.1, 7 * DAY),
    "HOLIDAYS": Rule("say a country by two capital letters like CN whose holidays are known, or nothing", _is_country),
    "SCHOOL_HOLIDAYS": Rule(
        "say first and last days like 01-20/02-20,07-10/08-31, or nothing",
        lambda value: calendar_of("", _entries(value), 0.0) is not None,
    ),
    "POLL_ROUND_SECONDS": seconds(0.1),
    "ROUND_PATIENCE_SECONDS": seconds(0),
    "LIST_MAX_PAGES": whole(0, 100_000),
    "TRAP_FETCHES": whole(0, 100_000),
    "TRAP_SITE_FETCHES": whole(1, 1_000_000),
    "TRAP_RETRY_SECONDS": seconds(0.001),
    "SITES_WATCH_SECONDS": seconds(0),
    "LEDGER_WATCH_SECONDS": seconds(0.1, 600),
    "ARTICLE_REVISITS": Rule("say times like 1h,6h,1d,3d, or nothing for no visits", _are_steps),
    "ARTICLE_REVISIT_MAX_AGE_DAYS": number(0, 36_500),
    "VANISHED_MISSES": whole(1, 100),
    "VANISHED_HOURS": number(0, 24 * 30),
    "RANK_HOURS": number(0, 8760),
    "VANISHED_DELETE_DAYS": number(0, 36_500),
    "CONCURRENT_REQUESTS": whole(1, 10_000),
    "CONCURRENT_ITEMS": whole(1, 10_000),
    "LEASES_AHEAD": whole(1, 100),
    "SCRAPER_SLOT_MAX_ACTIVE_SIZE": whole(1024, 2**40),
    "LEASE_SECONDS": seconds(1),
    "FRONTIER_ASSIGNMENT": one_of("dynamic", "static"),
    "WRITER_BATCH": whole(1, 10_000),
    "WRITER_GATHER_SECONDS": seconds(0, 10),
    "WRITER_PATIENCE_SECONDS": seconds(0, 3600),
    "BOILERPLATE_LEARNED": Rule("say True or False", lambda value: str(value).lower() in {"true", "false", "1", "0"}),
    "DEFAULT_CHARSET": Rule("say a charset that Python knows, like gb18030 or utf-8", _is_charset),
    "CONTENT_TYPES": texts(_TYPE, "say types like text/html,text/xml without blanks", least=1),
    "IGNORED_SUFFIXES": texts(_SUFFIX, "say suffixes like jpg,pdf without dots and blanks"),
    "FINGERPRINT_GRAM_LETTERS": whole(3, 64),
    "FINGERPRINT_WINDOW_GRAMS": whole(1, 100),
    "REPRINT_CONTAINMENT": number(0.3, 1),
    "MEMUSAGE_LIMIT_MB": whole(0, 2**20),
    "MEMUSAGE_CHECK_INTERVAL_SECONDS": seconds(0.05, 3600),
    "LOG_LEVEL": one_of(*LEVELS),
    "PROGRESS_SECONDS": seconds(0),
}

# The first of two may not be more than the second.
ORDERED = (
    ("DELAY_MIN_SECONDS", "DELAY_MAX_SECONDS"),
    ("RETRY_BASE_SECONDS", "RETRY_CAP_SECONDS"),
    ("DOWNLOAD_FIRST_BYTE_SECONDS", "DOWNLOAD_TIMEOUT"),
    ("DOWNLOAD_TIMEOUT", "LEASE_SECONDS"),
    ("DNS_ATTEMPT_SECONDS", "DNS_TIMEOUT"),
    ("DNS_TTL_MIN_SECONDS", "DNS_TTL_MAX_SECONDS"),
    ("REVISIT_SHORTEST_SECONDS", "REVISIT_LONGEST_SECONDS"),
)


def check_settings(settings: BaseSettings) -> None:
    """Raise ``UsageError`` for the first setting that cannot work, with its name, its value and what is allowed."""
    for name, rule in RULES.items():
        if name in settings and not _fits(rule, settings[name]):
            raise wrong_use(f"{name}={_shown(settings[name])}: {rule.told}")
    for smaller, larger in ORDERED:
        if smaller in settings and larger in settings and settings.getfloat(smaller) > settings.getfloat(larger):
            raise wrong_use(
                f"{smaller}={settings[smaller]}: it may not be more than {larger}, which is {settings[larger]}"
            )


def _fits(rule: Rule, value: Any) -> bool:
    try:
        return rule.fits(value)
    except (ValueError, TypeError, AttributeError, LookupError, OverflowError, OSError):
        return False


def _shown(value: Any) -> str:
    text = ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    text = " ".join(text.split())
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 3] + "..."
