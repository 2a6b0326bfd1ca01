"""Briefings in the console and its API: made by a form, read, edited, and given out as files."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, HTTPException, Path, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field
from scrapy.exceptions import UsageError
from sqlalchemy import Connection

from newsspider.core.query.parser import RuleError
from newsspider.core.query.query_language import conjunction, parse_query, value_test
from newsspider.core.text.characters import one_line, storable_text
from newsspider.core.text.numbers import whole_number
from newsspider.core.text.regions import province_names, region_name
from newsspider.crawl.wrong_use import wrong_use
from newsspider.features.alerts import deliveries
from newsspider.features.alerts.channel_form import EMPTY_FIELDS, address_of, service_of
from newsspider.features.alerts.channels import CONSOLE, BadChannelError, mask_channel, secret_of
from newsspider.features.alerts.new_alert import add_alert, channels_of, new_secrets
from newsspider.features.alerts.pages import alert_of, own_channels, visible_alerts
from newsspider.features.alerts.rhythm_and_quiet_hours import BY_HAND, DAYS
from newsspider.features.alerts.stored_alerts import Alert
from newsspider.features.briefing import stored_briefings, subscriptions
from newsspider.features.briefing.briefing_articles import BriefingScope, since_of
from newsspider.features.briefing.content import Briefing, BriefingKind, ItemEdit, edited_briefing
from newsspider.features.briefing.gathering import gather_briefing
from newsspider.features.briefing.model_wording import with_words
from newsspider.features.briefing.rendering import (
    HEADINGS,
    blame_facts,
    briefing_heading,
    count_name,
    item_facts,
    item_label,
    news_line,
)
from newsspider.features.briefing.rules.selection import MOST_HEADLINES
from newsspider.features.briefing.subscription_commands import subscription_of
from newsspider.features.briefing.word_document import file_of
from newsspider.features.console.access import (
    Fields,
    ManyFields,
    begin_change,
    owner_of,
    require_editor,
    require_role,
    run_alone,
)
from newsspider.features.console.accounts import Role
from newsspider.features.console.api.routing import HIGHEST_ID, api_router
from newsspider.features.console.rate_limits import limit_costly
from newsspider.features.console.view import View, form_sentence, open_view, redirect_to
from newsspider.features.events.events import iso_moment
from newsspider.sites.holidays import Holidays
from newsspider.store.articles.article_filters import is_topic

SHOWN_BRIEFINGS = 50
LONGEST_DAYS = 62  # of a special briefing
LONGEST_TITLE, LONGEST_NOTE, LONGEST_QUERY = 200, 500, 1000
Form = Literal["docx", "html", "md", "json", "txt"]
TYPES = {
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "html": "text/html; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "json": "application/json",
    "txt": "text/plain; charset=utf-8",
}
EMPTY = {
    "name": "",
    "when": "daily",
    "at": "07:30",
    "zone": "Asia/Shanghai",
    "region": "",
    "topic": "",
    "query": "",
    "empty": "",
    "channel": CONSOLE,
    **EMPTY_FIELDS,
}
NO_DOCX = "this server writes no .docx: python-docx is not installed"

Number = Annotated[int, Path(ge=1, le=HIGHEST_ID)]


class Sending(BaseModel):
    """To which subscription a briefing is sent."""

    subscription: Annotated[int, Field(ge=1, le=HIGHEST_ID)]


router = APIRouter()
api = api_router()


@router.get("/briefings")
def show_all(request: Request) -> Response:
    """The latest briefings, and a form for a new one."""
    return _all(request, EMPTY)


def _all(request: Request, form: Mapping[str, str], objection: str = "", **values: Any) -> Response:
    with open_view(request) as view:
        several = stored_briefings.latest(view.conn, SHOWN_BRIEFINGS)
        mine = _subscriptions(view, request)
        channels = {name: mask_channel(channel) for name, channel in own_channels(view.conn, request).items()}
        return view.page(
            "briefings.html",
            status=400 if objection else 200,
            briefings=several,
            sent=_sent(view, [one.path for one in several]),
            subscriptions=mine,
            wanted={alert.id: subscriptions.wanted_of(alert) for alert in mine},
            channels=channels,
            form=form,
            objection=objection,
            days=DAYS,
            provinces=province_names(),
            **{"secret": "", "at": ""} | values,
        )


@router.post("/briefings/subscriptions", dependencies=[Depends(require_editor)])
def subscribe(request: Request, fields: Fields) -> Response:
    """A new subscription. A new channel is an admin's to choose: the server will ask its address."""
    form = {name: fields.get(name, "") for name in EMPTY}
    form["service"] = service_of(form)
    try:
        secret, at = _subscribed(request, form)
    except (UsageError, BadChannelError) as error:
        return _all(request, form, form_sentence(str(error)))
    return _all(request, EMPTY, secret=secret, at=at) if secret else redirect_to(request, "/briefings#subscriptions")


