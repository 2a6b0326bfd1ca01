"""Charset (encoding) detection, and text that a wrong charset or a careless editor damaged.

The bytes of a page overrule a header or meta that contradicts them."""

from __future__ import annotations

import codecs
import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from html import unescape

from lxml import etree, html
from w3lib.encoding import resolve_encoding

from newsspider.core.text.characters import HAN
from newsspider.core.text.phrases import phrases

SAMPLE_CHARACTERS = 800  # characters beyond ASCII that are judged: enough for certainty
WINDOW_BYTES = 2_048  # bytes of each of the four places where they are looked for
ENOUGH_BYTES = 400  # bytes beyond ASCII that make the four places a fair sample
HEAD_BYTES = 2_048  # bytes in which a meta or XML declaration is looked for
PLAUSIBLE_SHARE = 0.22  # share of everyday characters; real Chinese has 0.35-0.65, the wrong codec under 0.1
CERTAIN_SHARE = 0.3  # ... from which on the other codec is not tried
PAIRED_SHARE = 0.6  # of the words of such a page
EURO_BYTE = 0x80
EURO_BIG5 = b"\xa3\xe1"
# share of wrong sequences that a UTF-8 page may have, with damage or a piece of another charset: others have half
BROKEN_UTF8 = 0.25
MISREAD_SHARE = 0.3  # of the bytes beyond ASCII, that were UTF-8 before they were read as something else
MISREAD_LEAST = 12  # such characters
LEAST_PAIRED, LEAST_PAIRED_BIG5 = 10, 40  # bytes in pairs that make a page one of GB2312, and that where it says Big5

BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Labels that w3lib does not know, or that pages in UTF-8 give ("unicode"), and the charset that is meant.
MISSPELT = {
    "gb": "gb18030",
    "x-gbk": "gb18030",
    "x-big5": "big5",
    "windows-936": "gb18030",
    "unicode": "utf-8",
    "x-euc-cn": "gb18030",
}
SUPERSETS = {"cp950": "big5hkscs", "hz": "gb18030"}  # beside those of the WHATWG Encoding Standard, which w3lib has
# where only these are declared, the bytes are of one of the first two
LEGACY = frozenset({"gb18030", "big5hkscs", "cp1252", "utf-8"})
WEAK = frozenset({"cp1252"})  # a server's default says nothing about Chinese bytes
# The commonest characters and marks of both scripts.
EVERYDAY = frozenset((*phrases("everyday_characters"), *"，。、：；？！“”「」（）《》 　１２３０"))
_EVERYDAY = re.compile(f"[{re.escape(''.join(sorted(EVERYDAY)))}]+")
_META = re.compile(rb"""<meta[^>]{0,300}?charset\s*+=\s*+["']?\s*+([\w.:-]{2,40})""", re.IGNORECASE)
_LONGEST_META = 305  # bytes of a meta before that word
_XML = re.compile(rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{2,40})""", re.IGNORECASE)
_HEADER = re.compile(r"""charset\s*+=\s*+["']?\s*+([\w.:-]{2,40})""", re.IGNORECASE)
_RUN = re.compile(rb"[\x80-\xff]+")
_ASCII = bytes(range(128))
# Chinese characters and signs as three bytes of UTF-8; one set first, which a search runs through fast.
_UTF8 = re.compile(
    rb"[\xe3-\xe9\xef](?:(?<=\xe3)[\x80\x81]|(?<=[\xe4-\xe9])[\x80-\xbf]|(?<=\xef)[\xbc\xbd])[\x80-\xbf]"
)

BROKEN_FREE = 4  # characters that are no text, forgiven in a text of any length
BROKEN_SHARE = 0.05  # of its characters
PRIVATE_SHARE = 0.2  # of characters that only a font of the page knows; some pages have icons among their words
STRANGE_SHARE = 0.1  # of everyday characters: real Chinese has a quarter and more, but a list of names may have none
BIG5_COMMON = 0xC6  # the last first byte of the common characters of Big5
COMMON_SHARE = 0.6  # of common characters, which names have; of all characters these are a third
STRANGE_LEAST = 60  # Chinese characters by which this is judged, where others of the text are broken
ENCODED_SHARE = 0.5  # of the text, in words of 200 and more ASCII characters

