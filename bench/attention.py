"""``python -m bench.attention [--articles N] [--postgresql URL] [--keep FOLDER]``: attention by days, beside the search's facets.

The store of ``bench.search`` is asked for the attention of each of its queries over all its days. Printed are the median and
the 95th percentile of the milliseconds by kind of query, with the hits of the median query, beside those of ``facets``, which
counts the newest 5,000 hits: the milliseconds for each thousand hits of both, and their ratio. A plain scan of all texts counts
a sample of the queries, too. Then the page of each picture is asked for with the same queries, and with an event of 300 pages:
the milliseconds of CPU of the whole page, and the ratio of their 95th percentile to the limit. The exit code is 1 if a count
differs from that of the scan, or if the 95th percentile of all queries, or of a page, is beyond 200 ms, the limit for a million
articles. A picture counts at most 15,000 or 30,000 of them.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar
from urllib.parse import urlencode

from fastapi.testclient import TestClient

from bench.search_store import Ours
from bench.search_world import QUERIES, Article, generated, questions
from newsspider.core.query.query_dates import date_of
from newsspider.core.query.query_language import Query, parse_query
from newsspider.core.text.characters import fold_text
from newsspider.core.text.regions import province_names
from newsspider.features.attention.counting import Attention, count_attention
from newsspider.features.attention.rules.periods import PeriodLength, Span, span_of
from newsspider.features.console.app import create_app
from newsspider.search.facets import Facets, count_facets
from newsspider.store.engine.database import reading
from newsspider.store.engine.statement import Statement

GOAL_MS = 200.0  # at a million articles
SCANNED = 5  # queries of a kind that a scan counts, too
PICTURES = {
    "map by region": "kind=map",
    "map by about": "kind=map&measure=about",
    "map by tendency": "kind=map&measure=tendency",
    "calendar": "kind=calendar",
    "shares of media": "kind=shares&split=media",
    "shares of two": "kind=shares&q=%22%E6%95%99%E8%82%B2%E9%83%A8%22",
}  # pages of a query
EVENT_PICTURES = {"spread": "kind=spread", "map of an event": "kind=map", "calendar of one": "kind=calendar"}
EVENT_PAGES = 300
EVENT = (
    "DELETE FROM event_articles WHERE event_id = 1 AND article_id <= :pages",
    "DELETE FROM events WHERE id = 1 AND id <= :pages",
    "INSERT INTO events (id, first_ts, last_ts, seen_ts, articles, weights, figures, places, numbers, names)"
    " VALUES (1, 0, 0, 0, :pages, '{}', '[]', '[]', '[]', '{}')",
    "INSERT INTO event_articles (article_id, event_id, similarity, words, names)"
    " SELECT id, 1, 1, '', '' FROM articles WHERE id <= :pages",
    "DELETE FROM reprints WHERE article_id <= :pages",
    "INSERT INTO reprints (article_id, group_id, is_first) SELECT id, 1, id = 1 FROM articles WHERE id <= :pages",
)
MEDIA = ("central", "local", "local", "trade", "portal", "official", "")
SENTENCE = "全国高考改革第{}号方案公布以后，各地学校的老师和家长都表示这件事情要慢慢来。"
PICTURE_LINE = "{:18} {:>10} {:>9} {:>7}"
T = TypeVar("T")
LINE = "{:14} {:>9} {:>11} {:>11} {:>16} {:>16} {:>7}"


def main() -> int:
    """Measure it; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--articles", type=int, default=20_000)
    parser.add_argument("--characters", type=int, default=300, help="of a text")
    parser.add_argument("--postgresql", metavar="URL", help="of an empty database, instead of SQLite")
    parser.add_argument("--keep", metavar="FOLDER", help="keep the store there, and use the one that is there")
    options = parser.parse_args()
    articles = list(generated(options.articles, options.characters))
    with TemporaryDirectory() as folder:
        file = Path(options.keep or folder) / f"{options.articles}-{options.characters}.db"
        store = Ours(options.postgresql or f"sqlite:///{file}", articles)
        try:
            is_beyond = _measured(store, articles)
            return _pictures(store, articles) | is_beyond
        finally:
            store.engine.dispose()


def _measured(store: Ours, articles: Sequence[Article]) -> int:
    span = span_of(date_of(store.start), date_of(store.now), PeriodLength.DAY)
    print(f"{store.count:,} articles of {len(span.starts)} days, {store.engine.dialect.name}")
    print(LINE.format("query", "hits", "median ms", "p95 ms", "ms/1000 hits", "facets ms/1000", "ratio"))
    times: list[float] = []
    wrong = 0
    for kind, several in questions(articles).items():
        own, peer, hits = list[float](), list[float](), list[int]()
        costs, costs_of_peer = list[float](), list[float]()
        for place, words in enumerate(several):
            query = parse_query(" ".join(f'"{word}"' for word in words), datetime.now(UTC))
            milliseconds, counted = _timed(partial(_attention, store, query, span))
            milliseconds_of_peer, counts = _timed(partial(_facets, store, query))
            own.append(milliseconds)
            peer.append(milliseconds_of_peer)
            hits.append(sum(counted.series[0].articles))
            if seen := sum(count for _, count in counts.counts["day"]):
                costs.append(1000 * milliseconds / hits[-1])
                costs_of_peer.append(1000 * milliseconds_of_peer / seen)
            if place < SCANNED:
                since = min(counted.counted_since.values(), default=date.min)
                scanned = _scanned(store, articles, words, span, since)
                wrong += scanned != list(counted.series[0].articles)
        times += own
        figures = (statistics.median(costs or [0]), statistics.median(costs_of_peer or [0]))
        print(
            LINE.format(
                kind,
                f"{statistics.median(hits):.0f}",
                f"{statistics.median(own):.1f}",
                f"{_p95(own):.1f}",
                f"{figures[0]:.2f}",
                f"{figures[1]:.2f}",
                f"{figures[1] / (figures[0] or 1):.1f}",
            )
        )
    p95 = _p95(times)
    print(f"p95 of all {p95:.0f} ms, {p95 / GOAL_MS:.2f} of {GOAL_MS:.0f} ms; {wrong} wrong counts")
    return int(wrong > 0 or p95 > GOAL_MS)


