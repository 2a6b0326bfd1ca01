"""Subscriptions: the alerts of the kind ``briefing``, whose messages are briefings, made on schedule or by hand.

A briefing is kept and put into the outbox in one transaction, which also moves the time of the subscription on: so
whatever process dies, and however many there are, each is put there once. Delivering it is up to the alerts.
``briefing_articles.py`` decides which time a briefing covers.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine

from newsspider.core.query.query_language import parse_query
from newsspider.features.alerts import stored_alerts
from newsspider.features.alerts.messages import message_about, story_of
from newsspider.features.alerts.stored_alerts import Alert
from newsspider.features.alerts.story_bundling import put_message
from newsspider.features.briefing import stored_briefings
from newsspider.features.briefing.briefing_articles import BriefingScope, since_of
from newsspider.features.briefing.content import Briefing, BriefingKind
from newsspider.features.briefing.gathering import gather_briefing
from newsspider.features.briefing.rendering import CHAT, HTML, OFFICE, briefing_document, briefing_heading, news_line
from newsspider.features.briefing.rules.selection import MOST_HEADLINES
from newsspider.features.briefing.word_document import file_of
from newsspider.features.events.detection_run import count_unanalysed
from newsspider.hooks import MessageContent
from newsspider.sites.holidays import Holidays
from newsspider.store.engine.database import reading, writing
from newsspider.store.engine.errors import StoreFailedError
from newsspider.store.engine.statement import Statement

RETRY_SECONDS = 300.0  # before a briefing that could not be made, or whose process died, is tried again
ANALYSIS_SECONDS = 600.0  # that a briefing waits for the events of the latest articles
LONGEST_ERROR = 300
TYPE = "briefing"  # of a message
DOCX_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

_CLAIM = Statement("UPDATE alerts SET tried_at = :now WHERE id = :id AND checked_at < :moment AND tried_at <= :before")
_RELEASE = Statement("UPDATE alerts SET tried_at = 0 WHERE id = :id")
_MOVE_ON = Statement(
    "UPDATE alerts SET checked_at = :moment, error = '', tried_at = 0 WHERE id = :id AND checked_at < :moment"
)
_FAILED = Statement("UPDATE alerts SET error = :error, tried_at = :now WHERE id = :id AND checked_at < :moment")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which briefing a subscription wants, beside the query of its alert."""

    kind: BriefingKind = BriefingKind.DAILY
    topic: str = ""
    region: str = ""
    template: str = ""  # the path of a template of one's own
    empty: bool = False  # whether one without anything is sent, too

    def text(self) -> str:
        """The same as JSON."""
        fields = {"kind": str(self.kind), "topic": self.topic, "region": self.region}
        return json.dumps(fields | {"template": self.template, "empty": self.empty}, ensure_ascii=False)


def wanted_of(alert: Alert) -> Wanted:
    """Which briefing a subscription wants; a weekly one if its rhythm is weekly."""
    read: dict[str, Any] = json.loads(alert.details)
    kind = (
        BriefingKind.WEEKLY if alert.rhythm.weekday is not None else BriefingKind(read.get("kind", BriefingKind.DAILY))
    )
    topic, region, template = (str(read.get(name, "")) for name in ("topic", "region", "template"))
    return Wanted(kind, topic, region, template, bool(read.get("empty")))


def subscriptions(conn: Connection) -> list[Alert]:
    """All subscriptions."""
    return [alert for alert in stored_alerts.all_alerts(conn) if alert.kind is stored_alerts.AlertKind.BRIEFING]


def gather_for(
    conn: Connection, alert: Alert, until: float, holidays: Holidays, now: float
) -> tuple[BriefingScope, Briefing] | None:
    """The briefing of a subscription from the end of the last one that was sent to it; ``None`` if that ended later."""
    wanted, end = wanted_of(alert), datetime.fromtimestamp(until, UTC)
    query = parse_query(alert.query, end) if alert.query else None
    scope = BriefingScope(wanted.kind, end, end, wanted.topic, wanted.region, alert.query, query, alert.id)
    past = stored_briefings.past_of(conn, scope)
    since = since_of(wanted.kind, past.last, end)
    if since >= end:
        return None
    scope = scope.beginning(since)
    return scope, gather_briefing(conn, scope, past, holidays, now, "", MOST_HEADLINES)


