"""The rules of a site: its XPaths and patterns, tried on a list page and an article before they are stored."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field
from scrapy.exceptions import UsageError

from newsspider.actions.page_fetcher import OnePage
from newsspider.actions.sites import refuse_private
from newsspider.core.query.query_language import value_test
from newsspider.download.guarded_resolver import allowed_addresses
from newsspider.features.console.access import Fields, require_role
from newsspider.features.console.accounts import Role
from newsspider.features.console.api.routing import api_router
from newsspider.features.console.pages.sites import trial_turn
from newsspider.features.console.rate_limits import limit_costly
from newsspider.features.console.site_edits import (
    OutdatedFormError,
    SiteRules,
    Text,
    base_of,
    by_field,
    change_named,
    rule_fields,
    site_named,
    with_rules,
)
from newsspider.features.console.site_rules_preview import Fetched, FetchedPages, RulesPreview, rules_preview
from newsspider.features.console.view import View, form_sentence, open_view, redirect_to, typed_url
from newsspider.search.entry_rows import SearchScope
from newsspider.search.hits import Sort
from newsspider.search.query_relaxation import looked_up
from newsspider.sites.loader import SiteError
from newsspider.sites.model import Channel, ChannelKind, Site, from_home
from newsspider.store.articles.snapshots import pages_of

PREVIEW_SECONDS = 20.0  # seconds: a preview follows another one that nobody waits for any more; one waits at a time
LONGEST_REST = 5  # seconds that a trial waits for a host before it asks it
DOCUMENTS = frozenset((ChannelKind.FEED, ChannelKind.SITEMAP))  # no XPath is asked of them

router = APIRouter()
api = api_router()


class RuleTrial(BaseModel):
    """Rules, and the pages on which they are tried."""

    rules: SiteRules = SiteRules()
    article: Annotated[Text, Field(description="its URL; empty: the first one of the list")] = ""
    again: Annotated[bool, Field(description="fetch pages again that are kept or stored")] = False


@router.get("/site-rules/{name:path}")
def rules_page(request: Request, name: str, channel: str = "", saved: str = "") -> Response:
    """The rules of a site and of one of its lists."""
    require_role(request, Role.EDITOR)
    return _page(request, name, {"channel": channel}, saved=bool(saved))


@router.post("/site-rules/{name:path}")
def rules_form(request: Request, name: str, fields: Fields) -> Response:
    """Try the rules of the form on its pages, or store them."""
    require_role(request, Role.EDITOR)
    try:
        if fields.pop("do", "") != "save":
            return _page(request, name, fields, preview=previewed(request, name, fields))
        change_named(request, name, {"rules": fields})
    except SiteError as error:
        return _page(request, name, fields, problems=by_field(error))
    except OutdatedFormError:
        return _page(request, name, fields, outdated=True)
    query = f"?channel={quote(fields.get('channel', ''))}&saved=1"
    return redirect_to(request, f"/site-rules/{quote(name, safe='')}{query}")


def previewed(request: Request, name: str, fields: Mapping[str, str]) -> RulesPreview:
    """What the rules of a site read with these fields in place of its own; :exc:`SiteError` names what is no rule. One
    trial at a time. With ``again`` the pages are fetched again, also one that the store has."""
    require_role(request, Role.EDITOR)
    limit_costly(request)
    cache: FetchedPages = request.app.state.fetched_pages
    again, settings, clock = bool(fields.get("again")), request.app.state.settings, request.app.state.clock
    with open_view(request) as view:
        site = site_named(view.conn, name)
    site = with_rules(site, fields)  # no state of the store is kept for it
    channel, article_url = site.channel(fields.get("channel", "")), _article_of(fields)
    if channel is None and fields.get("channel"):
        raise SiteError("rules", "channel", f"the site has none of the name {fields['channel']!r}")
    urls = [url for url in (channel.url if channel else "", article_url) if url]
    _pages_without_rest(request, () if again else urls, urls)
    with trial_turn(request, PREVIEW_SECONDS):
        pages = _pages_without_rest(request, () if again else urls, urls)  # the trial before may have left some
        for url in urls:
            if url not in pages:
                try:
                    refuse_private(from_home(url), allowed_addresses(settings))
                except UsageError as error:
                    wrong = "article" if url == article_url else "channel"
                    raise SiteError("rules", wrong, form_sentence(str(error))) from None
        return rules_preview(site, channel.name if channel else "", article_url, pages, cache, clock, settings)


def _pages_without_rest(request: Request, reused: Sequence[str], urls: Sequence[str]) -> dict[str, Fetched]:
    """The pages at the ``reused`` URLs that need not be fetched; status 429 while the host of another is to rest for
    long: a trial that waited for that would keep all others waiting."""
    cache: FetchedPages = request.app.state.fetched_pages
    now = request.app.state.clock.now()
    pages: dict[str, Fetched] = {}
    with open_view(request) as view:
        for url in reused:
            if page := cache.get(url, now) or _stored(view, url):
                pages[url] = page
    rest = math.ceil(max(cache.rests([url for url in urls if url not in pages], now).values(), default=0.0))
    if rest > LONGEST_REST:
        raise HTTPException(429, f"the site was just asked; try again in {rest} s", {"Retry-After": str(rest)})
    return pages


def _article_of(fields: Mapping[str, str]) -> str:
    """The URL of the article that is to be read; empty: none is."""
    typed = fields.get("article", "").strip()
    url = typed_url(typed) if typed else ""
    if url is None:
        raise SiteError("rules", "article", f"{typed[:200]!r} is not an http or https URL")
    return url


def _stored(view: View, url: str) -> OnePage | None:
    """The snapshot that the store has of the article at a URL."""
    page = next(iter(pages_of(view.conn, url)), None)
    return page and OnePage(page.content, page.url, f"text/html; charset={page.charset}")


def _page(
    request: Request,
    name: str,
    fields: Mapping[str, str],
    *,
    preview: RulesPreview | None = None,
    problems: Mapping[str, str] | None = None,
    saved: bool = False,
    outdated: bool = False,
) -> Response:
    with open_view(request) as view:
        site = site_named(view.conn, name)
        channel = site.channel(fields.get("channel", "")) or _first_list(site)
        rules = rule_fields(site, channel.name)
        values = {"article": _newest(view, name)} | rules | dict(fields) | {"channel": channel.name}
        if preview is not None:
            values["article"] = values["article"] or preview.article_url
        if outdated or "base" not in fields:
            values["base"] = base_of(rules)
        return view.page(
            "site_rules.html",
            status=400 if problems else 409 if outdated else 200,
            site=site,
            channel=channel,
            values=values,
            preview=preview,
            problems=problems or {},
            saved=saved,
            stored=rules if outdated else None,
        )


def _first_list(site: Site) -> Channel:
    return next((channel for channel in site.channels if channel.kind not in DOCUMENTS), site.channels[0])


def _newest(view: View, name: str) -> str:
    """The URL of the newest stored article of a site."""
    query = value_test("site", name)
    result = looked_up(view.conn, query, SearchScope(), limit=1, sort=Sort.TIME, now=view.now, questions=False)
    return str(result.found.hits[0].record["url"]) if result.found.hits else ""


@api.post("/site-rules/{name:path}", summary="Try rules of a site")
def try_rules(request: Request, name: str, body: RuleTrial) -> dict[str, Any]:
    """What the site reads of a list and of an article with these rules in place of its own; `selected` says how much
    each selects. Nothing is stored. It may fetch, and one runs at a time, as of `site-trials`. Takes the scope
    `edit`."""
    fields = body.rules.form() | {"article": body.article, "again": "1" if body.again else ""}
    return asdict(previewed(request, name, fields))
