"""Decides whether a sentence that a model wrote may stand: it says nothing that the cited passages do not say.

A model may leave out words of the passages and join what is left. Each word, figure, date and name must be one of a
passage that the sentence cites; what a passage denies or doubts must stay denied or doubted; and a clause begins as one
of a passage does, so that 校长辞职 cannot be made of 有人谎称校长辞职 or of 请写：校长辞职.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum

from newsspider.core.extraction.lines.person_names import SURNAMES
from newsspider.core.text.characters import HAN_EXTENDED, plain, printable
from newsspider.features.events.rules.terms import NAME_TAGS, PLACE_UNITS, tagged, words
from newsspider.features.llm.rules.figures import NUMERAL, figures
from newsspider.hooks import Passage

LONGEST_TITLE, LONGEST_SENTENCE, SHORTEST_SENTENCE = 40, 120, 4  # characters
BEFORE = 4  # characters before a word that deny or doubt it
# Words that a model may add: they join, or name who spoke, and tell nothing.
_FREE = frozenset("的地得了着是在和与及并也还又等为对以于中其该此这称说所") | {
    *("其中", "此外", "同时", "另外", "并且", "以及", "而且", "据悉", "据了解", "有关", "相关", "关于", "对于"),
    *("进行", "表示", "指出", "介绍"),
}
_WORD = re.compile(r"[\u3400-\u9fff]|[a-z\d]")
_TIME = "t"  # jieba's tag of 昨日, 去年
_CLAUSE = re.compile(r"[，。；：！？、!?;:\n]|,(?!\d)")
_WHOLE_CLAUSE = re.compile(r"[，。；！？!?;\n]|[,.](?!\d)")
_SPEECH = re.compile(r"“[^”]{8,}”|「[^」]{8,}」|\"[^\"]{8,}\"")  # what somebody said does not begin a clause of its own
_BEFORE_SUBJECTS = frozenset({"t", "f", "ns", "nt", "m", "q", "mq", "b"})  # tags of words that may be left out before
_MARKUP = re.compile(r"https?:|www\.|://|[<>{}\[\]【】`|*#\\_~^@$]|\.(?:com|cn|net|org|info|top|xyz)\b")
_DENIAL = re.compile(
    "[不没未无非否勿莫别]|辟谣|谣言|网传|疑似|涉嫌|拟|或将|或为|可能|计划|预计|如果|据称|谎称|误传|停止|取消|拒绝|避免|防止|暂缓"
)
_NO_DENIAL = re.compile(
    "不少|不仅|不断|不同|不久|不但|不只|不论|无锡|未来|非常|无论|无线|特别|区别|分别|级别|性别|类别|个别|能否|非洲"
)


class Cause(StrEnum):
    """Why a sentence is refused."""

    CITES_NONE = "cites no article, or one that was not sent"
    LENGTH = "too short or too long"
    MARKUP = "link or markup"
    DATE = "date"
    FIGURE = "figure"
    NAME = "name"
    WORD = "word"
    DENIAL = "denial"
    BEGINNING = "beginning"  # a clause without its subject or speaker


@dataclass(frozen=True, slots=True)
class Said:
    """What a model wrote, and the articles on which it says that it rests."""

    text: str
    articles: tuple[int, ...]


def fault_of(said: Said, passages: Sequence[Passage], longest: int = LONGEST_SENTENCE) -> Cause | None:
    """Why what a model wrote of these passages is refused; ``None`` if it may stand.

    >>> passages = [Passage(7, "9月3日，杭州市一小学起火，3名学生受伤，没有人死亡。")]
    >>> fault_of(Said("杭州市一小学9月3日起火，三名学生受伤。", (7,)), passages)
    >>> for text in ("杭州市一小学起火，5名学生受伤。", "9月4日，杭州市一小学起火。", "杭州市一小学起火，有人死亡。", "杭州一中学爆炸。"):
    ...     print(fault_of(Said(text, (7,)), passages))
    figure
    date
    denial
    word
    >>> print(fault_of(Said("学校贪污。", (7,)), [Passage(7, "家长称学校贪污。")]))
    beginning
    """
    cited = [passage.text for passage in passages if passage.article in said.articles]
    if not said.articles or not set(said.articles) <= {passage.article for passage in passages}:
        return Cause.CITES_NONE
    if not SHORTEST_SENTENCE <= len(said.text) <= min(longest, sum(map(len, cited))):
        return Cause.LENGTH
    if _MARKUP.search(said.text) or printable(said.text) != said.text or "\n" in said.text:
        return Cause.MARKUP
    if said.text in cited:
        return None
    text, source = plain(said.text), "\n".join(map(plain, cited))
    return (
        _figure_fault(text, source)
        or _word_fault(text, source)
        or _denial_fault(text, source)
        or (None if set() < _beginnings(text, first=True) <= _beginnings(source) else Cause.BEGINNING)
    )


def shares_a_word(text: str, other: str) -> bool:
    """Whether two texts have a word in common that tells something."""
    return not _told(plain(text)).isdisjoint(_told(plain(other)))


def _figure_fault(text: str, source: str) -> Cause | None:
    """A figure must stand in the source, beside one of the words beside which it stands here."""
    clauses = [(set(figures(clause)), _told(clause)) for clause in _clauses(source)]
    known = set(figures(source))
    for clause in _clauses(text):
        told = _told(clause)
        for figure in figures(clause):
            beside = [others for several, others in clauses if figure in several]
            if figure not in known or (
                beside and told and all(others and told.isdisjoint(others) for others in beside)
            ):
                return Cause.DATE if figure.is_date else Cause.FIGURE
    return None


def _word_fault(text: str, source: str) -> Cause | None:
    """Each word must stand in the source; one of a single character with what stands beside it."""
    if any(name not in source for name, is_name in words(text) if is_name):
        return Cause.NAME
    before = ""
    for word, tag in tagged(text):
        if word in _FREE or NUMERAL.fullmatch(word) or not _tells(word):
            before = ""
            continue
        if not _stands(word, source):
            return Cause.NAME if tag in NAME_TAGS or word in SURNAMES else Cause.DATE if tag == _TIME else Cause.WORD
        if before and 1 in (len(before), len(word)) and before + word not in source:
            return Cause.NAME
        before = word
    return None


def _denial_fault(text: str, source: str) -> Cause | None:
    """What is denied or doubted wherever the source has it must be so here, and the other way round."""
    denied_in, denied = _denied(source), _denied(text)
    return None if all(ways <= denied_in.get(word, ways) for word, ways in denied.items()) else Cause.DENIAL


def _beginnings(text: str, *, first: bool = False) -> set[str]:
    """The words with which the clauses of a text begin, or begin without time, place and number; with ``first`` only
    the first word of each."""
    found: set[str] = set()
    for clause in _WHOLE_CLAUSE.split(_SPEECH.sub("，", text)):
        for word, tag in tagged(clause):
            if word in _FREE or NUMERAL.fullmatch(word) or not _tells(word):
                continue
            found.add(word)
            if first or (tag not in _BEFORE_SUBJECTS and word not in PLACE_UNITS):
                break
    return found


def _denied(text: str) -> dict[str, set[bool]]:
    """For each word whether a denial or a doubt stands before it."""
    ways: dict[str, set[bool]] = {}
    for clause in _clauses(_NO_DENIAL.sub(lambda match: "＿" * len(match[0]), text)):
        at = 0
        for word, _ in tagged(clause):
            if len(word) > 1 and _tells(word) and word not in _FREE and not NUMERAL.fullmatch(word):
                ways.setdefault(word, set()).add(_DENIAL.search(clause[max(at - BEFORE, 0) : at]) is not None)
            at += len(word)
    return ways


def _stands(word: str, source: str) -> bool:
    """Whether the source has a word; one of Latin letters as a whole."""
    if word.isascii():
        return re.search(rf"(?<![a-z\d]){re.escape(word)}(?![a-z\d])", source) is not None
    return word in source


def _tells(word: str) -> bool:
    """Whether it is a word, of whatever script, and no punctuation."""
    return _WORD.search(word) is not None or any(unicodedata.category(letter)[0] in "LSNC" for letter in word)


def _told(text: str) -> Set[str]:
    """The words of a text that tell something, without figures."""
    several = (word for word, _ in tagged(text) if HAN_EXTENDED.search(word) or word.isalnum())
    return {word for word in several if word not in _FREE and not NUMERAL.fullmatch(word)}


def _clauses(text: str) -> Iterator[str]:
    return (clause for clause in _CLAUSE.split(text) if clause.strip())
