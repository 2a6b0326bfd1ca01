"""``scrapy sites check``: visits sites once, says what is wrong with each, and repairs what it can."""

from __future__ import annotations

import asyncio
import json
import sys
import traceback
from argparse import Namespace
from collections import defaultdict
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from newsspider.cli.command import DataCommand, print_lines, print_note, print_record
from newsspider.cli.command_group import CommandGroup
from newsspider.cli.site_arguments import is_source, registered_sites, site_named, sites_of
from newsspider.cli.site_catalogue import add_choice, chosen_by_options, region_of
from newsspider.core.crawling.internal_errors import one_line, place_of, shortage_of
from newsspider.core.fetching.address_guard import refused_host
from newsspider.core.text.regions import region_code, region_prefix
from newsspider.core.url import host_of
from newsspider.crawl.wrong_use import wrong_use
from newsspider.sites.loader import SiteError, load_site
from newsspider.sites.model import Site
from newsspider.sites.source_catalogue import chosen_sources
from newsspider.store.engine.clock import Clock
from newsspider.store.engine.database import reading, writable, writing
from newsspider.store.sites import BrokenSiteError

if TYPE_CHECKING:
    from scrapy.http import Response
    from scrapy.settings import Settings
    from sqlalchemy import Engine

    from newsspider.actions.page_fetcher import Fetch
    from newsspider.features.health.check.site_check import Repair, SiteCheck

SITES_AT_ONCE = 8


def add_action(group: CommandGroup) -> None:
    """Add it to ``scrapy sites``."""
    parser = group.add_action(
        "check",
        check,
        "[NAME|FILE.toml|FOLDER...] [options]",
        "Visit sites once, name what is wrong with each, and repair what can be",
        "--region 浙江\nmy-sites/ --apply\n--catalogue --level university -o universities.html",
    )
    group.add_list(parser, "names", "SITE", "the name of a site, a site file or a folder (default: all enabled)", 0)
    add_choice(parser)
    parser.add_argument("--catalogue", action="store_true", help="sources of the catalogue, watched or not")
    parser.add_argument("--yes", action="store_true", help="go to public hosts without a question")
    parser.add_argument("--again", action="store_true", help="visit sites again that were visited within a day")
    parser.add_argument("--apply", action="store_true", help="write the repairs into the site files or the registry")
    parser.add_argument("--json", action="store_true", help="one JSON object a site")
    parser.add_argument("-o", dest="page", metavar="FILE.html", help="write the table as a page of HTML, too")
    parser.add_argument("--report", metavar="FILE", help="write what the project may know, as JSON")


def check(command: DataCommand, opts: Namespace) -> int:
    """``scrapy sites check``.

    Visits each list of the chosen sites and one of its articles: robots.txt first, one page at a time a host, with the
    delays of a crawl, 8 sites at once. Nothing is stored but the results. Sites that were visited within a day are not
    visited again unless their files have changed, so a command that was stopped continues.

    Columns: lists with articles of all lists; items on them; the share that is dated; the fields of the article (title,
    date, source, author, body: tdsab); the charset; the gravest fault, or ok. Below: each fault with evidence, what can
    be repaired, and what to do. The exit code is 1 if any site has a fault.

    `--apply` changes moved addresses, http to https, and positions of lists: in site files, whose comments stay, if you
    name files, else in the registry. `--report` names only sites that newsspider names itself, without evidence.
    """
    from newsspider.cli.scrapy_options import check_written
    from newsspider.features.health.check import result_views
    from newsspider.features.health.check.faults import SiteFault

    if opts.page is not None and not opts.page.endswith(".html"):
        raise wrong_use(f"-o {opts.page}: the name of a page of HTML ends in .html")
    for option, file in (("-o", opts.page), ("--report", opts.report)):
        if file is not None:
            check_written(f"{option} {file}", file)
    files: dict[str, Path] = {}
    with command.store() as engine:
        sites = _sites(engine, opts, files)
        if not sites:
            raise wrong_use("no site was chosen")
        if not (opts.names or opts.yes) and not _agreed(sites):
            return 1
        results = _results(engine, command.settings, sites, again=opts.again)
        now = Clock().utc()
        if opts.json:
            for result in results:
                print_record(result_views.record(result))
        else:
            print_lines(result_views.table(results))
        if opts.page:
            Path(opts.page).write_text(result_views.html_page(results, now.astimezone()), "utf-8")
        if opts.report:
            _write_report(opts.report, results)
        print_note(result_views.counts(results))
        if result_views.mostly_unanswered(results):
            print_note("most sites do not answer: the fault may be on this side; see `scrapy doctor`")
        _repair(engine, sites, results, files, apply=opts.apply)
    return int(any(result.fault not in (None, SiteFault.NEEDS_BROWSER) for result in results))


