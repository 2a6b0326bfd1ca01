"""``python -m bench.search [--articles N]``: the search index of SQLite beside FTS5's trigrams, jieba's words and LIKE, in one run.

The articles are generated: news words drawn with Zipf's law, 848 characters each. Of every contestant: CPU milliseconds and bytes an
article to index, and the CPU milliseconds (median and 95th percentile) of the newest 20 by kind of query, with the share of the right
answers that it finds, by a plain scan. Ours also ranks by relevance. The exit code is 1 if ours misses an answer.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sqlite3
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import create_engine, text

from newsspider.core.query.tree import All, Text
from newsspider.core.text.search_tokens import units
from newsspider.core.text.words import cut
from newsspider.search.language import Query
from newsspider.search.query import Sort, search
from newsspider.store.engine.database import open_store
from newsspider.store.index import entries

CHARACTERS = 848
START = 1_750_000_000
SECONDS_APART = 60
QUERIES = 40  # of a kind
WORDS = [
    "教育部", "高考", "改革", "方案", "公布", "志愿", "填报", "学校", "教师", "学生", "课程", "标准", "政策", "培训", "机构",
    "大学", "中学", "乡村", "职业教育", "考研", "录取", "分数线", "通知", "北京", "上海", "广东", "四川", "体育", "美育",
    "劳动", "家长", "作业", "负担", "义务教育", "招生", "考试", "校园", "食堂", "安全", "科技", "创新", "专业", "就业",
    "毕业生", "研究生", "博士", "论文", "图书馆", "实验室", "竞赛", "奖学金", "助学", "贷款", "校长", "书记", "会议", "座谈",
    "调研", "督导", "评估", "质量", "均衡", "发展", "城乡", "一体化", "信息化", "人工智能", "平台", "数据", "资源", "共享",
    "开放", "合作", "国际", "留学", "交流", "汉语", "文化", "传统", "经典", "诵读", "阅读", "写作", "数学", "物理", "化学",
    "生物", "历史", "地理", "音乐", "美术", "心理", "健康", "近视", "防控", "疫苗", "营养", "午餐", "校车", "寄宿", "留守",
    "儿童", "特殊", "残疾", "幼儿园", "学前", "托管", "延时", "服务", "双减", "学科", "资格", "认定", "工资", "待遇", "职称",
    "编制", "轮岗", "支教", "的", "在", "了", "和", "是", "对", "将", "与", "为", "等", "年", "月", "日", "全国", "各地",
    "今天", "记者", "表示", "介绍", "要求", "进行", "开展", "推进", "加强", "提高", "完善", "建立", "实施", "落实",
]  # fmt: skip

Answer = Callable[[str], list[int]]


def generated(count: int) -> list[tuple[str, str]]:
    """So many articles: title and text."""
    source = random.Random(26)
    weights = list(itertools.accumulate(1 / place for place in range(1, len(WORDS) + 1)))
    order = source.sample(WORDS, len(WORDS))

    def sentence(characters: int) -> str:
        words = source.choices(order, cum_weights=weights, k=characters)
        written = "".join(word + ("，" if number % 9 == 8 else "") for number, word in enumerate(words))
        return written[:characters]

    return [(sentence(18), sentence(CHARACTERS)) for _ in range(count)]


def questions(articles: Sequence[tuple[str, str]]) -> dict[str, list[list[str]]]:
    """Queries by kind: each is the texts that an article must have."""
    source = random.Random(27)

    def phrase(length: int) -> str:
        while True:
            body = source.choice(articles)[1]
            start = source.randrange(len(body) - length)
            if "，" not in (found := body[start : start + length]):
                return found

    kinds = {f"phrase of {length}": [[phrase(length)] for _ in range(QUERIES)] for length in (2, 4, 6)}
    return kinds | {"two words": [source.sample(WORDS[:140], 2) for _ in range(QUERIES)]}


def milliseconds(act: Callable[[], object]) -> float:
    """The CPU time of this process for it."""
    begun = time.process_time()
    act()
    return 1000 * (time.process_time() - begun)


class Ours:
    """The index of the store: its articles have the columns that the index reads, and no others matter here."""

    def __init__(self, folder: Path, articles: Sequence[tuple[str, str]]) -> None:
        self.path = folder / "ours.db"
        self.engine = open_store(f"sqlite:///{self.path}")
        with self.engine.connect() as conn:
            needed = [
                row for row in conn.execute(text("PRAGMA table_info(articles)")) if row.notnull or row.name == "id"
            ]
        columns = [row.name for row in needed]
        insert = text(
            f"INSERT INTO articles ({', '.join(columns)}) VALUES ({', '.join(f':{name}' for name in columns)})"
        )
        blank = {row.name: "[]" if row.name in LISTS else 0 if row.type != "TEXT" else "" for row in needed}
        with self.engine.begin() as conn:
            for number, (title, body) in enumerate(articles, 1):
                own = {
                    "id": number,
                    "key": number,
                    "url": f"http://a.cn/{number}",
                    "title": title,
                    "text": body,
                    "kind": "article",
                }
                conn.execute(
                    insert,
                    blank
                    | own
                    | {"crawled_ts": START + number * SECONDS_APART, "crawled_at": "2026-11-01T00:00:00+00:00"},
                )
                conn.execute(URL, {"id": number, "url": own["url"]})
        before = self.path.stat().st_size
        self.indexing = milliseconds(lambda: self._index(len(articles)))
        with self.engine.connect() as conn:
            conn.exec_driver_sql("ROLLBACK")
            conn.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        self.size = self.path.stat().st_size - before

    def _index(self, count: int) -> None:
        for start in range(1, count + 1, 64):  # as the writer does
            with self.engine.begin() as conn:
                for number in range(start, min(start + 64, count + 1)):
                    entries.add(conn, number)

    def merge(self) -> None:
        """Join the parts of the index, as ``scrapy reindex --merge`` does."""
        with self.engine.begin() as conn:
            entries.backend(conn).merge(conn)

    def asked(self, wanted: Sequence[str], sort: Sort = Sort.TIME) -> list[int]:
        """The newest 20."""
        texts = tuple(Text(tuple(units(word))) for word in wanted)
        query = Query(texts[0] if len(texts) == 1 else All(texts))
        with self.engine.connect() as conn:
            return [hit.record["id"] for hit in search(conn, query, sort=sort, now=START).hits]


LISTS = {"authors", "meta_keywords", "attachments", "editors", "images", "comments", "parts", "terms"}
URL = text(
    "INSERT INTO article_urls (key, article_id, url, canonical_url, site, channel, added_at) VALUES (:id, :id, :url, :url, '', '', 0)"
)


class Fts5:
    """Stock FTS5 with a tokenizer of its own, or with jieba's words."""

    def __init__(
        self,
        folder: Path,
        name: str,
        tokenizer: str,
        articles: Sequence[tuple[str, str]],
        cutting: Callable[[str], str],
    ) -> None:
        self.cutting = cutting
        path = folder / f"{name}.db"
        self.conn = sqlite3.connect(path)
        self.conn.execute(f"CREATE VIRTUAL TABLE f USING fts5(title, body, content='', tokenize='{tokenizer}')")
        self.indexing = milliseconds(lambda: self._index(articles))
        self.size = path.stat().st_size

    def _index(self, articles: Sequence[tuple[str, str]]) -> None:
        for start in range(0, len(articles), 64):
            with self.conn:
                rows = [
                    (number, self.cutting(title), self.cutting(body))
                    for number, (title, body) in enumerate(articles[start : start + 64], start + 1)
                ]
                self.conn.executemany("INSERT INTO f (rowid, title, body) VALUES (?, ?, ?)", rows)

    def asked(self, wanted: Sequence[str]) -> list[int]:
        """The newest 20."""
        match = " AND ".join(f'"{self.cutting(word)}"' for word in wanted)
        return [
            row[0]
            for row in self.conn.execute("SELECT rowid FROM f WHERE f MATCH ? ORDER BY rowid DESC LIMIT 20", (match,))
        ]


