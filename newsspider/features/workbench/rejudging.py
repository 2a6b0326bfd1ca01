"""``scrapy topics rejudge``: applies a changed topic to the stored and the held articles."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from newsspider.actions.topics import next_visit
from newsspider.cli.rereader import rereader_of
from newsspider.library.progress_bar import progress_bar
from newsspider.pages.rereading import complete_article, snapshots_of
from newsspider.store.articles import held_articles, labels
from newsspider.store.articles.article_filters import Filters
from newsspider.store.articles.article_rows import locked_row
from newsspider.store.articles.rewrites import set_score
from newsspider.store.articles.snapshots import snapshot_contents
from newsspider.store.engine.clock import Clock
from newsspider.store.engine.database import reading, writing

if TYPE_CHECKING:
    from scrapy.settings import Settings
    from sqlalchemy import Connection, Engine
    from tqdm import tqdm

    from newsspider.core.model import Relevance, StoredArticle
    from newsspider.core.relevance.topic import TopicProfile
    from newsspider.store.articles.held_articles import Held

ARTICLES_AT_ONCE = 50  # articles of a transaction


class Rejudging:
    """One pass through the stored articles of a topic and all held ones."""

    def __init__(self, engine: Engine, settings: Settings, topic: TopicProfile) -> None:
        self.engine, self.settings, self.topic = engine, settings, topic
        self.reader = rereader_of(settings, engine, [topic])
        self.now = Clock().now()
        self.figures: Counter[str] = Counter(kept=0, off_topic=0, stored=0, not_stored=0)

    def run(self) -> Counter[str]:
        """How many articles became what."""
        with reading(self.engine) as conn:
            total = held_articles.count(conn) + held_articles.stored_for(conn, self.topic.name)
        with progress_bar(sys.stderr, total) as bar:
            self._stored(bar)
            self._held(bar)  # those that were stored until now, too
        return self.figures

    def _held(self, bar: tqdm[Any]) -> None:
        last: int | None = None
        while True:
            with writing(self.engine) as conn:
                batch = held_articles.following(conn, last)
                for entry in batch:
                    self.figures[self._judge_held(conn, entry)] += 1
            if not batch:
                return
            last = batch[-1].key
            bar.update(len(batch))

    def _judge_held(self, conn: Connection, entry: Held) -> str:
        article = entry.article
        relevance = complete_article(article, self.topic, self.reader.model)
        assert relevance is not None
        label = labels.of_key(conn, self.topic.name, entry.key)
        if relevance.relevant if label is None else label:
            due_at = next_visit(self.settings, article, self.now)
            return "stored" if held_articles.accept(conn, entry.key, article, self.now, due_at) else "not_stored"
        borderline = self._held_as(relevance, decided=label is not None)
        held_articles.rejudge(conn, entry, self.now, borderline=borderline)
        return "not_stored"

    def _stored(self, bar: tqdm[Any]) -> None:
        last = 0
        while True:
            with reading(self.engine) as conn:
                following = conn.execute(Filters(topic=self.topic.name).following(last, ARTICLES_AT_ONCE)).mappings()
                rows = [dict(row) for row in following]
                pages = snapshot_contents(conn, sorted({name for row in rows for name in snapshots_of(row)}))
            if not rows:
                return
            judged = [self.reader.judged(row, pages, self.topic) for row in rows]
            with writing(self.engine) as conn:
                for row, (article, relevance) in zip(rows, judged, strict=True):
                    self.figures[self._judge_stored(conn, row, article, relevance)] += 1
            last = rows[-1]["id"]
            bar.update(len(rows))

    def _judge_stored(
        self, conn: Connection, row: Mapping[str, Any], article: StoredArticle, relevance: Relevance
    ) -> str:
        now_stored = locked_row(conn, row["id"])
        if now_stored is None or now_stored.body_md5 != row["body_md5"]:
            return "kept"  # a crawl has judged it meanwhile
        label = labels.of_article(conn, self.topic.name, row["id"])
        if relevance.relevant if label is None else label:
            set_score(conn, row["id"], relevance)
            return "kept"
        article.score, article.terms, article.model = relevance.score, relevance.terms, relevance.model
        judged = "labelled as irrelevant" if label is not None else "judged again"
        detail = f"{judged}: {relevance.model} {relevance.score:.2f}"
        borderline = self._held_as(relevance, decided=label is not None)
        held_articles.reject(conn, row["id"], article, self.now, detail, borderline=borderline)
        return "off_topic"

    def _held_as(self, relevance: Relevance, *, decided: bool) -> bool | None:
        """Whether an article that is not kept is held as borderline; ``None``: it is not held."""
        if self.topic.keeps_borderline and relevance.borderline and not decided:
            return True
        return False if self.settings.getbool("OFF_TOPIC_HELD") else None
