"""Explains why articles are one event: the sentence of each with most of the event's words, the title that stands for
all, the common names."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from itertools import accumulate, product

from newsspider.core.extraction.article import DATELINE
from newsspider.core.text.characters import HAN_EXTENDED, fold_text
from newsspider.core.text.phrases import STOP_WORDS
from newsspider.features.events.rules.sentences import split_sentences, stands_alone
from newsspider.features.events.rules.terms import NAME_TAGS, content_words, is_place, tagged_words
from newsspider.features.events.rules.whole_words import BEGINS_NO_NOUN, shown_word

MOST_READ = 5_000  # characters of a text
BLANK = re.compile(r"\s+")
SHORT_TITLE = 8  # characters: one that is shorter says too little
NAMED_BY = 1 / 3  # of the articles, and at least by two of them, where there are more
MOST_NAMES = 12
MOST_SHARED = 5
LEAST_TEXTS, NEARLY_ALL = 3, 0.8  # number and share of texts in which a character beside a word makes it longer
LONGEST_WORD = 12
NOUNS = NAME_TAGS | {"n", "ng", "j", "b", "eng", "s", "l", "i", "zg"}  # tags of words that may belong to a word
VERBS = frozenset({"v", "vn", "vg", "a"})  # one of them may, at an end: 学分互认
LEAST_TOLD = 0.3  # of the weight of the title that says most of the event
COUNTED = frozenset("名个项所门条位件次套份家只台届期")  # stand before what is counted


def sentence_with(text: str, weights: Mapping[str, float]) -> str:
    """The sentence of a text that has the words of most weight, the first of equals, of those that say something by
    themselves; empty if none has any.

    >>> sentence_with("记者昨日到场。杭州一学校起火。原因不明。", {"杭州": 2.0, "起火": 1.0})
    '杭州一学校起火。'
    >>> sentence_with("“不难。”考上杭州大学的赵慧敏回忆道。", {"赵慧敏": 2.0})
    '“不难。”考上杭州大学的赵慧敏回忆道。'
    >>> sentence_with("本报讯（记者 王明哲）杭州一学校起火。", {"杭州": 2.0})
    '杭州一学校起火。'
    """
    without_datelines = (DATELINE.sub("", sentence, count=1) for sentence in split_sentences(text[:MOST_READ]))
    whole = [sentence for sentence in without_datelines if stands_alone(sentence)]
    weighed = [(_weight(sentence, weights), -number) for number, sentence in enumerate(whole)]
    best = max(weighed, default=(0.0, 0))
    return whole[-best[1]] if best[0] > 0 else ""


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


def reporting(titles: Iterable[str], article_words: Collection[Set[str]], weights: Mapping[str, float]) -> list[bool]:
    """Which of these titles say what happened, and nothing beside it: they have a good part of the weight of the title
    that says most, in words that several of the articles have (``article_words``).

    >>> weights = {"杭州": 2.0, "起火": 2.0, "消防": 4.0}
    >>> article_words = [{"杭州", "起火", "消防"}, {"杭州", "起火"}]
    >>> reporting(["杭州一小学起火", "杭州公布名单", "校园消防知识"], article_words, weights)
    [True, True, False]
    """
    times = Counter(word for several in article_words for word in several)
    common = {word: weight for word, weight in weights.items() if times[word] >= min(len(article_words), 2)}
    weighed = [_weight(title, common) for title in titles]
    return [weight >= LEAST_TOLD * max(weighed) for weight in weighed]


def places_and_names(
    names: Mapping[str, int], articles: int, texts: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The places that many of the articles name, and the other names, the commonest first, as these texts write them. A
    name that is part of another is left out."""
    least = max(min(articles, 2), NAMED_BY * articles)
    common = [name for name, times in names.items() if times >= least][: 2 * MOST_NAMES]
    shown = list(dict.fromkeys(filter(None, (shown_word(name, texts) for name in common))))
    places = [name for name in shown if is_place(name)]
    whole = [name for name in shown if not any(name in other and name != other for other in shown)]
    others = [name for name in whole if name not in places]
    return tuple(places[:MOST_NAMES]), tuple(others[:MOST_NAMES])


def _weight(text: str, weights: Mapping[str, float]) -> float:
    return sum(weights.get(word, 0.0) for word in {word for word, _ in content_words(text)})


def whole_word(word: str, texts: Iterable[str]) -> str:
    """The word with what stands beside it in nearly all texts: 星火课堂 for 星火 if all write that.

    The texts should report different events; with fewer than three the word stays as it is.

    >>> whole_word("星火", ["星火课堂开课", "走进星火课堂", "如何看待星火课堂？"])
    '星火课堂'
    >>> whole_word("课程", ["开设12门课程供学生选择", "有5门课程供学生选择", "30门课程供学生选择"])
    '课程'
    """
    spread = _spread(word, [text for text in map(fold_text, texts) if word in text])
    at = spread.index(word)
    ends = list(accumulate((len(piece) for piece, _ in tagged_words(spread)), initial=0))
    phrases = [
        spread[start:end]
        for start, end in product([*ends, at], [*ends, at + len(word)])
        if start <= at and at + len(word) <= end
    ]
    return max(filter(is_phrase, phrases), key=len, default=word)


def _spread(word: str, texts: Iterable[str]) -> str:
    """The word with the characters that nearly all places where it stands have beside it."""
    texts = [BLANK.sub("，", text) for text in texts]
    places = {
        text[max(at - LONGEST_WORD, 0) : at + len(word) + LONGEST_WORD] for text in texts for at in _starts(word, text)
    }
    enough = max(LEAST_TEXTS, NEARLY_ALL * len(places))
    while len(word) < LONGEST_WORD:
        grown_right = Counter(place[at : at + len(word) + 1] for place in places for at in _starts(word, place))
        grown_left = Counter(place[at - 1 : at + len(word)] for place in places for at in _starts(word, place) if at)
        longer_words = [longer for longer, times in (grown_right + grown_left).most_common() if times >= enough]
        longer = next((longer for longer in longer_words if HAN_EXTENDED.fullmatch(longer.replace(word, "", 1))), "")
        if not longer:
            break
        word = longer
    return word


def _starts(word: str, text: str) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + 1)


def is_phrase(word: str) -> bool:
    """Whether a word may name something: it is no clause and does not begin in the middle of one.

    >>> is_phrase("学分互认"), is_phrase("名中小学教师"), is_phrase("课程供学生选择"), is_phrase("不该变味")
    (True, False, False, False)
    """
    parts = list(tagged_words(word))
    if any(tag not in NOUNS | VERBS or piece in STOP_WORDS for piece, tag in parts):
        return False
    verbs = [at for at, (piece, tag) in enumerate(parts) if tag in VERBS and (at, tag, len(piece)) != (0, "a", 1)]
    whole_verbs = all(len(parts[at][0]) > 1 for at in verbs)
    begins = word[0] not in BEGINS_NO_NOUN and (parts[0][0] not in COUNTED or len(parts) == 1)
    return begins and whole_verbs and len(verbs) <= 1 and set(verbs) <= {0, len(parts) - 1}
