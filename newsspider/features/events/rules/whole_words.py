"""Decides whether a word may be shown alone: a whole name or a noun, and no piece of one. Better none than a wrong one.

jieba cuts by what stands around: 彭振华 becomes 彭 and 振华, 从河中省 becomes 从河 and 中省. So a name must begin where the
texts let it begin, and be built like one: a person has a surname, an unknown place its 市 or 县 somewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from newsspider.core.extraction.keywords import is_in_table
from newsspider.core.extraction.lines.person_names import DOUBLE_SURNAMES, SURNAMES
from newsspider.core.text.characters import HAN_EXTENDED
from newsspider.core.text.phrases import STOP_WORDS
from newsspider.features.events.rules.terms import (
    INSTITUTION_ENDS,
    NO_NAMES,
    PERSON,
    PLACE,
    PLACE_UNITS,
    PLACES,
    tagged_words,
)

NEARLY_ALL_PLACES, MOST_PLACES = 0.8, 0.5  # shares of the places where a word stands
# Behind these characters a name begins: words that govern it, and ends of roles, offices, places and times.
GOVERN = frozenset("在从由向对与和及到了的是为被将把让给请据经赴于因按称说道至获但")
BEFORE_NAMES = GOVERN | frozenset(
    "长者师生授任员学局厅校市县区省院园处部委会村镇国乡日年月时天前后上下内外里位名届岁所友亲孙伴班级医士"
)
AFTER = frozenset("说表告介认指道称是的在和与把从带也都就曾正任坦回笑对向让给将又来去走")  # before these a name ends
NOUNS = frozenset({"n", "vn", "an", "j", "l", "i", "s", "b", "eng", "nz"})
SURNAME_ENDS = SURNAMES | {name[-1] for name in DOUBLE_SURNAMES}
LONGEST_END = max(map(len, INSTITUTION_ENDS))
PERSONS = frozenset({PERSON, "nrfg", "nrt"})
REGIONS = PLACE_UNITS | frozenset("镇乡州盟旗")
CUT_ENDS = REGIONS - {"州"}  # 沙市 is a piece of 白沙市, but 杭州 is whole

BEGINS_NO_NOUN = frozenset("不没未这那该某各每进")

Beside = Sequence[tuple[str, str]]  # the character before a word and those behind it where it stands; empty: an edge


def shown_word(word: str, texts: Sequence[str]) -> str:
    """The word as it may be shown, with the first character that a wrong cut took from it; empty if it may not be.
    The texts are in plain script.

    >>> shown_word("振华", ["教师彭振华说", "彭振华没有再提"]), shown_word("沙市", ["在白沙市", "白沙市的孩子"])
    ('彭振华', '白沙市')
    >>> shown_word("志强", ["教师赵志强说", "钱志强说"]), shown_word("市清理", ["长桥市清理事务"])
    ('', '')
    """
    beside = [pair for text in texts for pair in _beside(word, text)]
    if not beside:
        return ""
    if _is_whole(word, beside):
        return word
    longer = _common(before for before, _ in beside) + word
    if longer == word or not _may_lack_its_first(word, longer):
        return ""
    beside = [pair for text in texts for pair in _beside(longer, text)]
    return longer if _stands_free(beside) and not _mostly(beside, partial(_goes_on, longer)) else ""


def _common(characters: Iterable[str]) -> str:
    """The Chinese character that nearly all are; empty if there is none."""
    counts = Counter(characters)
    character, times = counts.most_common(1)[0]
    return character if HAN_EXTENDED.fullmatch(character) and times >= NEARLY_ALL_PLACES * counts.total() else ""


def _beside(word: str, text: str) -> Iterator[tuple[str, str]]:
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        yield text[max(at - 1, 0) : at], text[end : end + LONGEST_END]
        at = text.find(word, end)


def _is_whole(word: str, beside: Beside) -> bool:
    """Whether a word is a whole name or noun."""
    parts = list(tagged_words(word))
    tags = {tag for _, tag in parts}
    if word.startswith(DOUBLE_SURNAMES) and len(word) == 2:
        return False
    if is_institution(word):
        return (
            word[1] not in CUT_ENDS and "v" not in tags and _stands_free(beside) and not _mostly(beside, _is_in_region)
        )
    if tags == {PLACE}:
        return _is_place(word, beside)
    if tags <= PERSONS or (is_person(word) and not is_in_table(word)):
        return is_person(word) and _stands_free(beside) and not _mostly(beside, partial(_goes_on, word))
    if len(parts) > 1 and (len(parts[0][0]) == 1 or word.startswith(INSTITUTION_ENDS)):
        return False
    known = all(
        tag == "eng" or (tag in NOUNS and is_in_table(piece) and piece not in STOP_WORDS) for piece, tag in parts
    )
    return known and word[0] not in BEGINS_NO_NOUN and not _is_of_person(word, beside)


def _is_place(word: str, beside: Beside) -> bool:
    """Whether a place is known, or named as one somewhere. 沙市 and 中省 are cut from 白沙市 and 河中省, 江滨 is of a school."""
    is_piece = len(word) == 2 and (word[-1] in CUT_ENDS or _goes_on_alike(beside))
    if is_piece or _mostly(beside, _names_institution) or _is_of_person(word, beside):
        return False
    named = word[-1] in REGIONS or any(after[0] in REGIONS for _, after in beside if after)
    return word in PLACES or is_in_table(word) or (named and _stands_free(beside))


def is_institution(word: str) -> bool:
    """Whether a word is built like the name of a school or an office."""
    return word.endswith(INSTITUTION_ENDS) and len(word) > LONGEST_END


def is_person(word: str) -> bool:
    """Whether a word is built like the name of a person."""
    double = word.startswith(DOUBLE_SURNAMES)
    return word not in NO_NAMES and (len(word) in {3, 4} if double else word[0] in SURNAMES and len(word) in {2, 3})


def _mostly(beside: Beside, is_so: Callable[[str, str], bool]) -> bool:
    return sum(is_so(before, after) for before, after in beside) > MOST_PLACES * len(beside)


def _stands_free(beside: Beside) -> bool:
    """Whether a name may begin where it stands, mostly."""
    return _mostly(beside, lambda before, _: before in BEFORE_NAMES or not HAN_EXTENDED.fullmatch(before))


def _is_of_person(word: str, beside: Beside) -> bool:
    """Whether a word is mostly the given name behind a surname, or a surname with the beginning of one."""
    begins = len(word) == 2 and word[0] in SURNAMES and _goes_on_alike(beside)
    return begins or _mostly(beside, lambda before, _: before in SURNAME_ENDS)


def _is_in_region(before: str, _: str) -> bool:
    return before in REGIONS


def _goes_on_alike(beside: Beside) -> bool:
    """Whether the same character follows nearly everywhere, and it does not end the name of a region."""
    return _common(after[:1] for _, after in beside) not in REGIONS | {""}


def _names_institution(_: str, after: str) -> bool:
    return after.startswith(INSTITUTION_ENDS)


def _goes_on(word: str, before: str, after: str) -> bool:
    """Whether a person's name is longer here: it begins with a double surname, or has a second given character."""
    is_short = len(word) == 2 and HAN_EXTENDED.fullmatch(after[:1]) is not None and after[0] not in AFTER
    return before + word[0] in DOUBLE_SURNAMES or is_short


def _may_lack_its_first(word: str, longer: str) -> bool:
    """Whether a wrong cut takes the first character from such a word."""
    if is_institution(word):
        return word[1] in CUT_ENDS
    if len(word) == 2 and word[-1] in CUT_ENDS:
        return longer[0] not in GOVERN
    is_given = len(word) == 2 and {tag for _, tag in tagged_words(word)} <= PERSONS | {"nz"} and not is_person(word)
    return longer.startswith(DOUBLE_SURNAMES) or (is_given and is_person(longer))
