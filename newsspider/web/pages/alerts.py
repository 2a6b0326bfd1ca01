"""Alerts: what, to whom, when last, how often; what one would have told last week; what could not be delivered."""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import RedirectResponse, Response
from scrapy.exceptions import UsageError
from sqlalchemy import Connection

from newsspider.alerts.channels import masked, secret_of
from newsspider.alerts.preview import preview
from newsspider.alerts.views import delivery_record, overview
from newsspider.cli.alert_changes import channels_of, described, new_secrets, put, rule_of
from newsspider.core.alerts.messages import reason
from newsspider.sites.holidays import Holidays
from newsspider.store.accounts import Role
from newsspider.store.alerts import deliveries, rules
from newsspider.store.alerts.rules import FOREVER, Alert
from newsspider.store.engine.database import writable, writing
from newsspider.web.access import Change, Fields, changing, costly, needs
from newsspider.web.view import View, opened

DAY = 86_400.0
SPANS = {"1": DAY, "3": 3 * DAY, "7": 7 * DAY}  # days for which an alert is muted
MOST_MESSAGES = 30
MOST_RESENT = 10_000  # messages at once
EMPTY = {
    "name": "", "kind": "query", "query": "", "event": "20", "source": "all", "per": "event", "rhythm": "immediately",
    "at": "08:00", "quiet": "", "owner": "", "channel": "", "to": "",
}  # fmt: skip

router = APIRouter()
public = APIRouter()  # for whoever has the link of a message


@router.get("/alerts")
def alerts(request: Request, query: str = "") -> Response:
    """All alerts that the reader may see, a form for another one, and the messages that were given up."""
    return _page(request, {**EMPTY, "query": query, "name": query[:30]})


@router.post("/alerts/preview")
def show_preview(request: Request, fields: Fields) -> Response:
    """What the alert of the form would have told in the last week."""
    costly(request)
    form = {name: fields.get(name, default) for name, default in EMPTY.items()}
    try:
        alert = rule_of(_options(form))
    except UsageError as error:
        return _page(request, form, status=400, objection=_sentence(error))
    return _page(request, form, alert=alert)


@router.post("/alerts")
def add(request: Request, fields: Fields) -> Response:
    """A new alert. A new channel is an admin's to choose: the server will ask its address."""
    bearer = needs(request, Role.READER)
    form = {name: fields.get(name, default) for name, default in EMPTY.items()}
    form["owner"] = form["owner"] if bearer.role is Role.ADMIN and bearer.account else bearer.account
    given = [form["to"].strip()] if form["to"].strip() else []
    if given:
        needs(request, Role.ADMIN)
    try:
        alert = described(_options(form))
        channels = channels_of(given)
        with changing(request, Role.READER) as change:
            chosen = _own_channels(change.conn, request).get(form["channel"])
            if chosen is None and not channels:
                return _page(request, form, status=400, objection="no_channel")
            put(change.conn, alert, channels or (str(chosen),))
            after = {"query": alert.query, "kind": str(alert.kind), "owner": alert.owner}
            change.note("alert.add", alert.name, after=after)
    except UsageError as error:
        return _page(request, form, status=400, objection=_sentence(error))
    if new := new_secrets(channels, given):
        return _page(request, EMPTY, secret=secret_of(new[0]), at=masked(new[0]))
    return _back(request)


@router.post("/alerts/mute")
def mute(request: Request, fields: Fields) -> Response:
    """Mute an alert for some days, for good, or no longer."""
    with changing(request, Role.READER) as change:
        alert = _alert_of(change.conn, request, fields.get("id", ""))
        _mute(change, alert, fields.get("days", ""))
    return _back(request)


@router.post("/alerts/remove")
def remove(request: Request, fields: Fields) -> Response:
    """Remove an alert."""
    with changing(request, Role.READER) as change:
        alert = _alert_of(change.conn, request, fields.get("id", ""))
        rules.remove(change.conn, alert)
        change.note("alert.remove", alert.name, before={"query": alert.query, "owner": alert.owner})
    return _back(request)


@router.post("/alerts/resend")
def resend(request: Request, fields: Fields) -> Response:
    """Send what was given up again."""
    with changing(request, Role.READER) as change:
        dead = deliveries.listed(change.conn, "dead", owner=_owner(request), most=MOST_RESENT)
        keys = [row.key for row in dead if fields.get("key", "") in {row.key, ""}]
        count = sum(deliveries.again(change.conn, key, change.now) for key in keys)
        change.note("alert.resend", fields.get("key", "") or "*", after={"messages": count})
    return _back(request)


