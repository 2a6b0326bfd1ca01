"""Reads persons' names out of bylines, and recognises the lines that only name who wrote, prepared or checked a text.

Prefers no name to a wrong one."""

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
NO_NAME = re.compile(any_of("never_in_person_names"), re.IGNORECASE)
# What offices, schools, classes, drafts and rooms are called, but no person; and endings that almost no pen name has.
ORGANISATION = re.compile(
    r"[处處系组組站馆館院厅廳署區班稿]$|小学|小學|中学|中學|幼儿园|幼兒園|学校|學校|[一二三四五六七八九十]中$"
)
OFFICE = re.compile(rf"{ORGANISATION.pattern}|[科室队隊园園所校区]$")
EDITING = re.compile(r"编辑|編輯|责编|責編|校对|校對|审核|審核|终审")
_ROLE = re.compile(any_of("byline_roles"))
_DOT = "[·•・‧]"
_SPLIT = re.compile(r"[\s、,，/／&＆;；|:：]+|(?<=[\u4e00-\u9fff])和(?=[\u4e00-\u9fff]{2})")
_LISTED = re.compile(r"\s*[、&＆]\s*")
_SPACED = re.compile(  # "赵 培", "王 小 明"
    r"(?<![\u4e00-\u9fff])([\u4e00-\u9fff])\s+([\u4e00-\u9fff])(?:\s+([\u4e00-\u9fff])(?!\s+[\u4e00-\u9fff](?![\u4e00-\u9fff])))?"
    r"(?![\u4e00-\u9fff])"
)
_OUTLETS_ROLE = re.compile(r"^[\u4e00-\u9fff]{2,12}(?:记者|記者|评论员|通讯员)[\s:：]+")  # "某报见习记者 ..."
_PERIODICAL = re.compile(r"《[^》]{1,20}》")  # "《某刊》记者 ..."
_NAME_LIKE = frozenset(phrases("name_like_words"))
# Names of peoples who set their parts apart, and of foreigners.
_DOTTED_NAME = re.compile(rf"[\u4e00-\u9fff]{{1,7}}(?:{_DOT}(?:[A-Z]{_DOT})?[\u4e00-\u9fff]{{1,8}}){{1,3}}$")
_PARTED_NAME = re.compile(rf"(?:{any_of('minority_name_parts')}){{2,3}}$")  # "格桑边觉"
_HAN_NAME = re.compile(r"[\u4e00-\u9fff]{2,4}$")
_PEN_NAME = re.compile(r"[\w\u4e00-\u9fff.-]{2,12}$")
_LATIN_NAME = re.compile(r"(?!.*\s(?:Inc|Ltd|Corp)\.?$)[A-Z][a-z'’-]+(?:\s[A-Z][a-z'’.-]*){1,3}$")
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

LONGEST_CREDIT = 100  # characters of such a line

# Who made an article ready for print, and who wrote it; behind a label that is a task, too, stands no mere blank.
_EDITING = (
    r"(?:责任|責任|执行|值班|本期|文字|图片|新媒体|网络)?(?:编\s?辑|編輯)|责\s?编|責編|美\s?编|排\s?版|校\s?[对對]"
    r"|审\s?[读校核定签稿]|審\s?[讀校核定稿]|美\s?[术術]"
)
_TASK = r"[总總]?监\s?制|主\s?编|统\s?筹|策\s?划|(?:视觉|版式)?设\s?计|制\s?图|剪\s?辑"
_WRITING = r"作\s?者|[记記]\s?者|通[讯訊][员員]|撰\s?[文稿]|[采採]\s?[写寫]|[摄攝]\s?[影像]|文\s?字|文|图"
_MARK = ":：︰﹕/／|｜丨"
_MAKER = rf"(?:{_EDITING})\s?[{_MARK}\s]\s?|(?:{_TASK})\s?[{_MARK}]\s?"
MAKER = re.compile(_MAKER)
CREDIT = re.compile(rf"{_MAKER}|(?:{_WRITING})\s?[{_MARK}\s]\s?")
BRACKETS = " 　[]【】()（）|｜丨,，;；。"
APART = re.compile(r"[\s、,，;；/／&＆|｜丨]+")
# Four characters are a name behind a double surname alone: "审核：现场确认" is a step.
NAME = rf"(?:(?:{'|'.join(DOUBLE_SURNAMES)})[\u4e00-\u9fff]{{2}}|[\u4e00-\u9fff·]{{2,3}})"
# Who read a text before it was published, label by label.
CHECKED = re.compile(
    r"[\W_]*(?:(?:(?:一|二|三|初|复|終|终)[审審](?:[一二三]校)?"
    r"|[审審](?:核|校|定|签|阅)(?:发布)?|核发|签发|监制|编审|校[对對])人?\s?[:：/／]\s?"
    rf"{NAME}(?:[\s、]+{NAME}(?!\s?[:：/／\u4e00-\u9fff]))*[\W_]*)+"
)

# Credits of offices and papers: at least two labels, one of them of who made the text ready for print.
_LABEL = (
    rf"(?:{_EDITING}|{_TASK}|[作译]\s?者|选题|[记記]\s?者|通[讯訊][员員]|撰\s?[文稿]|供稿|(?:图片|圖片|稿件|内容|信息)?[来來]源"
    rf"|稿源|编发|语音|制作|校读|摄影|摄像|文字|图片|投稿|合作)\s?[{_MARK}]\s?"
)
_VALUE = rf"[^，。{_MARK}]{{1,24}}?"
LISTED = re.compile(rf"[\W_]*(?:{_LABEL}{_VALUE}(?:[\s/／、；;，,]+(?={_LABEL})|[\W_]*$)){{2,10}}")
EDITED = re.compile(rf"(?:{_EDITING}|编发|校读|供稿|稿源)\s?[{_MARK}]")


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
    text = unspaced_names(_ROLE.sub(" ", _OUTLETS_ROLE.sub("", text)).strip())
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


def unspaced_names(text: str) -> str:
    """``text`` with the names of two or three characters that are set apart put together.

    >>> unspaced_names("王 明 李小红")
    '王明 李小红'
    """
    return _SPACED.sub(r"\1\2\3", text)


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


def lists_credits(text: str) -> bool:
    """Whether a line only lists, behind labels, who prepared a text and where it and its pictures come from.

    >>> lists_credits("（责任编辑：王小明 / 编发：李红 / 图片来源：教务处）"), lists_credits("作者：John Doe 译者：小明 校对：lee")
    (True, True)
    >>> lists_credits("编辑：要看全局")
    False
    """
    return len(text) <= LONGEST_CREDIT and EDITED.search(text) is not None and LISTED.fullmatch(text) is not None


def names_staff(text: str) -> bool:
    """Whether a line only names, behind labels, who prepared the article for print, and perhaps who wrote it.

    >>> names_staff("编辑 李红 ｜ 排版 赵强"), names_staff("文/王小明"), names_staff("设计：要看全局")
    (True, False, False)
    """
    return names_people(text) and MAKER.search(text) is not None


def names_people(text: str) -> bool:
    """Whether a line only names persons behind labels: who wrote the article or prepared it for print.

    >>> names_people("文/王小明 图/李红"), names_people("作者 王小明")
    (True, True)
    """
    text = text.strip(BRACKETS)
    if len(text) > LONGEST_CREDIT or CREDIT.match(text) is None:
        return False
    return all(_are_persons(names) for names in CREDIT.split(text)[1:])


def _are_persons(text: str) -> bool:
    names = [name for name in APART.split(unspaced_names(text.strip(BRACKETS))) if name]
    return bool(names) and all(map(is_person, names))
