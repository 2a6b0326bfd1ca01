"""``scrapy shell``: Scrapy's own, whose pages are decoded as the reader decodes them; a file is read without a download."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.commands.shell import Command as ScrapyShell

if TYPE_CHECKING:
    from scrapy.http import Response


class Command(ScrapyShell):
    """A file that is there goes before a URL."""

    file: Path | None = None

    def long_desc(self) -> str:
        return f"{super().long_desc()} Pages are decoded as newsspider reads them."

    def run(self, args: list[str], opts: Namespace) -> None:
        path = args[0].removeprefix("file://") if args else ""
        if path and "://" not in path and Path(path).is_file():
            self.file, args = Path(path), []
        super().run(args, opts)

    def update_vars(self, vars: dict[str, Any]) -> None:  # noqa: A002 -- the name is Scrapy's
        """Put the page of the file in place of the page that was not fetched."""
        if self.file is not None:
            vars["response"] = self._page(self.file, vars["settings"]["DEFAULT_CHARSET"])
            vars["request"], self.file = vars["response"].request, None

    def _page(self, file: Path, default_charset: str) -> Response:
        from scrapy import Request
        from scrapy.responsetypes import responsetypes

        from newsspider.pages.decoding import decoded

        url, body = file.resolve().as_uri(), file.read_bytes()
        kind = responsetypes.from_args(filename=file.name, body=body)
        return decoded(kind(url, body=body, request=Request(url)), default_charset)
