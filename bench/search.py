"""``python -m bench.search [--articles N] [--characters N] [--postgresql URL]``: the search index of the store beside FTS5's
trigrams, jieba's words in FTS5 and in tantivy, and LIKE, in one run.

Of every contestant: CPU milliseconds and bytes an article to index, and the milliseconds (CPU of this thread, for PostgreSQL
the time of day; median and 95th percentile) of the newest 20 by kind of query, with the share of the right answers that it
finds, by a plain scan. Ours is also asked by relevance, while a writer stores 50 articles a second, and with its parts
joined. At the end 2,000 random queries: the slowest. ``--crawls``: the sample portal is crawled with and without the index
in turn. The exit code is 1 if ours misses an answer.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

from sqlalchemy import Engine, create_engine, text

from bench.search_world import FIELD, Article, generated, questions
from newsspider.core.query.grammar import BadRule
from newsspider.core.query.language import FIELDS, Query, parsed
from newsspider.core.query.tree import All, Text
from newsspider.core.text.search_tokens import units
from newsspider.core.text.words import cut
from newsspider.search.query import Sort, search
from newsspider.store.engine.database import open_store, reading
from newsspider.store.engine.statement import Statement
from newsspider.store.index import entries

START = 1_750_000_000
SECONDS_APART = 60
AT_ONCE = 64  # articles a transaction, as the writer of a crawl
A_SECOND = 50  # articles stored while queries are asked
RANDOM_QUERIES = 2_000
PIECES = [
    *FIELD[:30], "的", "考", "，", "AND", "OR", "NOT", "-", "(", ")", '"', "NEAR/3", "ONEAR/20", "*", "ab*", "site:站1", "3d",
    *(f"{name}:" for name in FIELDS),
]  # fmt: skip
LISTS = {"authors", "meta_keywords", "attachments", "editors", "images", "comments", "parts", "terms"}
URL = Statement(
    "INSERT INTO article_urls (key, article_id, url, canonical_url, site, channel, added_at, noindex)"
    " VALUES (:id, :id, :url, :url, '', '', 0, false)"
)

Asked = Callable[[Sequence[str]], list[int]]
Kinds = dict[str, list[list[str]]]
Right = dict[str, list[list[int]]]


class Contestant(Protocol):
    """An index of the articles, whose numbers are their places from 1."""

    indexing: float  # CPU milliseconds
    size: int  # bytes

    def asked(self, wanted: Sequence[str]) -> list[int]:
        """The newest 20 articles that have all of these texts."""


def measured(act: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    """The milliseconds that it takes."""
    begun = clock()
    act()
    return 1000 * (clock() - begun)


class Ours:
    """The index of the store, on SQLite or PostgreSQL."""

    def __init__(self, url: str, articles: Sequence[Article]) -> None:
        self.engine = open_store(url)
        self.clock = time.thread_time if self.engine.dialect.name == "sqlite" else time.perf_counter
        self.insert, self.blank = _insert(self.engine)
        self.lock = threading.Lock()
        for start in range(0, len(articles), AT_ONCE):
            self.store(start, articles[start : start + AT_ONCE])
        before = self._bytes()
        self.indexing = measured(lambda: self._index(len(articles)), self.clock)
        self.size = self._bytes() - before

    def store(self, start: int, articles: Sequence[Article], *, index: bool = False) -> None:
        """Store these articles, numbered behind ``start``."""
        with self.engine.begin() as conn:
            for number, (title, body) in enumerate(articles, start + 1):
                at = START + number * SECONDS_APART
                own = {"id": number, "key": number, "url": f"http://a{number % 97}.cn/{number}", "title": title, "text": body}
                own |= {"site": f"站{number % 97}", "kind": "article", "crawled_ts": at, "published_ts": at}
                self.insert.change(conn, self.blank | own | {"crawled_at": "2026-11-01T00:00:00+00:00"})
                URL.change(conn, {"id": number, "url": own["url"]})
                if index:
                    entries.add(conn, number)

    def _index(self, count: int) -> None:
        for start in range(1, count + 1, AT_ONCE):
            with self.engine.begin() as conn:
                for number in range(start, min(start + AT_ONCE, count + 1)):
                    entries.add(conn, number)

    def _bytes(self) -> int:
        if self.engine.dialect.name == "postgresql":
            with self.engine.connect() as conn:
                return int(conn.execute(text("SELECT pg_database_size(current_database())")).scalar_one())
        with self.engine.connect() as conn:
            conn.exec_driver_sql("ROLLBACK")
            conn.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        return Path(str(self.engine.url.database)).stat().st_size

    def merge(self) -> None:
        """Join the parts of the index, as ``scrapy reindex --merge`` does."""
        more = begin = True
        while more:
            with self.engine.begin() as conn:
                more, begin = entries.merge(conn, begin=begin), False

    def asked(self, wanted: Sequence[str], sort: Sort = Sort.TIME) -> list[int]:
        """The newest 20, or the best."""
        texts = tuple(Text(tuple(units(word))) for word in wanted)
        query = Query(texts[0] if len(texts) == 1 else All(texts))
        with reading(self.engine) as conn:
            return [hit.record["id"] for hit in search(conn, query, sort=sort, now=START).hits]

    def by_relevance(self, wanted: Sequence[str]) -> list[int]:
        """The best 20."""
        return self.asked(wanted, Sort.RELEVANCE)

    @contextmanager
    def written(self, count: int, characters: int) -> Iterator[None]:
        """Somebody stores articles meanwhile."""
        more, stop = list(generated(2_000, characters)), threading.Event()

        def write() -> None:
            at = count
            while not stop.wait(1 / 5) and at < count + len(more):
                self.store(at, more[at - count : at - count + A_SECOND // 5], index=True)
                at += A_SECOND // 5

        writer = threading.Thread(target=write)
        writer.start()
        try:
            yield
        finally:
            stop.set()
            writer.join()

    def slowest(self) -> tuple[float, str, int]:
        """Of random queries: the seconds of the slowest, that query, and how many were answered."""
        source, slow, answered = random.Random(2_000), (0.0, ""), 0
        for _ in range(RANDOM_QUERIES):
            query = source.choice(["", " "]).join(source.choice(PIECES) for _ in range(source.randint(1, 12)))
            try:
                wanted = parsed(query, datetime.fromtimestamp(START, UTC))
            except BadRule:
                continue
            with reading(self.engine) as conn:
                sort = source.choice(list(Sort))
                taken = measured(lambda wanted=wanted, sort=sort, conn=conn: search(conn, wanted, sort=sort, now=START), time.perf_counter)  # type: ignore[misc]
            slow, answered = max(slow, (taken / 1000, query)), answered + 1
        return *slow, answered


def _insert(engine: Engine) -> tuple[Statement, dict[str, Any]]:
    """Stores an article, and what the columns that matter to nobody here have."""
    from newsspider.store.tables import articles

    needed = [column for column in articles.c if not column.nullable or column.name == "published_ts"]
    blank = {
        column.name: "[]" if column.name in LISTS else "" if column.type.python_type is str else 0 for column in needed
    }
    names = ", ".join(blank)
    return Statement(f"INSERT INTO articles ({names}) VALUES ({', '.join(f':{name}' for name in blank)})"), blank


class Fts5:
    """Stock FTS5 with one of its tokenizers."""

    def __init__(self, path: Path, tokenizer: str, articles: Sequence[Article], cutting: Callable[[str], str]) -> None:
        self.cutting = cutting
        self.conn = sqlite3.connect(path)
        self.conn.execute(f"CREATE VIRTUAL TABLE f USING fts5(title, body, content='', tokenize='{tokenizer}')")
        self.indexing = measured(lambda: self._index(articles))
        self.size = path.stat().st_size

    def _index(self, articles: Sequence[Article]) -> None:
        for start in range(0, len(articles), AT_ONCE):
            with self.conn:
                some = enumerate(articles[start : start + AT_ONCE], start + 1)
                rows = [(number, self.cutting(title), self.cutting(body)) for number, (title, body) in some]
                self.conn.executemany("INSERT INTO f (rowid, title, body) VALUES (?, ?, ?)", rows)

    def asked(self, wanted: Sequence[str]) -> list[int]:
        """The newest 20."""
        match = " AND ".join(f'"{self.cutting(word)}"' for word in wanted)
        sql = "SELECT rowid FROM f WHERE f MATCH ? ORDER BY rowid DESC LIMIT 20"
        return [number for (number,) in self.conn.execute(sql, (match,))]


class Tantivy:
    """tantivy with jieba's words; it commits once, for it takes 20 ms each time."""

    def __init__(self, folder: Path, articles: Sequence[Article]) -> None:
        import tantivy

        folder.mkdir()
        schema = tantivy.SchemaBuilder().add_integer_field("number", stored=True, fast=True)
        schema = schema.add_text_field("body", tokenizer_name="whitespace").build()
        self.index = tantivy.Index(schema, path=str(folder))
        writer = self.index.writer(50_000_000, 1)

        def fill() -> None:
            for number, article in enumerate(articles, 1):
                writer.add_document(tantivy.Document(number=number, body=" ".join(cut("\n".join(article)))))
            writer.commit()
            writer.wait_merging_threads()

        self.indexing = measured(fill)
        self.size = sum(file.stat().st_size for file in folder.iterdir())
        self.index.reload()
        self.searcher = self.index.searcher()

    def asked(self, wanted: Sequence[str]) -> list[int]:
        """The newest 20."""
        written = " AND ".join(f'"{" ".join(cut(word))}"' for word in wanted)
        hits = self.searcher.search(self.index.parse_query(written, ["body"]), 20, order_by_field="number").hits
        return [self.searcher.doc(address)["number"][0] for _, address in hits]


