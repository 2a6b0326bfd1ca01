"""The stores of ``bench.growth``: a ledger and articles as a crawl leaves them, written as fast as the database takes them."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from typing import Any

from sqlalchemy import Engine, text

from bench.frontier import QUEUES
from bench.search_store import AT_ONCE, insert_of
from bench.search_world import generated
from newsspider.core.crawling.visit import Offer
from newsspider.core.fetching.robots import RobotsText
from newsspider.core.model import LinkKind, PageType, Reason, Region
from newsspider.core.scheduling import publication_rate
from newsspider.core.url import host_of, url_key
from newsspider.store import ledger
from newsspider.store.engine.database import writing
from newsspider.store.index import entries
from newsspider.store.ledger.links import form_of
from newsspider.store.ledger.stored_links import pack_links

START = 1_780_000_000.0  # in the past: a crawl on such a store has no clock that was set back
DAY = 86_400.0
HOSTS, SITES = 500, 50
FIRST_DAY, A_DAY = date(2020, 1, 1), 5  # of the URLs of a host, and how many it has a day
MOST_ARTICLES = 100_000  # to index more takes hours
LINKS_KEPT = 20  # of the page of an article
CHARACTERS = 400  # of a text
FILL_CACHE, CACHE = -2_000_000, -2_048  # KiB while SQLite is filled, and as the project has it
# Of each twenty URLs: what became of them.
FATES = (
    "stored",
    "stored",
    "found",
    *["off_topic"] * 6,
    *["unread"] * 5,
    *["duplicate"] * 2,
    "trap",
    "gone",
    "not_an_article",
    "retry",
)
UNREAD_TOPIC = "education, links below 0.002"  # as the link filter of that topic names itself
STATES = {"found": "waiting", "retry": "waiting", "gone": "error"}
COLUMNS = (
    "key",
    "url",
    "host",
    "site",
    "channel",
    "kind",
    "state",
    "reason",
    "detail",
    "depth",
    "parent",
    "anchor",
    "priority",
    "found_at",
    "due_at",
    "update_cycle",
    "last_fetched_at",
    "last_status",
    "fetch_count",
    "etag",
    "body_hash",
    "topic",
)
LINKS = ("id", "form", "dst", "url", "anchor", "kind", "region")


def fate_of(number: int) -> str:
    """What became of the URL of this number."""
    return FATES[number // HOSTS % len(FATES)]


def url_of(number: int) -> str:
    """The URL of this number. Of each three hosts one has a folder a day, one numbers its pages in one folder, one gives
    them random names."""
    place, host = divmod(number, HOSTS)
    if host % 3 == 0:
        day = FIRST_DAY + timedelta(place // A_DAY)
        return f"http://h{host}.example/news/{day:%Y%m}/{day:%d}/t{day:%Y%m%d}_{place}.html"
    name = place + 100_000 if host % 3 == 1 else hashlib.md5(b"%d" % number, usedforsecurity=False).hexdigest()
    return f"http://h{host}.example/info/1021/{name}.htm"


def offer_of(number: int) -> Offer:
    """The URL of this number, as a list page offers it."""
    url, host = url_of(number), number % HOSTS
    return Offer(
        url_key(url),
        url,
        host_of(url),
        PageType.ARTICLE,
        f"s{host % SITES}",
        f"c{host}",
        2,
        anchor="教育部发布通知",
        priority=50,
        refused=Reason.OFF_TOPIC if fate_of(number) == "unread" else None,  # by the link filter, each time
        topic=UNREAD_TOPIC if fate_of(number) == "unread" else None,
    )


def fill(engine: Engine, urls: int) -> None:
    """Sites, hosts whose robots.txt was read, their lists and so many other URLs, a tenth of them stored as articles up to a number."""
    write(engine, "sites", ("name", "toml", "enabled", "weight", "added_at", "changed_at", "revision"), _sites())
    write(engine, "urls", COLUMNS, _lists())
    for start in range(0, urls, 1_000_000):  # in the order of keys: the trees are filled once
        numbers = sorted(range(start, min(start + 1_000_000, urls)), key=lambda number: url_key(url_of(number)))
        write(engine, "urls", COLUMNS, (_row(number, urls) for number in numbers))
    names = ("site", "name", "url", "key", "weight", "kind", "rate", "rate_posterior", "seen_at", "last_polled_at")
    write(engine, "channels", names, _channels())
    with writing(engine) as conn:
        conn.execute(text("INSERT INTO hosts (host, pages) SELECT host, count(*) FROM urls GROUP BY host"))
        conn.execute(text(QUEUES))
        for host in range(HOSTS):
            ledger.keep_robots(conn, f"h{host}.example", RobotsText(200, b"User-agent: *", START))
    _articles(engine, urls)
    if engine.dialect.name == "postgresql":
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as conn:
            conn.execute(text("VACUUM ANALYZE"))  # what its daemon does a minute later


def write(engine: Engine, table: str, columns: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> None:
    """Write rows."""
    names = ", ".join(columns)
    with writing(engine) as conn:
        cursor: Any = conn.connection.cursor()
        if engine.dialect.name == "postgresql":
            with cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        else:
            cursor.execute(f"PRAGMA cache_size = {FILL_CACHE}")
            cursor.executemany(f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(columns))})", rows)
            cursor.execute(f"PRAGMA cache_size = {CACHE}")
        cursor.close()


def _row(number: int, urls: int) -> tuple[Any, ...]:
    offered, fate = offer_of(number), fate_of(number)
    reason, read = ("off_topic" if fate == "unread" else fate), fate not in {"found", "unread", "trap"}
    found_at = START - 400 * DAY * (1 - number / urls)
    due_at = {
        "found": found_at,
        "retry": START,
        "stored": START + DAY * (1 + number % 30) if number % 10 == 1 else None,
    }.get(fate)
    detail = {"duplicate": url_of(number + 1), "trap": f"http://h{number % HOSTS}.example/news/{number % 7}/*"}.get(
        fate, ""
    )
    digest = hashlib.md5(str(number).encode(), usedforsecurity=False).hexdigest() if read else None
    return (
        offered.key,
        offered.url,
        offered.host,
        offered.site,
        offered.channel,
        "article",
        STATES.get(fate, "done"),
        reason,
        detail,
        2,
        url_key(_list_of(number % HOSTS)),
        "教育部关于做好今年高考改革工作的通知",
        50,
        found_at,
        due_at,
        None,
        found_at + 60 if read else None,
        (404 if fate == "gone" else 200) if read else None,
        int(read),
        '"5e1f-abc"' if read else None,
        digest,
        {"off_topic": "education", "unread": UNREAD_TOPIC}.get(fate),
    )


def _list_of(host: int) -> str:
    return f"http://h{host}.example/list/"


def _lists() -> Iterator[tuple[Any, ...]]:
    for host in range(HOSTS):
        url = _list_of(host)
        yield (
            url_key(url),
            url,
            host_of(url),
            f"s{host % SITES}",
            f"c{host}",
            "list",
            "done",
            "polled",
            "",
            1,
            None,
            "",
            1050,
            START - 400 * DAY,
            START + 600 + host,
            3600.0,
            START - 60,
            200,
            900,
            None,
            "x",
            None,
        )


def _sites() -> Iterator[tuple[Any, ...]]:
    for site in range(SITES):
        yield f"s{site}", f'name = "s{site}"', True, 5, START, START, site + 1


def _channels() -> Iterator[tuple[Any, ...]]:
    rate, belief = publication_rate.UNKNOWN.rate, publication_rate.text_of(publication_rate.UNKNOWN)
    for host in range(HOSTS):
        url = _list_of(host)
        yield f"s{host % SITES}", f"c{host}", url, url_key(url), 5, "list", rate, belief, START - 60, START - 60


def _articles(engine: Engine, urls: int) -> None:
    numbers = [number for number in range(urls) if fate_of(number) == "stored"][-MOST_ARTICLES:]
    insert, blank = insert_of(engine)
    chance, texts = random.Random(29), generated(len(numbers), CHARACTERS)
    for start in range(0, len(numbers), AT_ONCE):
        with engine.begin() as conn:
            for article_id, number in enumerate(numbers[start : start + AT_ONCE], start + 1):
                title, body = next(texts)
                offered, at = offer_of(number), int(START) - 60 * (len(numbers) - article_id)
                own = {
                    "id": article_id,
                    "key": offered.key,
                    "url": offered.url,
                    "title": title,
                    "text": body,
                    "site": offered.site,
                }
                own |= {
                    "kind": "article",
                    "crawled_ts": at,
                    "published_ts": at,
                    "crawled_at": "2026-11-01T00:00:00+00:00",
                }
                insert.change(
                    conn,
                    blank | own | {"body_md5": f"{number:032x}", "topic": "education", "terms": json.dumps(["高考"])},
                )
    of = list(enumerate(numbers, 1))
    columns = ("key", "article_id", "url", "canonical_url", "site", "channel", "title", "added_at", "noindex")
    offers = ((offer_of(number), article_id) for article_id, number in of)
    write(
        engine,
        "article_urls",
        columns,
        ((o.key, n, o.url, o.url, o.site, o.channel, "", START, False) for o, n in offers),
    )
    prints = ((chance.randrange(-(2**31), 2**31), article_id) for article_id, _ in of for _ in range(24))
    write(engine, "fingerprints", ("value", "article_id"), prints)
    write(engine, "distinct_links", LINKS, map(_link, range(urls)))
    linking = sorted((url_key(url_of(number)), number) for number in numbers)
    write(
        engine,
        "page_links",
        ("src", "found_at", "links"),
        ((src, START, _links_of(number, urls)) for src, number in linking),
    )
    for start in range(0, len(of), AT_ONCE):
        with engine.begin() as conn:
            for article_id, _ in of[start : start + AT_ONCE]:
                entries.add(conn, article_id)
    if engine.dialect.name == "postgresql":
        with engine.begin() as conn:
            for table in ("articles", "distinct_links"):
                conn.execute(text(f"SELECT setval('{table}_id_seq', max(id)) FROM {table}"))


def _link(number: int) -> tuple[Any, ...]:
    offered = offer_of(number)
    form = form_of(offered.key, LinkKind.ARTICLE, Region.MAIN, offered.anchor)
    return number + 1, form, offered.key, offered.url, offered.anchor, LinkKind.ARTICLE, Region.MAIN


def _links_of(number: int, urls: int) -> bytes:
    """A page links to the URLs found after it, the next ones most."""
    return pack_links({2 * ((number + 1 + place * place * 7) % urls + 1) for place in range(LINKS_KEPT)})
