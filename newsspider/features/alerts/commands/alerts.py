"""``scrapy alerts``: tells people what they ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsspider.cli.command_group import CommandGroup

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(CommandGroup):
    """An alert waits for the articles of a ``scrapy search`` query, for events that grow, or for lists that fail. It
    tells each story once: an article, its reprints and its event count as one. Stories are stored in the same
    transaction as their articles, so none is lost or told twice when a process dies. ``scrapy alerts run`` or ``scrapy
    web`` delivers the messages. Guide: docs/how-to/alerts.md."""

    summary = "Add, list, try and deliver alerts: messages about new articles, growing events and failing lists"

    def add_actions(self) -> None:
        from newsspider.features.alerts import alert_changes, alert_views

        action = self.add_action
        listed = action("list", alert_views.show_list, "[--json]", "List the alerts", "")
        listed.add_argument("--json", action="store_true", help="one JSON line an alert")
        example = (
            'exams --query "高考 作弊" --to https://example.cn/hook\n'
            'day --query 双减 --to ntfy://news --rhythm "daily 08:00"\n'
            "big --event 20 --to ntfy://news --quiet 22:00-07:00\nbroken --source all --to ntfy://news"
        )
        what = "NAME (--query | --event | --source) --to URL [options]"
        added = action("add", alert_changes.add, what, "Add an alert", example)
        added.add_argument("name", metavar="NAME", help="its name")
        add_rule(added)
        to = "a webhook (https, http), a channel of apprise (ntfy://...), or console alone; repeatable"
        added.add_argument("--to", metavar="URL", action="append", default=[], help=to)
        rhythm = "immediately (default), hourly, or daily 08:00, in China's time"
        added.add_argument("--rhythm", metavar="WHEN", default="immediately", help=rhythm)
        added.add_argument("--quiet", metavar="HOURS", default="", help="no messages in these hours: 22:00-07:00")
        added.add_argument("--owner", metavar="NAME", default="", help="the account that it belongs to")
        removed = action("remove", alert_changes.remove, "NAME [--owner NAME]", "Remove an alert", "exams")
        muted = action("mute", alert_changes.mute, "NAME [--for SPAN | --off]", "Mute an alert", "exams --for 3d")
        tried = action(
            "test", alert_changes.test, "NAME", "Send a test message to the channels of an alert now", "exams"
        )
        for parser in (removed, muted, tried):
            parser.add_argument("name", metavar="NAME", help="the alert")
            parser.add_argument("--owner", metavar="NAME", default="", help="the account that it belongs to")
        muted.add_argument("--for", metavar="SPAN", dest="span", help="for so long: 12h, 3d, 1w (default: for good)")
        muted.add_argument("--off", action="store_true", help="tell again")
        previewed = action(
            "preview",
            alert_views.show_preview,
            "NAME | (--query | --event | --source) [options]",
            "Show what an alert would have told in the last week",
            '--query "高考 作弊"\nexams --json',
        )
        previewed.add_argument("name", metavar="NAME", nargs="?", help="an alert; without it, the options say one")
        add_rule(previewed)
        previewed.add_argument("--owner", metavar="NAME", default="", help="the account that it belongs to")
        previewed.add_argument("--json", action="store_true", help="one JSON line a story")
        sent = action(
            "deliveries",
            alert_views.show_deliveries,
            "[NAME] [options]",
            "Show the messages: sent, waiting, given up",
            "\n--state dead\n--resend all",
        )
        sent.add_argument("name", metavar="NAME", nargs="?", help="of this alert only")
        sent.add_argument("--owner", metavar="NAME", default="", help="the account that it belongs to")
        sent.add_argument("--state", metavar="STATE", default="", help="waiting, sent or dead (given up) only")
        sent.add_argument("--resend", metavar="KEY", help="send this message that was given up again; all: all of them")
        sent.add_argument("--json", action="store_true", help="one JSON line a message")
        delivered = action("run", alert_views.run, "[--once]", "Deliver messages until Ctrl-C", "\n--once")
        delivered.add_argument("--once", action="store_true", help="end when nothing is due, as for cron")


def add_rule(parser: ArgumentParser) -> None:
    """The options that say what an alert waits for."""
    parser.add_argument(
        "--query", metavar="QUERY", help="articles that match, as in scrapy search; with --event, events that match"
    )
    parser.add_argument("--event", metavar="PAGES", help="events with so many pages within 24 hours")
    parser.add_argument("--source", metavar="SITE", help="the problems of this site, or of all, as in scrapy health")
    per = "event (default): one message an event; reprints: also further articles of an event"
    parser.add_argument("--per", metavar="WHAT", default="event", help=per)
