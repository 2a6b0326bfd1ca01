"""``scrapy alerts``: tells people what they ask for."""

from __future__ import annotations

import json
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from newsspider.cli.command import DataCommand, print_line, print_lines, print_note, print_record
from newsspider.cli.command_group import CommandGroup
from newsspider.core.text.terminal_columns import cut_to_columns, wrap_text
from newsspider.crawl.wrong_use import wrong_use
from newsspider.features.alerts.new_alert import (
    add_alert,
    alert_of_options,
    channels_of,
    check_site,
    new_secrets,
    rule_of,
    word_of,
)

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterator

    from sqlalchemy import Connection

    from newsspider.features.alerts.delivery_loop import DeliveryResult
    from newsspider.features.alerts.stored_alerts import Alert

SCREEN_WIDTH = 80
STATES = ("waiting", "sent", "dead")


class Command(CommandGroup):
    """An alert waits for the articles of a ``scrapy search`` query, for events that grow, or for lists that fail. It
    tells each story once: an article, its reprints and its event count as one. Stories are stored in the same
    transaction as their articles, so none is lost or told twice when a process dies. ``scrapy alerts run`` or ``scrapy
    web`` delivers the messages. Guide: docs/how-to/alerts.md."""

    summary = "Add, list, try and deliver alerts: messages about new articles, growing events and failing lists"

    def add_actions(self) -> None:
        action = self.add_action
        listed = action("list", show_list, "[--json]", "List the alerts", "")
        listed.add_argument("--json", action="store_true", help="one JSON line an alert")
        example = (
            'exams --query "高考 作弊" --to https://example.cn/hook\n'
            'day --query 双减 --to ntfy://news --rhythm "daily 08:00"\n'
            "big --event 20 --to ntfy://news --quiet 22:00-07:00\nbroken --source all --to ntfy://news"
        )
        what = "NAME (--query | --event | --source) --to URL [options]"
        added = action("add", add, what, "Add an alert", example)
        added.add_argument("name", metavar="NAME", help="its name")
        add_rule(added)
        to = "a webhook (https, http), a channel of apprise (ntfy://...), or console alone; repeatable"
        added.add_argument("--to", metavar="URL", action="append", default=[], help=to)
        rhythm = "immediately (default), hourly, or daily 08:00, in China's time"
        added.add_argument("--rhythm", metavar="WHEN", default="immediately", help=rhythm)
        added.add_argument("--quiet", metavar="HOURS", default="", help="no messages in these hours: 22:00-07:00")
        added.add_argument("--owner", metavar="NAME", default="", help="the account that it belongs to")
        removed = action("remove", remove, "NAME [--owner NAME]", "Remove an alert", "exams")
        muted = action("mute", mute, "NAME [--for SPAN | --off]", "Mute an alert", "exams --for 3d")
        tried = action("test", test, "NAME", "Send a test message to the channels of an alert now", "exams")
        for parser in (removed, muted, tried):
            parser.add_argument("name", metavar="NAME", help="the alert")
            parser.add_argument("--owner", metavar="NAME", default="", help="the account that it belongs to")
        muted.add_argument("--for", metavar="SPAN", dest="span", help="for how long: 12h, 3d, 1w (default: for good)")
        muted.add_argument("--off", action="store_true", help="tell again")
        previewed = action(
            "preview",
            show_preview,
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
            show_deliveries,
            "[NAME] [options]",
            "Show the messages: sent, waiting, given up",
            "\n--state dead\n--resend all",
        )
        sent.add_argument("name", metavar="NAME", nargs="?", help="of this alert only")
        sent.add_argument("--owner", metavar="NAME", default="", help="the account that it belongs to")
        sent.add_argument("--state", metavar="STATE", default="", help="waiting, sent or dead (given up) only")
        sent.add_argument("--resend", metavar="KEY", help="send this message that was given up again; all: all of them")
        sent.add_argument("--json", action="store_true", help="one JSON line a message")
        delivered = action("run", run, "[--once]", "Deliver messages until Ctrl-C", "\n--once")
        delivered.add_argument("--once", action="store_true", help="end when nothing is due, as for cron")


