"""Decides what a briefing tells: which events in which part, how many of each, which titles name a policy document,
whether an event that was told has grown, and whether two sentences say the same."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from newsspider.sites.model import MediaClass

if TYPE_CHECKING:
    from newsspider.features.briefing.briefing_articles import BriefingArticle

MOST_HEADLINES = 10  # unless somebody asks for another number
MOST_POLICIES = 10
MOST_NAMES, MOST_IN_GROUP = 8, 3  # sub-topics or regions, and further events of each
MOST_QUOTES = 2  # of an event
MOST_CRITICISMS = 8  # sentences that criticise
LEAST_GROWN, SHARE_GROWN = 2, 0.25  # new pages of an event that was told, and their share in those it had then
SAME_SENTENCE_SHARE = 0.5  # pairs of characters that two sentences share, of those of the shorter one

_DOCUMENTS = "通知|意见|办法|规定|条例|方案|规划|纲要|细则|决定|批复|公告|指南"
_NAMED = re.compile(rf"关于[^》]{{2,80}}的?(?:{_DOCUMENTS})(?:[》（(]|$)|(?:{_DOCUMENTS})(?:[（(][^）)]*[）)])?》")
_ENDS = re.compile(rf"(?:{_DOCUMENTS})(?:[（(][^）)]*[）)])?$")


@dataclass(frozen=True, slots=True)
class ChosenEvents:
    """The numbers of the events that each part tells, none of them twice."""

    headlines: list[int]
    policies: list[int]
    subtopics: dict[str, list[int]]
    regions: dict[str, list[int]]

    def all(self) -> list[int]:
        """Those of all parts."""
        groups = (*self.subtopics.values(), *self.regions.values())
        return [*self.headlines, *self.policies, *(number for group in groups for number in group)]


def choose_events(by_event: Mapping[int, Sequence[BriefingArticle]], most: int) -> ChosenEvents:
    """Which events are told where: the largest as headlines, then policy documents, then by sub-topic and region."""
    ordered = sorted(by_event, key=lambda number: size_rank(by_event[number]))
    headlines = ordered[:most]
    left = ordered[most:]
    policies = [number for number in left if is_about_policy(by_event[number])][:MOST_POLICIES]
    left = [number for number in left if number not in policies]
    subtopics = _grouped(left, by_event, lambda article: article.subtopics)
    of_subtopics = {number for several in subtopics.values() for number in several}
    left = [number for number in left if number not in of_subtopics]
    regions = _grouped(left, by_event, lambda article: (article.region,) if article.region else ())
    return ChosenEvents(headlines, policies, subtopics, regions)


def size_rank(several: Sequence[BriefingArticle]) -> tuple[int, int, int]:
    """The most pages first; of equals the heaviest site, then the latest."""
    weight, latest = max(article.weight for article in several), max(article.moment for article in several)
    return -sum(article.pages for article in several), -weight, -latest


def is_about_policy(several: Iterable[BriefingArticle]) -> bool:
    """Whether one of the articles of an event has a title that names a policy document."""
    return any(is_policy(article.title, article.media_class) for article in several)


def _grouped(
    numbers: Iterable[int],
    by_event: Mapping[int, Sequence[BriefingArticle]],
    names_of: Callable[[BriefingArticle], Sequence[str]],
) -> dict[str, list[int]]:
    """The events of each name, by the name that most of their articles have; the names of most articles."""
    groups: dict[str, list[int]] = defaultdict(list)
    sizes: Counter[str] = Counter()
    for number in numbers:
        names = Counter(name for article in by_event[number] for name in names_of(article))
        if names:
            name = min(names, key=lambda name: (-names[name], name))
            sizes[name] += len(by_event[number])
            groups[name].append(number)
    return {name: groups[name][:MOST_IN_GROUP] for name, _ in sizes.most_common(MOST_NAMES)}


def is_policy(title: str, media_class: str) -> bool:
    """Whether a title names a policy document; that of an office may just end with the word for one.

    >>> is_policy("教育部印发《关于加强体育工作的意见》", "local"), is_policy("家长对食堂有意见", "local")
    (True, False)
    >>> is_policy("2027年招生工作规定", "official"), is_policy("局长调研学校", "official")
    (True, False)
    """
    return _NAMED.search(title) is not None or (media_class == MediaClass.OFFICIAL and _ENDS.search(title) is not None)


def has_grown(pages: int, told: int) -> bool:
    """Whether an event is told again that now has ``pages`` pages, and had ``told`` when it was told last.

    >>> has_grown(5, 4), has_grown(6, 4), has_grown(44, 40), has_grown(50, 40)
    (False, True, False, True)
    """
    return pages - told >= max(LEAST_GROWN, SHARE_GROWN * told)


def says_the_same(sentence: str, others: Iterable[str]) -> bool:
    """Whether most of a sentence stands in one of the others, or the other way round.

    >>> says_the_same("杭州一小学昨日起火。", ["昨日，杭州一小学起火！"]), says_the_same("原因不明。", ["杭州一小学起火。"])
    (True, False)
    """
    pairs = set(pairwise(sentence))
    several = (set(pairwise(other)) for other in others)
    return any(len(pairs & other) >= SAME_SENTENCE_SHARE * max(min(len(pairs), len(other)), 1) for other in several)


def adds_to(title: str, sentence: str) -> bool:
    """Whether a sentence says something that the title above it does not.

    >>> adds_to("杭州一小学起火", "杭州一小学起火。"), adds_to("杭州一小学起火", "昨日上午，杭州一小学起火，无人受伤。")
    (False, True)
    """
    pairs = set(pairwise(sentence))
    return len(pairs & set(pairwise(title))) < SAME_SENTENCE_SHARE * len(pairs)
