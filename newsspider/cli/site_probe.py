"""``scrapy sites test``: requests the channels of a site once and prints what they give."""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import TYPE_CHECKING

from newsspider.cli.command import DataCommand, print_line
from newsspider.cli.site_arguments import is_source, named, registered, sites_of

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from newsspider.download.probe import Guest

LINKS_SHOWN = 5


def probe(command: DataCommand, opts: Namespace) -> int:
    """Exit code 1 if no channel gave an article link."""
    from newsspider.pages.site_trial import trials

    with command.store() as engine:
        sites = registered(engine)
    site = sites_of(opts.target)[0] if is_source(opts.target) else named(sites, opts.target)
    assert command.settings is not None
    links = 0
    for trial in trials(site, _guest(command.settings)):
        links += len(trial.links)
        print_line(f"{trial.channel.name} {trial.channel.url}: {trial.problem or f'{len(trial.links)} article links'}")
        for link in trial.links[:LINKS_SHOWN]:
            print_line(f"  {link.text or '-'}  {link.url}")
        sys.stdout.flush()
    return 0 if links else 1


def _guest(settings: BaseSettings) -> Guest:
    from newsspider.core.fetching.politeness import DelayLimits
    from newsspider.download.guarded_resolver import allowed_addresses
    from newsspider.download.probe import Guest

    return Guest(
        user_agent=settings["USER_AGENT"],
        robots_agent=settings["ROBOTS_AGENT"],
        # A handful of requests, asked for by a person: the lower bound, not the factor.
        limits=DelayLimits(
            0,
            settings.getfloat("DELAY_MIN_SECONDS"),
            settings.getfloat("DELAY_MAX_SECONDS"),
            settings.getfloat("CRAWL_DELAY_MAX_SECONDS"),
        ),
        first_byte_seconds=settings.getfloat("DOWNLOAD_FIRST_BYTE_SECONDS"),
        timeout_seconds=settings.getfloat("DOWNLOAD_TIMEOUT"),
        most_bytes=settings.getint("DOWNLOAD_MAXSIZE"),
        most_redirects=settings.getint("REDIRECT_MAX_TIMES"),
        default_charset=settings["DEFAULT_CHARSET"],
        allowed=allowed_addresses(settings),
    )
