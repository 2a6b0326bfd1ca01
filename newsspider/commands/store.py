"""``scrapy store``: looks after the database."""

from __future__ import annotations

from argparse import Namespace

from newsspider.cli.command import DataCommand, emit, print_line, print_note
from newsspider.cli.command_group import CommandGroup


class Command(CommandGroup):
    """A crawl itself looks at the file for a second before it starts, and refuses a damaged one (exit code 8). Do not
    crawl on with a damaged store: stop what writes it and restore a backup, or save what can be read with ``sqlite3
    OLD .recover | sqlite3 NEW``."""

    summary = "Check the store: damaged pages, broken references, URLs that would never be fetched"

    def add_actions(self) -> None:
        summary = "Read all of the store; exit code 1 if something is wrong with it"
        check = self.add_action("check", check_store, "[--json]", summary, "--json | jq .problems")
        check.add_argument("--json", action="store_true", help="one JSON object instead of a line a problem")


def check_store(command: DataCommand, opts: Namespace) -> int:
    """Print each problem of the store.

    Damaged pages and indices (SQLite), rows that refer to rows that are not there, URLs in no state or no queue,
    articles without URLs. With ``--json`` {sound, problems}.
    """
    from newsspider.commands.export import opened
    from newsspider.store.engine.errors import ADVICE
    from newsspider.store.engine.integrity import problems

    found = []
    with opened(command) as conn:
        for problem in problems(conn):
            found.append(problem)
            if not opts.json:
                print_line(problem)
    if opts.json:
        emit({"sound": not found, "problems": found})
    print_note(f"{len(found)} problems: {ADVICE}" if found else "the store is sound")
    return 1 if found else 0
