"""Cuts the names of site and channel from ``<title>``, at its end as a rule."""

from __future__ import annotations

import re
from collections.abc import Sequence

from newsspider.core.text.characters import HAN
from newsspider.core.text.text_comparison import SHORTEST_TITLE, title_key

# What stands between a title and the names of channel and site.
SEPARATOR = re.compile(r"\s*(?:[|｜]+|[_＿»«›‹•·>＞]|::|>>|\s(?:[-–—]+|[</])\s|--+)\s*")
WEAK_SEPARATOR = re.compile(r"\s*(?<![-–—])[-–—－](?![-–—])\s*")
_DASH = re.compile(r"\s*——+\s*")  # joins the halves of a title
_ANY_SEPARATOR = re.compile(rf"{SEPARATOR.pattern}|{_DASH.pattern}|{WEAK_SEPARATOR.pattern}")
_WITHIN_TITLES = re.compile(r"\s*(?:[|｜·•]|\s(?:[-–—]+|/)\s)\s*")  # separators that titles have, too
# Behind a dash, a comma or a colon only such a name is that of a site: titles do not end so.
_SITE_ONLY = re.compile(
    r"\s*(?:——+|(?<!:)[,，、:：丨/~])\s*[\u4e00-\u9fffA-Za-z0-9]{2,12}"
    r"(?:(?<![上联聯域园園电電触入织織])[网網]|[网網]站|频道|頻道|在线|線上|门户|客户端|公众号|[日晚晨早][报報])$"
    r"|(?<=[\w”》！？])\s[\u4e00-\u9fff]{0,8}(?:新闻|教育|信息|文化|政府|门户|人民|新华)[网網]站?$"  # behind a blank
)
_BRACKETED = re.compile(r"\s*[【\[]([^【】\[\]]{2,16})[】\]]$")
# An outlet in Latin letters.
_LATIN_NAME = re.compile(r"[A-Z][A-Za-z .&'’]*\b(?:Daily|News|Times|Post|Herald|University|Online)$")
# A last part that is the name of a site or channel.
SITE_NAME = re.compile(
    r"(?:网|網|报|報|社|台|台网|频道|頻道|新闻|新聞|资讯|資訊|中心|在线|線上|论坛|論壇|博客|部落格|门户|社区|客户端|手机版|触屏版|官网|号|网站|網站|"
    r"日报|晚报|周刊|杂志|大学|学院|政府|委员会|局|厅|教育|财经|科技|首页|专栏|正文|[a-z0-9]+\.(?:com|cn|net|org)\S*)$",
    re.IGNORECASE,
)
# A last part behind a hyphen that names an office or school; titles end so more often than with the words above.
OFFICE = re.compile(
    r"^[\u4e00-\u9fff（）]{2,20}(?:办公室|辦公室|学校|學校|[中小]学|[中小]學|幼儿园|医院|[图博档][书物案]馆|[圖博檔][書物案]館|"
    r"(?:协|協|学|學|基金|联合|聯合|促进|理事)[会會]|研究[院所]|考[试試]院|出版社|教研室|招生[办辦]|公司|集[团團])$"
)
# Sections of a site whose pages have nothing else in <title>; the article's title stands on the page, with its date.
SECTION = re.compile(
    "[\u4e00-\u9fff]{0,4}(?:动态|新闻|要闻|快讯|资讯|播报|园地|天地|之窗|风采|专栏|動態|新聞|要聞|快訊|資訊|專欄)"
    "|(?:通知|新闻|信息|公示|政务|校园)公告|公告(?:通知|公示|栏)|(?:信息|政务|校务)公开|政策(?:法规|文件)|媒体(?:报道|聚焦)|新聞與公告|訊息公告"
    "|第?[A-Z]?[0-9]{1,3}版[:：]?[\u4e00-\u9fff·]{0,10}"  # a page of a newspaper
)
# A first part that can only name the site, and the hyphens behind it: none within words or spans of years.
FRONT = re.compile(
    r"[\u4e00-\u9fff]{2,}(?:人民政府|(?<![联聯域园園])[网網]站?|[日晚晨早][报報]|频道|頻道|门户|客户端|公众号)$"
)
TITLE_READ = 600  # characters of <title> that are read: more than a title may have
LONGEST_NAME = (
    10  # characters of a channel's name behind that of its site; a longer title may end like a name ("方案出台")
)
SHORTEST_HALF = 6  # characters of the second half of a title
SHORT_HEAD = 9  # characters of a first half that may be no title by itself
LISTED = re.compile("[,，、;；]")  # between the keywords behind a title
LONGEST_SITE_NAME, LONGEST_BEHIND_HYPHEN = 24, 14  # characters of a last part that names a site
# the name of an outlet, and the same in Latin letters
_TRANSLATED = re.compile(r"^([\u4e00-\u9fff]{2,8})\s[A-Za-z][A-Za-z .&'’-]+$")
_BEHIND_FRONT = re.compile(r"\s*(?:(?<![A-Za-z0-9])[-–—]|[-–—](?![A-Za-z0-9]))\s*")