def add_rule(parser: ArgumentParser) -> None:
    """The options that say what an alert waits for."""
    parser.add_argument(
        "--query", metavar="QUERY", help="articles that match, as in scrapy search; with --event, events that match"
    )
    parser.add_argument("--event", metavar="PAGES", help="events that get this many pages within 24 hours")
    parser.add_argument("--source", metavar="SITE", help="the problems of this site, or of all, as in scrapy health")
    per = "event (default): one message an event; reprints: also further articles of an event"
    parser.add_argument("--per", metavar="WHAT", default="event", help=per)


def add(command: DataCommand, opts: Namespace) -> None:
    """Add an alert.

    The key that signs the messages of a webhook is printed once; give your own as https://example.cn/hook#whsec_...
    """
    from newsspider.features.alerts.channels import mask_channel, secret_of
    from newsspider.store.engine.database import writing

    alert = alert_of_options(opts)
    if not opts.to:
        raise wrong_use("say with --to where its messages go")
    channels = channels_of(opts.to)
    with command.store() as engine, writing(engine) as conn:
        add_alert(conn, alert, channels)
    print_line(f"added {alert.name}: see scrapy alerts preview {word_of(alert.name, alert.owner)}")
    for channel in new_secrets(channels, opts.to):
        print_line(f"{mask_channel(channel)} is signed with {secret_of(channel)}")


def remove(command: DataCommand, opts: Namespace) -> None:
    """Remove an alert and its messages, including those that wait to be sent."""
    from newsspider.features.alerts import stored_alerts
    from newsspider.store.engine.database import writing

    with command.store() as engine, writing(engine) as conn:
        stored_alerts.remove(conn, named_alert(conn, opts))
    print_note(f"removed {opts.name}")


def mute(command: DataCommand, opts: Namespace) -> None:
    """Mute an alert.

    Stories that arrive while it is muted are never told; those from before still are. ``--off`` ends the mute.
    """
    from newsspider.core.query.query_dates import moment_of
    from newsspider.features.alerts import stored_alerts
    from newsspider.store.engine.clock import Clock
    from newsspider.store.engine.database import writing

    if opts.off and opts.span is not None:
        raise wrong_use("say either --for or --off")
    now, until = Clock().utc(), 0.0 if opts.off else stored_alerts.FOREVER
    if opts.span is not None:
        try:
            until = (now + (now - moment_of(opts.span, now, last=False))).timestamp()
        except (ValueError, OverflowError):
            until = 0.0
        if until <= now.timestamp() or not opts.span.strip()[:1].isdigit():
            raise wrong_use(f"--for {opts.span}: say a span like 12h, 3d or 1w")
    with command.store() as engine, writing(engine) as conn:
        stored_alerts.mute(conn, named_alert(conn, opts), until, now.timestamp())
    print_note(f"{opts.name} {'tells again' if opts.off else 'is muted'}")


def test(command: DataCommand, opts: Namespace) -> int:
    """Send a test message to each channel of an alert and print the outcome; exit code 1 if one failed."""
    from newsspider.features.alerts.channels import mask_channel, send_message
    from newsspider.features.alerts.messages import key_of, trial_message
    from newsspider.store.engine.clock import Clock
    from newsspider.store.engine.database import reading

    with command.store() as engine, reading(engine) as conn:
        alert = named_alert(conn, opts)
    now, failed = Clock().now(), 0
    console = command.settings["CONSOLE_URL"]
    for number, channel in enumerate(alert.channels):
        key = key_of(alert.token, number, [f"test {now}"])
        outcome = send_message(channel, key, trial_message(alert.shown, alert.token, console, now), now)
        error = outcome.error or outcome.refused
        print_line(f"{mask_channel(channel)} {error or 'took it'}")
        failed += bool(error)
    return 1 if failed else 0


