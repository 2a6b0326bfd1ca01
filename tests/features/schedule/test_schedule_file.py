"""Which moments a schedule has, and which schedules are refused."""

from datetime import datetime
from itertools import islice
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
import scrapy
from scrapy.exceptions import UsageError
from scrapy.settings import Settings

pytest.importorskip("croniter")
from newsspider.features.schedule.schedule_file import ScheduleEntry, ScheduleFile, load_schedule

CHINA = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 11, 26, 8, 5, 30, tzinfo=CHINA)


def minutes(moments, count: int = 3) -> list[str]:
    return [f"{moment:%d %H:%M %z}" for moment in islice(moments, count)]


def test_a_cron_line_is_read_in_the_time_zone() -> None:
    entry = ScheduleEntry(name="a", cron="5 8,20 * * *")
    assert f"{entry.latest(NOW):%d %H:%M %z}" == "26 08:05 +0800"
    assert minutes(entry.following(NOW)) == ["26 20:05 +0800", "27 08:05 +0800", "27 20:05 +0800"]


def test_a_moment_is_due_from_its_first_second_on() -> None:
    on_time = NOW.replace(second=0)
    for entry in (ScheduleEntry(name="a", cron="5 8 * * *"), ScheduleEntry(name="b", every="5m")):
        assert entry.latest(on_time) == on_time


def test_every_has_the_same_moments_on_every_node() -> None:
    entry = ScheduleEntry(name="a", every="15m")
    assert f"{entry.latest(NOW):%H:%M}" == "08:00"
    assert minutes(entry.following(NOW)) == ["26 08:15 +0800", "26 08:30 +0800", "26 08:45 +0800"]


def test_every_does_not_follow_the_clock_to_summer_time() -> None:
    entry, berlin = ScheduleEntry(name="a", every="6h"), ZoneInfo("Europe/Berlin")
    assert minutes(entry.following(datetime(2026, 3, 28, 23, tzinfo=berlin))) == ["29 01:00 +0100", "29 08:00 +0200", "29 14:00 +0200"]
    assert f"{entry.latest(datetime(2026, 3, 29, 9, tzinfo=berlin)):%H:%M}" == "08:00"


def test_a_day_begins_at_eight_in_china() -> None:
    assert minutes(ScheduleEntry(name="a", every="1d").following(NOW), 2) == ["27 08:00 +0800", "28 08:00 +0800"]


class Narrow(scrapy.Spider):
    """Not ours; it takes two arguments."""

    name = "narrow"

    def __init__(self, base: str, pages: int = 1, job: str = "") -> None:
        super().__init__()


def project() -> Settings:
    settings = Settings()
    settings.setmodule("newsspider.settings")
    settings.set("SPIDER_MODULES", ["newsspider.spiders", __name__])
    return settings


def job(more: str) -> str:
    return f'[[jobs]]\nname = "a"\nevery = "1h"\n{more}'


@pytest.mark.parametrize("more", [
    "", 'arguments = {sites = "/only/on/the/node", topic = "any", pages = 5, forever = true}',
    'spider = "query"\narguments = {q = "高考 改革", enough = 20}',
    'spider = "explore"\narguments = {strategy = "best-first", seeds = "/only/on/the/node.txt", depth = 2}',
    'spider = "narrow"\narguments = {base = "x", pages = 5}',
])  # fmt: skip
def test_spiders_with_arguments_that_they_take_are_accepted(tmp_path: Path, more: str) -> None:
    file = tmp_path / "schedule.toml"
    file.write_text(job(more), "utf-8")
    assert load_schedule(str(file), project()).jobs[0].name == "a"


