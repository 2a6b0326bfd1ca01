"""A crawl that lacks a component on which a guarantee rests is refused, whoever took it out and however it is started."""

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from scrapy import Spider
from scrapy.crawler import Crawler, CrawlerProcess
from scrapy.exceptions import UsageError
from scrapy.settings import Settings
from scrapy.utils.project import get_project_settings

from newsspider.core.fetching.robots import RobotsText
from newsspider.crawl.component_check import CLASSES, COMPONENTS, FORBIDDEN, SCHEMES, check_wiring
from newsspider.download.refusals import RobotsForbiddenError
from newsspider.downloadermiddlewares.address import AddressMiddleware
from newsspider.downloadermiddlewares.politeness import RobotsMiddleware
from newsspider.pipelines.store import StorePipeline
from newsspider.spiders.education import EducationSpider
from newsspider.spiders.leased_components import LeaseScheduler
from tests.support.crawler import crawler, lease_of_kind, request_of
from tests.support.portal import environment, scrapy
from tests.support.process import completed
from tests.support.servers import new_file
from tests.support.tables import each

__all__ = ["crawler"]

# No guarantee rests on these: who does without them loses what they add, and knows it.
OPTIONAL = {
    "newsspider.pipelines.relevance.KeywordsPipeline", "newsspider.downloadermiddlewares.content.DecodingMiddleware",
    "newsspider.downloadermiddlewares.render.RenderMiddleware", "newsspider.features.archive.warc_middleware.WarcMiddleware",
    "newsspider.pipelines.store.UnleasedStorePipeline",
    "newsspider.extensions.sites_watch.SitesWatch", "newsspider.extensions.periodic.RefusedPages",
    "newsspider.extensions.store_upkeep.VanishedSnapshots",
    "newsspider.extensions.store_upkeep.IndexMerge",
    "newsspider.extensions.progress.ProgressLine", "newsspider.extensions.log_line.LogLine", "newsspider.extensions.metrics.Metrics",
    "newsspider.extensions.periodic.LoopDelay", "newsspider.extensions.memory.MemoryLimit",
}  # fmt: skip
EVERY = [(setting, component) for setting, components in COMPONENTS.items() for component in components]


def shipped(**changed: Any) -> Settings:
    settings = get_project_settings()
    settings.set("REDIS_URL", "redis://127.0.0.1:6379/0")
    for name, value in changed.items():
        settings.set(name, value, priority="cmdline")
    EducationSpider.update_settings(settings)
    return settings


def refused(settings: Settings) -> str:
    with pytest.raises(UsageError) as error:
        check_wiring(settings)
    return str(error.value)


class Own:
    """A component of a user."""


class OwnAddress(AddressMiddleware):
    """A component of a user that does what ours does."""


class OwnStore(StorePipeline):
    """The same."""


def test_the_shipped_settings_pass() -> None:
    check_wiring(shipped())
    check_wiring(shipped(REDIS_URL=""))


def test_each_component_of_the_settings_is_guarded_or_optional() -> None:
    settings = shipped()
    placed = {name for setting in COMPONENTS for name, place in settings[f"{setting}_BASE"].items() if place is not None}
    listed = {component for _, component in EVERY} | OPTIONAL
    assert {name for name in placed if name.startswith("newsspider.")} == {name for name in listed if name.startswith("newsspider.")}
    assert placed >= listed
    off = {name for setting in COMPONENTS for name, place in settings[f"{setting}_BASE"].items() if place is None}
    assert set(FORBIDDEN) <= off


@each(("setting", "component"), EVERY)
def test_a_component_that_was_taken_out_is_named(setting: str, component: str) -> None:
    message = refused(shipped(**{setting: {component: None}}))
    assert message.startswith(f"{setting}: {component} is missing")
    assert COMPONENTS[setting][component] in message


@each("setting", COMPONENTS)
def test_own_components_join_the_shipped_ones_and_replacing_those_is_named(setting: str) -> None:
    check_wiring(shipped(**{setting: {Own: 500}}))
    assert refused(shipped(**{f"{setting}_BASE": {Own: 500}})).startswith(f"{setting}: ")


@each("component", FORBIDDEN)
def test_components_that_send_requests_past_the_frontier_are_refused(component: str) -> None:
    assert "must not be" in refused(shipped(DOWNLOADER_MIDDLEWARES={component: 560}))


@each("setting", CLASSES)
def test_a_class_that_was_replaced_is_named(setting: str) -> None:
    message = refused(shipped(**{setting: f"{Own.__module__}.Own"}))
    assert message.startswith(f"{setting}: {CLASSES[setting][0]} is replaced")


@each("scheme", SCHEMES)
@each("handler", [None, "scrapy.core.downloader.handlers.http11.HTTP11DownloadHandler"])
def test_a_download_handler_that_was_replaced_is_named(scheme: str, handler: str | None) -> None:
    assert f"newsspider.download.handler.HttpHandler is missing for {scheme}" in refused(shipped(DOWNLOAD_HANDLERS={scheme: handler}))


def test_replacing_a_class_by_the_old_name_of_its_setting_is_refused_too() -> None:
    assert "DNS_RESOLVER" in refused(shipped(DNS_RESOLVER="scrapy.resolver.CachingThreadedResolver"))
    assert "TWISTED_REACTOR" in refused(shipped(TWISTED_REACTOR_ENABLED=False))


