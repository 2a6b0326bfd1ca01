"""The watched sites, as pages and in the API: what each brings, when it is polled, and what is wrong with it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import Annotated, Any, NamedTuple
from urllib.parse import quote

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field
from scrapy.exceptions import UsageError
from sqlalchemy import Connection

from newsspider.actions.sites import refuse_private, site_with_changes, take_in
from newsspider.download.guarded_resolver import allowed_addresses
from newsspider.features.console.access import Fields, begin_change, require_role
from newsspider.features.console.accounts import Role
from newsspider.features.console.api.routing import api_router
from newsspider.features.console.new_site_trial import SiteReading, site_reading
from newsspider.features.console.rate_limits import limit_costly
from newsspider.features.console.site_edits import (
    SiteRules,
    Text,
    add_stored,
    base_of,
    change_named,
    rule_fields,
    site_named,
    stored_site,
)
from newsspider.features.console.view import View, form_sentence, open_view, redirect_to, required_url
from newsspider.features.health.sources import change_examples, source_health
from newsspider.sites.holidays import Holidays
from newsspider.sites.loader import SiteError, site_toml
from newsspider.sites.model import ChannelKind, MediaClass, Site, from_home
from newsspider.sites.opml import opml_of, sites_in
from newsspider.sites.site_lines import site_record
from newsspider.store.ledger.site_knowledge import list_positions_of
from newsspider.store.ledger.trap_budgets import spent
from newsspider.store.sites import BrokenSiteError, StoredSite, channel_polls, every_site, stored_sites

SITE_WEIGHTS = range(1, 11)
LACKING = {"date": "没有日期", "source": "没有来源", "author": "没有作者", "body": "正文很短"}

router = APIRouter()
api = api_router()


class Address(BaseModel):
    """A URL."""

    url: Text


class NewSite(Address):
    """A site of which the URL is the home page."""

    name: Annotated[Text, Field(description="empty: the host")] = ""
    weight: Annotated[int | None, Field(ge=1, le=10)] = None
    media_class: MediaClass | None = None


class SiteChange(BaseModel):
    """What changes of a site; a field that is missing stays as it is."""

    weight: Annotated[int | None, Field(ge=1, le=10)] = None
    enabled: bool | None = None
    relearn: Annotated[bool, Field(description="forget what was learned of it")] = False
    rules: SiteRules | None = None
    toml: Annotated[str | None, Field(max_length=100_000, description="a site file in place of the stored one")] = None
    version: Annotated[str, Field(max_length=64, description="that of `GET`; empty: whatever is stored")] = ""


class OpmlDocument(BaseModel):
    """Feeds and sites, as feed readers write them."""

    opml: str


class SiteRow(NamedTuple):
    """A site in the table of all: when it was and will be polled, what it brought in a day and in each hour, and how
    many new URLs a day are expected of it."""

    site: Site
    problem: str
    last: float | None
    due: float | None
    today: int
    hours: list[int]
    expected: float


@router.get("/sites", dependencies=[Depends(limit_costly)])
def all_sites(request: Request) -> Response:
    """Every site of the registry, what is wrong first, then the heaviest."""
    return _page(request, [])


def rows_of(view: View) -> tuple[list[SiteRow], list[BrokenSiteError]]:
    """Every site, what is wrong first, then the heaviest; and those that cannot be used."""
    conn, now = view.conn, view.now.timestamp()
    channels = channels_of(conn)
    hours = view.request.app.state.intake.of(conn, now)
    health = view.request.app.state.health.of(conn, now)
    problems = {problem.site: problem.health.chinese for problem in health.problems if problem.is_alarm}
    sites = stored_sites(conn)
    rows = [
        _row(site, channels[site.name], hours.get(site.name, []), problems.get(site.name))
        for site in sites
        if isinstance(site, Site)
    ]
    rows.sort(key=lambda row: (not row.problem, not row.site.enabled, -row.site.weight, row.site.name))
    return rows, [site for site in sites if isinstance(site, BrokenSiteError)]


@router.post("/sites/try")
def try_site(request: Request, fields: Fields) -> Response:
    """What is understood of the page at a URL: nothing is stored yet."""
    require_role(request, Role.EDITOR)
    typed = fields.get("url", "")
    try:
        reading = tried(request, required_url(typed))
    except (UsageError, HTTPException) as error:
        problem, status = getattr(error, "detail", str(error)), getattr(error, "status_code", 400)
        return _page(request, [], typed, form_sentence(problem), status)
    return _trial_page(request, reading, {})


def _trial_page(
    request: Request, reading: SiteReading, values: Mapping[str, str], problem: str = "", status: int = 200
) -> Response:
    with open_view(request) as view:
        name = values.get("name") or reading.name or from_home(reading.url).name
        is_stored = any(site.name == name for site in stored_sites(view.conn))
        return view.page(
            "site_trial.html",
            status=status,
            reading=reading,
            name=name,
            known=is_stored,
            weights=SITE_WEIGHTS,
            classes=MediaClass,
            values=values,
            problem=problem,
        )


def tried(request: Request, url: str) -> SiteReading:
    """What is understood of the page at a URL, for an editor. One trial at a time."""
    require_role(request, Role.EDITOR)
    refuse_private(from_home(url), allowed_addresses(request.app.state.settings))
    with trial_turn(request):
        return site_reading(url, request.app.state.settings)


@contextmanager
def trial_turn(request: Request, patience: float = 0.0) -> Iterator[None]:
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
    """A new site of which the URL is the home page, or its first list."""
    url, name, weight = required_url(fields.get("url", "")), fields.get("name", "").strip(), fields.get("weight", "")
    list_name, kind = fields.get("list_name", "").strip(), fields.get("list_kind", "")
    try:
        site = new_site(request, url, name, weight, fields.get("media_class", ""), list_name, kind)
    except (UsageError, SiteError, HTTPException) as error:
        problem, status = getattr(error, "detail", str(error)), getattr(error, "status_code", 400)
        if status == 403:
            raise
        return _trial_page(request, SiteReading(url, list_kind=kind), fields, form_sentence(problem), status)
    return redirect_to(request, f"/sites/{quote(site.name, safe='')}?saved=1")


def new_site(
    request: Request, url: str, name: str, weight: str, media_class: str, list_name: str = "", list_kind: str = ""
) -> Site:
    """A new site of which the URL is the home page, as ``scrapy sites add`` makes it, or a list of this name."""
    home = from_home(url)
    if list_name:
        kind = ChannelKind(list_kind) if list_kind in list(ChannelKind) else ChannelKind.LIST
        home = replace(home, channels=(replace(home.channels[0], name=list_name, kind=kind),))
    with begin_change(request, Role.EDITOR) as change:
        site = site_with_changes(home, name, weight or None, media_class=media_class)
        refuse_private(site, allowed_addresses(request.app.state.settings))
        if any(other.name == site.name for other in stored_sites(change.conn)):
            raise HTTPException(409, f"there is a site {site.name!r} already")
        add_stored(change, site)
        return site


@router.post("/sites/import")
def import_opml(request: Request, fields: Fields) -> Response:
    """Watch what an OPML document names, and say what was new."""
    return _page(request, take_opml(request, OpmlDocument(opml=fields.get("opml", "")))["done"])


@router.post("/sites/change")
def change_site(request: Request, fields: Fields) -> Response:
    """Weight, switch on or off, learn again, replace, remove: as the commands do it."""
    name, action = fields.get("name", ""), fields.get("change", "")
    change_named(request, name, {action: fields})
    return redirect_to(request, "/sites" if action == "remove" else f"/sites/{quote(name, safe='')}")


def _page(request: Request, done: list[str], typed: str = "", problem: str = "", status: int = 200) -> Response:
    with open_view(request) as view:
        rows, broken = rows_of(view)
        return view.page("sites.html", status=status, rows=rows, broken=broken, done=done, typed=typed, problem=problem)


@router.get("/sites/{name:path}")
def one_site(request: Request, name: str, saved: str = "") -> Response:
    """A site with its channels, the learned positions of its lists, and its file."""
    with open_view(request) as view:
        site = stored_site(view.conn, name)
        if isinstance(site, BrokenSiteError):
            return view.page("broken_site.html", site=site, base=base_of(site.toml))
        now, holidays = view.now.timestamp(), Holidays.of(request.app.state.settings)
        health = source_health(view.conn, holidays, now, site=name, with_changes=True)
        problems = [(entry.health.chinese, entry) for entry in health.problems]
        changes = [(entry, *change_examples(view.conn, entry)) for entry in health.changes]
        return view.page(
            "site.html",
            problems=problems,
            changes=changes,
            lacking=LACKING,
            site=site,
            channels=channels_of(view.conn)[name],
            layouts=list_positions_of(view.conn, name),
            traps=spent(view.conn, name),
            toml=site_toml(site),
            saved=bool(saved),
            weights=SITE_WEIGHTS,
        )


def _row(site: Site, channels: list[dict[str, Any]], hours: list[int], problem: str | None) -> SiteRow:
    last = max((row["last_polled_at"] for row in channels if row["last_polled_at"]), default=None)
    due = min((row["due_at"] for row in channels if row["due_at"]), default=None)
    expected = sum(row["rate"] or 0.0 for row in channels)
    return SiteRow(site, problem or _problem(site, channels), last, due, sum(hours), hours, expected)


def channels_of(conn: Connection) -> defaultdict[str, list[dict[str, Any]]]:
    """The channels of each site, with what polls taught of them."""
    by_site_name: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in channel_polls(conn):
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


@api.get("/sites", summary="Sites", dependencies=[Depends(limit_costly)])
def every(request: Request) -> dict[str, Any]:
    """All sites, those with a problem first, then the heaviest: when each was polled and will be, and how many articles
    it brought in 24 hours. `broken` lists the sites whose stored file cannot be used, and why; no crawl starts while
    one of them is enabled."""
    with open_view(request) as view:
        rows, broken = rows_of(view)
        return {
            "broken": [_record(site) for site in broken],
            "sites": [
                site_record(row.site)
                | {
                    "problem": bool(row.problem),
                    "last_polled_at": row.last,
                    "due_at": row.due,
                    "articles": row.today,
                    "expected": row.expected,
                }
                for row in rows
            ],
        }


@api.post("/sites", summary="Add a site", status_code=201)
def add(request: Request, body: NewSite) -> dict[str, Any]:
    """As `scrapy sites add`. Takes the scope `edit`."""
    url, weight = required_url(body.url), str(body.weight or "")
    return site_record(new_site(request, url, body.name.strip() or from_home(url).name, weight, body.media_class or ""))


@api.post("/site-trials", summary="Try a site")
def trial(request: Request, body: Address) -> dict[str, Any]:
    """What is understood of the page at a URL, and of the five articles whose links are nearest to the topic; each of
    `links` has its URL, its text, and whether that is on topic. Nothing is stored. It takes some seconds, and one runs
    at a time: 429 while another one does. Takes the scope `edit`."""
    return asdict(tried(request, required_url(body.url)))


@api.get("/opml", summary="All sites as OPML")
def opml(request: Request) -> Response:
    """Each site as a folder of its feeds and lists, for feed readers and other consoles."""
    with open_view(request) as view:
        content = opml_of(every_site(view.conn))
    headers = {"Content-Disposition": 'attachment; filename="sites.opml"'}
    return Response(content, media_type="text/x-opml; charset=utf-8", headers=headers)


@api.post("/opml", summary="Watch what an OPML document names")
def take_opml(request: Request, body: OpmlDocument) -> dict[str, Any]:
    """Each feed becomes a channel of the site of its host; `done` says what was new, and which of the sites are
    disabled. Takes the scope `edit`."""
    require_role(request, Role.EDITOR)
    allowed = allowed_addresses(request.app.state.settings)
    new = sites_in(body.opml.strip().encode("utf-8", "replace"), "the document")  # no writer waits for it
    with begin_change(request, Role.EDITOR) as change:
        lines = list(take_in(change.conn, new, "the document", stored_sites(change.conn), allowed, change.now))
        change.note("site.import", "OPML", after=lines)
    return {"done": lines}


@api.get("/sites/{name:path}", summary="One site")
def one(request: Request, name: str) -> dict[str, Any]:
    """Its file as `toml`, the `version` of that, its channels with what polls taught of them, where its lists stand,
    its spent patterns. Status 409 says why it cannot be used."""
    with open_view(request) as view:
        site = site_named(view.conn, name)
        return site_record(site) | {
            "toml": site_toml(site),
            "version": base_of(site_toml(site)),
            "channels": channels_of(view.conn)[name],
            "lists": list_positions_of(view.conn, name),
            "rules": {channel.name: rule_fields(site, channel.name) for channel in site.channels},
            "traps": spent(view.conn, name),
        }


@api.post("/sites/{name:path}", summary="Change a site")
def change(request: Request, name: str, body: SiteChange) -> dict[str, Any]:
    """Its weight, whether it is polled, what was learned of it, its rules; a running crawl takes it up. 409 if its file
    is not that of the `version`, so that nobody's change is lost. Takes the scope `edit`."""
    changes: dict[str, dict[str, str]] = {} if body.weight is None else {"weight": {"weight": str(body.weight)}}
    if body.enabled is not None:
        changes["enable" if body.enabled else "disable"] = {}
    if body.relearn:
        changes["relearn"] = {}
    if body.rules is not None:
        changes["rules"] = body.rules.form()
    if body.toml is not None:
        changes = {"replace": {"toml": body.toml}} | changes
    change_named(request, name, changes, body.version)
    with open_view(request) as view:
        return _record(stored_site(view.conn, name))


def _record(site: StoredSite) -> dict[str, Any]:
    if isinstance(site, BrokenSiteError):
        return {"name": site.name, "enabled": site.enabled, "cause": site.cause}
    return site_record(site)


@api.delete("/sites/{name:path}", summary="Remove a site", status_code=204)
def remove(request: Request, name: str) -> None:
    """Its articles stay. Takes the scope `edit`."""
    change_named(request, name, {"remove": {}})


@api.get("/health", summary="The health of the sources", dependencies=[Depends(limit_costly)])
def health(request: Request) -> dict[str, Any]:
    """How many lists have each diagnosis, and the `problems` of the sites with evidence and advice; up to a minute
    old."""
    with open_view(request) as view:
        sources = request.app.state.health.of(view.conn, view.now.timestamp())
        changes = [{**entry._asdict(), "evidence": entry.sentence} for entry in sources.changes]
        return {"lists": sources.counts, "problems": [entry.record() for entry in sources.problems], "quality": changes}
