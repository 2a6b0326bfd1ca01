"""``scrapy reread``: reads the stored articles again from their snapshots."""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from newsspider.commandline import DataCommand, Failed, emit, wrong_use

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from sqlalchemy import Engine

    from newsspider.core.model import StoredArticle
    from newsspider.core.topic import TopicProfile
    from newsspider.rereading import Rereader, Unread
    from newsspider.store.articles import Filters
    from newsspider.store.rereads import Run

    Found = tuple[Mapping[str, Any], StoredArticle | Unread]  # a row of the store, and what was read again of it

AT_ONCE = 50  # articles of a transaction: the most that is read twice when the command is killed


class Command(DataCommand):
    """Prints one JSON object: how many articles became what. A run that was stopped or killed goes on where it was."""

    examples = """\
  scrapy reread
  scrapy reread --site 教育部 --since 2026-11-01
  scrapy reread --anew
"""

    def syntax(self) -> str:
        return "[options]"

    def short_desc(self) -> str:
        return "Read stored articles again from their snapshots, with the reader, the sites and the topic of today"

    def add_options(self, parser: ArgumentParser) -> None:
        from newsspider.commands.export import add_filters

        super().add_options(parser)
        add_filters(parser)
        parser.add_argument("--anew", action="store_true", help="from the first article, though an earlier run was not finished")

    def work(self, args: list[str], opts: Namespace) -> None:
        from newsspider.commands.export import filters_of, limit_of
        from newsspider.store.rereads import Overtaken

        if args:
            raise wrong_use(f"scrapy reread takes options only, not {args[0]!r}")
        filters, limit = filters_of(opts), limit_of(opts)
        with self.store() as engine:
            try:
                run = self._run(engine, filters, limit, anew=opts.anew)
            except Overtaken:
                raise Failed("another scrapy reread with these filters is at work on this store") from None
        emit({"articles": run.done, **dict(sorted(run.figures.items()))})

    def _run(self, engine: Engine, filters: Filters, limit: int | None, *, anew: bool) -> Run:
        from newsspider.progressbar import ProgressBar
        from newsspider.store.database import reading, writing
        from newsspider.store.rereads import begin, finish, left

        reader = self._reader(engine)
        with writing(engine) as conn:
            run = begin(conn, filters, time.time(), anew=anew)
        with reading(engine) as conn:
            total = left(conn, run)
        if run.done:
            print(f"going on behind {run.done} articles that are done", file=sys.stderr)
        bar = ProgressBar(sys.stderr, run.done + total, run.done)
        most = total if limit is None else min(limit, total)
        try:
            while most > 0 and (found := _read(engine, reader, run, min(AT_ONCE, most))):
                run = _write(engine, run, found)
                most -= len(found)
                bar.add(len(found))
        finally:
            bar.close()
        if limit is None or limit >= total:
            with writing(engine) as conn:
                finish(conn, run, time.time())
        return run

    def _reader(self, engine: Engine) -> Rereader:
        from newsspider.core.boilerplate import Boilerplate
        from newsspider.core.words import use_words
        from newsspider.pipelines.fingerprint import method_of
        from newsspider.rereading import Rereader
        from newsspider.store import boilerplate
        from newsspider.store.database import reading
        from newsspider.store.sites import sites

        assert self.settings is not None
        topics = self._topics()
        use_words(topics[0].spellings())
        with reading(engine) as conn:
            known, around = sites(conn), boilerplate.known(conn)
        left_out = around if self.settings.getbool("BOILERPLATE_LEARNED") else {}
        return Rereader(
            known,
            {site: Boilerplate(lines) for site, lines in left_out.items()},
            {topic.name: topic for topic in reversed(topics)},
            method_of(self.settings),
            self.settings.get("RELEVANCE_MODEL") or None,
            self.settings["DEFAULT_CHARSET"],
        )

    def _topics(self) -> list[TopicProfile]:
        """The profile of the settings, then those that newsspider ships with."""
        from newsspider.topics.loader import BadTopic, load_topic, topic_names

        assert self.settings is not None
        try:
            return [load_topic(name) for name in (self.settings["TOPIC"], *topic_names())]
        except BadTopic as error:
            raise wrong_use(f"TOPIC: {error}") from None


def _read(engine: Engine, reader: Rereader, run: Run, count: int) -> Sequence[Found]:
    from newsspider.rereading import snapshots_of
    from newsspider.store.database import reading
    from newsspider.store.rereads import following
    from newsspider.store.snapshots import contents

    with reading(engine) as conn:
        rows = following(conn, run, count)
        pages = contents(conn, sorted({name for row in rows for name in snapshots_of(row)}))
    return [(row, reader.read(row, pages)) for row in rows]


def _write(engine: Engine, run: Run, found: Sequence[Found]) -> Run:
    """Write some articles, and that they are done, in one transaction."""
    from newsspider.rereading import Unread
    from newsspider.store.bodies import rewrite
    from newsspider.store.database import writing
    from newsspider.store.rereads import went_on

    figures: Counter[str] = Counter()
    with writing(engine) as conn:
        for row, article in found:
            fate = article if isinstance(article, Unread) else rewrite(conn, row["id"], row["body_md5"] or "", article)
            figures[str(fate)] += 1
        return went_on(conn, run, found[-1][0]["id"], figures)
