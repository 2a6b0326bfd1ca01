"""Sites and URLs in the API."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import Depends, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field

from newsspider.features.console.access import costly
from newsspider.features.console.api.routing import api_router
from newsspider.features.console.pages import sites as page
from newsspider.features.console.pages.site_rules import previewed
from newsspider.features.console.pages.sites import channels_of, new_site, rows_of, tried
from newsspider.features.console.pages.submit import handed_over
from newsspider.features.console.pages.url import forgotten
from newsspider.features.console.site_edits import base_of, change_named, named, stored_site
from newsspider.features.console.view import opened, required_url
from newsspider.sites.listing import record
from newsspider.sites.loader import site_toml
from newsspider.sites.model import MediaClass, from_home
from newsspider.sites.opml import opml_of
from newsspider.sites.rule_fields import rule_fields
from newsspider.store.ledger.list_positions import of_site
from newsspider.store.ledger.spent_patterns import spent
from newsspider.store.sites import BrokenSite, StoredSite, sites

router = api_router()

Text = Annotated[str, Field(max_length=2000)]


class Address(BaseModel):
    """A URL."""

    url: Text


class NewSite(Address):
    """A site of which the URL is the home page."""

    name: Annotated[Text, Field(description="empty: the host")] = ""
    weight: Annotated[int | None, Field(ge=1, le=10)] = None
    media_class: MediaClass | None = None


class Rules(BaseModel):
    """Rules of a site file. A field that is missing stays as it is; an empty one removes the rule."""

    channel: Annotated[Text, Field(description="the list that `regions`, `next_page` and `items` are of")] = ""
    regions: Annotated[list[Text] | None, Field(max_length=20, description="XPaths of where its links stand")] = None
    next_page: Annotated[Text | None, Field(description="XPath")] = None
    items: Annotated[Text | None, Field(description="JMESPath of the list, of an answer in JSON")] = None
    article_url: Annotated[Text | None, Field(description="pattern of the URLs of its articles")] = None
    title: Annotated[Text | None, Field(description="XPath, as are the others")] = None
    body: Text | None = None
    date: Text | None = None
    source: Text | None = None
    author: Text | None = None

    def form(self) -> dict[str, str]:
        """The same as the form of the page has it."""
        values = self.model_dump(exclude_none=True, exclude={"regions"})
        return values | ({} if self.regions is None else {"regions": "\n".join(self.regions)})


class Trial(BaseModel):
    """Rules, and the pages on which they are tried."""

    rules: Rules = Rules()
    article: Annotated[Text, Field(description="its URL; empty: the first one of the list")] = ""
    again: Annotated[bool, Field(description="fetch pages again that are kept or stored")] = False


class SiteChange(BaseModel):
    """What changes of a site; a field that is missing stays as it is."""

    weight: Annotated[int | None, Field(ge=1, le=10)] = None
    enabled: bool | None = None
    relearn: Annotated[bool, Field(description="forget what was learned of it")] = False
    rules: Rules | None = None
    toml: Annotated[str | None, Field(max_length=100_000, description="a site file in place of the stored one")] = None
    version: Annotated[str, Field(max_length=64, description="that of `GET`; empty: whatever is stored")] = ""


class Document(BaseModel):
    """Feeds and sites, as feed readers write them."""

    opml: str


class Submission(Address):
    """A URL for the crawl."""

    watch: Annotated[bool, Field(description="poll it from now on, as a channel")] = False


@router.get("/sites", summary="Sites", dependencies=[Depends(costly)])
def every(request: Request) -> dict[str, Any]:
    """All sites, those with a problem first, then the heaviest: when each was polled and will be, and how many articles
    it brought in 24 hours. `broken` lists the sites whose stored file cannot be used, and why; no crawl starts while
    one of them is enabled."""
    with opened(request) as view:
        rows, broken = rows_of(view)
        return {
            "broken": [_record(site) for site in broken],
            "sites": [
                record(row.site) | {
                    "problem": bool(row.problem), "last_polled_at": row.last, "due_at": row.due, "articles": row.today,
                    "expected": row.expected,
                }
                for row in rows
            ]
        }  # fmt: skip


@router.post("/sites", summary="Add a site", status_code=201)
def add(request: Request, body: NewSite) -> dict[str, Any]:
    """As `scrapy sites add`. Takes the scope `edit`."""
    url, weight = required_url(body.url), str(body.weight or "")
    return record(new_site(request, url, body.name.strip() or from_home(url).name, weight, body.media_class or ""))


@router.post("/site-trials", summary="Try a site")
def trial(request: Request, body: Address) -> dict[str, Any]:
    """What is understood of the page at a URL, and of the five articles whose links are nearest to the topic; each of
    `links` has its URL, its text, and whether that is on topic. Nothing is stored. It takes some seconds, and one runs
    at a time: 429 while another one does. Takes the scope `edit`."""
    return asdict(tried(request, required_url(body.url)))


@router.get("/opml", summary="All sites as OPML")
def opml(request: Request) -> Response:
    """Each site as a folder of its feeds and lists, for feed readers and other consoles."""
    with opened(request) as view:
        content = opml_of(sites(view.conn))
    headers = {"Content-Disposition": 'attachment; filename="sites.opml"'}
    return Response(content, media_type="text/x-opml; charset=utf-8", headers=headers)


@router.post("/opml", summary="Watch what an OPML document names")
def take_opml(request: Request, body: Document) -> dict[str, Any]:
    """Each feed becomes a channel of the site of its host; `done` says what was new, and which of the sites are
    disabled. Takes the scope `edit`."""
    return {"done": page.opml_taken(request, body.opml)}


@router.get("/sites/{name:path}", summary="One site")
def one(request: Request, name: str) -> dict[str, Any]:
    """Its file as `toml`, the `version` of that, its channels with what polls taught of them, where its lists stand,
    its spent patterns. Status 409 says why it cannot be used."""
    with opened(request) as view:
        site = named(view.conn, name)
        return record(site) | {
            "toml": site_toml(site), "version": base_of(site_toml(site)),
            "channels": channels_of(view.conn)[name], "lists": of_site(view.conn, name),
            "rules": {channel.name: rule_fields(site, channel.name) for channel in site.channels},
            "traps": spent(view.conn, name),
        }  # fmt: skip


@router.post("/sites/{name:path}", summary="Change a site")
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
    with opened(request) as view:
        return _record(stored_site(view.conn, name))


def _record(site: StoredSite) -> dict[str, Any]:
    if isinstance(site, BrokenSite):
        return {"name": site.name, "enabled": site.enabled, "cause": site.cause}
    return record(site)


@router.post("/site-rules/{name:path}", summary="Try rules of a site")
def try_rules(request: Request, name: str, body: Trial) -> dict[str, Any]:
    """What the site reads of a list and of an article with these rules in place of its own; `selected` says how much
    each selects. Nothing is stored. It may fetch, and one runs at a time, as of `site-trials`. Takes the scope
    `edit`."""
    fields = body.rules.form() | {"article": body.article, "again": "1" if body.again else ""}
    return asdict(previewed(request, name, fields))


@router.delete("/sites/{name:path}", summary="Remove a site", status_code=204)
def remove(request: Request, name: str) -> None:
    """Its articles stay. Takes the scope `edit`."""
    change_named(request, name, {"remove": {}})


@router.post("/urls", summary="Submit a URL", status_code=202)
def submit(request: Request, body: Submission) -> dict[str, Any]:
    """Have a URL fetched by the next or the running crawl, or watched from now on, as `scrapy submit` does; `GET` tells
    what became of it. Takes the scope `edit`."""
    url = required_url(body.url)
    return {"url": url, "watched_as": handed_over(request, url, watch=body.watch)}


@router.delete("/urls", summary="Forget a URL", status_code=204)
def forget(request: Request, url: Annotated[str, Query(max_length=2000)]) -> None:
    """With its links, and its article if no other URL has it, as `scrapy forget`. Takes the scope `edit`."""
    forgotten(request, required_url(url))
