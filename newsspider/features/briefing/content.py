"""What a briefing holds, as plain data. Each line leads to the article that it rests on. ``rules/selection.py`` has the
order of its groups, ``forms`` their headings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any


class BriefingKind(StrEnum):
    """How often a briefing is made; one of its own (``special``) is not counted among the others."""

    DAILY = "daily"
    WEEKLY = "weekly"
    SPECIAL = "special"


TITLES = {BriefingKind.DAILY: "每日简报", BriefingKind.WEEKLY: "每周简报", BriefingKind.SPECIAL: "专题简报"}


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence, and the article that has it. One that a model wrote says so itself."""

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
    note: str = ""  # of the editor


@dataclass(frozen=True, slots=True)
class EventGroup:
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
    """All of it. Times are those of China; ``last`` is when the one before it ended; ``words`` says how much of it a
    model wrote."""

    kind: BriefingKind
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
    subtopics: tuple[EventGroup, ...]
    regions: tuple[EventGroup, ...]
    criticism: tuple[Blame, ...]
    attention: tuple[Count, ...]
    silent: tuple[SilentSource, ...]
    words: str = ""

    def items(self) -> list[Item]:
        """The items of all parts."""
        grouped = (item for group in (*self.subtopics, *self.regions) for item in group.items)
        return [*self.headlines, *self.policies, *grouped]

    def record(self) -> dict[str, Any]:
        """The same as JSON has it."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ItemEdit:
    """What an editor makes of an item: its title, a note, its place among the items of its part, and its sentences."""

    title: str
    note: str
    place: int
    quotes: tuple[Quote, ...]


def edited_briefing(briefing: Briefing, title: str, edits: Mapping[int, ItemEdit]) -> Briefing:
    """The briefing with another title and only the items whose events have an edit, ordered by their places."""

    def chosen(items: Iterable[Item]) -> tuple[Item, ...]:
        kept = sorted((item for item in items if item.event in edits), key=lambda item: edits[item.event].place)
        left = ((item, edits[item.event]) for item in kept)
        return tuple(replace(item, title=edit.title, note=edit.note, quotes=edit.quotes) for item, edit in left)

    def grouped(groups: Iterable[EventGroup]) -> tuple[EventGroup, ...]:
        return tuple(EventGroup(group.name, items) for group in groups if (items := chosen(group.items)))

    return replace(
        briefing,
        title=title,
        headlines=chosen(briefing.headlines),
        policies=chosen(briefing.policies),
        subtopics=grouped(briefing.subtopics),
        regions=grouped(briefing.regions),
    )


def read_record(text: str) -> Briefing:
    """The briefing of a record in JSON."""
    from pydantic import TypeAdapter

    return TypeAdapter(Briefing).validate_json(text)
