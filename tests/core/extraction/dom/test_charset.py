import codecs
import random
import time

from newsspider.core.extraction.dom import charset
from newsspider.core.extraction.dom.charset import CharsetReason, decode
from newsspider.core.extraction.dom.page import parse
from tests.support.tables import each

SIMPLIFIED = "教育部今天发布通知，要求各地中小学在新学期开学后，认真落实课程方案，不得随意增加作业。" * 3
TRADITIONAL = "教育部今天發布通知，要求各地中小學在新學期開學後，認真落實課程方案，不得隨意增加作業。" * 3
HTML = '<html><head><meta charset="{}"><title>{}</title></head><body>{}</body></html>'


def page(text: str, encoding: str, meta: str = "x-none") -> bytes:
    return HTML.format(meta, text[:20], text).encode(encoding)


@each("header", [None, "utf-8", "ISO-8859-1", "gbk", "big5", "windows-1252", "no-such-charset"])
@each("meta", ["utf-8", "gb2312", "big5", "iso-8859-1"])
@each(
    ("text", "encoding", "charset"),
    [
        (SIMPLIFIED, "gbk", "gb18030"),
        (SIMPLIFIED, "utf-8", "utf-8"),
        (TRADITIONAL, "big5", "big5"),
        (TRADITIONAL, "utf-8", "utf-8"),
    ],
)
def test_the_bytes_win_over_header_and_meta(
    header: str | None, meta: str, text: str, encoding: str, charset: str
) -> None:
    decoded = decode(page(text, encoding, meta), header and f"text/html; charset={header}")
    assert decoded.charset == charset
    assert text in decoded.text


@each("encoding", ["utf-8", "gbk", "big5"])
def test_a_character_cut_at_the_end_is_tolerated(encoding: str) -> None:
    text = TRADITIONAL if encoding == "big5" else SIMPLIFIED
    decoded = decode(text.encode(encoding)[:-1])
    assert decoded.text.startswith(text[:-1])


def test_a_short_title_is_enough_to_tell_gbk_from_big5() -> None:
    assert decode("中国教育新闻网".encode("gbk")).charset == "gb18030"
    assert decode("臺灣教育新聞網".encode("big5"), "text/html; charset=big5").charset == "big5"


def test_characters_of_hong_kong_are_read_as_big5_hkscs() -> None:
    text = TRADITIONAL + "深水埗嘅學生喺度"
    decoded = decode(text.encode("big5hkscs"))
    assert (decoded.charset, decoded.text) == ("big5hkscs", text)


def test_a_byte_order_mark_decides_and_goes() -> None:
    assert decode(b"\xef\xbb\xbf" + SIMPLIFIED.encode(), "text/html; charset=gbk").text == SIMPLIFIED
    assert decode(SIMPLIFIED.encode("utf-16")).text == SIMPLIFIED


@each("mark", [codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE])
@each(
    ("encoding", "charset"), [("utf-8", "utf-8"), ("gbk", "gb18030"), ("utf-16-le", "utf-16"), ("utf-16-be", "utf-16")]
)
def test_a_mark_of_utf_16_counts_only_where_the_bytes_agree(mark: bytes, encoding: str, charset: str) -> None:
    decoded = decode(mark + page(SIMPLIFIED, encoding))
    assert decoded.charset.startswith(charset)
    assert decoded.text == page(SIMPLIFIED, "utf-8").decode()


@each("mark", [codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE])
def test_a_page_behind_a_wrong_mark_is_parsed_as_if_it_had_none(mark: bytes) -> None:
    parsed = parse(mark + page(SIMPLIFIED, "utf-8"), "http://a.example/1.html")
    assert parsed.tree.text_content() == SIMPLIFIED[:20] + SIMPLIFIED


def test_utf16_without_a_bom_is_recognised_by_its_zeros() -> None:
    assert "课程方案" in decode(HTML.format("", "", SIMPLIFIED[:40]).encode("utf-16-le")).text


def test_a_damaged_utf8_page_stays_utf8() -> None:
    body = SIMPLIFIED.encode() * 4
    decoded = decode(body[:90] + b"\xff" + body[90:])
    assert decoded.charset == "utf-8"
    assert decoded.text.count("\ufffd") == 1


def test_other_languages_are_believed_when_they_say_so() -> None:
    assert decode("안녕하세요 교육 뉴스".encode("euc-kr"), "text/html; charset=euc-kr").text == "안녕하세요 교육 뉴스"
    assert decode("déjà vu à l'école".encode("latin-1"), "text/html; charset=iso-8859-1").text == "déjà vu à l'école"


def test_the_default_is_the_last_resort() -> None:
    decoded = decode(b"\x80\xff\x81", default="big5hkscs")
    assert (decoded.charset, decoded.reason) == ("big5hkscs", CharsetReason.DEFAULT)