def _subscribed(request: Request, form: Mapping[str, str]) -> tuple[str, str]:
    """Add the subscription of a form; the key of a new webhook, and its address."""
    owner = require_role(request, Role.EDITOR).account
    rhythm = BY_HAND if form["when"].startswith(BY_HAND) else f"{form['when']} {form['at']} {form['zone']}"
    options = Namespace(
        name=form["name"].strip(),
        owner=owner,
        rhythm=rhythm,
        quiet="",
        topic=one_line(form["topic"], LONGEST_TITLE).strip(),
        region=form["region"],
        template=None,
        weekly=form["when"] == f"{BY_HAND} weekly",
        empty=bool(form["empty"]),
    )
    alert = subscription_of(options, one_line(form["query"], LONGEST_QUERY).strip())
    typed = list(filter(None, [address_of(form)]))
    if typed:
        require_role(request, Role.ADMIN)
    new = channels_of(typed)
    with begin_change(request, Role.EDITOR) as change:
        chosen = own_channels(change.conn, request).get(form["channel"] or CONSOLE)
        if chosen is None:
            raise HTTPException(400, "there is no such channel")
        _check_topic(change.conn, request, options.topic)
        channels = new if new and chosen == CONSOLE else (*new, chosen)
        add_alert(change.conn, alert, tuple(dict.fromkeys(channels)))
        change.note("alert.add", alert.name, after={"kind": str(alert.kind), "owner": owner, "query": alert.query})
    with_key = new_secrets(new, typed)
    return (secret_of(with_key[0]), mask_channel(with_key[0])) if with_key else ("", "")


def _check_topic(conn: Connection, request: Request, topic: str) -> None:
    """Raise :exc:`UsageError` for a topic that does not exist."""
    if topic and not is_topic(conn, topic, request.app.state.settings["TOPIC"]):
        raise wrong_use(f"--topic {topic}: there is no such topic; see `scrapy topics list`")


@router.post("/briefings/{number}/send", dependencies=[Depends(require_editor)])
def send(request: Request, number: str, fields: Fields) -> Response:
    """Put a briefing into the outbox for the channels of a subscription, once."""
    with open_view(request) as view:
        key, kept = _existing(view, number)
    with begin_change(request, Role.EDITOR) as change:
        alert = alert_of(change.conn, request, fields.get("subscription", ""))
        console = request.app.state.settings["CONSOLE_URL"]
        if alert.kind != "briefing":
            raise HTTPException(400, "this alert is no subscription to briefings")
        if not subscriptions.put(change.conn, alert, key, kept.content, console, change.now):
            raise HTTPException(409, "this briefing was sent there before")
        change.note("briefing.send", str(key), after={"subscription": alert.name, "owner": alert.owner})
    return redirect_to(request, f"/briefings/{key}")


@router.post("/briefings", dependencies=[Depends(require_editor), Depends(limit_costly)])
def make(request: Request, fields: Fields) -> Response:
    """Make and keep the briefing that the form asks for."""
    if fields.get("subscription"):
        return _made_for(request, fields["subscription"])
    with open_view(request) as view:
        scope, past = _asked(view, fields)
        settings, now = request.app.state.settings, view.now.timestamp()
        title = _line(fields, "title")
        briefing = gather_briefing(view.conn, scope, past, Holidays.of(settings), now, title, MOST_HEADLINES)
    worded = None
    if fields.get("words"):
        with run_alone(request, f"briefing {scope.asked}"):
            worded = with_words(request.app.state.engine, settings, briefing, now)
    with begin_change(request, Role.EDITOR) as change:
        number = stored_briefings.keep(change.conn, scope, worded or briefing, change.now, briefing if worded else None)
        change.note("briefing.make", str(number), after=briefing_heading(briefing))
    return redirect_to(request, f"/briefings/{number}")


