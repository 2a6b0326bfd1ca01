"""``scrapy submit URL...``: hand URLs to the crawler; the next or the running crawl fetches them."""

from __future__ import annotations

import sys
import time
from argparse import Namespace

from newsspider.commandline import DataCommand, wrong_use


class Command(DataCommand):
    """Offers URLs as articles; robots.txt, delay and relevance hold for them as for any other."""

    examples = "  scrapy submit https://edu.example.cn/2026/1121/c1a2.html\n  scrapy submit - < urls.txt\n"

    def syntax(self) -> str:
        return "URL... | -"

    def short_desc(self) -> str:
        return "Submit URLs to be fetched; - reads them from standard input, one a line"

    def work(self, args: list[str], opts: Namespace) -> None:
        from newsspider.core.url import canonical
        from newsspider.store.database import StoreUnusable, open_store
        from newsspider.store.submitted import submit

        if not args:
            raise wrong_use("name at least one URL, as in `scrapy submit https://...`")
        given = [word for arg in args for word in (sys.stdin.read().split() if arg == "-" else [arg])]
        found = {word: canonical(word) for word in given}
        bad = [word for word, url in found.items() if url is None]
        if bad:
            raise wrong_use(f"not an http or https URL: {bad[0]}; nothing was submitted")
        assert self.settings is not None
        try:
            engine = open_store(self.settings["DATABASE_URL"])
        except StoreUnusable as error:
            raise wrong_use(str(error)) from error
        with engine.begin() as conn:
            new = submit(conn, [url for url in found.values() if url is not None], time.time())
        print(f"{len(found)} submitted, {new} of them new", file=sys.stderr)
