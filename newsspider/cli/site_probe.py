"""``scrapy sites test``: requests the channels of a site once and prints what they give."""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import TYPE_CHECKING

from newsspider.cli.command import DataCommand, print_line
from newsspider.cli.site_arguments import is_source, named, registered, sites_of
from newsspider.store.sites import usable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from newsspider.actions.page_fetcher import Fetch
    from newsspider.core.model import Link
    from newsspider.pages.site_trial import SiteTrial, Trial

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
        sites = registered(engine)
        site = sites_of(opts.target)[0] if is_source(opts.target) else usable(named(sites, opts.target))
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


def _print(trial: Trial) -> None:
    print_line(f"{trial.channel.name} {trial.channel.url}: {trial.problem or f'{len(trial.links)} article links'}")
    if trial.unmatched:
        print_line(f"  {_nothing(trial.unmatched)}")
    for link in trial.links[:LINKS_SHOWN]:
        print_line(f"  {link.text or '-'}  {link.url}")
    sys.stdout.flush()