def _pictures(store: Ours, articles: Sequence[Article]) -> int:
    """Ask for the page of each picture, as a reader does; whether one is beyond the limit, or counts wrongly."""
    _give_regions(store)
    app = create_app(store.engine, hosts=["localhost"])
    app.state.queries.most = 10**9
    client = TestClient(app, base_url="http://localhost")
    until = date_of(store.now)
    since = min(date_of(store.start), until - timedelta(days=364))
    queries = [words for several in questions(articles).values() for words in several]
    print(PICTURE_LINE.format("picture", "median ms", "p95 ms", "ratio"), f"load {os.getloadavg()[0]:.1f}")
    worst, wrong = 0.0, 0
    for name, asked in (PICTURES | EVENT_PICTURES).items():
        times = list[float]()
        for place, words in enumerate(queries if name in PICTURES else queries[:10]):
            query = urlencode({"q": " ".join(f'"{word}"' for word in words)}) if name in PICTURES else "event=1"
            address = f"{asked}&{query}&since={since}&until={until}"
            begun = time.process_time()
            answer = client.get(f"/attention/pictures?{address}")
            times.append(1000 * (time.process_time() - begun))
            answer.raise_for_status()
            if name == "map by region" and place % QUERIES < SCANNED:
                wrong += not _is_right(client.get(f"/api/v1/attention/pictures?{address}").json(), articles, words)
        worst = max(worst, _p95(times))
        figures = f"{statistics.median(times):.1f}", f"{_p95(times):.1f}", f"{_p95(times) / GOAL_MS:.2f}"
        print(PICTURE_LINE.format(name, *figures))
    print(f"{wrong} wrong maps")
    return int(wrong > 0 or worst > GOAL_MS)


def _give_regions(store: Ours) -> None:
    """Each article gets a province by its number, places and a media class; the newest ones have sentences, and the first
    ones are an event."""
    names = province_names()
    with store.engine.begin() as conn:
        values = [
            {
                "id": number,
                "region": names[number % len(names)],
                "places": json.dumps([names[number % 7], names[number % 11]]),
                "media": MEDIA[number % len(MEDIA)],
            }
            for number in range(1, store.count + 1)
        ]
        change = "UPDATE articles SET region = :region, places = :places, media_class = :media WHERE id = :id"
        Statement(change).change_many(conn, values)
        text = "".join(map(SENTENCE.format, range(25)))
        of_newest = "UPDATE articles SET text = :text WHERE id > :last"
        Statement(of_newest).change(conn, {"text": text, "last": store.count - 2_000})
        for statement in EVENT:
            Statement(statement).change(conn, {"pages": EVENT_PAGES})


def _is_right(record: dict[str, Any], articles: Sequence[Article], words: Sequence[str]) -> bool:
    """Whether the map has the counts of a scan of all texts, if it counts all."""
    if record["counted_since"]:
        return bool(record["total"] > 0)
    found = Counter(province_names()[number % len(province_names())] for number in _numbers(articles, words))
    return {row["place"]: row["articles"] for row in record["rows"] if row["articles"]} == found


def _numbers(articles: Sequence[Article], words: Sequence[str]) -> list[int]:
    """The articles that have all of these words, by reading all texts; no phrase crosses a line."""
    folded = [fold_text(word) for word in words]
    return [
        number
        for number, (title, text) in enumerate(articles, 1)
        if all(word in whole for whole in [fold_text(f"{title}\n{text}")] for word in folded)
    ]


def _attention(store: Ours, query: Query, span: Span) -> Attention:
    with reading(store.engine) as conn:
        return count_attention(conn, {"": query}, span)


def _facets(store: Ours, query: Query) -> Facets:
    with reading(store.engine) as conn:
        return count_facets(conn, query)


def _scanned(store: Ours, articles: Sequence[Article], words: Sequence[str], span: Span, since: date) -> list[int]:
    """The articles of each day from this one on that have all of these words."""
    days = Counter(date_of(store.start + number * 20) for number in _numbers(articles, words))
    return [days[day] if day >= since else 0 for day in span.starts]


def _timed(act: Callable[[], T]) -> tuple[float, T]:
    begun = time.perf_counter()
    value = act()
    return 1000 * (time.perf_counter() - begun), value


def _p95(values: Sequence[float]) -> float:
    return sorted(values)[int(0.95 * (len(values) - 1))]


if __name__ == "__main__":
    sys.exit(main())
