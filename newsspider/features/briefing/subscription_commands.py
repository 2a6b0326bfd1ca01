"""Adds subscriptions, by ``scrapy alerts brief`` and the form of the console, and sends a briefing by hand."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace
from typing import TYPE_CHECKING

from newsspider.cli.command import DataCommand, print_line, print_note
from newsspider.crawl.wrong_use import wrong_use

if TYPE_CHECKING:
    from newsspider.cli.command_group import CommandGroup
    from newsspider.features.alerts.stored_alerts import Alert

RHYTHMS = 'daily 07:30, weekly mon 08:00 (a time zone may follow: Asia/Tokyo), or "by hand"'
TEMPLATES = (".html", ".md", ".docx")


def add_action(group: CommandGroup) -> None:
    """Add ``scrapy alerts brief`` and ``scrapy alerts send``."""
    example = 'morning --to mailtos://USER:PASSWORD@example.cn\nweek --to wecombot://KEY --rhythm "weekly mon 08:00"'
    added = group.add_action("brief", add, "NAME --to URL [options]", "Subscribe to a briefing", example)
    added.add_argument("name", metavar="NAME", help="its name, one of the alerts'")
    to = "where it is sent, as in scrapy alerts add; repeatable"
    added.add_argument("--to", metavar="URL", action="append", default=[], help=to)
    added.add_argument("--rhythm", metavar="WHEN", default="daily 07:30", help=f"{RHYTHMS}; default: daily 07:30")
    added.add_argument("--topic", metavar="NAME", help="articles of this topic only")
    added.add_argument("--region", metavar="NAME", help="about this region, or of its sources: 江苏")
    added.add_argument("--query", metavar="QUERY", help="that this query of scrapy search finds")
    own = "a Jinja template of your own: .html of the mail, .md of chats; or a .docx"
    added.add_argument("--template", metavar="FILE", help=own)
    added.add_argument("--weekly", action="store_true", help="of one by hand: a briefing of the week, not of the day")
    added.add_argument("--empty", action="store_true", help="send it also when nothing happened")
    added.add_argument("--quiet", metavar="HOURS", default="", help="no messages in these hours: 22:00-07:00")
    sent = group.add_action("send", send_now, "NAME", "Make the briefing of a subscription now and send it", "morning")
    sent.add_argument("name", metavar="NAME", help="the subscription")
    for parser in (added, sent):
        parser.add_argument("--owner", metavar="NAME", default="", help="the account that it belongs to")


def subscription_of(opts: Namespace, query: str) -> Alert:
    """The subscription that the options describe, without channels; wrong ones are refused."""
    from newsspider.cli.site_catalogue import region_of
    from newsspider.core.query.parser import RuleError
    from newsspider.core.query.query_language import parse_query
    from newsspider.core.text.regions import region_names
    from newsspider.features.alerts.new_alert import alert_of_options
    from newsspider.features.alerts.rhythm_and_quiet_hours import Rhythm
    from newsspider.features.alerts.stored_alerts import Alert, AlertKind
    from newsspider.features.briefing import content
    from newsspider.features.briefing.subscriptions import Wanted
    from newsspider.store.engine.clock import Clock

    now = Clock().utc()
    try:
        parse_query(query, now)
    except RuleError as error:
        raise wrong_use(f"--query: {error}") from None
    region = region_names()[region_of(opts.region)] if opts.region else ""
    kind = content.BriefingKind.WEEKLY if opts.weekly else content.BriefingKind.DAILY
    wanted = Wanted(kind, opts.topic or "", region, _template(opts.template), opts.empty)
    rule = Alert(0, "", "", AlertKind.BRIEFING, query, 0, "event", (), Rhythm(), 0.0, "", now.timestamp())
    alert = alert_of_options(opts, replace(rule, details=wanted.text()))
    if alert.rhythm.daily is None and not alert.rhythm.by_hand:
        raise wrong_use(f"a briefing is sent {RHYTHMS}")
    return alert


def add(command: DataCommand, opts: Namespace) -> None:
    """Subscribe to a briefing.

    ``scrapy web`` or ``scrapy alerts run`` makes it when it is due, from where the last one that was sent ended, and
    delivers it: as mail with a .docx, and as Markdown to WeCom, Feishu, DingTalk and webhooks. ``scrapy alerts list``,
    ``deliveries``, ``mute`` and ``remove`` know it by its name. Guide: docs/how-to/make-a-briefing.md.
    """
    from newsspider.cli.scrapy_options import check_names
    from newsspider.features.alerts.channels import mask_channel, secret_of
    from newsspider.features.alerts.new_alert import add_alert, channels_of, new_secrets, word_of
    from newsspider.store.engine.database import writing

    if opts.query is not None and not opts.query.strip():
        raise wrong_use("--query: say what it looks for")
    for name in ("topic", "region"):
        if getattr(opts, name) == "":
            raise wrong_use(f"--{name}: say a name")
    alert = subscription_of(opts, (opts.query or "").strip())
    if not opts.to:
        raise wrong_use("say with --to where it is sent")
    channels = channels_of(opts.to)
    with command.store() as engine, writing(engine) as conn:
        check_names(conn, command.settings, topic=opts.topic)
        add_alert(conn, alert, channels)
    print_line(
        f"added {alert.name}: {alert.rhythm.texts()[0]}; see scrapy alerts send {word_of(alert.name, alert.owner)}"
    )
    for channel in new_secrets(channels, opts.to):
        print_line(f"{mask_channel(channel)} is signed with {secret_of(channel)}")


def send_now(command: DataCommand, opts: Namespace) -> None:
    """Make the briefing of a subscription now and send it.

    It begins where the last one that was sent ended. ``scrapy web`` or ``scrapy alerts run`` delivers it.
    """
    from newsspider.features.alerts.commands.alerts import named_alert
    from newsspider.features.alerts.new_alert import word_of
    from newsspider.features.briefing import stored_briefings, subscriptions
    from newsspider.features.events.analysed_store import open_analysed
    from newsspider.sites.holidays import Holidays
    from newsspider.store.engine.clock import Clock
    from newsspider.store.engine.database import writing

    now = Clock().now()
    with open_analysed(command) as conn:
        alert = named_alert(conn, opts)
        if alert.kind != "briefing":
            raise wrong_use(f"{opts.name} is no subscription to a briefing; see scrapy alerts brief --help")
        gathered = subscriptions.gather_for(conn, alert, now, Holidays.of(command.settings), now)
    if gathered is None or not (gathered[1].items() or subscriptions.wanted_of(alert).empty):
        print_note("nothing happened since the last one: it is not sent")
        return
    with command.store() as engine, writing(engine) as conn:
        if not stored_briefings.is_next(conn, gathered[0]):
            print_note("another one was sent just now: it is not sent")
            return
        number = stored_briefings.keep(conn, *gathered, now)
        subscriptions.put(conn, alert, number, gathered[1], command.settings["CONSOLE_URL"], now)
    print_note(f"briefing {number} waits for delivery; see scrapy alerts deliveries {word_of(opts.name, opts.owner)}")


def _template(name: str | None) -> str:
    """The path of a template; a wrong one is refused."""
    from pathlib import Path

    if name is None:
        return ""
    path = Path(name).absolute()
    try:
        path.read_bytes()
    except (OSError, ValueError) as error:
        raise wrong_use(f"--template {name}: {getattr(error, 'strerror', None) or error}") from None
    if path.suffix.lower() not in TEMPLATES:
        raise wrong_use(f"--template {name}: say a file that ends in {', '.join(TEMPLATES)}")
    return str(path)
