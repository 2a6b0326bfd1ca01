"""Alerts tell people what they ask for: new articles of a query, events that grow, sources that fail.

It builds on the console (its pages and its second process), on events and on the health of the sources.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from newsspider.hooks import hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from threading import Event

    from fastapi import FastAPI
    from markupsafe import Markup
    from scrapy.settings import BaseSettings
    from sqlalchemy import Connection, Engine, Table

    from newsspider.features.console.view import View


@hookimpl(specname="tables")
def _tables() -> Sequence[Table]:
    from newsspider.features.alerts.tables import alert_deliveries, alert_stories, alerts

    return alerts, alert_stories, alert_deliveries


@hookimpl
def articles_changed(conn: Connection, changed: Sequence[int], seen_again: Sequence[int], now: float) -> None:
    from newsspider.features.alerts import story_matching

    story_matching.note(conn, changed, seen_again, now)


@hookimpl
def articles_dropped(conn: Connection, successors: Mapping[int, int | None]) -> None:
    from newsspider.features.alerts import stored_alerts

    for article_id, other in successors.items():
        if other is not None:
            stored_alerts.hand_over(conn, article_id, other)


@hookimpl
def account_removed(conn: Connection, name: str) -> None:
    from newsspider.features.alerts import stored_alerts

    stored_alerts.remove_all(conn, name)


@hookimpl
def routes(app: FastAPI) -> None:
    from newsspider.features.alerts import api, pages
    from newsspider.features.console.access import add_routes
    from newsspider.features.console.view import add_link

    add_routes(app, pages.router, in_schema=False)
    add_routes(app, api.router)
    app.include_router(pages.public, include_in_schema=False)
    add_link(app, "/alerts", "提醒")


@hookimpl
def page_part(view: View, place: str, shown: Mapping[str, Any]) -> Markup | None:
    return view.anchor("/alerts", "设为提醒", query=shown["question"]) if place == "search" else None


@hookimpl
def background(engine: Engine, settings: BaseSettings) -> Mapping[str, Callable[[Event], None]]:
    from newsspider.features.alerts.delivery_loop import Deliverer
    from newsspider.sites.holidays import Holidays

    seconds = settings.getfloat("ALERT_RETRY_SECONDS")
    return {"newsspider-alerts": Deliverer(engine, settings["CONSOLE_URL"], seconds, Holidays.of(settings)).run}


@hookimpl
def followed_queries(conn: Connection, account: str | None) -> Mapping[str, str]:
    from newsspider.features.alerts import stored_alerts

    alerts = (alert for alert in stored_alerts.all_alerts(conn) if account in {None, alert.owner})
    return {alert.query: alert.name for alert in alerts if alert.kind == "query"}


@hookimpl
def hubs(conn: Connection, query: str, now: float) -> Sequence[str]:
    from newsspider.features.alerts import stored_alerts
    from newsspider.features.alerts.channels import hub_of

    alerts = (alert for alert in stored_alerts.all_alerts(conn) if not alert.is_muted(now))
    matching = (alert for alert in alerts if alert.kind == "query" and alert.query == query)
    return sorted({hub for alert in matching for channel in alert.channels if (hub := hub_of(channel))})
