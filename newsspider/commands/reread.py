"""``scrapy reread``: extracts the stored articles again from their snapshots."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from newsspider.cli.command import DataCommand, print_record
from newsspider.crawl.wrong_use import wrong_use

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from sqlalchemy import Engine

    from newsspider.core.model import StoredArticle
    from newsspider.core.relevance.topic import TopicProfile
    from newsspider.pages.rereading import Rereader, Unread
    from newsspider.store.articles.article_filters import Filters
    from newsspider.store.articles.batch_jobs import Pass

    Result = tuple[Mapping[str, Any], StoredArticle | Unread]  # a row of the store, and what was extracted from it

ARTICLES_AT_ONCE = 50  # articles of a transaction: the most that is extracted twice if the command is killed


class Command(DataCommand):
    """Use it after an update of newsspider, or after a change of a site's XPaths: docs/how-to/work-with-articles.md. It
    fetches nothing and removes no article.

    An interrupted run continues when it is called again with the same filters. It shows a progress bar on stderr (a
    line every ten seconds if that is no terminal). It may run beside a crawl; a second one with the same filters is
    refused (exit code 1). At the end a JSON object counts the ``articles``: changed, unchanged, merged with another of
    the same text, newer (a crawl stored it again meanwhile), no_snapshot, unreadable, no_article (the page no longer
    counts as an article). Articles of the last three kinds stay as they are."""

    summary = "Extract stored articles again from their snapshots, with the current code, sites and topic"
    usage = "[options]"
    examples = """\
  scrapy reread
  scrapy reread --site 教育部 --since 2026-11-01
  scrapy reread --restart
"""

    def add_options(self, parser: ArgumentParser) -> None:
        from newsspider.commands.export import add_filters

        super().add_options(parser)
        add_filters(parser)
        parser.add_argument(
            "--restart",
            action="store_true",
            help="begin with the first article even if an earlier run was not finished",
        )

    def work(self, args: list[str], opts: Namespace) -> None:
        from newsspider.cli.batch_job import go_through
        from newsspider.cli.rereader import rereader_of
        from newsspider.cli.scrapy_options import check_names
        from newsspider.commands.export import filters_of, limit_of
        from newsspider.store.articles.batch_jobs import begin_reread
        from newsspider.store.engine.clock import Clock
        from newsspider.store.engine.database import reading, writing

        if args:
            raise wrong_use(f"scrapy reread takes options only, not {args[0]!r}")
        filters, limit, clock = filters_of(opts), limit_of(opts), Clock()
        with self.store() as engine:
            reader = rereader_of(self.settings, engine, self._topics())

            def step(run: Pass, most: int) -> Pass | None:
                results = _read(engine, reader, run, min(ARTICLES_AT_ONCE, most), filters)
                return _write(engine, run, results) if results else None

            with reading(engine) as conn:
                check_names(conn, self.settings, site=filters.site, topic=filters.topic, subtopic=filters.subtopic)
            with writing(engine) as conn:
                begun = begin_reread(conn, filters, clock.now(), restart=opts.restart)
            run = go_through(engine, begun, step, "scrapy reread with these filters", clock, filters, limit)
        print_record({"articles": run.done, **dict(sorted(run.figures.items()))})

    def _topics(self) -> list[TopicProfile]:
        """The profile of the settings, then those that newsspider ships with."""
        from newsspider.topics.loader import TopicError, load_topic, topic_names

        try:
            return [load_topic(name) for name in (self.settings["TOPIC"], *topic_names())]
        except TopicError as error:
            raise wrong_use(f"TOPIC: {error}") from None


def _read(engine: Engine, reader: Rereader, run: Pass, count: int, filters: Filters) -> Sequence[Result]:
    from newsspider.pages.rereading import snapshots_of
    from newsspider.store.articles.article_rows import subtopics
    from newsspider.store.articles.batch_jobs import next_rows
    from newsspider.store.articles.snapshots import snapshot_contents
    from newsspider.store.engine.database import reading

    with reading(engine) as conn:
        rows = next_rows(conn, run, count, filters)
        subtopics_of_rows = subtopics.of_articles(conn, [row["id"] for row in rows])
        pages = snapshot_contents(conn, sorted({name for row in rows for name in snapshots_of(row)}))
    return [(row, reader.read({**row, "subtopics": subtopics_of_rows.get(row["id"], ())}, pages)) for row in rows]


def _write(engine: Engine, run: Pass, results: Sequence[Result]) -> Pass:
    """Write a batch of articles and the progress of the job in one transaction."""
    from newsspider.pages.rereading import Unread
    from newsspider.store.articles.batch_jobs import advance_pass
    from newsspider.store.articles.rewrites import rewrite_article
    from newsspider.store.engine.database import writing

    figures: Counter[str] = Counter()
    with writing(engine) as conn:
        for row, article in results:
            result = (
                article
                if isinstance(article, Unread)
                else rewrite_article(conn, row["id"], row["body_md5"] or "", article)
            )
            figures[str(result)] += 1
        return advance_pass(conn, run, results[-1][0]["id"], figures)
