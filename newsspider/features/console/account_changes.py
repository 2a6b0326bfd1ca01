"""The actions of ``scrapy accounts``."""

from __future__ import annotations

import sys
from argparse import Namespace
from datetime import UTC, datetime
from getpass import getpass

from newsspider.cli.command import CommandError, DataCommand, print_line, print_note, print_record
from newsspider.core.text.characters import storable_text
from newsspider.crawl.wrong_use import whole_number, wrong_use
from newsspider.features.console import accounts
from newsspider.features.console.accounts import SCOPES, Role
from newsspider.store import audit_trail
from newsspider.store.audit_trail import AT_THE_MACHINE
from newsspider.store.engine.clock import Clock
from newsspider.store.engine.database import reading, writing

MOST_DAYS = 3650


def show_list(command: DataCommand, opts: Namespace) -> None:
    with command.store() as engine, reading(engine) as conn:
        rows = accounts.all_accounts(conn)
    for row in rows:
        added = datetime.fromtimestamp(row.added_at, UTC).isoformat(timespec="seconds")
        if opts.json:
            numbers = {"sessions": row.sessions, "tokens": row.tokens}
            print_record({"name": row.name, "role": row.role, "added_at": added, **numbers})
        else:
            print_line(f"{row.name:<24} {row.role:<8} {row.sessions:>3} sessions {row.tokens:>3} tokens")


def add(command: DataCommand, opts: Namespace) -> None:
    if not accounts.is_valid_name(opts.name):
        raise wrong_use(f"{opts.name!r} is no name: letters, figures and . - _ @, at most {accounts.LONGEST_NAME}")
    if opts.role is not None and opts.role not in list(Role):
        raise wrong_use(f"--role {opts.role}: say {', '.join(Role)}")
    with command.store() as engine:
        with reading(engine) as conn:
            is_first = not accounts.exist(conn)
            if accounts.account(conn, opts.name) is not None:
                raise wrong_use(f"there is an account {opts.name} already")
        role = Role(opts.role or (Role.ADMIN if is_first else Role.READER))
        password_hash, now = _asked_password(opts.name), Clock().now()
        with writing(engine) as conn:
            if not accounts.add(conn, opts.name, role, password_hash, now):
                raise wrong_use(f"there is an account {opts.name} already")
            audit_trail.note(conn, AT_THE_MACHINE, "account.add", opts.name, now, after={"role": role})
    print_note(f"added {opts.name}, {role}")


def remove(command: DataCommand, opts: Namespace) -> None:
    """``scrapy accounts remove``.

    Without accounts the console asks nobody to log in and serves this machine only, as before the first one.
    """
    with command.store() as engine, writing(engine) as conn:
        row = accounts.account(conn, opts.name)
        if row is None:
            raise _unknown(opts.name)
        accounts.remove(conn, opts.name)
        audit_trail.note(conn, AT_THE_MACHINE, "account.remove", opts.name, Clock().now(), before={"role": row.role})
    print_note(f"removed {opts.name}")


def set_password(command: DataCommand, opts: Namespace) -> None:
    with command.store() as engine:
        with reading(engine) as conn:
            if accounts.account(conn, opts.name) is None:
                raise _unknown(opts.name)
        password_hash, now = _asked_password(opts.name), Clock().now()
        with writing(engine) as conn:
            accounts.set_password(conn, opts.name, password_hash, now)
            audit_trail.note(conn, AT_THE_MACHINE, "account.password", opts.name, now)
    print_note(f"the password of {opts.name} is changed, and its sessions have ended")


def make_token(command: DataCommand, opts: Namespace) -> None:
    """``scrapy accounts token``.

    Programs send it as `Authorization: Bearer TOKEN`, feed readers as the password of the account. It permits what both
    its scope and the role of its account permit. Only its hash is stored; the settings page revokes it.
    """
    if opts.scope not in SCOPES:
        raise wrong_use(f"--scope {opts.scope}: say {', '.join(SCOPES)}")
    if not opts.label.strip() or len(opts.label) > accounts.LONGEST_LABEL:
        raise wrong_use(f"--label: say in 1 to {accounts.LONGEST_LABEL} characters what the token is for")
    days = None if opts.days is None else whole_number("--days", opts.days, 1, MOST_DAYS)
    with command.store() as engine, writing(engine) as conn:
        if accounts.account(conn, opts.name) is None:
            raise _unknown(opts.name)
        now = Clock().now()
        ends_at = None if days is None else now + days * accounts.DAY
        label = storable_text(opts.label)
        secret = accounts.grant(conn, opts.name, label, now, opts.scope, ends_at)
        after = {"account": opts.name, "scope": opts.scope, "days": days}
        audit_trail.note(conn, AT_THE_MACHINE, "token.add", label, now, after=after)
    print_line(secret)


def _unknown(name: str) -> Exception:
    return wrong_use(f"there is no account {name!r}; see scrapy accounts list")


def _asked_password(name: str) -> str:
    """The hash of the password that somebody types twice, or that is the first line of standard input."""
    try:
        import argon2  # noqa: F401 -- before anybody types a password for nothing

        from newsspider.features.console.accounts import hash_password, objection_to
    except ModuleNotFoundError as error:
        raise CommandError(f"{error.name} is not installed: pip install 'newsspider[web]'") from None

    if sys.stdin.isatty():
        password = getpass(f"password of {name}: ")
        if getpass("once more: ") != password:
            raise wrong_use("the two passwords differ")
    else:
        password = sys.stdin.readline().rstrip("\r\n")
    if objection := objection_to(password, name):
        raise wrong_use(f"the password is refused: {objection.replace('_', ' ')}")
    return hash_password(password)
