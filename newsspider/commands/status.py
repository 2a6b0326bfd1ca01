"""``scrapy status``: the content of the store, the delay of each host and its reason, the last crawls."""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from newsspider.cli.command import DataCommand, print_lines, print_record
from newsspider.crawl.wrong_use import wrong_use

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(DataCommand):
    """Shows how many URLs have each state and reason; how many articles are stored, how many of them are not near
    reprints, and how many belong to each sub-topic; how many articles are held; whether an interrupted regrouping left
    groups of reprints incomplete; which URL patterns, sites or domains are no longer fetched because they brought
    nothing; lists by their health, and those that fail, moved or were lost.

    For each host: its delay and what set it (``address``: it shares an IP address with other hosts, which together are
    asked no more often than one), and how long it rests. For the last runs: how they ended. ``died`` means that the
    process is gone without a report, which a later crawl on the same machine notices; ``not ended`` means that it still
    runs, or that no crawl has looked since.

    ``--hosts`` lists the hosts by the time since their last visit, never visited ones first, with the pages read and
    the URLs that wait."""

    summary = "Show queues, articles, hosts with their delays and the reasons for them, and the last runs"
    usage = "[--hosts [--limit N]] [--json]"
    examples = "  scrapy status\n  scrapy status --json | jq .states\n  scrapy status --hosts --limit 50\n"

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--json", action="store_true", help="one JSON object instead of text; with --hosts, one a host"
        )
        parser.add_argument(
            "--hosts", action="store_true", help="only hosts, the one that was not visited for longest first"
        )
        parser.add_argument("--limit", metavar="N", help="at most N hosts (20)")

    def work(self, args: list[str], opts: Namespace) -> None:
        from newsspider.commands.export import reading_store
        from newsspider.hooks import plugins
        from newsspider.sites.holidays import Holidays
        from newsspider.store.overview import store_overview

        if args:
            raise wrong_use("scrapy status takes no argument")
        if opts.hosts:
            self._hosts(opts)
            return
        if opts.limit is not None:
            raise wrong_use("--limit: it goes with --hosts")
        now = time.time()
        with reading_store(self) as conn:
            health = plugins().hook.list_health(conn=conn, holidays=Holidays.of(self.settings), now=now)
            figures = {**store_overview(conn, now), "health": health.counts if health else {}}
        if opts.json:
            print_record(figures)
        else:
            print_lines(lines(figures))

    def _hosts(self, opts: Namespace) -> None:
        from newsspider.commands.export import limit_of, reading_store
        from newsspider.store.overview import SHOWN_HOSTS, hosts_by_last_visit

        limit, now = limit_of(opts) or SHOWN_HOSTS, time.time()
        with reading_store(self) as conn:
            rows = hosts_by_last_visit(conn, now, limit)
        if opts.json:
            for row in rows:
                print_record(row)
        else:
            print_lines(_table("last visit              ago  pages  waiting  host", rows, partial(_unvisited, now=now)))


def lines(overview: dict[str, Any]) -> Iterator[str]:
    """The overview in lines of at most 80 columns."""
    from newsspider.commands.reprints import UNFINISHED

    states = "   ".join(f"{state} {count}" for state, count in overview["states"].items())
    yield f"{overview['urls']} URLs known: {states}"
    once = f", {overview['stories']} without near reprints" if overview["stories"] < overview["articles"] else ""
    yield f"{overview['articles']} articles stored{once}"
    if total_held := overview["articles_held"]:
        undecided = f"{overview['articles_borderline']} to be decided on"
        yield f"{total_held} articles held that their topic did not keep, {undecided}"
    revisits = {name: count for name in ("changed", "missing", "vanished") if (count := overview[f"articles_{name}"])}
    if revisits:
        yield "visited again: " + ", ".join(f"{count} {name}" for name, count in revisits.items())
    if (health := overview["health"]).keys() - {"live"}:
        yield "lists: " + ", ".join(f"{count} {state}" for state, count in health.items()) + "; see scrapy health"
    if unfinished := overview["regrouping"]:
        yield f"groups of reprints are missing: {unfinished['left']} articles are left to group"
        yield f"  {UNFINISHED}"
    yield from _table("state       reason               URLs", overview["reasons"], _reason)
    yield from _table("sub-topic                    articles", [*overview["articles_by_subtopic"].items()], _subtopic)
    yield from _table("lists that fail", overview["lists_that_fail"], _failing)
    yield from _table("URLs that brought too little and are not fetched", overview["traps"], _trap)
    yield from _table("lists moved or lost", overview["lists_that_moved"], _moved)
    yield from _table(
        "host                             pages  delay  because               wait", overview["hosts"], _host
    )
    yield from _table("hosts asked without validators", overview["hosts_that_lie"], _distrusted)
    yield from _table("runs", overview["runs"], _run)