@router.get("/alerts/{number:int}")
def one(request: Request, number: int) -> Response:
    """An alert with what it would have told in the last week, and its latest messages."""
    costly(request)
    with opened(request) as view:
        alert = _alert_of(view.conn, request, str(number))
        record = next(record for record in overview(view.conn, view.now.timestamp()) if record["id"] == alert.id)
        rows = deliveries.listed(view.conn, alert_id=alert.id, most=MOST_MESSAGES)
        stories = preview(view.conn, alert, view.now, Holidays.of(request.app.state.settings))
        return view.page(
            "alert.html", alert=record, stories=stories, reason=reason, messages=[delivery_record(row) for row in rows]
        )


@public.get("/alerts/mute/{token}")
def mute_page(request: Request, token: str) -> Response:
    """Asks whoever followed the link of a message for how long the alert shall be silent."""
    with opened(request) as view:
        return _mute_page(view, _with_token(view.conn, token), done=False)


@public.post("/alerts/mute/{token}")
def mute_by_link(request: Request, token: str, fields: Fields) -> Response:
    """Mute the alert of a message: the link is the right to do so."""
    engine, now = request.app.state.engine, request.app.state.clock.now()
    if not writable(engine):
        raise HTTPException(409, "the store may only be read")
    with writing(engine) as conn:
        alert = _with_token(conn, token)
        _mute(Change(conn, now, alert.owner), alert, fields.get("days", ""))
    with opened(request) as view:
        return _mute_page(view, _with_token(view.conn, token), done=True)


def _page(
    request: Request, form: Mapping[str, str], *, status: int = 200, alert: Alert | None = None, **values: Any
) -> Response:
    with opened(request) as view:
        mine = {visible.id for visible in _visible(view.conn, request)}
        records = [record for record in overview(view.conn, view.now.timestamp()) if record["id"] in mine]
        rows = deliveries.listed(view.conn, "dead", owner=_owner(request), most=MOST_MESSAGES)
        holidays = Holidays.of(request.app.state.settings)
        stories = None if alert is None else preview(view.conn, alert, view.now, holidays)
        channels = {name: masked(channel) for name, channel in _own_channels(view.conn, request).items()}
        shown = {"objection": "", "secret": "", "at": "", **values}
        return view.page(
            "alerts.html", status=status, form=form, alerts=records, dead=[delivery_record(row) for row in rows],
            stories=stories, channels=channels, reason=reason, **shown,
        )  # fmt: skip


def _mute_page(view: View, alert: Alert, *, done: bool) -> Response:
    return view.page("mute.html", alert=alert, done=done, muted=alert.is_muted(view.now.timestamp()), forever=FOREVER)


def _options(form: Mapping[str, str]) -> Namespace:
    """The form as options of ``scrapy alerts add``."""
    kind = form["kind"]
    rhythm = f"daily {form['at']}" if form["rhythm"] == "daily" else form["rhythm"]
    return Namespace(
        name=form["name"].strip(), owner=form["owner"].strip(), rhythm=rhythm, quiet=form["quiet"], per=form["per"],
        query=form["query"] if kind != "source" else None, event=form["event"] if kind == "event" else None,
        source=form["source"].strip() if kind == "source" else None,
    )  # fmt: skip


def _sentence(error: UsageError) -> str:
    """What is wrong with an option, said of a field.

    >>> _sentence(UsageError("--source is empty: say a site, or all"))
    'source is empty: say a site, or all'
    """
    return re.sub(r"(?<![\w-])--(?=[a-z])", "", str(error))


def _visible(conn: Connection, request: Request) -> list[Alert]:
    """One's own alerts; to an admin, all."""
    owner = _owner(request)
    return [alert for alert in rules.every(conn) if owner in {None, alert.owner}]


def _owner(request: Request) -> str | None:
    """Whose alerts one sees: ``None``, everybody's, as an admin."""
    bearer = needs(request, Role.READER)
    return None if bearer.role is Role.ADMIN else bearer.account


def _own_channels(conn: Connection, request: Request) -> dict[str, str]:
    """The channels that one may choose: those of the alerts that one sees, by names that tell nothing of them."""
    several: dict[str, str] = {}
    for alert in _visible(conn, request):
        for number, channel in enumerate(alert.channels):
            if channel not in several.values():
                several[f"{alert.id}-{number}"] = channel
    return several


def _alert_of(conn: Connection, request: Request, number: str) -> Alert:
    alert = next((alert for alert in _visible(conn, request) if str(alert.id) == number), None)
    if alert is None:
        raise HTTPException(404, "there is no such alert")
    return alert


def _with_token(conn: Connection, token: str) -> Alert:
    alert = rules.with_token(conn, token)
    if alert is None:
        raise HTTPException(404, "there is no such alert")
    return alert


def _mute(change: Change, alert: Alert, days: str) -> None:
    until = change.now + SPANS[days] if days in SPANS else FOREVER if days == "all" else 0.0
    rules.mute(change.conn, alert, until, change.now)
    change.note("alert.mute" if until else "alert.unmute", alert.name, after={"days": days})


def _back(request: Request) -> Response:
    return RedirectResponse(f"{request.scope.get('root_path', '')}/alerts", 303)
