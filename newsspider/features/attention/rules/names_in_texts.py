"""Which schools, offices and persons a text names. Better none than a wrong one: only names that stand whole and free,
and persons only where a role stands before them, or a verb behind them says that they spoke or appeared."""

from __future__ import annotations

import re
from typing import Literal

from newsspider.core.text.characters import HAN_EXTENDED, fold_text
from newsspider.core.text.phrases import phrases
from newsspider.features.events.rules.terms import INSTITUTION_ENDS, PLACE_UNITS, content_words, is_place, tagged_words
from newsspider.features.events.rules.whole_words import PERSONS, is_institution, is_person, shown_word

HAN = re.compile("[\u3400-\u9fff·]{2,40}")
Kind = Literal["institution", "person"]
MOST_READ = 5_000  # characters of a text
MOST_NAMES = 12
LONGEST_ROLE = 4  # characters
OFFICES = frozenset(phrases("offices"))  # whose names no end tells
ENDS = tuple(end for end in INSTITUTION_ENDS if end != "计划")
NO_WHICH = ("考", "读", "念", "遵守", "原")  # before the end, as in 中考大学 and 重庆市原教委
SCHOOLS = frozenset({"小学", "中学", "学校", "幼儿园"})
ROLE = re.compile(
    "([校院园局厅部省市县区州镇村处科司署会行所馆组队]|董事|秘书|理事|委员)长$"
    "|(书记|主任|主席|总理|总统|总裁|经理|教授|院士|研究员|[老教]师|班主任)$"
    "|(发言人|大使|专家|博士|负责人|创始人)$"
)
SAYS = re.compile(
    "(?:教授|老师|校长|院长|院士|博士|主任|先生|女士)?"
    "(?:说|表示|介绍|认为|指出|告诉|坦言|透露|强调|回忆|提醒|建议|出席|主持|会见"
    "|宣布|答|写道|呼吁|担任|当选|任|获|被|在接受)"
)
VERBS = ("说", "称", "表", "道", "答")  # that end no name which is one without them
# Behind a surname:
NO_GIVEN_NAMES = ("先生", "女士", "同学", "老师", "教授", "校长", "主任", "书记", "师傅", "某某", "某")


def kind_of(name: str) -> Kind | None:
    """Whether a name is built like that of an institution or of a person; ``None``: of a place or a thing, or none.

    >>> kind_of("清华大学"), kind_of("教育部"), kind_of("赵慧敏"), kind_of("苏州"), kind_of("大学"), kind_of("何先生")
    ('institution', 'institution', 'person', None, None, None)
    """
    if name in OFFICES:
        return "institution"
    if is_institution(name):
        ends = next((end for end in ENDS if name.endswith(end)), "")
        which = name.removesuffix(ends)
        is_any = which.endswith(tuple(PLACE_UNITS)) and ends in SCHOOLS  # 海淀区中学 are all of a district
        return "institution" if ends and not which.endswith(NO_WHICH) and not is_any else None
    return "person" if is_person(name) and not is_place(name) and not name.endswith(NO_GIVEN_NAMES) else None


def is_named(text: str) -> bool:
    """Whether a query is nothing but a name.

    >>> is_named("清华大学"), is_named("张桂梅"), is_named("高考"), is_named("清华大学 招生")
    (True, True, False, False)
    """
    name = fold_text(text.strip().strip('"“”'))
    kind = kind_of(name) if HAN.fullmatch(name) else None
    return kind == "institution" or (kind == "person" and {tag for _, tag in tagged_words(name)} <= PERSONS)


def names_in(title: str, text: str) -> list[str]:
    """The institutions and persons that an article names, those of the title first, then the most named.

    >>> names_in("杭州市第二中学实验楼起火", "杭州市第二中学校长赵慧敏说，学生都已转移。他们刚过温饱线。")
    ['杭州市第二中学', '赵慧敏']
    """
    whole = fold_text(f"{title}\n{text[:MOST_READ]}")
    read = dict.fromkeys(content_words(whole))
    shown = {_without_verb(name) for word, is_name in read if is_name and (name := shown_word(word, [whole]))}
    shown = {name for name in shown if _is_sure(name, whole)} | {word for word, _ in read if word in OFFICES}
    outer = [name for name in shown if not any(name in other and name != other for other in shown)]
    outer.sort(key=lambda name: (name not in fold_text(title), -whole.count(name), whole.find(name)))
    return outer[:MOST_NAMES]


def _without_verb(name: str) -> str:
    """The name without the verb of saying that jieba takes for its end: 李华 of 李华说."""
    is_longer = kind_of(name) == kind_of(name[:-1]) == "person"
    return name[:-1] if is_longer and name.endswith(VERBS) else name


def _is_sure(name: str, text: str) -> bool:
    kind, at = kind_of(name), text.find(name)
    while kind == "person" and at >= 0:
        end = at + len(name)
        speaks, has_role = SAYS.match(text, end), ROLE.search(text, max(at - LONGEST_ROLE, 0), at)
        if speaks or (has_role and (len(name) > 2 or not HAN_EXTENDED.fullmatch(text[end : end + 1]))):
            return True
        at = text.find(name, end)
    return kind == "institution"
