"""``scrapy graph``: what the pages are worth by the links between them."""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from newsspider.cli.command import DataCommand, print_line, print_note, print_record, urls_of
from newsspider.cli.command_group import CommandGroup
from newsspider.crawl.wrong_use import wrong_use

if TYPE_CHECKING:
    from argparse import ArgumentParser

RANK_COLUMNS = {"hubs": "hub", "authorities": "authority", "weight": "weight"}  # the column that each option sorts by


class Command(CommandGroup):
    """Links in navigation and footers, and those on most pages of a site, do not count; links within a site count for
    less. ``rank`` computes the ranks, for which SciPy must be installed; ``scrapy explain`` shows them, and a crawl
    fetches what good hubs show first.

    Without an action, ``--from`` lists the links of a page and ``--to`` the links to it, each with its anchor text and
    the part of the page where it stands (main, side, navigation, footer, body). ``--to`` reads all links."""

    summary = "Show the links of a page, or rank pages by links (PageRank, hubs, authorities, weights)"
    usage = "[ACTION] [arguments] [options]"

    alone = True

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        ends = parser.add_mutually_exclusive_group()
        ends.add_argument("--from", dest="source", metavar="URL", help="the links of this page")
        ends.add_argument("--to", dest="target", metavar="URL", help="the links that lead to this page")
        parser.add_argument("--limit", metavar="N", help="at most N links (20)")
        parser.add_argument("--json", action="store_true", help="one JSON object a link")

    def called(self, opts: Namespace) -> str:
        return super().called(opts) if opts.action else f"scrapy {self.name}"

    def work(self, args: list[str], opts: Namespace) -> int | None:
        if opts.action:
            return super().work(args, opts)
        if args or not (opts.source or opts.target):
            raise wrong_use("say an action (rank, top), --from URL or --to URL")
        show_links(self, opts)
        return None

    def add_actions(self) -> None:
        self.add_action("rank", rank, "", "Compute the ranks of all pages and print one JSON object", "")
        top = self.add_action(
            "top", show_top, "[options]", "Show the pages of the highest PageRank", "--hubs --site 教育部 --limit 10"
        )
        sort = top.add_mutually_exclusive_group()
        sort.add_argument("--hubs", action="store_true", help="by how good a hub a page is, not by PageRank")
        sort.add_argument("--authorities", action="store_true", help="by how good an authority it is")
        sort.add_argument("--weight", action="store_true", help="by its weight")
        top.add_argument("--site", metavar="NAME", help="only URLs of this site, or of this explore crawl")
        top.add_argument("--limit", metavar="N", help="at most N (20)")
        top.add_argument("--json", action="store_true", help="one JSON object a page")


def rank(command: DataCommand, _: Namespace) -> None:
    """Work out the ranks from all stored links and store them.

    It shows its progress on stderr. The object has pages, links, sweeps, seconds.
    """
    from newsspider.library.progress_bar import progress_bar
    from newsspider.store.engine.clock import Clock
    from newsspider.store.engine.database import reading

    ranks, graph = _with_scipy("ranks"), _with_scipy("graph")
    began, now = time.monotonic(), Clock().now()
    with command.store() as engine:
        with reading(engine) as conn:
            links = graph.rows_in(conn)
        with progress_bar(sys.stderr, links) as bar:
            ranked = ranks.rank(engine, bar.update)
        with progress_bar(sys.stderr, len(ranked.keys)) as bar:
            ranks.keep(engine, ranked, now, bar.update)
    print_record(
        {
            "pages": len(ranked.keys),
            "links": ranked.links,
            "links_of_lists": ranked.shown,
            "sweeps": ranked.sweeps,
            "hub_sweeps": ranked.hub_sweeps,
            "seconds": round(time.monotonic() - began, 2),
        }
    )


def show_top(command: DataCommand, opts: Namespace) -> None:
    """Print the best pages."""
    from newsspider.cli.scrapy_options import check_names
    from newsspider.commands.export import limit_of, reading_store
    from newsspider.features.explore.stored_ranks import are_known, top_pages

    figure = next((figure for option, figure in RANK_COLUMNS.items() if getattr(opts, option)), "pagerank")
    limit = limit_of(opts) or 20
    with reading_store(command) as conn:
        check_names(conn, command.settings, site=opts.site)
        rows, is_ranked = top_pages(conn, figure, limit, opts.site), are_known(conn)
    for row in rows:
        if opts.json:
            print_record(row)
        else:
            print_line(line(row, figure))
    if not rows:
        print_note("no such page" if is_ranked else "no ranks are known: scrapy graph rank works them out")


def show_links(command: DataCommand, opts: Namespace) -> None:
    """Print the links of a page, or those that lead to it."""
    from newsspider.commands.export import limit_of, reading_store
    from newsspider.store.ledger.crawls import keys_of
    from newsspider.store.ledger.stored_links import links_from, links_to

    (url,) = urls_of([opts.source or opts.target], "shown")
    limit = limit_of(opts) or 20
    with reading_store(command) as conn:
        links = (links_to if opts.target else links_from)(conn, keys_of(conn, url), limit)
    for link in links:
        other = link.page if opts.target else link.url
        if opts.json:
            record = {"url": other, "anchor": link.anchor, "kind": link.kind, "region": link.region}
            print_record(record | {"list": link.channel, "nofollow": bool(link.nofollow)})
        else:
            print_line(f"{link.region:<10}  {link.anchor or '-'}")
            print_line(f"{'nofollow' if link.nofollow else '':<10}  {other}")
    print_note(f"{len(links)} of {links[0].pages if links else 0} links")


def _with_scipy(name: str) -> Any:
    """A module of this feature that needs SciPy."""
    try:
        return import_module(f"newsspider.features.explore.{name}")
    except ImportError as error:
        raise wrong_use(f"ranks need SciPy ({error}): pip install 'newsspider[ranks]'") from None


def line(row: dict[str, Any], figure: str) -> str:
    """A page in one line: its figure, its site, its URL."""
    value = f"{row[figure]:.2f}" if figure == "weight" else f"{row[figure]:.3g}"
    return f"{value:>10}  {row['site'] or '-'}  {row['url']}"