def _made_for(request: Request, subscription: str) -> Response:
    """Make the next briefing of a subscription, for an editor to change and send."""
    now = request.app.state.clock.now()
    with open_view(request) as view:
        alert = alert_of(view.conn, request, subscription)
        if alert.kind != "briefing":
            raise HTTPException(400, "this alert is no subscription to briefings")
        gathered = subscriptions.gather_for(view.conn, alert, now, Holidays.of(request.app.state.settings), now)
    if gathered is None:
        raise HTTPException(409, "the last briefing was sent just now")
    with begin_change(request, Role.EDITOR) as change:
        number = stored_briefings.keep(change.conn, *gathered, change.now)
        change.note("briefing.make", str(number), after=briefing_heading(gathered[1]))
    return redirect_to(request, f"/briefings/{number}")


@router.get("/briefings/{number}")
def show(request: Request, number: str, edit: str = "") -> Response:
    """A briefing; with ``edit`` the form that changes it."""
    with open_view(request) as view:
        key, kept = _existing(view, number)
        edited_items = {item.event: item for item in kept.content.items()}
        return view.page(
            "briefing.html",
            number=key,
            briefing=kept.original if edit and view.may(Role.EDITOR) else kept.content,
            title=kept.content.title,
            worded=bool(kept.content.words),
            edits=kept.edits,
            is_sent=kept.is_sent,
            sent=_sent(view, [stored_briefings.path_of(key)]).get(stored_briefings.path_of(key), []),
            subscriptions=_subscriptions(view, request),
            chosen=edited_items,
            places={event: place for place, event in enumerate(edited_items, 1)},
            edit=bool(edit) and view.may(Role.EDITOR),
            formats=list(TYPES),
            pictured=_query_of(kept.content),
            headings=HEADINGS,
            heading=briefing_heading,
            news_line=news_line,
            label=item_label,
            facts=item_facts,
            blame_facts=blame_facts,
            count_name=count_name,
        )


def _query_of(briefing: Briefing) -> str:
    """The query of the articles that a briefing is about, without their time; of all, those since its beginning."""
    tests = [value_test("topic", briefing.topic)] if briefing.topic else []
    if briefing.region:
        tests.append("({} OR {})".format(*(value_test(field, briefing.region) for field in ("region", "about"))))
    return conjunction(briefing.query, *tests) or f"since:{briefing.since[:10]}"


@router.post("/briefings/{number}", dependencies=[Depends(require_editor)])
def save(request: Request, number: str, fields: ManyFields) -> Response:
    """Store what the editor chose, ordered, titled and noted; or delete the briefing. What was sent is kept: then the
    edit is a new briefing, and deleting it is refused. Status 409 if somebody else edited it meanwhile."""
    with open_view(request) as view:
        key, kept = _existing(view, number)
    with begin_change(request, Role.EDITOR) as change:
        if fields.get("change") == "remove":
            if not stored_briefings.remove(change.conn, key):
                raise HTTPException(409, "this briefing was sent and is kept")
            change.note("briefing.remove", str(key), before=briefing_heading(kept.content))
            return redirect_to(request, "/briefings")
        words = "" if fields.get("plain") else kept.content.words
        base = replace(kept.original, words=words)
        new = edited_briefing(base, _line(fields, "title") or kept.content.title, _edits(kept, fields))
        stored = stored_briefings.change(change.conn, key, new, whole_number(fields.get("edits", "")) or 0)
        if stored is None:
            raise HTTPException(409, "somebody else edited this briefing meanwhile; open it again")
        change.note("briefing.edit", str(stored), before=len(kept.content.items()), after=len(new.items()))
    return redirect_to(request, f"/briefings/{stored}")


@router.get("/briefings/{number}/file", dependencies=[Depends(limit_costly)])
def download(request: Request, number: str, form: str = "docx") -> Response:
    """A briefing as a file."""
    with open_view(request) as view:
        return _file(*_existing(view, number), form)


@api.get("/briefings", summary="List briefings")
def list_all(request: Request) -> dict[str, Any]:
    """The latest briefings, with their numbers, and to which of one's subscriptions and channels each was sent."""
    with open_view(request) as view:
        several = stored_briefings.latest(view.conn, SHOWN_BRIEFINGS)
        sent = _sent(view, [one.path for one in several])
    return {
        "briefings": [
            {name: getattr(one, name) for name in ("id", "heading", "events")}
            | {"until": iso_moment(one.until), "sent": sent.get(one.path, [])}
            for one in several
        ]
    }


