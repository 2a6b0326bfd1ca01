"""Alerts: what, to whom, when last, how often; what one would have told last week; what could not be delivered."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Mapping
from textwrap import shorten
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import Response
from scrapy.exceptions import UsageError
from sqlalchemy import Connection

from newsspider.features.alerts import deliveries, stored_alerts
from newsspider.features.alerts.channel_form import EMPTY_FIELDS, FIELDS, address_of, service_of, shown_fields
from newsspider.features.alerts.channels import (
    CONSOLE,
    BadChannelError,
    check_channel,
    mask_channel,
    secret_of,
    send_message,
)
from newsspider.features.alerts.deliveries import alerts_overview, delivery_record
from newsspider.features.alerts.messages import key_of, reason_sentence, trial_message
from newsspider.features.alerts.new_alert import (
    LONGEST_NAME,
    add_alert,
    alert_of_options,
    channels_of,
    check_channels,
    new_secrets,
    rule_of,
)
from newsspider.features.alerts.preview import newest_stories, preview_alert
from newsspider.features.alerts.stored_alerts import FOREVER, Alert
from newsspider.features.console.access import (
    AuditedChange,
    Fields,
    begin_change,
    needs_session,
    owner_of,
    require_role,
    writing_store,
)
from newsspider.features.console.accounts import Role
from newsspider.features.console.pages.search import MOST_HOT
from newsspider.features.console.rate_limits import limit_costly
from newsspider.features.console.search_counts import DAYS_SEARCHED, hot_searches
from newsspider.features.console.view import View, form_sentence, open_view, redirect_to
from newsspider.hooks import PROJECT
from newsspider.sites.holidays import Holidays

DAY = 86_400.0
MUTE_SPANS = {"1": DAY, "3": 3 * DAY, "7": 7 * DAY}  # days for which an alert is muted
MOST_MESSAGES = 30
MOST_LATEST, MOST_LINKS = 10, 5  # messages that were sent, and stories of one, on the page of all alerts
FIELDS_NAMED = {  # by words of a sentence
    "the query": "query",
    "say what it waits for": "query",
    "source": "source",
    "event ": "event",
    "quiet hours": "quiet",
    "NAME": "name",
    "there is an alert": "name",
    "owner": "owner",
    "the sender is": "mail_sender",
    "type the password": "mail_password",
    "a .docx is attached": "to",
    "the port is": "mail_port",
    "to: ": "to",
    "a hub of WebSub": "to",
}
EMPTY = {
    "name": "",
    "kind": "query",
    "query": "",
    "event": "20",
    "source": "all",
    "per": "event",
    "rhythm": "immediately",
    "at": "08:00",
    "quiet": "",
    "owner": "",
    "channel": CONSOLE,
    **EMPTY_FIELDS,
}

router = APIRouter()
public = APIRouter()  # for whoever has the link of a message


@router.get("/alerts")
def alerts(request: Request, query: str = "") -> Response:
    """All alerts that the reader may see, a form for another one, and the messages that were given up."""
    name = shorten(query, LONGEST_NAME, placeholder="") or query[:LONGEST_NAME]  # between words
    return _page(request, {**EMPTY, "query": query, "name": name})


@router.post("/alerts/preview")
def show_preview(request: Request, fields: Fields) -> Response:
    """What the alert of the form would have told in the last week."""
    limit_costly(request)
    form = form_of(fields)
    try:
        alert = rule_of(options_of(form))
    except UsageError as error:
        return _page(request, form, status=400, objection=form_sentence(str(error)))
    return _page(request, form, alert=alert)


@router.post("/alerts")
def add(request: Request, fields: Fields) -> Response:
    """A new alert."""
    form = form_of(fields)
    try:
        address = address_of(form)
        _, channels = new_alert(request, form, [address] if address else [])
    except (UsageError, BadChannelError) as error:
        return _page(request, form, status=400, objection=form_sentence(str(error)))
    if channels:
        return _page(request, EMPTY, secret=secret_of(channels[0]), at=mask_channel(channels[0]))
    return redirect_to(request, "/alerts")


@router.post("/alerts/try")
def try_channel(request: Request, fields: Fields) -> Response:
    """Send a trial message to the channel of the form, which is not saved: the new one, or that which is chosen."""
    form = form_of(fields)
    needs_session(request)
    about = {"name": form["name"].strip() or PROJECT, "owner": "", "kind": form["kind"], "query": form["query"]}
    try:
        if channel := address_of(form):
            require_role(request, Role.ADMIN)
        else:
            with open_view(request) as view:
                channel = own_channels(view.conn, request).get(form["channel"], CONSOLE)
        error = _try(request, channel, about, "")
    except BadChannelError as wrong:
        return _page(request, form, status=400, objection=str(wrong))
    return _page(request, form, tried={"error": error})


@router.post("/alerts/{number:int}/channels/{place:int}")
def change_channel(request: Request, number: int, place: int, fields: Fields) -> Response:
    """Another address in the place of a channel: in this alert, and in all others that send to it."""
    require_role(request, Role.ADMIN)
    form = form_of(fields)
    try:
        with begin_change(request, Role.ADMIN) as change:
            alert, before = _channel_of(change.conn, request, number, place)
            after = check_channel(address_of(form, before))
            if after != before and after in alert.channels:
                raise BadChannelError("to: the alert has this channel already")
            for one in stored_alerts.all_alerts(change.conn):
                if before in one.channels:
                    check_channels(one, [after])
            stored_alerts.replace_channel(change.conn, before, after)
            change.note("alert.channel", alert.name, before=mask_channel(before), after=mask_channel(after))
    except (UsageError, BadChannelError) as error:
        return _one(request, number, place, form, status=400, objection=form_sentence(str(error)))
    return redirect_to(request, f"/alerts/{number}")


@router.post("/alerts/{number:int}/channels/{place:int}/try")
def try_changed(request: Request, number: int, place: int, fields: Fields) -> Response:
    """Send a trial message to a channel as the form says it; without one, as it is saved."""
    needs_session(request)
    form = form_of(fields)
    with open_view(request) as view:
        alert, before = _channel_of(view.conn, request, number, place)
    try:
        channel = address_of(form, before) or before
        if channel != before:
            require_role(request, Role.ADMIN)
        error = _try(request, channel, alert.shown, alert.token)
    except BadChannelError as wrong:
        return _one(request, number, place, form, status=400, objection=str(wrong))
    return _one(request, number, place, form, tried={"error": error})


def _try(request: Request, channel: str, about: dict[str, Any], token: str) -> str:
    """Send a trial message; the error, if it was not taken."""
    limit_costly(request)
    if channel == CONSOLE:
        raise BadChannelError("to: the console takes every message: choose a channel to try")
    now = request.app.state.clock.now()
    console = request.app.state.settings["CONSOLE_URL"]
    with begin_change(request, Role.READER) as change:
        change.note("alert.try", about["name"], after={"channel": mask_channel(channel)})
    outcome = send_message(
        check_channel(channel), key_of(token, 0, [f"test {now}"]), trial_message(about, token, console, now), now
    )
    return outcome.error or outcome.refused


def form_of(fields: Mapping[str, str]) -> dict[str, str]:
    """The fields of a form, with those that it lacks."""
    form = {name: fields.get(name, default) for name, default in EMPTY.items()}
    return {**form, "service": service_of(form)}


def _channel_of(conn: Connection, request: Request, number: int, place: int) -> tuple[Alert, str]:
    """An alert that one sees, and one of its channels."""
    alert = alert_of(conn, request, str(number))
    if place >= len(alert.channels) or alert.channels[place] == CONSOLE:
        raise HTTPException(404, "there is no such channel")
    return alert, alert.channels[place]


def new_alert(request: Request, form: dict[str, str], typed: list[str]) -> tuple[Alert, list[str]]:
    """A new alert, and those of its new channels that got a key. A new channel is an admin's to choose: the server will
    ask its address."""
    bearer = require_role(request, Role.READER)
    form["owner"] = (bearer.role is Role.ADMIN and bearer.account and form["owner"].strip()) or bearer.account
    if typed:
        require_role(request, Role.ADMIN)
    alert = alert_of_options(options_of(form))
    channels = channels_of(typed)
    with begin_change(request, Role.READER) as change:
        chosen = own_channels(change.conn, request).get(form["channel"] or CONSOLE)
        if chosen is None:
            raise HTTPException(400, "there is no such channel")
        chosen_channels = channels if channels and chosen == CONSOLE else (*channels, chosen)
        add_alert(change.conn, alert, tuple(dict.fromkeys(chosen_channels)))
        after = {"query": alert.query, "kind": str(alert.kind), "owner": alert.owner}
        change.note("alert.add", alert.name, after=after)
        stored = stored_alerts.named(change.conn, alert.name, alert.owner)
    assert stored is not None
    return stored, new_secrets(channels, typed)


@router.post("/alerts/mute")
def mute(request: Request, fields: Fields) -> Response:
    """Mute an alert for some days, for good, or no longer."""
    with begin_change(request, Role.READER) as change:
        alert = alert_of(change.conn, request, fields.get("id", ""))
        set_mute(change, alert, fields.get("days", ""))
    return redirect_to(request, "/alerts")


@router.post("/alerts/remove")
def remove(request: Request, fields: Fields) -> Response:
    """Remove an alert."""
    remove_alert(request, fields.get("id", ""))
    return redirect_to(request, "/alerts")


def remove_alert(request: Request, number: str) -> None:
    """Remove an alert that one may see."""
    with begin_change(request, Role.READER) as change:
        alert = alert_of(change.conn, request, number)
        stored_alerts.remove(change.conn, alert)
        change.note("alert.remove", alert.name, before={"query": alert.query, "owner": alert.owner})


@router.post("/alerts/resend")
def resend(request: Request, fields: Fields) -> Response:
    """Send what was given up again."""
    resend_messages(request, fields.get("key", ""))
    return redirect_to(request, "/alerts")


def resend_messages(request: Request, key: str) -> int:
    """Send the message of this key that was given up again, or, without a key, all. Returns their number; status 404
    for a key of none."""
    with begin_change(request, Role.READER) as change:
        count = deliveries.resend(change.conn, change.now, key, owner=owner_of(request))
        if key and not count:
            raise HTTPException(404, "no message with this key was given up")
        change.note("alert.resend", key or "*", after={"messages": count})
        return count


@router.get("/alerts/{number:int}")
def one(request: Request, number: int) -> Response:
    """An alert with what it would have told in the last week, its latest messages, and its channels."""
    return _one(request, number)


def _one(
    request: Request,
    number: int,
    place: int = -1,
    form: Mapping[str, str] = EMPTY,
    *,
    status: int = 200,
    objection: str = "",
    tried: Mapping[str, str] | None = None,
) -> Response:
    """The page of an alert, whose channel in this place has been edited in a form."""
    limit_costly(request)
    with open_view(request) as view:
        alert = alert_of(view.conn, request, str(number))
        record = record_of(view, alert)
        rows = deliveries.listed(view.conn, alert_id=alert.id, most=MOST_MESSAGES)
        stories = preview_alert(view.conn, alert, view.now, Holidays.of(request.app.state.settings))
        channels = {
            at: (mask_channel(channel), form if at == place else shown_fields(channel))
            for at, channel in enumerate(alert.channels)
            if channel != CONSOLE
        }
        return view.page(
            "alert.html",
            status=status,
            channels=channels,
            edited=place,
            tried=tried,
            objections=_objections(objection, form),
            alert=record,
            stories=stories,
            reason=reason_sentence,
            messages=list(map(_message, rows)),
            newest=[] if stories else newest_stories(view.conn, alert, view.now),
        )


@public.get("/alerts/mute/{token}")
def mute_page(request: Request, token: str) -> Response:
    """Asks whoever followed the link of a message for how long the alert shall be silent."""
    with open_view(request) as view:
        return _mute_page(view, _with_token(view.conn, token), done=False)


@public.post("/alerts/mute/{token}")
def mute_by_link(request: Request, token: str, fields: Fields) -> Response:
    """Mute the alert of a message: the link is the right to do so."""
    with writing_store(request) as conn:
        alert = _with_token(conn, token)
        set_mute(AuditedChange(conn, request.app.state.clock.now(), alert.owner), alert, fields.get("days", ""))
    with open_view(request) as view:
        return _mute_page(view, _with_token(view.conn, token), done=True)


def _page(
    request: Request, form: Mapping[str, str], *, status: int = 200, alert: Alert | None = None, **values: Any
) -> Response:
    with open_view(request) as view:
        mine = {visible.id for visible in visible_alerts(view.conn, request)}
        records = [record for record in alerts_overview(view.conn, view.now.timestamp()) if record["id"] in mine]
        owner, now = owner_of(request), view.now.timestamp()
        dead = deliveries.listed(view.conn, "dead", owner=owner, most=MOST_MESSAGES)
        latest = deliveries.listed(view.conn, "sent", owner=owner, most=MOST_LATEST)
        holidays = Holidays.of(request.app.state.settings)
        stories = None if alert is None else preview_alert(view.conn, alert, view.now, holidays)
        channels = {name: mask_channel(channel) for name, channel in own_channels(view.conn, request).items()}
        objection = values.pop("objection", "")
        return view.page(
            "alerts.html",
            status=status,
            form=form,
            alerts=records,
            dead=list(map(_message, dead)),
            latest=list(map(_message, latest)),
            stories=stories,
            channels=channels,
            reason=reason_sentence,
            newest=newest_stories(view.conn, alert, view.now) if alert and not stories else [],
            objections=_objections(objection, form),
            hot=[] if records else hot_searches(view.conn, now, DAYS_SEARCHED, MOST_HOT),
            **{"secret": "", "at": "", "tried": None, **values},
        )


def _objections(objection: str, form: Mapping[str, str]) -> dict[str, str]:
    """A sentence that refuses a field of the form, by that field; by an empty name, if it refuses none alone."""
    field = next((field for words, field in FIELDS_NAMED.items() if words in objection), "")
    if field == "to":
        field = FIELDS.get(service_of(form), ("to",))[0]
    return {field: objection} if objection else {}


def _message(row: Any) -> dict[str, Any]:
    """A message with the pages of the console that its stories lead to."""
    sent = json.loads(row.message)["data"]
    base = sent.get("console_url", "")
    links = [(story["title"], story["console_url"].removeprefix(base)) for story in sent["stories"][:MOST_LINKS]]
    return delivery_record(row) | {"links": links}


def _mute_page(view: View, alert: Alert, *, done: bool) -> Response:
    return view.page("mute.html", alert=alert, done=done, muted=alert.is_muted(view.now.timestamp()), forever=FOREVER)


def options_of(form: Mapping[str, str]) -> Namespace:
    """The form as options of ``scrapy alerts add``."""
    kind = form["kind"]
    rhythm = f"daily {form['at']}" if form["rhythm"] == "daily" else form["rhythm"]
    return Namespace(
        name=form["name"].strip(),
        owner=form["owner"].strip(),
        rhythm=rhythm,
        quiet=form["quiet"],
        per=form["per"],
        query=form["query"] if kind != "source" else None,
        event=form["event"] if kind == "event" else None,
        source=form["source"].strip() if kind == "source" else None,
    )


def record_of(view: View, alert: Alert) -> dict[str, Any]:
    """The alert with its figures."""
    return next(record for record in alerts_overview(view.conn, view.now.timestamp()) if record["id"] == alert.id)


def visible_alerts(conn: Connection, request: Request) -> list[Alert]:
    """One's own alerts; to an admin, all."""
    owner = owner_of(request)
    return [alert for alert in stored_alerts.all_alerts(conn) if owner in {None, alert.owner}]