def named_alert(conn: Connection, opts: Namespace) -> Alert:
    """The alert that the arguments name; wrong use if there is none."""
    from newsspider.features.alerts import stored_alerts

    alert = stored_alerts.named(conn, opts.name, opts.owner)
    if alert is None:
        raise wrong_use(f"there is no alert {opts.name!r}; see scrapy alerts list")
    return alert


def show_list(command: DataCommand, opts: Namespace) -> None:
    """List the alerts: what, to whom, when, how often. Of channels only the host or service is shown."""
    from newsspider.features.alerts.deliveries import alerts_overview
    from newsspider.store.engine.clock import Clock
    from newsspider.store.engine.database import reading

    with command.store() as engine, reading(engine) as conn:
        records = alerts_overview(conn, Clock().now())
    for record in records:
        if opts.json:
            print_record(record)
        else:
            waits = {
                "query": record["query"],
                "event": f"event of {record['pages']} pages {record['query']}".strip(),
                "source": f"lists of {record['query'] or 'all sites'}",
                "briefing": f"a briefing {record['query']}".strip(),
                "unknown": "nothing: this release does not know its kind; remove it, or run the release that added it",
            }[record["kind"]]
            quiet = f", quiet {record['quiet']}" if record["quiet"] else ""
            muted = f", muted until {record['muted_until']}" if record["muted_until"] else ""
            owner = f"{record['owner']}/" if record["owner"] else ""
            print_line(f"{owner}{record['name']}: {waits}")
            print_line(f"  {record['rhythm']}{quiet}{muted} to {', '.join(record['channels'])}")
            counts = f"{record['sent']} sent, {record['waiting']} waiting, {record['dead']} given up"
            print_line(f"  {counts}; last {record['last_at'] or 'never'}")
    if not records:
        print_note("there is no alert; see scrapy alerts add --help")


def show_preview(command: DataCommand, opts: Namespace) -> None:
    """Show the stories of the last week, the latest first, each with why it would be told.

    For ``--source``, the present problems. An article counts by its time of publication.
    """
    from newsspider.features.alerts.messages import reason_sentence
    from newsspider.features.alerts.preview import PREVIEW_DAYS, preview_alert
    from newsspider.features.events.analysed_store import open_analysed
    from newsspider.sites.holidays import Holidays
    from newsspider.store.engine.clock import Clock

    describes_alert = any(value is not None for value in (opts.query, opts.event, opts.source))
    if (opts.name is not None) == describes_alert:
        raise wrong_use("say either the name of an alert, or --query, --event or --source")
    alert = rule_of(opts) if describes_alert else None
    with open_analysed(command) as conn:
        alert = alert or named_alert(conn, opts)
        check_site(conn, alert)
        stories = preview_alert(conn, alert, Clock().utc(), Holidays.of(command.settings))
        hint = _hint(conn, alert.query) if alert.kind == "query" and not stories else ""
    for story in stories:
        if opts.json:
            print_record(story)
        else:
            when = f"{story['published_at'][:16].replace('T', ' ')}  " if story["published_at"] else ""
            print_lines(wrap_text(story["title"], SCREEN_WIDTH))
            print_lines(
                cut_to_columns(f"  {text}", SCREEN_WIDTH)
                for text in (f"{when}{story['site']}", reason_sentence(story["why"]))
            )
            print_line(f"  {story['url']}")
    print_note(f"{len(stories)} stories in {PREVIEW_DAYS} days" + hint)


