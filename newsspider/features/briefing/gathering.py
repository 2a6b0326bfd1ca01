"""Gathers the content of a briefing from the store: events by their size, each once, with sentences of their articles."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice

from sqlalchemy import Connection

from newsspider.core.extraction.article import DATELINE
from newsspider.core.query.query_dates import ZONE
from newsspider.features.attention.counting import groups_of
from newsspider.features.briefing.briefing_articles import BriefingArticle, BriefingScope, articles_of, sites_of
from newsspider.features.briefing.content import TITLES, Blame, Briefing, Count, EventGroup, Item, Quote, SilentSource
from newsspider.features.briefing.rules.selection import (
    MOST_CRITICISMS,
    MOST_NAMES,
    MOST_QUOTES,
    adds_to,
    choose_events,
    has_grown,
    is_about_policy,
    says_the_same,
    size_rank,
)
from newsspider.features.briefing.stored_briefings import Past
from newsspider.features.events import events
from newsspider.features.events.criticism import criticism_model, criticisms_in
from newsspider.features.events.events import Event, EventPage, iso_moment
from newsspider.features.events.rules import explanations
from newsspider.features.events.rules.sentences import split_sentences, stands_alone
from newsspider.features.health.rules.states import Health
from newsspider.features.health.sources import source_health
from newsspider.sites.holidays import Holidays
from newsspider.store.engine.statement import rows_among

MOST_JUDGED = 300  # articles of the largest events in which sentences that criticise are looked for
MOST_READ = 5  # articles of an event in which its sentences are looked for

_TEXTS = "SELECT id, text FROM articles WHERE id IN ({keys})"
_EVENT_PAGES = """
    SELECT e.event_id, COALESCE(u.published_ts, u.added_at) AS moment FROM event_articles e
    JOIN article_urls u ON u.article_id = e.article_id WHERE e.event_id IN ({keys}) AND NOT u.noindex
    """


def gather_briefing(
    conn: Connection, scope: BriefingScope, past: Past, holidays: Holidays, now: float, title: str, most: int
) -> Briefing:
    """The briefing of a scope, with at most ``limit`` headlines."""
    there = articles_of(conn, scope)
    by_event: dict[int, list[BriefingArticle]] = defaultdict(list)
    for article in there:
        by_event[article.event].append(article)
    sizes = _sizes(conn, by_event.keys() & past.told.keys(), scope.until.timestamp())
    worth = {
        number: several
        for number, several in by_event.items()
        if number not in past.told or has_grown(sizes[number], past.told[number])
    }
    chosen = choose_events(worth, most)
    items = _items(conn, scope, past, chosen.all(), worth)
    return Briefing(
        kind=scope.kind,
        title=title or TITLES[scope.kind],
        number=past.number,
        since=_minute(scope.since),
        until=_minute(scope.until),
        made_at=_minute(datetime.fromtimestamp(now, ZONE)),
        last=_minute(past.last) if past.last else "",
        topic=scope.topic,
        region=scope.region,
        query=scope.query_text,
        new_events=sum(number not in past.told for number in worth),
        grown_events=sum(number in past.told for number in worth),
        headlines=_of(items, chosen.headlines),
        policies=_of(items, chosen.policies),
        subtopics=tuple(
            EventGroup(name, of) for name, several in chosen.subtopics.items() if (of := _of(items, several))
        ),
        regions=tuple(EventGroup(name, of) for name, several in chosen.regions.items() if (of := _of(items, several))),
        criticism=tuple(_criticism(conn, worth)),
        attention=tuple(_attention(conn, scope, there)),
        silent=tuple(_silent(conn, scope, holidays, now)),
    )


def _sizes(conn: Connection, numbers: Iterable[int], until: float) -> Counter[int]:
    """How many pages each event had then."""
    rows = rows_among(conn, _EVENT_PAGES, numbers)
    return Counter(row.event_id for row in rows if row.moment < until)


def _items(
    conn: Connection,
    scope: BriefingScope,
    past: Past,
    numbers: Sequence[int],
    by_event: Mapping[int, Sequence[BriefingArticle]],
) -> dict[int, Item]:
    known = events.read_events(conn, numbers)
    until, quoted = scope.until.timestamp(), list[str]()
    items = {}
    for number in numbers:
        event = known.get(number)
        of_scope = {article.id for article in by_event[number]}
        pages = [page for page in event.pages if page.article_id in of_scope and page.moment < until] if event else []
        if event is None or not pages:
            continue
        there = [page for page in event.pages if page.moment < until]
        given = next((page.given for page in event.pages if page.given), "")
        best = explanations.best_title((page.title for page in pages), event.weights)
        shown = min((page for page in pages if page.title == best), key=lambda page: page.moment)
        title = given or best
        quotes = _quotes(conn, event, [shown, *(page for page in pages if page is not shown)], title, quoted)
        quoted += [quote.sentence for quote in quotes]
        items[number] = Item(
            title=title,
            source=_source(shown),
            at=iso_moment(shown.shown),
            url=shown.copy.url,
            article=shown.article_id,
            reprints=sum(page.group == shown.group for page in there) - 1,
            event=number,
            pages=len(there),
            sites=len({page.copy.site for page in there}),
            grown=len(there) - past.told[number] if number in past.told else None,
            policy=is_about_policy(by_event[number]),
            quotes=tuple(quotes),
        )
    return items


def _quotes(
    conn: Connection, event: Event, pages: Sequence[EventPage], title: str, quoted: Sequence[str]
) -> list[Quote]:
    """The lead of the first of these pages and the sentence of them that says most of the event, or the next ones; none
    that repeats the title or one of the ``quoted`` sentences."""
    page_of = {page.article_id: page for page in reversed(pages)}
    numbers = list(dict.fromkeys(page.article_id for page in pages))[:MOST_READ]
    texts = {row.id: row.text for row in rows_among(conn, _TEXTS, numbers)}
    telling = [(explanations.sentence_with(texts.get(article, ""), event.weights), article) for article in numbers]
    most = explanations.best_title([sentence for sentence, _ in telling], event.weights)
    telling.sort(key=lambda pair: pair[0] != most)
    lead, *others = [(sentence, numbers[0]) for sentence in _whole_sentences(texts.get(numbers[0], ""))] or [("", 0)]
    quotes: list[Quote] = []
    for number, (sentence, article) in enumerate([lead, *telling, *others]):
        is_further = number > len(telling)
        if len(quotes) >= (1 if is_further else MOST_QUOTES):
            break
        is_of_event = not is_further or explanations.sentence_with(sentence, event.weights)
        repeats = says_the_same(sentence, [*quoted, *(quote.sentence for quote in quotes)])
        if sentence and is_of_event and not repeats and adds_to(title, sentence):
            quotes.append(Quote(sentence, article, _source(page_of[article]), page_of[article].copy.url))
    return quotes


def _whole_sentences(text: str) -> list[str]:
    """The sentences of a text that say something by themselves, without datelines."""
    several = (DATELINE.sub("", sentence, count=1) for sentence in split_sentences(text[: explanations.MOST_READ]))
    return [sentence for sentence in several if stands_alone(sentence)]


def _criticism(conn: Connection, by_event: Mapping[int, Sequence[BriefingArticle]]) -> Iterator[Blame]:
    """The sentences that criticise in the largest events, those that most say alike first."""
    ordered = sorted(by_event.values(), key=size_rank)
    known = {article.id: article for article in islice((one for several in ordered for one in several), MOST_JUDGED)}
    groups = criticisms_in(conn, criticism_model(), known).groups[:MOST_CRITICISMS]
    pages = events.read_events(conn, sorted({known[group[0].article].event for group in groups}))
    for group in groups:
        worst = group[0]
        several = pages[known[worst.article].event].pages if known[worst.article].event in pages else ()
        page = next((page for page in several if page.article_id == worst.article), None)
        if page is not None:
            yield Blame(
                worst.sentence,
                str(worst.voice),
                len(group),
                page.title,
                _source(page),
                iso_moment(page.shown),
                page.copy.url,
                worst.article,
                sum(other.group == page.group for other in several) - 1,
            )


def _attention(conn: Connection, scope: BriefingScope, there: Sequence[BriefingArticle]) -> Iterator[Count]:
    """The attention in all, for the largest sub-topics and regions."""
    since = scope.since.timestamp()
    now = _counts(conn, [article for article in there if article.moment >= since])
    then = _counts(conn, articles_of(conn, scope.a_week_before()))
    for field in ("all", "subtopic", "region"):
        names = sorted((key for key in now if key[0] == field), key=lambda key: (-now[key][0], key))
        for key in names[:MOST_NAMES]:
            yield Count(*key, *now[key], *then.get(key, (0, 0)))


def _counts(conn: Connection, there: Sequence[BriefingArticle]) -> dict[tuple[str, str], tuple[int, int]]:
    """The articles and the stories of each field and name."""
    groups = groups_of(conn, [article.id for article in there]) if there else {}
    numbers: dict[tuple[str, str], list[int]] = {("all", ""): []}
    for article in there:
        keys = [("all", ""), *(("subtopic", name) for name in article.subtopics)]
        for key in (*keys, ("region", article.region)) if article.region else keys:
            numbers.setdefault(key, []).append(article.id)
    return {
        key: (len(several), len({groups.get(article, -article) for article in several}))
        for key, several in numbers.items()
    }


def _silent(conn: Connection, scope: BriefingScope, holidays: Holidays, now: float) -> Iterator[SilentSource]:
    """The sources that bring nothing; of a region only its own."""
    of_region = sites_of(conn, scope.region) if scope.region else None
    for problem in source_health(conn, holidays, now).problems:
        if problem.health is Health.SILENT and (of_region is None or problem.site in of_region):
            since = iso_moment(problem.since)[:10] if problem.since else ""
            yield SilentSource(problem.site, problem.channels, since, " ".join(problem.evidence))


def _of(items: Mapping[int, Item], numbers: Iterable[int]) -> tuple[Item, ...]:
    return tuple(items[number] for number in numbers if number in items)


def _source(page: EventPage) -> str:
    """Who published a page: the outlet that it names, else its site."""
    return page.copy.source or page.copy.site


def _minute(when: datetime) -> str:
    return when.astimezone(ZONE).isoformat(timespec="minutes")
