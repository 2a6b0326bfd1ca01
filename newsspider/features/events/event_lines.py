"""Shows events in lines of 80 columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from newsspider.core.query.query_dates import ZONE, publication_text
from newsspider.core.text.terminal_columns import column_count, cut_to_columns, wrap_text
from newsspider.features.events.events import Event, EventPage
from newsspider.features.events.headlines import Headline
from newsspider.features.events.hot_words import HotWord
from newsspider.features.events.source_shares import Share
from newsspider.features.events.suggested_terms import TopicTerm

SCREEN_WIDTH = 80
LABEL_WIDTH, NAME_WIDTH = 14, 40  # columns


def event_lines(event: Event, now: float) -> Iterator[str]:
    """An event in a list: its title; its size, its growth and the first source; places and names."""
    yield cut_to_columns(event.title, SCREEN_WIDTH)
    recent = [f"{count} in {name}" for name, count in event.growth(now).items() if count]
    grown = f", {recent[0]}" if recent else ""
    yield cut_to_columns(f"  id {event.id}, {size(event)}{grown}, first {origin(event.first)}", SCREEN_WIDTH)
    names = [name for several in event.places_and_names() for name in several]
    if names:
        yield cut_to_columns(f"  {', '.join(names)}", SCREEN_WIDTH)
    yield ""


def fact_lines(event: Event, now: float) -> Iterator[str]:
    """All that is known of an event but for its pages."""
    yield from wrap_text(event.title, SCREEN_WIDTH)
    (places, names), flows = event.places_and_names(), event.flows("media_class")
    facts = {
        "id": str(event.id),
        "size": f"{size(event)}, {event.articles} different",
        "first source": origin(event.first),
        "last": moment(event.last.shown),
        "growth": counts(event.growth(now), "none in 24h"),
        "timeline": counts({day[5:]: count for day, count in event.timeline().items()}),
        "places": ", ".join(places) or "-",
        "names": ", ".join(names) or "-",
        "sites": counts(event.counts("site")),
        "media": counts(event.counts("media_class")),
        "taken": counts({f"{source} -> {copier}": pages for (source, copier), pages in flows.items()}),
    }
    for label, fact in facts.items():
        for number, line in enumerate(wrap_text(fact, SCREEN_WIDTH - LABEL_WIDTH - 2)):
            yield f"  {'' if number else label:<{LABEL_WIDTH}}{line}"


def page_lines(
    page: EventPage, words: Sequence[str], sentence: str, taken_from: str = "", *, is_first: bool = False
) -> Iterator[str]:
    """A page of an event: when and where; its title; the words and the sentence that made it part of the event."""
    where = f"{page.copy.site or '-'} ({page.media_class or '-'})"
    credited = f", source {page.copy.source}" if page.copy.source and page.copy.source != page.copy.site else ""
    came = f", {taken_from}" if taken_from else credited
    yield cut_to_columns(f"{moment(page.shown)}  {where}{came}, id {page.article_id}", SCREEN_WIDTH)
    yield cut_to_columns(f"  {page.title}", SCREEN_WIDTH)
    if words:
        how = f"similarity {page.similarity:.2f} by" if page.similarity else "with"
        how = "began the event with" if is_first else how
        yield cut_to_columns(f"  {how} {', '.join(words)}", SCREEN_WIDTH)
    if sentence and sentence != page.title:
        yield cut_to_columns(f"  {sentence}", SCREEN_WIDTH)


def headline_lines(headline: Headline) -> Iterator[str]:
    """A headline: its score and title; its first source; the weights that made the score."""
    event = headline.event
    yield cut_to_columns(f"{headline.score:5.2f}  {event.title}", SCREEN_WIDTH)
    yield cut_to_columns(f"       first {origin(event.first)}, {size(event)}, id {event.id}", SCREEN_WIDTH)
    yield cut_to_columns(f"       by {counts(headline.sites)}", SCREEN_WIDTH)


def word_lines(word: HotWord) -> Iterator[str]:
    """A hot word: how often it is and was; an article that has it."""
    beside = f"; beside {', '.join(word.beside)}" if word.beside else ""
    yield cut_to_columns(f"{word.word}  {word.articles} articles, {word.expected:.1f} expected{beside}", SCREEN_WIDTH)
    for reason in word.reasons[:1]:
        yield cut_to_columns(f"  {reason['title']} (id {reason['article']})", SCREEN_WIDTH)


def term_lines(term: TopicTerm) -> Iterator[str]:
    """A word that a topic may lack: in how much it stands; the latest article that has it."""
    yield cut_to_columns(f"{term.word}  {term.events} events, {term.articles} articles", SCREEN_WIDTH)
    for number, title in term.reasons[:1]:
        yield cut_to_columns(f"  {title} (id {number})", SCREEN_WIDTH)


def share_lines(shares: Iterable[Share]) -> Iterator[str]:
    """The shares, one facet below the other."""
    facet = ""
    for share in shares:
        if share.facet != facet:
            facet = share.facet
            yield f"{facet}: {share.of} articles, {share.of_before} before"
        name = cut_to_columns(share.name, NAME_WIDTH)
        blanks = " " * (NAME_WIDTH - column_count(name))
        yield f"  {name}{blanks}{share.articles:>8}{share.share:>8.1%}{100 * share.change:>+8.1f}"


def size(event: Event) -> str:
    """How many pages of how many sites."""
    pages, sites = len(event.pages), len(event.counts("site"))
    return f"{pages} page{'s' if pages > 1 else ''} of {sites} site{'s' if sites > 1 else ''}"


def origin(page: EventPage) -> str:
    """The site of a page and its time, with the outlet that it names."""
    credited = f" ({page.copy.source})" if page.copy.source and page.copy.source != page.copy.site else ""
    return f"{page.copy.site or '-'}{credited} {moment(page.shown)}"


def moment(seconds: float) -> str:
    """A moment in China, or a day alone."""
    return publication_text(datetime.fromtimestamp(seconds, ZONE), "%m-%d %H:%M")


def counts(values: Mapping[str, int], none: str = "-") -> str:
    """Names with their counts, without those that have none."""
    return ", ".join(f"{name or '-'} {count}" for name, count in values.items() if count) or none