def _table(head: str, rows: list[Any], line: Any) -> Iterator[str]:
    if rows:
        yield ""
        yield head
        yield from map(line, rows)


def _reason(row: dict[str, Any]) -> str:
    return f"{row['state']:<11} {row['reason']:<16} {row['urls']:>8}"


def _subtopic(row: tuple[str, int]) -> str:
    from newsspider.sites.site_lines import fit_columns

    return f"{fit_columns(row[0], 28)} {row[1]:>8}"


def _failing(row: dict[str, Any]) -> str:
    seldom = " gone, asked seldom:" if row["gone"] else ""
    return f"  {row['site']}:{seldom} {row['reason']} {row['last_status'] or ''} x{row['failures']} {row['url']}"[:79]


def _trap(row: dict[str, Any]) -> str:
    from newsspider.sites.site_lines import fit_columns, shown_minute, trap_line

    return fit_columns(
        f"  {shown_minute(row['spent_at'])} {row['wasted']:>5} wasted {row['site']}: {trap_line(row)}", 79
    ).rstrip()


def _moved(row: dict[str, Any]) -> str:
    from newsspider.sites.site_lines import fit_columns, shown_minute

    lost = row["list_lost_at"]
    when = shown_minute(row["list_learned_at"] if lost is None else lost)
    what = f"moved x{row['list_moves']}" if lost is None else "lost"
    return fit_columns(f"  {when} {what:<13} {row['site']}/{row['channel']} {row['url']}", 79).rstrip()


def _host(row: dict[str, Any]) -> str:
    delay = "" if row["delay"] is None else f"{row['delay']:.1f} s"
    wait = f"{row['wait']:.0f} s" if row["wait"] else "now"
    because = ", ".join(filter(None, [row["delay_reason"], "address" if row["shared_address"] else ""]))
    return f"{row['host'][:31]:<31} {row['pages']:>6} {delay:>7}  {because:<20} {wait:>5}"


def _unvisited(row: dict[str, Any], now: float) -> str:
    from newsspider.sites.site_lines import fit_columns, shown_minute

    visited = row["last_visit_at"]
    when = "never" if visited is None else shown_minute(visited)
    ago = "" if visited is None else f"{max(0.0, now - visited) / 3600:.1f} h"
    return fit_columns(f"{when:<16} {ago:>10} {row['pages']:>6} {row['waiting']:>8}  {row['host']}", 79).rstrip()


def _distrusted(row: dict[str, Any]) -> str:
    from newsspider.sites.site_lines import shown_minute

    return f"  {shown_minute(row['wrong_304_at'])} {row['host']}"[:79]


def _run(row: dict[str, Any]) -> str:
    from newsspider.sites.site_lines import shown_minute

    took = "" if row["finished_at"] is None else f"{row['finished_at'] - row['started_at']:.0f} s"
    figures = row["figures"]
    counts = f"{figures.get('pages', 0)} pages, {figures.get('articles', 0)} new" if figures else ""
    return (
        f"  {shown_minute(row['started_at'])} {row['spider']:<10} {row['reason'] or 'not ended':<14} {took:>7} {counts}"
    )