class Like:
    """A scan with LIKE, newest first, which stops at 20."""

    def __init__(self, url: str) -> None:
        self.conn = create_engine(url).connect()

    def asked(self, wanted: Sequence[str]) -> list[int]:
        """The newest 20, and how many there are in all, as the search did before there was an index."""
        holds = " AND ".join(f"(title LIKE :w{number} OR text LIKE :w{number})" for number in range(len(wanted)))
        values = {f"w{number}": f"%{word}%" for number, word in enumerate(wanted)}
        self.conn.execute(text(f"SELECT count(*) FROM articles WHERE {holds}"), values).scalar()
        newest = text(f"SELECT id FROM articles WHERE {holds} ORDER BY crawled_ts DESC LIMIT 20")
        return [number for (number,) in self.conn.execute(newest, values)]


def main() -> int:
    """Index, ask, print; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m bench.search", description=__doc__)
    parser.add_argument("--articles", type=int, default=5_000)
    parser.add_argument("--characters", type=int, default=848, help="of a text; 0: headlines only")
    parser.add_argument("--postgresql", metavar="URL", help="of an empty database, which takes part")
    crawls = "crawl the sample portal N times with and without the index, and nothing else"
    parser.add_argument("--crawls", type=int, metavar="N", help=crawls)
    options = parser.parse_args()
    if options.crawls:
        from bench.search_crawls import compare

        return compare(options.crawls)
    articles = list(generated(options.articles, options.characters))
    kinds = questions(articles)
    with TemporaryDirectory(prefix="newsspider-bench-") as temporary:
        folder = Path(temporary)
        url = f"sqlite:///{folder}/ours.db"
        ours = Ours(url, articles)
        contestants: dict[str, Contestant] = {
            "newsspider": ours,
            "trigram": Fts5(folder / "trigram.db", "trigram", articles, str),
            "jieba words": Fts5(folder / "words.db", "unicode61", articles, lambda written: " ".join(cut(written))),
        }
        try:
            contestants["tantivy"] = Tantivy(folder / "tantivy", articles)
        except ModuleNotFoundError:
            print("tantivy is left out: it is not installed (pip install tantivy)")
        if options.postgresql:
            contestants["PostgreSQL"] = Ours(options.postgresql, articles)
        print(f"{len(articles)} articles of {options.characters} characters\n{'':16}{'ms/article':>12}{'bytes/article':>15}")
        for name, one in contestants.items():
            print(f"{name:16}{one.indexing / len(articles):>12.2f}{one.size / len(articles):>15.0f}")
        right = {kind: [_scanned(articles, wanted) for wanted in several] for kind, several in kinds.items()}
        print(f"\n{'':16}{'kind of query':16}{'p50 ms':>8}{'p95 ms':>8}{'recall':>8}", flush=True)
        recalls = [ask(name, one.asked, kinds, right, getattr(one, "clock", time.thread_time)) for name, one in contestants.items()]
        ask("by relevance", ours.by_relevance, kinds)
        with ours.written(len(articles), options.characters):
            ask("  while written", ours.asked, kinds)
            ask("  relevance", ours.by_relevance, kinds)
        ours.merge()
        ask("parts joined", ours.asked, kinds)
        ask("  relevance", ours.by_relevance, kinds)
        ask("LIKE", Like(url).asked, {kind: several[:5] for kind, several in kinds.items()})
        seconds, query, answered = ours.slowest()
        print(f"\n{answered} of {RANDOM_QUERIES} random queries can be read; the slowest takes {seconds:.2f} s: {query}")
    return 0 if recalls[0] == 1 else 1


def _scanned(articles: Sequence[Article], wanted: Sequence[str]) -> list[int]:
    """The newest 20 by a plain scan."""
    texts = ((number, articles[number - 1]) for number in range(len(articles), 0, -1))
    return list(islice((number for number, (title, body) in texts if all(word in title or word in body for word in wanted)), 20))


def ask(
    name: str, asked: Asked, kinds: Kinds, right: Right | None = None, clock: Callable[[], float] = time.thread_time
) -> float:
    """Print what each kind of query takes; the least share of right answers."""
    least = 1.0
    for kind, several in kinds.items():
        times, shares = [], []
        for place, wanted in enumerate(several):
            answers: list[int] = []
            times.append(measured(lambda wanted=wanted, answers=answers: answers.extend(asked(wanted)), clock))  # type: ignore[misc]
            if right is not None and (expected := right[kind][place]):
                shares.append(len(set(answers) & set(expected)) / len(expected))
        share = statistics.mean(shares) if shares else 1.0
        least = min(least, share)
        late = statistics.quantiles(times, n=20)[-1]
        shown = f"{share:>8.2f}" if shares else ""
        print(f"{name:16}{kind:16}{statistics.median(times):>8.1f}{late:>8.1f}{shown}", flush=True)
    return least


if __name__ == "__main__":
    sys.exit(main())
