"""``scrapy store``: looks after the database."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from newsspider.cli.command import DataCommand, emit, print_line, print_note
from newsspider.crawl.wrong_use import wrong_use

if TYPE_CHECKING:
    from argparse import ArgumentParser

ACTIONS = ("check",)


class Command(DataCommand):
    """``check`` reads all of the store; exit code 1 if something is wrong with it."""

    examples = "  scrapy store check\n  scrapy store check --json | jq .problems\n"

    def syntax(self) -> str:
        return "check [--json]"

    def short_desc(self) -> str:
        return "Check the store: damaged pages, broken references, URLs that would never be fetched"

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--json", action="store_true", help="one JSON object instead of a line a problem")

    def work(self, args: list[str], opts: Namespace) -> int:
        from newsspider.commands.export import opened
        from newsspider.store.engine.errors import ADVICE
        from newsspider.store.engine.integrity import problems

        if len(args) != 1 or args[0] not in ACTIONS:
            raise wrong_use(f"say what to do: scrapy store {' or scrapy store '.join(ACTIONS)}")
        found = []
        with opened(self) as conn:
            for problem in problems(conn):
                found.append(problem)
                if not opts.json:
                    print_line(problem)
        if opts.json:
            emit({"sound": not found, "problems": found})
        print_note(f"{len(found)} problems: {ADVICE}" if found else "the store is sound")
        return 1 if found else 0