def put(conn: Connection, alert: Alert, number: int, briefing: Briefing, console: str, now: float) -> int:
    """Put a kept briefing into the outbox for the channels of a subscription; returns the number of messages, 0 if it
    was put there before."""
    stored_briefings.lock_sent_to(conn, alert.id)
    path = stored_briefings.path_of(number)
    why = {"sentence": news_line(briefing)}
    story = story_of(briefing_heading(briefing), why) | {"source": "", "path": path}
    sent = message_about(alert.shown, alert.token, [story], console, now)
    sent = sent | {"type": TYPE, "data": sent["data"] | {"briefing": number}}
    count = put_message(conn, alert, sent, [f"{TYPE} {number}"], now, path)
    if count:
        stored_briefings.mark_sent(conn, number, now)
    return count


def put_due(engine: Engine, console: str, holidays: Holidays, now: float) -> None:
    """Make the briefings that are due and put them into the outbox; one that cannot be made is tried again later, and
    its cause is noted and logged."""
    with reading(engine) as conn:
        due = [(alert, moment) for alert in subscriptions(conn) if (moment := _due(alert, now))]
    for alert, moment in due:
        try:
            _put_due(engine, alert, moment, console, holidays, now)
        except StoreFailedError:
            raise
        except Exception as error:  # whatever it is, the briefings of others go out
            logger.warning("the briefing %r could not be made: %s", alert.name, error, exc_info=error)
            with writing(engine) as conn:
                cause = f"{type(error).__name__}: {error}"[:LONGEST_ERROR]
                _FAILED.change(conn, {"id": alert.id, "error": cause, "now": now, "moment": moment})


def _due(alert: Alert, now: float) -> float:
    """The moment at which the subscription was due and did not send; 0 if there is none, or it failed just now."""
    if alert.rhythm.daily is None or now < alert.tried_at + RETRY_SECONDS:
        return 0.0
    moment = alert.rhythm.latest(now)
    return moment if moment > max(alert.checked_at, alert.created_at) else 0.0


def _put_due(engine: Engine, alert: Alert, moment: float, console: str, holidays: Holidays, now: float) -> None:
    muted = alert.is_muted(now)
    with reading(engine) as conn:
        if not muted and count_unanalysed(conn) and now < moment + ANALYSIS_SECONDS:
            return  # till the next round
    claim = {"id": alert.id, "moment": moment, "now": now, "before": now - RETRY_SECONDS}
    with writing(engine) as conn:
        if not _CLAIM.change(conn, claim):
            return  # another process makes it
    gathered = None
    if not muted:
        with reading(engine) as conn:
            gathered = gather_for(conn, alert, moment, holidays, now)
    with writing(engine) as conn:
        if gathered is not None and not stored_briefings.is_next(conn, gathered[0]):
            _RELEASE.change(conn, {"id": alert.id})
            logger.info("the briefing %r is made again: one was sent by hand meanwhile", alert.name)
            return
        if not _MOVE_ON.change(conn, {"id": alert.id, "moment": moment}):
            return  # another process was faster
        if gathered is None:
            logger.info("the briefing %r is not sent: muted, or sent by hand up to a later moment", alert.name)
            return
        scope, briefing = gathered
        if not briefing.items() and not wanted_of(alert).empty:
            logger.info("the briefing %r is not sent: nothing happened", alert.name)
            return
        put(conn, alert, stored_briefings.keep(conn, scope, briefing, now), briefing, console, now)


class MissingBriefingError(Exception):
    """A message is about a briefing that is not there; the text is one sentence."""


def content_of(engine: Engine, sent: Mapping[str, Any], is_mail: bool) -> MessageContent:
    """What people read of a message: the briefing as it was when it was sent, by the subscription's template."""
    data = sent["data"]
    with reading(engine) as conn:
        kept = stored_briefings.kept(conn, data["briefing"])
        alert = stored_alerts.named(conn, data["alert"]["name"], data["alert"]["owner"])
    if kept is None:
        raise MissingBriefingError(f"the briefing {data['briefing']} is gone, or another release wrote it")
    link = f"{data['console_url']}{stored_briefings.path_of(data['briefing'])}"
    own = wanted_of(alert).template if alert is not None else ""
    template, briefing = (Path(own) if own else None), kept.content

    def of_form(suffix: str) -> Path | None:
        return template if template is not None and template.suffix.lower() == suffix else None

    title = briefing_heading(briefing)
    if not is_mail:
        return MessageContent(title, link, briefing_document(briefing, CHAT, of_form(".md")))
    name = f"{briefing.title}{briefing.until[:10]}{OFFICE}"
    files = ((name, DOCX_TYPE, file_of(briefing, OFFICE, of_form(OFFICE))),)
    text = f"{briefing_document(briefing, '.txt', None)}\n{link}\n"
    return MessageContent(title, link, "", text, briefing_document(briefing, HTML, of_form(HTML), link), files)
