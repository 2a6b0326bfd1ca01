"""What every data command of newsspider shares: strict arguments, UTF-8, clean stdout, no traceback for bad input."""

from __future__ import annotations

import io
import json
import os
import sys
from argparse import Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from sqlalchemy import Engine


class Failed(Exception):  # noqa: N818 -- reads as what it says
    """A command that was called rightly could not do its job: exit 1 and one sentence."""


class DataCommand(ScrapyCommand):
    """A command that prints data on stdout and everything else on stderr.

    A child gives :attr:`examples`, :meth:`short_desc`, its options in :meth:`add_options` and its job in :meth:`work`, which
    returns the exit code (``None`` is 0), raises :exc:`UsageError` for wrong use (exit 2, one sentence) or :exc:`Failed` for
    what is not the caller's fault (exit 1, one sentence), and lets nothing else out for bad input.
    """

    requires_project = True
    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}
    examples = ""

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.epilog = f"examples:\n{self.examples}" if self.examples else None

    def process_options(self, args: list[str], opts: Namespace) -> None:
        """Refuse what argparse did not know: Scrapy parses with ``parse_known_args``."""
        super().process_options(args, opts)
        for arg in args:
            if arg.startswith("-") and arg != "-":
                raise UsageError(f"unknown option {arg}; see scrapy {self.name} --help", print_help=False)

    @property
    def name(self) -> str:
        """The word after ``scrapy``."""
        return type(self).__module__.rsplit(".", 1)[-1]

    def run(self, args: list[str], opts: Namespace) -> None:
        utf8_streams()
        try:
            self.exitcode = self.work(args, opts) or 0
            sys.stdout.flush()
        except Failed as error:
            print(f"scrapy {self.name}: {error}", file=sys.stderr)
            self.exitcode = 1
        except BrokenPipeError:  # the reader went away, as in `... | head`
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except KeyboardInterrupt:
            self.exitcode = 130

    def work(self, args: list[str], opts: Namespace) -> int | None:
        """Do the job and return the exit code."""
        raise NotImplementedError

    @contextmanager
    def store(self) -> Iterator[Engine]:
        """The store of the settings: one that cannot be meant is wrong use, one that fails or stays locked is a failure."""
        from newsspider.store.database import StoreFails, StoreUnusable, open_store

        assert self.settings is not None
        try:
            engine = open_store(self.settings["DATABASE_URL"])
            try:
                yield engine
            finally:
                engine.dispose()
        except StoreFails as error:
            raise Failed(str(error)) from None
        except StoreUnusable as error:
            raise wrong_use(str(error)) from None


def wrong_use(message: str) -> UsageError:
    """The error of a wrong call: exit 2 and one sentence."""
    return UsageError(message, print_help=False)


def emit(record: dict[str, Any]) -> None:
    """Print one JSON line."""
    print(json.dumps(record, ensure_ascii=False, separators=(", ", ": ")))


def utf8_streams() -> None:
    """Read and write UTF-8 whatever the locale says; a broken byte becomes U+FFFD, a lone surrogate a question mark."""
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "replace"), (sys.stderr, "backslashreplace")):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors=errors)
