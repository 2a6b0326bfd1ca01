"""Articles just below the threshold are held until somebody decides; a changed topic needs no new fetches."""

import itertools
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.support.newsroom import ALONE, DAY, Newsroom, listing, newsroom, story, watched
from tests.support.portal import Database, exported, scrapy
from tests.support.servers import MIGRATED, Postgres, new_file

TOPIC = """
name = "clothes"
model = "boolean"
saturation = 2
keep = "{keep}"
thresholds = {{ boolean = 0.75 }}
[terms.all]
{terms}
"""
OLD = '"校服" = 0.5\n"研学" = 0.5\n"班车" = 0.5'
NEW = '"研学" = 0.5\n"樱花" = 0.5\n"公园" = 0.5\n"出发" = 0.5'
PUBLISHED_AT = datetime.now(UTC) - timedelta(days=5)  # articles of a month ago are not visited again
FOLDER = f"{PUBLISHED_AT:/%Y/%m%d}"
TITLES = {
    f"{FOLDER}/1.html": "校服与研学新规今日出发",  # on the old topic and on the new one
    f"{FOLDER}/2.html": "校服选购引发街坊热议",  # borderline
    f"{FOLDER}/3.html": "公园樱花昨日盛开迎客",  # on the new topic only
    f"{FOLDER}/4.html": "新款校服明天面向全市上架",  # borderline, nothing on the new topic
    f"{FOLDER}/5.html": "校服班车同日更新换代",  # on the old topic only
}
BOTH, LIKELY, LATER, UNLIKELY, EARLIER = TITLES

_numbers = itertools.count(1)


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    if request.param == "sqlite":
        new_file(tmp_path / "news.db")
        yield tmp_path / "news.db"
        return
    server: Postgres = request.getfixturevalue("migrated")
    name = f"borderline{next(_numbers)}"
    yield server.create(name, MIGRATED)
    server.drop(name)


def fill(room: Newsroom) -> None:
    room.pages["/list"] = lambda: listing(*TITLES)
    for path, title in TITLES.items():
        room.pages[path] = lambda path=path, title=title: story(path, title=title)
    items = "".join(f'<li><a href="{path}">{title}</a><span>{PUBLISHED_AT:%Y-%m-%d}</span></li>' for path, title in TITLES.items())
    room.pages["/list"] = lambda: (200, f"<html><head><title>要闻</title></head><body><ul>{items}</ul></body></html>", {})


def topic(folder: Path, terms: str, keep: str = "borderline") -> str:
    file = folder / "clothes.toml"
    file.write_text(TOPIC.format(terms=terms, keep=keep), encoding="utf-8")
    return str(file)


def crawl(database: Database, sites: Path, topic: str, *options: str) -> CompletedProcess[str]:
    return scrapy(database, "crawl", "education", "-a", f"sites={sites}", "-a", f"topic={topic}", *ALONE, *options)


def stored(database: Database, room: Newsroom) -> set[str]:
    """The paths of the articles that are stored."""
    return {article["url"].removeprefix(room.base) for article in exported(database)}


def lines(ran: CompletedProcess[str]) -> list[dict[str, object]]:
    assert ran.returncode == 0, ran.stderr
    return [json.loads(line) for line in ran.stdout.splitlines()]


def test_borderline_articles_are_screened_and_a_changed_topic_is_applied_without_a_fetch(database: Database, tmp_path: Path) -> None:
    with newsroom("127.0.0.87") as room:
        fill(room)
        file = topic(tmp_path, OLD)
        done = crawl(database, room.site(tmp_path / "sites", list="list"), file, "-s", "OFF_TOPIC_HELD=1")
        assert done.returncode == 0, done.stderr
        assert stored(database, room) == {BOTH, EARLIER}
        assert TITLES[LIKELY] not in scrapy(database, "search", "校服").stdout
        status = lines(scrapy(database, "status", "--json"))[0]
        assert (status["articles_held"], status["articles_borderline"]) == (3, 2)
        undecided = lines(scrapy(database, "topics", "borderline", file))
        assert {row["title"] for row in undecided} == {TITLES[LIKELY], TITLES[UNLIKELY]}
        assert "borderline" in scrapy(database, "explain", room.base + LIKELY).stdout

        labelled = scrapy(database, "topics", "label", file, room.base + LIKELY, "--relevant")
        assert (labelled.returncode, labelled.stderr) == (0, "1 labelled\n")
        assert stored(database, room) == {BOTH, EARLIER, LIKELY}
        assert TITLES[LIKELY] in scrapy(database, "search", "校服").stdout
        assert [row["title"] for row in lines(scrapy(database, "topics", "borderline", file))] == [TITLES[UNLIKELY]]

        hits_before = len(room.hits)
        topic(tmp_path, NEW)
        judged = lines(scrapy(database, "topics", "rejudge", file, "-s", "OFF_TOPIC_HELD=1"))[0]
        assert stored(database, room) == {BOTH, LIKELY, LATER}
        assert judged == {"kept": 2, "not_stored": 2, "off_topic": 1, "stored": 1}
        assert TITLES[LATER] in scrapy(database, "search", "樱花").stdout
        assert "judged again" in scrapy(database, "explain", room.base + EARLIER).stdout
        assert lines(scrapy(database, "topics", "borderline", file)) == []

        topic(tmp_path, OLD)
        scrapy(database, "topics", "rejudge", file, "-s", "OFF_TOPIC_HELD=1")
        assert stored(database, room) == {BOTH, LIKELY, EARLIER}
        assert scrapy(database, "topics", "rejudge", file, "-s", "OFF_TOPIC_HELD=1").stdout == (
            '{"kept": 3, "not_stored": 2, "off_topic": 0, "stored": 0}\n'
        )
        assert len(room.hits) == hits_before


def test_an_accepted_article_stays_at_its_revisit_and_a_rejected_one_is_not_shown_again(tmp_path: Path) -> None:
    with watched("127.0.0.87", tmp_path, fill) as (room, desk):
        file = topic(tmp_path, OLD)
        crawl(desk.database, desk.sites, file)
        scrapy(desk.database, "topics", "label", file, room.base + LIKELY, "--relevant")
        scrapy(desk.database, "topics", "label", file, room.base + UNLIKELY, "--irrelevant")
        assert lines(scrapy(desk.database, "topics", "borderline", file)) == []
        assert lines(scrapy(desk.database, "status", "--json"))[0]["articles_held"] == 0
        desk.later(DAY)
        room.pages[LIKELY] = lambda: story(LIKELY, title=TITLES[LIKELY], edit="第三段今天改了，说的是价格比去年低了一成，街坊都去看。")
        crawl(desk.database, desk.sites, file)
        assert len(room.hit(LIKELY)) == 2
        assert len(room.hit(UNLIKELY)) == 1
        (changed,) = (article for article in exported(desk.database) if article["title"] == TITLES[LIKELY])
    assert "价格比去年低了一成" in changed["text"]


def test_without_keep_borderline_articles_are_off_topic_and_not_held(tmp_path: Path) -> None:
    with watched("127.0.0.87", tmp_path, fill) as (room, desk):
        crawl(desk.database, desk.sites, topic(tmp_path, OLD, keep="relevant"))
        assert stored(desk.database, room) == {BOTH, EARLIER}
        assert lines(scrapy(desk.database, "status", "--json"))[0]["articles_held"] == 0
