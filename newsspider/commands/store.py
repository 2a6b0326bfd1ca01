"""``scrapy store``: looks after the database."""

from __future__ import annotations

from argparse import Namespace

from newsspider.cli.command import DataCommand, print_line, print_note, print_record
from newsspider.cli.command_group import CommandGroup
from newsspider.cli.store_actions import back_up, move, prune, restore, show_sizes, vacuum

PRUNED = {
    "snapshots": "the pages of articles as they were fetched",
    "links": "the links of pages that are no lists",
    "revisions": "the earlier versions of articles",
    "runs": "the records of crawls",
}


class Command(CommandGroup):
    """Every crawl checks the file for up to a second before it starts, and refuses a damaged one (exit code 8). Do not
    keep crawling with a damaged store: stop whatever writes to it and restore a backup, or save what can still be read
    with ``sqlite3 OLD .recover | sqlite3 NEW``."""

    summary = "Check, back up, restore, move, archive and shrink the store"

    def add_actions(self) -> None:
        summary = "Check the whole store; exit code 1 if something is wrong"
        check = self.add_action("check", check_store, "[--json]", summary, "--json | jq .problems")
        check.add_argument("--json", action="store_true", help="one JSON object instead of a line a problem")
        backup = self.add_action("backup", back_up, "FILE", "Write the store to a new file", "news-2026-11-26.backup")
        backup.add_argument("file", metavar="FILE", help="a file that does not exist yet")
        again = self.add_action("restore", restore, "FILE", "Restore the store from a backup", "news-2026-11-26.backup")
        again.add_argument("file", metavar="FILE", help="a file of scrapy store backup")
        summary = "Copy a store in SQLite to PostgreSQL"
        to = self.add_action("move", move, "URL", summary, "postgresql://news@db/news")
        to.add_argument("target", metavar="URL", help="the URL of an empty database")
        summary = "Delete what is older than a number of days"
        old = self.add_action("prune", prune, "[options]", summary, "--snapshots 90 --links 365 --dry-run")
        for kind, meaning in PRUNED.items():
            old.add_argument(f"--{kind}", metavar="DAYS", help=meaning)
        old.add_argument("--dry-run", action="store_true", help="only count the rows")
        self.add_action("vacuum", vacuum, "", "Return the space of deleted rows to the disk", "")
        summary = "Print the rows and bytes of each table"
        sizes = self.add_action("sizes", show_sizes, "[--json]", summary, "--json | jq")
        sizes.add_argument("--json", action="store_true", help="one JSON object instead of a line a table")


def check_store(command: DataCommand, opts: Namespace) -> int:
    """Print each problem of the store.

    Looks for damaged pages and indexes (SQLite), dangling references, URLs without a state or a queue, and articles
    without URLs. With ``--json`` {sound, problems}.
    """
    from newsspider.commands.export import reading_store
    from newsspider.store.engine.errors import ADVICE
    from newsspider.store.engine.integrity import integrity_problems

    reports = []
    with reading_store(command) as conn:
        for problem in integrity_problems(conn):
            reports.append(problem)
            if not opts.json:
                print_line(problem)
    if opts.json:
        print_record({"sound": not reports, "problems": reports})
    print_note(f"{len(reports)} problems: {ADVICE}" if reports else "the store is sound")
    return 1 if reports else 0
