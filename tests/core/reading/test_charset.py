import pytest

from newsspider.core.reading.charset import CharsetReason, decode

SIMPLIFIED = "教育部今天发布通知，要求各地中小学在新学期开学后，认真落实课程方案，不得随意增加作业。" * 3
TRADITIONAL = "教育部今天發布通知，要求各地中小學在新學期開學後，認真落實課程方案，不得隨意增加作業。" * 3
HTML = '<html><head><meta charset="{}"><title>{}</title></head><body>{}</body></html>'


def page(text: str, encoding: str, meta: str = "x-none") -> bytes:
    return HTML.format(meta, text[:20], text).encode(encoding)


@pytest.mark.parametrize("header", [None, "utf-8", "ISO-8859-1", "gbk", "big5", "windows-1252", "no-such-charset"])
@pytest.mark.parametrize("meta", ["utf-8", "gb2312", "big5", "iso-8859-1"])
@pytest.mark.parametrize(
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


@pytest.mark.parametrize("encoding", ["utf-8", "gbk", "big5"])
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


def test_utf16_without_a_mark_is_told_by_its_zeros() -> None:
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


@pytest.mark.parametrize("label", ["base64", "rot13", "utf-7\x00", "'", "x-user-defined"])
def test_a_nonsense_label_is_ignored(label: str) -> None:
    assert decode(page(SIMPLIFIED, "gbk"), f"text/html; charset={label}").text.count("课程方案") == 3


def test_who_decided_is_told() -> None:
    assert decode(page(SIMPLIFIED, "gbk"), "text/html; charset=gbk").reason is CharsetReason.HEADER
    assert decode(page(SIMPLIFIED, "gbk", "gb2312")).reason is CharsetReason.META
    assert decode(page(SIMPLIFIED, "gbk"), "text/html; charset=utf-8").reason is CharsetReason.BYTES
