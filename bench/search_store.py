"""The store of ``bench.search`` and ``bench.web``: generated articles with their search index, on SQLite or PostgreSQL."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Engine, text
from sqlalchemy.exc import OperationalError

from bench.search_world import FIELD, Article, generated
from newsspider.core.model import ARTICLE_FIELDS
from newsspider.core.query.parser import RuleError
from newsspider.core.query.query_language import FIELDS, Query, parse_query
from newsspider.core.query.query_tree import All, Text
from newsspider.core.text.tokenizer import units_of_text
from newsspider.core.url import url_key
from newsspider.search.facets import count_facets
from newsspider.search.hits import Sort, search
from newsspider.store.engine.database import open_store, reading
from newsspider.store.engine.statement import Statement
from newsspider.store.index import entries, opensearch
from newsspider.store.index.backend import COPY
from newsspider.store.index.contents import of_article
from newsspider.store.tables import articles as stored_articles
from tests.opensearch.node import Node

SECONDS_APART = 20  # 4,320 articles a day
SITES = 97
AT_ONCE = 64  # articles a transaction, as the writer of a crawl
A_SECOND = 50  # articles stored while queries are asked
RANDOM_QUERIES = 2_000
SAMPLE = 1_000  # articles by which the time to index one is measured
BYTES = {
    "sqlite": "SELECT sum(pgsize) FROM dbstat WHERE name LIKE 'search~_index~_%' ESCAPE '~' OR name LIKE '%search~_entries%' ESCAPE '~'",
    "postgresql": "SELECT pg_total_relation_size('search_vectors') + pg_total_relation_size('search_entries')",
}  # of the index
PIECES = [
    *FIELD[:30],
    "的",
    "考",
    "，",
    "AND",
    "OR",
    "NOT",
    "-",
    "(",
    ")",
    '"',
    "NEAR/3",
    "ONEAR/20",
    "*",
    "ab*",
    "site:站1",
    "3d",
    *(f"{name}:" for name in FIELDS),
]
LISTS = {name for name, field in ARTICLE_FIELDS.items() if field.is_list}
URL = Statement(
    "INSERT INTO article_urls (key, article_id, url, canonical_url, site, channel, added_at, noindex)"
    " VALUES (:key, :id, :url, :url, :site, '', 0, false)"
)


def milliseconds(act: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    """The milliseconds that it takes."""
    begun = clock()
    act()
    return 1000 * (clock() - begun)


class Ours:
    """The store; one that has the articles already is used as it is. The last of them is of the present moment when
    they are stored first."""

    def __init__(self, url: str, articles: Sequence[Article]) -> None:
        self.engine = open_store(url)
        self.is_server = self.engine.dialect.name == "postgresql"
        self.clock = time.perf_counter if self.is_server else time.thread_time
        self.insert, self.blank = insert_of(self.engine)
        self.count = len(articles)
        self.rate = 0.0  # articles a second that were stored meanwhile
        stored = self._number("SELECT max(id) FROM articles")
        first = self._number("SELECT published_ts FROM articles WHERE id = 1")
        self.start = (first or int(time.time()) - (len(articles) - 1) * SECONDS_APART) - SECONDS_APART
        self.now = self.start + len(articles) * SECONDS_APART
        if stored > len(articles):
            self._remove(stored)
        for begin in range(stored, len(articles), AT_ONCE):
            self.store(begin, articles[begin : begin + AT_ONCE])
        indexed = self._number("SELECT max(article_id) FROM search_entries")
        if indexed < len(articles):
            self._index(range(indexed + 1, len(articles) + 1))
            self.settle()
        self.indexing, self.size = self._indexing(), float(self._number(BYTES[self.engine.dialect.name]))

    def settle(self) -> None:
        """What the database does by itself a minute after so many rows."""
        with self.engine.connect() as conn:
            if not self.is_server:
                conn.exec_driver_sql("ROLLBACK")
                conn.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
            else:
                conn.execution_options(isolation_level="AUTOCOMMIT").execute(text("VACUUM ANALYZE"))

    def store(self, start: int, articles: Sequence[Article], *, index: bool = False) -> None:
        """Store these articles, numbered behind ``start``."""
        with self.engine.begin() as conn:
            for number, (title, body) in enumerate(articles, start + 1):
                at, site = self.start + number * SECONDS_APART, f"站{number % SITES}"
                url = f"http://a{number % SITES}.cn/{number}"
                own = {"id": number, "key": url_key(url), "url": url, "title": title, "text": body}
                own |= {
                    "site": site,
                    "kind": "article",
                    "topic": "education",
                    "priority": number % SITES,
                    "crawled_ts": at,
                }
                own["published_ts"] = at
                own["crawled_at"] = own["published_at"] = datetime.fromtimestamp(at, UTC).isoformat()
                self.insert.change(conn, self.blank | own | {"body_md5": f"{number:032x}"})
                URL.change(conn, {"key": own["key"], "id": number, "url": url, "site": site})
                if index:
                    entries.add(conn, number)

    def _index(self, numbers: Sequence[int]) -> None:
        for start in range(0, len(numbers), AT_ONCE):
            with self.engine.begin() as conn:
                for number in numbers[start : start + AT_ONCE]:
                    entries.add(conn, number)

    def _indexing(self) -> float:
        """The milliseconds to index all articles, by a sample that is taken out and indexed again in the full index."""
        sample = range(1, self.count + 1, max(1, self.count // SAMPLE))
        with self.engine.begin() as conn:
            for number in sample:
                source = of_article(conn, number)
                entry = conn.execute(
                    text("SELECT id FROM search_entries WHERE article_id = :id"), {"id": number}
                ).scalar_one()
                assert source is not None
                entries.backend_of(conn).remove(conn, entry, source.content())
                conn.execute(text("DELETE FROM search_entries WHERE id = :id"), {"id": entry})
        return milliseconds(lambda: self._index(sample), self.clock) * self.count / len(sample)

    def _remove(self, last: int) -> None:
        """Remove what was written while queries were asked."""
        with self.engine.begin() as conn:
            for number in range(self.count + 1, last + 1):
                with entries.changing(conn, number):
                    for table, name in (
                        ("event_articles", "article_id"),
                        ("article_urls", "article_id"),
                        ("articles", "id"),
                    ):
                        conn.execute(text(f"DELETE FROM {table} WHERE {name} = :id"), {"id": number})
            undone = "UPDATE batch_jobs SET last_done_id = :last WHERE kind = 'analyse' AND last_done_id > :last"
            conn.execute(text(undone), {"last": self.count})

    def _number(self, sql: str) -> int:
        with self.engine.connect() as conn:
            return int(conn.execute(text(sql)).scalar() or 0)

    def merge(self) -> None:
        """Join the parts of the index, as ``scrapy reindex --merge`` does."""
        more = begin = True
        while more:
            with self.engine.begin() as conn:
                more, begin = entries.merge(conn, begin=begin), False

    def asked(self, words: Sequence[str], sort: Sort = Sort.TIME) -> list[int]:
        """The newest 20, or the best."""
        with reading(self.engine) as conn:
            return [hit.record["id"] for hit in search(conn, _query(words), sort=sort, now=self.now).hits]

    def by_relevance(self, words: Sequence[str]) -> list[int]:
        """The best 20."""
        return self.asked(words, Sort.RELEVANCE)

    def facets(self, words: Sequence[str]) -> list[int]:
        """How many of the hits each site has."""
        with reading(self.engine) as conn:
            return [count for _, count in count_facets(conn, _query(words)).counts["site"]]

    @contextmanager
    def written(self, characters: int) -> Iterator[None]:
        """Somebody stores articles meanwhile, which are removed when the store is opened again."""
        more, stop, at, begun = list(generated(20_000, characters)), threading.Event(), self.count, time.monotonic()

        def write() -> None:
            nonlocal at
            while not stop.wait(1 / 5) and at < self.count + len(more):
                due = min(self.count + int(A_SECOND * (time.monotonic() - begun)), at + A_SECOND)
                with suppress(OperationalError):  # others write, too: it tries again, as the writer of a crawl does
                    self.store(at, more[at - self.count : due - self.count], index=True)
                    at = due

        writer = threading.Thread(target=write)
        writer.start()
        try:
            yield
        finally:
            stop.set()
            writer.join()
            self.rate = (at - self.count) / (time.monotonic() - begun)

    def slowest(self) -> tuple[float, str, int]:
        """Of random queries: the seconds of the slowest, that query, and how many were answered."""
        source, slow, answered = random.Random(2_000), (0.0, ""), 0
        for _ in range(RANDOM_QUERIES):
            query = source.choice(["", " "]).join(source.choice(PIECES) for _ in range(source.randint(1, 12)))
            try:
                parsed_query = parse_query(query, datetime.fromtimestamp(self.now, UTC))
            except RuleError:
                continue
            with reading(self.engine) as conn:
                sort = source.choice(list(Sort))
                begun = time.perf_counter()
                search(conn, parsed_query, sort=sort, now=self.now)
            slow, answered = max(slow, (time.perf_counter() - begun, query)), answered + 1
        return *slow, answered


class Copied(Ours):
    """The copy of the index of a store on an OpenSearch node, made anew, which answers its searches."""

    def __init__(self, own: Ours, node: Node) -> None:
        opensearch.SEARCH_SECONDS = 60.0  # else the store answers for a slow server
        self.engine = open_store(own.engine.url.render_as_string(hide_password=False))
        self.clock, self.count, self.now = time.perf_counter, own.count, own.now
        copy = opensearch.OpenSearchIndex(f"{node.url}/news")
        self.indexing = milliseconds(lambda: self._copy(copy), self.clock)
        node.ask("POST", "/news/_forcemerge?max_num_segments=1")
        node.ask("POST", "/news/_flush")
        self.size = float(node.ask("GET", "/news/_stats/store")["_all"]["primaries"]["store"]["size_in_bytes"])
        self.engine.update_execution_options(**{COPY: copy})

    def _copy(self, copy: opensearch.OpenSearchIndex) -> None:
        with reading(self.engine) as conn:
            while copy.copy_next(conn):
                pass


def _query(words: Sequence[str]) -> Query:
    texts = tuple(Text(tuple(units_of_text(word))) for word in words)
    return Query(texts[0] if len(texts) == 1 else All(texts))


def insert_of(engine: Engine) -> tuple[Statement, dict[str, Any]]:
    """Stores an article, and what the columns that matter to nobody here have."""
    values_given = {"published_ts", "published_at"}
    needed = [column for column in stored_articles.c if not column.nullable or column.name in values_given]
    blank = {
        column.name: "[]" if column.name in LISTS else "" if column.type.python_type is str else 0 for column in needed
    }
    names = ", ".join(blank)
    return Statement(f"INSERT INTO articles ({names}) VALUES ({', '.join(f':{name}' for name in blank)})"), blank
