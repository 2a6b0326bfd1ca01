"""Adds, removes, mutes and tries alerts, for ``scrapy alerts``."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from newsspider.cli.command import DataCommand, print_line, print_note
from newsspider.crawl.wrong_use import wrong_use
from newsspider.features.alerts.actions import channels_of, described, new_secrets, put

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from newsspider.features.alerts.rules import Alert


def add(command: DataCommand, opts: Namespace) -> None:
    """Add an alert.

    The key that signs the messages of a webhook is printed once; give your own as https://example.cn/hook#whsec_...
    """
    from newsspider.features.alerts.channels import masked, secret_of
    from newsspider.store.engine.database import writing

    alert = described(opts)
    if not opts.to:
        raise wrong_use("say with --to where its messages go")
    channels = channels_of(opts.to)
    with command.store() as engine, writing(engine) as conn:
        put(conn, alert, channels)
    print_line(f"added {alert.name}: see scrapy alerts preview {alert.name}")
    for channel in new_secrets(channels, opts.to):
        print_line(f"{masked(channel)} is signed with {secret_of(channel)}")


def remove(command: DataCommand, opts: Namespace) -> None:
    """Remove an alert and its messages, including those that wait to be sent."""
    from newsspider.features.alerts import rules
    from newsspider.store.engine.database import writing

    with command.store() as engine, writing(engine) as conn:
        rules.remove(conn, named(conn, opts))
    print_note(f"removed {opts.name}")


def mute(command: DataCommand, opts: Namespace) -> None:
    """Mute an alert.

    Stories that arrive while it is muted are never told; those from before still are. ``--off`` ends the mute.
    """
    from newsspider.core.query.moments import moment_of
    from newsspider.features.alerts import rules
    from newsspider.store.engine.clock import Clock
    from newsspider.store.engine.database import writing

    if opts.off and opts.span is not None:
        raise wrong_use("say either --for or --off")
    now, until = Clock().utc(), 0.0 if opts.off else rules.FOREVER
    if opts.span is not None:
        try:
            until = (now + (now - moment_of(opts.span, now, last=False))).timestamp()
        except (ValueError, OverflowError):
            until = 0.0
        if until <= now.timestamp() or not opts.span.strip()[:1].isdigit():
            raise wrong_use(f"--for {opts.span}: say a span like 12h, 3d or 1w")
    with command.store() as engine, writing(engine) as conn:
        rules.mute(conn, named(conn, opts), until, now.timestamp())
    print_note(f"{opts.name} {'tells again' if opts.off else 'is muted'}")


def test(command: DataCommand, opts: Namespace) -> int:
    """Send a test message to each channel of an alert and print the outcome; exit code 1 if one failed."""
    from newsspider.features.alerts.channels import masked, send
    from newsspider.features.alerts.messages import key_of, message
    from newsspider.store.engine.clock import Clock
    from newsspider.store.engine.database import reading

    with command.store() as engine, reading(engine) as conn:
        alert = named(conn, opts)
    now, failed = Clock().now(), 0
    console = command.settings["CONSOLE_URL"]
    story = {
        "title": "测试：提醒可以送达", "url": None, "site": "newsspider", "source": "newsspider", "published_at": None,
        "why": {"sentence": "这是一条测试消息"},
    }  # fmt: skip
    about = {"name": alert.name, "owner": alert.owner, "kind": str(alert.kind), "query": alert.query}
    for number, channel in enumerate(alert.channels):
        key = key_of(alert.token, number, [f"test {now}"])
        error = send(channel, key, message(about, alert.token, [story], console, now), now).error
        print_line(f"{masked(channel)} {error or 'took it'}")
        failed += bool(error)
    return 1 if failed else 0


def named(conn: Connection, opts: Namespace) -> Alert:
    """The alert that the arguments name; wrong use if there is none."""
    from newsspider.features.alerts import rules

    alert = rules.named(conn, opts.name, opts.owner)
    if alert is None:
        raise wrong_use(f"there is no alert {opts.name!r}; see scrapy alerts list")
    return alert
