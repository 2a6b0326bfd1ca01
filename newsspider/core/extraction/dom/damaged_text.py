"""Distinguishes damaged or misread text and binary data from text of any language with a few wrong characters, and
undoes what editors escape once too often."""

from __future__ import annotations

import re
import unicodedata
from html import unescape

from lxml import etree, html

from newsspider.core.extraction.dom.charset import EVERYDAY, MISREAD_LEAST, MISREAD_SHARE, utf8_share
from newsspider.core.text.characters import HAN

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
    broken = text.count("\ufffd") + _count(
        text, {char for char, category in characters.items() if category in _BROKEN and not _LATER.match(char)}
    )
    private = _count(
        text, {char for char, category in characters.items() if category == "Co" and ord(char) not in _SYMBOLS}
    )
    if broken > BROKEN_FREE + BROKEN_SHARE * len(text):
        return f"the text is damaged: {broken} of {len(text)} characters"
    if private > BROKEN_FREE + PRIVATE_SHARE * len(text):
        return f"the text is in a font of its own: {private} of {len(text)} characters"
    beyond = "".join(_BEYOND_ASCII.findall(text))
    if broken > 1 and _is_strange(HAN.findall(text)):
        return "the text was damaged, or read in another charset than its own"
    if is_misread(beyond):
        return "the text was written in UTF-8 and read in another charset"
    if sum(map(len, _WORD.findall(text))) > ENCODED_SHARE * len(text):
        return "the text is encoded data"
    return None


def _count(text: str, characters: set[str]) -> int:
    return sum(char in characters for char in text) if characters else 0


def _is_strange(characters: list[str]) -> bool:
    """Whether few of many Chinese characters are everyday ones, and few are common ones of GB2312 or Big5."""
    size = len(characters)
    if size < STRANGE_LEAST or sum(char in EVERYDAY for char in characters) >= STRANGE_SHARE * size:
        return False
    text = "".join(characters)
    simplified = len(text.encode("gb2312", "ignore")) // 2
    traditional = sum(lead <= BIG5_COMMON for lead in text.encode("big5", "ignore")[::2])
    return max(simplified, traditional) < COMMON_SHARE * size


def is_misread(text: str) -> bool:
    """Whether characters beyond ASCII are UTF-8 that was read as GBK, Latin-1 or Windows-1252."""
    charsets = ("gb18030", "cp1252", "latin-1") if len(_LEADS.findall(text)) >= MISREAD_LEAST else ("gb18030",)
    return any(utf8_share(text.encode(name, "ignore"), len(text)) >= MISREAD_SHARE for name in charsets)


def unescaped(text: str) -> str:
    """A text of a page without the entities that were escaped twice; one that is about entities stays as it is.

    >>> unescaped("&ldquo;双减&rdquo;"), unescaped("R&amp;amp;D"), unescaped("空格的实体是&nbsp;")
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
