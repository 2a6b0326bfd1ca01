"""Chooses the keywords of an article: the page's own where they are real, then the weightiest words of the article."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise

from newsspider.core.text.stop_words import STOP_CHARACTERS, STOP_WORDS
from newsspider.core.text.words import beginnings_of, cut, joined

TITLE_BOOST = 3  # a word of the title counts as so many of the body
UNKNOWN_IDF = 9.0  # words that jieba's table does not hold: names and slips of the cut, so below the median of 11.95
LOWEST_IDF = 3.5  # commoner words say nothing: 有关, 问题, 进行
PHRASE_TOGETHER = 0.6  # neighbours are one word when so much of the rarer one stands in the pair
PHRASE_TIMES = 3  # ... and the pair occurs so often
TITLE_END = "\0"  # stands between the words of title and text: nothing joins across it
PHRASE_LENGTH = 8
MOST_LETTERS = 20_000  # that are cut: 20 articles' worth; what a text is about stands in them, and a page of 1 MB costs 30 ms, not a second
PHRASE_ROUNDS = 2  # a name of three pieces is joined in two
WORD_LENGTH = range(2, 13)
LATIN_LENGTH = range(2, 21)

META_BREAK = re.compile(r"[,，;；、|｜\s]+")
SENTENCE_MARK = re.compile(r"[。！？!?：:“”\"《》…]")
SITE_NAME = re.compile(r"(?:网|网站|在线|频道|门户|首页|客户端|日报社|\.(?:com|cn|net|org))$", re.I)
NO_WORD = re.compile(
    r"[\d.,%:-]+[年月日号时分秒岁人名个元万亿余多届级次场所家项篇]*$|[一二两三四五六七八九十百千万几半]+[余多]?[年月日号时分秒岁人名个元万亿届级次场所家项篇册条位只]$"
    r"|[每各该此某][\u4e00-\u9fff]$|[\u4e00-\u9fff][了着们]$"
)
HAN = re.compile(r"[\u3400-\u9fff]")
WORD = re.compile(r"[\u3400-\u9fffA-Za-z0-9+#.%-]+$")


def keywords(
    title: str | None,
    text: str,
    meta_keywords: Iterable[str] = (),
    count: int = 10,
    words: Sequence[str] | None = None,
) -> tuple[str, ...]:
    """Return at most ``count`` keywords, strongest first.

    The page's own (``meta_keywords``) come first where they are words that the title or text holds; the rest are the
    words of greatest tf-idf in the first 20,000 letters, those of the title weighing more. ``words`` is the cut of ``text``, where it is at
    hand.
    """
    title = title or ""
    chosen = _own(meta_keywords, title, text)[:count]
    if len(chosen) < count:
        title_words = cut(title.replace(TITLE_END, " "))
        for word in _ranked(title_words, cut(text[:MOST_LETTERS]) if words is None else list(words)):
            if not any(word in longer for longer in chosen):
                chosen.append(word)
            if len(chosen) == count:
                break
    return tuple(chosen)


def prepare() -> None:
    """Read the dictionary and the table now, which takes half a second, rather than at the first article."""
    cut("")
    _highest_idf()


def _own(meta_keywords: Iterable[str], title: str, text: str) -> list[str]:
    """The page's keywords that are words, stand in the article and name no site."""
    found: dict[str, None] = {}
    for entry in meta_keywords:
        if SENTENCE_MARK.search(entry):
            continue
        for word in META_BREAK.split(entry) if HAN.search(entry) else [entry.strip()]:
            if _usable(word) and not SITE_NAME.search(word) and (word in title or word in text):
                found[word] = None
    return list(found)


def _ranked(title_words: list[str], text_words: list[str]) -> Iterator[str]:
    """The words of an article by falling weight; equal weights in order of appearance.

    Most words stand there once and are looked up only if they are wanted: none of them weighs more than the rarest of all.
    """
    words = _phrased([*title_words, TITLE_END, *text_words])
    counts = {word: times for word, times in Counter(words).items() if len(word) > 1}
    in_title = Counter(words[: words.index(TITLE_END)])
    strong = _weights({word: times for word, times in counts.items() if times > 1 or word in in_title}, in_title)
    strong = {word: weight for word, weight in strong.items() if weight > _highest_idf()}
    yield from filter(_usable, sorted(strong, key=strong.__getitem__, reverse=True))
    weak = _weights({word: times for word, times in counts.items() if word not in strong}, in_title)
    yield from filter(_usable, sorted(weak, key=weak.__getitem__, reverse=True))


def _weights(counts: Mapping[str, int], in_title: Mapping[str, int]) -> dict[str, float]:
    idf_of = _idf().get
    weights = {}
    for word, times in counts.items():
        idf = idf_of(word) or (UNKNOWN_IDF if times > 1 else 0)  # what no table knows and nobody repeats is a slip of the cut
        if idf >= LOWEST_IDF:
            weights[word] = (times + (TITLE_BOOST - 1) * in_title[word]) * idf if word in in_title else times * idf
    return weights


def _phrased(words: list[str]) -> list[str]:
    """Join neighbours that the article keeps together: names, and terms that the dictionary lacks."""
    for _ in range(PHRASE_ROUNDS):
        counts = Counter(words)
        often = {word for word, times in counts.items() if times > 1 and _can_join(word)}
        pairs = Counter(pair for pair in pairwise(words) if pair[0] in often and pair[1] in often)
        terms = {
            a + b
            for (a, b), times in pairs.items()
            if times >= PHRASE_TIMES
            and times >= PHRASE_TOGETHER * min(counts[a], counts[b])
            and len(a + b) <= PHRASE_LENGTH
        }
        if not terms:
            break
        words = joined(words, terms, beginnings_of(terms))
    return words


def _can_join(word: str) -> bool:
    if len(word) == 1:
        return word not in STOP_CHARACTERS and HAN.match(word) is not None
    return _usable(word) and _idf().get(word, UNKNOWN_IDF) >= LOWEST_IDF


@lru_cache(1 << 14)
def _usable(word: str) -> bool:
    """Whether this can be a keyword at all: a word of some length, no figure and no stop word."""
    lengths = WORD_LENGTH if HAN.search(word) else LATIN_LENGTH
    return (
        len(word) in lengths
        and word.lower() not in STOP_WORDS
        and WORD.match(word) is not None
        and NO_WORD.match(word) is None
    )


@cache
def _highest_idf() -> float:
    return max(_idf().values())


@cache
def _idf() -> dict[str, float]:
    """jieba's table of inverse document frequencies: 270,000 words, read once."""
    parts = files("jieba").joinpath("analyse/idf.txt").read_text("utf-8").split()
    return dict(zip(parts[::2], map(float, parts[1::2]), strict=True))
