"""What alerts cost a crawl: the CPU time of storing articles, with the step that notes stories and without it, in turns.

``python -m bench.alerts [--articles N]`` prints a line for a store without alerts, with 20 and with 200: the time an article,
and how many times that of a release without the step.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from unittest.mock import patch

from sqlalchemy import Connection

from newsspider.core.crawling.visit import PageResult
from newsspider.features.alerts import story_matching
from newsspider.store import pages
from newsspider.store.engine.database import open_store, writing
from tests.support.receiver import alert
from tests.support.samples import NOW, STORED, article, lease_on
from tests.support.texts import WORDS, generated

TOGETHER = 40  # pages of a transaction
ROUNDS = 3
LETTERS = 1_200  # of an article
WITHOUT = -1
# what people wait for is rare: one in 20 of these stands in some of the articles
QUERIES = ("高考 作弊", "title:贪污 OR 挪用 -机构", "(教师 OR 学校) NEAR/5 贪污", "{word} 延时服务", "不会出现的词")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--articles", type=int, default=400)
    articles = parser.parse_args().articles
    times: dict[int, list[float]] = {WITHOUT: [], 0: [], 20: [], 200: []}
    for seed in range(ROUNDS):
        for count, measured in times.items():
            measured.append(seconds(count, articles, seed))
    base = statistics.median(times.pop(WITHOUT))
    print(f"storing an article without the step: {base * 1000:.2f} ms of CPU")
    for count, measured in times.items():
        median = statistics.median(measured)
        print(f"{count:4} alerts: {median * 1000:.2f} ms, {median / base:.2f} x")


def seconds(alerts: int, articles: int, seed: int) -> float:
    """The CPU time of storing an article in a new store with so many alerts; :data:`WITHOUT`: without the step."""
    step = patch.object(story_matching, "note", lambda *_: None) if alerts == WITHOUT else nullcontext()
    with step, tempfile.TemporaryDirectory() as folder:
        engine = open_store(f"sqlite:///{Path(folder) / 'news.db'}", durable=False)
        with writing(engine) as conn:
            for number in range(max(alerts, 0)):
                query = QUERIES[number % len(QUERIES)].format(word=WORDS[number % len(WORDS)])
                alert(conn, "http://127.0.0.1:1/", query=query if number % 20 else "title:双减 title:高考")
        spent = 0.0
        for first in range(0, articles, TOGETHER):
            with writing(engine) as conn:
                results = list(map(partial(result, conn, seed), range(first, first + TOGETHER)))
                start = time.process_time()
                pages.save_all(conn, results)
                spent += time.process_time() - start
        engine.dispose()
    return spent / articles


def result(conn: Connection, seed: int, number: int) -> tuple[PageResult, float]:
    """A page with an article of its own."""
    now = NOW + number // TOGETHER * 1000
    url = f"http://h{number % TOGETHER}.cn/{number}"
    text, title = (
        generated(seed * 1_000_000 + number + shift, size).replace("\0", "")
        for shift, size in ((0, LETTERS), (500_000, 20))
    )
    return PageResult(lease_on(conn, url, now), replace(STORED, fetched_at=now), article(url, text, title=title)), now


if __name__ == "__main__":
    main()
