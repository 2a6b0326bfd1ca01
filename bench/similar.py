"""``python -m bench.similar [--days N] [--asked N] [--seed N]``: more like this, on a generated time whose events are known.

The pages of ``bench.event_stream`` are stored and analysed. For articles of events of at least three stories the first five similar
articles are asked for, or as many as the event has. Printed are the share of them that are of the event, and the CPU milliseconds of
a question; with the peer that a store without events has, the order of BM25 over the shared keywords. The exit code is 1 if the share
is below 85 %, or not above that of the peer.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import defaultdict
from collections.abc import Mapping
from tempfile import TemporaryDirectory

from sqlalchemy import Connection, text

from bench.analysis import analyse, store
from bench.event_stream import stream
from newsspider.search.similar import similar_articles
from newsspider.store.articles.article_records import article_of
from newsspider.store.engine.database import open_store, reading, writing

SHOWN = 5
LEAST_STORIES = 3
LEAST_SHARE = 0.85


def measure(conn: Connection, events: Mapping[int, int], count: int, seed: int) -> tuple[float, float]:
    """The share of right articles among the first five, and the CPU milliseconds of a question."""
    groups = {row.article_id: row.group_id for row in conn.execute(text("SELECT article_id, group_id FROM reprints"))}
    stories = defaultdict[int, dict[int, int]](dict)
    for number, event in sorted(events.items()):
        stories[event].setdefault(groups.get(number, -number), number)
    asked = [number for several in stories.values() if len(several) >= LEAST_STORIES for number in several.values()]
    random.Random(seed).shuffle(asked)
    right = wanted = 0
    begun = time.process_time()
    for number in asked[:count]:
        most = min(SHOWN, len(stories[events[number]]) - 1)
        record = article_of(conn, number)
        assert record is not None
        hits = similar_articles(conn, record, SHOWN)[:most]
        right += sum(events.get(hit.record["id"]) == events[number] for hit in hits)
        wanted += most
    return right / wanted, 1000 * (time.process_time() - begun) / min(count, len(asked))


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("days", 30), ("asked", 150), ("seed", 26)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    news = stream(days=options.days, seed=options.seed)
    with TemporaryDirectory() as folder:
        engine = open_store(f"sqlite:///{folder}/news.db")
        ids = store(engine, news.pages)
        analyse(engine)
        events = {ids[page.url]: page.happening for page in news.pages if page.happening is not None}
        with reading(engine) as conn:
            share, ms = measure(conn, events, options.asked, options.seed)
        with writing(engine) as conn:
            conn.execute(text("DELETE FROM event_articles"))
        with reading(engine) as conn:
            peer, peer_ms = measure(conn, events, options.asked, options.seed)
        engine.dispose()
    print(f"first {SHOWN} of the event: {share:.1%}, {ms:.0f} ms CPU a question")
    print(f"by shared keywords alone:  {peer:.1%}, {peer_ms:.0f} ms CPU; {share / peer:.2f} times as many are right")
    return int(share < LEAST_SHARE or share <= peer)


if __name__ == "__main__":
    sys.exit(main())
