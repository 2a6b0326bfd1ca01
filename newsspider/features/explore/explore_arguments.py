"""The arguments of an explore crawl, checked before it starts."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from newsspider.core.crawling.finish_reasons import CrawlLimits
from newsspider.core.fetching.address_guard import AllowedAddresses, refused_host
from newsspider.core.fetching.traps import has_suffix
from newsspider.core.url import host_of, same_site
from newsspider.crawl import arguments
from newsspider.crawl.arguments import flag_argument, limits_of, split_arguments
from newsspider.crawl.storage import uses_redis
from newsspider.crawl.wrong_use import wrong_use
from newsspider.download.dns_cache import ascii_name
from newsspider.download.guarded_resolver import allowed_addresses
from newsspider.features.explore import crawl_starts
from newsspider.features.explore.crawl_starts import Seed
from newsspider.features.explore.discovered import INDEX
from newsspider.features.explore.rules.strategy_names import STRATEGIES, make_strategy, options_of
from newsspider.features.explore.seeds import read_seeds
from newsspider.store.engine.database import open_store, reading
from newsspider.store.ledger.crawls import crawl_names

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from newsspider.features.explore.rules.strategy import Strategy

SITE_PREFIX = "explore:"
QUERY = "query"  # this strategy has a spider of its own
CHOSEN = [name for name in STRATEGIES if name != QUERY]
KNOWN = {
    "strategy": ", ".join(f"`{name}`" for name in CHOSEN),
    "seeds": "a file with a URL a line, with a weight of 1 to 10 behind it if need be and `#` before comments; or URLs "
    "with commas between them",
    "name": "the name of the crawl; else its strategy with a digest of its seeds and its topic",
    "stay": "`1`: only the registered domains of the seeds (an IP address: only that address); else links lead to any "
    "public host",
    "within": "domains like `edu.cn,example.org`: only hosts in these",
    "topic": arguments.KNOWN["topic"],
    "forever": "`1`: go on around the clock, for strategies that visit pages again",
    **arguments.LIMITS,
    **arguments.JOB,
    **arguments.WORKERS,
}
LONGEST_DOMAIN = 259  # characters, with a port

_NAME = re.compile(r"[\w.-]{1,80}")
_DOMAIN = re.compile(r"[\w-]+(\.[\w-]+)*(:\d+)?")


@dataclass(frozen=True, slots=True)
class ExploreArguments:
    """The arguments of ``scrapy crawl explore``."""

    given: Mapping[str, str]
    kind: str  # the name of the strategy
    strategy: Strategy
    seeds: tuple[Seed, ...]
    name: str | None
    stay: bool
    within: tuple[str, ...]
    topic: str | None
    forever: bool
    limits: CrawlLimits

    @classmethod
    def read(cls, raw: Mapping[str, str]) -> ExploreArguments:
        """Parse the arguments; raises ``UsageError`` for the first invalid one."""
        own, options = split_arguments(raw, KNOWN)
        kind = own.get("strategy", "")
        arguments.job_of(own)
        arguments.workers_of(own)
        read = cls(
            dict(raw),
            kind,
            _strategy(kind, options),
            read_seeds(own["seeds"]) if "seeds" in own else (),
            own.get("name"),
            flag_argument(own, "stay"),
            _domains(own.get("within", "")),
            own.get("topic") or None,
            flag_argument(own, "forever"),
            limits_of(own),
        )
        read._check()
        return read

    def inside(self, url: str) -> bool:
        """Whether a URL may be requested: on a site of the seeds (``stay``) and in one of the domains (``within``)."""
        if self.stay and not any(same_site(url, seed.url) for seed in self.seeds):
            return False
        host = host_of(url)
        names = (host, host.partition(":")[0])
        return not self.within or any(
            name == domain or name.endswith(f".{domain}") for domain in self.within for name in names
        )

    def _check(self) -> None:
        if self.name is not None and not _NAME.fullmatch(self.name):
            raise wrong_use(f"-a name={self.name}: say up to 80 letters, digits, '.', '_' and '-'")
        if self.stay and not self.seeds:
            raise wrong_use("-a stay=1: say the seeds whose sites it is to stay on")
        if not (self.seeds or self.name or self.strategy.mode.from_unvisited or self.strategy.mode.indexes_discovered):
            raise wrong_use(NO_SEEDS)


NO_SEEDS = "say where to start, with -a seeds=FILE|URL,..., or which crawl to continue, with -a name=NAME"


def crawl_name(arguments: ExploreArguments, settings: BaseSettings) -> str:
    """The name of the crawl in the store; raises ``UsageError`` if there is none to continue."""
    name = arguments.name
    if name is None and arguments.seeds:
        name = _digest(arguments, arguments.topic or settings["TOPIC"])
    engine = open_store(settings["DATABASE_URL"])
    try:
        with reading(engine) as conn:
            site = f"{SITE_PREFIX}{name}" if name else crawl_starts.latest(conn, arguments.kind)
            pushed = arguments.name is not None and uses_redis(settings)
            if not arguments.seeds and not pushed and site not in crawl_names(conn):
                raise wrong_use(
                    f"-a name={name}: no such crawl was begun; say -a seeds=FILE|URL,..." if name else NO_SEEDS
                )
    finally:
        engine.dispose()
    assert site is not None
    return site.removesuffix(INDEX) + (INDEX if arguments.strategy.mode.indexes_discovered else "")


def _digest(arguments: ExploreArguments, topic: str) -> str:
    """The strategy with a hash of seeds and topic: the same seeds are the same crawl, but results for one topic do
    not apply to another."""
    text = "\n".join([*sorted(seed.url for seed in arguments.seeds), topic])
    return f"{arguments.kind}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def check_seeds(settings: BaseSettings, seeds: tuple[Seed, ...]) -> None:
    """Raise ``UsageError`` for a seed that would never be fetched."""
    allowed: AllowedAddresses = allowed_addresses(settings)
    suffixes = frozenset(settings.getlist("IGNORED_SUFFIXES"))
    for seed in seeds:
        if refused_host(host_of(seed.url), allowed) is not None:
            raise wrong_use(
                f"-a seeds: {seed.url} is at an address that is not public; name it in ALLOWED_ADDRESSES if it is meant"
            )
        if has_suffix(seed.url, suffixes):
            raise wrong_use(f"-a seeds: {seed.url} is no page by its suffix (IGNORED_SUFFIXES)")


def _strategy(kind: str, options: Mapping[str, str]) -> Strategy:
    if kind not in CHOSEN:
        hint = "; for a question there is `scrapy crawl query`" if kind == QUERY else ""
        raise wrong_use(f"-a strategy={kind}: there are {', '.join(CHOSEN)}{hint}")
    unknown = next((name for name in options if name not in options_of(kind)), None)
    if unknown is not None:
        raise wrong_use(
            f"unknown argument -a {unknown}=...; {kind} has {', '.join(options_of(kind))}; "
            f"every strategy has {', '.join(KNOWN)}"
        )
    try:
        return make_strategy(kind, options)
    except ValueError as error:
        raise wrong_use(f"-a {error}" if "=" in str(error) else f"-a strategy={kind}: {error}") from error


def _domains(text: str) -> tuple[str, ...]:
    domains = tuple(domain.strip().lower().removeprefix(".") for domain in text.split(",") if domain.strip())
    wrong = next((domain for domain in domains if len(domain) > LONGEST_DOMAIN or not _DOMAIN.fullmatch(domain)), None)
    if wrong is not None:
        raise wrong_use(f"-a within={text}: {wrong!r} is no domain like edu.cn")
    names = (domain.partition(":") for domain in domains)
    return tuple(f"{ascii_name(name)}{colon}{port}" for name, colon, port in names)
