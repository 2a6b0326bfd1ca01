"""``scrapy extract``: what the reader reads on saved or stored pages, one JSON object a page."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from newsspider.cli.command import CommandError, DataCommand, add_site, print_bytes, print_record
from newsspider.crawl.wrong_use import wrong_use

if TYPE_CHECKING:
    from newsspider.core.model import ArticleRules
    from newsspider.library.articles import UnreadPage
    from newsspider.library.records import ArticleRecord

YEARS = range(1970, 9000)  # that leave room for all that "3 years ago" may mean


class Command(DataCommand):
    """Reads saved pages, or the stored pages of an article, as the spider would, and prints one JSON object each. Its
    fields are those that docs/reference/articles.md marks as read on the page, and charset_reason (what decided on the
    charset: bom, bytes, header, meta, xml or default), kind, kind_probability (how often a page with such signs really
    is of this kind), and truncated (the title or the text was cut to its limit). Fields that the page does not have are
    null or empty. The text of a notice that consists of files is the lines that name them; that of one that consists of
    pictures is its title.

    A page that cannot be read, an invalid URL or an invalid line of the manifest gives {url, error}. Exit code 1 if a
    single page cannot be read, or no page of the article is stored; a batch skips such pages and ends with 0.

    ``--snapshot`` prints an object for each page of the article, read with the present XPaths of its site; the URL of a
    further page prints that page alone. ``scrapy changes`` lists the revisions."""

    summary = "Read pages, saved or stored: title, author, source, time, text, summary, keywords, charset, kind"
    usage = "URL | FILE --url URL | --batch MANIFEST | --snapshot URL"
    examples = (
        "  scrapy extract page.html --url https://www.example.edu.cn/2024/0305/c12.html\n"
        "  scrapy extract https://www.example.edu.cn/a.html --site my-site.toml\n"
        "  scrapy extract --batch manifest.jsonl    # lines of {path, url, content_type}\n"
        "  scrapy extract a.html --url https://www.example.edu.cn/a.html --now 2024-03-05\n"
        "  scrapy extract --snapshot https://www.example.edu.cn/a.html  # read again\n"
        "  scrapy extract --snapshot https://www.example.edu.cn/a.html --content > a.html"
    )

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--url", help="the page's own URL")
        add_site(parser)
        parser.add_argument("--content-type", metavar="TYPE", help="the Content-Type header that the page came with")
        parser.add_argument("--batch", metavar="MANIFEST", help="JSON lines {path, url, content_type}; - is stdin")
        parser.add_argument(
            "--now", metavar="ISO", help="the moment that relative dates refer to (default: now, or when it was stored)"
        )
        parser.add_argument("--snapshot", metavar="URL", help="the pages that the store keeps of this article")
        parser.add_argument(
            "--revision",
            metavar="N",
            help="with --snapshot: as it was before its last change (1), the one before (2) ...",
        )
        parser.add_argument(
            "--content", action="store_true", help="with --snapshot: the bytes of the first page as fetched"
        )

    def work(self, args: list[str], opts: Namespace) -> int | None:
        from newsspider.cli.one_page import fetch_page, is_url, one_site
        from newsspider.core.model import NO_RULES
        from newsspider.core.url import canonical
        from newsspider.library.articles import NO_URL, read_or_error

        if opts.site is not None and (opts.snapshot is not None or opts.batch is not None):
            raise wrong_use("--site goes with one page: URL, or FILE --url URL")
        if opts.snapshot is not None:
            if args or opts.url or opts.content_type or opts.batch:
                raise wrong_use(
                    "--snapshot URL takes no FILE, --url, --content-type or --batch: the store knows the page"
                )
            return self._stored(opts, None if opts.now is None else _moment(opts.now))
        if opts.content or opts.revision is not None:
            raise wrong_use("--content and --revision go with --snapshot URL")
        now = _moment(opts.now)
        if opts.batch is not None:
            if args or opts.url or opts.content_type:
                raise wrong_use("give either FILE --url URL or --batch MANIFEST, not both")
            return _batch(opts.batch, now)
        if len(args) != 1 or not (opts.url or is_url(args, opts.url)):
            raise wrong_use("give URL, FILE --url URL, or --batch MANIFEST")
        if opts.url and canonical(opts.url) is None:
            raise wrong_use(f"{NO_URL}: {opts.url}")
        site = one_site(self, opts.site)
        if is_url(args, opts.url):
            page = fetch_page(self, args[0], site)
            rules = site.rules if site else NO_RULES
            record = read_or_error(page.body, page.url, page.content_type, now=now, rules=rules)
        else:
            record = _record(args[0], opts.url, opts.content_type, now, site.rules if site else None)
        print_record(record)
        return 1 if "error" in record else 0

    def _stored(self, opts: Namespace, now: datetime | None) -> int:
        from newsspider.commands.explain import one_url
        from newsspider.commands.export import reading_store
        from newsspider.core.model import NO_RULES
        from newsspider.crawl.wrong_use import whole_number
        from newsspider.library.articles import read_or_error
        from newsspider.store.articles.snapshots import pages_of, revision_of
        from newsspider.store.sites import stored_sites, usable_site

        url = one_url([opts.snapshot], "extract --snapshot")
        number = None if opts.revision is None else whole_number("--revision", opts.revision)
        with reading_store(self) as conn:
            pages = pages_of(conn, url) if number is None else revision_of(conn, url, number)
            sites = {site.name: site for site in stored_sites(conn)}
            rules = {page.site: usable_site(sites[page.site]).rules for page in pages if page.site in sites}
        if not pages:
            age = "" if number is None else f" as it was {number} change{'s'[: number != 1]} ago"
            raise CommandError(f"no page is stored of {opts.snapshot}{age}")
        if opts.content:
            print_bytes(pages[0].content)
            return 0
        for page in pages:
            moment = now or datetime.fromisoformat(page.crawled_at)
            content_type = f"text/html; charset={page.charset}"
            print_record(
                read_or_error(page.content, page.url, content_type, now=moment, rules=rules.get(page.site, NO_RULES))
            )
        return 0


def _moment(text: str | None) -> datetime:
    if text is None:
        return datetime.now(UTC)
    from newsspider.core.dates.time_and_zone import SHANGHAI

    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise wrong_use(f"--now {text!r} is not an ISO 8601 moment") from None
    if moment.year not in YEARS:
        raise wrong_use(f"--now {text!r} is not a moment of the years {YEARS.start} to {YEARS.stop - 1}")
    return moment if moment.tzinfo else moment.replace(tzinfo=SHANGHAI)


def _batch(manifest: str, now: datetime) -> int:
    """One object a manifest line, in the manifest's order; a line that cannot be read gives its error."""
    try:
        data = sys.stdin.buffer.read() if manifest == "-" else Path(manifest).read_bytes()
    except OSError as error:
        raise wrong_use(f"cannot read {manifest}: {error.strerror}") from None
    for number, line in enumerate(data.decode("utf-8-sig", "replace").split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            print_record({"url": None, "error": f"line {number} is not JSON: {error}"})
            continue
        if not isinstance(row, dict) or not isinstance(row.get("path"), str) or not isinstance(row.get("url"), str):
            print_record({"url": None, "error": f"line {number} must be an object with path and url"})
            continue
        content_type = row.get("content_type")
        print_record(_record(row["path"], row["url"], content_type if isinstance(content_type, str) else None, now))
    return 0


def _record(
    path: str, url: str, content_type: str | None, now: datetime, rules: ArticleRules | None = None
) -> ArticleRecord | UnreadPage:
    from newsspider.core.model import NO_RULES
    from newsspider.core.url import canonical
    from newsspider.library.articles import NO_URL, read_or_error

    if canonical(url) is None:
        return {"url": url, "error": NO_URL}
    try:
        body = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        return {"url": url, "error": f"cannot read {path}: {getattr(error, 'strerror', None) or error}"}
    return read_or_error(body, url, content_type, now=now, rules=rules or NO_RULES)
