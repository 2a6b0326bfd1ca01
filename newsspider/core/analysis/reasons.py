"""Explains why articles are one event: the sentence of each with most of the event's words, the title that stands for
all, the common names."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping

from newsspider.core.analysis.terms import is_place, words
from newsspider.core.text.characters import HAN_EXTENDED
from newsspider.core.text.script import plain

SENTENCE = re.compile(r"[^。！？!?\n]+(?:[。！？!?]+[”’」』）)]*)?")
MOST_READ = 5_000  # characters of a text
SHORT_TITLE = 8  # characters: one that is shorter says too little
NAMED_BY = 1 / 3  # of the articles, and at least by two of them, where there are more
MOST_NAMES = 12
MOST_SHARED = 5
LEAST_TEXTS, NEARLY_ALL = 3, 0.8  # number and share of texts in which a character beside a word makes it longer
LONGEST_WORD = 12
PARTICLES = frozenset("的了是和与及在对将被把等为也都")  # end a word


def sentence_with(text: str, weights: Mapping[str, float]) -> str:
    """The sentence of a text that has the words of most weight, the first of equals; empty if none has any.

    >>> sentence_with("记者昨日到场。杭州一学校起火。原因不明。", {"杭州": 2.0, "起火": 1.0})
    '杭州一学校起火。'
    >>> sentence_with("他说：“没事。”杭州一学校起火。", {"杭州": 2.0})
    '杭州一学校起火。'
    """
    sentences = [sentence.strip() for sentence in SENTENCE.findall(text[:MOST_READ])]
    weighed = [(_weight(sentence, weights), -number) for number, sentence in enumerate(sentences)]
    best = max(weighed, default=(0.0, 0))
    return sentences[-best[1]] if best[0] > 0 else ""


def shared_words(article_words: Iterable[str], weights: Mapping[str, float]) -> tuple[str, ...]:
    """The words of an article that weigh most in its event."""
    shared = [word for word in article_words if word in weights]
    return tuple(sorted(shared, key=lambda word: -weights[word])[:MOST_SHARED])


def best_title(titles: Iterable[str], weights: Mapping[str, float]) -> str:
    """The title that says most of an event in few words, the first of equals; empty if there are no titles."""
    several = list(titles)
    weighed = [
        (_weight(title, weights) / math.sqrt(max(len(title), SHORT_TITLE)), -number)
        for number, title in enumerate(several)
    ]
    return several[-max(weighed)[1]] if several else ""


def places_and_names(names: Mapping[str, int], articles: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The places that many of the articles name, and the other names, the commonest first. A name that is part of
    another is left out."""
    least = max(min(articles, 2), NAMED_BY * articles)
    common = [name for name, times in names.items() if times >= least][: 2 * MOST_NAMES]
    places = [name for name in common if is_place(name)]
    whole = [name for name in common if not any(name in other and name != other for other in common)]
    others = [name for name in whole if name not in places]
    return tuple(places[:MOST_NAMES]), tuple(others[:MOST_NAMES])


def _weight(text: str, weights: Mapping[str, float]) -> float:
    return sum(weights.get(word, 0.0) for word in {word for word, _ in words(text)})


def whole_word(word: str, texts: Iterable[str]) -> str:
    """The word with the characters that stand beside it in nearly all texts: 星火课堂 for 星火 if all write that.

    The texts should report different events; with fewer than three the word stays as it is.

    >>> whole_word("星火", ["星火课堂开课", "走进星火课堂", "如何看待星火课堂？"])
    '星火课堂'
    """
    several = [text for text in map(plain, texts) if word in text]
    least = max(LEAST_TEXTS, NEARLY_ALL * len(several))
    while len(word) < LONGEST_WORD:
        places = [(text, text.index(word)) for text in several if word in text]
        grown_right = Counter(word + text[at + len(word) : at + len(word) + 1] for text, at in places)
        grown_left = Counter(text[at - 1 : at] + word for text, at in places if at)
        counted = (grown_right + grown_left).most_common()
        longer_words = [longer for longer, times in counted if times >= least and _is_longer(longer, word)]
        if not longer_words:
            break
        word = longer_words[0]
    return word


def _is_longer(longer: str, word: str) -> bool:
    """Whether a word grew by a character that may be of a name."""
    letter = longer.replace(word, "", 1)
    return HAN_EXTENDED.fullmatch(letter) is not None and letter not in PARTICLES
