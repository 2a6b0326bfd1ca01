"""Settings of Scrapy work in a crawl, are refused, or are listed as without effect; none is missing from the table."""

import json
import pkgutil
import re
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
import scrapy_redis
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings, default_settings
from scrapy.utils.project import get_project_settings

from newsspider.crawl.component_check import CLASSES, check_wiring
from newsspider.crawl.setting_checks import (
    GUARANTEED,
    OF_SCRAPY_REDIS,
    WITHOUT_EFFECT,
    by_setting,
    check_settings,
    fields,
    setting_warnings,
)
from newsspider.spiders.education import EducationSpider
from tests.support.portal import rows, scrapy
from tests.support.serving import QUICK, served, site
from tests.support.setting_hosts import ALL, ENDING, HERE, Host
from tests.support.tables import each
from tests.support.webs import Web
from tools.scrapy_settings_page import WORKING

TABLES = (WORKING, GUARANTEED, WITHOUT_EFFECT)
OLD = {"CONCURRENT_REQUESTS_PER_IP"}  # Scrapy still takes it, and no longer lists it
SCRAPYS = {name for name in dir(default_settings) if name.isupper()}
OF_REDIS = re.compile('"((?:REDIS|SCHEDULER|MAX_IDLE|DUPEFILTER)_[A-Z_]+)"')


# ---- The table -------------------------------------------------------------------------------------------------------


def test_the_table_has_each_setting_of_scrapy_once() -> None:
    listed = [name for table in TABLES for name in by_setting(table)]
    assert set(listed) == SCRAPYS | OLD
    assert len(listed) == len(set(listed))


def test_the_table_has_each_setting_that_scrapy_redis_reads() -> None:
    names = {name for _, source in sources(scrapy_redis) for name in OF_REDIS.findall(source)}
    assert names <= {*by_setting(OF_SCRAPY_REDIS), *by_setting(WITHOUT_EFFECT)}


def sources(package: Any) -> Iterator[tuple[str, str]]:
    """The name and the text of each module of a package but its defaults."""
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if not module.name.endswith(("default_settings", ".defaults", "__main__")):
            spec = find_spec(module.name)
            assert spec is not None
            assert spec.origin is not None
            yield module.name, Path(spec.origin).read_text("utf-8")


# ---- Guarantees, and what has no effect ------------------------------------------------------------------------------

OTHER: dict[str, Any] = {
    "ROBOTSTXT_OBEY": False, "CONCURRENT_REQUESTS_PER_DOMAIN": 8, "COOKIES_ENABLED": True, "TELNETCONSOLE_ENABLED": True,
    "ROBOTSTXT_PARSER": "scrapy.robotstxt.PythonRobotParser", "ROBOTSTXT_USER_AGENT": "other",
    **dict.fromkeys(CLASSES, "builtins.object"), "TWISTED_REACTOR_ENABLED": False,
    "DNS_RESOLVER": "scrapy.resolver.CachingThreadedResolver", "DOWNLOAD_HANDLERS": {"http": None}, "DOWNLOAD_HANDLERS_BASE": {},
    **{f"{kind}_BASE": {} for kind in ("DOWNLOADER_MIDDLEWARES", "EXTENSIONS", "ITEM_PIPELINES")},
}  # fmt: skip


def shipped(**changed: Any) -> BaseSettings:
    settings = get_project_settings()
    settings.setdict(changed, priority="project")
    return settings


def check_all(settings: BaseSettings) -> None:
    check_settings(settings)
    check_wiring(settings)


def test_other_values_of_a_guarantee_are_refused() -> None:
    assert set(OTHER) == set(by_setting(GUARANTEED))
    for name, value in OTHER.items():
        settings = shipped()
        settings.set(name, value, priority="cmdline")
        EducationSpider.update_settings(settings)
        with pytest.raises(UsageError, match=name.removesuffix("_BASE").removesuffix("_ENABLED")):
            check_all(settings)


@each("name", by_setting(WITHOUT_EFFECT))
def test_a_setting_without_effect_is_named_in_a_warning_and_nothing_of_ours_reads_it(name: str) -> None:
    (warning,) = setting_warnings(shipped(**{name: '{"other": null}'}))
    assert warning == f"{name} has no effect: {by_setting(WITHOUT_EFFECT)[name]}"
    assert name not in fields()


def test_the_shipped_settings_are_free_of_warnings() -> None:
    assert not list(setting_warnings(shipped()))


@each(("name", "suggestion"), [("DELAY_MIN_SECOND", "DELAY_MIN_SECONDS"), ("HTTPCACHE_ENABLE", "HTTPCACHE_ENABLED")])
def test_a_misspelt_setting_is_named_with_what_was_meant(name: str, suggestion: str) -> None:
    settings = shipped(**{name: 5})
    check_settings(settings)
    assert list(setting_warnings(settings)) == [f"there is no setting {name}; did you mean {suggestion}?"]
    settings.set(name, 5, priority="cmdline")
    with pytest.raises(UsageError, match=f"-s {name}=5: there is no such setting; did you mean {suggestion}"):
        check_settings(settings)


