"""Damaged text and data that is not text are refused on any page; a few wrong characters and other languages are not."""

import base64
import random
import zlib
from contextlib import suppress
from datetime import UTC, datetime

import pytest

from newsspider.core.extraction.article import extract_article
from newsspider.core.extraction.dom.charset import BROKEN_FREE, damage_of, file_of
from newsspider.core.extraction.dom.page import UnreadablePageError, parse
from tests.support.tables import each

URL = "http://news.example.edu.cn/2024/0517/1.html"
NOW = datetime(2024, 5, 18, tzinfo=UTC)
LINES = [
    f"教育部第{n}次新闻发布会近日在北京举行，记者从会上获悉，今年全国普通高校招生工作已经全面展开，各地学校正在认真组织报名。"
    for n in range(1, 9)
]
TEXT = "\n".join(LINES)
TRADITIONAL = [
    f"教育部第{n}次新聞發布會近日在臺北舉行，記者從會上獲悉，今年全國普通高校招生工作已經全面展開，各地學校正在認真組織報名。"
    for n in range(1, 9)
]
HTML = (
    "<html><head><title>全国普通高校招生工作全面展开</title></head><body><div class='nav'>{nav}</div><h1>全国普通高校招生工作全面展开</h1>"
    "<div class='info'>2024-05-17 08:30 来源：教育报</div><div class='content'>{text}</div></body></html>"
)
NAV = "".join(f"<a href='/{n}/'>栏目之{n}</a> " for n in range(300))


def page_of(text: str = TEXT, nav: str = "") -> str:
    return HTML.format(nav=nav, text="".join(f"<p>{line}</p>" for line in text.split("\n")))


def text_of(body: bytes, declared: str = "text/html") -> str:
    return extract_article(parse(body, URL, declared), NOW).text


def wrong(body: bytes, share: float, seed: int = 1) -> bytes:
    """Replaces about the given share of the non-ASCII bytes by random ones."""
    dice = random.Random(seed)
    return bytes(dice.randrange(256) if byte > 0x7F and dice.random() < share else byte for byte in body)


@each("declared", ["text/html", "text/html; charset=utf-8", "text/html; charset=gbk"])
@each("share", [0.1, 0.2, 0.4])
@each("nav", ["", NAV], ids=["short", "long"])
def test_a_page_in_utf_8_with_many_wrong_bytes_is_unreadable(share: float, declared: str, nav: str) -> None:
    with pytest.raises(UnreadablePageError):
        text_of(wrong(page_of(nav=nav).encode(), share), declared)


@each("charset", ["utf-8", "gb18030", "big5"])
def test_a_text_that_is_damaged_below_a_whole_head_is_unreadable(charset: str) -> None:
    lines = "\n".join(TRADITIONAL) if charset == "big5" else TEXT
    head, text = page_of(lines, nav=NAV).encode(charset, "ignore").split(b"class='content'>")
    with pytest.raises(UnreadablePageError):
        text_of(head + b"class='content'>" + wrong(text, 0.3))


@each("charset", ["utf-8", "gb18030"])
def test_a_few_wrong_bytes_and_a_cut_end_are_no_damage(charset: str) -> None:
    body = bytearray(page_of("\n".join(LINES * 20)).encode(charset))
    for at in random.Random(2).sample(range(2000, len(body)), 12):
        body[at] = 0xFF
    assert "普通高校招生工作" in text_of(bytes(body))
    assert "普通高校招生工作" in text_of(page_of().encode(charset)[:-40])


@each(
    "mojibake",
    [
        page_of().encode().decode("cp1252", "ignore").encode(),
        page_of().encode().decode("latin-1").encode(),
        page_of().encode().decode("gb18030", "replace").encode(),
        page_of().encode().decode("gb18030", "replace").encode("gb18030"),
    ],
    ids=["windows-1252", "latin-1", "gb18030", "gb18030 twice"],
)
def test_utf_8_that_was_read_in_another_charset_is_unreadable_or_read_rightly(mojibake: bytes) -> None:
    with suppress(UnreadablePageError):
        assert "普通高校招生工作" in text_of(mojibake)


def test_double_encoded_text_is_named() -> None:
    assert damage_of(TEXT.encode().decode("cp1252", "ignore")) == "the text was written in UTF-8 and read in another charset"
    assert damage_of(TEXT.encode().decode("gb18030", "replace")) is not None


