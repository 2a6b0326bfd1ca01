"""``python -m bench.briefings [--days N] [--happenings N] [--seed N]``: the daily briefings of a generated time whose events are known.

The pages of ``bench.event_stream`` are stored and analysed day by day; each night a briefing is made. Printed are the days whose
planted events (begun on the day, with two pages by its end) are all among the ten headlines, events that were told twice though
they did not grow, sentences that are not in their article, and the seconds of a briefing. The exit code is 1 if one of 15 days lacks
an event, an event was told twice, or a sentence is in no article.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from tempfile import TemporaryDirectory

from scrapy.utils.project import get_project_settings
from sqlalchemy import Engine, text

from bench.analysis import analyse, store
from bench.event_stream import DAY, START, Stream, stream
from newsspider.features.briefing.briefing_articles import BriefingScope, since_of
from newsspider.features.briefing.content import Briefing, BriefingKind
from newsspider.features.briefing.gathering import gather_briefing
from newsspider.features.briefing.rules.selection import has_grown
from newsspider.features.briefing.stored_briefings import keep, past_of
from newsspider.sites.holidays import Holidays
from newsspider.store.engine.database import open_store

HEADLINES = 10


@dataclass
class Measured:
    """What is wrong with the briefings: days that lack an event, events told twice, sentences that no article has."""

    days: int
    lacking: list[str]
    repeated: list[int]
    foreign: list[str]
    seconds: float = 0.0


def measure(engine: Engine, news: Stream, days: int) -> Measured:
    """Make the daily briefings of so many days in an empty store."""
    ids, told, measured = dict[str, int](), dict[int, int](), Measured(days, [], [], [])
    for day in range(1, days + 1):
        ids |= store(engine, [page for page in news.pages if day - 1 <= (page.crawled - START.timestamp()) / DAY < day])
        analyse(engine)
        begun = time.perf_counter()
        briefing = made_until(engine, START + timedelta(days=day))
        measured.seconds += time.perf_counter() - begun
        numbers = [item.event for item in briefing.items()]
        measured.repeated += {number for number in numbers if numbers.count(number) > 1}
        measured.repeated += [
            one.event for one in briefing.items() if one.event in told and not has_grown(one.pages, told[one.event])
        ]
        told |= {item.event: item.pages for item in briefing.items()}
        with engine.connect() as conn:
            event_of: dict[int, int] = dict(conn.execute(text("SELECT article_id, event_id FROM event_articles")).all())
            texts: dict[int, str] = dict(conn.execute(text("SELECT id, text || comments FROM articles")).all())
        if _lacks(news, briefing, ids, event_of):
            measured.lacking.append(briefing.since[:10])
        said = [(quote.article, quote.sentence) for item in briefing.items() for quote in item.quotes]
        said += [(blame.article, blame.sentence) for blame in briefing.criticism]
        measured.foreign += [sentence for article, sentence in said if sentence not in texts[article]]
    return measured


def made_until(engine: Engine, end: datetime) -> Briefing:
    """The daily briefing of everything that ends then, noted as made."""
    scope = BriefingScope(BriefingKind.DAILY, end, end)
    with engine.begin() as conn:
        past = past_of(conn, scope)
        scope = scope.beginning(since_of(BriefingKind.DAILY, past.last, end))
        briefing = gather_briefing(
            conn, scope, past, Holidays.of(get_project_settings()), end.timestamp(), "", HEADLINES
        )
        keep(conn, scope, briefing, end.timestamp())
    return briefing


def _lacks(news: Stream, briefing: Briefing, ids: dict[str, int], event_of: dict[int, int]) -> bool:
    """Whether a happening that began on its day, with two pages by its end, is none of its headlines."""
    since, until = (datetime.fromisoformat(at).timestamp() for at in (briefing.since, briefing.until))
    shown = {item.event for item in briefing.headlines}
    for happening in news.happenings:
        pages = [ids[page.url] for page in happening.pages if page.url in ids and page.published < until]
        if (
            since <= happening.first.published
            and len(pages) > 1
            and not shown & {event_of[article] for article in pages}
        ):
            return True
    return False


def main() -> int:
    """Print the figures; 1 if they are worse than they should be."""
    parser = argparse.ArgumentParser(prog="python -m bench.briefings")
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--happenings", type=float, default=3, help="a day")
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    news = stream(days=args.days, happenings_a_day=args.happenings, noise_a_day=10, seed=args.seed)
    with TemporaryDirectory() as folder:
        measured = measure(open_store(f"sqlite:///{folder}/briefings.db"), news, args.days)
    print(
        f"{args.days - len(measured.lacking)} of {args.days} days have all events; lacking: {', '.join(measured.lacking) or '-'}"
    )
    print(f"{len(measured.repeated)} events told twice, {len(measured.foreign)} sentences of no article")
    print(f"{1000 * measured.seconds / args.days:.0f} ms a briefing")
    return int(len(measured.lacking) * 15 > args.days or bool(measured.repeated or measured.foreign))


if __name__ == "__main__":
    sys.exit(main())
