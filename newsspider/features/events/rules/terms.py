"""Chooses the words by which articles of one event are recognised, and joins the names among them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from newsspider.core.extraction.keywords import word_rarity
from newsspider.core.text.characters import fold_text
from newsspider.core.text.phrases import STOP_WORDS, phrases
from newsspider.core.text.regions import province_names
from newsspider.core.text.tokenizer import segmenter

LEAD_CHARACTERS = 400  # characters of a text that are read: what happened stands there
TITLE_TIMES = 3  # a word of the title counts as this many of the lead
MOST_TERMS = 30  # of an article
NAME_TIMES = 1.6  # names tell events of one kind apart
MOST_JOINED = 4  # words of the name of an institution

# Tags of jieba; 岭北 is "s".
PLACE, PERSON, INSTITUTION, NOUN, NUMBER, SITUATED = "ns", "nr", "nt", "n", "m", "s"
NAME_TAGS = frozenset({PLACE, PERSON, INSTITUTION, "nz", "nrt", "nrfg"})
SAYING = NAME_TAGS | {"n", "v", "vn", "a", "an", "j", "l", "i", "eng", "s", "b", "ng"}
IN_NAMES = NAME_TAGS | {"n", "m", "j", "b", "f", "s", "ng", "a", "vn"}  # of words in the name of an institution
NOT_IN_NAMES = frozenset(phrases("no_institution_words"))
NO_NAMES = frozenset(phrases("words_tagged_as_names"))
INSTITUTION_KINDS = frozenset(phrases("institution_kinds"))
INSTITUTION_ENDS = phrases("institution_ends")
PROVINCES = frozenset(province_names())
PLACES = frozenset(phrases("places_like_words"))  # those that jieba's dictionary does not know as places
WHOLE_COUNTRY = "中国"  # is a place that distinguishes no events
SCHOOLS = frozenset({"小学", "中学", "幼儿园"})  # are named by any word of two characters: 光明小学
OF_A_SCHOOL = re.compile("(?<=[中小大]学)(?=校[车长园服内外门医舍友])")  # of 中学校车 jieba makes 中, 学校, 车
PLACE_UNITS = frozenset("省市县区")  # jieba separates them from names of places that it does not know
NUMBERED = re.compile("第[一二三四五六七八九十]+|[一二三四五六七八九十]{2,}")  # 第二中学, 八一中学
PLACE_END = re.compile(r"(?<=..)[省市县区]$")
# Figures in which the articles of a series differ: days, else months, years, weekdays, numbers of issues, points and
# parts, decimals, shares, and counts of two digits and more (62项), but not of
# people, who are counted again while something happens.
FIGURE = re.compile(
    r"\d{1,2}日|\d{1,2}月\d{1,2}|\d{1,2}月|\d{2,4}年|周[一二三四五六日]|\d+[期届点]|第[一二三四五六七八九十]+[章节讲课]"
    r"|[(（]\d+[)）]|\d+\.\d+|\d+%|\d{2,}[^\W\da-z_人死伤]"
)
BARE_YEAR = re.compile(r"(?<![\d.])(?:19|20)\d\d(?![\d.%年元点人名家只个万亿多余平米])")  # 2009 of 2009考研
# Numbers that report what happened: 378 of 378名, 62 of 62项; no dates, times, years and numbers of one digit.
NUMBER_TOLD = re.compile(r"(?<![\d.])(?!(?:19|20)\d\d(?![\d.]))\d(?:\d|\.\d)+(?![\d.]|[年月日号时点分届级期]|:\d)")
WORD_PATTERN = re.compile(r"[\u3400-\u9fff]{2,}|[a-z][a-z0-9+.-]+")

Tagged = tuple[str, str]  # a word and its tag


@dataclass(frozen=True, slots=True)
class ArticleTerms:
    """The words of an article with their weights, the heaviest first, which of them are names, the figures and
    places of its title, and the numbers that it tells."""

    weights: Mapping[str, float]
    names: frozenset[str]
    figures: frozenset[str] = frozenset()
    places: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()


def article_terms(title: str, text: str) -> ArticleTerms:
    """The words of the title and of the beginning of the text.

    >>> sorted(article_terms("杭州市第二中学实验楼起火", "消防车到场。").names)
    ['杭州', '杭州市第二中学', '第二中学']
    """
    counts: dict[str, float] = {}
    names: set[str] = set()
    in_title = list(_words_with_tags(title))
    for times, piece in ((TITLE_TIMES, in_title), (1, _words_with_tags(text[:LEAD_CHARACTERS]))):
        for word, tag in piece:
            counts[word] = counts.get(word, 0) + times
            if tag in NAME_TAGS:
                names.add(word)
    weights = {
        word: (1 + math.log(times)) * word_rarity(word) * (NAME_TIMES if word in names else 1)
        for word, times in counts.items()
    }
    heaviest = sorted(weights, key=lambda word: (-weights[word], word))[:MOST_TERMS]
    figures = frozenset(FIGURE.findall(BARE_YEAR.sub(r"\g<0>年", fold_text(title))))
    places = frozenset(word for word, tag in in_title if tag == PLACE and word != WHOLE_COUNTRY)
    numbers = frozenset(NUMBER_TOLD.findall(fold_text(f"{title}\n{text[:LEAD_CHARACTERS]}")))
    return ArticleTerms(
        {word: weights[word] for word in heaviest}, frozenset(names.intersection(heaviest)), figures, places, numbers
    )


def content_words(text: str) -> Iterator[tuple[str, bool]]:
    """Each word that says something, and whether it is a name. The name of an institution comes whole and without the
    place with which it begins, after that place, and not in pieces."""
    return ((word, tag in NAME_TAGS) for word, tag in _words_with_tags(text))


def _words_with_tags(text: str) -> Iterator[Tagged]:
    """The same words with their tags."""
    run: list[Tagged] = []
    for word, tag in [*tagged_words(fold_text(text)), ("", "")]:
        if tag in IN_NAMES and word not in NOT_IN_NAMES and (tag != NUMBER or NUMBERED.fullmatch(word)):
            run.append((word, tag))
            if len(run) > 1 and word.endswith(INSTITUTION_ENDS):
                yield from _institution(run)
                run = []
            continue
        yield from _apart(run)
        run = []
        yield from _apart([(word, tag)])


def _institution(run: list[Tagged]) -> Iterator[Tagged]:
    """The words of a run that ends like the name of an institution."""
    parts = _with_units(run[-MOST_JOINED:])
    start = _start_of_name(parts)
    yield from _apart([*run[:-MOST_JOINED], *parts[:start]])
    names = [word for word, _ in parts[start:]]
    if not names:
        return
    if parts[start][1] == PLACE and len(names) > 2:
        yield from _apart(parts[start : start + 1])
        yield "".join(names[1:]), INSTITUTION
    yield "".join(names), INSTITUTION


def _with_units(parts: list[Tagged]) -> list[Tagged]:
    """``parts`` with 江右 and 省 put together as a place."""
    joined = parts[:1]
    for word, tag in parts[1:]:
        if word in PLACE_UNITS and len(joined[-1][0]) > 1 and joined[-1][1] in NAME_TAGS | {NOUN}:
            joined[-1] = joined[-1][0] + word, PLACE
        else:
            joined.append((word, tag))
    return joined


def _start_of_name(parts: list[Tagged]) -> int:
    """The index at which the name of an institution begins; ``len(parts)`` if no word says which institution it is.

    That is the last place, unless only words for a kind of institution follow it (铜仁农村学校); where there is no place,
    the first name or number; else, for a school, the word before its end (光明小学).
    """
    *inner, (end, _) = parts
    places = [at for at, (_, tag) in enumerate(inner) if tag == PLACE]
    names = [
        at
        for at, (word, tag) in enumerate(inner)
        if tag in NAME_TAGS | {NUMBER, SITUATED} and word not in INSTITUTION_KINDS
    ]
    last = inner[-1][0] if inner else ""
    if places:
        following = [word for word, _ in inner[places[-1] + 1 :]]
        start = None if following and INSTITUTION_KINDS.issuperset(following) else places[-1]
    elif names:
        start = names[0]
    else:
        start = len(inner) - 1 if end in SCHOOLS and len(last) > 1 and last not in INSTITUTION_KINDS else None
    return len(parts) if start is None else start


def _apart(parts: Iterable[Tagged]) -> Iterator[Tagged]:
    """The tagged words that say something; places come without 省, 市, 县 or 区."""
    for word, tag in parts:
        if tag in SAYING and WORD_PATTERN.fullmatch(word) and word not in STOP_WORDS:
            yield (PLACE_END.sub("", word) if tag == PLACE else word), tag


def tagged_words(text: str) -> Iterable[Tagged]:
    """The words of a text with their tags; their concatenation is the text."""
    text = OF_A_SCHOOL.sub(" ", text).encode("utf-8", "replace").decode("utf-8")
    return ((word, _tag(word, tag)) for word, tag in segmenter().tag(text))


def _tag(word: str, tag: str) -> str:
    """The tag of a word, which jieba tags as ``tag``."""
    if word in PLACES:
        return PLACE
    return NOUN if tag in NAME_TAGS and word in NO_NAMES else tag


def is_verb(word: str) -> bool:
    """Whether a word is a verb and nothing else.

    >>> is_verb("发布"), is_verb("火灾")
    (True, False)
    """
    return [tag for _, tag in tagged_words(word)] == ["v"]


def is_place(name: str) -> bool:
    """Whether a name is that of a place. A district needs its 区 (新城区) if its name is also a common word.

    >>> is_place("杭州"), is_place("杭州大学")
    (True, False)
    """
    return {tag for _, tag in tagged_words(name)} == {PLACE}
