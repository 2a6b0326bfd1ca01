"""``scrapy reindex``: fills the search index."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from newsspider.cli.command import DataCommand, print_note
from newsspider.crawl.wrong_use import wrong_use

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from sqlalchemy import Engine

    from newsspider.store.articles.batch_jobs import Pass
    from newsspider.store.engine.clock import Clock

ARTICLES_AT_ONCE = 50  # articles a transaction: a crawl waits no longer than these take


class Command(DataCommand):
    """Crawls index what they store, so you need this only for a store of an earlier release, after a change of the
    index's tokens, or if ``scrapy search`` says that the index is incomplete. It shows a progress bar, can be stopped
    at any time and resumed, and may run beside a crawl; a second one is refused (exit code 1).

    With ``SEARCH_INDEX`` it then copies to the OpenSearch server whatever that lacks; ``scrapy web`` does so, too.

    At the end it joins the parts of the index into one, which makes phrases faster; ``--merge`` does only that. A crawl
    that runs around the clock does so every night."""

    summary = "Fill the search index with what is stored but not indexed yet"
    usage = "[options]"
    examples = """\
  scrapy reindex
  scrapy reindex --rebuild
  scrapy reindex --merge
"""

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--rebuild", action="store_true", help="empty the index first, and index everything again")
        parser.add_argument("--merge", action="store_true", help="only join the parts of the index")

    def work(self, args: list[str], opts: Namespace) -> None:
        from newsspider.store.engine.clock import Clock
        from newsspider.store.engine.database import writing
        from newsspider.store.index import entries

        if args:
            raise wrong_use(f"scrapy reindex takes options only, not {args[0]!r}")
        if opts.merge and opts.rebuild:
            raise wrong_use("--merge and --rebuild exclude each other")
        clock = Clock()
        with self.store() as engine:
            count = 0
            if not opts.merge:
                with writing(engine) as conn:
                    run = entries.begin_rebuild(conn, clock.now(), again=opts.rebuild)
                added = ARTICLES_AT_ONCE
                while added == ARTICLES_AT_ONCE:
                    with writing(engine) as conn:
                        added = entries.add_missing_revisions(conn, ARTICLES_AT_ONCE)
                count = self._fill(engine, run, clock) if run is not None else 0
            if count or opts.merge:
                more = begin = True
                while more:
                    with writing(engine) as conn:
                        more, begin = entries.merge(conn, begin=begin), False
            copied = copy_all(engine)
        if copied:
            print_note(f"{copied} entries copied to SEARCH_INDEX")
        print_note(f"{count} articles indexed" if not opts.merge else "the parts of the index are joined")

    @staticmethod
    def _fill(engine: Engine, run: Pass, clock: Clock) -> int:
        """Do the job to its end; how many articles it has been through, those of earlier runs too."""
        from newsspider.cli.batch_job import go_through
        from newsspider.store.engine.database import writing
        from newsspider.store.index.entries import index_next

        def step(run: Pass, most: int) -> Pass | None:
            with writing(engine) as conn:
                return index_next(conn, run, min(ARTICLES_AT_ONCE, most))

        return go_through(engine, run, step, "scrapy reindex", clock).done


def copy_all(engine: Engine) -> int:
    """Copy to ``SEARCH_INDEX`` all that it does not have; how many entries. A server that is away is a failure."""
    from newsspider.cli.command import CommandError
    from newsspider.store.engine.database import reading
    from newsspider.store.index.backend import COPY, ServerAwayError

    copy, count, some = engine.get_execution_options().get(COPY), 0, 1
    while copy is not None and some:
        try:
            with reading(engine) as conn:
                some = copy.copy_next(conn)
        except ServerAwayError as error:
            raise CommandError(f"SEARCH_INDEX: {error}") from None
        count += some
    return count
