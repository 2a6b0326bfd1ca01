"""Keyword extraction: the page's own keywords where they are real, then the weightiest words of the article."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

import numpy as np

from newsspider.core.caching import bounded_cache, emptied_at_rest
from newsspider.core.text.characters import HAN_EXTENDED, to_simplified
from newsspider.core.text.phrases import STOP_CHARACTERS, STOP_WORDS
from newsspider.core.text.text_comparison import title_key
from newsspider.core.text.tokenizer import NO_TERMS, JoinedTerms, beginnings_of, cut_words, join_terms

TITLE_BOOST = 3  # a word of the title counts as this many of the body
UNKNOWN_IDF = 9.0  # words that jieba's table does not hold: names and slips of the cut, so below the median of 11.95
LOWEST_IDF = 3.5  # commoner words say nothing: 有关, 问题, 进行
PHRASE_TOGETHER = 0.6  # neighbours are one word when this share of the rarer one stands in the pair
PHRASE_TIMES = 3  # ... and the pair occurs this many times
TITLE_END = "\0"  # stands between the words of title and text: nothing joins across it
PHRASE_LENGTH = 8
SHORT_WORD = 3  # letters of a word that even a common character may complete
PARTICLES = frozenset(
    "的了是和与及或也都就说着过地得而之但且并则却不我你他她它们"
)  # part of no name, however often they stand beside it
# letters that are segmented, as many as 20 articles have: the subject stands in them, and 1 MB costs 30 ms, not 1 s
MOST_LETTERS = 20_000
PHRASE_ROUNDS = 2  # a name of three pieces is joined in two
SHORTEST_REPEATED, MOST_REPEATED = 8, 0.6  # letters of keywords that are the title over again, and their share of it
WORD_LENGTH = range(2, 13)
LATIN_LENGTH = range(2, 21)
LONGEST_IN_TABLE = 16  # letters of the longest word of the table
READ_AT_ONCE = 65_536  # bytes of the table

META_BREAK = re.compile(r"[,，;；、|｜\s]+")
SENTENCE_MARK = re.compile(r"[。！？!?：:“”\"《》…]")
SITE_NAME = re.compile(r"(?:网|网站|在线|频道|门户|首页|客户端|日报社|\.(?:com|cn|net|org))$", re.I)
NUMERALS = "一二两三四五六七八九十百千万亿几半"
MEASURES = "年月日号时分秒岁人名个元万亿届级次场所家项篇册条位只款瓶双套轮组张部首件颗支"
NO_WORD = re.compile(
    rf"[\d.,%:-]+[{MEASURES}余多]*$|[{NUMERALS}]+[余多]?[{MEASURES}]$|(?:首|第[{NUMERALS}\d]+)[{MEASURES}批期节站]$"
    r"|[每各该此某][\u4e00-\u9fff]$|[\u4e00-\u9fff][了着们]$"
)
WORD_PATTERN = re.compile(r"[\u3400-\u9fffA-Za-z0-9+#.%-]+$")


def extract_keywords(
    title: str | None, text: str, meta_keywords: Iterable[str] = (), count: int = 10, terms: JoinedTerms = NO_TERMS
) -> tuple[str, ...]:
    """Return at most ``count`` keywords, strongest first.

    The page's own (``meta_keywords``) come first where they are words that the title or text holds; the rest are the
    words of greatest tf-idf in the first 20,000 letters, those of the title weighing more. ``terms`` are words as well.
    """
    title = title or ""
    declared = list(meta_keywords)
    own = _own_keywords(declared, title, text)[:count] if declared else []
    if len(own) == count:
        return tuple(own)
    written = f"{title.replace(TITLE_END, ' ')}{TITLE_END}{text[:MOST_LETTERS]}"
    plain = to_simplified(written)  # the dictionary knows no other script; the length stays
    results: list[str] = []
    plain_title, _, plain_text = plain.partition(TITLE_END)
    for cut_word in _ranked(_phrased([*cut_words(plain_title, terms), TITLE_END, *cut_words(plain_text, terms)])):
        at = plain.find(cut_word)
        word = written[at : at + len(cut_word)]
        if any(word in longer for longer in (*own, *results)):
            continue
        if len(own) + len(results) == count:
            break
        piece = next(
            (
                i
                for i, shorter in enumerate(results)
                if shorter in word and written.count(shorter) == written.count(word)
            ),
            None,
        )
        if piece is None:
            results.append(word)
        else:
            results[piece] = word  # the shorter one stands in no other place
    return (*own, *results)


def _own_keywords(meta_keywords: Sequence[str], title: str, text: str) -> list[str]:
    """The page's keywords that are words, occur in the article and name no site; none if they repeat the title."""
    if _repeats("".join(meta_keywords), title):
        return []
    results: dict[str, None] = {}
    for entry in meta_keywords:
        if SENTENCE_MARK.search(entry) or _repeats(entry, title):
            continue
        for word in META_BREAK.split(entry) if HAN_EXTENDED.search(entry) else [entry.strip()]:
            if _usable(word) and not SITE_NAME.search(word) and (word in title or word in text):
                results[word] = None
    return list(results)


