"""The watched sites: what each brings, when it is polled, and what is wrong with it."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, NamedTuple

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import Response
from sqlalchemy import Connection

from newsspider.sites.loader import site_toml
from newsspider.sites.model import Site
from newsspider.store.articles.intake import by_site, by_site_and_hour
from newsspider.store.ledger.list_positions import of_site
from newsspider.store.ledger.spent_patterns import spent
from newsspider.store.sites import polls, sites
from newsspider.web.view import opened

DAY = 86_400

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


@router.get("/sites")
def all_sites(request: Request) -> Response:
    """Every site of the registry, what is wrong first, then the heaviest."""
    with opened(request) as view:
        now = view.now.timestamp()
        channels = _channels(view.conn)
        days, hours = dict(by_site(view.conn, now - DAY)), by_site_and_hour(view.conn, now)
        rows = [
            _row(site, channels[site.name], days.get(site.name, 0), hours.get(site.name, []))
            for site in sites(view.conn)
        ]
        rows.sort(key=lambda row: (not row.problem, not row.site.enabled, -row.site.weight, row.site.name))
        return view.page("sites.html", rows=rows)


@router.get("/sites/{name:path}")
def one_site(request: Request, name: str) -> Response:
    """A site with its channels, the learned positions of its lists, and its file."""
    with opened(request) as view:
        site = next((site for site in sites(view.conn) if site.name == name), None)
        if site is None:
            raise HTTPException(404, f"there is no site {name!r}")
        return view.page(
            "site.html", site=site, channels=_channels(view.conn)[name], layouts=of_site(view.conn, name),
            traps=spent(view.conn, name), toml=site_toml(site), seconds=view.now.timestamp(),
        )  # fmt: skip


def _row(site: Site, channels: list[dict[str, Any]], today: int, hours: list[int]) -> Row:
    last = max((row["last_polled_at"] for row in channels if row["last_polled_at"]), default=None)
    due = min((row["due_at"] for row in channels if row["due_at"]), default=None)
    expected = sum(row["rate"] or 0.0 for row in channels)
    return Row(site, _problem(site, channels), last, due, today, hours, expected)


def _channels(conn: Connection) -> defaultdict[str, list[dict[str, Any]]]:
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
