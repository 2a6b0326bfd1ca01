"""``scrapy reprints``: who published a text first, and who reprinted it when."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from newsspider.cli.command import DataCommand, print_lines, print_note, print_record
from newsspider.crawl.wrong_use import wrong_use

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterator

    from newsspider.store.articles.batch_jobs import Pass
    from newsspider.store.articles.reprints import ReprintGroup

SCREEN_WIDTH = 80
ARTICLES_AT_ONCE = 200  # articles of a transaction
UNFINISHED = "scrapy reprints --rebuild was not finished; the same command resumes it"


class Command(DataCommand):
    """Shows the group of the article at a URL, or the largest groups. A group is the pages of near reprints, or of one
    article that several sites print word for word: its title, then for each page its time, its site, how much of the
    text is the same, its URL, and the page from which it took the text. The first source is the page that names no
    other outlet and is named by others; then the earlier one, then the heavier one. Exit code 1 if no article of the
    URL is stored.

    ``--rebuild`` forgets all groups, then builds them again and shows a progress bar; until it is done, ``scrapy
    reprints`` and ``scrapy status`` say that groups are missing. It may run beside a crawl; a second one is refused
    (exit code 1)."""

    summary = "Show who published a text first and who took it from whom, for one article or the largest groups"
    usage = "[URL] [options]"
    examples = """\
  scrapy reprints --limit 5
  scrapy reprints http://news.example.cn/2026/1121/c1.html --json
  scrapy reprints --rebuild
"""

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--limit", metavar="N", help="at most N groups (20)")
        parser.add_argument("--json", action="store_true", help="one JSON object a group")
        rebuild = (
            "group all stored articles again, as after scrapy store unarchive, or in a store from before there were "
            "groups; resumes where it was stopped"
        )
        parser.add_argument("--rebuild", action="store_true", help=rebuild)

    def work(self, args: list[str], opts: Namespace) -> int:
        from newsspider.commands.explain import one_url
        from newsspider.commands.export import limit_of, reading_store
        from newsspider.store.articles.batch_jobs import REGROUP, unfinished_pass
        from newsspider.store.articles.reprints import group_of_url, largest_groups

        if opts.rebuild:
            if args or opts.limit is not None or opts.json:
                raise wrong_use(
                    "--rebuild takes no URL, --limit or --json: it is done for all articles and prints no group"
                )
            self._rebuild()
            return 0
        limit = limit_of(opts) or 20
        with reading_store(self) as conn:
            groups = [group_of_url(conn, one_url(args, "reprints"))] if args else largest_groups(conn, limit)
            rebuild = unfinished_pass(conn, REGROUP)
        if rebuild is not None:
            print_note(f"groups are missing: {UNFINISHED}")
        for group in groups:
            if group is None:
                print_note(f"no article is stored of {args[0]}")
                return 1
            if opts.json:
                print_record(group.record())
            else:
                print_lines(lines(group))
        return 0

    def _rebuild(self) -> None:
        """Group all stored articles again."""
        from newsspider.cli.batch_job import go_through
        from newsspider.store.articles.reprints import begin_regrouping, regroup_next
        from newsspider.store.engine.clock import Clock
        from newsspider.store.engine.database import writing

        clock = Clock()
        with self.store() as engine:

            def step(run: Pass, most: int) -> Pass | None:
                with writing(engine) as conn:
                    return regroup_next(conn, run, min(ARTICLES_AT_ONCE, most))

            with writing(engine) as conn:
                begun = begin_regrouping(conn, clock.now())
            run = go_through(engine, begun, step, "scrapy reprints --rebuild", clock)
        print_note(f"{run.done} articles grouped again")


def lines(group: ReprintGroup) -> Iterator[str]:
    """A group in lines of at most 80 columns, but for URLs that are longer: the title, then each page."""
    from datetime import datetime

    from newsspider.core.duplicates.first_source import shown_moment
    from newsspider.core.query.query_dates import ZONE, publication_text
    from newsspider.core.text.terminal_columns import cut_to_columns

    count = f" ({len(group.steps)} pages of {len({step.copy.site for step in group.steps})} sites)"
    yield cut_to_columns(group.title, SCREEN_WIDTH - len(count)) + count
    for step in group.steps:
        copy = step.copy
        outlet = f", source {step.outlet}" if step.outlet and not step.taken_from else ""
        shared = group.likeness.get(copy.url)
        part = f", {shared[0]:.0%} the same" if shared else ""
        at = publication_text(datetime.fromtimestamp(shown_moment(copy), ZONE))
        yield cut_to_columns(f"  {at:16}  {copy.site or '-'}{outlet}{part}", SCREEN_WIDTH)
        yield f"    {copy.url}"
        if step.taken_from:
            yield f"    from {step.taken_from}"
    yield ""
