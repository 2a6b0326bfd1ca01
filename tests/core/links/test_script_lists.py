"""Lists that a page holds in its scripts."""

import json
from datetime import datetime
from time import process_time

import pytest

from newsspider.core.extraction.dom.page import UnreadablePageError, parse
from newsspider.core.links.page_links import links_of
from newsspider.core.links.script_lists import is_json, read_json, script_links
from newsspider.core.model import Link, LinkKind, Region
from tests.support.tables import each

TITLES = ["实验小学开展防溺水主题班会", "全市启动暑期校舍安全排查", "职教中心与企业共建实训基地", "招生办公布新学年招生范围"]
ITEMS = [{"title": title, "url": f"/news/2024/{at}4001.html"} for at, title in enumerate(TITLES)]

URL = "http://api.example.edu.cn/v1/news?page=1"
ITEM_TITLES = ["实验小学开展防溺水主题班会", "全市启动暑期校舍安全排查", "职教中心与企业共建实训基地"]
ROWS = [{"newsId": at, "newsTitle": title, "pub": "2024-05-17"} for at, title in enumerate(ITEM_TITLES, 1)]
FOUND = [{"title": title, "url": f"/n/{at}.html", "date": "2024-05-17"} for at, title in enumerate(ITEM_TITLES, 1)]
JSON_ITEMS = "data.rows[].{title: newsTitle, url: join('', ['/n/', to_string(newsId), '.html']), date: pub}"
BODY = json.dumps({"code": 0, "data": {"rows": ROWS}}, ensure_ascii=False)


def links(value: object, body: str = "") -> tuple[Link, ...]:
    markup = f"<body>{body}<script>window.__DATA__ = {json.dumps(value)};</script></body>"
    return script_links(parse(markup.encode(), "http://www.example.edu.cn/news/"))


def listed(markup: str) -> list[str]:
    page = parse(markup.encode(), "http://www.example.edu.cn/news/")
    return [link.text for link in links_of(page) if link.kind is LinkKind.ARTICLE]


def test_items_with_title_and_url_are_articles() -> None:
    assert [(link.text, link.url[-22:]) for link in links({"a": {"list": ITEMS}})] == [
        (item["title"], f"cn{item['url']}"[-22:]) for item in ITEMS
    ]


@each("field", [{"pubTime": "2024-05-17 08:30"}, {"publish_time": 1715905800}, {"date": "1715905800000"}])
def test_a_date_of_an_item_is_its_date(field: dict[str, object]) -> None:
    (link, *_) = links([item | field for item in ITEMS])
    assert link.published_at == datetime.fromisoformat("2024-05-17T08:30:00+08:00")


def test_items_may_stand_in_objects_of_their_own() -> None:
    assert len(links([{"node": item, "cursor": "x"} for item in ITEMS])) == 4


def test_markup_in_titles_is_dropped() -> None:
    (link, *_) = links([item | {"title": f"<em>{item['title']}</em>"} for item in ITEMS])
    assert link.text == TITLES[0]


@each(
    "items",
    [
        [{"title": name, "url": f"/{at}/"} for at, name in enumerate(["首页", "要闻", "教育", "专题"])],
        [{"title": title, "url": f"http://www.other.com/2024/{at}4001.html"} for at, title in enumerate(TITLES)],
        [{"title": title, "url": f"/files/{at}4001.pdf"} for at, title in enumerate(TITLES)],
        [{"title": title, "imgUrl": f"/2024/{at}4001.html"} for at, title in enumerate(TITLES)],
        ITEMS[:2],
    ],
    ids=["menu", "another site", "files", "pictures", "two"],
)
def test_menus_files_and_links_to_other_sites_are_not_article_lists(items: list[dict[str, str]]) -> None:
    assert links({"list": items}) == ()


def test_a_box_beside_a_list_in_scripts_is_no_list() -> None:
    rows = "".join(f'<li><a href="/hot/2024/{at}5001.html">{title}</a></li>' for at, title in enumerate([*TITLES, *TITLES]))
    side_box = f"<div><h3>点击排行</h3><ul>{rows}</ul></div>"
    items = [{"title": f"第{at}所学校公布新学年招生范围", "url": f"/n/2024/{at}4001.html"} for at in range(12)]
    script = f"<script>var list = {json.dumps(items)}</script>"
    page = parse(f"<body>{side_box}{script}</body>".encode(), "http://www.example.edu.cn/news/")
    assert {link.region for link in links_of(page) if "/hot/" in link.url} == {Region.SIDE}


