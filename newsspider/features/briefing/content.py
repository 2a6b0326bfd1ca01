"""What a briefing holds, as plain data. Each line leads to the article that it rests on."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class Kind(StrEnum):
    """How often a briefing is made; one of its own (``special``) is not counted among the others."""

    DAILY = "daily"
    WEEKLY = "weekly"
    SPECIAL = "special"


TITLES = {Kind.DAILY: "每日简报", Kind.WEEKLY: "每周简报", Kind.SPECIAL: "专题简报"}


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence, and the article that has it."""

    sentence: str
    article: int
    source: str
    url: str


@dataclass(frozen=True, slots=True)
class Item:
    """An event: the article whose title stands for it, and sentences of its articles. ``grown``: how many pages it got
    since it was told last; ``None`` if it was not told before."""

    title: str
    source: str
    at: str
    url: str
    article: int
    reprints: int  # other pages with that article
    event: int
    pages: int
    sites: int
    grown: int | None
    policy: bool  # it tells of a policy document
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Further events of a sub-topic or a region."""

    name: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Blame:
    """A sentence that criticises; ``alike`` counts it and those that say nearly the same."""

    sentence: str
    voice: str  # whose: of an article, a post or a comment
    alike: int
    title: str
    source: str
    at: str
    url: str
    article: int
    reprints: int


@dataclass(frozen=True, slots=True)
class Count:
    """The attention for one name of a field, beside the same time a week before. A story, an article with its
    reprints, counts once."""

    field: str  # `all`, `subtopic` or `region`
    name: str
    articles: int
    stories: int
    articles_before: int
    stories_before: int


@dataclass(frozen=True, slots=True)
class SilentSource:
    """A source whose lists bring nothing for longer than they ever did."""

    site: str
    channels: tuple[str, ...]
    since: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Briefing:
    """All of it. Times are those of China; ``last`` is when the one before it ended."""

    kind: Kind
    title: str
    number: int
    since: str
    until: str
    made_at: str
    last: str
    topic: str
    region: str
    query: str
    new_events: int
    grown_events: int
    headlines: tuple[Item, ...]
    policies: tuple[Item, ...]
    subtopics: tuple[Group, ...]
    regions: tuple[Group, ...]
    criticism: tuple[Blame, ...]
    attention: tuple[Count, ...]
    silent: tuple[SilentSource, ...]

    def items(self) -> list[Item]:
        """The items of all parts."""
        grouped = (item for group in (*self.subtopics, *self.regions) for item in group.items)
        return [*self.headlines, *self.policies, *grouped]

    def record(self) -> dict[str, Any]:
        """The same as JSON has it."""
        return asdict(self)