def _repeats(words: str, title: str) -> bool:
    """Whether the words are most of the title, in its order."""
    key, whole = title_key(words), title_key(title)
    return len(key) >= SHORTEST_REPEATED and len(key) > MOST_REPEATED * len(whole) and key in whole


def _ranked(words: list[str]) -> Iterator[str]:
    """The words of an article by falling weight, then in order of appearance. Most occur once and weigh no more than
    the rarest word of the table, so they are looked up only if they are needed."""
    counts = {word: times for word, times in Counter(words).items() if len(word) > 1}
    in_title = Counter(words[: words.index(TITLE_END)])
    strong = _weights({word: times for word, times in counts.items() if times > 1 or word in in_title}, in_title)
    highest = _frequencies().highest
    strong = {word: weight for word, weight in strong.items() if weight > highest}
    yield from filter(_usable, sorted(strong, key=strong.__getitem__, reverse=True))
    weak = _weights({word: times for word, times in counts.items() if word not in strong}, in_title)
    yield from filter(_usable, sorted(weak, key=weak.__getitem__, reverse=True))


def _weights(counts: Mapping[str, int], in_title: Mapping[str, int]) -> dict[str, float]:
    weights = {}
    for word, times in counts.items():
        # what no table knows and nobody repeats is a slip of the cut
        idf = _idf(word) or (UNKNOWN_IDF if times > 1 else 0)
        if idf >= LOWEST_IDF:
            weights[word] = (times + (TITLE_BOOST - 1) * in_title[word]) * idf if word in in_title else times * idf
    return weights


def _phrased(words: list[str]) -> list[str]:
    """Join neighbours that the article keeps together: names, and terms that the dictionary lacks."""
    for _ in range(PHRASE_ROUNDS):
        counts = Counter(words)
        often = {word for word, times in counts.items() if times >= PHRASE_TIMES and _can_join(word)}
        pairs = Counter(pair for pair in pairwise(words) if pair[0] in often and pair[1] in often)
        terms = {
            first + second
            for (first, second), times in pairs.items()
            if times >= PHRASE_TIMES
            and times >= PHRASE_TOGETHER * min(counts[first], counts[second])
            and len(first + second) <= PHRASE_LENGTH
        }
        if not terms:
            return _completed(words, counts)
        words = join_terms(words, terms, beginnings_of(terms))
    return _completed(words, Counter(words))


