"""``python -m bench.search [--articles N] [--characters N] [--postgresql [URL]] [--opensearch] [--keep FOLDER] [--alone]``: the
search index of the store, on each engine, beside FTS5's trigrams, jieba's words in FTS5 and in tantivy, and LIKE, in one run.

One table compares the engines: bytes an article, seconds to build, and milliseconds by the clock (median and 95th percentile) of
the newest 20, the best 20 and facets, by kind of query; each query is asked of all engines in turn. Without a URL, ``--postgresql``
and ``--opensearch`` start servers of their own; OpenSearch has a copy of the index of PostgreSQL, and needs java and mvn.

Of every contestant: CPU milliseconds and bytes an article to index, and the milliseconds (CPU of this thread, for servers
the time of day) of the newest 20 by kind of query, with the share of the right answers that it
finds, by a plain scan. All but LIKE are asked for the best 20, too; ours while a writer stores 50 articles a second, and with its parts
joined. At the end 2,000 random queries: the slowest. ``--keep`` keeps our stores in a folder, named after their size, and uses
those that are there; a database of PostgreSQL that has the articles is used as it is, too. ``--alone`` leaves the peers and all
after the table out, as for ``--articles 1000000``. ``--crawls``: the sample portal is crawled with and without the index in turn.
The exit code is 1 if ours misses an answer.
"""

from __future__ import annotations

import argparse
import sqlite3
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

from sqlalchemy import create_engine, text

from bench.search_store import AT_ONCE, Copied, Ours, milliseconds
from bench.search_world import Article, generated, questions
from newsspider.core.text.tokenizer import cut_words
from tests.opensearch.node import Node
from tests.support.servers import postgres

Asked = Callable[[Sequence[str]], list[int]]
Kinds = dict[str, list[list[str]]]
Right = dict[str, list[list[int]]]


class Contestant(Protocol):
    """An index of the articles, whose numbers are their places from 1."""

    indexing: float  # CPU milliseconds
    size: float  # bytes

    def asked(self, words: Sequence[str]) -> list[int]:
        """The newest 20 articles that have all of these texts."""

    def by_relevance(self, words: Sequence[str]) -> list[int]:
        """The best 20."""


class Fts5:
    """Stock FTS5 with one of its tokenizers."""

    def __init__(self, path: Path, tokenizer: str, articles: Sequence[Article], cutting: Callable[[str], str]) -> None:
        self.cutting = cutting
        self.conn = sqlite3.connect(path)
        self.conn.execute(f"CREATE VIRTUAL TABLE f USING fts5(title, body, content='', tokenize='{tokenizer}')")
        self.indexing = milliseconds(lambda: self._index(articles))
        self.size: float = path.stat().st_size

    def _index(self, articles: Sequence[Article]) -> None:
        for start in range(0, len(articles), AT_ONCE):
            with self.conn:
                some = enumerate(articles[start : start + AT_ONCE], start + 1)
                rows = [(number, self.cutting(title), self.cutting(body)) for number, (title, body) in some]
                self.conn.executemany("INSERT INTO f (rowid, title, body) VALUES (?, ?, ?)", rows)

    def asked(self, words: Sequence[str], order: str = "rowid DESC") -> list[int]:
        """The newest 20."""
        match = " AND ".join(f'"{self.cutting(word)}"' for word in words)
        sql = f"SELECT rowid FROM f WHERE f MATCH ? ORDER BY {order} LIMIT 20"
        return [number for (number,) in self.conn.execute(sql, (match,))]

    def by_relevance(self, words: Sequence[str]) -> list[int]:
        """The best 20 by FTS5's bm25 over all hits."""
        return self.asked(words, "rank")


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
                writer.add_document(tantivy.Document(number=number, body=" ".join(cut_words("\n".join(article)))))
            writer.commit()
            writer.wait_merging_threads()

        self.indexing = milliseconds(fill)
        self.size: float = sum(file.stat().st_size for file in folder.iterdir())
        self.index.reload()
        self.searcher = self.index.searcher()

    def asked(self, words: Sequence[str], order: str | None = "number") -> list[int]:
        """The newest 20."""
        written = " AND ".join(f'"{" ".join(cut_words(word))}"' for word in words)
        hits = self.searcher.search(self.index.parse_query(written, ["body"]), 20, order_by_field=order).hits
        return [self.searcher.doc(address)["number"][0] for _, address in hits]

    def by_relevance(self, words: Sequence[str]) -> list[int]:
        """The best 20 by tantivy's BM25 over all hits."""
        return self.asked(words, None)


