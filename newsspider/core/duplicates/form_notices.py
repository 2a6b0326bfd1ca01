"""Tells two notices on the same form from a text and its edited reprint: on a form the facts differ, not the words.

The sentences that only one text has are aligned, most similar first, and compared word by word. A slot is a place
where other words stand. An editor changes words; whoever fills in a form changes numbers and names.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import chain, pairwise
from typing import NamedTuple

from newsspider.core.caching import bounded_cache
from newsspider.core.extraction.lines.person_names import is_person
from newsspider.core.model import Version
from newsspider.core.text.text_comparison import SHORT_TEXT
from newsspider.core.text.tokenizer import cut_words, segmenter

FEWEST_FACTS = 2  # that differ: a reprint may correct one figure; a year is enough, as nobody corrects that alone
FACTS_TO_WORDS = 0.6  # slots of facts to slots of words: some slots of an edited text hold facts by chance
MANY_FACTS, MANY_FACTS_TO_WORDS = 4, 0.4  # this many are no coincidence
ENOUGH_WORDS = 8
LEAST_SENTENCE_LIKENESS = 0.4  # bigram similarity (Dice) of two aligned sentences
LONGEST_SENTENCE = 300  # letters; longer sentences are truncated
MOST_SENTENCES = 12  # that are compared: the form shows early
LONGEST_NAME = 12
LETTERS_A_FACT = 150  # a form has a differing fact in this many letters, or
SHARE_OF_NUMBERS = 0.25  # this share of its numbers differs; the rules of a journal differ less from issue to issue
SENTENCES_A_CORRECTION = 5  # sentences per corrected fact of a story, at least: on a form, most have a slot

OWN_PART = 0.35  # share of a text before the shared ending
SHARED_PART = 0.8  # share of that ending that both texts have
MOST_SCATTERED_SHARE = 0.1  # share of the shared sentences that may stand elsewhere

SENTENCE_END = re.compile(r"[。！？!?；;\n]+")
NO_LETTERS = re.compile(r"[\W_]+")
NUMBER_PATTERN = re.compile(r"[\d一二三四五六七八九十百千万亿两零〇]+")
YEAR = re.compile(r"(?<!\d)(?:20\d\d){1,2}(?!\d)")  # or two: 2025-2026学年, its hyphen gone
DATE = re.compile(r"[年月日号时点分届期]")  # in a number's slot, or at the start of the next word
COUNTED = frozenset(
    ("人", "名", "个", "元", "万", "余", "多", "家", "所", "项", "次", "件", "米", "户", "台", "份")
)  # 2025人
DEICTIC = re.compile(
    r"^[我本该此全各当今昨明前同这那某]|日前|近日|记者"
)  # words that an editor replaces by a name or a date, or the other way round
NAME_TAGS = frozenset({"nr", "nrfg", "nrt", "ns", "nt", "nz", "eng"})  # parts of speech in jieba's dictionary
PLACE_OR_BODY = re.compile(
    r"(?:省|市|县|区|州|镇|乡|村|路|街|大学|学院|学校|中学|小学|高中|初中|一中|幼儿园|集团|公司|局|厅|委|医院|中心|馆|协会|研究所|研究院)$"
)


def same_form(first: Version, second: Version) -> bool:
    """Return whether two similar texts are two notices on the same form, filled in with other numbers or names.

    Enough facts must differ, compared with the words that differ and with the length of the text, unless the titles
    differ in nothing but facts, too. If only facts differ, a different year is enough: notices come every year. If
    two short texts do not differ at all, their titles decide. In a story with the same title and lead, a few facts
    may have been corrected, if they are not all dates.

    >>> same_form(Version("", "报名时间为6月3日至5日，考场设在第一中学。"), Version("", "报名时间为6月8日至9日，考场设在第一中学。"))
    True
    >>> same_form(Version("", "考试今天在各地举行，秩序良好。"), Version("", "考试今天在各地进行，秩序很好。"))
    False
    """
    body = _differences(first.text, second.text)
    title = _differences(first.title, second.title)
    if not any(body) and max(len(first.text), len(second.text)) < SHORT_TEXT:
        return title.facts > 0 == title.words
    if body.years + title.years and not body.words + title.words:
        return True
    least = FACTS_TO_WORDS if body.facts < MANY_FACTS else MANY_FACTS_TO_WORDS
    if not body.facts or body.facts < least * body.words:
        return False
    if body.facts + title.facts < FEWEST_FACTS:
        return False
    if _is_corrected(first, second, body):
        return False
    smaller = min(first.text, second.text, key=len)
    if body.facts * LETTERS_A_FACT >= len(NO_LETTERS.sub("", smaller)):
        return True
    if body.numbers >= SHARE_OF_NUMBERS * len(NUMBER_PATTERN.findall(smaller)) > 0:
        return True
    return title.facts > 0 == title.words


def _is_corrected(first: Version, second: Version, body: _Differences) -> bool:
    """Whether two texts with one title and lead differ in so few facts, not all dates, that it is a correction."""
    old, new = _sentences(first.text), _sentences(second.text)
    if (
        not (old and new)
        or old[0] != new[0]
        or not NO_LETTERS.sub("", first.title)
        or _sentences(first.title) != _sentences(second.title)
    ):
        return False
    return body.dates < body.facts and body.facts * SENTENCES_A_CORRECTION <= min(len(old), len(new))


def same_tail(first: str, second: str) -> bool:
    """Return whether two texts, each with a good part of its own in front, share nothing but their ending, such as the
    company profile below each press release.

    >>> about = "关于本校：本校成立于一九五二年。"
    >>> same_tail(f"今天的活动很热闹，来了很多人。{about}", f"报名明天开始，请带好证件和照片。{about}")
    True
    """
    first_sentences, second_sentences = _sentences(first), _sentences(second)
    shared = frozenset(first_sentences) & frozenset(second_sentences)
    return bool(shared) and all(_is_tail(sentences, shared) for sentences in (first_sentences, second_sentences))


def _is_tail(sentences: Sequence[str], shared: frozenset[str]) -> bool:
    """Whether the shared sentences, except for a few letters, come last, after enough text of its own."""
    common = sum(len(sentence) for sentence in sentences if sentence in shared)
    scattered = own = 0
    for sentence in sentences:
        scattered += len(sentence) if sentence in shared else 0
        if scattered > MOST_SCATTERED_SHARE * common:
            break
        own += len(sentence)
    total = sum(map(len, sentences))
    return own >= OWN_PART * total and common >= SHARED_PART * (total - own)


class _Differences(NamedTuple):
    facts: int
    words: int
    numbers: int  # of the facts
    dates: int  # of the numbers: days, hours, issues
    years: int  # of the numbers


class _Slot(NamedTuple):
    """The words that replace each other (empty: an insertion or deletion), and the word behind them."""

    old: str
    new: str
    behind: str


def _differences(first: str, second: str) -> _Differences:
    facts = words = numbers = dates = years = 0
    for slot in _slots(first, second):
        if words > ENOUGH_WORDS and facts < FACTS_TO_WORDS / 2 * words:
            break  # an edited text
        # of a date: a day, an hour, an issue
        dated = bool(DATE.search(slot.old) or DATE.match(slot.behind))
        digits = NUMBER_PATTERN.findall(slot.old), NUMBER_PATTERN.findall(slot.new)
        if all(digits) and NUMBER_PATTERN.sub("", slot.old) == NUMBER_PATTERN.sub("", slot.new):
            old_years, new_years = YEAR.findall(slot.old), YEAR.findall(slot.new)
            new_year = bool(old_years and new_years) and old_years != new_years and slot.behind not in COUNTED
            facts, numbers, dates, years = facts + 1, numbers + 1, dates + dated, years + new_year
        elif _is_name(slot):
            facts += 1
        elif not any(digits) or (slot.old and slot.new):  # an insertion may come from a bad alignment
            words += 1
    return _Differences(facts, words, numbers, dates, years)


def _slots(first: str, second: str) -> Iterator[_Slot]:
    """The slots of the sentences that differ. A number stands for any other while the words are aligned."""
    for first_sentence, second_sentence in _aligned(_sentences(first), _sentences(second)):
        old_words, new_words = cut_words(first_sentence), cut_words(second_sentence)
        start, end = _same_ends(old_words, new_words)
        behind = "".join(old_words[len(old_words) - end :][:1])
        old_words, new_words = old_words[start : len(old_words) - end], new_words[start : len(new_words) - end]
        if not (old_words and new_words):
            yield _Slot("".join(old_words), "".join(new_words), behind)
            continue
        matcher = SequenceMatcher(None, [*map(_masked, old_words)], [*map(_masked, new_words)], autojunk=False)
        for operation, i, j, m, n in matcher.get_opcodes():
            if operation != "equal":
                next_word = old_words[j] if j < len(old_words) else behind
                yield _Slot("".join(old_words[i:j]), "".join(new_words[m:n]), next_word)
                continue
            for place, (old, new) in enumerate(zip(old_words[i:j], new_words[m:n], strict=True), i + 1):
                if old != new:
                    yield _Slot(old, new, old_words[place] if place < len(old_words) else behind)


@bounded_cache(8192)  # cache: words and sentences with 0 for each number
def _masked(text: str) -> str:
    return NUMBER_PATTERN.sub("0", text)


def _same_ends(old_words: Sequence[str], new_words: Sequence[str]) -> tuple[int, int]:
    """The lengths of the common prefix and suffix, in words."""
    most = min(len(old_words), len(new_words))
    start = next((place for place in range(most) if old_words[place] != new_words[place]), most)
    most -= start
    end = next((place for place in range(most) if old_words[-1 - place] != new_words[-1 - place]), most)
    return start, end


@bounded_cache(64, 20_000)  # cache: texts in sentences; a stored text is compared with each of its reprints
def _sentences(text: str) -> list[str]:
    parts = (NO_LETTERS.sub("", part) for part in SENTENCE_END.split(unicodedata.normalize("NFKC", text)))
    return [part[:LONGEST_SENTENCE] for part in parts if part]


def _aligned(first: Sequence[str], second: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Align each sentence that only one text has with the most similar one of the other."""
    only_first, only_second = _without(first, second), _without(second, first)
    holders: dict[str, list[int]] = {}
    for number, sentence in enumerate(only_second):
        for pair in _pairs(sentence):
            holders.setdefault(pair, []).append(number)
    sizes = [len(_pairs(sentence)) for sentence in only_second]
    aligned: set[int] = set()
    for sentence in only_first[:MOST_SENTENCES]:
        pairs = _pairs(sentence)
        shared = Counter(chain.from_iterable(filter(None, map(holders.get, pairs))))
        for number in aligned:
            shared.pop(number, None)
        best = max(shared, key=lambda number: 2 * shared[number] / (len(pairs) + sizes[number]), default=None)
        if best is not None and 2 * shared[best] / (len(pairs) + sizes[best]) >= LEAST_SENTENCE_LIKENESS:
            aligned.add(best)
            yield sentence, only_second[best]


