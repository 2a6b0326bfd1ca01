"""``scrapy forget``: removes a URL and all that belongs to it (``forget_url`` of ``store/url_history.py``)."""

from __future__ import annotations

from argparse import Namespace

from newsspider.cli.command import DataCommand, print_note


class Command(DataCommand):
    """Labels of ``scrapy topics label`` are removed, too. A page that still links to the URL makes it known again. If
    it is being fetched, the result is dropped, and its host rests until the lease would have ended. Exit code 1 if the
    URL is not known."""

    summary = "Remove a URL, its links, and its article if no other URL has it"
    usage = "URL"
    examples = "  scrapy forget http://news.example.cn/2026/wrong.html\n"

    def work(self, args: list[str], opts: Namespace) -> int:
        from newsspider.commands.explain import one_url
        from newsspider.store.engine.database import reading, writing
        from newsspider.store.ledger.crawls import keys_of
        from newsspider.store.url_history import forget_url, pages_linking_to

        url = one_url(args, "forget")
        with self.store() as engine:
            with reading(engine) as conn:
                linking = pages_linking_to(conn, keys_of(conn, url))
            with writing(engine) as conn:
                count = sum(forget_url(conn, key, linking) for key in keys_of(conn, url))
        print_note(f"{url} is {'forgotten' if count else 'not known'}")
        return 0 if count else 1