@each(
    ("component", "place"),
    [
        ("newsspider.downloadermiddlewares.address.AddressMiddleware", 120),
        ("newsspider.downloadermiddlewares.politeness.AdaptiveDelayMiddleware", 60),
    ],
)
def test_components_out_of_order_are_refused(component: str, place: int) -> None:
    assert "stands before what it must follow" in refused(shipped(DOWNLOADER_MIDDLEWARES={component: place}))


def test_own_components_may_stand_between_ours_and_subclasses_may_replace_ours() -> None:
    check_wiring(shipped(DOWNLOADER_MIDDLEWARES={AddressMiddleware: None, OwnAddress: 50, Own: 75}))
    keywords = "newsspider.pipelines.relevance.KeywordsPipeline"
    check_wiring(shipped(ITEM_PIPELINES={StorePipeline: None, OwnStore: 900, Own: 950, keywords: None}))


LINES = [
    *(f"{setting}_BASE={{}}" for setting in COMPONENTS),
    *(f'{setting}={{"{next(iter(components))}": null}}' for setting, components in COMPONENTS.items()),
    'DOWNLOAD_HANDLERS={"http": null}', "ROBOTSTXT_OBEY=0", "SCHEDULER=scrapy.core.scheduler.Scheduler",
    "STATS_CLASS=scrapy.statscollectors.MemoryStatsCollector", "TWISTED_DNS_RESOLVER=scrapy.resolver.CachingThreadedResolver",
    "TWISTED_REACTOR=twisted.internet.selectreactor.SelectReactor", "ITEM_PIPELINES={\"no.such.Component\": 5}",
]  # fmt: skip


@pytest.mark.parametrize("line", LINES)
def test_the_command_refuses_with_one_sentence(tmp_path: Path, line: str) -> None:
    done = scrapy(tmp_path / "n.db", "crawl", "education", "-s", line)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr[-2000:]
    _, sentence = done.stderr.splitlines()
    assert line.partition("=")[0].removesuffix("_BASE") in sentence or "cannot be loaded: No module named 'no'" in sentence


class TakesOut:
    """An add-on."""

    def update_settings(self, settings: Settings) -> None:
        settings["EXTENSIONS"].set("newsspider.extensions.periodic.Heartbeat", None, priority="cmdline")


def program(arguments: Sequence[str]) -> None:
    """Runs the spider with these ``custom_settings`` and settings of its own."""

    class Spider(EducationSpider):
        custom_settings = json.loads(arguments[0])

    settings = get_project_settings()
    settings.setdict(json.loads(arguments[1]), priority="cmdline")
    process = CrawlerProcess(settings)
    crawler = process.create_crawler(Spider)
    process.crawl(crawler)
    process.start()
    assert crawler.stats is not None
    sys.stdout.write(f"{crawler.stats.get_value('finish_reason')} {crawler.stats.get_value('downloader/request_count')}\n")


@pytest.mark.parametrize(
    ("custom", "settings", "named"),
    [
        ({"DOWNLOADER_MIDDLEWARES_BASE": {}}, {}, "AddressMiddleware"),
        ({"EXTENSIONS": {"newsspider.extensions.store.StoreExtension": None}}, {}, "StoreExtension"),
        ({"ITEM_PIPELINES": {"newsspider.pipelines.relevance.RelevancePipeline": None}}, {}, "RelevancePipeline"),
        ({"ROBOTSTXT_OBEY": False}, {}, "ROBOTSTXT_OBEY"),
        ({"SCHEDULER": "scrapy.core.scheduler.Scheduler"}, {}, "LeaseScheduler"),
        ({}, {"STATS_CLASS": "scrapy.statscollectors.MemoryStatsCollector"}, "ThreadStatsCollector"),
        ({}, {"ADDONS": {f"{__name__}.TakesOut": 0}}, "Heartbeat"),
    ],
)
def test_a_program_that_runs_the_spider_is_refused_as_well(
    tmp_path: Path, custom: dict[str, Any], settings: dict[str, Any], named: str
) -> None:
    database = environment(new_file(tmp_path / "n.db"))
    done = completed((json.dumps(custom), json.dumps(settings)), database, 120, program)
    assert done.stdout == "refused None\n", done.stderr[-2000:]
    (message,) = [line for line in done.stderr.splitlines() if "refused: " in line]
    assert named in message


def test_neither_request_meta_nor_a_spider_attribute_turns_robots_txt_off(crawler: Crawler) -> None:
    middleware = RobotsMiddleware.from_crawler(crawler)
    lease = lease_of_kind(robots_at=1.0)
    middleware.crawl().host_policy.remember(lease.host, RobotsText(200, b"User-agent: *\nDisallow: /", 1.0))
    request = request_of(lease)
    request.meta.update(dont_obey_robotstxt=True, handle_httpstatus_all=True)
    assert crawler.spider is not None
    crawler.spider.dont_obey_robotstxt = True  # type: ignore[attr-defined]
    with pytest.raises(RobotsForbiddenError):
        asyncio.run(middleware.process_request(request))


class CannotOpen(LeaseScheduler):
    """A scheduler of a user."""

    def open(self, spider: Spider) -> None:
        raise OSError("there is no queue")


def test_a_scheduler_that_fails_to_open_is_reported_as_an_error_and_not_as_a_signal(tmp_path: Path) -> None:
    done = scrapy(tmp_path / "n.db", "crawl", "education", "-s", f"SCHEDULER={__name__}.CannotOpen")
    assert done.returncode == 1, done.stderr[-2000:]
    assert "signal;" not in done.stderr
    assert done.stderr.splitlines()[-1] == "scrapy crawl: OSError: there is no queue; an error of ours stopped the crawl; see the log"
    assert "Traceback" in done.stderr
