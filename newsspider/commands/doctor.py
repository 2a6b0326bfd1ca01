"""``scrapy doctor``: whether this machine and these settings can crawl, and what to correct."""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from newsspider.cli.command import DataCommand, print_lines, print_record
from newsspider.crawl.wrong_use import wrong_use

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from newsspider.cli.doctor_checks import CheckFinding


class Command(DataCommand):
    """Checks the installation, the settings, the topic, the files in `sites/`, the store and its sites, the clock, DNS
    for some watched sites, Redis if it is used, free disk space, file descriptors, and how the crawler identifies
    itself. It fetches and changes nothing.

    Each line is `ok`, `warn` or `fail`, with advice. Exit code 1 if a check failed."""

    summary = "Check installation, settings, store, sites, Redis, clock, disk, descriptors, DNS and identity"
    usage = "[--json]"
    examples = "  scrapy doctor\n  scrapy doctor --json | jq 'select(.verdict == \"fail\")'\n"

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--json", action="store_true", help="one JSON object a check")

    def work(self, args: list[str], opts: Namespace) -> int:
        from newsspider.cli.doctor_checks import CheckVerdict, run_checks

        if args:
            raise wrong_use("scrapy doctor takes no argument")
        code = 0
        for finding in run_checks(self.settings, time.time()):
            if opts.json:
                print_record(finding._asdict())
            else:
                print_lines(_lines(finding))
            code = code or int(finding.verdict is CheckVerdict.FAIL)
        return code


def _lines(finding: CheckFinding) -> Iterator[str]:
    yield f"{finding.verdict:<6} {finding.check:<13} {finding.found}"
    if finding.advice:
        yield f"       do: {finding.advice}"
