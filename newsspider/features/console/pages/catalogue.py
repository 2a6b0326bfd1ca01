"""The catalogue of sources as a page and in the API: browse, see the evidence and the last check, watch one."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel
from scrapy.exceptions import UsageError

from newsspider.actions.sites import owners_of, refuse_private
from newsspider.core.text.regions import region_code, region_names
from newsspider.core.url import host_of
from newsspider.download.guarded_resolver import allowed_addresses
from newsspider.features.console.access import Fields, begin_change
from newsspider.features.console.accounts import Role
from newsspider.features.console.api.routing import api_router
from newsspider.features.console.site_edits import Text, add_stored
from newsspider.features.console.view import UNSAID, open_view, redirect_to
from newsspider.features.health.check.faults import ADVICE, SiteFault
from newsspider.features.health.check.result_views import OK, repair_line
from newsspider.features.health.check.stored_results import Checked, last_visits
from newsspider.sites.model import MediaClass, Site
from newsspider.sites.source_catalogue import (
    CatalogueSource,
    SourceLevel,
    chosen_sources,
    read_catalogue,
    source_record,
)
from newsspider.store.sites import BrokenSiteError, stored_sites

FAULTY, UNCHECKED = "faulty", "unchecked"  # verdicts beside those of a check
VERDICTS: dict[str, str] = {OK: "正常", FAULTY: "有问题", UNCHECKED: "未检查"} | {
    str(fault): fault.chinese for fault in SiteFault
}

OfLevel = Annotated[SourceLevel | None, UNSAID]
OfClass = Annotated[MediaClass | None, UNSAID]

router = APIRouter()
api = api_router()


class CatalogueChoice(BaseModel):
    """A source of the catalogue."""

    name: Text


@router.get("/catalogue")
def show(
    request: Request,
    region: str = "",
    level: OfLevel = None,
    media_class: OfClass = None,
    verdict: Annotated[str, Query(pattern=f"^({'|'.join(VERDICTS)}|)$")] = "",
) -> Response:
    """The sources of a region, level, class and verdict, the heaviest first; without a choice the national ones."""
    if not (region or level or media_class or verdict):
        level = SourceLevel.NATIONAL
    with open_view(request) as view:
        sources = _chosen(region, level, media_class)
        owners = owners_of(sources, stored_sites(view.conn))
        checks = _checks(sources, owners, last_visits(view.conn))
        return view.page(
            "catalogue.html",
            sources=[source for source in sources if verdict in _verdicts(checks.get(source.site.name))],
            regions={code: name for code, name in region_names().items() if code in _regions_of_sources()},
            levels=SourceLevel,
            classes=MediaClass,
            verdicts=VERDICTS,
            found={verdict for check in checks.values() for verdict in _verdicts(check)},
            region=region_code(region) or "",
            level=level or "",
            media_class=media_class or "",
            verdict=verdict,
            total=len(read_catalogue()),
            owners=owners,
            checks=checks,
        )


@router.get("/catalogue/check")
def report(request: Request, name: str) -> Response:
    """What the last check of a site found, and what to do about it."""
    with open_view(request) as view:
        checked = last_visits(view.conn).get(name)
        if checked is None:
            raise HTTPException(404, f"the site {name!r} was not checked")
        result = checked.result
        return view.page(
            "site_check.html",
            result=result,
            at=checked.at,
            verdicts=VERDICTS,
            verdict=str(result.fault or OK),
            word=shlex.quote(name),
            advice={fault: text.replace("NAME", shlex.quote(name)) for fault, text in ADVICE.items()},
            repairs=[repair_line(repair) for repair in result.repairs],
        )


@router.post("/catalogue/add")
def add(request: Request, fields: Fields) -> Response:
    """Watch a source, and go back to the list."""
    watch(request, fields.get("name", ""))
    allowed: dict[str, list[str]] = {
        "region": list(region_names()),
        "level": list(SourceLevel),
        "media_class": list(MediaClass),
        "verdict": list(VERDICTS),
    }
    chosen = {name: fields[name] for name, values in allowed.items() if fields.get(name) in values}
    return redirect_to(request, f"/catalogue?{urlencode(chosen)}")


def watch(request: Request, name: str) -> Site:
    """Watch the source of this name, as ``scrapy sites catalogue --add`` does."""
    source = next((source for source in read_catalogue() if source.site.name == name), None)
    if source is None:
        raise HTTPException(404, f"the catalogue has no source {name!r}")
    site = source.site
    with begin_change(request, Role.EDITOR) as change:
        if owner := owners_of([source], stored_sites(change.conn)).get(name):
            same_host = f"the site {owner.name!r} has the host {host_of(site.home)} already"
            raise HTTPException(409, f"there is a site {name!r} already" if owner.name == name else same_host)
        try:
            refuse_private(site, allowed_addresses(request.app.state.settings))
        except UsageError as error:
            raise HTTPException(400, str(error)) from None
        add_stored(change, site)
    return site


def _regions_of_sources() -> set[str]:
    """The codes of the regions that sources have, and of their provinces."""
    codes = {source.region for source in read_catalogue()}
    return codes | {f"{code[:2]}0000" for code in codes}


def _checks(
    sources: list[CatalogueSource], owners: Mapping[str, Site | BrokenSiteError], visits: Mapping[str, Checked]
) -> dict[str, Checked]:
    """The last check of each source that was visited, under its own name or that of the watched site."""
    latest = {}
    for name in (source.site.name for source in sources):
        owner = owners.get(name)
        checks = [visits[other] for other in {name, owner.name if owner else name} if other in visits]
        if checks:
            latest[name] = max(checks, key=lambda check: check.at)
    return latest


def _verdicts(check: Checked | None) -> set[str]:
    """The verdicts by which a source is found."""
    if check is None:
        return {"", UNCHECKED}
    return {"", OK} if check.result.fault is None else {"", FAULTY, str(check.result.fault)}


def _chosen(region: str, level: SourceLevel | None, media_class: MediaClass | None) -> list[CatalogueSource]:
    """The sources of a region, by name or code, the heaviest first; status 422 if the region is not known."""
    code = region_code(region) if region else ""
    if code is None:
        raise HTTPException(422, f"region: {region!r} is no province or city")
    sources = chosen_sources(code, level or "", media_class or "")
    return sorted(sources, key=lambda source: (-source.site.weight, source.site.name))


@api.get("/catalogue", summary="Sources that can be watched")
def listed(request: Request, region: str = "", level: OfLevel = None, media_class: OfClass = None) -> dict[str, Any]:
    """The sources of the catalogue in a region (its name or its code by GB/T 2260), of a level and of a class of media,
    each with its addresses and the evidence for them: the files of public repositories that name it."""
    return {"sources": [source_record(source) for source in _chosen(region, level, media_class)]}


@api.post("/catalogue", summary="Watch a source of the catalogue", status_code=201)
def watch_one(request: Request, body: CatalogueChoice) -> dict[str, Any]:
    """As `scrapy sites catalogue --add`, for one source. Takes the scope `edit`."""
    return {"watched": watch(request, body.name).name}
