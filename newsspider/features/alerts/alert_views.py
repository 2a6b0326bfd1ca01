"""Shows alerts, what they would tell and what became of their messages, and delivers them, for ``scrapy alerts``."""

from __future__ import annotations

import json
from argparse import Namespace
from typing import Any

from newsspider.cli.command import DataCommand, emit, print_line, print_note
from newsspider.crawl.wrong_use import wrong_use
from newsspider.features.alerts.actions import check_site, rule_of
from newsspider.features.alerts.alert_changes import named

STATES = ("waiting", "sent", "dead")


def show_list(command: DataCommand, opts: Namespace) -> None:
    """List the alerts: what, to whom, when, how often. Of channels only the host or service is shown."""
    from newsspider.features.alerts.views import overview
    from newsspider.store.engine.clock import Clock
    from newsspider.store.engine.database import reading

    with command.store() as engine, reading(engine) as conn:
        records = overview(conn, Clock().now())
    for record in records:
        if opts.json:
            emit(record)
        else:
            waits = {
                "query": record["query"],
                "event": f"event of {record['pages']} pages {record['query']}".strip(),
                "source": f"lists of {record['query'] or 'all sites'}",
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
    from newsspider.features.alerts.messages import reason
    from newsspider.features.alerts.preview import PREVIEW_DAYS, preview
    from newsspider.features.events.analysed_store import analysed
    from newsspider.sites.holidays import Holidays
    from newsspider.store.engine.clock import Clock

    describes_alert = any(value is not None for value in (opts.query, opts.event, opts.source))
    if (opts.name is not None) == describes_alert:
        raise wrong_use("say either the name of an alert, or --query, --event or --source")
    alert = rule_of(opts) if describes_alert else None
    with analysed(command) as conn:
        alert = alert or named(conn, opts)
        check_site(conn, alert)
        stories = preview(conn, alert, Clock().utc(), Holidays.of(command.settings))
        hint = _hint(conn, alert.query) if alert.kind == "query" and not stories else ""
    for story in stories:
        if opts.json:
            emit(story)
        else:
            print_line(story["title"])
            print_line(f"  {story['published_at'] or ''} {story['site']} {story['url']}".replace("   ", "  "))
            print_line(f"  {reason(story['why'])}")
    print_note(f"{len(stories)} stories in {PREVIEW_DAYS} days" + hint)


def show_deliveries(command: DataCommand, opts: Namespace) -> None:
    """Show the latest messages: state, time, alert, channel, tries, title, and why the last try failed.

    ``--resend`` sends messages that were given up once more, with the same key.
    """
    from newsspider.features.alerts import deliveries
    from newsspider.features.alerts.views import delivery_record
    from newsspider.store.engine.clock import Clock
    from newsspider.store.engine.database import reading, writing

    if opts.state and opts.state not in STATES:
        raise wrong_use(f"--state {opts.state}: say {', '.join(STATES)}")
    if opts.resend == "":
        raise wrong_use("--resend: say the key of a message, or all")
    if opts.resend is not None:
        with command.store() as engine, writing(engine) as conn:
            number = named(conn, opts).id if opts.name is not None else 0
            key = "" if opts.resend == "all" else opts.resend
            count = deliveries.resend(conn, Clock().now(), key, number, owner=opts.owner or None)
            if key and not count:
                raise wrong_use(f"no message with the key {key!r} was given up; see scrapy alerts deliveries")
        print_note(f"{count} messages are sent again")
        return
    with command.store() as engine, reading(engine) as conn:
        number = named(conn, opts).id if opts.name is not None else 0
        rows = deliveries.listed(conn, opts.state, number, owner=opts.owner or None)
        records = list(map(delivery_record, rows))
    for record in records:
        if opts.json:
            emit(record)
        else:
            print_line(" ".join(map(str, _columns(record))))
    if not records:
        print_note("there is no message")


def run(command: DataCommand, opts: Namespace) -> None:
    """Deliver messages until Ctrl-C or SIGTERM.

    Several processes may deliver at once, beside crawls: each message is sent by one of them at a time.
    """
    import signal
    from threading import Event

    from newsspider.cli.command import CommandError
    from newsspider.features.alerts.deliverer import Deliverer
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


def _columns(record: dict[str, Any]) -> list[Any]:
    tries = f"{record['tries']} tries" if record["tries"] != 1 else "1 try"
    name, error = f"{record['owner']}/{record['alert']}".lstrip("/"), f"({record['error']})" if record["error"] else ""
    return [
        record["state"], record["sent_at"] or record["created_at"], name, record["channel"], tries, record["key"],
        record["title"], error,
    ]  # fmt: skip


def _hint(conn: Any, query: str) -> str:
    """Where a phrase is found nowhere but its words are, the query that asks for them."""
    from newsspider.core.query.language import parsed, words_of
    from newsspider.core.query.parser import RuleError
    from newsspider.search.query import search
    from newsspider.store.engine.clock import Clock

    try:
        words = words_of(query)
        total = search(conn, parsed(words, Clock().utc()), limit=1).total if words != query else 0
    except RuleError:
        return ""
    return f"; as words, {json.dumps(words, ensure_ascii=False)}, it finds {total} articles" if total else ""