def _without(sentences: Iterable[str], removed: Iterable[str]) -> list[str]:
    remaining = Counter(removed)
    rest = []
    for sentence in sentences:
        if remaining[sentence]:
            remaining[sentence] -= 1
        else:
            rest.append(sentence)
    return rest


@bounded_cache(2048)  # cache: sentences in pairs of letters; stock sentences occur in many texts
def _pairs(sentence: str) -> frozenset[str]:
    return frozenset(map("".join, pairwise(_masked(sentence))))


def _is_name(slot: _Slot) -> bool:
    """Whether a slot holds two different names, neither an abbreviation of the other."""
    if not (slot.old and slot.new) or max(len(slot.old), len(slot.new)) > LONGEST_NAME:
        return False
    if DEICTIC.search(slot.old) or DEICTIC.search(slot.new) or _shortens(slot.old, slot.new):
        return False
    return any(
        _names(old, slot.behind) and _names(new, slot.behind) for old, new in ((slot.old, slot.new), _trimmed(slot))
    )


def _trimmed(slot: _Slot) -> tuple[str, str]:
    """Without the common prefix and suffix: the segmenter may cut words differently."""
    old, new = slot.old, slot.new
    while old and new and old[0] == new[0]:
        old, new = old[1:], new[1:]
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    return old, new


def _names(text: str, behind: str) -> bool:
    """Whether a text, with the word behind it, is the name of a person, a place or an organisation."""
    if len(text) < 2:
        return False
    if PLACE_OR_BODY.search(text) or PLACE_OR_BODY.search(text + behind):
        return True
    return is_person(text) or not NAME_TAGS.isdisjoint(_parts_of_speech(text))


def _shortens(old: str, new: str) -> bool:
    """Whether one name abbreviates the other: 研究所, 研所."""
    shorter, longer = sorted((old, new), key=len)
    letters = iter(longer)
    return len(shorter) < len(longer) and all(letter in letters for letter in shorter)


@bounded_cache(1024)  # cache: phrases and their parts of speech
def _parts_of_speech(text: str) -> frozenset[str]:
    """The parts of speech in a slot."""
    return frozenset(part for _, part in segmenter().tag(text.encode("utf-8", "replace").decode("utf-8")))
