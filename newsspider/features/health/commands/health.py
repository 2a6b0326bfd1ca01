"""``scrapy health``: which sources are unhealthy, why, since when, and what to do."""

from __future__ import annotations

import shlex
import time
from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from newsspider.cli.command import DataCommand, print_lines, print_note, print_record
from newsspider.crawl.wrong_use import wrong_use

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from sqlalchemy import Connection

    from newsspider.features.health.sources import SourceHealth


class Command(DataCommand):
    """Each list page of an enabled site gets a diagnosis from its polls of the last 60 days: what most of the latest
    polls say, and whether the list brings as much as its own past, the weekday and the holidays let expect. Prints the
    unhealthy lists with evidence and advice; then the sites whose articles suddenly lack dates, sources, authors or
    text, with two pages from before and two from after.

    docs/how-to/health.md explains the diagnoses. The exit code is 0 whatever the health."""

    summary = "Show which sources are unhealthy, why, since when, and what to do"
    usage = "[--site NAME] [--all] [--json]"
    examples = "  scrapy health\n  scrapy health --site 教育部 --all\n  scrapy health --json | jq .health\n"

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--site", metavar="NAME", help="of this site only")
        parser.add_argument("--all", action="store_true", help="also the healthy lists")
        parser.add_argument("--json", action="store_true", help="one JSON object a list, or change of quality")

    def work(self, args: list[str], opts: Namespace) -> None:
        from newsspider.cli.scrapy_options import check_names
        from newsspider.cli.site_arguments import note_broken
        from newsspider.commands.export import reading_store
        from newsspider.features.health.sources import source_health
        from newsspider.sites.holidays import Holidays
        from newsspider.store.sites import stored_sites

        if args:
            raise wrong_use("scrapy health takes no argument")
        with reading_store(self) as conn:
            check_names(conn, self.settings, site=opts.site)
            holidays, now = Holidays.of(self.settings), time.time()
            health = source_health(conn, holidays, now, site=opts.site or "", with_changes=True)
            records = list(_records(conn, health, every=opts.all))
            sites = stored_sites(conn)
            is_off = bool(opts.site) and opts.site not in {site.name for site in sites if site.enabled}
        for record in records:
            if opts.json:
                print_record(record)
            else:
                print_lines(_lines(record))
        note_broken(sites)
        counts = ", ".join(f"{count} {state}" for state, count in health.counts.items())
        if is_off:
            print_note(f"{opts.site} is disabled: scrapy sites enable {shlex.quote(opts.site)}")
        else:
            counted = f"{len(health.diagnoses)} lists: {counts}"
            print_note(counted if counts else "no list of an enabled site was polled yet")


def _records(conn: Connection, health: SourceHealth, *, every: bool) -> Iterator[dict[str, Any]]:
    """What is printed: the diagnoses, then the changes of quality."""
    from newsspider.features.health.rules.states import Health
    from newsspider.features.health.sources import change_examples

    for (name, channel), diagnosis in health.diagnoses.items():
        if every or diagnosis.health is not Health.LIVE:
            yield {
                "site": name,
                "channel": channel,
                "health": str(diagnosis.health),
                "meaning": diagnosis.health.sentence,
                "since": diagnosis.since,
                "evidence": diagnosis.evidence,
                "advice": health.advice(name, diagnosis.health),
            }
    for change in health.changes:
        older, newer = change_examples(conn, change)
        yield {**change._asdict(), "evidence": (change.sentence,), "pages_before": older, "pages_after": newer}


def _lines(record: dict[str, Any]) -> Iterator[str]:
    from newsspider.sites.site_lines import shown_minute

    if "lacks" in record:
        yield f"{record['site']}: quality changed on {_date(record['day'])}: {record['evidence'][0]}"
        yield from (f"  before: {url}" for url in record["pages_before"])
        yield from (f"  after:  {url}" for url in record["pages_after"])
        return
    since = f" since {shown_minute(record['since'])}" if record["since"] else ""
    yield f"{record['site']}/{record['channel']}: {record['health']}{since}: {record['meaning']}"
    yield from (f"  seen: {sentence}" for sentence in record["evidence"])
    if record["evidence"]:
        yield f"  do: {record['advice']}"


def _date(day: int) -> str:
    from datetime import date, timedelta

    return (date(1970, 1, 1) + timedelta(day)).isoformat()
