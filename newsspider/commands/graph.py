"""``scrapy graph``: what the pages are worth by the links between them."""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from newsspider.cli.command import DataCommand, emit, print_line, print_note
from newsspider.crawl.wrong_use import wrong_use

if TYPE_CHECKING:
    from argparse import ArgumentParser

ACTIONS = ("rank", "top")
AT_ONCE = 10_000  # rows of a transaction


class Command(DataCommand):
    """``rank`` prints one JSON object; ``top`` a line a page, or with ``--json`` an object."""

    examples = """\
  scrapy graph rank
  scrapy graph top --limit 10
  scrapy graph top --hubs --site 教育部
  scrapy graph top --weight --json | jq -r .url"""

    def syntax(self) -> str:
        return "rank | top [options]"

    def short_desc(self) -> str:
        return "Work out PageRank, hubs, authorities and page weights from the stored links, or show the best pages"

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--hubs", action="store_true", help="top: by how good a hub a page is, not by PageRank")
        parser.add_argument("--authorities", action="store_true", help="top: by how good an authority it is")
        parser.add_argument("--weight", action="store_true", help="top: by its weight")
        parser.add_argument("--site", metavar="NAME", help="top: only URLs of this site, or of this explore crawl")
        parser.add_argument("--limit", metavar="N", help="top: at most so many (20)")
        parser.add_argument("--json", action="store_true", help="top: one JSON object a page")

    def work(self, args: list[str], opts: Namespace) -> None:
        if len(args) != 1 or args[0] not in ACTIONS:
            raise wrong_use(f"say what to do: scrapy graph {' or scrapy graph '.join(ACTIONS)}")
        if args[0] == "top":
            self._top(opts)
        elif given := [
            name for name in ("hubs", "authorities", "weight", "site", "limit", "json") if getattr(opts, name)
        ]:
            raise wrong_use(f"scrapy graph rank takes no --{given[0]}: it is done for all pages")
        else:
            self._rank()

    def _rank(self) -> None:
        from newsspider.cli.progress_bar import progress_bar
        from newsspider.store.engine.database import reading, writing
        from newsspider.store.exploring import ranks
        from newsspider.store.exploring.graph import links_in

        began, now = time.monotonic(), time.time()
        with self.store() as engine:
            with reading(engine) as conn:
                links = links_in(conn)
            with progress_bar(sys.stderr, links) as bar:
                found = ranks.rank(engine, bar.update)
            with progress_bar(sys.stderr, len(found.keys)) as bar:
                for step in ranks.writing(found, now, AT_ONCE):
                    with writing(engine) as conn:
                        bar.update(step(conn))
        emit(
            {
                "pages": len(found.keys), "links": found.links, "links_of_lists": found.shown, "sweeps": found.sweeps,
                "hub_sweeps": found.hub_sweeps, "seconds": round(time.monotonic() - began, 2),
            }
        )  # fmt: skip

    def _top(self, opts: Namespace) -> None:
        from newsspider.cli.scrapy_options import check_names
        from newsspider.commands.export import limit_of, opened
        from newsspider.store.exploring.ranks import ranked_at, top

        chosen = [
            figure
            for figure, given in (("hub", opts.hubs), ("authority", opts.authorities), ("weight", opts.weight))
            if given
        ]
        if len(chosen) > 1:
            raise wrong_use("say one of --hubs, --authorities and --weight")
        figure = chosen[0] if chosen else "pagerank"
        limit = limit_of(opts) or 20
        assert self.settings is not None
        with opened(self) as conn:
            check_names(conn, self.settings, site=opts.site)
            rows, known = top(conn, figure, limit, opts.site), ranked_at(conn) is not None
        for row in rows:
            if opts.json:
                emit(row)
            else:
                print_line(line(row, figure))
        if not rows:
            print_note("no such page" if known else "no ranks are known: scrapy graph rank works them out")


def line(row: dict[str, Any], figure: str) -> str:
    """A page in one line: its figure, its site, its URL."""
    shown = f"{row[figure]:.2f}" if figure == "weight" else f"{row[figure]:.3g}"
    return f"{shown:>10}  {row['site'] or '-'}  {row['url']}"
