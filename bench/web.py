"""``python -m bench.web [--articles N] [--characters N] [--keep FOLDER] [--seconds N]``: readers of ``scrapy web`` while articles
are stored.

The real server answers on a generated store of N articles (that of ``bench.search``, with sites, their URLs and 60 days of
health); somebody stores 50 articles a second. Every page and every question of the API is asked, by one reader alone; by 50 who
open a page every few seconds (``--pause``, the mean); and by 50 who ask again at once, which saturates any machine: then the
answers a second count, not their times. Each reader has an address of his own. Printed are the medians and 95th percentiles of
milliseconds of each page, the answers that failed, and the memory of the server. The exit code is 1 if a page takes more than
200 ms for readers who read, an answer fails, or the server takes more than 250 MB.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import statistics
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

import aiohttp
from sqlalchemy import Engine, text

from bench.growth_world import write
from bench.search_store import SITES, Ours
from bench.search_world import FIELD, generated
from newsspider.core.scheduling import publication_rate
from newsspider.features.health.rules.channel_day import ChannelDay, day_of
from newsspider.features.health.rules.states import Health
from newsspider.features.health.rules.visit_diagnosis import VisitHealth
from newsspider.features.health.stored_channel_days import KEPT_DAYS
from newsspider.store.engine.database import reading, writing

READERS = 50
MOST_MS, MOST_MB = 200.0, 250.0
DAY = 86_400
ANALYSED = 2_000  # of the articles have events when the server starts, as many as of half a day
PAGES = (
    "/",
    "/search?q={word}",
    "/search?q={word}%20{other}&sort=relevance",
    "/articles/{id}",
    "/articles/{id}/similar",
    "/events",
    "/events/{event}",
    "/attention?q={word}",
    "/attention?q={word}&q={other}",
    "/attention/pictures?kind=map&q={word}",
    "/attention/pictures?kind=calendar&q={word}",
    "/about?name={word}",
    "/briefings",
    "/board",
    "/catalogue",
    "/sites",
    "/sites/{site}",
    "/crawl",
    "/url?url={url}",
    "/submit",
    "/topics",
    "/topics/education",
    "/collections",
    "/alerts",
    "/settings",
    "/feeds/atom?q={word}",
    "/feeds/opml",
    *(
        f"/api/v1/{path}"
        for path in (
            "articles?q={word}",
            "articles?q={word}&sort=relevance",
            "facets?q={word}",
            "articles/{id}",
            "urls?url={url}",
            "health",
            "status",
            "sites",
            "sites/{site}",
            "topics",
            "topics/education",
            "collections",
            "news",
            "events",
            "events/{event}",
            "hot-words",
            "attention?q={word}",
            "attention/words?q={word}&q={other}",
            "articles/{id}/similar",
            "briefings",
            "marks?mark=star",
            "searches",
            "alerts",
            "alerts/messages",
        )
    ),
)

Times = defaultdict[str, list[float]]


def furnish(engine: Engine, now: float) -> None:
    """What the console shows beside articles: sites, what the ledger knows of their URLs, days of their lists; once."""
    with reading(engine) as conn:
        if conn.execute(text("SELECT count(*) FROM sites")).scalar():
            return
    names = [f"站{number}" for number in range(SITES)]
    toml = 'home = "http://a{1}.cn/"\nname = "{0}"\nweight = 5\nmedia_class = "portal"\n\n[[channels]]\nname = "新闻"\nurl = "http://a{1}.cn/list/"\n'
    sites = (
        (name, toml.format(name, number), True, 5, now - 90 * DAY, now, number + 1) for number, name in enumerate(names)
    )
    write(engine, "sites", ("name", "toml", "enabled", "weight", "added_at", "changed_at", "revision"), sites)
    rate, belief = publication_rate.UNKNOWN.rate, publication_rate.text_of(publication_rate.UNKNOWN)
    lists = (
        (name, "新闻", f"http://a{n}.cn/list/", -1 - n, 5, "list", rate, belief, now, now)
        for n, name in enumerate(names)
    )
    columns = ("site", "name", "url", "key", "weight", "kind", "rate", "rate_posterior", "seen_at", "last_polled_at")
    write(engine, "channels", columns, lists)
    write(engine, "channel_days", ("site", "channel", "day", "figures"), _days(names, now))
    with writing(engine) as conn:
        conn.execute(
            text(
                "INSERT INTO urls (key, url, host, site, channel, kind, state, reason, detail, depth, anchor, priority, found_at,"
                " fetch_count, last_fetched_at, last_status) SELECT a.key, a.url, 'a' || (a.id % :sites) || '.cn', a.site, '新闻',"
                " 'article', 'done', 'stored', '', 2, a.title, 50, a.crawled_ts, 1, a.crawled_ts, 200 FROM articles a"
            ),
            {"sites": SITES},
        )
        conn.execute(text("INSERT INTO hosts (host, pages) SELECT host, count(*) FROM urls GROUP BY host"))
        done = "UPDATE batch_jobs SET last_done_id = (SELECT max(id) FROM articles) - :left WHERE kind = 'analyse' AND finished_at IS NULL"
        conn.execute(text(done), {"left": ANALYSED})


def _days(names: Sequence[str], now: float) -> Iterator[tuple[str, str, int, str]]:
    chance, today = random.Random(27), day_of(now)
    for name in names:
        for day in range(today - KEPT_DAYS + 1, today + 1):
            channel_day = ChannelDay(day, articles=8, lacks={"author": 5}, rules={"//div[@class='body']": [8, 0]})
            for hour in range(24):
                channel_day.polled(
                    VisitHealth(Health.LIVE, ""), day * DAY + hour * 3600, chance.choice((0, 0, 1, 2)), 20
                )
            yield name, "新闻", day, channel_day.text()


@contextmanager
def served(url: str, folder: Path) -> Iterator[tuple[str, int]]:
    """The address of the server, and the number of its process."""
    log = folder / "web.log"
    with log.open("w", encoding="utf-8") as out:
        command = [sys.executable, "-m", "scrapy", "web", "--port", "0", "-s", f"DATABASE_URL={url}"]
        process = subprocess.Popen(command, stdout=out, stderr=out, env=os.environ | {"PYTHONUNBUFFERED": "1"})
    try:
        while not (match := re.search(r"console at (http://\S+?)/ ", log.read_text("utf-8"))):
            if process.poll() is not None:
                raise RuntimeError(log.read_text("utf-8"))
            time.sleep(0.1)
        yield match[1], process.pid
    finally:
        process.terminate()
        process.wait()


class Readers:
    """Who asks for pages, and what they saw."""

    def __init__(self, engine: Engine, address: str, count: int) -> None:
        self.address, self.count = address, count
        self.failed = Counter[str]()
        with reading(engine) as conn:
            latest = (
                "SELECT id FROM events WHERE id IN (SELECT event_id FROM event_articles) ORDER BY seen_ts DESC LIMIT 50"
            )
            self.events = list(conn.execute(text(latest)).scalars()) or [1]

    def path(self, page: str, chance: random.Random) -> str:
        """The page, of anything."""
        number = chance.randint(1, self.count)
        word, other = map(quote, chance.sample(FIELD, 2))
        url, site = quote(f"http://a{number % SITES}.cn/{number}", safe=""), quote(f"站{number % SITES}")
        return page.format(word=word, other=other, id=number, url=url, site=site, event=chance.choice(self.events))

    async def ask(self, session: aiohttp.ClientSession, page: str, chance: random.Random, times: Times) -> None:
        begun = time.perf_counter()
        try:
            async with session.get(self.address + self.path(page, chance)) as answer:
                await answer.read()
                if answer.status != 200:
                    self.failed[f"{answer.status} {page}"] += 1
        except (aiohttp.ClientError, TimeoutError) as error:
            self.failed[f"{type(error).__name__} {page}"] += 1
        times[page].append(1000 * (time.perf_counter() - begun))

    async def read(self, number: int, pause: float, until: float, times: Times) -> None:
        """One reader, who reads for a while after each page."""
        chance = random.Random(number)
        connector = aiohttp.TCPConnector(local_addr=(f"127.0.1.{number + 1}", 0))
        async with aiohttp.ClientSession(connector=connector) as session:
            await asyncio.sleep(chance.uniform(0, pause))
            while time.monotonic() < until:
                await self.ask(session, chance.choice(PAGES), chance, times)
                await asyncio.sleep(chance.uniform(0, 2 * pause))

    async def alone(self, rounds: int) -> Times:
        """Every page in turn, by one reader."""
        times: Times = defaultdict(list)
        chance = random.Random(27)
        for number in range(rounds):
            connector = aiohttp.TCPConnector(local_addr=(f"127.0.2.{number + 1}", 0))
            async with aiohttp.ClientSession(connector=connector) as session:
                for page in PAGES:
                    await self.ask(session, page, chance, times)
        return times

    async def together(self, pause: float, seconds: float) -> Times:
        """All readers at once."""
        times: Times = defaultdict(list)
        until = time.monotonic() + seconds
        await asyncio.gather(*(self.read(number, pause, until, times) for number in range(READERS)))
        return times


def late(times: Sequence[float]) -> float:
    """The 95th percentile."""
    return statistics.quantiles(times, n=20, method="inclusive")[-1] if len(times) > 1 else sum(times)


def megabytes(pid: int, name: str) -> float:
    """A figure of the memory of a process."""
    match = re.search(rf"{name}:\s*(\d+) kB", Path(f"/proc/{pid}/status").read_text("utf-8"))
    return int(match[1]) / 1000 if match else 0.0


def main() -> int:
    """Serve, read, print; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m bench.web", description=__doc__)
    parser.add_argument("--articles", type=int, default=100_000)
    parser.add_argument("--characters", type=int, default=848, help="of a text; 0: headlines only")
    parser.add_argument("--keep", metavar="FOLDER", help="keep the store there, and use the one that is there")
    parser.add_argument("--seconds", type=float, default=60.0, help="for which 50 readers read")
    parser.add_argument("--pause", type=float, default=5.0, help="seconds for which a reader reads a page in the mean")
    options = parser.parse_args()
    with TemporaryDirectory(prefix="newsspider-bench-") as temporary:
        url = f"sqlite:///{options.keep or temporary}/{options.articles}x{options.characters}.db"
        ours = Ours(url, list(generated(options.articles, options.characters)))
        furnish(ours.engine, time.time())
        with served(url, Path(temporary)) as (address, pid):
            until_analysed(ours.engine)
            readers = Readers(ours.engine, address, options.articles)
            with ours.written(options.characters):
                alone = asyncio.run(readers.alone(5))
                calm = asyncio.run(readers.together(options.pause, options.seconds))
                busy = asyncio.run(readers.together(0.0, options.seconds / 3))
            memory, most = megabytes(pid, "VmRSS"), megabytes(pid, "VmHWM")
    print(
        f"{options.articles} articles; p50 and p95 in ms\n{'':44}{'one reader':>16}{'50 who read':>18}{'50 at once':>18}"
    )
    for page in PAGES:
        columns = [f"{statistics.median(of[page] or [0]):>10.0f}{late(of[page]):>8.0f}" for of in (alone, calm, busy)]
        print(f"{page[:42]:42}{''.join(columns)}")
    answers, slow = [sum(map(len, times.values())) for times in (calm, busy)], max(map(late, calm.values()))
    print(
        f"answers a second: {answers[0] / options.seconds:.1f} to readers who read, {3 * answers[1] / options.seconds:.1f} at once"
    )
    print(
        f"all pages, readers who read: p95 {late([duration for times in calm.values() for duration in times]):.0f} ms"
    )
    print(f"articles stored a second: {ours.rate:.0f}")
    print(f"memory of the server: {memory:.0f} MB, {most:.0f} MB at most")
    print(f"failed: {dict(readers.failed) or 'none'}")
    return int(slow > MOST_MS or bool(readers.failed) or most > MOST_MB)


def until_analysed(engine: Engine) -> None:
    """Wait until the server has put the stored articles with their events."""
    from newsspider.features.events.detection_run import count_unanalysed

    while True:
        with reading(engine) as conn:
            if not count_unanalysed(conn):
                return
        time.sleep(0.5)


if __name__ == "__main__":
    sys.exit(main())
