"""Refuses to start a crawl without a component that a guarantee depends on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any

from scrapy.utils.conf import build_component_list
from scrapy.utils.misc import load_object
from scrapy.utils.reactor import is_asyncio_reactor_installed, is_reactor_installed

from newsspider.crawl.storage import uses_redis
from newsspider.crawl.wrong_use import wrong_use
from newsspider.hooks import plugins

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings, Settings

NO_BAD_BODY = "no damaged or oversized body counts as a page"

# Setting -> component -> the guarantee that depends on it. Components of one setting must be in this order; others may
# be between them, and a subclass may replace each.
COMPONENTS: dict[str, dict[str, str]] = {
    "DOWNLOADER_MIDDLEWARES": {
        "newsspider.downloadermiddlewares.address.AddressMiddleware": "no address is asked that is not public",
        "newsspider.downloadermiddlewares.politeness.RobotsMiddleware": "robots.txt is obeyed",
        "newsspider.downloadermiddlewares.content.ContentTypeMiddleware": "only documents are downloaded",
        "newsspider.downloadermiddlewares.politeness.UserAgentMiddleware": "each request says who asks",
        "newsspider.downloadermiddlewares.content.CompressionMiddleware": NO_BAD_BODY,
        "newsspider.downloadermiddlewares.politeness.AdaptiveDelayMiddleware": "the delay of a host follows its speed",
    },
    "ITEM_PIPELINES": {
        "newsspider.pipelines.relevance.RelevancePipeline": "only on-topic articles are stored (-a topic=any: all)",
        "newsspider.pipelines.store.FingerprintPipeline": "no article is stored twice",
        "newsspider.pipelines.store.StorePipeline": "pages are stored and their leases end",
    },
    "EXTENSIONS": {
        "newsspider.extensions.store.StoreExtension": "the store is opened, and closed after the last page",
        "newsspider.extensions.periodic.Heartbeat": "leases under way are kept, and those of dead workers taken back",
        "newsspider.extensions.periodic.PollPlannerExtension": "lists are polled in time",
        "newsspider.extensions.start_urls.StartUrls": "start URLs from Redis are taken up",
    },
}

# Scrapy's own components that send or drop requests without the frontier.
FORBIDDEN: dict[str, str] = {
    "scrapy.downloadermiddlewares.offsite.OffsiteMiddleware": "every leased URL ends in an outcome",
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": "one lease is one request",
    "scrapy.downloadermiddlewares.retry.RetryMiddleware": "one lease is one request",
    "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": "one lease is one request",
    "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware": "one lease is one request",
    "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware": NO_BAD_BODY,
}

# Setting -> the class that it names, or a subclass of it, and the guarantee.
CLASSES: dict[str, tuple[str, str]] = {
    "SCHEDULER": ("newsspider.spiders.leased_components.LeaseScheduler", "no claimed page is lost"),
    "STATS_CLASS": ("newsspider.crawl.counters.ThreadStatsCollector", "figures and exit code are true"),
    "TWISTED_DNS_RESOLVER": (
        "newsspider.download.guarded_resolver.GuardedResolver",
        "no address is asked that is not public",
    ),
    "TWISTED_REACTOR": ("twisted.internet.asyncioreactor.AsyncioSelectorReactor", "the claim loop runs"),
    "DOWNLOADER": ("scrapy.core.downloader.Downloader", "DOWNLOADER_MIDDLEWARES are asked"),
    "ITEM_PROCESSOR": ("scrapy.pipelines.ItemPipelineManager", "ITEM_PIPELINES are asked"),
}
HANDLER = ("newsspider.download.handler.HttpHandler", "no address is asked that is not public, and each download ends")
SCHEMES = ("http", "https")
NEEDED_WITH_REDIS = frozenset({"newsspider.extensions.start_urls.StartUrls"})  # without it, they disable themselves


def _sentence(setting: str, component: str, problem: str, guarantee: str) -> str:
    return (
        f"{setting}: {component} {problem}, so newsspider cannot guarantee that {guarantee}; "
        "leave what newsspider/settings.py names, and add yours"
    )


def check_wiring(
    settings: BaseSettings, components: Iterable[str] = COMPONENTS, classes: Iterable[str] = CLASSES
) -> None:
    """Raise ``UsageError`` for the first component of these settings that a crawl would lack."""
    for setting, is_set, feature in (
        ("REDIS_URL", uses_redis(settings), "fleet"),
        ("WARC_FOLDER", settings["WARC_FOLDER"], "archive"),
    ):
        if is_set and not plugins().has_plugin(feature):
            raise wrong_use(f"{setting} needs the feature {feature}: name it in FEATURES")
    try:
        named = {name: _named(settings, name) for name in components}
        lost = _lost(settings, named, classes) or _reactor_lost(settings)
    except (ImportError, NameError, TypeError, ValueError) as error:
        raise wrong_use(f"a component of the settings cannot be loaded: {error}") from error
    if lost is not None:
        raise wrong_use(lost)


def check_built(crawler: Crawler) -> None:
    """The same check for a crawler with a built engine: add-ons and spiders change settings, components disable
    themselves."""
    from newsspider.crawl.setting_checks import check_scrapy_redis, check_settings

    check_settings(crawler.settings)
    check_scrapy_redis(crawler.settings)
    engine: Any = crawler.engine
    built = {
        "DOWNLOADER_MIDDLEWARES": _middlewares(getattr(engine.downloader, "middleware", None)),
        "ITEM_PIPELINES": _middlewares(engine.scraper.itemproc),
        "EXTENSIONS": _middlewares(crawler.extensions),
    }
    lost = _lost(crawler.settings, built)
    if not (is_reactor_installed() and is_asyncio_reactor_installed()):
        lost = _class_lost("TWISTED_REACTOR", "is not installed")
    if lost is not None:
        raise wrong_use(lost)


def _lost(
    settings: BaseSettings, components: Mapping[str, Sequence[type]], classes: Iterable[str] = CLASSES
) -> str | None:
    for setting in classes:
        if setting != "TWISTED_REACTOR" and not _is(load_object(settings[setting]), CLASSES[setting][0]):
            return _class_lost(setting, f"is replaced by {settings[setting]}")
    if _deprecated_resolver(settings):
        return _class_lost("TWISTED_DNS_RESOLVER", "is replaced by that of DNS_RESOLVER")
    handlers = settings.getwithbase("DOWNLOAD_HANDLERS")
    for scheme in SCHEMES:
        if not handlers.get(scheme) or not _is(load_object(handlers[scheme]), HANDLER[0]):
            return _sentence("DOWNLOAD_HANDLERS", HANDLER[0], f"is missing for {scheme}", HANDLER[1])
    needless = frozenset() if uses_redis(settings) else NEEDED_WITH_REDIS
    losses = (_component_lost(setting, components[setting], needless) for setting in components)
    return next((lost for lost in losses if lost is not None), None)


def _component_lost(setting: str, installed: Sequence[type], needless: Set[str]) -> str | None:
    last = -1
    for component, guarantee in COMPONENTS[setting].items():
        if component in needless:
            continue
        position = next(
            (position for position, component_class in enumerate(installed) if _is(component_class, component)), None
        )
        if position is None:
            return _sentence(setting, component, "is missing", guarantee)
        if position < last:
            return _sentence(setting, component, "stands before what it must follow", guarantee)
        last = position
    for component, guarantee in FORBIDDEN.items():
        if any(_is(component_class, component) for component_class in installed):
            return _sentence(setting, component, "is in place, and must not be", guarantee)
    return None


def _reactor_lost(settings: BaseSettings) -> str | None:
    reactor = settings["TWISTED_REACTOR"]
    if (
        not settings.getbool("TWISTED_REACTOR_ENABLED")
        or not reactor
        or not _is(load_object(reactor), CLASSES["TWISTED_REACTOR"][0])
    ):
        return _class_lost("TWISTED_REACTOR", "is replaced or disabled")
    return None


def _class_lost(setting: str, problem: str) -> str:
    component, guarantee = CLASSES[setting]
    return _sentence(setting, component, problem, guarantee)


def _named(settings: BaseSettings, setting: str) -> list[type]:
    names: Settings = settings  # type: ignore[assignment]
    return [load_object(name) for name in build_component_list(names.get_component_priority_dict_with_base(setting))]


def _middlewares(manager: Any) -> list[type]:
    return [type(middleware) for middleware in getattr(manager, "middlewares", ())]


def _is(component: Any, name: str) -> bool:
    # Scrapy's schedulers are subclasses by the names of methods
    return isinstance(component, type) and load_object(name) in component.__mro__


def _deprecated_resolver(settings: BaseSettings) -> bool:
    """Whether Scrapy uses the resolver of the deprecated setting."""
    old, new = (settings.getpriority(name) or 0 for name in ("DNS_RESOLVER", "TWISTED_DNS_RESOLVER"))
    return old > 0 and old >= new