FILES = {
    "a PDF file": b"%PDF-1.7\n1 0 obj << /Title (" + "教育新闻".encode("utf-16-be") + b") >> BT (A text that people read) Tj ET\n" * 50,
    "a JPEG picture": b"\xff\xd8\xff\xe0\0\x10JFIF" + b"<html><p>" * 100,
    "a ZIP archive or an Office document": b"PK\x03\x04" + b"\x14\0" * 100,
    "an Office document": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 500 + TEXT.encode("utf-16-le"),
    "a program": b"MZ\x90\0" + b"This program cannot be run in DOS mode." * 20,
    "packed data": zlib.compress(page_of().encode(), wbits=31),
}


@each(("name", "body"), FILES.items(), ids=FILES)
def test_files_are_no_pages_whatever_they_are_called(name: str, body: bytes) -> None:
    assert file_of(body) == name
    with pytest.raises(UnreadablePageError, match=name):
        parse(body, URL, "text/html")


@each(
    ("text", "damage"),
    [
        ("".join(chr(0xE800 + number % 900) for number in range(200)), "font of its own"),
        (base64.b64encode(TEXT.encode()).decode(), "encoded data"),
        (TEXT.encode().hex(), "encoded data"),
        ("\u0378\u0379" * 50, "damaged"),
        ("a\x85b\x99c\x9d" * 40, "damaged"),
    ],
    ids=["private", "base64", "hexadecimal", "unassigned", "controls"],
)
def test_what_nobody_can_read_is_no_text(text: str, damage: str) -> None:
    assert damage in (damage_of(text) or "")


@each(
    "text",
    [
        TEXT,
        "",
        "\ufffd" * BROKEN_FREE,
        "文\ufffd" * 4,
        "\uf06c 专业设置\n\uf06c 招生计划\n\uf06c 报名办法\n\uf06c 录取规则\n\uf06c 联系方式",
        "中国教育\ue600新闻\ue601 网站首页，欢迎访问",
        "王鑫淼 李犇 张翀 赵骉 孙喆 周赟 吴昊旻 郑婧 冯薇 陈曦 褚玥 卫煊 蒋祎 沈翊 韩璐 杨翯 朱琛 秦晟 尤琰 许昕",
        "王伟 王芳 李娜 张敏 李静 刘洋 张艳 王霞 陈\ufffd 赵骉 孙喆 周赟 吴昊旻 郑婧 冯薇 褚玥 卫煊"
        " 蒋祎 沈翊 韩璐 杨翯 朱琛 秦晟 尤\ufffd 许昕 汤唯 尹铮 黎昕 易烊 乔杉 贺峻 赖雨 龚琳 阎肃 潘虹 杜鹃 戴娟 夏琳 钟灵 汪洋 姜丽 范冰"
        " 石磊 姚晨 谭晶 廖凡 邹静",
        # emoji and Chinese characters that are younger than the Unicode of some Pythons
        "放假啦\U0001fa77\U0001fa77\U0001fa77\U0001faea\U0001faea\U0001faea",
        "\U00031350\U000323b0\U00033479\U0002ebf0\U00031350\U000323b0村",
        "求 $$" + r"\frac{a+b}{c}+\sqrt{x^2+y^2}=\int_0^1{f(x)dx}" * 6 + "$$ 的值。",
        "L’école publique française fête l’été : déjà, près de mille élèves ont été reçus à l’université.",
        "Über die Größe der Schulen: Schülerinnen und Schüler müssen künftig früher zur Prüfung.",
        "Министерство образования\ufffd опубликовало список университетов на\ufffd новый учебный год, сообщает агентство новостей.",
        "Министерство образования опубликовало список университетов на новый учебный год.",
        "教育省は新しい学習指導要領を発表した。ひらがなとカタカナもあります。",
        "교육부는 새로운 대학 입시 제도를 발표했다. 학생들은 내년부터 적용된다.",
        "أعلنت وزارة التعليم قائمة الجامعات للعام الدراسي الجديد",
        "下载地址：https://example.cn/" + "a" * 300 + " " + TEXT,
        "x\u3000\u3000y\u00a0z 1²＋2³＝17 ①②③ ㈱ ℃ € 〇 𠮷",
    ],
)
def test_text_of_any_language_is_none_the_worse_for_its_signs(text: str) -> None:
    assert damage_of(text) is None


def test_wide_charsets_without_a_mark_are_read() -> None:
    for charset in ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"):
        assert "普通高校招生工作" in text_of(page_of().encode(charset)), charset


def test_bodies_of_zeros_are_unreadable() -> None:
    with pytest.raises(UnreadablePageError):
        parse(b"\0" * 100_000, URL)