def _completed(words: list[str], counts: Mapping[str, int]) -> list[str]:
    """Add the character that always stands right before or after an unknown word: the segmenter set its border wrongly.

    The character must stand there as a word of its own at least once; else it is the end of another word: 人|社部,
    由人|社部, but not 市长|刘强, 县长|刘强.
    """
    unknown = {
        word
        for word, count in counts.items()
        if count > 1 and len(word) > 1 and not _idf(word) and HAN_EXTENDED.match(word)
    }
    if not unknown:
        return words
    previous, following = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for first, second in pairwise(words):
        if second in unknown:
            previous[second].add(first)
        if first in unknown:
            following[first].add(second)
    whole = {}
    for word in unknown:
        start = _missing_character(previous[word], -1, word, counts[word])
        end = _missing_character(following[word], 0, word, counts[word])
        whole[word] = f"{start}{word}{end}"
    return [whole.get(word, word) for word in words]


def _missing_character(neighbours: set[str], at: int, word: str, times: int) -> str:
    """The character that all neighbours of a word have at their nearer end, if it belongs to the word; else nothing."""
    character = next((neighbour for neighbour in neighbours if len(neighbour) == 1), "")
    if not HAN_EXTENDED.match(character) or any(neighbour[at] != character for neighbour in neighbours):
        return ""
    if character not in STOP_CHARACTERS:
        return character
    return character if len(word) <= SHORT_WORD and times >= PHRASE_TIMES and character not in PARTICLES else ""


def _can_join(word: str) -> bool:
    if len(word) == 1:
        return word not in STOP_CHARACTERS and HAN_EXTENDED.match(word) is not None
    return _usable(word) and (_idf(word) or UNKNOWN_IDF) >= LOWEST_IDF


@bounded_cache(16384, 64)  # cache: words
def _usable(word: str) -> bool:
    """Whether this can be a keyword at all: a word of some length, no figure and no stop word."""
    lengths = WORD_LENGTH if HAN_EXTENDED.search(word) else LATIN_LENGTH
    return (
        len(word) in lengths
        and word.lower() not in STOP_WORDS
        and WORD_PATTERN.match(word) is not None
        and NO_WORD.match(word) is None
    )


def word_rarity(word: str) -> float:
    """The inverse document frequency of a word; of one that jieba's table does not hold, that of a rare name."""
    return _idf(word) or UNKNOWN_IDF


def is_in_table(word: str) -> bool:
    """Whether jieba's table holds a word."""
    return _idf(word) > 0


@bounded_cache(16384, LONGEST_IN_TABLE)  # cache: words and how rare they are
def _idf(word: str) -> float:
    """The inverse document frequency of a word; 0 if jieba's table does not hold it."""
    return _frequencies().of(word) if len(word) <= LONGEST_IN_TABLE else 0.0


class _Frequencies:
    """Inverse document frequencies by the hash of the word's bytes, in sorted arrays: 270,000 words take 4 MB, not the
    70 MB of a dictionary. Two words hardly ever share a hash of 64 bits; as texts, "of" and "景" always would.
    """

    def __init__(self, table: BinaryIO) -> None:
        words, values = array("q"), array("d")
        while chunk := table.read(READ_AT_ONCE):
            fields = (chunk + table.readline()).split()
            words.extend(map(hash, fields[::2]))
            values.extend(map(float, fields[1::2]))
        order = np.frombuffer(words, np.int64).argsort()
        self._words = array("q", np.frombuffer(words, np.int64)[order].tobytes())
        self._idf = array("d", np.frombuffer(values, np.float64)[order].tobytes())
        self.highest = max(values)

    def of(self, word: str) -> float:
        """The frequency of a word; 0 if it is not in the table."""
        key = hash(word.encode("utf-8", "replace"))
        at = bisect_left(self._words, key)
        return self._idf[at] if at < len(self._words) and self._words[at] == key else 0.0


@emptied_at_rest
@cache
def _frequencies() -> _Frequencies:
    """jieba's table, read once without the package, which would load 10 MB of tables that are not used."""
    package = find_spec("jieba")
    assert package is not None
    assert package.origin is not None
    with (Path(package.origin).parent / "analyse" / "idf.txt").open("rb") as table:
        return _Frequencies(table)
