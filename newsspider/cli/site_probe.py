"""``scrapy sites test``: requests the channels of a site once and prints what they give."""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import TYPE_CHECKING

from newsspider.cli.command import DataCommand, print_line, print_note
from newsspider.cli.site_arguments import is_source, named, registered, sites_of
from newsspider.core.fetching.addresses import refused_host
from newsspider.core.url import host_of
from newsspider.crawl.wrong_use import wrong_use
from newsspider.sites.model import Site
from newsspider.store.sites import BrokenSiteError, StoredSite, usable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy.settings import Settings

    from newsspider.actions.short_crawl import Fetch
    from newsspider.core.model import Link
    from newsspider.pages.site_trial import SiteTrial, Trial

LINKS_SHOWN = 5
SITES_AT_ONCE = 8  # sites; each host is asked by one request at a time
DEAD, BROKEN = "dead", "rule broken"


def probe(command: DataCommand, opts: Namespace) -> int:
    """``scrapy sites test``.

    Fetches each channel and its frames politely, within ``DOWNLOAD_TIMEOUT`` and ``DOWNLOAD_MAXSIZE``. Names the XPaths
    that select nothing: those of a channel on its page, those of the site on its first article. Exit code 1 if no
    channel has an article link. ``--all`` prints a line a site: `ok`; `rule broken` if an XPath selects nothing; `dead`
    if no channel has a link, with the reason. Its exit code is 1 if any site is not `ok`. It goes to all hosts
    of the registry, so it asks first if there are public ones, and without a terminal it needs ``--yes``; ``--only``
    goes to those of a file or folder alone.
    """
    if opts.all == (opts.target is not None):
        raise wrong_use("say either a site, or --all")
    if (opts.only or opts.yes) and not opts.all:
        raise wrong_use("--only and --yes go with --all")
    if opts.all:
        return _probe_all(command, opts.only, agreed=opts.yes)
    from newsspider.actions.short_crawl import fetch_pages
    from newsspider.core.extraction.rules import NO_RULES
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


def _probe_all(command: DataCommand, only: str | None, *, agreed: bool) -> int:
    """Ask every site with the delay of its own file, :data:`SITES_AT_ONCE` at a time; ``only``: those of a file or
    folder instead of the registry's, which takes that somebody has ``agreed``."""
    import asyncio
    from functools import partial

    from newsspider.actions.short_crawl import fetch_pages

    sites: Sequence[StoredSite]
    if only is not None:
        sites = sites_of(only)
    else:
        with command.store() as engine:
            sites = registered(engine)
        if not agreed and not _agreed(sites):
            return 1
    settings = command.settings
    lines: list[str] = []

    async def test(fetch: Fetch) -> None:
        turns = asyncio.Semaphore(SITES_AT_ONCE)

        async def one(site: StoredSite) -> None:
            async with turns:
                try:
                    verdict = await _verdict(usable(site), partial(fetch, delay=usable(site).delay_seconds), settings)
                except BrokenSiteError as broken:
                    verdict = f"{BROKEN}: {broken.cause}"
                except Exception as error:  # the other sites are tested all the same
                    verdict = f"{DEAD}: {type(error).__name__}: {error}"
            lines.append(verdict)
            print_line(f"{site.name}{'' if site.enabled else ' (disabled)'}: {verdict}")
            sys.stdout.flush()

        await asyncio.gather(*map(one, sites))

    if sites:
        fetch_pages(settings, test)
    dead, broken = (sum(line.startswith(word) for line in lines) for word in (DEAD, BROKEN))
    print_note(f"{len(lines)} sites: {len(lines) - dead - broken} ok, {broken} with a rule that is broken, {dead} dead")
    return int(dead + broken > 0)


def _agreed(sites: Sequence[StoredSite]) -> bool:
    """Whether somebody at the terminal lets requests go to the public hosts of these sites, or there are none."""
    public = [host for site in sites if isinstance(site, Site) and refused_host(host := host_of(site.home)) is None]
    if not public:
        return True
    sent = f"requests go to {len(public)} public hosts, such as {public[0]}"
    if not sys.stdin.isatty():
        raise wrong_use(f"{sent}; say --yes if you mean that, or --only PATH for your own sites")
    print_note(f"{sent}. Go on? [y/N]")
    return sys.stdin.readline().strip().lower() in ("y", "yes")


async def _verdict(site: Site, fetch: Fetch, settings: Settings) -> str:
    """What became of the test of a site, in a line."""
    from newsspider.core.extraction.dom.page import UnreadablePageError
    from newsspider.core.extraction.rules import NO_RULES
    from newsspider.pages.site_trial import NoPageError, SiteTrial

    if site.render:
        return f"ok, not tested: a browser renders its pages; scrapy sites test {site.name}"
    trial = SiteTrial(site, fetch, settings)
    channels = [listed async for listed in trial.trials()]
    links = [link for listed in channels for link in listed.links]
    if not links:
        problems = dict.fromkeys(f"{listed.channel.name}: {listed.problem or 'no article link'}" for listed in channels)
        return f"{DEAD}: {'; '.join(problems)}"
    nothing = [f"{listed.channel.name} {xpath}" for listed in channels for xpath in listed.unmatched]
    notes = [f"{listed.channel.name}: {listed.problem or 'no article link'}" for listed in channels if not listed.links]
    if site.rules != NO_RULES:
        try:
            nothing += await trial.unmatched(links[0].url)
        except (NoPageError, UnreadablePageError) as problem:
            notes.append(f"{links[0].url}: {problem}")
    kind = BROKEN if nothing else "ok"
    return "; ".join([f"{kind}, {len(links)} article links", *([_nothing(nothing)] if nothing else []), *notes])


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