def _sites(engine: Engine, opts: Namespace, files: dict[str, Path]) -> list[Site]:
    """The chosen sites; notes the file of each that was read from one."""
    filtered = opts.region or opts.level or opts.media_class
    if opts.catalogue:
        if opts.names or opts.apply:
            raise wrong_use("--catalogue goes with neither names nor --apply: add the sources, then check them")
        return [source.site for source in chosen_by_options(opts)]
    if opts.names and filtered:
        raise wrong_use("say either names, or --region, --level and --class")
    stored = registered_sites(engine)
    if not opts.names:
        usable = [site for site in stored if isinstance(site, Site) and site.enabled]
        for site in stored:
            if isinstance(site, BrokenSiteError):
                print_note(str(site))
        return usable if not filtered else _fitting(usable, opts)
    sites: list[Site] = []
    for word in opts.names:
        if not is_source(word):
            site = site_named(stored, word)
            if isinstance(site, BrokenSiteError):
                raise site
            sites.append(site)
            continue
        sites += sites_of(word)
        path = Path(word)
        if "://" not in word:
            for file in sorted(path.glob("*.toml")) if path.is_dir() else [path]:
                files[load_site(file.read_text("utf-8-sig"), str(file)).name] = file
    return sites


def _fitting(sites: list[Site], opts: Namespace) -> list[Site]:
    """The watched sites of a region, a level and a class. The region is that of the site file, or else of the
    catalogue, which alone knows levels."""
    sources = {source.site.name: source for source in chosen_sources()}
    by_host = {host_of(source.site.home): source for source in sources.values()}
    region = region_prefix(region_of(opts.region)) if opts.region is not None else ""
    chosen_by_options(opts)  # refuses unknown words

    def fits(site: Site) -> bool:
        source = sources.get(site.name) or by_host.get(host_of(site.home))
        code = region_code(site.region) or (source.region if source else "")
        if opts.media_class is not None and site.media_class != opts.media_class:
            return False
        if opts.level is not None and (source is None or source.level != opts.level):
            return False
        return code.startswith(region)

    return [site for site in sites if fits(site)]


def _agreed(sites: Iterable[Site]) -> bool:
    """Whether somebody at the terminal lets requests go to the public hosts of these sites, or there are none."""
    urls = (url for site in sites for url in (site.home, *(channel.url for channel in site.channels)))
    public = [host for host in dict.fromkeys(map(host_of, urls)) if host and refused_host(host) is None]
    if not public:
        return True
    sent = f"requests go to {len(public)} public hosts, such as {public[0]}"
    if not sys.stdin.isatty():
        raise wrong_use(f"{sent}; say --yes if you mean that, or name your own sites")
    print_note(f"{sent}. Go on? [y/N]")
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _results(engine: Engine, settings: Settings, sites: list[Site], *, again: bool) -> list[SiteCheck]:
    """The result of each site, in their order: a fresh one of the store, else that of a visit."""
    from newsspider.actions.page_fetcher import fetch_pages
    from newsspider.features.health.check import stored_results
    from newsspider.features.health.check.faults import SiteFault
    from newsspider.library.progress_bar import progress_bar

    keeps = writable(engine)
    with reading(engine) as conn:
        results = {} if again or not keeps else stored_results.fresh(conn, sites, Clock().now())
    if results:
        print_note(f"{len(results)} sites were visited within a day; --again visits them again")
    due = [site for site in sites if site.name not in results]

    def keep(site: Site, result: SiteCheck) -> None:
        with writing(engine) as conn:
            stored_results.keep(conn, site, result, Clock().now())

    async def visit_all(fetch: Fetch) -> None:
        hosts: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        turns = asyncio.Semaphore(SITES_AT_ONCE)
        failures: set[str] = set()

        async def visit(site: Site) -> None:
            async with turns:
                fetch_in_turn = partial(_one_at_a_time, hosts, fetch, site.delay_seconds)
                result = await _visited(site, fetch_in_turn, settings, failures)
            results[site.name] = result
            if keeps and result.fault is not SiteFault.INTERNAL_ERROR:
                await asyncio.to_thread(keep, site, result)
            bar.update(1)

        await asyncio.gather(*map(visit, due))

    with progress_bar(sys.stderr, len(sites), len(sites) - len(due)) as bar:
        if due:
            fetch_pages(settings, visit_all)
    return [results[site.name] for site in sites]


