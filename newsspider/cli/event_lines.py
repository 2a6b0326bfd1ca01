"""Shows events in lines of 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from newsspider.analysis.events import Event, Page
from newsspider.core.query.moments import ZONE
from newsspider.core.text.columns import cut, wrapped

WIDTH = 80
LABEL = 14  # columns


def event_lines(event: Event, now: float) -> Iterator[str]:
    """An event in a list: its title; its size, its growth and the first source; places and names."""
    yield cut(event.title, WIDTH)
    recent = [f"{count} in {name}" for name, count in event.growth(now).items() if count]
    grown = f", {recent[0]}" if recent else ""
    yield cut(f"  id {event.id}, {size(event)}{grown}, first {origin(event.first)}", WIDTH)
    names = [name for several in event.places_and_names() for name in several]
    if names:
        yield cut(f"  {', '.join(names)}", WIDTH)
    yield ""


def fact_lines(event: Event, now: float) -> Iterator[str]:
    """All that is known of an event but for its pages."""
    yield from wrapped(event.title, WIDTH)
    places, names = event.places_and_names()
    facts = {
        "id": str(event.id), "size": f"{size(event)}, {event.articles} different", "first source": origin(event.first),
        "last": moment(event.pages[-1].moment), "growth": counts(event.growth(now), "none in 24h"),
        "timeline": counts({day[5:]: count for day, count in event.timeline().items()}),
        "places": ", ".join(places) or "-", "names": ", ".join(names) or "-",
        "sites": counts(event.counts("site")), "media": counts(event.counts("media_class")),
    }  # fmt: skip
    for label, fact in facts.items():
        for number, line in enumerate(wrapped(fact, WIDTH - LABEL - 2)):
            yield f"  {'' if number else label:<{LABEL}}{line}"


def page_lines(page: Page, sentence: str) -> Iterator[str]:
    """A page of an event: when and where; its title; the words and the sentence that made it part of the event."""
    where = f"{page.copy.site or '-'} ({page.media_class or '-'})"
    credited = f", source {page.copy.source}" if page.copy.source and page.copy.source != page.copy.site else ""
    yield cut(f"{moment(page.moment)}  {where}{credited}, id {page.article_id}", WIDTH)
    yield cut(f"  {page.title}", WIDTH)
    if page.words:
        how = f"similarity {page.similarity:.2f} by" if page.similarity else "began the event with"
        yield cut(f"  {how} {', '.join(page.words)}", WIDTH)
    if sentence and sentence != page.title:
        yield cut(f"  {sentence}", WIDTH)


def size(event: Event) -> str:
    """How many pages of how many sites."""
    pages, sites = len(event.pages), len(event.counts("site"))
    return f"{pages} page{'s' if pages > 1 else ''} of {sites} site{'s' if sites > 1 else ''}"


def origin(page: Page) -> str:
    """The site of a page and its time, with the outlet that it names."""
    credited = f" ({page.copy.source})" if page.copy.source and page.copy.source != page.copy.site else ""
    return f"{page.copy.site or '-'}{credited} {moment(page.moment)}"


def moment(seconds: float) -> str:
    """A moment in China."""
    return f"{datetime.fromtimestamp(seconds, ZONE):%m-%d %H:%M}"


def counts(values: Mapping[str, int], none: str = "-") -> str:
    """Names with their counts, without those that have none."""
    return ", ".join(f"{name or '-'} {count}" for name, count in values.items() if count) or none
