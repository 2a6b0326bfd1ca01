"""``scrapy submit``: hands URLs to the crawler; the next or the running crawl fetches them."""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace

from newsspider.cli.command import DataCommand, print_note, urls_of
from newsspider.crawl.wrong_use import wrong_use


class Command(DataCommand):
    """The next or the running crawl fetches the URLs, with the priority of the heaviest channel; a known URL is fetched
    again. robots.txt, delays and relevance apply as usual. An article is stored; the article links of a list, a feed, a
    sitemap or a home page are followed once, but not its next pages. With ``--watch`` the page is polled from now on
    instead, as a channel of the site of its domain or of a new site, also by a crawl that already runs. A URL is never
    fetched if ``IGNORED_SUFFIXES`` names its suffix, if it looks like a trap, or if its address is not public
    (``ALLOWED_ADDRESSES``); stderr names such URLs. Exit code 1 if all of them are refused."""

    summary = "Submit URLs to be fetched; - reads them from standard input, one a line"
    usage = "URL... | -"
    examples = (
        "  scrapy submit https://edu.example.cn/2026/1121/c1a2.html\n  scrapy submit - < urls.txt\n"
        "  scrapy submit --watch https://edu.example.cn/news/\n"
    )

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        help_text = "the URLs are lists, feeds or home pages: poll them from now on, as channels of their sites"
        parser.add_argument("--watch", action="store_true", help=help_text)

    def work(self, args: list[str], opts: Namespace) -> int:
        from newsspider.cli.site_changes import watch_urls
        from newsspider.core.crawling.start_url_message import StartUrl
        from newsspider.core.fetching.address_guard import AllowedAddresses
        from newsspider.store.engine.database import writing
        from newsspider.store.ledger.submitted import NEVER_FETCHED, submit

        if not args:
            raise wrong_use("name at least one URL, as in `scrapy submit https://...`")
        urls = urls_of(args, "submitted")
        if opts.watch:
            watch_urls(self, urls)
            return 0
        suffixes = frozenset(self.settings.getlist("IGNORED_SUFFIXES"))
        allowed = AllowedAddresses.read(self.settings.getlist("ALLOWED_ADDRESSES"))
        with self.store() as engine, writing(engine) as conn:
            result = submit(conn, map(StartUrl, urls), time.time(), suffixes, allowed)
        for url in result.refused:
            print_note(NEVER_FETCHED.format(url))
        if urls and len(result.refused) == len(urls):
            return 1
        print_note(f"{len(urls) - len(result.refused)} submitted, {result.new} URLs were new")
        return 0