def test_a_setting_that_resembles_none_is_a_user_s_own() -> None:
    settings = shipped()
    settings.setdict({"SCRAPEOPS_KEY": 1, "MY_DATABASE": "x"}, priority="cmdline")
    check_settings(settings)
    assert not list(setting_warnings(settings))


# ---- What works, in crawls -------------------------------------------------------------------------------------------
# A folder of the test stands for `FOLDER`.

CACHE: Mapping[str, Any] = {
    "HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": "FOLDER/cache", "HTTPCACHE_GZIP": True,
    "HTTPCACHE_POLICY": "scrapy.extensions.httpcache.DummyPolicy",
    "HTTPCACHE_STORAGE": "scrapy.extensions.httpcache.FilesystemCacheStorage", "HTTPCACHE_IGNORE_SCHEMES": "file",
}  # fmt: skip
COMPONENTS: Mapping[str, Any] = {
    "EXTENSIONS": {f"{HERE}.Extension": 5, "scrapy.extensions.periodic_log.PeriodicLog": 6},
    "DOWNLOADER_MIDDLEWARES": {f"{HERE}.Downloading": 545}, "SPIDER_MIDDLEWARES": {f"{HERE}.Spiding": 500},
    "ITEM_PIPELINES": {f"{HERE}.Dropping": 350}, "ADDONS": {f"{HERE}.AddOn": 0},
    "DEFAULT_DROPITEM_LOG_LEVEL": "ERROR", "DEFAULT_REQUEST_HEADERS": {"X-Own": "yes"}, "USER_AGENT": "own/1 (+a@b.example)",
    "PERIODIC_LOG_TIMING_ENABLED": True, "PERIODIC_LOG_STATS": True, "PERIODIC_LOG_DELTA": True,
    "MEMDEBUG_ENABLED": True, "MEMUSAGE_ENABLED": True, "MEMUSAGE_WARNING_MB": 1,
    "MEMUSAGE_CHECK_INTERVAL_SECONDS": 0.1, "STATS_DUMP": True, "DOWNLOADER_STATS": False,
    "JOBDIR": "FOLDER/job", "REACTOR_THREADPOOL_MAXSIZE": 3, "DOWNLOAD_BIND_ADDRESS": "127.0.0.1",
    "ASYNCIO_EVENT_LOOP": f"{HERE}.Loop", "FORCE_CRAWLER_PROCESS": True,
    "LOG_FILE": "FOLDER/log", "LOG_FORMAT": "OWN %(asctime)s %(name)s %(levelname)s %(message)s",
    "LOG_DATEFORMAT": "day-%d", "LOG_SHORT_NAMES": True, "LOG_STDOUT": True, "LOG_VERSIONS": "lxml", "LOG_LEVEL": "INFO",
    "LOG_ENCODING": "utf-16", **CACHE, "AUTOTHROTTLE_ENABLED": True, "REDIRECT_ENABLED": False, "RETRY_ENABLED": False,
    "FEEDS": {
        "FOLDER/%(folder)s-%(batch_id)d.json": {"format": "json", "indent": 4, "fields": ["title"]},
        "FOLDER/shout-%(batch_id)d.loud": {"format": "loud", "fields": ["title"]},
    },
    "FEED_EXPORTERS": {"loud": f"{HERE}.Shouting"}, "FEED_URI_PARAMS": f"{HERE}.folder_of", "FEED_EXPORT_BATCH_ITEM_COUNT": 1,
    "FEED_TEMPDIR": "FOLDER", "FEED_STORE_EMPTY": False,
}  # fmt: skip
FROM_THE_CACHE: Mapping[str, Any] = {
    **CACHE, "HTTPCACHE_IGNORE_MISSING": True, "DEPTH_LIMIT": 1, "LOG_FILE": "FOLDER/cached.log", "LOG_FILE_APPEND": False,
    "FEEDS": {"FOLDER/all.json": {"format": "json"}}, "FEED_EXPORT_FIELDS": "title,url", "FEED_EXPORT_INDENT": 1,
    "FEED_EXPORT_ENCODING": "gb18030", "RETRY_TIMES": 0, "REDIRECT_MAX_TIMES": 0,
}  # fmt: skip
SILENT: Mapping[str, Any] = {"DELAY_FACTOR": 0, "DELAY_MIN_SECONDS": 0, "RETRY_TIMES": 0, "LOG_ENABLED": False}
UNDELAYED = ("-s", "DELAY_FACTOR=0", "-s", "DELAY_MIN_SECONDS=0")
WEB = Web("a: b c", "b: d", "c", "d")


def crawl(sites: Path, name: str, settings: Mapping[str, Any]) -> CompletedProcess[str]:
    """A crawl into a store of its own, with its settings on the command line."""
    texts = {name: json.dumps(value) if isinstance(value, dict) else str(value) for name, value in settings.items()}
    options = [word for name, text in texts.items() for word in ("-s", f"{name}={text.replace('FOLDER', str(sites.parent))}")]
    return scrapy(sites.parent / f"{name}.db", "crawl", "education", "-a", f"sites={sites}", *QUICK, *options)


