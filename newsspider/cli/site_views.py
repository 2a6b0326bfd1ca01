"""The actions of ``scrapy sites`` that print sites, write them to files, or request their channels once."""

from __future__ import annotations

import shlex
import sys
from argparse import Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from newsspider.cli.command import DataCommand, print_line, print_lines, print_note, print_record, print_text
from newsspider.cli.site_arguments import is_feed_list, is_source, note_broken, registered_sites, site_named, sites_of
from newsspider.crawl.wrong_use import wrong_use
from newsspider.sites.atomic_files import write_whole
from newsspider.sites.loader import site_toml
from newsspider.sites.model import Site
from newsspider.sites.opml import json_of, opml_of
from newsspider.sites.site_lines import file_names, layout_lines, site_record, sites_table, trap_lines
from newsspider.store.engine.clock import Clock
from newsspider.store.engine.database import reading
from newsspider.store.ledger import hosts, site_knowledge, trap_budgets
from newsspider.store.sites import BrokenSiteError, usable_site

if TYPE_CHECKING:
    from newsspider.actions.page_fetcher import Fetch
    from newsspider.core.model import Link
    from newsspider.pages.site_trial import ChannelTrial, SiteTrial


def show_list(command: DataCommand, opts: Namespace) -> None:
    """``scrapy sites list``.

    Prints a table of 80 columns. Sites that cannot be used are named on stderr, with the cause and advice.
    """
    with command.store() as engine:
        stored = registered_sites(engine)
    sites = [site for site in stored if isinstance(site, Site)]
    if opts.json:
        for site in sites:
            print_record(site_record(site))
    else:
        print_lines(sites_table(sites))
    note_broken(stored)


def show(command: DataCommand, opts: Namespace) -> None:
    """``scrapy sites show``.

    Comments below it show the learned positions of its lists, as XPaths that work as ``regions``, and the boilerplate
    lines that are left out of its articles. A site that cannot be used is printed as it is stored.
    """
    with command.store() as engine:
        site = site_named(registered_sites(engine), opts.name)
        if isinstance(site, BrokenSiteError):
            print_text(site.toml)
            print_note(str(site))
            return
        with reading(engine) as conn:
            comments = [
                *layout_lines(site_knowledge.list_positions_of(conn, site.name)),
                *(
                    f"left out around the texts of articles: {line}"
                    for line in site_knowledge.boilerplate_of(conn, site.name)
                ),
                *(
                    f"validators of {row['host']} are not named: it answers 304 for pages that have changed"
                    for row in hosts.distrusted(conn, Clock().now(), site.name)
                ),
            ]
            traps = list(trap_lines(trap_budgets.spent(conn, site.name)))
    if traps:
        comments += [*traps, f"scrapy sites relearn {shlex.quote(site.name)} has them fetched again"]
    print_text(site_toml(site))
    print_lines(f"# {comment}" for comment in comments)


def export(command: DataCommand, opts: Namespace) -> None:
    if not opts.folder:
        raise wrong_use(
            "name a folder, an OPML or JSON file, or - for stdout: scrapy sites export FOLDER|FILE.opml|FILE.json|-"
        )
    with command.store() as engine:
        sites = [usable_site(site) for site in registered_sites(engine)]
    if is_feed_list(opts.folder):
        is_json = opts.folder.lower().endswith(".json")
        try:
            write_whole(Path(opts.folder), json_of(sites).encode() if is_json else opml_of(sites))
        except OSError as error:
            raise wrong_use(f"{opts.folder}: {error.strerror}") from None
        print_note(f"{len(sites)} sites written to {opts.folder}")
        return
    if opts.folder != "-":
        write_sites(sites, opts.folder)
        return
    for name, site in file_names(sites).items():
        print_line(f"# ---- {name}")
        print_text(f"{site_toml(site)}\n")


def write_sites(sites: Iterable[Site], folder: str) -> None:
    """Write one file a site, and say how many there are."""
    files = file_names(sites)
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        for name, site in files.items():
            Path(folder, name).write_text(site_toml(site), "utf-8")
    except OSError as error:
        raise wrong_use(f"{folder}: {error.strerror}") from None
    print_note(f"{len(files)} sites written to {folder}")


LINKS_SHOWN = 5


def probe(command: DataCommand, opts: Namespace) -> int:
    """``scrapy sites test``.

    Fetches each channel and its frames politely, within ``DOWNLOAD_TIMEOUT`` and ``DOWNLOAD_MAXSIZE``. Names the XPaths
    that select nothing: those of a channel on its page, those of the site on its first article. Exit code 1 if no
    channel has an article link. ``scrapy sites check`` visits many sites, and names what is wrong.
    """
    from newsspider.actions.page_fetcher import fetch_pages
    from newsspider.core.model import NO_RULES
    from newsspider.pages.site_trial import SiteTrial

    with command.store() as engine:
        sites = registered_sites(engine)
        site = sites_of(opts.target)[0] if is_source(opts.target) else usable_site(site_named(sites, opts.target))
    settings = command.settings
    links: list[Link] = []

    async def test(fetch: Fetch) -> None:
        trials = SiteTrial(site, fetch, settings)
        async for trial in trials.trials():
            links.extend(trial.links)
            _print(trial)
        if links and site.rules != NO_RULES:
            await _test_rules(trials, links[0].url)

    fetch_pages(settings, test, site)
    return 0 if links else 1


async def _test_rules(trials: SiteTrial, url: str) -> None:
    """Say which XPaths of the site select nothing on an article."""
    from newsspider.core.extraction.dom.page import UnreadablePageError
    from newsspider.pages.site_trial import NoPageError

    try:
        nothing = await trials.unmatched(url)
    except (NoPageError, UnreadablePageError) as problem:
        print_line(f"xpaths {url}: {problem}")
        return
    print_line(f"xpaths {url}: {_nothing(nothing) or 'each selects something'}")


def _nothing(xpaths: Iterable[str]) -> str:
    return ", ".join(f"{xpath} selects nothing" for xpath in xpaths)


def _print(trial: ChannelTrial) -> None:
    print_line(f"{trial.channel.name} {trial.channel.url}: {trial.problem or f'{len(trial.links)} article links'}")
    if trial.unmatched:
        print_line(f"  {_nothing(trial.unmatched)}")
    for link in trial.links[:LINKS_SHOWN]:
        print_line(f"  {link.text or '-'}  {link.url}")
    sys.stdout.flush()
