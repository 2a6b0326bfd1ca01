"""``scrapy bench``: Scrapy's own benchmark, which crawls a server of its own on this machine without a delay."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from scrapy.commands.bench import Command as ScrapyBench

from newsspider.cli.command import add_examples, help_text

SETTINGS: dict[str, Any] = {"ALLOWED_ADDRESSES": ["127.0.0.0/8", "::1"], "DELAY_MIN_SECONDS": 0, "DELAY_FACTOR": 0}


class Command(ScrapyBench):
    """The command line overrides its settings."""

    examples = "  scrapy bench"

    def long_desc(self) -> str:
        return help_text("Crawl a server on this machine, without delays, for ten seconds, as Scrapy's bench", "")

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        add_examples(parser, self.examples)

    def process_options(self, args: list[str], opts: Namespace) -> None:
        super().process_options(args, opts)
        assert self.settings is not None
        self.settings.setdict(self.default_settings | SETTINGS, priority="spider")
