"""The arguments of a crawl (``-a name=value``), checked before it starts."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from sqlite3 import DatabaseError
from typing import TYPE_CHECKING

from sqlalchemy.exc import DBAPIError

from newsspider.core.crawling.finish_reasons import CrawlLimits
from newsspider.crawl.wrong_use import whole_number, wrong_use
from newsspider.store.jobs import SCHEDULE

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

LIMITS = {
    "minutes": "stop claiming after this many minutes",
    "articles": "stop claiming when this many new articles are stored",
    "pages": "fetch at most this many pages; robots.txt files do not count",
}
JOB = {
    "job": "a name: while a run of this name is under way, and for a minute after its start, no second one starts; for "
    "jobs that two nodes or two schedules may trigger"
}
WORKERS = {
    "workers": "this many processes on this machine share the crawl, with one progress line; limits of pages and "
    "articles are divided among them; they stop together, and one that is killed is started again"
}
KNOWN = {
    "sites": "a site file or a folder of them: these sites instead of the registry's; they go into the registry, and "
    "sites that people add meanwhile are taken up",
    "topic": "a topic's name or the path of a profile; `any` keeps every article; else the setting `TOPIC`",
    "forever": "`1`: go on around the clock until a signal comes; each list is polled when it is expected to have "
    "brought enough, see `REVISIT_POLICY`",
    **LIMITS,
    **JOB,
    **WORKERS,
}
PASSED_BY_SCRAPYD = ("_job",)
TRUE, FALSE = frozenset({"1", "true", "yes", "on"}), frozenset({"0", "false", "no", "off", ""})

NO_LIMITS = CrawlLimits()
LONGEST_JOB = 100  # characters of its name
MOST_WORKERS = 64
LARGEST_LIMIT = 1_000_000_000  # pages, articles, minutes or seconds


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of ``scrapy crawl education``; ``None`` where one was not given."""

    sites: str | None = None
    topic: str | None = None
    forever: bool = False
    limits: CrawlLimits = NO_LIMITS
    given: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, raw: Mapping[str, str]) -> Arguments:
        """Parse the arguments; raises ``UsageError`` for an unknown name or an invalid value."""
        _, unknown = split_arguments(raw, KNOWN)
        if unknown:
            raise wrong_use(f"unknown argument -a {next(iter(unknown))}=...; there are {', '.join(KNOWN)}")
        job_of(raw)
        workers_of(raw)
        if raw.get("sites") == "":
            raise wrong_use("-a sites= names no file or folder")
        return cls(
            given=dict(raw),
            sites=raw.get("sites") or None,
            topic=raw.get("topic") or None,
            forever=flag_argument(raw, "forever"),
            limits=limits_of(raw),
        )


def job_of(raw: Mapping[str, str]) -> str:
    """The name of the job; empty if it has none. Raises ``UsageError``."""
    name = raw.get("job", "")
    if "job" in raw and not (name.strip() == name and 0 < len(name) <= LONGEST_JOB and name.isprintable()):
        raise wrong_use(f"-a job={name}: say a name of 1 to {LONGEST_JOB} printable characters")
    if name.startswith(SCHEDULE):
        raise wrong_use(f"-a job={name}: names that begin with {SCHEDULE} are newsspider's own")
    return name


def workers_of(raw: Mapping[str, str]) -> int:
    """How many processes share the crawl; raises ``UsageError``."""
    workers = count_of(raw, "workers") or 1
    if workers > MOST_WORKERS:
        raise wrong_use(f"-a workers={workers}: say at most {MOST_WORKERS}")
    return workers


def split_arguments(raw: Mapping[str, str], names: Collection[str]) -> tuple[dict[str, str], dict[str, str]]:
    """The crawl's own arguments, and the others, which may be options of its strategy."""
    own = {name: value for name, value in raw.items() if name in names}
    others = {name: value for name, value in raw.items() if name not in names and name not in PASSED_BY_SCRAPYD}
    return own, others


def limits_of(raw: Mapping[str, str]) -> CrawlLimits:
    """The limits of the crawl; raises ``UsageError``."""
    return CrawlLimits(count_of(raw, "pages"), count_of(raw, "articles"), positive_number(raw, "minutes"))


def check_start(settings: BaseSettings, topic: str | None, sites: str | None = None) -> None:
    """Raise ``UsageError`` with one sentence for a setting, topic, site file or store that cannot be used.

    A store that exists but fails raises :exc:`~newsspider.store.engine.errors.StoreFailedError`.
    """
    from newsspider.crawl.component_check import check_wiring
    from newsspider.crawl.setting_checks import check_scrapy_redis, check_settings
    from newsspider.sites.loader import SiteError, load_sites
    from newsspider.store.engine.errors import StoreFailedError, StoreUnusableError
    from newsspider.topics.loader import TopicError, load_topic

    check_settings(settings)
    check_scrapy_redis(settings)
    check_wiring(settings)
    try:
        load_topic(topic or settings["TOPIC"])
        if sites is not None:
            if not Path(sites).exists():
                raise wrong_use(f"-a sites={sites}: there is no such file or folder")
            load_sites(Path(sites))
        _open(settings["DATABASE_URL"], watched=sites is None)
    except TopicError as error:
        raise wrong_use(f"{'-a topic' if topic else 'TOPIC'}={error}") from error
    except StoreFailedError:
        raise
    except (SiteError, StoreUnusableError, OSError) as error:
        raise wrong_use(str(error)) from error


def _open(url: str, *, watched: bool) -> None:
    """Open the store and check for damage, which a crawl would otherwise notice hours later; of a crawl of the
    ``watched`` sites also whether each can be used."""
    from newsspider.store import sites
    from newsspider.store.engine.database import open_store, reading
    from newsspider.store.engine.errors import ADVICE, StoreFailedError, url_without_passwords
    from newsspider.store.engine.integrity import glance_at_file

    engine = open_store(url)
    try:
        damage = glance_at_file(engine)
    except (OSError, DatabaseError, DBAPIError) as error:
        damage = " ".join(str(getattr(error, "orig", None) or error).split())
    try:
        if damage:
            store = f"the store {url_without_passwords(engine.url)}"
            raise StoreFailedError(f"{store} is damaged ({damage}); {ADVICE}; `scrapy store check` lists the damage")
        with reading(engine) as conn:
            if watched and not sites.shipped_changed(conn):  # else the crawl takes their new texts over first
                sites.enabled_sites(conn)
    finally:
        engine.dispose()


def flag_argument(raw: Mapping[str, str], name: str) -> bool:
    """A switch, off by default; raises ``UsageError``."""
    value = raw.get(name, "").lower()
    if value not in TRUE | FALSE:
        raise wrong_use(f"-a {name}={value}: say 1 or 0")
    return value in TRUE


def count_of(raw: Mapping[str, str], name: str) -> int | None:
    """A whole number of at least 1, if given; raises ``UsageError``."""
    return whole_number(f"-a {name}", raw[name], most=LARGEST_LIMIT, between="=") if name in raw else None


def positive_number(raw: Mapping[str, str], name: str) -> float | None:
    """A number above 0, if given; raises ``UsageError``."""
    text = raw.get(name)
    if text is None:
        return None
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number <= LARGEST_LIMIT:
        raise wrong_use(f"-a {name}={text}: say a number above 0 and at most {LARGEST_LIMIT}")
    return number
