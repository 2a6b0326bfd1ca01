"""``scrapy store``: backups, moves, retention and sizes."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from newsspider.cli.command import CommandError, DataCommand, print_line, print_note, print_record
from newsspider.crawl.wrong_use import whole_number, wrong_use

if TYPE_CHECKING:
    from typing import Never

    from sqlalchemy import Engine
    from tqdm import tqdm

DAY = 86_400.0
MOST_DAYS = 36_500


def back_up(command: DataCommand, opts: Namespace) -> int:
    """Write the store to a file.

    Crawls may write meanwhile: the file holds the store as it was when the backup began. It appears under its name only
    when it is complete and checked. PostgreSQL needs pg_dump.
    """
    from newsspider.store.maintenance import backups

    with command.store() as engine, _bar() as show:
        try:
            backups.back_up(engine, Path(opts.file), show)
        except backups.NoBackupError as problem:
            raise CommandError(str(problem)) from None
    print_note(f"{opts.file}: {Path(opts.file).stat().st_size} bytes")
    return 0


def restore(command: DataCommand, opts: Namespace) -> int:
    """Make the store of DATABASE_URL from a backup.

    There must be no store yet. Crawls continue from the moment of the backup: whatever was fetched after it is fetched
    again. PostgreSQL needs pg_restore and an empty database.
    """
    from newsspider.store.engine.database import reading
    from newsspider.store.engine.errors import StoreFailedError, StoreUnusableError, url_without_passwords
    from newsspider.store.maintenance import backups
    from newsspider.store.maintenance.disk_space import row_count
    from newsspider.store.tables import articles

    try:
        with _bar() as show:
            backups.restore(Path(opts.file), command.settings["DATABASE_URL"], show)
    except (backups.NoBackupError, StoreFailedError) as problem:
        raise CommandError(str(problem)) from None
    except StoreUnusableError as problem:
        raise wrong_use(str(problem)) from None
    try:
        with command.store() as engine, reading(engine) as conn:
            print_note(
                f"restored {opts.file} to {url_without_passwords(engine.url)}: {row_count(conn, articles)} articles"
            )
    except StoreFailedError as problem:
        print_note(f"restored {opts.file}; its articles cannot be counted: {problem}")
    return 0


def move(command: DataCommand, opts: Namespace) -> int:
    """Copy a store in SQLite to an empty database of PostgreSQL.

    Stop all crawls, the console, alerts and the schedule first. An interrupted move continues when it is called again.
    At the end every table is compared row by row; then set DATABASE_URL and run `scrapy reindex`.
    """
    from newsspider.library.progress_bar import progress_bar
    from newsspider.store.engine.clock import Clock
    from newsspider.store.engine.database import open_store
    from newsspider.store.engine.errors import StoreFailedError, StoreUnusableError
    from newsspider.store.maintenance.moves import MoveError, StoreMove

    clock = Clock()
    with command.store() as source:
        try:
            target = open_store(opts.target, unfinished=True)
            try:
                going = StoreMove(source, target)
                done = going.begin(clock.now())
                with progress_bar(sys.stderr, going.total(), done) as bar:
                    going.copy(bar.update)
                going.finish(clock.now())
            finally:
                target.dispose()
        except (MoveError, StoreFailedError) as problem:
            raise CommandError(str(problem)) from None
        except StoreUnusableError as problem:
            raise wrong_use(str(problem).replace("DATABASE_URL=", "", 1)) from None
    print_note("moved and compared; set DATABASE_URL, then run scrapy reindex")
    return 0


def prune(command: DataCommand, opts: Namespace) -> int:
    """Delete what is older than a number of days.

    Articles always stay, and so do the URLs of the ledger, 360 bytes each: a deleted one would be fetched again as soon
    as a page links to it, even if it is off topic or a trap. `scrapy forget` removes single URLs. Crawls may run
    meanwhile. `--dry-run` deletes nothing and counts the rows.
    """
    from newsspider.store.engine.clock import Clock
    from newsspider.store.maintenance.retention import KINDS_OF_ROWS

    typed = {kind: value for kind in KINDS_OF_ROWS if (value := getattr(opts, kind)) is not None}
    if not typed:
        raise wrong_use(f"say what to delete: {', '.join(f'--{kind} DAYS' for kind in KINDS_OF_ROWS)}")
    now = Clock().now()
    days = {kind: whole_number(f"--{kind}", value, 1, MOST_DAYS) for kind, value in typed.items()}
    with command.store() as engine:
        if not opts.dry_run:
            refuse_read_only(engine)
        for kind, number in days.items():
            prune_rows(engine, kind, number, now - number * DAY, dry_run=opts.dry_run)
    return 0


def prune_rows(engine: Engine, kind: str, days: int, until: float, *, dry_run: bool) -> None:
    """Delete the rows of a kind from before a moment, or only count them, and say how many they were."""
    from newsspider.store.engine.database import reading
    from newsspider.store.maintenance.retention import KINDS_OF_ROWS, count_old
    from newsspider.store.maintenance.retention import delete_old as deleted_in_steps

    with reading(engine) as conn:
        count = count_old(conn, kind, until)
    if not dry_run:
        with _bar() as show:
            for done, total in deleted_in_steps(engine, kind, until):
                show(done, total)
    verb = "would be deleted" if dry_run else "deleted"
    print_line(f"{count} {KINDS_OF_ROWS[kind].meaning} older than {days} days {verb}")


def vacuum(command: DataCommand, opts: Namespace) -> int:
    """Give the space of deleted rows back to the disk.

    SQLite rewrites the file, which needs as much free space as the file itself; stop crawls first. PostgreSQL only
    makes the space available to new rows, while everything keeps running.
    """
    from newsspider.store.engine.database import reading
    from newsspider.store.maintenance.disk_space import total_bytes, vacuum_store

    with command.store() as engine:
        refuse_read_only(engine)
        with reading(engine) as conn:
            old_bytes = total_bytes(conn)
        vacuum_store(engine)
        with reading(engine) as conn:
            print_note(f"vacuumed the store: {total_bytes(conn)} bytes, {old_bytes} before")
    return 0


def show_sizes(command: DataCommand, opts: Namespace) -> int:
    """Print the rows and bytes of each table, the largest first.

    Bytes include indexes; those of an article are all bytes of the store by its articles. On SQLite all of the file
    is read.
    """
    from newsspider.store.engine.database import reading
    from newsspider.store.maintenance.disk_space import table_sizes

    with command.store() as engine, reading(engine) as conn:
        tables = table_sizes(conn)
    total = sum(size.bytes for size in tables)
    articles = next((size.rows for size in tables if size.table == "articles"), 0)
    if opts.json:
        print_record({"bytes": total, "articles": articles, "tables": [size._asdict() for size in tables]})
        return 0
    for size in tables:
        row_bytes = size.bytes / size.rows
        print_line(f"{size.table:<24}{size.rows:>12} rows{size.bytes:>15} bytes{row_bytes:>10.0f} a row")
    print_line(f"{total} bytes" + (f", {total // articles} an article" if articles else ""))
    return 0


def refuse_read_only(engine: Engine) -> None:
    """Fail if the store may only be read."""
    from newsspider.store.engine.database import writable

    if not writable(engine):
        raise CommandError("the store may not be written here")


@contextmanager
def _bar() -> Iterator[Callable[[int, int], None]]:
    """A function that shows how much is done, and of how much, in a bar that its first call begins."""
    from newsspider.library.progress_bar import progress_bar

    with ExitStack() as stack:
        begun: list[tqdm[Never]] = []

        def show(done: int, total: int) -> None:
            if not begun:
                begun.append(stack.enter_context(progress_bar(sys.stderr, total)))
            begun[0].total = total
            begun[0].update(done - begun[0].n)

        yield show
