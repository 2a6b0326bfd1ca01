"""``scrapy changes``: stored articles that later visits found changed or taken down."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from newsspider.cli.command import CommandError, DataCommand, print_lines, print_note, print_record
from newsspider.crawl.wrong_use import wrong_use

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterator

SCREEN_WIDTH = 80
CHANGES_SHOWN = 20  # events by default
ABSENCES = {
    "not_found": "404",
    "gone": "410 or 451",
    "other": "another page that is no article",
    "soft_404": "a page that says that nothing is there",
    "home_page": "it leads to the home page or a list",
    "login": "a login",
    "paywall": "a paywall",
}


class Command(DataCommand):
    """Lists the changes, the latest first; for a URL, all of them with every paragraph. A change names what differs
    (text, title, time) and shows the first paragraph that does. Exit code 1 if the URL is not known.

    With ``--json`` each event is {event, at, url, site, title}, where ``event`` is changed, vanished or returned. A
    change adds ``parts``, ``edits`` ({before, after}, each a list of paragraphs) and ``before`` (title, published_at,
    crawled_at, text, snapshot). The others add ``absence``: not_found (404), gone (410, 451), soft_404 (a page that
    says that nothing is there), home_page (it leads to the home page or a list, or shows one), login, paywall, or other
    (it leads to another page that is no article, or to a page to which many others lead)."""

    summary = "List stored articles that were changed or taken down, with their earlier versions"
    usage = "[URL] [--since DATE] [--site NAME] [--limit N] [--json]"
    examples = """\
  scrapy changes --since 2026-11-20 --site 教育部
  scrapy changes https://www.example.edu.cn/a.html  with each paragraph changed
  scrapy changes --json | jq -r 'select(.event == "vanished") | .url'
"""

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--since", metavar="DATE", help="found then or later: 2026-11-01 or 2026-11-01T08:30")
        parser.add_argument("--site", metavar="NAME", help="of this site only")
        parser.add_argument(
            "--limit", metavar="N", help=f"at most N (default: {CHANGES_SHOWN}; of a URL or with --json all)"
        )
        parser.add_argument("--json", action="store_true", help="one JSON object an event, with the text before")

    def work(self, args: list[str], opts: Namespace) -> None:
        from newsspider.cli.scrapy_options import check_names
        from newsspider.commands.explain import one_url
        from newsspider.commands.export import limit_of, moment_of_option, reading_store
        from newsspider.core.url import url_key
        from newsspider.store.articles.revisits import ChangeFilters, recent_changes
        from newsspider.store.url_history import histories_of

        if len(args) > 1:
            raise wrong_use("say one URL at most: scrapy changes [URL] [options]")
        url = one_url(args, "changes") if args else None
        key = url_key(url) if url is not None else None
        since = moment_of_option("--since", opts.since, last=False).timestamp() if opts.since is not None else None
        limit = limit_of(opts) or (None if opts.json or args else CHANGES_SHOWN)
        count = 0
        with reading_store(self) as conn:
            check_names(conn, self.settings, site=opts.site)
            for event in recent_changes(conn, ChangeFilters(since, opts.site, key), limit):
                if opts.json:
                    print_record(_record(event))
                else:
                    print_lines(lines(event, whole=bool(args)))
                count += 1
            if url is not None and not count and not histories_of(conn, url):
                raise CommandError(f"{args[0]} is not known")
        print_note(f"{count} changes")


def _record(event: dict[str, Any]) -> dict[str, Any]:
    from datetime import UTC, datetime

    return {**event, "at": datetime.fromtimestamp(event["at"], UTC).isoformat(timespec="seconds")}


def lines(event: dict[str, Any], *, whole: bool) -> Iterator[str]:
    """An event in lines of at most 80 columns, except for longer URLs; ``whole``: every edit in full."""
    from newsspider.commands.explain import shown_moment
    from newsspider.core.text.terminal_columns import cut_to_columns

    yield cut_to_columns(f"{shown_moment(event['at'])[:16]}  {_what(event)}", SCREEN_WIDTH)
    yield cut_to_columns(f"  {event['site'] or '-'}, {event['title']}", SCREEN_WIDTH)
    yield f"  {event['url']}"
    for line in _edits(event):
        yield line if whole else cut_to_columns(line, SCREEN_WIDTH)
        if not whole and line.startswith("  + "):
            break
    yield ""


def _what(event: dict[str, Any]) -> str:
    if event["event"] == "changed" and "topic" in event["parts"]:
        return "left the topic, and with it the store"
    if event["event"] == "changed":
        return f"changed: {', '.join(event['parts'])}"
    if event["event"] == "vanished":
        return f"vanished: {ABSENCES.get(event['absence'], event['absence'])}"
    return "there again, after it had vanished"


def _edits(event: dict[str, Any]) -> Iterator[str]:
    if event["event"] != "changed":
        return
    if "title" in event["parts"]:
        yield f"  title before: {event['before']['title']}"
    if "time" in event["parts"]:
        yield f"  time before: {event['before']['published_at']}"
    for edit in event["edits"]:
        yield from (f"  - {paragraph}" for paragraph in edit["before"])
        yield from (f"  + {paragraph}" for paragraph in edit["after"])
