"""Tells two notices on one form from a text and its edited reprint: on a form the facts differ and the words do not.

The sentences that two texts do not share are laid side by side, most alike first, and compared word by word. A place where words
stand for other words is a slot. Whoever edits a text changes its words; whoever fills in a form changes numbers and names.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from newsspider.core.words import cut

FEWEST_FACTS = 2  # that differ: a reprint may correct a figure
ALIKE = 0.4  # of the letter pairs of two sentences that are laid side by side
LONGEST_SENTENCE = 300  # letters; of longer ones the beginning is compared
MOST_SENTENCES = 60  # that are compared: the form shows early
LONGEST_NAME = 12
LETTERS_A_FACT = 150  # a fact that differs in so many letters, or
SHARE_OF_NUMBERS = 0.25  # so many of its numbers: the rules of a journal differ in less from issue to issue

SENTENCE = re.compile(r"[。！？!?；;\n]+")
BLANK = re.compile(r"[\W_]+")
NUMBER = re.compile(r"[\d一二三四五六七八九十百千万亿两零〇]+")
DEICTIC = re.compile(r"^[我本该此全各当今昨明前同这那某]|日前|近日|记者")  # what an editor spells out, or the other way round
NAMES = frozenset({"nr", "nrfg", "nrt", "ns", "nt", "nz", "eng"})  # parts of speech in jieba's dictionary
WORDS = frozenset({"v", "vn", "vd", "vi", "vq", "a", "ad", "an", "d", "df", "c", "p", "u", "ul", "uj", "uz", "ug", "uv", "ud", "r", "rz",
                   "rr", "rg", "t", "tg", "f", "y", "e", "o", "l", "i", "zg", "z", "b", "q"})  # fmt: skip
PLACE_OR_BODY = re.compile(
    r"(?:省|市|县|区|州|镇|乡|村|路|街|大学|学院|学校|中学|小学|高中|初中|一中|幼儿园|集团|公司|局|厅|委|医院|中心|馆|协会|研究所|研究院)$"
)


class Written(NamedTuple):
    """A text and its title, as they were written."""

    title: str
    text: str


def same_form(first: Written, second: Written) -> bool:
    """Return whether two texts that share much are two notices on one form, with other numbers or names.

    Facts must differ, more of them than words, and not just here and there in a long text: unless the titles, too, differ in
    nothing but facts.

    >>> same_form(Written("", "报名时间为6月3日至5日，考场设在第一中学。"), Written("", "报名时间为6月8日至9日，考场设在第一中学。"))
    True
    >>> same_form(Written("", "考试今天在各地举行，秩序良好。"), Written("", "考试今天在各地进行，秩序很好。"))
    False
    """
    found = _compared(first.text, second.text)
    if found.facts < FEWEST_FACTS or found.facts <= found.words:
        return False
    smaller = min(first.text, second.text, key=len)
    if found.facts * LETTERS_A_FACT >= len(BLANK.sub("", smaller)):
        return True
    if found.numbers >= SHARE_OF_NUMBERS * len(NUMBER.findall(smaller)) > 0:
        return True
    titles = _compared(first.title, second.title)
    return titles.facts > 0 == titles.words


class _Differences(NamedTuple):
    facts: int
    words: int
    numbers: int  # of the facts


def _compared(first: str, second: str) -> _Differences:
    slots = list(_slots(first, second))
    often = Counter(slots)
    facts = [slot for slot in slots if _is_fact(*slot, often[slot], first, second)]
    numbers = sum(bool(NUMBER.search(old) and NUMBER.search(new)) for old, new in facts)
    return _Differences(len(facts), len(slots) - len(facts), numbers)


def _slots(first: str, second: str) -> Iterator[tuple[str, str]]:
    """What stands for what in the sentences that differ; empty where something was left out or put in."""
    for one, other in _side_by_side(_sentences(first), _sentences(second)):
        left, right = cut(one), cut(other)
        for what, start, end, begin, stop in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
            if what != "equal":
                yield "".join(left[start:end]), "".join(right[begin:stop])


def _sentences(text: str) -> list[str]:
    parts = (BLANK.sub("", part) for part in SENTENCE.split(unicodedata.normalize("NFKC", text)))
    return [part[:LONGEST_SENTENCE] for part in parts if part]


def _side_by_side(first: Sequence[str], second: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The sentences that only one text has, each with the one of the other text that is most like it."""
    own, others = _without(first, second), _without(second, first)
    holders: dict[str, list[int]] = {}
    for number, sentence in enumerate(others):
        for pair in _pairs(sentence):
            holders.setdefault(pair, []).append(number)
    sizes = [len(_pairs(sentence)) for sentence in others]
    taken: set[int] = set()
    for sentence in own[:MOST_SENTENCES]:
        pairs = _pairs(sentence)
        shared = Counter(number for pair in pairs for number in holders.get(pair, ()) if number not in taken)
        best = max(shared, key=lambda number: 2 * shared[number] / (len(pairs) + sizes[number]), default=None)
        if best is not None and 2 * shared[best] / (len(pairs) + sizes[best]) >= ALIKE:
            taken.add(best)
            yield sentence, others[best]


def _without(sentences: Iterable[str], known: Iterable[str]) -> list[str]:
    left = Counter(known)
    found = []
    for sentence in sentences:
        if left[sentence]:
            left[sentence] -= 1
        else:
            found.append(sentence)
    return found


def _pairs(sentence: str) -> set[str]:
    return {sentence[place : place + 2] for place in range(len(sentence) - 1)}


def _is_fact(old: str, new: str, often: int, first: str, second: str) -> bool:
    """Whether a slot holds a number, or a name that the other text does not know."""
    numbers = NUMBER.findall(old), NUMBER.findall(new)
    if all(numbers):
        return numbers[0] != numbers[1]
    if not (old and new) or max(len(old), len(new)) > LONGEST_NAME or DEICTIC.search(old) or DEICTIC.search(new):
        return False
    if old in second or new in first or _shortens(old, new):
        return False
    return (_is_name(old) and _is_name(new)) or (often > 1 and not (_is_word(old) and _is_word(new)))


def _shortens(old: str, new: str) -> bool:
    """Whether one name is the other in less letters: 研究所, 研所."""
    shorter, longer = sorted((old, new), key=len)
    letters = iter(longer)
    return len(shorter) < len(longer) and all(letter in letters for letter in shorter)


def _is_name(text: str) -> bool:
    return bool(PLACE_OR_BODY.search(text)) or not NAMES.isdisjoint(_parts_of_speech(text))


def _is_word(text: str) -> bool:
    return WORDS.issuperset(_parts_of_speech(text))


@lru_cache(maxsize=4096)
def _parts_of_speech(text: str) -> frozenset[str]:
    """Of the words of a slot; where rjieba is missing, none is known."""
    try:
        import rjieba
    except ImportError:
        return frozenset({"x"})
    return frozenset(part for _, part in rjieba.tag(text.encode("utf-8", "replace").decode("utf-8")))
