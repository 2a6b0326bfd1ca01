"""Generated declarations that contradict the bytes: every Chinese encoding against every charset that pages and servers claim."""

from itertools import product

from newsspider.core.extraction.dom.charset import decode
from tests.support.tables import each

SIMPLIFIED = "教育部今天发布通知，要求各地中小学在新学期开学后，认真落实课程方案，不得随意增加作业。"
TRADITIONAL = "教育部今天發布通知，要求各地中小學在新學期開學後，認真落實課程方案，不得隨意增加作業。"
RARE = "镕㐀䶮𠀀"  # beyond GB2312, and of four bytes in GB18030
HONG_KONG = "深水埗嘅學生喺度"
# encoding -> (what is written in it, the names under which it may be read)
WRITTEN = {
    "gb2312": (SIMPLIFIED, {"gb18030"}),
    "gbk": (SIMPLIFIED + "朱镕基", {"gb18030"}),
    "gb18030": (SIMPLIFIED + RARE, {"gb18030"}),
    "big5": (TRADITIONAL, {"big5"}),
    "big5hkscs": (TRADITIONAL + HONG_KONG, {"big5hkscs"}),
    "utf-8": (SIMPLIFIED + RARE, {"utf-8"}),
    "utf-8-sig": (TRADITIONAL, {"utf-8"}),
    "utf-16": (SIMPLIFIED, {"utf-16"}),
    "utf-16-le": (SIMPLIFIED, {"utf-16-le"}),
    "utf-16-be": (TRADITIONAL, {"utf-16-be"}),
}
HEADERS = (None, "utf-8", "gbk", "big5", "ISO-8859-1", "x-unknown")
METAS = (None, "utf-8", "gb2312", "big5", "ISO-8859-1")
FRAMES = {
    "meta first": "<html><head>{meta}<title>{title}</title></head><body><p>{text}</p></body></html>",
    "meta behind 3,000 characters of script": "<html><head><script>{script}</script>{meta}<title>{title}</title></head><body><p>{text}</p>",
    "XML declaration": "<?xml version='1.0' encoding='{label}'?><html><head><title>{title}</title></head><body><p>{text}</p></body></html>",
    "in Chinese only from the middle": "<html><head>{meta}</head><body>{ascii}<p>{text}</p>{ascii}</body></html>",
}
TABLE = list(product(WRITTEN, HEADERS, METAS, FRAMES))


def written(encoding: str, label: str | None, frame: str) -> tuple[str, bytes]:
    text = WRITTEN[encoding][0]
    meta = f'<meta http-equiv="Content-Type" content="text/html; charset={label}">' if label else ""
    markup = FRAMES[frame].format(
        meta=meta, label=label or "", title=text[:12], text=text, script="var a = 1;" * 300, ascii="<p class='x'></p>" * 400
    )
    return text, markup.encode(encoding)


def test_the_table_is_long_enough() -> None:
    assert len(TABLE) >= 1_000


@each("encoding", WRITTEN)
@each("frame", FRAMES)
def test_the_bytes_win_over_whatever_is_declared(encoding: str, frame: str) -> None:
    wrong = []
    for header, label in product(HEADERS, METAS):
        text, body = written(encoding, label, frame)
        decoded = decode(body, header and f"text/html; charset={header}")
        if text not in decoded.text or decoded.charset not in WRITTEN[encoding][1] or "\ufffd" in decoded.text:
            wrong.append((header, label, decoded.charset, decoded.reason.value))
    assert wrong == []


@each("encoding", ["gb2312", "gbk", "gb18030", "big5", "utf-8"])
@each("header", HEADERS)
def test_a_page_cut_inside_its_last_character_is_read_up_to_there(encoding: str, header: str | None) -> None:
    text = WRITTEN[encoding][0]
    for cut in range(1, len(text[-1].encode(encoding))):
        decoded = decode(text.encode(encoding)[:-cut], header and f"text/html; charset={header}")
        assert decoded.text.startswith(text[:-1]), (header, decoded.charset)
        assert decoded.charset in WRITTEN[encoding][1]


@each("header", HEADERS)
@each("title", ["中国教育新闻网", "北京大学", "高考成绩公布", "关于召开会议的通知"])
def test_a_page_of_a_few_words_is_read_as_what_it_is(header: str | None, title: str) -> None:
    body = f"<title>{title}</title>"
    for encoding, names in (("gbk", {"gb18030"}), ("utf-8", {"utf-8"})):
        decoded = decode(body.encode(encoding), header and f"text/html; charset={header}")
        assert (decoded.text, decoded.charset in names) == (body, True)


def test_the_euro_sign_of_windows_in_a_gbk_page_is_one() -> None:
    body = SIMPLIFIED.encode("gbk") + b"<p>\x80 100</p>"
    assert decode(body).text.endswith("<p>€ 100</p>")
