"""Alerts in the API: each account has its own, an admin sees all."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from fastapi import HTTPException, Path, Query, Request
from pydantic import BaseModel, Field, model_validator

from newsspider.features.alerts import deliveries
from newsspider.features.alerts import pages as page
from newsspider.features.alerts.channels import mask_channel, secret_of
from newsspider.features.alerts.deliveries import alerts_overview, delivery_record
from newsspider.features.alerts.new_alert import rule_of
from newsspider.features.alerts.pages import MOST_MESSAGES, alert_of, options_of, own_channels, visible_alerts
from newsspider.features.alerts.preview import preview_alert
from newsspider.features.console.access import begin_change, owner_of
from newsspider.features.console.accounts import Role
from newsspider.features.console.api.routing import HIGHEST_ID, api_router
from newsspider.features.console.rate_limits import limit_costly
from newsspider.features.console.view import open_view
from newsspider.sites.holidays import Holidays

router = api_router()

Text = Annotated[str, Field(max_length=1000)]
Number = Annotated[int, Path(ge=1, le=HIGHEST_ID)]


class AlertRule(BaseModel):
    """What an alert waits for: articles of a query, an event that gets ``pages`` pages in a day, or lists that fail."""

    kind: Literal["query", "event", "source"] = "query"
    query: Text = ""
    pages: Annotated[int, Field(ge=2, le=100_000, description="of an event")] = 20
    source: Annotated[Text, Field(description="a site, or `all`")] = "all"
    per: Annotated[Literal["event", "reprints"], Field(description="what is told once")] = "event"

    def form(self) -> dict[str, str]:
        """The same as the form of the page has it."""
        values = {name: str(value) for name, value in self.model_dump(exclude={"pages", "channels"}).items()}
        return page.EMPTY | {"at": ""} | values | {"event": str(self.pages)}


class NewAlert(AlertRule):
    """An alert with a name, when it tells and to whom."""

    name: Annotated[str, Field(min_length=1, max_length=100)]
    rhythm: Annotated[Text, Field(description="`immediately`, `hourly` or `daily HH:MM`")] = "immediately"
    quiet: Annotated[Text, Field(description="hours without messages, as `22:00-07:00`")] = ""
    owner: Annotated[Text, Field(description="another account, if an admin says so")] = ""
    channel: Annotated[Text, Field(description="the `id` of a channel that one has; `console`: no other")] = ""
    channels: Annotated[list[Text], Field(max_length=20, description="addresses of new ones, if an admin says so")] = []


class Mute(BaseModel):
    """For how long an alert is silent; 0: no longer."""

    days: Literal[0, 1, 3, 7, "all"] = 1


class Resend(BaseModel):
    """Which message is sent again: that of the `key`, or `all` that were given up."""

    key: Text = ""
    all: bool = False

    @model_validator(mode="after")
    def _says_which(self) -> Self:
        if bool(self.key) == self.all:
            raise ValueError("say a key, or all")
        return self


@router.get("/alerts", summary="Alerts")
def every(request: Request) -> dict[str, Any]:
    """The alerts of the account, for an admin those of everybody; and the channels that a new alert may use, without
    their secrets."""
    with open_view(request) as view:
        mine = {alert.id for alert in visible_alerts(view.conn, request)}
        channels = [{"id": name, "at": mask_channel(at)} for name, at in own_channels(view.conn, request).items()]
        records = alerts_overview(view.conn, view.now.timestamp())
        return {"alerts": [record for record in records if record["id"] in mine], "channels": channels}


@router.post("/alerts", summary="Add an alert", status_code=201)
def add(request: Request, body: NewAlert) -> dict[str, Any]:
    """The alert, and the `keys` that sign the messages of new webhooks, shown only here. Takes the scope `edit`."""
    alert, new = page.new_alert(request, body.form(), body.channels)
    with open_view(request) as view:
        return page.record_of(view, alert) | {"keys": {mask_channel(channel): secret_of(channel) for channel in new}}


@router.post("/alerts/preview", summary="What an alert would have told")
def show_preview(request: Request, body: AlertRule) -> dict[str, Any]:
    """The stories of the last seven days, the latest first; nothing is stored."""
    limit_costly(request)
    alert = rule_of(options_of(body.form()))
    with open_view(request) as view:
        return {"stories": preview_alert(view.conn, alert, view.now, Holidays.of(request.app.state.settings))}


@router.get("/alerts/messages", summary="Messages")
def messages(
    request: Request,
    state: Literal["waiting", "sent", "dead"] = "dead",
    limit: Annotated[int, Query(ge=1, le=200)] = MOST_MESSAGES,
    cursor: Annotated[str, Query(description="the `next` of the answer before")] = "",
) -> dict[str, Any]:
    """The latest messages of the account's alerts that wait, were sent, or were given up."""
    at, _, key = cursor.partition(" ")
    try:
        behind = (float(at), key) if cursor else (deliveries.AFTER_ALL_MOMENTS, "")
    except ValueError:
        raise HTTPException(400, "a cursor is the `next` of an answer") from None
    with open_view(request) as view:
        rows = deliveries.listed(view.conn, state, owner=owner_of(request), most=limit, behind=behind)
        following = f"{rows[-1].created_at!r} {rows[-1].key}" if len(rows) == limit else None
        return {"messages": [delivery_record(row) for row in rows], "next": following}


@router.post("/alerts/messages/resend", summary="Send what was given up again")
def resend(request: Request, body: Resend) -> dict[str, int]:
    """How many messages are sent again; 404 for a key that none of those has. Takes the scope `edit`."""
    return {"messages": page.resend_messages(request, body.key)}


@router.get("/alerts/{number}", summary="One alert")
def one(request: Request, number: Number) -> dict[str, Any]:
    """The alert with its latest messages."""
    with open_view(request) as view:
        alert = alert_of(view.conn, request, str(number))
        rows = deliveries.listed(view.conn, alert_id=alert.id, most=MOST_MESSAGES)
        return page.record_of(view, alert) | {"messages": [delivery_record(row) for row in rows]}


@router.post("/alerts/{number}/mute", summary="Mute an alert")
def mute(request: Request, number: Number, body: Mute) -> dict[str, Any]:
    """The alert afterwards. Takes the scope `edit`."""
    with begin_change(request, Role.READER) as change:
        alert = alert_of(change.conn, request, str(number))
        page.set_mute(change, alert, str(body.days))
    with open_view(request) as view:
        return page.record_of(view, alert)


@router.delete("/alerts/{number}", summary="Remove an alert", status_code=204)
def remove(request: Request, number: Number) -> None:
    """With its messages, also those on their way. Takes the scope `edit`."""
    page.remove_alert(request, str(number))
