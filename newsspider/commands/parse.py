"""``scrapy parse``: Scrapy's own, which ends with exit code 2 where no spider reads the page."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from scrapy.commands.parse import Command as ScrapyParse

from newsspider.cli.command import add_examples, help_text
from newsspider.crawl.wrong_use import wrong_use


class Command(ScrapyParse):
    """The page must have a spider."""

    examples = (
        "  scrapy parse --spider education https://www.example.edu.cn/2024/0305/c12.html\n"
        "  scrapy parse --spider my-sites -c parse_list https://www.example.edu.cn/"
    )

    def long_desc(self) -> str:
        more = (
            "--spider NAME says which spider, --callback NAME (-c) which callback, or --rules (-r) those of a "
            "CrawlSpider; --meta JSON (-m) and --cbkwargs JSON are for the request, --depth N (-d) follows its "
            "requests. --pipelines passes items through the pipelines. --output FILE (-o) and --overwrite-output "
            "FILE (-O) write them. --noitems, --nolinks, --nocolour and --verbose (-v) say what is shown."
        )
        return help_text("Show what a callback of a spider makes of a page", more)

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        add_examples(parser, self.examples)

    def process_options(self, args: list[str], opts: Namespace) -> None:
        """Scrapy writes no items for ``-O``: it looks for ``-o``."""
        super().process_options(args, opts)
        opts.output = opts.output or opts.overwrite_output

    def set_spidercls(self, url: str, opts: Namespace) -> None:
        """Refuse a page that no spider reads, and a callback that its spider does not have: Scrapy would only log."""
        if opts.spider:
            assert self.crawler_process is not None
            self.crawler_process.spider_loader.load(opts.spider)
        super().set_spidercls(url, opts)
        if self.spidercls is None:
            raise wrong_use(f"{url}: no spider, or more than one, is for this host; say --spider NAME")
        if opts.callback and not callable(getattr(self.spidercls, opts.callback, None)):
            raise wrong_use(f"the spider {self.spidercls.name} has no callback {opts.callback!r}")
