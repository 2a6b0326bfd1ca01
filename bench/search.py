"""``python -m bench.search [--articles N] [--characters N] [--postgresql URL] [--keep FOLDER] [--alone]``: the search index
of the store beside FTS5's trigrams, jieba's words in FTS5 and in tantivy, and LIKE, in one run.

Of every contestant: CPU milliseconds and bytes an article to index, and the milliseconds (CPU of this thread, for PostgreSQL
the time of day; median and 95th percentile) of the newest 20 by kind of query, with the share of the right answers that it
finds, by a plain scan. All but LIKE are asked for the best 20, too; ours while a writer stores 50 articles a second, and with its parts
joined. At the end 2,000 random queries: the slowest. ``--keep`` keeps our stores in a folder, named after their size, and uses
those that are there; a database of PostgreSQL that has the articles is used as it is, too. ``--alone`` leaves the peers out, as
for ``--articles 1000000``. ``--crawls``: the sample portal is crawled with and without the index in turn. The exit code is 1 if
ours misses an answer.
"""

from __future__ import annotations

import argparse
import sqlite3
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

from sqlalchemy import create_engine, text

from bench.search_store import AT_ONCE, Ours, milliseconds
from bench.search_world import Article, generated, questions
from newsspider.core.text.words import cut

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
                writer.add_document(tantivy.Document(number=number, body=" ".join(cut("\n".join(article)))))
            writer.commit()
            writer.wait_merging_threads()

        self.indexing = milliseconds(fill)
        self.size: float = sum(file.stat().st_size for file in folder.iterdir())
        self.index.reload()
        self.searcher = self.index.searcher()

    def asked(self, words: Sequence[str], order: str | None = "number") -> list[int]:
        """The newest 20."""
        written = " AND ".join(f'"{" ".join(cut(word))}"' for word in words)
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
    parser.add_argument("--postgresql", metavar="URL", help="of an empty database, which takes part")
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
    articles = list(generated(options.articles, options.characters))
    kinds = questions(articles)
    with TemporaryDirectory(prefix="newsspider-bench-") as temporary:
        folder = Path(temporary)
        url = f"sqlite:///{options.keep or temporary}/{options.articles}x{options.characters}.db"
        ours = [Ours(url, articles), *([Ours(options.postgresql, articles)] if options.postgresql else [])]
        peers = {} if options.alone else _peers(folder, articles)
        contestants: dict[str, Contestant] = dict(zip(("newsspider", "PostgreSQL"), ours, strict=False)) | peers
        print(
            f"{len(articles)} articles of {options.characters} characters\n{'':16}{'ms/article':>12}{'bytes/article':>15}"
        )
        for name, contestant in contestants.items():
            print(f"{name:16}{contestant.indexing / len(articles):>12.2f}{contestant.size / len(articles):>15.0f}")
        right = {kind: [_scanned(articles, words) for words in several] for kind, several in kinds.items()}
        print(f"\n{'':16}{'kind of query':16}{'p50 ms':>8}{'p95 ms':>8}{'recall':>8}", flush=True)
        recalls = [
            ask(name, contestant.asked, kinds, right, getattr(contestant, "clock", time.thread_time))
            for name, contestant in contestants.items()
        ]
        for name, peer in peers.items():
            ask(f"{name}: best", peer.by_relevance, kinds)
        for contestant in ours:
            print("\nPostgreSQL:" if contestant.is_server else "\nSQLite:")
            ask("relevance", contestant.by_relevance, kinds, clock=contestant.clock)
            with contestant.written(options.characters):
                ask("while written", contestant.asked, kinds, clock=contestant.clock)
                ask("  relevance", contestant.by_relevance, kinds, clock=contestant.clock)
            print(f"{contestant.rate:.0f} articles a second were stored meanwhile")
            contestant.merge()
            ask("parts joined", contestant.asked, kinds, clock=contestant.clock)
            ask("  relevance", contestant.by_relevance, kinds, clock=contestant.clock)
            seconds, query, answered = contestant.slowest()
            print(f"{answered} of the random queries can be read; the slowest takes {seconds:.2f} s: {query}")
        if not options.alone:
            ask("LIKE", Like(url).asked, {kind: several[:5] for kind, several in kinds.items()})
    return 0 if min(recalls[: len(ours)]) == 1 else 1


def _peers(folder: Path, articles: Sequence[Article]) -> dict[str, Contestant]:
    peers: dict[str, Contestant] = {
        "trigram": Fts5(folder / "trigram.db", "trigram", articles, str),
        "jieba": Fts5(folder / "words.db", "unicode61", articles, lambda written: " ".join(cut(written))),
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
) -> float:
    """Print what each kind of query takes; the least share of right answers."""
    least = 1.0
    for kind, several in kinds.items():
        times, shares = [], []
        for place, words in enumerate(several):
            answers: list[int] = []
            times.append(milliseconds(lambda words=words, answers=answers: answers.extend(search(words)), clock))  # type: ignore[misc]
            if right is not None and (expected := right[kind][place]):
                shares.append(len(set(answers) & set(expected)) / len(expected))
        share = statistics.mean(shares) if shares else 1.0
        least = min(least, share)
        late = statistics.quantiles(times, n=20)[-1]
        share_text = f"{share:>8.2f}" if shares else ""
        print(f"{name:16}{kind:16}{statistics.median(times):>8.1f}{late:>8.1f}{share_text}", flush=True)
    return least


if __name__ == "__main__":
    sys.exit(main())