@each("label", ["base64", "rot13", "utf-7\x00", "'", "x-user-defined"])
def test_a_nonsense_label_is_ignored(label: str) -> None:
    assert decode(page(SIMPLIFIED, "gbk"), f"text/html; charset={label}").text.count("课程方案") == 3


def test_the_reason_for_the_charset_is_reported() -> None:
    assert decode(page(SIMPLIFIED, "gbk"), "text/html; charset=gbk").reason is CharsetReason.HEADER
    assert decode(page(SIMPLIFIED, "gbk", "gb2312")).reason is CharsetReason.META
    assert decode(page(SIMPLIFIED, "gbk"), "text/html; charset=utf-8").reason is CharsetReason.BYTES


@each("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_known_where_chinese_is_dense(encoding: str) -> None:
    text = f"<html><head><title>新闻</title></head><body>　　一{SIMPLIFIED * 3}</body></html>"
    assert decode(text.encode(encoding), "text/html; charset=gbk").text == text


def test_a_fragment_in_another_charset_does_not_change_the_charset_of_the_page() -> None:
    piece = "版权所有 江南日报社 地址电话"
    assert SIMPLIFIED in decode(page(SIMPLIFIED, "utf-8") + piece.encode("gbk")).text
    assert SIMPLIFIED in decode(piece.encode("gbk") + page(SIMPLIFIED * 20, "utf-8")).text
    assert SIMPLIFIED in decode(page(SIMPLIFIED, "gbk") + piece.encode()).text
    assert SIMPLIFIED in decode(piece.encode() * 4 + page(SIMPLIFIED * 20, "gbk")).text


@each("header", [None, "utf-8", "big5", "ISO-8859-1"])
def test_a_table_of_rare_names_is_known_by_its_pairs_of_bytes(header: str | None) -> None:
    names = "".join(f"<td>{name}</td>" for name in ("龚璐瑶", "覃翡翠", "缪鑫淼", "芮婧祎", "佟骁骥", "谌靓颖", "晁煜焜", "褚翊翀"))
    assert names in decode(names.encode("gbk"), header and f"text/html; charset={header}").text


def test_the_euro_sign_of_big5_is_read() -> None:
    text = TRADITIONAL + "學費€100"
    assert decode(text.encode("cp950"), "text/html; charset=big5").text == text


def test_the_meta_that_counts_is_the_first_that_names_a_charset_wherever_it_is_looked_for() -> None:
    pieces = [b"<meta", b"<META ", b" ", b"\n", b"charset", b"CharSet", b"=", b'"', b"'", b"gbk", b"big5", b"x", b">", b"y" * 290, b"z" * 9]
    chance, matches = random.Random(5), 0
    for _ in range(20_000):
        head = b"".join(chance.choices(pieces, k=chance.randrange(2, 24)))
        by_pattern, by_parts = charset._META.search(head), charset._declared_by_meta(head, head.lower())
        assert (by_pattern and by_pattern[1]) == (by_parts and by_parts[1]), head
        matches += by_pattern is not None
    assert matches > 300


@each("blanks", [300, 301])
def test_a_meta_names_its_charset_within_300_characters(blanks: int) -> None:
    head = b"<meta" + b" " * blanks + b"charset=big5>"
    assert (charset._declared_by_meta(head, head.lower()) is not None) == (blanks == 300)


def test_a_declaration_counts_behind_the_first_2_kb_and_across_their_end() -> None:
    """The bytes are too rare to reveal a charset, so the declaration decides."""
    for blanks in (2048, 2048 - len("<meta charset=iso-88"), 20_000):
        for declaration in (b"<meta charset=iso-8859-15>", b"<META CHARSET=ISO-8859-15>"):
            assert decode(b" " * blanks + declaration + b"\xa4 \xe9t\xe9 ").charset == "iso8859-15"


def test_an_xml_declaration_stands_in_front() -> None:
    declaration = b'<?xml version="1.0" encoding="iso-8859-15"?>'
    assert decode(declaration + b"<p>\xa4 \xe9t\xe9 ").charset == "iso8859-15"
    assert decode(b" " * 3000 + declaration + b"<p>\xa4 \xe9t\xe9 ").reason is CharsetReason.DEFAULT


@each("body", [b"<meta " + b"charset " * 36 + b"charset=" + b" " * 32_000, b"<meta" * 59 + b"charset=" + b" " * 32_000])
def test_a_declaration_of_nothing_but_blanks_is_read_quickly(body: bytes) -> None:
    start = time.process_time()
    decode(body, "text/html; charset=" + " " * 16_000 + ";x")
    assert time.process_time() - start < 1