MAGIC = (
    (b"%PDF-", "a PDF file"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"\x89PNG\r\n", "a PNG picture"),
    (b"GIF8", "a GIF picture"),
    (b"PK\x03\x04", "a ZIP archive or an Office document"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1", "an Office document"),
    (b"\x1f\x8b\x08", "packed data"),
    (b"(\xb5/\xfd", "packed data"),
    (b"\xfd7zXZ", "packed data"),
    (b"BZh", "packed data"),
    (b"Rar!\x1a", "a RAR archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"MZ\x90", "a program"),
    (b"\x7fELF", "a program"),
    (b"RIFF", "a sound, film or picture"),
    (b"ID3", "a sound"),
    (b"OggS", "a sound"),
    (b"wOF", "a font"),
)
_BROKEN = frozenset({"Cn", "Cs", "Cc"})
# emoji and rare names that this Python's Unicode may not know yet
_LATER = re.compile("[\U0001f000-\U0001fbff\U00020000-\U0003ffff]")
_SYMBOLS = range(0xF000, 0xF100)  # bullets and signs that Word's fonts put into a text
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")
_LEADS = re.compile("[ã-éï]")  # the first of these bytes as Latin-1 has them
_WORD = re.compile(r"[0-9A-Za-z+/=_%-]{200,}")  # formulas and addresses have other signs
_ENTITY = re.compile(r"&(?:amp;)*(?:[A-Za-z]{2,8}\d{0,2}|#\d{2,6}|#[xX][0-9A-Fa-f]{2,5});")
_ABOUT_ENTITIES = re.compile("实体|實體|转义|轉義|字符引用|entit(?:y|ies)|escap", re.IGNORECASE)
_MARKUP = re.compile(
    r"\s*<(?:p|div|section|article|span|strong|br|h[1-6]|table|ul|ol|blockquote|center|font)\b", re.IGNORECASE
)
_PARAGRAPHS = re.compile(r"</(?:p|div|section|h[1-6]|li|td)>|<br", re.IGNORECASE)
_SENTENCE = re.compile(r"[\u4e00-\u9fff][，。！？：；]|[a-z][,.] ")
MOST_ESCAPES = 3  # times that a text may have been escaped


class CharsetReason(StrEnum):
    """Who decided."""

    BOM = "bom"
    BYTES = "bytes"  # against, or without, a declaration
    HEADER = "header"
    META = "meta"
    XML = "xml"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text, the Python name of the charset that read it, and who decided."""

    text: str
    charset: str
    reason: CharsetReason


def decode(body: bytes, content_type: str | None = None, default: str = "gb18030") -> Decoded:
    """The text of ``body``; never fails, wrong bytes become U+FFFD.

    A byte order mark decides, unless the bytes behind it contradict it; then UTF-8 validity; then plausibility as
    GB18030 against Big5; then what header, XML declaration and meta say; then ``default``. A character cut at the end
    of the body is tolerated.

    >>> decode("教育新闻网".encode("gbk"), "text/html; charset=utf-8").charset
    'gb18030'
    """
    if (marked := mark_of(body)) is not None:
        mark, values = marked
        text = body.decode(values, "replace").lstrip("\ufeff")
        if _is_markup(text):
            return Decoded(text, values, CharsetReason.BOM)
        body = body[len(mark) :]
    declared = _declared(body, content_type)
    if (wide := _wide(body)) is not None:
        return Decoded(body.decode(wide, "replace"), wide, _reason(declared, wide))
    if (valid := _utf8(body)) is not None:
        return Decoded(valid, "utf-8", _reason(declared, "utf-8"))
    name, reason = _legacy(body, declared, default)
    return _decoded(body, name, reason)


def mark_of(body: bytes) -> tuple[bytes, str] | None:
    """The byte order mark with which a body begins, and the charset that it names."""
    return next(((mark, name) for mark, name in BOMS if body.startswith(mark)), None)


def utf8_share(body: bytes, least: int = 0) -> float:
    """The share of the bytes beyond ASCII, or of ``least`` if they are fewer, that are Chinese in UTF-8; 0 if there are
    only a few. GBK and Big5 have at most a tenth of them by chance."""
    result = len(_UTF8.findall(body))
    beyond = max(least, len(body.translate(None, _ASCII)))
    return 3 * result / beyond if result >= MISREAD_LEAST else 0.0


def _is_markup(text: str) -> bool:
    """Whether a text has a tag or everyday characters; bytes wrongly read as UTF-16 have neither."""
    return "<" in text or _share_of_everyday(text) >= PLAUSIBLE_SHARE


def _decoded(body: bytes, name: str, reason: CharsetReason) -> Decoded:
    if name == "big5hkscs":
        try:
            plain = codecs.getincrementaldecoder("big5")()  # which waits for the rest of a last character that was cut
            text = plain.decode(body)
            return Decoded(text + "\ufffd" * bool(plain.getstate()[0]), "big5", reason)
        except UnicodeDecodeError:
            pass  # Hong Kong's or Eten's characters, or damage
    return Decoded(body.decode(name, EURO_ERRORS if name in ("gb18030", "big5hkscs") else "replace"), name, reason)


def _euro(error: UnicodeError) -> tuple[str, int]:
    """The euro for 0x80 in GBK and 0xA3E1 in Big5, as Windows writes it; U+FFFD for other wrong bytes."""
    assert isinstance(error, UnicodeDecodeError)
    if error.encoding == "big5hkscs":
        return ("€", error.start + 2) if error.object.startswith(EURO_BIG5, error.start) else ("\ufffd", error.end)
    return ("€", error.start + 1) if error.object[error.start] == EURO_BYTE else ("\ufffd", error.end)


EURO_ERRORS = "newsspider.euro"
codecs.register_error(EURO_ERRORS, _euro)


def _declared(body: bytes, content_type: str | None) -> list[tuple[str, CharsetReason]]:
    head = body[: HEAD_BYTES * 16]
    low = head.lower()  # patterns without case read each byte, so they are tried only where their word occurs
    results = []
    for match, reason in (
        (_HEADER.search(content_type) if content_type else None, CharsetReason.HEADER),
        (_XML.search(head, 0, HEAD_BYTES) if low.find(b"<?xml", 0, HEAD_BYTES) >= 0 else None, CharsetReason.XML),
        (_declared_by_meta(head, low), CharsetReason.META),
    ):
        if match:
            label = match[1] if isinstance(match[1], str) else match[1].decode("ascii", "replace")
            if (name := _meant(label)) is not None:
                results.append((name, reason))
    return results


def _declared_by_meta(head: bytes, low: bytes) -> re.Match[bytes] | None:
    """The first meta that names a charset; ``low`` is the head in lower case."""
    at = low.find(b"charset")
    while at >= 0:
        start = low.rfind(b"<meta", max(0, at - _LONGEST_META), at)
        if start >= 0 and (match := _META.match(head, start)):
            return match
        at = low.find(b"charset", at + 1)
    return None


def _meant(label: str) -> str | None:
    """The superset that reads the charset of a label; ``None`` for an unknown one."""
    label = label.strip().lower()
    try:
        name = resolve_encoding(MISSPELT.get(label, label)) or ""
        b"\x80".decode(name, "replace")
    except (LookupError, ValueError):  # unknown, or a codec but not of text: base64, rot13 ...
        return None
    return SUPERSETS.get(name, name)


def _reason(declared: list[tuple[str, CharsetReason]], name: str) -> CharsetReason:
    return next((reason for values, reason in declared if values == name), CharsetReason.BYTES)


def _wide(body: bytes) -> str | None:
    """The charset of UTF-16 without a mark: one byte of each pair in markup is zero, in dense Chinese at least that of
    the tags."""
    head = body[: HEAD_BYTES - HEAD_BYTES % 2]
    if len(head) < 8 or not head.count(0):
        return None
    if head.count(0) * 5 >= len(head):
        return "utf-16-le" if head[1::2].count(0) > head[0::2].count(0) else "utf-16-be"
    tags = {name: head.decode(name, "replace").count("<") for name in ("utf-16-le", "utf-16-be")}
    name = max(tags, key=tags.__getitem__)
    return name if tags[name] > 1 else None


def _utf8(body: bytes) -> str | None:
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start >= len(body) - 3 and error.reason == "unexpected end of data":
            return body.decode("utf-8", "replace") if error.start > 0 else None
    return body.decode("utf-8", "replace") if _is_mostly_utf8(_sample(body)) and _is_mostly_utf8(body) else None


def _is_mostly_utf8(body: bytes) -> bool:
    """Whether a page is UTF-8 with some damage, or with a piece that a server put into it in another charset."""
    text = body.decode("utf-8", "replace")
    beyond = len(text) - len(text.encode("ascii", "ignore"))
    return text.count("\ufffd") < BROKEN_UTF8 * beyond


def _legacy(body: bytes, declared: list[tuple[str, CharsetReason]], default: str) -> tuple[str, CharsetReason]:
    sample = _sample(body)
    first = next((name for name, _ in declared if name in ("gb18030", "big5hkscs")), "gb18030")
    if _plausibility(sample, first) >= CERTAIN_SHARE:
        return first, _reason(declared, first)
    if all(name in LEGACY for name, _ in declared) and _is_paired(
        sample, LEAST_PAIRED_BIG5 if ("big5hkscs" in dict(declared)) else LEAST_PAIRED
    ):
        return "gb18030", _reason(declared, "gb18030")
    plain = {name: _plausibility(sample, name) for name in ("gb18030", "big5hkscs")}
    scores = dict(plain)
    values = [(name, reason) for name, reason in declared if name not in WEAK and name != "utf-8"]
    for name, reason in values:  # of nearly equal scores, the declared charset wins
        if name not in plain:
            plain[name] = _plausibility(sample, name)
        scores[name] = plain[name] + 0.05
        if name not in ("gb18030", "big5hkscs") and _clean(body, name) and max(scores.values()) < PLAUSIBLE_SHARE * 1.5:
            return name, reason
    best = max(scores, key=scores.__getitem__)
    if scores[best] >= PLAUSIBLE_SHARE:
        return best, _reason(declared, best)
    if utf8_share(body) >= MISREAD_SHARE:  # damaged: the reader says so
        return "utf-8", _reason(declared, "utf-8")
    for name, reason in (*values, *declared):
        if name != "utf-8" and _clean(body, name):
            return name, reason
    return default, CharsetReason.DEFAULT


def _sample(body: bytes) -> bytes:
    """Windows of the body that hold enough beyond ASCII, or all of it."""
    if len(body) <= 4 * WINDOW_BYTES:
        return body
    starts = (0, len(body) // 3, len(body) // 2, 2 * len(body) // 3)
    sample = b"\n".join(body[start : start + WINDOW_BYTES] for start in starts)
    return sample if len(sample) - len(sample.decode("ascii", "ignore")) >= ENOUGH_BYTES else body


def _is_paired(sample: bytes, least: int) -> bool:
    """Whether at least ``least`` bytes beyond ASCII come mostly in pairs from 0xA1 on. In GB2312 they do, even in a
    table of rare names; in Big5 every third does not."""
    runs = _RUN.findall(sample)
    paired = sum(len(run) % 2 == 0 and min(run) > 0xA0 for run in runs)
    return sum(map(len, runs)) >= least and paired >= PAIRED_SHARE * len(runs)


def _clean(body: bytes, name: str) -> bool:
    text = body.decode(name, "replace")
    return text.count("\ufffd") * 50 <= len(text)


def _plausibility(sample: bytes, name: str) -> float:
    """Share of everyday characters among those beyond ASCII; damage counts against."""
    return _share_of_everyday(sample.decode(name, "replace"))


def _share_of_everyday(text: str) -> float:
    # by way of UTF-8, whose other bytes go in one stroke
    text = (
        text.encode("utf-8", "surrogatepass")
        .translate(None, _ASCII)
        .decode("utf-8", "surrogatepass")[:SAMPLE_CHARACTERS]
    )
    good = sum(map(len, _EVERYDAY.findall(text)))
    return (good - 2 * text.count("\ufffd")) / len(text) if text else 0.0


def file_of(body: bytes) -> str | None:
    """What kind of file a body is by its first bytes, if it is none of text.

    >>> file_of(b"%PDF-1.7 ..."), file_of(b"<html>")
    ('a PDF file', None)
    """
    return next((name for magic, name in MAGIC if body.startswith(magic)), None)


def damage_of(text: str) -> str | None:
    """The plain reason why a text cannot be read; ``None`` for text that people can read.

    >>> damage_of("教育部公布了名单"), damage_of("教\\ufffd部\\ufffd\\ufffd\\ufffd了\\ufffd\\ufffd")
    (None, 'the text is damaged: 6 of 9 characters')
    """
    odd = set() if text.replace("\n", "").isprintable() else set(text)
    characters = {char: unicodedata.category(char) for char in odd if char > "\x7f" and not char.isprintable()}
    no_text = {char for char, category in characters.items() if category in _BROKEN and not _LATER.match(char)}
    of_a_font = {char for char, category in characters.items() if category == "Co" and ord(char) not in _SYMBOLS}
    broken = text.count("\ufffd") + sum(map(no_text.__contains__, text if no_text else ""))
    private = sum(map(of_a_font.__contains__, text if of_a_font else ""))
    if broken > BROKEN_FREE + BROKEN_SHARE * len(text):
        return f"the text is damaged: {broken} of {len(text)} characters"
    if private > BROKEN_FREE + PRIVATE_SHARE * len(text):
        return f"the text is in a font of its own: {private} of {len(text)} characters"
    beyond = "".join(_BEYOND_ASCII.findall(text))
    if broken > 1 and _is_strange(HAN.findall(text)):
        return "the text was damaged, or read in another charset than its own"
    charsets = ("gb18030", "cp1252", "latin-1") if len(_LEADS.findall(beyond)) >= MISREAD_LEAST else ("gb18030",)
    if any(utf8_share(beyond.encode(name, "ignore"), len(beyond)) >= MISREAD_SHARE for name in charsets):
        return "the text was written in UTF-8 and read in another charset"
    if sum(map(len, _WORD.findall(text))) > ENCODED_SHARE * len(text):
        return "the text is encoded data"
    return None


def _is_strange(characters: list[str]) -> bool:
    """Whether few of many Chinese characters are everyday ones, and few are common ones of GB2312 or Big5."""
    size = len(characters)
    if size < STRANGE_LEAST or sum(char in EVERYDAY for char in characters) >= STRANGE_SHARE * size:
        return False
    text = "".join(characters)
    simplified = len(text.encode("gb2312", "ignore")) // 2
    traditional = sum(lead <= BIG5_COMMON for lead in text.encode("big5", "ignore")[::2])
    return max(simplified, traditional) < COMMON_SHARE * size


def unescape_entities(text: str) -> str:
    """A text of a page without the entities that were escaped twice; one that is about entities stays as it is.

    >>> unescape_entities("&ldquo;双减&rdquo;"), unescape_entities("R&amp;amp;D"), unescape_entities("空格的实体是&nbsp;")
    ('“双减”', 'R&D', '空格的实体是&nbsp;')
    """
    for _ in range(MOST_ESCAPES):
        if "&" not in text or _ENTITY.search(text) is None or _ABOUT_ENTITIES.search(text):
            break
        text = _ENTITY.sub(lambda match: unescape(match[0]), text)
    return text


def markup_in(text: str) -> etree._Element | None:
    """The tree of a text that is itself markup with sentences, as where a script was to write it; ``None`` for others,
    like one that names a tag."""
    if _MARKUP.match(text) is None or _PARAGRAPHS.search(text) is None or _SENTENCE.search(text) is None:
        return None
    try:
        root: etree._Element = html.fragment_fromstring(text, create_parent="div")
    except (etree.LxmlError, ValueError):
        return None
    return root