def test_a_file_is_read_again_when_it_has_changed(tmp_path: Path) -> None:
    path = tmp_path / "schedule.toml"
    path.write_text(job(""), "utf-8")
    file = ScheduleFile(str(path), project())
    assert file.changed() is None
    path.write_text(job("") + '[[jobs]]\nname = "b"\nevery = "2h"\n', "utf-8")
    changed = file.changed()
    assert changed is not None
    assert [entry.name for entry in changed.jobs] == ["a", "b"]
    assert file.changed() is None
    path.write_text("[[jobs", "utf-8")
    with pytest.raises(UsageError):
        file.changed()
    assert file.changed() is None, "said once"
    path.unlink()
    with pytest.raises(UsageError, match="No such file"):
        file.changed()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "jobs"),
        ("jobs = []", "jobs"),
        ('[[jobs]]\nname = "a"', "say either cron or every"),
        ('[[jobs]]\nname = "a"\ncron = "5 * * * *"\nevery = "1h"', "say either cron or every"),
        ('[[jobs]]\nname = "a"\ncron = "61 * * * *"', "'61 * * * *' is no cron line of five fields"),
        ('[[jobs]]\nname = "a"\ncron = "* * * * * *"', "no cron line of five fields"),
        ('[[jobs]]\nname = "a"\ncron = "0 0 30 2 *"', "'0 0 30 2 *' has no moment at which it is due"),
        ('[[jobs]]\nname = "a"\nevery = "10s"', "say at least 1m"),
        ('[[jobs]]\nname = "a"\nevery = "0.5m"', "say at least 1m"),
        ('[[jobs]]\nname = "a b"\nevery = "1h"', "jobs.0.name"),
        ('[[jobs]]\nname = "a"\nevery = "1h"\n[[jobs]]\nname = "a"\nevery = "2h"', "two jobs are called a"),
        ('[[jobs]]\nname = "a"\nevery = "1h"\nnode = "http://b:1"', "the node of a is not among the nodes"),
        ('nodes = ["ftp://a"]\n[[jobs]]\nname = "a"\nevery = "1h"', "nodes.0"),
        ('nodes = ["http://me:secret#1@a"]\n[[jobs]]\nname = "a"\nevery = "1h"', "nodes.0: say a URL like http://10.0.0.1:6800; in a pass"),
        ('[[jobs]]\nname = "a"\nevery = "1h"\nnode = "http://me:secret?1@b"', "among the nodes: http://b"),
        ('[[jobs]]\nname = "a"\nevery = "1h"\narguments = {job = "b"}', "its name is the argument job already"),
        ('[[jobs]]\nname = "a"\nevery = "1h"\ncolour = "red"', "jobs.0.colour"),
        ('[[jobs]]\nname = "a"\nevery = "1h"\nnode = "http://me:secret@b:1"', "among the nodes: http://b:1"),
        (job('spider = "educaton"'), "a: there is no spider 'educaton' in this project; there are education, explore, narrow, query"),
        (job('arguments = {topics = "any"}'), "a: the spider education: unknown argument -a topics=...; there are sites, topic"),
        (job('arguments = {pages = "ten"}'), "a: the spider education: -a pages=ten"),
        (job('spider = "query"\narguments = {enough = 20}'), "a: the spider query: say what to look for"),
        (job('spider = "query"\narguments = {q = "高考", sites = "x"}'), "unknown argument -a sites=...; there are q"),
        (job('spider = "explore"\narguments = {strategy = "best", seeds = "there.txt"}'), "a: the spider explore: -a strategy=best"),
        (job('spider = "narrow"\narguments = {base = "x", pagse = 5}'), "a: the spider narrow: got an unexpected keyword argument 'pagse'"),
        (job('spider = "narrow"\narguments = {pages = 5}'), "a: the spider narrow: missing a required argument: 'base'"),
        ("[[jobs", "jobs"),
    ],
)
def test_a_wrong_schedule_is_refused_with_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "schedule.toml"
    file.write_text(text, "utf-8")
    with pytest.raises(UsageError) as error:
        load_schedule(str(file), project())
    assert str(error.value).startswith(f"{file}: ")
    assert "\n" not in str(error.value)
    assert "secret" not in str(error.value)
    assert text in ("[[jobs",) or sentence in str(error.value)
