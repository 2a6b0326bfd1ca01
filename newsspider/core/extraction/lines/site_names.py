"""Cuts the names of site and channel from ``<title>``, at its end as a rule."""

from __future__ import annotations

import re

from newsspider.core.text.characters import HAN
from newsspider.core.text.titles import SHORTEST_TITLE, title_key

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
# A last part behind a hyphen that names an office or school; titles end so more often than with the words above.
OFFICE = re.compile(
    r"^[\u4e00-\u9fff（）]{2,20}(?:办公室|辦公室|学校|學校|[中小]学|[中小]學|幼儿园|医院|[图博档][书物案]馆|[圖博檔][書物案]館|协会|協會|研究[院所]|有限公司|集团)$"
)
# Sections of a site whose pages have nothing else in <title>; the article's title stands on the page, with its date.
SECTION = re.compile(
    "[\u4e00-\u9fff]{0,4}(?:动态|新闻|要闻|快讯|资讯|播报|园地|天地|之窗|风采|专栏|動態|新聞|要聞|快訊|資訊|專欄)"
    "|(?:通知|新闻|信息|公示|政务|校园)公告|公告(?:通知|公示|栏)|(?:信息|政务|校务)公开|政策(?:法规|文件)|媒体(?:报道|聚焦)|新聞與公告|訊息公告"
)
# A first part that can only name the site, and the hyphens behind it: none within words or spans of years.
FRONT = re.compile(r"[\u4e00-\u9fff]{2,}(?:人民政府|(?<![联聯域园園])[网網]站?)$")
WHOLE = 600  # characters of <title> that are read: more than a title may have
LONGEST_NAME = (
    10  # characters of a channel's name behind that of its site; a longer title may end like a name ("方案出台")
)
# the name of an outlet, and the same in Latin letters
_TRANSLATED = re.compile(r"^([\u4e00-\u9fff]{2,8})\s[A-Za-z][A-Za-z .&'’-]+$")
_BEHIND_FRONT = re.compile(r"\s*(?:(?<![A-Za-z0-9])[-–—]|[-–—](?![A-Za-z0-9]))\s*")


def without_site(text: str) -> str:
    """``text`` without the names of site and channel behind it.

    >>> without_site("双减之后的课堂_教育频道_某某网")
    '双减之后的课堂'
    """
    text = text[:WHOLE]
    parts = [part for part in SEPARATOR.split(text) if part]
    if len(parts) > 1:
        if len(title_key(parts[0])) >= SHORTEST_TITLE + 2 and not SITE_NAME.search(parts[0]):
            return text[: text.index(parts[0]) + len(parts[0])].strip()
        titles = [part for part in parts if _may_be_title(part)]
        return (
            parts[0]
            if not titles and SECTION.fullmatch(parts[0])
            else max(titles or parts, key=lambda part: len(title_key(part)))
        )
    weak = _BEHIND_FRONT.split(text)
    length = len(title_key(weak[-1])) if len(weak) > 1 and FRONT.match(weak[0]) else 0
    if length > LONGEST_NAME or (length >= SHORTEST_TITLE and not SITE_NAME.search(weak[-1])):
        return weak[-1].strip()
    head, tail = text, ""
    for match in WEAK_SEPARATOR.finditer(text):
        head, tail = text[: match.start()], text[match.end() :]
    if (
        tail
        and len(title_key(head)) >= SHORTEST_TITLE
        and len(tail) <= 14
        and (SITE_NAME.search(tail) or OFFICE.search(tail))
    ):
        return without_site(head)
    return text.strip()


def _may_be_title(part: str) -> bool:
    """Whether a part of ``<title>`` that is no name is as long as titles are."""
    return len(title_key(part)) >= SHORTEST_TITLE and HAN.search(part) is not None and not names_no_article(part)


def is_only_site_names(full_title: str) -> bool:
    """Whether a ``<title>`` has nothing but names of sites, offices and schools.

    >>> is_only_site_names("某某市第一小学"), is_only_site_names("某某信息网-某某社会组织网"), is_only_site_names("新学期作业怎么写-某某网")
    (True, True, False)
    >>> is_only_site_names("某某日報 MOUMOU DAILY NEWS")
    True
    """
    parts = [part for part in _ANY_SEPARATOR.split(_TRANSLATED.sub(r"\1", full_title)) if part]
    return bool(parts) and all(SITE_NAME.search(part) or OFFICE.search(part) for part in parts)


def parts_of(full_title: str) -> list[str]:
    """The parts of ``<title>``, also those that hyphens set apart, but for the years of a span."""
    parts = [part for part in _ANY_SEPARATOR.split(full_title) if part]
    return [full_title] if parts and parts[0].isdigit() else parts


def _is_name(part: str) -> bool:
    """Whether a part of ``<title>`` may name a site, an office or a channel: titles that end so are longer."""
    return (SITE_NAME.search(part) is not None and len(part) <= LONGEST_NAME) or OFFICE.search(part) is not None


def names_no_article(part: str) -> bool:
    """Whether a part of ``<title>`` may be the name of a site, an office or a channel, or is that of a section."""
    return _is_name(part) or SECTION.fullmatch(part) is not None


def short_head(full_title: str) -> str | None:
    """The two or three characters that ``<title>`` has before the name of the site."""
    head, *names = [part for part in _ANY_SEPARATOR.split(full_title) if part] or [""]
    named = names and all(SITE_NAME.search(name) or OFFICE.search(name) for name in names)
    return head if named and 2 <= len(title_key(head)) < SHORTEST_TITLE else None