def own_channels(conn: Connection, request: Request) -> dict[str, str]:
    """The channels that one may choose: the console, and those of the alerts that one sees, by names that tell nothing
    of them, and that stay when an alert is added."""
    several = {CONSOLE: CONSOLE}
    for alert in sorted(visible_alerts(conn, request), key=lambda alert: alert.id):
        for number, channel in enumerate(alert.channels):
            if channel not in several.values():
                several[f"{alert.id}-{number}"] = channel
    return several


def alert_of(conn: Connection, request: Request, number: str) -> Alert:
    """The alert of this number; status 404 if there is none, or it is somebody else's."""
    alert = next((alert for alert in visible_alerts(conn, request) if str(alert.id) == number), None)
    if alert is None:
        raise HTTPException(404, "there is no such alert")
    return alert


def _with_token(conn: Connection, token: str) -> Alert:
    alert = stored_alerts.with_token(conn, token)
    if alert is None:
        raise HTTPException(404, "there is no such alert")
    return alert


def set_mute(change: AuditedChange, alert: Alert, days: str) -> None:
    """Mute an alert for some ``days``, for good (``all``), or no longer."""
    until = change.now + MUTE_SPANS[days] if days in MUTE_SPANS else FOREVER if days == "all" else 0.0
    stored_alerts.mute(change.conn, alert, until, change.now)
    change.note("alert.mute" if until else "alert.unmute", alert.name, after={"days": days})