@pytest.mark.slow
def test_components_feeds_logs_and_caches_of_a_user_work(tmp_path: Path) -> None:
    with served("127.0.0.171", Host().play) as (base, requests):
        sites = site(tmp_path, base, {"/": 5})
        own = crawl(sites, "own", COMPONENTS)
        assert dict(requests) == ALL
        requests.clear()
        (tmp_path / "cached.log").write_text("old", "utf-8")
        cached = crawl(sites, "cached", FROM_THE_CACHE)
        assert dict(requests) == {"/robots.txt": 1}
    assert own.returncode == cached.returncode == 0, own.stderr[-2000:] + cached.stderr[-2000:]
    log = (tmp_path / "log").read_text("utf-16")
    assert re.match(r"OWN day-\d\d scrapy INFO Scrapy 2\.\S+ started", log)
    for expected in (
        "stdout INFO said by an extension", "ERROR Dropped: the second", "'own/Downloading/requests': 9", "'own/Spiding/items': 4",
        "'own/Dropping/items': 3", "'own/Last/items': 3", "'own/Loop/built': 1", "memdebug/", "memusage/warning_reached", '"log_interval":',
        "AUTOTHROTTLE_ENABLED has no effect: the delay always follows", "{'lxml': ", "'httpcache/store': 8",
    ):
        assert expected in log, expected
    assert "downloader/request_count" not in log
    assert not (tmp_path / "cached.log").read_text("utf-8").startswith("old")
    assert (tmp_path / "job/spider.state").is_file()
    outcomes = dict(rows(tmp_path / "own.db", "SELECT substr(url, -6, 1), reason FROM urls WHERE url LIKE '%/2024/%'"))
    assert outcomes == {"1": "stored", "2": "dropped", "3": "stored", "4": "stored", "8": "redirect", "9": "http_status"}
    titles = {json.loads((tmp_path / f"own-{n}.json").read_text("utf-8"))[0]["title"] for n in (1, 2, 3)}
    assert titles == {f"学校教育改革座谈会第{n}场举行" for n in (1, 3, 4)}
    assert (tmp_path / "own-1.json").read_text("utf-8").startswith('[\n{\n    "title"')
    assert (tmp_path / "shout-2.loud").read_text("utf-8").startswith('{"title": ')
    fed = json.loads((tmp_path / "all.json").read_text("gb18030"))
    assert [list(record) for record in fed] == [["title", "url"]] * 3  # the fourth is too deep


@pytest.mark.slow
def test_an_explore_crawl_keeps_to_the_limit_of_depth_and_a_middleware_may_ignore_a_page(tmp_path: Path) -> None:
    options = ("-s", "DEPTH_LIMIT=1", *QUICK, "-s", f'DOWNLOADER_MIDDLEWARES={{"{HERE}.Ignoring": 545}}', *UNDELAYED)
    with WEB.served("127.0.0.173") as (base, visits):
        done = scrapy(tmp_path / "n.db", "crawl", "explore", "-a", "strategy=breadth-first", "-a", f"seeds={base}/a", *options)
    assert done.returncode == 0, done.stderr[-2000:]
    assert sorted(visits.paths) == ["/a", "/b"]
    outcomes = rows(tmp_path / "n.db", "SELECT substr(url, -1), state, reason, detail FROM urls WHERE url LIKE '%/c'")
    assert outcomes == [("c", "done", "dropped", "not this one")]


@pytest.mark.slow
def test_each_limit_of_scrapy_ends_the_crawl_with_its_reason_and_the_next_one_goes_on(tmp_path: Path) -> None:
    host = Host()
    with served("127.0.0.172", host.play) as (base, requests):
        sites = site(tmp_path, base, {"/": 5})
        text = sites.read_text("utf-8")
        sites.write_text("".join(line for line in text.splitlines(keepends=True) if not line.startswith("delay_")), "utf-8")
        for reason, settings in ENDING.items():
            requests.clear()
            host.asked_at.clear()
            done = crawl(sites, reason, settings)
            assert done.returncode == 0, (reason, done.stderr[-2000:])
            assert f"stopped at {reason.upper()}; go on with the same command" in done.stderr
            assert rows(tmp_path / f"{reason}.db", "SELECT reason FROM runs") == [(reason,)]
            assert rows(tmp_path / f"{reason}.db", "SELECT count(*) FROM urls WHERE state = 'processing'") == [(0,)], reason
            assert len(requests) < len(ALL), reason
            assert "names no contact" not in done.stderr  # this host is no public one
            if reason == "closespider_pagecount":
                gaps = [later - earlier for earlier, later in pairwise(host.asked_at)]
                assert len(gaps) == 2
                assert min(gaps) >= 0.4
                assert max(gaps) < 30
        requests.clear()
        on = crawl(sites, "closespider_pagecount", SILENT)
        assert (on.returncode, on.stderr) == (0, "")
        assert rows(tmp_path / "closespider_pagecount.db", "SELECT count(*) FROM articles") == [(4,)]
        assert not {path for path, times in requests.items() if times > 1}