@api.post("/briefings/{number}/send", summary="Send a briefing", dependencies=[Depends(require_editor)])
def send_one(request: Request, number: Number, body: Sending) -> dict[str, Any]:
    """Where the briefing was sent, with this. `subscription` is the number of one among `/alerts`. Takes the scope
    `edit`."""
    send(request, str(number), {"subscription": str(body.subscription)})
    with open_view(request) as view:
        return {"sent": _sent(view, [stored_briefings.path_of(number)]).get(stored_briefings.path_of(number), [])}


@api.get("/briefings/{number}", summary="One briefing", dependencies=[Depends(limit_costly)])
def read_one(request: Request, number: Number, form: Annotated[Form, Query()] = "json") -> Response:
    """A briefing as an editor left it, in a format of `scrapy brief`."""
    with open_view(request) as view:
        return _file(*_existing(view, str(number)), form)


def _subscriptions(view: View, request: Request) -> list[Alert]:
    """The subscriptions that one may see."""
    return [alert for alert in visible_alerts(view.conn, request) if alert.kind == "briefing"]


def _sent(view: View, pages: list[str]) -> dict[str, list[dict[str, Any]]]:
    """Where these briefings were sent, as far as one may see it, by their pages."""
    owner = owner_of(view.request)
    several = deliveries.about(view.conn, pages)
    return {page: [one for one in rows if owner in {None, one["owner"]}] for page, rows in several.items()}


def _existing(view: View, number: str) -> tuple[int, stored_briefings.StoredBriefing]:
    key = whole_number(number) or 0
    kept = stored_briefings.kept(view.conn, key) if 0 < key <= HIGHEST_ID else None
    if kept is None:
        raise HTTPException(404, "there is no such briefing")
    return key, kept


def _asked(view: View, fields: Mapping[str, str]) -> tuple[BriefingScope, stored_briefings.Past]:
    """The scope that the form asks for, and what was made before; status 400 for one that cannot be."""
    kind = BriefingKind(fields["kind"]) if fields.get("kind") in list(BriefingKind) else BriefingKind.DAILY
    text, region = _line(fields, "query", LONGEST_QUERY), fields.get("region", "")
    region_asked = region_name(region) if region else ""
    if region_asked is None:
        raise HTTPException(400, f"{region!r} is no province or city")
    topic = _line(fields, "topic")
    try:
        query = parse_query(text, view.now) if text else None
    except RuleError as error:
        raise HTTPException(400, str(error)) from None
    _check_topic(view.conn, view.request, topic)
    until = view.now
    days = whole_number(fields.get("days", "")) or 1
    if kind is BriefingKind.SPECIAL:
        since = until - timedelta(days=min(days, LONGEST_DAYS))
        return BriefingScope(kind, since, until, topic, region_asked, text, query), stored_briefings.NO_PAST
    scope = BriefingScope(kind, until, until, topic, region_asked, text, query)
    past = stored_briefings.past_of(view.conn, scope)
    return scope.beginning(since_of(kind, past.last, until)), past


def _edits(kept: stored_briefings.StoredBriefing, fields: Mapping[str, str]) -> dict[int, ItemEdit]:
    """The edits of the form, by event: of those without a place there is none. With ``plain`` the titles and sentences
    of a model give way to those of the articles."""
    left = {item.event: item for item in kept.content.items()}
    edits = {}
    for item in kept.original.items():
        place = whole_number(fields.get(f"place-{item.event}", ""))
        if place is not None:
            shown = left.get(item.event, item)
            title = _line(fields, f"title-{item.event}", LONGEST_TITLE)
            is_plain = fields.get("plain") and kept.content.words
            title = item.title if not title or (is_plain and title == shown.title) else title
            note = _line(fields, f"note-{item.event}", LONGEST_NOTE)
            edits[item.event] = ItemEdit(title, note, place, item.quotes if is_plain else shown.quotes)
    return edits


def _line(fields: Mapping[str, str], name: str, longest: int = LONGEST_TITLE) -> str:
    return one_line(storable_text(fields.get(name, "")), longest).strip()


def _file(number: int, kept: stored_briefings.StoredBriefing, form: str) -> Response:
    if form not in TYPES:
        raise HTTPException(400, f"the format is one of {', '.join(TYPES)}")
    try:
        content = file_of(kept.content, f".{form}")
    except ImportError:
        raise HTTPException(501, NO_DOCX) from None
    headers = {"Content-Disposition": f'attachment; filename="briefing-{number}.{form}"'}
    return Response(content, media_type=TYPES[form], headers=headers)
