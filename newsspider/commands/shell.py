"""``scrapy shell``: Scrapy's own, whose pages are decoded as the reader decodes them, those of files too."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit
from urllib.request import url2pathname

from scrapy import Spider
from scrapy.commands.shell import Command as ScrapyShell
from scrapy.spiderloader import get_spider_loader

from newsspider.cli.command import add_examples, help_text

if TYPE_CHECKING:
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from newsspider.library.reading_steps import Steps


class Command(ScrapyShell):
    """Takes an argument that names an existing file for that file, any other for a URL."""

    file: Path | None = None

    examples = (
        "  scrapy shell https://www.example.edu.cn/2024/0305/c12.html\n"
        "  scrapy shell page.html -c \"response.css('h1::text').get()\"\n"
        '  scrapy shell https://www.example.edu.cn/2024/0305/c12.html -c "read(response)"'
    )

    def long_desc(self) -> str:
        more = (
            "The page is decoded as newsspider reads it. read(response) shows step by step what the reader makes of it."
            " --spider NAME takes the settings of a spider, --no-redirect stays at a redirect."
        )
        return help_text("Scrapy's console for one page, at a URL or in a file", more)

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        add_examples(parser, self.examples)

    def run(self, args: list[str], opts: Namespace) -> None:
        path = args[0] if args else ""
        if path.startswith("file://"):
            path = url2pathname(urlsplit(path).path)
        if path and "://" not in path and Path(path).is_file():
            self.file, args = Path(path), []
        if opts.spider:
            _show_a_page(self.settings, opts.spider)
        super().run(args, opts)

    def update_vars(self, vars: dict[str, Any]) -> None:  # noqa: A002 -- the name is Scrapy's
        """Put the page of the file in place of the page that was not fetched."""
        vars["read"] = _read
        if self.file is not None:
            vars["response"] = self._page(self.file, vars["settings"]["DEFAULT_CHARSET"])
            vars["request"], self.file = vars["response"].request, None

    def _page(self, file: Path, default_charset: str) -> Response:
        from scrapy import Request
        from scrapy.responsetypes import responsetypes

        from newsspider.pages.read_page import with_encoding

        url, body = file.resolve().as_uri(), file.read_bytes()
        kind = responsetypes.from_args(filename=file.name, body=body)
        return with_encoding(kind(url, body=body, request=Request(url)), default_charset)


def _show_a_page(settings: BaseSettings | None, name: str) -> None:
    """Let a spider ask for the page of the shell, as those of ``scrapy fetch`` and ``parse`` do."""
    get_spider_loader(cast("BaseSettings", settings)).load(name).start = Spider.start  # type: ignore[method-assign]


def _read(response: Response) -> Steps:
    """Show step by step what the reader makes of a page."""
    from newsspider.library.reading_steps import reading_steps
    from newsspider.pages.read_page import content_type_of
    from newsspider.store.engine.clock import Clock

    url = "http://localhost/" if response.url.startswith("file:") else response.url
    return reading_steps(response.body, url, content_type_of(response), now=Clock().utc())
