import random
import time
import zlib

import pytest

from newsspider.core.extraction.dom import page as page_module
from newsspider.core.extraction.dom.page import MARKUP_LIMIT, TAG_LIMIT, UnreadablePageError, parse, robots_meta
from tests.support.tables import each

URL = "http://news.example.edu.cn/a/1.html"


def test_relative_links_are_relative_to_the_base_element() -> None:
    assert parse(b"<base href='/b/'><p>x", URL).base_url == "http://news.example.edu.cn/b/"
    assert parse(b"<p>x", URL).base_url == URL


def test_meta_is_found_by_name_property_or_itemprop_in_any_case() -> None:
    page = parse(
        b'<meta NAME="PubDate" content="2024-03-05"><meta property="og:title" content=" T "><meta itemprop="x" content="y">',
        URL,
    )
    assert page.metas == {"pubdate": "2024-03-05", "og:title": "T", "x": "y"}


def test_meta_robots_none_is_noindex_and_nofollow() -> None:
    assert robots_meta(parse(b'<meta name="ROBOTS" content="None">', URL)) == {"noindex", "nofollow"}
    assert robots_meta(
        parse(b'<meta name="robots" content="index"><meta name="newsspider" content="noindex">', URL)
    ) >= {"noindex"}
    assert robots_meta(parse(b'<meta name="otherbot" content="noindex"><p>x', URL)) == frozenset()


@each(
    "value", ["1", '"1"', '">"', "'<>'", '"><b c="'], ids=["bare", "quoted", "bracket", "brackets", "tag in a value"]
)
def test_a_tag_with_thousands_of_attributes_is_refused_quickly(value: str) -> None:
    body = f"<p>课</p><a {' '.join(f'x{i}={value}' for i in range(25_000))}>".encode()
    start = time.process_time()
    with pytest.raises(UnreadablePageError, match="a tag of"):
        parse(body, URL)
    assert time.process_time() - start < 2


def test_long_tags_are_found_as_if_each_tag_was_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_module, "TAG_LIMIT", 8)
    pieces = ["<a", ">", "='", '="', "=", '"', "'", " ", "x", "<", '">', "课", "\n"]
    chance, long = random.Random(7), 0
    for _ in range(20_000):
        text = "".join(chance.choices(pieces, k=chance.randrange(1, 50)))
        is_long = any(len(tag) > 8 for tag in page_module._TAG.findall(text))
        assert page_module._has_long_tag(text) == is_long, text
        long += is_long
    assert 5_000 < long < 15_000


def test_a_long_value_or_script_is_no_reason_to_refuse() -> None:
    image = "A" * 4 * TAG_LIMIT
    script = "if(a<b){" + 'c="d e f";' * TAG_LIMIT + "}"
    page = parse(f"<script>{script}</script><img src='data:image/png;base64,{image}'><p>正文</p>".encode(), URL)
    assert page.tree.findtext(".//p") == "正文"


def test_a_stray_quote_does_not_make_the_rest_of_the_page_one_tag() -> None:
    body = f'<div class=\'a\' "="" id=b>{"<p>段落</p>" * 3000}</div>'
    assert len(parse(body.encode(), URL).tree.findall(".//p")) == 3000


def test_deep_markup_keeps_its_text() -> None:
    page = parse(("<font>" * 400 + "深处的文字").encode(), URL)
    assert "深处的文字" in "".join(page.tree.itertext())


@each("body", [b"", b"  \n ", b"\0\0", b"<!-- only a comment -->"])
def test_a_page_with_nothing_in_it_is_unreadable(body: bytes) -> None:
    with pytest.raises(UnreadablePageError):
        parse(body, URL)


def test_too_much_markup_is_refused() -> None:
    with pytest.raises(UnreadablePageError, match="limit"):
        parse(b"<p>x</p>" * 300_000, URL)


def test_control_characters_do_not_end_the_text() -> None:
    page = parse("<p>前\x00后\x0b</p>".encode(), URL)
    assert page.tree.findtext(".//p") == "前后"


@each("scripts", ["<script>" * 180_000, "<script" * 85_000], ids=["tags", "bare"])
def test_a_page_of_unclosed_scripts_around_a_huge_tag_is_refused_without_holding_the_loop(scripts: str) -> None:
    with pytest.raises(UnreadablePageError, match="limit"):
        parse(f"<p {'a' * 9000}>{scripts}".encode(), "http://a.example/1.html")


@each("seed", range(3))
@each("declared", [None, "text/html", "text/html; charset=utf-8", "text/html; charset=gbk", "text/html; charset=big5"])
def test_bytes_that_are_no_text_are_refused(seed: int, declared: str | None) -> None:
    with pytest.raises(UnreadablePageError):
        parse(random.Random(seed).randbytes(30_000), URL, declared)
    with pytest.raises(UnreadablePageError):
        parse(b"<html><title>x</title><p>" + zlib.compress(random.Random(seed).randbytes(20_000).hex().encode()), URL, declared)


def test_a_damaged_or_padded_page_is_still_read() -> None:
    text = "<p>第一段文字，记者从教育部获悉。</p>" * 300
    damaged = bytearray(text.encode("gbk"))
    for place in range(0, len(damaged), 400):
        damaged[place] = 0x01
    assert "记者从教育部" in "".join(parse(bytes(damaged), URL).tree.itertext())
    assert "记者从教育部" in "".join(parse(text.encode("gbk") + b"\0" * 20_000, URL).tree.itertext())


def test_elements_nested_too_deep_to_be_read_are_refused_not_lost() -> None:
    for tag in ("div", "font", "a><b"):
        with pytest.raises(UnreadablePageError, match="deep"):
            parse((f"<{tag}>" * 20_000 + "深处的文字").encode(), URL)
    assert "深处的文字" in "".join(parse(("<div>" * 1_900 + "深处的文字").encode(), URL).tree.itertext())


@each(
    "markup",
    [
        "<html><head><title>t</title></head></html><body><p>一</p><p>二</p></body>",
        "<p>一</p></body></html><div><p>二</p></div></body></html>",
        "<html><p>一</p><p style='table-layout: fixed'>二</p></html><div style='position: fixed; top: 0'><p>调试</p></div>",
        "<html><p>一</p></html><div style='table-layout: fixed'><p>二</p></div>",
    ],
)
def test_what_stands_behind_an_early_end_of_the_page_is_kept(markup: str) -> None:
    assert [p.text for p in parse(markup.encode(), URL).tree.iterfind(".//p")] == ["一", "二"]


def test_a_base_that_is_no_web_address_is_ignored_as_browsers_do():
    page = parse(b'<base href="http://"><a href="b.html">x</a><p>text</p>', "http://example.com/a/c.html")
    assert page.base_url == "http://example.com/a/c.html"


def test_scripts_and_style_sheets_however_long_hide_no_page() -> None:
    rules, script = ".a{color:red}" * (MARKUP_LIMIT // 13), "a=1;" * (MARKUP_LIMIT // 8)
    page = parse(f"<style>{rules}</style><p>正文在这里。</p><script>{script}</script>".encode(), "http://www.example.cn/")
    assert page.tree.text_content().count("正文在这里。") == 1
