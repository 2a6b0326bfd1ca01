"""Decides whether what a model wrote may stand: it is the beginning of one passage, cut where a clause ends.

A model chooses passages, orders them and cuts their ends; it never writes a word that the article does not have.
Nothing is left out of the middle: 李某起诉张某，张某表示遗憾，已提出上诉 would have another one appeal. A passage
with a word of rumour, denial, opposition, condition or doubt, or of another language, is never cut, for its end may undo
its beginning; nor is it cut where the end says who spoke, or what the beginning is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

from newsspider.core.text.characters import to_simplified
from newsspider.hooks import Passage

LONGEST_TITLE, LONGEST_SENTENCE, SHORTEST_SENTENCE = 40, 120, 8  # characters
ENDS = "，。；！？,;!?.… \u3000"
_CLAUSE_END = re.compile(r"(?<!\d)，|，(?!\d)|[。；！？]|[,;!?](?![a-zA-Z\d/])")
# With one of these anywhere in it a passage is not cut.
_UNCUT = tuple(
    map(
        re.compile,
        (
            r"[?？\"'“”‘’「」『』（）()…]",
            r"[a-zA-Z]{2,} [a-zA-Z]|[^\W\d_a-zA-Z\u3400-\u9fff]",  # of other languages these words are not known
            r"[不没未无非否勿莫别假伪谣误错疑骗]",
            r"(?:辟|网|流|热|盛|据|误|讹)传|传(?:言|闻|说)|说法|消息|网(?:上|络|友|民|帖)|澄清|更正|道歉",
            r"反对|驳|抗议|拒|禁|叫停|暂停|停止|取消|撤|避免|防止|杜绝|阻止|制止|推翻|废",
            r"[若如倘或待须需只仅限虽]|一旦|除非|除外|例外|以外|即[使便]|尽管|哪怕|万一|的话",
            r"前提|条件|取决|而定|批准|审批|同意",
            r"[拟尚但却]|可能|也许|大概|有望|预计|计划|考虑|讨论|征求|草案|然而|不过|反而",
            r"演[练习戏]|模拟|虚构|玩笑|愚人|恶搞|小说|电影|剧|故事|梦|设想|假设|游戏|比喻|合成|生成",
        ),
    )
)
_SPEECH = r"[说称道谈曰]|表示|认为|透露|建议|提[议出案]|呼吁|指出|回应|介绍|质疑|[猜预推]测|担心|希望|期待|主张|声明|爆料|举报|评论"
# Nor where its end has one of these: it says who spoke, or what the beginning is. Nor behind who speaks.
_OF_BEGINNING = re.compile(rf"{_SPEECH}|[这此该是系属为其]|[证核查]实|实际|最终|上述|前述|以上|前者|后者|双方")
_SPEAKER = re.compile(rf"(?:{_SPEECH})$")


class Cause(StrEnum):
    """Why what a model wrote is refused."""

    OTHER = "no beginning of a passage"
    LENGTH = "too short or too long"
    UNCUT = "a passage whose end may undo or explain its beginning"


def cut_of(text: str, passages: Sequence[Passage], longest: int = LONGEST_SENTENCE) -> Passage | Cause:
    """The passage that a text is, or what it leaves of one, without punctuation at the end; the cause if it may not
    stand.

    >>> passages = [Passage(7, "杭州市一小学9月3日起火，3名学生受伤，原因正在调查。")]
    >>> passages.append(Passage(8, "高考明年增加体育，系谣言。"))
    >>> cut_of("杭州市一小学9月3日起火，3名学生受伤。", passages)
    Passage(article=7, text='杭州市一小学9月3日起火，3名学生受伤')
    >>> for text in ("杭州市一小学9月3日起火，原因正在调查。", "杭州市一小学9月4日起火。", "高考明年增加体育。"):
    ...     print(cut_of(text, passages))
    no beginning of a passage
    no beginning of a passage
    a passage whose end may undo or explain its beginning
    """
    kept = text.rstrip(ENDS)
    whole = next((passage for passage in passages if passage.text.rstrip(ENDS) == kept), None)
    begun = [passage for passage in passages if _is_beginning(kept, passage.text)]
    if whole is None and not begun:
        return Cause.OTHER
    if not SHORTEST_SENTENCE <= len(kept) <= longest:
        return Cause.LENGTH
    if any(_is_uncut(passage.text, len(kept)) for passage in begun):
        return Cause.UNCUT
    return Passage((whole or begun[0]).article, kept)


def _is_beginning(kept: str, text: str) -> bool:
    """Whether a text goes on after these whole clauses."""
    is_cut = text.startswith(kept) and _CLAUSE_END.match(text, len(kept)) is not None
    return is_cut and text.rstrip(ENDS) != kept


def _is_uncut(text: str, end: int) -> bool:
    read = to_simplified(text)
    return bool(
        any(several.search(read) for several in _UNCUT)
        or _OF_BEGINNING.search(read, end)
        or _SPEAKER.search(read[:end])
        or read.count("《", end) != read.count("》", end)
    )