def show_deliveries(command: DataCommand, opts: Namespace) -> None:
    """Show the latest messages: state, time, alert, channel, tries, title, and why the last try failed.

    ``--resend`` sends messages that were given up once more, with the same key.
    """
    from newsspider.features.alerts import deliveries
    from newsspider.features.alerts.deliveries import delivery_record
    from newsspider.store.engine.clock import Clock
    from newsspider.store.engine.database import reading, writing

    if opts.state and opts.state not in STATES:
        raise wrong_use(f"--state {opts.state}: say {', '.join(STATES)}")
    if opts.resend == "":
        raise wrong_use("--resend: say the key of a message, or all")
    if opts.resend is not None:
        with command.store() as engine, writing(engine) as conn:
            number = named_alert(conn, opts).id if opts.name is not None else 0
            key = "" if opts.resend == "all" else opts.resend
            count = deliveries.resend(conn, Clock().now(), key, number, owner=opts.owner or None)
            if key and not count:
                raise wrong_use(f"no message with the key {key!r} was given up; see scrapy alerts deliveries")
        print_note(f"{count} messages are sent again")
        return
    with command.store() as engine, reading(engine) as conn:
        number = named_alert(conn, opts).id if opts.name is not None else 0
        rows = deliveries.listed(conn, opts.state, number, owner=opts.owner or None)
        records = list(map(delivery_record, rows))
    for record in records:
        if opts.json:
            print_record(record)
        else:
            print_lines(_lines(record))
    if not records:
        print_note("there is no message")


def run(command: DataCommand, opts: Namespace) -> None:
    """Deliver messages until Ctrl-C or SIGTERM.

    With ``--once`` it ends with a line for each alert and channel: what was sent or failed, or that nothing was due;
    exit code 1 if a message was not sent.
    Several processes may deliver at once, beside crawls: each message is sent by one of them at a time.
    """
    import signal
    from threading import Event

    from newsspider.cli.command import CommandError
    from newsspider.features.alerts.delivery_loop import Deliverer
    from newsspider.sites.holidays import Holidays
    from newsspider.store.engine.errors import StoreFailedError

    ended = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    settings = command.settings
    with command.store() as engine:
        retry = settings.getfloat("ALERT_RETRY_SECONDS")
        deliverer = Deliverer(engine, settings["CONSOLE_URL"], retry, Holidays.of(settings))
        if not opts.once:
            print_note("delivering alerts (Ctrl-C ends it)")
        try:
            deliverer.run(ended, once=opts.once)
        except StoreFailedError as error:
            raise CommandError(str(error)) from None
    if opts.once:
        lines = [_result_line(result, count) for result, count in sorted(deliverer.results.items())]
        print_lines(lines or ["nothing was due"])
        if failed := sum(count for result, count in deliverer.results.items() if not result.is_sent):
            raise CommandError(f"{failed} of {deliverer.results.total()} messages were not sent")


def _lines(record: dict[str, Any]) -> Iterator[str]:
    """What became of a message, in lines of a terminal."""
    tries = f"{record['tries']} tries" if record["tries"] != 1 else "1 try"
    name = f"{record['owner']}/{record['alert']}".lstrip("/")
    yield f"{record['state']}  {record['sent_at'] or record['created_at']}  {name} to {record['channel']}, {tries}"
    for text in (record["title"], record["error"]):
        yield from (f"  {line}" for line in wrap_text(text, SCREEN_WIDTH - 2))
    yield f"  {record['key']}"


def _result_line(result: DeliveryResult, count: int) -> str:
    """How many messages of an alert a channel took, or did not take."""
    name = f"{result.owner}/{result.alert}".lstrip("/")
    if result.is_sent:
        return f"{count} sent: {name} to {result.channel}"
    word = word_of(result.alert, result.owner)
    return f"{count} failed: {name} to {result.channel}; scrapy alerts deliveries {word} says why"


def _hint(conn: Any, query: str) -> str:
    """Where a phrase is found nowhere but its words are, the query that asks for them."""
    from newsspider.core.query.parser import RuleError
    from newsspider.core.query.query_language import parse_query, words_of
    from newsspider.search.hits import search
    from newsspider.store.engine.clock import Clock

    try:
        words = words_of(query)
        total = search(conn, parse_query(words, Clock().utc()), limit=1).total if words != query else 0
    except RuleError:
        return ""
    return f"; as words, {json.dumps(words, ensure_ascii=False)}, it finds {total} articles" if total else ""