class Like:
    """A scan with LIKE, newest first, which stops at 20."""

    def __init__(self, ours: Ours) -> None:
        self.conn = create_engine(f"sqlite:///{ours.path}").connect()

    def asked(self, wanted: Sequence[str]) -> list[int]:
        """The newest 20, and how many there are in all, as the search did before there was an index."""
        holds = " AND ".join(f"(title LIKE :w{number} OR text LIKE :w{number})" for number in range(len(wanted)))
        values = {f"w{number}": f"%{word}%" for number, word in enumerate(wanted)}
        self.conn.execute(text(f"SELECT count(*) FROM articles WHERE {holds}"), values).scalar()
        return [
            row[0]
            for row in self.conn.execute(
                text(f"SELECT id FROM articles WHERE {holds} ORDER BY crawled_ts DESC LIMIT 20"), values
            )
        ]


def main() -> int:
    """Index, ask, print; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m bench.search", description=__doc__)
    parser.add_argument("--articles", type=int, default=20_000)
    options = parser.parse_args()
    articles = generated(options.articles)
    kinds = questions(articles)
    with TemporaryDirectory(prefix="newsspider-bench-") as folder:
        ours = Ours(Path(folder), articles)
        trigram = Fts5(Path(folder), "trigram", "trigram", articles, str)
        words = Fts5(Path(folder), "words", "unicode61", articles, lambda written: " ".join(cut(written)))
        print(f"{len(articles)} articles of {CHARACTERS} characters\n{'':16}{'ms/article':>12}{'bytes/article':>15}")
        for name, one in (("newsspider", ours), ("trigram", trigram), ("jieba words", words)):
            print(f"{name:16}{one.indexing / len(articles):>12.2f}{one.size / len(articles):>15.0f}")
        print(f"\n{'':16}{'kind of query':16}{'p50 ms':>8}{'p95 ms':>8}{'recall':>8}")
        right = {
            kind: [like for wanted in several if (like := Like(ours).asked(wanted)) is not None]
            for kind, several in kinds.items()
        }
        contestants: list[tuple[str, Callable[[Sequence[str]], list[int]]]] = [
            ("newsspider", ours.asked), ("by relevance", lambda wanted: ours.asked(wanted, Sort.RELEVANCE)), ("trigram", trigram.asked),
            ("jieba words", words.asked), ("LIKE", Like(ours).asked),
        ]  # fmt: skip
        least = min(_figures(name, asked, kinds, right) for name, asked in contestants[:1])
        for name, asked in contestants[1:]:
            _figures(name, asked, kinds, right)
        ours.merge()
        _figures("ours, merged", ours.asked, kinds, right)
    return 0 if least == 1 else 1


def _figures(
    name: str,
    asked: Callable[[Sequence[str]], list[int]],
    kinds: dict[str, list[list[str]]],
    right: dict[str, list[list[int]]],
) -> float:
    """Print what each kind of query takes; the least share of right answers."""
    least = 1.0
    for kind, several in kinds.items():
        times, shares = [], []
        for wanted, expected in zip(several, right[kind], strict=True):
            answers: list[int] = []
            times.append(milliseconds(lambda wanted=wanted, answers=answers: answers.extend(asked(wanted))))  # type: ignore[misc]
            if expected:
                shares.append(len(set(answers) & set(expected)) / len(expected))
        least = min(least, statistics.mean(shares))
        late = statistics.quantiles(times, n=20)[-1]
        print(
            f"{name:16}{kind:16}{statistics.median(times):>8.1f}{late:>8.1f}{statistics.mean(shares):>8.2f}", flush=True
        )
    return least


if __name__ == "__main__":
    sys.exit(main())
