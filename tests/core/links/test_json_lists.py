"""Answers of list APIs."""

import json
from time import process_time

import pytest

from newsspider.core.extraction.dom.page import UnreadablePageError
from newsspider.core.links.script_lists import is_json, read_json
from tests.support.tables import each

URL = "http://api.example.edu.cn/v1/news?page=1"
TITLES = ["实验小学开展防溺水主题班会", "全市启动暑期校舍安全排查", "职教中心与企业共建实训基地"]
ROWS = [{"newsId": at, "newsTitle": title, "pub": "2024-05-17"} for at, title in enumerate(TITLES, 1)]
FOUND = [{"title": title, "url": f"/n/{at}.html", "date": "2024-05-17"} for at, title in enumerate(TITLES, 1)]
ITEMS = "data.rows[].{title: newsTitle, url: join('', ['/n/', to_string(newsId), '.html']), date: pub}"
BODY = json.dumps({"code": 0, "data": {"rows": ROWS}}, ensure_ascii=False)


def read(text: str, items: str | None = ITEMS) -> list[tuple[str, str]]:
    return [(link.text, link.url) for link in read_json(text.encode(), URL, items)]


RIGHT = [(title, f"http://api.example.edu.cn/n/{at}.html") for at, title in enumerate(TITLES, 1)]


@each("answer", ["{}", "cb({})", "jQuery1_2({});", "/**/ window.cb({});", "var list = {};", "\ufeff{}"])
def test_an_answer_is_json_or_a_call_with_it(answer: str) -> None:
    text = answer.replace("{}", BODY, 1)
    assert is_json(text.encode())
    assert read(text) == RIGHT


def test_the_date_of_an_item_is_read() -> None:
    assert {link.published_at.isoformat() for link in read_json(BODY.encode(), URL, ITEMS) if link.published_at} == {
        "2024-05-17T00:00:00+08:00"
    }


@each("moment", ["²", "9" * 5000, "٣" * 5000, -1, 10**300, True, None, {}])
def test_an_odd_date_is_none_and_costs_no_article(moment: object) -> None:
    links = read_json(json.dumps([{**item, "date": moment} for item in FOUND]).encode(), URL)
    assert [(link.text, link.url, link.published_at) for link in links] == [(title, url, None) for title, url in RIGHT]


def test_without_a_path_the_list_is_found() -> None:
    assert read(json.dumps({"page": {"items": FOUND}}), None) == RIGHT


def test_the_charset_of_the_header_counts() -> None:
    (first, *_) = read_json(BODY.encode("gbk"), URL, ITEMS, "application/json; charset=gbk")
    assert first.text == TITLES[0]


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
