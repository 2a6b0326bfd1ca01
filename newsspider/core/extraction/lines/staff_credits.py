"""Recognises lines that name who wrote a text, who prepared it for print and who checked it."""

from __future__ import annotations

import re

from newsspider.core.extraction.lines.person_names import DOUBLE_SURNAMES, is_person, unspaced

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
    rf"(?:{_EDITING}|{_TASK}|作\s?者|[记記]\s?者|通[讯訊][员員]|撰\s?[文稿]|供稿|(?:图片|圖片|稿件|内容|信息)?[来來]源"
    rf"|稿源|编发|语音|制作|校读|摄影|摄像|文字|图片|投稿|合作)\s?[{_MARK}]\s?"
)
_VALUE = rf"[^，。{_MARK}]{{1,24}}?"
LISTED = re.compile(rf"[\W_]*(?:{_LABEL}{_VALUE}(?:[\s/／、；;，,]+(?={_LABEL})|[\W_]*$)){{2,10}}")
EDITED = re.compile(rf"(?:{_EDITING}|编发|校读|供稿|稿源)\s?[{_MARK}]")


def lists_credits(text: str) -> bool:
    """Whether a line only lists, behind labels, who prepared a text and where it and its pictures come from.

    >>> lists_credits("（责任编辑：王小明 / 编发：李红 / 图片来源：教务处）"), lists_credits("编辑：要看全局")
    (True, False)
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


def names_checkers(text: str) -> bool:
    """Whether a line only names, label by label, who checked the text before it was published.

    >>> names_checkers("一审：王小明 二审：李红"), names_checkers("审核：要看全局")
    (True, False)
    """
    return CHECKED.fullmatch(text) is not None


def _are_persons(text: str) -> bool:
    names = [name for name in APART.split(unspaced(text.strip(BRACKETS))) if name]
    return bool(names) and all(map(is_person, names))
