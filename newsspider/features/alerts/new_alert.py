"""Alerts as people describe them: checked, and added to the store."""

from __future__ import annotations

import shlex
from argparse import Namespace
from typing import TYPE_CHECKING

from newsspider.crawl.wrong_use import whole_number, wrong_use

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from newsspider.features.alerts.stored_alerts import Alert

LONGEST_NAME = 100
ALL_SITES = "all"


def alert_of_options(opts: Namespace, rule: Alert | None = None) -> Alert:
    """The alert that the options describe, without channels; wrong ones are refused. ``rule`` says what it waits for,
    if the options do not."""
    import secrets
    from dataclasses import replace

    from newsspider.features.alerts.rhythm_and_quiet_hours import Rhythm

    for option, name in (("NAME", opts.name), ("--owner", opts.owner)):
        empty = option == "NAME" and not name
        if empty or not name.isprintable() or len(name) > LONGEST_NAME or name != name.strip():
            raise wrong_use(f"{option} {name!r}: a name has 1 to {LONGEST_NAME} printable characters")
    try:
        rhythm = Rhythm.read(opts.rhythm, opts.quiet)
    except ValueError as error:
        raise wrong_use(str(error)) from None
    rule = rule_of(opts) if rule is None else rule
    if rhythm.by_hand and rule.kind != "briefing":
        raise wrong_use("an alert tells by itself; only a briefing is sent by hand")
    return replace(rule, name=opts.name, owner=opts.owner, rhythm=rhythm, token=secrets.token_urlsafe(24))


def rule_of(opts: Namespace) -> Alert:
    """The alert that the options describe, without a name and channels; wrong ones are refused."""
    from newsspider.core.query.parser import RuleError
    from newsspider.core.query.query_language import parse_query
    from newsspider.features.alerts.rhythm_and_quiet_hours import Rhythm
    from newsspider.features.alerts.stored_alerts import Alert, AlertKind
    from newsspider.store.engine.clock import Clock

    now = Clock().utc()
    if opts.source is not None and (opts.event is not None or opts.query is not None):
        raise wrong_use("--source stands alone: say either it, or --query, or --event")
    if opts.source == "":
        raise wrong_use("--source is empty: say a site, or all")
    if opts.per not in {"event", "reprints"}:
        raise wrong_use(f"--per {opts.per}: say event or reprints")
    kind = (
        AlertKind.SOURCE if opts.source is not None else AlertKind.EVENT if opts.event is not None else AlertKind.QUERY
    )
    if kind is AlertKind.QUERY and not (opts.query or "").strip():
        raise wrong_use("say what it waits for: --query, --event or --source")
    pages = whole_number("--event", opts.event, 2, 100_000) if kind is AlertKind.EVENT else 0
    query = (opts.query or "").strip()
    try:
        parse_query(query, now)
    except RuleError as error:
        raise wrong_use(f"the query, {error}") from None
    if kind is AlertKind.SOURCE:
        query = "" if opts.source == ALL_SITES else opts.source
    return Alert(0, "", "", kind, query, pages, opts.per, (), Rhythm(), 0.0, "", now.timestamp())


def channels_of(typed: Sequence[str]) -> tuple[str, ...]:
    """The channels as they are stored; wrong ones are refused."""
    from newsspider.features.alerts.channels import BadChannelError, check_channel

    try:
        return tuple(map(check_channel, dict.fromkeys(typed)))
    except BadChannelError as error:
        raise wrong_use(f"--to: {error}") from None


def new_secrets(channels: Sequence[str], typed: Sequence[str]) -> list[str]:
    """The webhooks among these channels that got a key, for they were given without one."""
    from newsspider.features.alerts.channels import secret_of

    pairs = zip(channels, dict.fromkeys(typed), strict=True)
    return [channel for channel, address in pairs if secret_of(channel) and not secret_of(address.strip())]


def add_alert(conn: Connection, alert: Alert, channels: tuple[str, ...]) -> None:
    """Add an alert with these channels; refuse it if its name is taken, its site or account does not exist, or one of
    the channels does not fit it."""
    from dataclasses import replace

    from newsspider.features.alerts import stored_alerts
    from newsspider.features.console import accounts

    check_site(conn, alert)
    if alert.owner and accounts.account(conn, alert.owner) is None:
        raise wrong_use(f"--owner {alert.owner!r}: there is no such account; see scrapy accounts list")
    check_channels(alert, channels)
    if sum(rule.owner == alert.owner for rule in stored_alerts.all_alerts(conn)) >= stored_alerts.MOST_OF_OWNER:
        raise wrong_use(f"there are {stored_alerts.MOST_OF_OWNER} alerts, which is the most; remove one first")
    if stored_alerts.add(conn, replace(alert, channels=channels)) is None:
        raise wrong_use(f"there is an alert {alert.name!r} already; remove it first")


def word_of(name: str, owner: str) -> str:
    """An alert as commands name it in a shell."""
    return shlex.quote(name) + (f" --owner {shlex.quote(owner)}" if owner else "")


def check_channels(alert: Alert, channels: Sequence[str]) -> None:
    """Refuse a hub for what has no feed, and mail for a briefing where no .docx can be attached to it."""
    from importlib.util import find_spec

    from newsspider.features.alerts.channels import hub_of, is_mail

    if alert.kind != "query" and any(map(hub_of, channels)):
        raise wrong_use("a hub of WebSub hears of the feeds of a query, and this alert has none: name another channel")
    if alert.kind == "briefing" and any(map(is_mail, channels)) and find_spec("docx") is None:
        raise wrong_use("a .docx is attached to mail, for which python-docx is missing: pip install 'newsspider[docx]'")


def check_site(conn: Connection, alert: Alert) -> None:
    """Reject an alert on a site that does not exist."""
    from newsspider.store.articles.article_filters import is_site

    if alert.kind == "source" and alert.query and not is_site(conn, alert.query):
        raise wrong_use(f"--source {alert.query}: there is no such site; see scrapy sites list, or say all")
