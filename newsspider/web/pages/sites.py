"""The watched sites: what each brings, when it is polled, and what is wrong with it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.parse import quote

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import Response
from sqlalchemy import Connection

from newsspider.actions.sites import changed, refuse_private, relearn_site, take_in
from newsspider.analysis.health import examples, source_health
from newsspider.core.health.states import NAMES
from newsspider.core.url import canonical
from newsspider.download.guarded_resolver import allowed_addresses
from newsspider.sites.holidays import Holidays
from newsspider.sites.loader import load_site, site_toml
from newsspider.sites.model import Site, from_home
from newsspider.sites.opml import sites_in
from newsspider.sites.rule_fields import rule_fields, with_rules
from newsspider.store import sites as registry
from newsspider.store.accounts import Role
from newsspider.store.ledger.list_positions import of_site
from newsspider.store.ledger.spent_patterns import spent
from newsspider.store.sites import BrokenSite, StoredSite, polls, stored, usable
from newsspider.web.access import Change, Fields, changing, costly, needs
from newsspider.web.site_reading import SiteReading, site_reading
from newsspider.web.view import View, opened, redirect

LACKING = {"date": "没有日期", "source": "没有来源", "author": "没有作者", "body": "正文很短"}

router = APIRouter()


class Row(NamedTuple):
    """A site in the table of all: when it was and will be polled, what it brought in a day and in each hour, and how
    many new URLs a day are expected of it."""

    site: Site
    problem: str
    last: float | None
    due: float | None
    today: int
    hours: list[int]
    expected: float


@router.get("/sites", dependencies=[Depends(costly)])
def all_sites(request: Request) -> Response:
    """Every site of the registry, what is wrong first, then the heaviest."""
    return _page(request, [])


def rows_of(view: View) -> tuple[list[Row], list[BrokenSite]]:
    """Every site, what is wrong first, then the heaviest; and those that cannot be used."""
    conn, now = view.conn, view.now.timestamp()
    channels = channels_of(conn)
    hours = view.request.app.state.intake.of(conn, now)
    health = view.request.app.state.health.of(conn, now)
    problems = {one.site: NAMES[one.health] for one in health.problems if one.is_alarm}
    sites = stored(conn)
    rows = [
        _row(site, channels[site.name], hours.get(site.name, []), problems.get(site.name))
        for site in sites if isinstance(site, Site)
    ]
    rows.sort(key=lambda row: (not row.problem, not row.site.enabled, -row.site.weight, row.site.name))
    return rows, [site for site in sites if isinstance(site, BrokenSite)]


@router.post("/sites/try")
def try_site(request: Request, fields: Fields) -> Response:
    """What is understood of the page at a URL: nothing is stored yet."""
    url = url_of(fields.get("url", ""))
    reading = tried(request, url)
    with opened(request) as view:
        name = from_home(url).name
        known = any(site.name == name for site in stored(view.conn))
        return view.page("site_trial.html", reading=reading, name=name, known=known, weights=range(1, 11))


def tried(request: Request, url: str) -> SiteReading:
    """What is understood of the page at a URL, for an editor. One trial at a time."""
    needs(request, Role.EDITOR)
    refuse_private(from_home(url), allowed_addresses(request.app.state.settings))
    with trying(request):
        return site_reading(url, request.app.state.settings)


@contextmanager
def trying(request: Request, patience: float = 0.0) -> Iterator[None]:
    """The turn of one trial, of a site or of rules; status 429 while another one has it for these seconds, or if a
    third one waits for it."""
    state, has_turn = request.app.state, request.app.state.trying.acquire(blocking=False)
    if not has_turn and patience and state.waiting.acquire(blocking=False):
        try:
            has_turn = state.trying.acquire(timeout=patience)
        finally:
            state.waiting.release()
    if not has_turn:
        seconds = f"{patience or 60:.0f}"
        raise HTTPException(429, f"another page is being tried; try again in {seconds} s", {"Retry-After": seconds})
    try:
        yield
    finally:
        state.trying.release()


@router.post("/sites/add")
def add_site(request: Request, fields: Fields) -> Response:
    """A new site of which the URL is the home page."""
    site = new_site(request, url_of(fields.get("url", "")), fields.get("name", "").strip(), fields.get("weight", ""))
    return _to(request, site.name)


def new_site(request: Request, url: str, name: str, weight: str) -> Site:
    """A new site of which the URL is the home page, as ``scrapy sites add`` makes it."""
    with changing(request, Role.EDITOR) as change:
        site = changed(from_home(url), name, weight or None)
        refuse_private(site, allowed_addresses(request.app.state.settings))
        if any(other.name == site.name for other in stored(change.conn)):
            raise HTTPException(409, f"there is a site {site.name!r} already")
        registry.put(change.conn, site, change.now)
        change.note("site.add", site.name, after={"home": site.home, "weight": site.weight})
        return site


@router.post("/sites/import")
def import_opml(request: Request, fields: Fields) -> Response:
    """Watch what an OPML document names, and say what was new."""
    return _page(request, opml_taken(request, fields.get("opml", "")))


def opml_taken(request: Request, document: str) -> list[str]:
    """Watch what an OPML document names, as ``scrapy sites import``; what was new, a line a site."""
    needs(request, Role.EDITOR)
    allowed = allowed_addresses(request.app.state.settings)
    new = sites_in(document.strip().encode("utf-8", "replace"), "the document")  # no writer waits for it
    with changing(request, Role.EDITOR) as change:
        lines = list(take_in(change.conn, new, "the document", stored(change.conn), allowed, change.now))
        change.note("site.import", "OPML", after=lines)
        return lines


@router.post("/sites/change")
def change_site(request: Request, fields: Fields) -> Response:
    """Weight, switch on or off, learn again, replace, remove: as the commands do it."""
    name, wanted = fields.get("name", ""), fields.get("change", "")
    change_named(request, name, {wanted: fields})
    return _to(request, "" if wanted == "remove" else name)


def change_named(request: Request, name: str, wanted: Mapping[str, dict[str, str]]) -> None:
    """Make some of :data:`CHANGES`, each with its fields, to the site of this name: all or none."""
    needs(request, Role.EDITOR)
    if "replace" in wanted:
        site = load_site(wanted["replace"].get("toml", ""), name)
        refuse_private(site, allowed_addresses(request.app.state.settings))
    if "rules" in wanted:
        with opened(request) as view:
            site = named(view.conn, name)
        with_rules(site, wanted["rules"])  # no writer waits for it: what was checked is remembered
    with changing(request, Role.EDITOR) as change:
        for what, fields in wanted.items():
            if what not in CHANGES | MENDS:
                raise HTTPException(400, f"a change is one of {', '.join(CHANGES | MENDS)}")
            if what in MENDS:
                MENDS[what](change, stored_site(change.conn, name), fields)
            else:
                CHANGES[what](change, named(change.conn, name), fields)


def named(conn: Connection, name: str) -> Site:
    """The site of this name; status 404 if there is none, 409 if it cannot be used."""
    return usable(stored_site(conn, name))


def stored_site(conn: Connection, name: str) -> StoredSite:
    """The site of this name, also if it cannot be used; status 404 if there is none."""
    site = next((site for site in stored(conn) if site.name == name), None)
    if site is None:
        raise HTTPException(404, f"there is no site {name!r}")
    return site


def _weigh(change: Change, site: Site, fields: dict[str, str]) -> None:
    heavier = changed(site, weight=fields.get("weight", ""))
    registry.put(change.conn, heavier, change.now)
    change.note("site.weight", site.name, before=site.weight, after=heavier.weight)


def _enable(change: Change, site: Site, fields: dict[str, str]) -> None:
    registry.enable(change.conn, site.name, True, change.now)
    change.note("site.enable", site.name, before=site.enabled, after=True)


def _disable(change: Change, site: StoredSite, fields: dict[str, str]) -> None:
    registry.enable(change.conn, site.name, False, change.now)
    change.note("site.disable", site.name, before=site.enabled, after=False)


def _relearn(change: Change, site: Site, fields: dict[str, str]) -> None:
    change.note("site.relearn", site.name, after=list(relearn_site(change.conn, site, change.now)))


def _remove(change: Change, site: StoredSite, fields: dict[str, str]) -> None:
    registry.remove(change.conn, site.name, change.now)
    change.note("site.remove", site.name, before=toml_of(site))


def _replace(change: Change, site: StoredSite, fields: dict[str, str]) -> None:
    new = load_site(fields.get("toml", ""), site.name)
    if new.name != site.name:
        raise HTTPException(400, f"the name of the site must stay {site.name!r}")
    registry.put(change.conn, new, change.now)
    change.note("site.replace", site.name, before=toml_of(site), after=site_toml(new))


def toml_of(site: StoredSite) -> str:
    """The text of its file; of one that cannot be used as it is stored."""
    return site.toml if isinstance(site, BrokenSite) else site_toml(site)


def _set_rules(change: Change, site: Site, fields: dict[str, str]) -> None:
    changed_site, channel = with_rules(site, fields), fields.get("channel", "")
    registry.put(change.conn, changed_site, change.now)
    before, after = rule_fields(site, channel), rule_fields(changed_site, channel)
    change.note("site.rules", site.name, before=before, after=after)


CHANGES = {"weight": _weigh, "enable": _enable, "relearn": _relearn, "rules": _set_rules}
MENDS = {"disable": _disable, "remove": _remove, "replace": _replace}  # also of a site that cannot be used


def url_of(given: str) -> str:
    """The canonical URL of what somebody typed."""
    given = given.strip()
    url = canonical(given if "://" in given else f"http://{given}")
    if url is None:
        raise HTTPException(400, f"{given[:200]!r} is not an http or https URL")
    return url


def _page(request: Request, done: list[str]) -> Response:
    with opened(request) as view:
        rows, broken = rows_of(view)
        return view.page("sites.html", rows=rows, broken=broken, done=done)


def _to(request: Request, name: str) -> Response:
    return redirect(request, "/sites" + (f"/{quote(name, safe='')}" if name else ""))


@router.get("/sites/{name:path}")
def one_site(request: Request, name: str) -> Response:
    """A site with its channels, the learned positions of its lists, and its file."""
    with opened(request) as view:
        site = stored_site(view.conn, name)
        if isinstance(site, BrokenSite):
            return view.page("broken_site.html", site=site)
        now, holidays = view.now.timestamp(), Holidays.of(request.app.state.settings)
        health = source_health(view.conn, holidays, now, site=name, with_changes=True)
        problems = [(NAMES[one.health], one) for one in health.problems]
        changes = [(one, *examples(view.conn, one)) for one in health.changes]
        return view.page(
            "site.html", problems=problems, changes=changes, lacking=LACKING, site=site,
            channels=channels_of(view.conn)[name], layouts=of_site(view.conn, name),
            traps=spent(view.conn, name), toml=site_toml(site), seconds=view.now.timestamp(), weights=range(1, 11),
        )  # fmt: skip


def _row(site: Site, channels: list[dict[str, Any]], hours: list[int], problem: str | None) -> Row:
    last = max((row["last_polled_at"] for row in channels if row["last_polled_at"]), default=None)
    due = min((row["due_at"] for row in channels if row["due_at"]), default=None)
    expected = sum(row["rate"] or 0.0 for row in channels)
    return Row(site, problem or _problem(site, channels), last, due, sum(hours), hours, expected)


def channels_of(conn: Connection) -> defaultdict[str, list[dict[str, Any]]]:
    """The channels of each site, with what polls taught of them."""
    by_site_name: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in polls(conn):
        by_site_name[row["site"]].append(row)
    return by_site_name


def _problem(site: Site, channels: list[dict[str, Any]]) -> str:
    """What keeps a site from being read, as a text of the templates; empty: nothing."""
    if not site.enabled or not channels:
        return ""
    if all(row["failures"] for row in channels):
        return "各列表都取不到"
    if any(row["failures"] for row in channels):
        return "有列表取不到"
    if any(row["list_lost_at"] for row in channels):
        return "列表不见了"
    return ""
