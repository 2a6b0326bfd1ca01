"""``scrapy store archive`` and ``unarchive``: old articles and their pages in files that other programs read."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections import Counter
from contextlib import ExitStack, suppress
from importlib import import_module
from pathlib import Path

from newsspider.cli.command import CommandError, DataCommand, print_line, print_note
from newsspider.cli.command_group import CommandGroup
from newsspider.cli.store_actions import DAY, MOST_DAYS, prune_rows, refuse_read_only
from newsspider.crawl.wrong_use import whole_number, wrong_use

PRUNED = ("snapshots", "revisions")  # what archive --prune deletes


def add_actions(group: CommandGroup) -> None:
    """Add both to ``scrapy store``."""
    summary = "Write what is older than a number of days to WARC and Parquet"
    out = group.add_action("archive", archive, "FOLDER --older-than DAYS", summary, "old --older-than 90 --prune")
    out.add_argument("folder", metavar="FOLDER", help="the archive, which may have parts already")
    out.add_argument("--older-than", metavar="DAYS", help="what is archived")
    help_of_prune = "then delete the archived pages and revisions from the store; articles stay"
    out.add_argument("--prune", action="store_true", help=help_of_prune)
    out.add_argument("--dry-run", action="store_true", help="only count what is not archived yet")
    summary = "Bring back from an archive what the store no longer has"
    back = group.add_action("unarchive", unarchive, "FOLDER", summary, "old")
    back.add_argument("folder", metavar="FOLDER", help="of scrapy store archive")


def archive(command: DataCommand, opts: Namespace) -> int:
    """Write articles, their revisions and their pages that are older than a number of days to a folder.

    Skips what the archive already holds, so an interrupted command can be repeated. It reads all parts first: if one
    is damaged, it writes nothing, and `--prune` deletes nothing. Crawls may run meanwhile.
    """
    from newsspider.features.archive import archives
    from newsspider.features.archive.archive_parts import KINDS_OF_ROWS, NoArchiveError
    from newsspider.store.engine.clock import Clock

    if opts.older_than is None:
        raise wrong_use("say how old: --older-than DAYS")
    days = whole_number("--older-than", opts.older_than, 1, MOST_DAYS)
    folder, longest = _folder(opts.folder), command.settings.getint("DOWNLOAD_MAXSIZE")
    until = Clock().now() - days * DAY
    with command.store() as engine, ExitStack() as stack:
        if opts.prune and not opts.dry_run:
            refuse_read_only(engine)
        try:
            if not opts.dry_run:
                folder.mkdir(exist_ok=True)
                stack.enter_context(archives.locked(folder))
            has = archives.archived(folder, longest)
            for kind in KINDS_OF_ROWS:
                count = pages = 0
                for rows in archives.to_archive(engine, has, kind, until):
                    count += len(rows)
                    if not opts.dry_run:
                        pages += archives.archive(engine, folder, kind, rows, has, longest)
                wrote = "would be archived" if opts.dry_run else f"archived with {pages} pages"
                print_line(f"{count} {kind} older than {days} days {wrote}")
        except (NoArchiveError, OSError) as problem:
            raise CommandError(str(problem)) from None
        if opts.prune:
            if not opts.dry_run and any(any(archives.to_archive(engine, has, kind, until)) for kind in KINDS_OF_ROWS):
                raise CommandError("the store got more rows of that age meanwhile; nothing was deleted: run it again")
            for kind in PRUNED:
                prune_rows(engine, kind, days, until, dry_run=opts.dry_run)
    return 0


def unarchive(command: DataCommand, opts: Namespace) -> int:
    """Store the articles, revisions and pages of an archive that are missing from the store.

    An article that was changed or fetched again since then stays as it is. Of an article that was archived more than
    once the last version is stored. Repeating the command stores nothing twice. Alerts do not tell of these articles,
    and new ones belong to no group of reprints until all are grouped again.
    """
    from newsspider.features.archive import unarchiving
    from newsspider.features.archive.archive_parts import NoArchiveError
    from newsspider.library.progress_bar import progress_bar

    folder, totals = _folder(opts.folder), Counter[str]()
    longest = command.settings.getint("DOWNLOAD_MAXSIZE")
    with command.store() as engine:
        refuse_read_only(engine)
        try:
            with progress_bar(sys.stderr, unarchiving.total(folder)) as bar:
                for counts in unarchiving.unarchive(engine, folder, longest):
                    bar.update(counts["rows"])
                    totals.update(counts)
        except (NoArchiveError, OSError) as problem:
            raise CommandError(str(problem)) from None
    print_line(f"{totals['articles']} articles and {totals['revisions']} revisions stored")
    print_line(f"{totals['pages']} articles have their pages again")
    if totals["articles"]:
        print_note("run scrapy reprints --rebuild to put them with their reprints")
    return 0


def _folder(name: str) -> Path:
    """The folder of an archive; one that can be none, and missing libraries, are refused."""
    for module in ("warcio", "pyarrow"):
        try:
            import_module(module)
        except ModuleNotFoundError:
            raise wrong_use(f"an archive needs {module}: pip install 'newsspider[archive]'") from None
    folder = Path(name)
    with suppress(OSError):  # a name that is too long
        if name.strip() and (folder.is_dir() or (folder.parent.is_dir() and not folder.exists())):
            return folder
    raise wrong_use(f"{name!r} is no folder, nor can it be made one")
