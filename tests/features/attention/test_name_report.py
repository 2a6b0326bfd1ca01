"""The page of a school, an office or a person."""

from datetime import timedelta

import pytest
from fastapi.testclient import TestClient
from lxml import html
from sqlalchemy import Engine

from newsspider.features.attention.rules.names_in_texts import names_in
from newsspider.features.events.detection_run import analyse_new
from newsspider.store.engine.database import writing
from tests.features.console.conftest import TODAY, backend, console, filled
from tests.support import stories
from tests.support.samples import save_article

__all__ = ["backend", "console", "filled"]
NOW = TODAY.timestamp()


@pytest.fixture
def school(filled: Engine) -> Engine:
    """Nine articles of a university and its president in nine weeks, the last two of one event, and one of another."""
    with writing(filled) as conn:
        for number in range(9):
            at = TODAY - timedelta(days=7 * max(number - 1, 0), hours=number)
            library = f"图书馆落成，三千名学生参加典礼，建设历时四年，藏书{number + 2}百万册。"
            matter = library if number < 2 else f"第{number}批课程开放{'报名' * number}。{'教育部批准。' * (number == 8)}"
            save_article(
                conn, f"http://u{number}.cn/1", f"本报讯 江宁大学校长赵慧敏表示，学校{matter}\n陈建国教授说，别处也一样。", NOW,
                title=f"江宁大学{matter[:-1]}", published_at=at, crawled_at=at, places=("江苏", "苏州"), site=f"站{number % 3}",
            )  # fmt: skip
        old = TODAY - timedelta(days=400)
        save_article(conn, "http://w.cn/1", "云岭大学获教育部批准成立", NOW, title="云岭大学", published_at=old, crawled_at=old)
        save_article(conn, "http://v.cn/1", "江宁大学附属中学的校门", NOW, title="江宁大学附属中学", published_at=TODAY, crawled_at=TODAY)
    for _ in analyse_new(filled):
        pass
    return filled


def test_a_page_says_when_with_whom_where_and_in_which_events_a_name_was_written_about(school: Engine, console: TestClient) -> None:
    page = html.fromstring(console.get("/about", params={"name": "江宁大学"}).text)
    assert page.cssselect(".kicker")[0].text_content() == "学校与机构"
    assert "10 篇，转载只算一次" in page.text_content()
    assert sum(int(cell.text) for cell in page.cssselect("table.figures td")) == 10
    assert len(page.cssselect("ol.entries li")) == 10
    sections = page.cssselect("aside section")
    parts = {part.findtext("h2"): [" ".join(one.text_content().split()) for one in part.iter("li")] for part in sections}
    assert parts["一起出现的名称"] == ["赵慧敏 9 篇", "教育部 1 篇"]  # neither the school that has it in its name, nor who speaks elsewhere
    assert parts["地点"] == ["江苏 9 篇", "苏州 9 篇"]
    assert [line.endswith("2 篇") for line in parts["事件"]] == [True]
    of_last_year = html.fromstring(console.get("/about", params={"name": "云岭大学"}).text)
    assert "教育部 1 篇" in " ".join(of_last_year.text_content().split())
    assert "文章" in console.get("/about", params={"name": "没有的大学"}).text
    for name, kind in (("高考", "学校、机构、人物"), ("教育部", "学校与机构"), ("赵慧敏", "人物")):
        assert f'<p class="kicker">{kind}</p>' in console.get("/about", params={"name": name}).text
    for name in ("", '"><script>', '"', "江" * 500):
        assert console.get("/about", params={"name": name}).status_code == 200


def test_the_newest_articles_stand_in_the_order_of_the_dates_that_they_show(school: Engine, console: TestClient, monkeypatch) -> None:
    body = "".join(f"江宁大学第{n}次校务会议表示，新学期九月开学，人数增加百分之{n}，校车改线。" for n in range(30))
    with writing(school) as conn:
        for number, days in enumerate((40, 0)):  # an old story, and its reprint of this morning
            at = TODAY - timedelta(days=days)
            dates = {"published_at": at, "crawled_at": at}
            stories.save(conn, f"http://r{number}.cn/1", f"{body}{number}", NOW, title="校务会议", **dates)
    monkeypatch.setattr("newsspider.features.attention.name_report.MOST_ARTICLES", 7)
    page = html.fromstring(console.get("/about", params={"name": "江宁大学"}).text)
    dates = [one.get("datetime") for one in page.cssselect("ol.entries time")]
    assert dates == sorted(dates, reverse=True)
    titles = [one.text_content() for one in page.cssselect("ol.entries h3")]
    assert (len(titles), "校务会议" in titles) == (7, False)  # seven stories were first told later
    assert "转载只算一次" in page.text_content()
    monkeypatch.setattr("newsspider.features.attention.name_report.STORIES_READ_TIMES", 1)  # not all are looked at
    assert "含转载" in console.get("/about", params={"name": "江宁大学"}).text


def test_a_search_for_a_name_and_the_article_lead_to_its_page(school: Engine, console: TestClient) -> None:
    named = {"江宁大学": "江宁大学", '"江宁大学"': "江宁大学", "教育部": "教育部", "江宁大学 招生": None, "高考": None}
    for question, name in named.items():
        found = html.fromstring(console.get("/search", params={"q": question}).text)
        assert [one.text for one in found.cssselect("a[href^='/about']")] == ([f"关于 {name}"] if name else [])
    article = html.fromstring(console.get("/articles/6").text)
    assert {one.text for one in article.cssselect("a[href^='/about']")} == {"江宁大学", "赵慧敏", "陈建国"}


@pytest.mark.parametrize(
    "text",
    ["他采购到1000万剂。", "他们刚过温饱线，说不难。", "自称是何先生，说可以。", "李毅中考大学时二十岁。", "请自觉遵守大学纪律。",
     "海淀区中学通知", "记者李琼", "重庆市原教委主任", "于竹科的工厂", "教师赵慧也说"],
)  # fmt: skip
def test_what_is_not_surely_a_name_is_not_shown(text: str) -> None:
    assert names_in("", text) == []


@pytest.mark.parametrize(
    ("text", "names"),
    [("教务处主任李华说，学校将整改。", ["李华"]), ("主任李华表示不满", ["李华"]), ("教育部要求各地教育部门落实。", ["教育部"])],
)
def test_a_name_is_shown_without_the_verb_behind_it(text: str, names: list[str]) -> None:
    assert names_in("", text) == names
