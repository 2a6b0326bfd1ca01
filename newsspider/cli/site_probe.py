"""``scrapy sites test``: requests the channels of a site once and prints what they give."""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import TYPE_CHECKING

from newsspider.cli.command import DataCommand, print_line
from newsspider.cli.site_arguments import is_source, named, registered, sites_of

if TYPE_CHECKING:
    from newsspider.cli.short_crawl import Fetch
    from newsspider.pages.site_trial import Trial

LINKS_SHOWN = 5


def probe(command: DataCommand, opts: Namespace) -> int:
    """``scrapy sites test``.

    Asks each channel and its frames politely; each page within ``DOWNLOAD_TIMEOUT`` and ``DOWNLOAD_MAXSIZE``. Exit
    code 1 if no channel gave an article link.
    """
    from newsspider.cli.short_crawl import fetch_pages
    from newsspider.pages.site_trial import SiteTrial

    with command.store() as engine:
        sites = registered(engine)
    site = sites_of(opts.target)[0] if is_source(opts.target) else named(sites, opts.target)
    settings = command.settings
    assert settings is not None
    links = 0

    async def test(fetch: Fetch) -> None:
        nonlocal links
        async for trial in SiteTrial(site, fetch, settings).trials():
            links += len(trial.links)
            _print(trial)

    fetch_pages(settings, test, site_delay=site.delay_seconds)
    return 0 if links else 1


def _print(trial: Trial) -> None:
    print_line(f"{trial.channel.name} {trial.channel.url}: {trial.problem or f'{len(trial.links)} article links'}")
    for link in trial.links[:LINKS_SHOWN]:
        print_line(f"  {link.text or '-'}  {link.url}")
    sys.stdout.flush()
