"""Scrapy's settings, and components of a user's, in a project of the installed wheel: one crawl has all that may be in one."""

import json
import os
import re
from itertools import pairwise
from pathlib import Path

import pytest

from tests.contract.conftest import NOBODY, Installed
from tests.support.portal import rows
from tests.support.serving import QUICK, served, site
from tests.support.setting_hosts import ALL, ENDING, HERE, Host

pytestmark = pytest.mark.slow

HOST = "127.0.2.97"
OWN = """
class Extension:
    @classmethod
    def from_crawler(cls, crawler):
        crawler.stats.inc_value("own/extension")
        return cls()


class Pipeline:
    @classmethod
    def from_crawler(cls, crawler):
        pipeline = cls()
        pipeline.stats = crawler.stats
        return pipeline

    def process_item(self, item):
        self.stats.inc_value("own/items")
        return item


class AddOn:
    def update_settings(self, settings):
        settings["ITEM_PIPELINES"].set("setwatch.own.Pipeline", 950, priority="addon")


class Failing:
    async def process_spider_output(self, response, result):
        async for _ in result:
            raise ValueError("an own middleware fails")
        return
        yield
"""
TOGETHER = {
    "EXTENSIONS": {"setwatch.own.Extension": 5}, "ADDONS": {"setwatch.own.AddOn": 0}, "HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": "cache",
    "AUTOTHROTTLE_ENABLED": True, "JOBDIR": "job", "DOWNLOAD_DELAY": 0.2, "DELAY_FACTOR": 0, "DEPTH_LIMIT": 1, "CLOSESPIDER_TIMEOUT": 300,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 1, "LOG_FILE": "own.log", "LOG_FORMAT": "OWN %(levelname)s %(message)s", "LOG_LEVEL": "INFO",
    "FEEDS": {"out.csv": {"format": "csv", "fields": ["title"]}, "out.xml": {"format": "xml"}},
}  # fmt: skip


@pytest.fixture(scope="module")
def project(installed: Installed) -> Path:
    """A project with components of its own."""
    home = installed.home / "settings"
    home.mkdir()
    if installed.user:
        os.chown(home, NOBODY, NOBODY)
    created = installed.fork("init", "setwatch", folder=home)
    assert created.returncode == 0, created.stderr
    (home / "setwatch/setwatch/own.py").write_text(OWN, "utf-8")
    return home / "setwatch"


def crawl(installed: Installed, project: Path, name: str, settings: object, code: int = 0) -> str:
    """A crawl into a store of its own; its output."""
    texts = {name: json.dumps(value) if isinstance(value, dict) else value for name, value in dict(settings).items()}  # type: ignore[call-overload]
    options = [word for name, text in texts.items() for word in ("-s", f"{name}={text}".replace(HERE, "setwatch.own"))]
    done = installed.fork("crawl", "education", "-a", "sites=sites", "-a", "topic=education", *QUICK, *options, folder=project,
                         NEWSSPIDER_ALLOWED_ADDRESSES="127.0.0.0/8", NEWSSPIDER_DATABASE_URL=f"sqlite:///{project}/{name}.db")  # fmt: skip
    assert done.returncode == code, done.stderr[-3000:]
    return done.stderr


def test_settings_and_components_work_together_or_are_refused(installed: Installed, project: Path) -> None:
    host = Host()
    with served(HOST, host.play) as (base, requests):
        file = site(project / "sites", base, {"/": 5})
        file.write_text(re.sub(r"^delay_.*\n", "", file.read_text("utf-8"), flags=re.MULTILINE), "utf-8")
        output = crawl(installed, project, "together", TOGETHER)
        gaps = [later - earlier for earlier, later in pairwise(host.asked_at)]
        first = set(requests)
        requests.clear()
        crawl(installed, project, "cached", TOGETHER | {"HTTPCACHE_IGNORE_MISSING": True, "LOG_FILE": "cached.log", "DOWNLOAD_DELAY": 0})
        again = set(requests)
        requests.clear()
        for reason, settings in ENDING.items():
            output = crawl(installed, project, reason, settings)
            assert f"stopped at {reason.upper()}; go on with the same command" in output
            assert rows(project / f"{reason}.db", "SELECT reason FROM runs") == [(reason,)]
        for setting in ("CONCURRENT_REQUESTS_PER_DOMAIN=8", "ROBOTSTXT_OBEY=0", "DELAY_MIN_SECOND=1", "LOG_LEVEL=LOUD"):
            name, _, value = setting.partition("=")
            assert name in crawl(installed, project, "refused", {name: value}, code=2)
    assert first == set(ALL) - {"/2024/0501/10004.html"}  # which only the second page shows
    assert again == {"/robots.txt"}
    assert min(gaps) >= 0.2
    log = (project / "own.log").read_text("utf-8")
    assert log.startswith("OWN INFO Scrapy ")
    for expected in ("'own/extension': 1", "'own/items': 3", "'httpcache/store': ", "AUTOTHROTTLE_ENABLED has no effect: the delay always"):
        assert expected in log, expected
    assert (project / "job/spider.state").is_file()
    assert (project / "out.csv").read_text("utf-8").count("学校教育改革座谈会") >= 3
    assert "<title>学校教育改革座谈会第1场举行</title>" in (project / "out.xml").read_text("utf-8")
    for name in ("together", "cached"):
        assert rows(project / f"{name}.db", "SELECT count(*) FROM articles") == [(3,)]