def test_markup_in_a_data_store_is_read_and_that_of_a_template_with_gaps_is_not() -> None:
    rows = "".join(f'<record><![CDATA[<li><a href="{item["url"]}">{item["title"]}</a></li>]]></record>' for item in ITEMS)
    assert listed(f'<script type="text/xml"><datastore>{rows}</datastore></script>') == TITLES
    gaps = "".join(f'<li><a href="{{{{url}}}}">{title}</a></li>' for title in TITLES)
    assert listed(f'<script type="text/template">{gaps}</script>') == []


def test_hidden_lists_of_a_page_that_shows_its_own_are_left_alone() -> None:
    rows = "".join(f'<li><a href="/n/2024/{at}7001.html">第{at}所学校公布新学年招生范围</a></li>' for at in range(12))
    assert len(listed(f"<ul>{rows}</ul><script>var more = {json.dumps(ITEMS)}</script>")) == 12


def read(text: str, items: str | None = JSON_ITEMS) -> list[tuple[str, str]]:
    return [(link.text, link.url) for link in read_json(text.encode(), URL, items)]


RIGHT = [(title, f"http://api.example.edu.cn/n/{at}.html") for at, title in enumerate(ITEM_TITLES, 1)]


@each("answer", ["{}", "cb({})", "jQuery1_2({});", "/**/ window.cb({});", "var list = {};", "\ufeff{}"])
def test_an_answer_is_json_or_a_call_with_it(answer: str) -> None:
    text = answer.replace("{}", BODY, 1)
    assert is_json(text.encode())
    assert read(text) == RIGHT


def test_the_date_of_an_item_is_read() -> None:
    assert {link.published_at.isoformat() for link in read_json(BODY.encode(), URL, JSON_ITEMS) if link.published_at} == {
        "2024-05-17T00:00:00+08:00"
    }


@each("moment", ["²", "9" * 5000, "٣" * 5000, -1, 10**300, True, None, {}])
def test_an_odd_date_is_none_and_costs_no_article(moment: object) -> None:
    links = read_json(json.dumps([{**item, "date": moment} for item in FOUND]).encode(), URL)
    assert [(link.text, link.url, link.published_at) for link in links] == [(title, url, None) for title, url in RIGHT]


def test_without_a_path_the_list_is_found() -> None:
    assert read(json.dumps({"page": {"items": FOUND}}), None) == RIGHT


def test_the_charset_of_the_header_counts() -> None:
    (first, *_) = read_json(BODY.encode("gbk"), URL, JSON_ITEMS, "application/json; charset=gbk")
    assert first.text == ITEM_TITLES[0]


@each(
    ("text", "problem"),
    [("{broken", "neither JSON"), ('{"code": 500}', "selects no list"), ('{"data": {"rows": "x"}}', "selects no list")],
)
def test_an_answer_without_the_list_is_unreadable(text: str, problem: str) -> None:
    with pytest.raises(UnreadablePageError, match=problem):
        read(text)


@each("text", [" " * 100_000, "x" + " " * 100_000, " /**/" * 20_000, "typeof " + "a" * 100_000])
def test_an_answer_of_hardly_anything_but_spaces_is_soon_unreadable(text: str) -> None:
    started = process_time()
    with pytest.raises(UnreadablePageError):
        read(text)
    assert process_time() - started < 1


def test_a_path_that_fails_on_the_answer_is_named() -> None:
    with pytest.raises(UnreadablePageError, match="fails on the answer"):
        read(BODY, "join('', data)")


def test_an_empty_list_is_none_and_no_fault() -> None:
    assert read('{"data": {"rows": []}}') == []


@each("body", [b"<html>", b"<?xml version='1.0'?>", b"User-agent: *", b"[b]x[/b]", b"text {a}", b""])
def test_other_documents_are_no_json(body: bytes) -> None:
    assert not is_json(body)

