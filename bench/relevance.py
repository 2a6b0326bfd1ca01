"""``python -m bench.relevance [--noise N] [--least SHARE]``: how well the search orders what it finds for 40 questions as people
ask them, beside the bm25 of stock FTS5 on jieba's words and the newest of what LIKE finds.

Every question has four articles, written for this benchmark: one that answers it (grade 3), one about the same matter (2), two
that mention it (1). They stand in random order of time among ``N`` others whose sentences are made of single words of all
questions (0). Printed are the mean nDCG@10 with gains of 2^grade - 1, the share of questions whose answer is among the first 10
and is the first, and the CPU milliseconds of a question in the middle. The exit code is 1 if ours is below ``SHARE``.
"""

from __future__ import annotations

import argparse
import csv
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from math import log2
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from sqlalchemy import text

from bench.search import Fts5
from bench.search_store import SECONDS_APART, Ours, milliseconds
from bench.search_world import Article
from newsspider.core.text.tokenizer import cut_words
from newsspider.search.entry_rows import SearchScope
from newsspider.search.hits import Sort
from newsspider.search.query_relaxation import looked_up
from newsspider.store.engine.database import reading

QUESTIONS = Path(__file__).with_name("relevance_texts.tsv")
DEPTH = 10
SENTENCES = 6  # of an article beside its own ones
PATTERNS = [
    "会议还讨论了{}、{}和{}等工作。",
    "负责人介绍，{}与{}同步推进，{}另行通知。",
    "代表们就{}和{}交换了意见，也谈到{}。",
    "下一步将围绕{}、{}、{}开展调研。",
    "活动现场展示了{}和{}的成果，{}引人注目。",
    "报告分为{}、{}和{}三个部分。",
]
HEADLINES = ["{}和{}工作座谈会召开", "市里部署{}与{}", "{}、{}专题培训举行", "校园里的{}和{}", "代表建议重视{}和{}"]

Asked = Callable[[str], Sequence[int]]


class Judged(NamedTuple):
    """A question, and the grades of the articles by their numbers; all others have 0."""

    question: str
    grades: dict[int, int]


def collection(noise: int) -> tuple[list[Article], list[Judged]]:
    """The articles in order of time, and the questions."""
    source = random.Random(10)
    with QUESTIONS.open(encoding="utf-8") as file:
        _, *rows = csv.reader(file, delimiter="\t")
    words = sorted({word for row in rows for word in cut_words("".join(row)) if len(word) > 1 and word.isalpha()})

    def filled(pattern: str) -> str:
        return pattern.format(*source.sample(words, pattern.count("{}")))

    def around(*own: str) -> str:
        sentences = [*own, *(filled(source.choice(PATTERNS)) for _ in range(SENTENCES))]
        source.shuffle(sentences)
        return "".join(sentences)

    graded: list[tuple[int, int, Article]] = []  # question, grade, article
    for number, (_, answers, lead, about, its_lead, mentions) in enumerate(rows):
        graded += [(number, 3, (answers, around(lead))), (number, 2, (about, around(its_lead)))]
        graded += [(number, 1, (filled(source.choice(HEADLINES)), around(mentions))) for _ in range(2)]
    graded += [(0, 0, (filled(source.choice(HEADLINES)), around())) for _ in range(noise)]
    source.shuffle(graded)
    judged = [Judged(row[0], {}) for row in rows]
    for place, (number, grade, _) in enumerate(graded, 1):
        if grade:
            judged[number].grades[place] = grade
    return [article for _, _, article in graded], judged


def ndcg(ranking: Sequence[int], grades: dict[int, int]) -> float:
    """The normalised discounted cumulative gain of the first :data:`DEPTH`."""
    best = sorted(grades.values(), reverse=True)
    return _gain(grades.get(number, 0) for number in ranking[:DEPTH]) / _gain(best[:DEPTH])


def _gain(grades: Iterator[int] | Sequence[int]) -> float:
    return sum((2**grade - 1) / log2(place + 1) for place, grade in enumerate(grades, 1))


def contestants(folder: Path, articles: Sequence[Article]) -> dict[str, Asked]:
    """Who answers questions, by name."""
    ours = Ours(f"sqlite:///{folder}/ours.db", articles)
    words = Fts5(folder / "words.db", "unicode61", articles, lambda written: " ".join(cut_words(written)))
    now = datetime.fromtimestamp(ours.now + 60 * SECONDS_APART, UTC)

    def found(question: str, sort: Sort) -> list[int]:
        with reading(ours.engine) as conn:
            result = looked_up(conn, question, SearchScope(reprints=True), limit=DEPTH, sort=sort, now=now)
            return [hit.record["id"] for hit in result.found.hits]

    def bm25(question: str, operator: str) -> list[int]:
        match = operator.join(f'"{word}"' for word in cut_words(question) if word.isalnum())
        rows = words.conn.execute("SELECT rowid FROM f WHERE f MATCH ? ORDER BY rank LIMIT ?", (match, DEPTH))
        return [number for (number,) in rows]

    def like(question: str) -> list[int]:
        patterns = {f"w{place}": f"%{word}%" for place, word in enumerate(cut_words(question)) if word.isalnum()}
        holds = " AND ".join(f"(title LIKE :{name} OR text LIKE :{name})" for name in patterns)
        newest = text(f"SELECT id FROM articles WHERE {holds} ORDER BY crawled_ts DESC LIMIT {DEPTH}")
        with reading(ours.engine) as conn:
            return [row.id for row in conn.execute(newest, patterns)]

    return {
        "newsspider, by relevance": lambda question: found(question, Sort.RELEVANCE),
        "newsspider, by time": lambda question: found(question, Sort.TIME),
        "bm25, any word": lambda question: bm25(question, " OR "),
        "bm25, every word": lambda question: bm25(question, " AND "),
        "LIKE, every word": like,
    }


def main() -> int:
    """Ask, print; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m bench.relevance", description=__doc__)
    parser.add_argument("--noise", type=int, default=3_000, help="articles beside those of the questions")
    parser.add_argument("--least", type=float, default=0.8, help="nDCG@10 that ours must reach")
    options = parser.parse_args()
    articles, judged = collection(options.noise)
    ours = 0.0
    with TemporaryDirectory(prefix="newsspider-bench-") as folder:
        print(f"{len(judged)} questions, {len(articles)} articles")
        print(f"{'':26}{'nDCG@10':>9}{'answer in 10':>14}{'answer first':>14}{'CPU ms':>8}")
        for name, search in contestants(Path(folder), articles).items():
            gains, firsts, among, times = [], 0, 0, []
            for question, grades in judged:
                answers: list[int] = []
                times.append(milliseconds(lambda: answers.extend(search(question)), time.thread_time))  # noqa: B023 - called here
                gains.append(ndcg(answers, grades))
                right = [grades.get(number) == 3 for number in answers]
                firsts, among = firsts + any(right[:1]), among + any(right)
            ours = ours or statistics.mean(gains)
            columns = f"{among / len(judged):>14.2f}{firsts / len(judged):>14.2f}{statistics.median(times):>8.1f}"
            print(f"{name:26}{statistics.mean(gains):>9.3f}{columns}", flush=True)
    return int(ours < options.least)


if __name__ == "__main__":
    sys.exit(main())