class Like:
    """A scan with LIKE, newest first, which stops at 20."""

    def __init__(self, url: str) -> None:
        self.conn = create_engine(url).connect()

    def asked(self, words: Sequence[str]) -> list[int]:
        """The newest 20, and how many there are in all, as the search did before there was an index."""
        holds = " AND ".join(f"(title LIKE :w{number} OR text LIKE :w{number})" for number in range(len(words)))
        values = {f"w{number}": f"%{word}%" for number, word in enumerate(words)}
        self.conn.execute(text(f"SELECT count(*) FROM articles WHERE {holds}"), values).scalar()
        newest = text(f"SELECT id FROM articles WHERE {holds} ORDER BY crawled_ts DESC LIMIT 20")
        return [number for (number,) in self.conn.execute(newest, values)]


def main() -> int:
    """Index, ask, print; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m bench.search", description=__doc__)
    parser.add_argument("--articles", type=int, default=5_000)
    parser.add_argument("--characters", type=int, default=848, help="of a text; 0: headlines only")
    parser.add_argument(
        "--postgresql", metavar="URL", nargs="?", const="", help="PostgreSQL takes part: an empty database"
    )
    parser.add_argument(
        "--opensearch", action="store_true", help="a node takes part that copies the index of PostgreSQL"
    )
    parser.add_argument(
        "--keep", metavar="FOLDER", help="keep the store of SQLite there, and use the one that is there"
    )
    parser.add_argument("--alone", action="store_true", help="without peers")
    crawls = "crawl the sample portal N times with and without the index, and nothing else"
    parser.add_argument("--crawls", type=int, metavar="N", help=crawls)
    options = parser.parse_args()
    if options.crawls:
        from bench.search_crawls import compare

        return compare(options.crawls)
    if options.opensearch and options.postgresql is None:
        options.postgresql = ""
    articles = list(generated(options.articles, options.characters))
    kinds = questions(articles)
    with ExitStack() as servers:
        folder = Path(servers.enter_context(TemporaryDirectory(prefix="newsspider-bench-")))
        url = f"sqlite:///{options.keep or folder}/{options.articles}x{options.characters}.db"
        engines = {"SQLite": Ours(url, articles)}
        if options.postgresql is not None:
            server = options.postgresql or servers.enter_context(_database())
            engines["PostgreSQL"] = Ours(server, articles)
        if options.opensearch:
            node = servers.enter_context(_node(folder / "opensearch"))
            engines["OpenSearch"] = Copied(engines["PostgreSQL"], node)
        print(f"{len(articles)} articles of {options.characters} characters; p50 / p95 in ms by the clock")
        right = {kind: [_scanned(articles, words) for words in several] for kind, several in kinds.items()}
        recalls = compare_engines(engines, kinds, right)
        if not options.alone:
            compare_with_peers(folder, engines, articles, kinds, right)
            ask("LIKE", Like(url).asked, {kind: several[:5] for kind, several in kinds.items()})
    return 0 if min(recalls) == 1 else 1


def compare_engines(engines: dict[str, Ours], kinds: Kinds, right: Right) -> list[float]:
    """Print what each engine takes, one a column; the share of right answers of each."""
    rows = {"bytes an article": [f"{engine.size / engine.count:.0f}" for engine in engines.values()]}
    rows["s to build"] = [f"{engine.indexing / 1000:.1f}" for engine in engines.values()]
    shares: dict[str, list[float]] = {name: [] for name in engines}
    for kind, several in kinds.items():
        for task in ("newest", "relevance", "facets"):
            times: dict[str, list[float]] = {name: [] for name in engines}
            for words, expected in zip(several, right[kind], strict=True):
                for name, engine in engines.items():
                    answer: list[int] = []
                    search = {"newest": engine.asked, "relevance": engine.by_relevance, "facets": engine.facets}[task]
                    act = partial(_answered, search, words, answer)
                    times[name].append(milliseconds(act, time.perf_counter))
                    if task == "newest" and expected:
                        shares[name].append(len(set(answer) & set(expected)) / len(expected))
            rows[f"{kind}: {task}"] = [_median_and_p95(taken) for taken in times.values()]
    rows["right answers"] = [f"{statistics.mean(found):.3f}" for found in shares.values()]
    print("".join(f"{name:>18}" for name in ("", *engines)))
    for name, cells in rows.items():
        print(f"{name:>26}" + "".join(f"{cell:>18}" for cell in cells), flush=True)
    return [statistics.mean(found) for found in shares.values()]


def compare_with_peers(
    folder: Path, engines: dict[str, Ours], articles: Sequence[Article], kinds: Kinds, right: Right
) -> None:
    """Print what the peers take, and the engines that write their own index while they are written to."""
    peers = _peers(folder, articles)
    print(f"\n{'':16}{'ms/article':>12}{'bytes/article':>15}")
    for name, contestant in (engines | peers).items():
        print(f"{name:16}{contestant.indexing / len(articles):>12.2f}{contestant.size / len(articles):>15.0f}")
    print(f"\n{'':16}{'kind of query':16}{'p50 ms':>8}{'p95 ms':>8}{'recall':>8}", flush=True)
    for name, peer in peers.items():
        ask(name, peer.asked, kinds, right)
        ask(f"{name}: best", peer.by_relevance, kinds)
    for name, engine in engines.items():
        if isinstance(engine, Copied):
            continue
        print(f"\n{name}:")
        for order, search in (("newest", engine.asked), ("relevance", engine.by_relevance)):
            ask(order, search, kinds, clock=engine.clock)
        with engine.written(len(articles[0][1])):
            ask("while written", engine.asked, kinds, clock=engine.clock)
            ask("  relevance", engine.by_relevance, kinds, clock=engine.clock)
        print(f"{engine.rate:.0f} articles a second were stored meanwhile")
        engine.merge()
        ask("parts joined", engine.asked, kinds, clock=engine.clock)
        ask("  relevance", engine.by_relevance, kinds, clock=engine.clock)
        seconds, query, answered = engine.slowest()
        print(f"{answered} of the random queries can be read; the slowest takes {seconds:.2f} s: {query}")


@contextmanager
def _database() -> Iterator[str]:
    with postgres(fsync=True) as server:
        yield server.create("search")


@contextmanager
def _node(folder: Path) -> Iterator[Node]:
    node = Node(folder, heap="1g")
    try:
        node.start()
        yield node
    finally:
        node.kill()


def _peers(folder: Path, articles: Sequence[Article]) -> dict[str, Contestant]:
    peers: dict[str, Contestant] = {
        "trigram": Fts5(folder / "trigram.db", "trigram", articles, str),
        "jieba": Fts5(folder / "words.db", "unicode61", articles, lambda written: " ".join(cut_words(written))),
    }
    try:
        peers["tantivy"] = Tantivy(folder / "tantivy", articles)
    except ModuleNotFoundError:
        print("tantivy is left out: it is not installed (pip install tantivy)")
    return peers


def _scanned(articles: Sequence[Article], words: Sequence[str]) -> list[int]:
    """The newest 20 by a plain scan."""
    texts = ((number, articles[number - 1]) for number in range(len(articles), 0, -1))
    return list(
        islice((number for number, (title, body) in texts if all(word in title or word in body for word in words)), 20)
    )


def ask(
    name: str, search: Asked, kinds: Kinds, right: Right | None = None, clock: Callable[[], float] = time.thread_time
) -> None:
    """Print what each kind of query takes, and the share of right answers."""
    for kind, several in kinds.items():
        times, shares = [], []
        for place, words in enumerate(several):
            answer: list[int] = []
            times.append(milliseconds(partial(_answered, search, words, answer), clock))
            if right is not None and (expected := right[kind][place]):
                shares.append(len(set(answer) & set(expected)) / len(expected))
        share_text = f"{statistics.mean(shares):>8.2f}" if shares else ""
        late = statistics.quantiles(times, n=20)[-1]
        print(f"{name:16}{kind:16}{statistics.median(times):>8.1f}{late:>8.1f}{share_text}", flush=True)


def _answered(search: Asked, words: Sequence[str], answer: list[int]) -> None:
    answer += search(words)


def _median_and_p95(times: Sequence[float]) -> str:
    return f"{statistics.median(times):.1f} / {statistics.quantiles(times, n=20)[-1]:.1f}"


if __name__ == "__main__":
    sys.exit(main())
