"""Cuts the names of site and channel from ``<title>``: behind the title as a rule, in front of it where nothing else can stand there."""

from __future__ import annotations

import re

from newsspider.core.reading.outline import SHORTEST_TITLE, title_key

# What stands between a title and the names of channel and site; the first that splits well wins.
SEPARATOR = re.compile(r"\s*(?:[|｜_＿»›•·>＞]|::|>>|\s[-–—]+\s|--+|——+)\s*")
WEAK_SEPARATOR = re.compile(r"\s*[-–—]\s*")
_ANY_SEPARATOR = re.compile(rf"{SEPARATOR.pattern}|{WEAK_SEPARATOR.pattern}")
# A last part that is the name of a site or channel.
SITE_NAME = re.compile(
    r"(?:网|網|报|報|社|台|台网|频道|頻道|新闻|新聞|资讯|資訊|中心|在线|線上|论坛|論壇|博客|部落格|门户|社区|客户端|官网|号|网站|網站|"
    r"日报|晚报|周刊|杂志|大学|学院|政府|委员会|局|厅|教育|财经|科技|首页|专栏|正文|[a-z0-9]+\.(?:com|cn|net|org)\S*)$",
    re.IGNORECASE,
)
# A last part behind a hyphen that is the name of an office or school; titles end so more often than with the words above.
OFFICE = re.compile(
    r"^[\u4e00-\u9fff（）]{2,20}(?:办公室|辦公室|学校|學校|[中小]学|[中小]學|幼儿园|医院|[图博档][书物案]馆|[圖博檔][書物案]館|协会|協會|研究[院所]|有限公司|集团)$"
)
# A first part that can only be the name of the site, and the hyphens behind it: those within words and spans of years are none.
FRONT = re.compile(r"[\u4e00-\u9fff]{2,}(?:人民政府|(?<![联聯域园園])[网網]站?)$")
LONGEST_NAME = 10  # characters of a channel's name behind that of its site; a longer title may end like a name ("方案出台")
# Words for machines behind a title: four or more without a blank, set apart by commas of Latin script.
_KEYWORDS = re.compile(r"\s*[-–—_|]\s*[^\s,，。、|_-]{2,12}(?:,[^\s,，。、|_-]{2,12}){3,}(?:,[^\s,，。、|_-]{0,12})?$")
_TRANSLATED = re.compile(r"^([\u4e00-\u9fff]{2,8})\s[A-Za-z][A-Za-z .&'’-]+$")  # the name of an outlet, and the same in Latin letters
_HAN = re.compile(r"[\u4e00-\u9fff]")
_BEHIND_FRONT = re.compile(r"\s*(?:(?<![A-Za-z0-9])[-–—]|[-–—](?![A-Za-z0-9]))\s*")


def without_site(text: str) -> str:
    """``text`` without the names of site and channel behind it.

    >>> without_site("双减之后的课堂_教育频道_某某网")
    '双减之后的课堂'
    """
    if "," in text and (keywords := _KEYWORDS.search(text)) and len(title_key(text[: keywords.start()])) >= SHORTEST_TITLE:
        return without_site(text[: keywords.start()])
    parts = [part for part in SEPARATOR.split(text) if part]
    if len(parts) > 1:
        if len(title_key(parts[0])) >= SHORTEST_TITLE + 2 and not SITE_NAME.search(parts[0]):
            return _cut_at(text, parts[0])
        others = [part for part in parts if not (SITE_NAME.search(part) or OFFICE.search(part))]
        titles = [part for part in others if len(_HAN.findall(part)) >= SHORTEST_TITLE]
        return max(titles or parts, key=lambda part: len(title_key(part)))
    weak = _BEHIND_FRONT.split(text)
    length = len(title_key(weak[-1])) if len(weak) > 1 and FRONT.match(weak[0]) else 0
    if length > LONGEST_NAME or (length >= SHORTEST_TITLE and not SITE_NAME.search(weak[-1])):
        return weak[-1].strip()
    head, tail = text, ""
    for match in WEAK_SEPARATOR.finditer(text):
        head, tail = text[: match.start()], text[match.end() :]
    if tail and len(title_key(head)) >= SHORTEST_TITLE and len(tail) <= 14 and (SITE_NAME.search(tail) or OFFICE.search(tail)):
        return without_site(head)
    return text.strip()


def names_house(whole: str) -> bool:
    """Whether a ``<title>`` has nothing but names of sites, offices and schools.

    >>> names_house("某某市第一小学"), names_house("某某信息网-某某社会组织网"), names_house("新学期作业怎么写-某某网")
    (True, True, False)
    >>> names_house("某某日報 MOUMOU DAILY NEWS")
    True
    """
    parts = [part for part in _ANY_SEPARATOR.split(_TRANSLATED.sub(r"\1", whole)) if part]
    return bool(parts) and all(SITE_NAME.search(part) or OFFICE.search(part) for part in parts)


def first_part(whole: str) -> str | None:
    """What ``<title>`` has before its first separator, if that is no name of a site or an office."""
    parts = [part for part in _ANY_SEPARATOR.split(whole) if part]
    named = len(parts) < 2 or len(title_key(parts[0])) < 2 or SITE_NAME.search(parts[0]) or OFFICE.search(parts[0])
    return None if named else parts[0]


def last_part(whole: str) -> str:
    """What ``<title>`` has behind its last separator: that of some sites begins with the name of the house and of its sections."""
    parts = [part for part in _ANY_SEPARATOR.split(whole) if part]
    return parts[-1] if parts else ""


def short_head(whole: str) -> str | None:
    """The two or three characters that ``<title>`` has before the name of the site."""
    head, *names = [part for part in _ANY_SEPARATOR.split(whole) if part] or [""]
    named = names and all(SITE_NAME.search(name) or OFFICE.search(name) for name in names)
    return head if named and 2 <= len(title_key(head)) < SHORTEST_TITLE else None


def _cut_at(text: str, part: str) -> str:
    return text[: text.index(part) + len(part)].strip()