def without_site(text: str) -> str:
    """``text`` without the names of site and channel, which stand behind it as a rule.

    >>> without_site("双减之后的课堂_教育频道_某某网"), without_site("高考|志愿怎么填——专家解答-某某网")
    ('双减之后的课堂', '高考|志愿怎么填——专家解答')
    """
    text = text[:TITLE_READ].strip()
    title = _without_names_behind(text.rstrip(" -–—_|｜"))
    separators = list(SEPARATOR.finditer(title))
    if _has_two_short_halves(title, separators):
        return title
    if title == text or is_only_site_names(title):
        around = _without_names_around(text)
        return title if around == text else around
    outer = next((match for match in separators if not _WITHIN_TITLES.fullmatch(match[0])), None)
    if outer and _is_long_title(title[: outer.start()]):
        return title[: outer.start()].strip()
    first = title[: separators[0].start()] if separators else ""
    if SITE_NAME.search(first) or SECTION.fullmatch(first):
        return _without_names_around(title)
    return title


def _without_names_behind(text: str) -> str:
    """``text`` without the last parts that can only name a site, an office or a channel."""
    while True:
        behind = _SITE_ONLY.search(text) or _BRACKETED.search(text)
        if behind and behind.lastindex and not (names_no_article(behind[1]) or _LATIN_NAME.fullmatch(behind[1])):
            behind = None
        if behind and len(title_key(text[: behind.start()])) >= SHORTEST_TITLE:
            text = text[: behind.start()].strip()
            continue
        strong = [match for match in SEPARATOR.finditer(text) if match.start()]
        weak = [match for match in WEAK_SEPARATOR.finditer(text) if match.start()]
        if not (last := max((*strong[-1:], *weak[-1:]), key=lambda match: match.end(), default=None)):
            return text
        head, tail = text[: last.start()], text[last.end() :]
        longest = LONGEST_SITE_NAME if last in strong else LONGEST_BEHIND_HYPHEN
        if not 0 < len(tail) <= longest or len(title_key(head)) < SHORTEST_TITLE or not _names_site_or_section(tail):
            return text
        text = head.strip()


def _has_two_short_halves(title: str, separators: Sequence[re.Match[str]]) -> bool:
    """Whether the only mark of a ``<title>`` joins a short head and a part that is as long, and names nothing."""
    if len(separators) != 1:
        return False
    head, tail = title[: separators[0].start()], title[separators[0].end() :]
    is_half = len(title_key(tail)) >= SHORTEST_HALF and HAN.search(tail) is not None and not LISTED.search(tail)
    return is_half and len(title_key(head)) <= SHORT_HEAD and not any(map(_names_site_or_section, (head, tail)))


def _names_site_or_section(part: str) -> bool:
    return names_site(part) or SECTION.fullmatch(part) is not None


def names_site(part: str) -> bool:
    """Whether a part of ``<title>`` may be the name of a site, an outlet or an office, however long."""
    return any((SITE_NAME.search(part), OFFICE.search(part), _LATIN_NAME.fullmatch(part)))


def _is_long_title(part: str) -> bool:
    """Whether a first part is a title by itself, whatever follows."""
    named = SITE_NAME.search(part) or _LATIN_NAME.fullmatch(part)
    return len(title_key(part)) >= SHORTEST_TITLE + 2 and not named


def _without_names_around(text: str) -> str:
    """The title of a ``<title>`` that does not end in the name of a site: it stands behind one, or before one that
    looks like no name."""
    parts = [part for part in SEPARATOR.split(text) if part]
    if len(parts) > 1:
        if _has_two_halves(text, parts):
            return text
        if _is_long_title(parts[0]):
            return text[: text.index(parts[0]) + len(parts[0])].strip()
        titles = [part for part in parts if _may_be_title(part)]
        return (
            parts[0]
            if not titles and SECTION.fullmatch(parts[0])
            else max(titles or parts, key=lambda part: len(title_key(part)))
        )
    for mark in WEAK_SEPARATOR.finditer(text):  # "-某某网-某某人的家园"
        if _is_long_title(text[: mark.start()]) and FRONT.match(WEAK_SEPARATOR.split(text[mark.end() :])[0]):
            return text[: mark.start()].strip()
    weak = _BEHIND_FRONT.split(text)
    length = len(title_key(weak[-1])) if len(weak) > 1 and FRONT.match(weak[0]) else 0
    if length > LONGEST_NAME or (length >= SHORTEST_TITLE and not SITE_NAME.search(weak[-1])):
        return weak[-1].strip()
    return text.strip()


def _has_two_halves(text: str, parts: list[str]) -> bool:
    """Whether the parts are the halves of a title: the last one is longer than unknown names of sites are."""
    within = all(_WITHIN_TITLES.fullmatch(match[0]) for match in SEPARATOR.finditer(text))
    last = parts[-1]
    return (
        within
        and len(title_key(last)) >= SHORTEST_HALF
        and HAN.search(last) is not None
        and not any(map(_names_site_or_section, parts))
    )


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
    return bool(parts) and all(map(names_site, parts))


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
