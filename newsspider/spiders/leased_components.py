"""The components that a spider with leases has, and those of Scrapy that it does without: one lease is one fetch, and
the frontier decides what follows from a redirect, a failure or a refusal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.settings import SETTINGS_PRIORITIES

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

SPIDER = SETTINGS_PRIORITIES["spider"]
# A buffer of requests whose leases are held. With `REDIS_URL` it is a subclass of scrapy-redis's `Scheduler`.
SCHEDULER = "newsspider.scheduler.LeaseScheduler"
OFF = {
    "DOWNLOADER_MIDDLEWARES_BASE": (
        "scrapy.downloadermiddlewares.offsite.OffsiteMiddleware",
        "scrapy.downloadermiddlewares.retry.RetryMiddleware",
        "scrapy.downloadermiddlewares.redirect.RedirectMiddleware",
        "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware",
        "scrapy.downloadermiddlewares.cookies.CookiesMiddleware",
        "scrapy.downloadermiddlewares.httpauth.HttpAuthMiddleware",
    ),
    "SPIDER_MIDDLEWARES_BASE": (
        "scrapy.spidermiddlewares.depth.DepthMiddleware",  # the ledger knows the depth
        "scrapy.spidermiddlewares.httperror.HttpErrorMiddleware",  # every status is an outcome
        "scrapy.spidermiddlewares.referer.RefererMiddleware",
        "scrapy.spidermiddlewares.urllength.UrlLengthMiddleware",  # see core.fetching.traps
    ),
    "EXTENSIONS_BASE": (
        "scrapy.extensions.logstats.LogStats",  # see `newsspider.extensions.log_line`
    ),
}
ON = {"SPIDER_MIDDLEWARES_BASE": {"newsspider.spiders.lost_articles.LostArticleMiddleware": 0}}


def set_leased_components(settings: BaseSettings) -> None:
    """Set the scheduler of leases unless the command line names another, and the other components of such spiders."""
    if (settings.getpriority("SCHEDULER") or 0) < SPIDER:
        settings.set("SCHEDULER", SCHEDULER, SPIDER)
    for setting, components in OFF.items():
        settings.set(setting, settings.getdict(setting) | dict.fromkeys(components) | ON.get(setting, {}), SPIDER)
