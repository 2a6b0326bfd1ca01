"""Reads persons' names out of bylines. Prefers no name to a wrong one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from newsspider.core.dates.date_reader import CLOCK_PATTERN, DAY_PATTERN
from newsspider.core.text.phrases import any_of, phrases

SURNAMES = frozenset(phrases("surnames"))  # of one character
DOUBLE_SURNAMES = phrases("double_surnames")
# How often a page was read stands beside its byline, with or without a blank, and often before a script has counted.
COUNT = r"(?:点击|點擊|浏览|瀏覽|阅读|閱讀|访问|訪問|查看|人气|人氣|评论|热度)(?:次数|次數|人数|人次|数|數|量|率)?\s?(?:[:：\[(（\d]|次|$)"
MONTH_PATTERN = r"(?:19|20)\d\d\s?[-/.年]\s?\d"  # with which a day begins
STAMP = re.compile(rf"{DAY_PATTERN}(?:[T\s]*{CLOCK_PATTERN})?")
NO_NAME = re.compile(any_of("not_names"), re.IGNORECASE)
# What offices, schools, classes, drafts and rooms are called, but no person; and what hardly a pen name ends with.
ORGANISATION = re.compile(
    r"[处處系组組站馆館院厅廳署區班稿]$|小学|小學|中学|中學|幼儿园|幼兒園|学校|學校|[一二三四五六七八九十]中$"
)
OFFICE = re.compile(rf"{ORGANISATION.pattern}|[科室队隊园園所校区]$")
EDITING = re.compile(r"编辑|編輯|责编|責編|校对|校對|审核|審核|终审")
_ROLE = re.compile(any_of("byline_roles"))
_DOT = "[·•・‧]"
_SPLIT = re.compile(r"[\s、,，/／&＆;；|:：]+|(?<=[\u4e00-\u9fff])和(?=[\u4e00-\u9fff]{2})")
_LISTED = re.compile(r"\s*[、&＆]\s*")
_SPACED = re.compile(r"(?<![\u4e00-\u9fff])([\u4e00-\u9fff])[\s\u3000]+([\u4e00-\u9fff])(?![\u4e00-\u9fff])")  # "赵 培"
_OUTLETS_ROLE = re.compile(r"^[\u4e00-\u9fff]{2,12}(?:记者|記者|评论员|通讯员)[\s:：]+")  # "某报见习记者 ..."
_PERIODICAL = re.compile(r"《[^》]{1,20}》")  # "《某刊》记者 ..."
_NAME_LIKE = frozenset(phrases("name_like_words"))
# Names of peoples who set their parts apart, and of foreigners.
_DOTTED_NAME = re.compile(rf"[\u4e00-\u9fff]{{1,7}}(?:{_DOT}(?:[A-Z]{_DOT})?[\u4e00-\u9fff]{{1,8}}){{1,3}}$")
_PARTED_NAME = re.compile(rf"(?:{any_of('name_parts')}){{2,3}}$")  # "格桑边觉"
_HAN_NAME = re.compile(r"[\u4e00-\u9fff]{2,4}$")
_PEN_NAME = re.compile(r"[\w\u4e00-\u9fff.-]{2,12}$")
_LATIN_NAME = re.compile(r"[A-Z][a-z'’-]+(?:\s[A-Z][a-z'’.-]*){1,3}$")
_LATIN_BEGINNING = re.compile(_LATIN_NAME.pattern.removesuffix("$") + r"(?=$|\s?[\u4e00-\u9fff，,、/／&＆(（]|\s\d)")
# What follows a name in Latin letters that is the beginning of an outlet's name: "New York 时报".
_OUTLETS_REST = re.compile(
    r"\s?[\u4e00-\u9fff]{0,6}(?:[报報社网網]|杂志|雜誌|周刊|電台|电台|新闻|新聞)(?![\u4e00-\u9fff])"
)
# The office in front of a name behind a label, as in "某大学历史学院王小明"; the last one that a name follows.
_MEMBER = re.compile(
    r"[\u4e00-\u9fff]{2,20}(?:大学|大學|学院|學院|学校|學校|[小中]学|[小中]學|幼儿园|研究[院所]|图书馆|圖書館|学部|[处處系馆館局科])"
    r"(?P<name>[\u4e00-\u9fff]{2,4})$"
)
_COUNT = re.compile(rf"[\[(（]?{COUNT}")


def persons_in(text: str, *, named: bool = False) -> Iterator[str]:
    """The persons in a byline. ``named``: a label introduces it, so pen names count, too.

    >>> list(persons_in("某某报记者 王小明 通讯员 李红")), list(persons_in("叨叨姐、胡一刀&小飞刀", named=True))
    (['王小明', '李红'], ['叨叨姐', '胡一刀', '小飞刀'])
    >>> list(persons_in("某大学历史学院王小明", named=True)), list(persons_in("某大学高等教育研究院", named=True))
    (['王小明'], [])
    """
    text = _PERIODICAL.sub("", without_count(text)).strip()
    if latin := _LATIN_BEGINNING.match(text):
        if not _OUTLETS_REST.match(text, latin.end()):
            yield latin[0]
        return
    text = unspaced(_ROLE.sub(" ", _OUTLETS_ROLE.sub("", text)).strip())
    listed = [_without_office(name) for name in _LISTED.split(text)] if named else []
    if len(listed) > 1 and all(map(is_pen_name, listed)):
        yield from listed
        return
    for place, part in enumerate(_SPLIT.split(text)):
        if EDITING.search(part):
            return  # what follows are the names of others
        if is_person(part):
            yield part
        elif named and (name := _without_office(part)) != part:
            yield name
        elif named and not place and is_pen_name(part):
            yield part
            return  # after a pen name stands something else
        elif part and not (NO_NAME.search(part) or (named and OFFICE.search(part))):
            return


def _without_office(text: str) -> str:
    member = _MEMBER.match(text)
    return member["name"] if member and is_person(member["name"]) else text


def unspaced(text: str) -> str:
    """``text`` with the names of two characters that are set apart put together.

    >>> unspaced("王 明 李小红")
    '王明 李小红'
    """
    return _SPACED.sub(r"\1\2", text)


def without_count(text: str) -> str:
    """``text`` up to the count of readers that it names."""
    return _COUNT.split(text)[0]


def is_person(text: str) -> bool:
    """Whether ``text`` looks like a Chinese name: two to four characters behind a surname, or parts set apart with
    dots.

    >>> is_person("王小明"), is_person("阿依古丽·买买提"), is_person("教务处")
    (True, True, False)
    """
    if _DOTTED_NAME.match(text):
        return not NO_NAME.search(text)
    if _PARTED_NAME.match(text):
        return True
    if not _HAN_NAME.match(text) or text in _NAME_LIKE or NO_NAME.search(text) or ORGANISATION.search(text):
        return False
    return (text[0] in SURNAMES and len(text) <= 3) or (text.startswith(DOUBLE_SURNAMES) and len(text) >= 3)


def is_pen_name(text: str) -> bool:
    """Whether ``text`` may be a name that somebody writes under; only a label can say that it is one."""
    may_be = _PEN_NAME.match(text) is not None and not text.isdigit()
    return is_person(text) or (may_be and not (NO_NAME.search(text) or OFFICE.search(text)))


def is_latin_name(text: str) -> bool:
    """Whether ``text`` looks like a name in Latin letters."""
    return _LATIN_NAME.match(text) is not None
