"""``newsspider init``: the files that it writes are right."""

import runpy
from pathlib import Path

import pytest

from newsspider.sites.loader import load_sites
from newsspider.topics.loader import load_topic
from tests.support.commands import database, scrapy

__all__ = ["database", "scrapy"]


def test_a_project_has_a_site_a_topic_and_settings_that_can_be_used(scrapy, tmp_path: Path) -> None:
    ran = scrapy("init", str(tmp_path / "deeper/mywatch"))
    assert (ran.code, ran.err) == (0, "")
    folder = tmp_path / "deeper/mywatch"
    assert [site.name for site in load_sites(folder / "sites")] == ["example"]
    settings = runpy.run_path(str(folder / "mywatch/settings.py"))
    assert load_topic(settings["TOPIC"]).name == "mywatch"
    assert settings["SPIDER_MODULES"] == ["newsspider.spiders", "mywatch.spiders"]
    assert settings["STATS_CLASS"] == "newsspider.crawl.counters.ThreadStatsCollector"
    assert (folder / "mywatch/spiders/__init__.py").is_file()
    assert "$" not in "".join(path.read_text("utf-8") for path in folder.rglob("*.*") if path.is_file())


def test_a_project_for_a_province_has_its_sources_and_the_national_ones(scrapy, tmp_path: Path) -> None:
    ran = scrapy("init", str(tmp_path / "mywatch"), "--region", "浙江")
    assert (ran.code, ran.err) == (0, "")
    names = {site.name for site in load_sites(tmp_path / "mywatch/sites")}
    assert {"浙江省教育厅", "浙江省教育考试院", "浙江大学新闻网", "杭州市教育局", "浙江在线", "教育部", "阳光高考"} <= names
    assert "江苏省教育厅" not in names
    assert f" {len(names)} sources of 浙江 and national ones" in ran.out


def test_a_region_that_the_catalogue_lacks_makes_no_folder(scrapy, tmp_path: Path) -> None:
    ran = scrapy("init", str(tmp_path / "mywatch"), "--region", "月球")
    assert (ran.code, "no region '月球'" in ran.err) == (2, True)
    assert not (tmp_path / "mywatch").exists()


@pytest.mark.parametrize("name", ["my-watch", "2watch", "class", "json", "newsspider", "看", ""])
def test_a_name_that_no_package_can_have_is_refused(scrapy, tmp_path: Path, name: str) -> None:
    ran = scrapy("init", f"{tmp_path}/{name}")
    assert ran.code == 2
    assert not (tmp_path / name / "scrapy.cfg").exists()


def test_an_existing_folder_is_not_overwritten(scrapy, tmp_path: Path) -> None:
    (tmp_path / "mywatch").mkdir()
    (tmp_path / "mywatch/notes.txt").write_text("mine")
    ran = scrapy("init", str(tmp_path / "mywatch"))
    assert (ran.code, "is not empty" in ran.err) == (2, True)
    assert [path.name for path in (tmp_path / "mywatch").iterdir()] == ["notes.txt"]