async def _one_at_a_time(
    hosts: defaultdict[str, asyncio.Lock], fetch: Fetch, delay: float | None, url: str
) -> Response:
    """Fetch a page when no other one of its host is being fetched."""
    async with hosts[host_of(url)]:
        return await fetch(url, delay=delay)


async def _visited(site: Site, fetch: Fetch, settings: Settings, failures: set[str]) -> SiteCheck:
    """The result of a visit. An internal error is one, so that the other sites are visited all the same; the first of
    its kind is shown with its traceback."""
    from newsspider.features.health.check.faults import SiteFault
    from newsspider.features.health.check.site_check import SiteCheck, SiteFinding, check_site

    try:
        return await check_site(site, fetch, settings, Clock().utc())
    except Exception as error:
        if shortage_of(error) is not None:  # it would happen to each site
            raise
        if (kind := place_of(error)) not in failures:
            failures.add(kind)
            for line in "".join(traceback.format_exception(error)).splitlines():
                print_note(line)
        finding = SiteFinding(SiteFault.INTERNAL_ERROR, "", one_line(error))
        return SiteCheck(site.name, site.home, len(site.channels), findings=(finding,))


def _write_report(file: str, results: list[SiteCheck]) -> None:
    from importlib.metadata import version

    from newsspider.features.health.check.result_views import public_report
    from newsspider.sites.source_catalogue import read_catalogue

    public = frozenset(source.site.home for source in read_catalogue())
    text = json.dumps(
        public_report(results, public, version("newsspider"), Clock().utc()), ensure_ascii=False, indent=1
    )
    Path(file).write_text(f"{text}\n", "utf-8")
    print_note(f"{file} names only sites of the catalogue; look at it before you send it to the project")


def _repair(
    engine: Engine, sites: list[Site], results: list[SiteCheck], files: dict[str, Path], *, apply: bool
) -> None:
    """Apply the repairs, or say how."""
    repairs = {result.name: result.repairs for result in results if result.repairs}
    if not repairs:
        return
    if not apply:
        print_note(f"{len(repairs)} sites can be repaired: the same command with --apply")
        return
    for site in sites:
        if site.name in repairs:
            try:
                where = _apply(engine, site, repairs[site.name], files.get(site.name))
            except (SiteError, BrokenSiteError) as error:
                print_note(f"{site.name} was not repaired: {error}")
            else:
                print_note(f"{site.name} was repaired in {where}; `scrapy sites check` visits it again")


def _apply(engine: Engine, site: Site, repairs: tuple[Repair, ...], file: Path | None) -> str:
    """Write the repairs into a site as it is now, which may be changed since the visit; where."""
    from newsspider.features.health.check.repairs import repaired_site, repaired_text
    from newsspider.sites.atomic_files import write_whole
    from newsspider.store import sites as registry

    if file is not None:
        content = file.read_bytes()
        mark = content[:3] if content.startswith(b"\xef\xbb\xbf") else b""
        write_whole(file, mark + repaired_text(content[len(mark) :].decode(), str(file), repairs).encode())
        return str(file)
    with writing(engine) as conn:
        now_stored = next((other for other in registry.stored_sites(conn) if other.name == site.name), None)
        if now_stored is None:
            raise SiteError(site.name, "name", "it is not watched")
        registry.put(conn, repaired_site(registry.usable_site(now_stored), repairs), Clock().now())
    return "the registry"
