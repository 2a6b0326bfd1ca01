"""Reads the credit lines of the press of Taiwan and Hong Kong: outlet, writers and place between slashes, mostly in
brackets.

    【某某報／記者王小明／台北報導】   某某時報 王小明／綜合報導 2024年03月05日   生活中心／王小明報導   （某某社記者王小明台北5日電）
"""

from __future__ import annotations

import re
from typing import NamedTuple

from newsspider.core.caching import bounded_cache
from newsspider.core.extraction.lines.person_names import NO_NAME, ORGANISATION, STAMP, is_person
from newsspider.core.text.phrases import any_of

LONGEST_CREDIT = 60  # characters of a line that is a credit, and of one in brackets in front of a text
OUTLET = (  # an outlet by its name, or by the two characters that a station goes by
    r"(?!(?:即[時时]|本[報报刊網网台社]|[綜综]合|[外特專专]|[最焦快頭头今昨]))"
    rf"(?:[\u4e00-\u9fffA-Za-z0-9]{{1,10}}?(?:{any_of('credit_outlets')})|[中台臺華公民客]視|中廣)"
)
_OUTLET = re.compile(rf"\s*(?P<name>{OUTLET})(?=$|[\s╱/／]|記者|记者|編譯|特派)")
_BRACKET = re.compile(r"[【〔（(［\[](?P<inside>[^【〔（(［\[】〕）)］\]]{3,60})[】〕）)］\]]")
_SLASH = re.compile(r"\s*[/／╱∕]\s*")
_PLACED = re.compile(r"(?:報導|报导|报道|\d{1,2}日[專专]?[電电])$")
_REPORT = re.compile(r"\s*(?:[綜综]合|聯合|採訪|整理)?(?:報導|报导|报道)$")
_ROLE = re.compile(r"(?:實習|特約|特派|資深|駐[\u4e00-\u9fff]{2,3})?(?:記者|记者|编译|編譯|特派員|主播|撰稿|通訊員)\s?")
_WHOSE = re.compile(
    r"[^、\s,，]+?(?=(?:記者|记者|特派員)[\u4e00-\u9fff])"
)  # the outlet, or the desk, right before "reporter"
_DESK = re.compile(r"(?:中心|組|新聞|部|台)$")
_SEPARATOR = re.compile(r"[、\s,，]+")
_NAME = re.compile(r"[\u4e00-\u9fff]{2,4}$")
_PLACE = re.compile(r"[縣縣市省州國国]$|^[綜综]合|^[台臺]")
# The beginning of a text: the agency or newspaper, and where and when the text was wired.
_WIRE = (
    r"[\u4e00-\u9fff、\s]{0,16}(?:\d{1,2}月)?\d{1,2}日(?:[\u4e00-\u9fff]{0,6}[電电]|(?:[讯訊]|消息)(?=[\s（(，,：:]))"
)
_OWN_NEWS = (
    r"(?![本据據]|新[報报]|校园|校園|互联|互聯)[\u4e00-\u9fff]{2,7}(?:[報报网網]|新[闻聞]|客户端|[電电][视視]?[台臺])"
)
_WIRED = re.compile(
    r"[（(〔【［\[]\s?(?P<name>[\u4e00-\u9fff]{1,5}社|[\u4e00-\u9fff]{2,6}[報报])"
    rf"(?:[）)〕】］\]]|{_WIRE}|記者|记者)"
    rf"|(?P<plain>{_OWN_NEWS})[訊讯](?=[\s（(])"
    rf"|(?P<wire>(?![本据據])[\u4e00-\u9fff]{{2,6}}?(?:[网網社报報]|客户端)){_WIRE}"
)


class Credit(NamedTuple):
    """The outlet and the writers of a text, as far as a line names them."""

    outlet: str | None
    persons: tuple[str, ...]


NO_CREDIT = Credit(None, ())


@bounded_cache(64)  # cache: bylines; the byline and the source ask for the same few lines
def credit_of(text: str) -> Credit:
    """The outlet and writers that a line names, if it is a credit or begins with one in brackets.

    >>> credit_of("【某某晚報╱記者王小明、李紅玉/台北報導】")
    Credit(outlet='某某晚報', persons=('王小明', '李紅玉'))
    >>> credit_of("某某時報 王小明／綜合報導 2024年03月05日 04:09").persons, credit_of("生活中心／綜合報導")
    (('王小明',), Credit(outlet=None, persons=()))
    """
    if not _SLASH.search(text[: LONGEST_CREDIT + 2]):
        return NO_CREDIT
    bracket = _BRACKET.match(text)
    if bracket is None and len(text) > LONGEST_CREDIT:
        return NO_CREDIT
    inside = STAMP.sub(" ", bracket["inside"] if bracket else text).strip(" |｜")
    parts = [part for part in _SLASH.split(inside) if part]
    placed = _PLACED.search(parts[-1]) is not None if parts else False
    if not 2 <= len(parts) <= 4 or not (placed or (bracket and len(parts) == 2 and _OUTLET.fullmatch(parts[0]))):
        return NO_CREDIT
    outlet, persons = None, list[str]()
    for at, part in enumerate(parts):
        rest = part
        if at == 0 and (named := _OUTLET.match(part)):
            outlet, rest = named["name"], part[named.end() :]
        elif at == 0 and _DESK.search(part):
            continue
        if at == len(parts) - 1 and placed:
            rest = "" if persons or _PLACE.search(name := _REPORT.sub("", rest)) else name
            if not (rest and (_ROLE.match(rest) or len(rest) == 3)):
                continue
        persons += _persons(rest)
    return Credit(outlet, tuple(persons))


def wired_by(text: str) -> str | None:
    """The agency or newspaper that the beginning of a text names as its own.

    >>> wired_by("（某某社台北5日電）教育部今天說明。"), wired_by("某某晚报讯 记者王小明"), wired_by("本報訊（記者 王小明）")
    ('某某社', '某某晚报', None)
    """
    match = _WIRED.match(text[:LONGEST_CREDIT])
    return (match["name"] or match["plain"] or match["wire"]) if match else None


def _persons(text: str) -> list[str]:
    """The names in one part of a credit; none if anything in it is no name."""
    plain = _ROLE.sub(" ", _WHOSE.sub("", text)).strip()
    names = [name for name in _SEPARATOR.split(plain) if name]
    labelled = plain != text.strip()
    return names if all(is_person(name) or (labelled and _may_be_name(name)) for name in names) else []


def _may_be_name(text: str) -> bool:
    if _NAME.match(text) is None:
        return False
    return not (NO_NAME.search(text) or ORGANISATION.search(text) or _PLACED.search(text))
