"""The base class of all data commands: strict arguments, UTF-8, clean stdout, no traceback for bad input."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import textwrap
from abc import abstractmethod
from argparse import Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import ScrapyCommand

from newsspider.core.text.characters import escape_controls, escaped_line
from newsspider.crawl.wrong_use import reason_of, shorten_sentence, wrong_use

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from scrapy.settings import Settings
    from sqlalchemy import Engine


NOT_A_COMMAND = 127  # exit code of a shell


class CommandError(Exception):
    """A correctly called command could not do its job: exit code 1 and one sentence."""


class DataCommand(ScrapyCommand):
    """A command that prints data on stdout and everything else on stderr.

    A subclass defines :attr:`summary`, :attr:`usage`, :attr:`examples`, :meth:`add_options` and :meth:`work`, which
    returns the exit code (``None`` is 0). For bad input it raises :exc:`~scrapy.exceptions.UsageError` (exit code 2, one
    sentence) or, if the command was called correctly, :exc:`CommandError` (exit code 1, one sentence), and nothing
    else. Its docstring is for users: ``--help`` and the reference show it.
    """

    settings: Settings  # Scrapy sets them before it calls
    requires_project = True
    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}
    summary = ""
    usage = ""  # the arguments
    examples = ""

    def syntax(self) -> str:
        return self.usage

    def short_desc(self) -> str:
        return self.summary

    def long_desc(self) -> str:
        return help_text(self.short_desc(), cleandoc(type(self).__doc__ or ""))  # not inherited

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        add_examples(parser, self.examples)
        parser.allow_abbrev = False

    def process_options(self, args: list[str], opts: Namespace) -> None:
        """Reject unknown options, which Scrapy's ``parse_known_args`` accepts."""
        from newsspider.cli.scrapy_options import check_options
        from newsspider.crawl.setting_checks import check_settings
        from newsspider.logformatter import escape_logs

        utf8_streams()
        escape_logs()
        utf8_arguments(args, opts)
        check_options(opts)
        super().process_options(args, opts)
        for arg in args:
            if arg.startswith("-") and arg != "-":
                raise wrong_use(f"unknown option {arg}; see {self.called(opts)} --help")
        check_settings(self.settings)

    @property
    def name(self) -> str:
        """The word after ``scrapy``."""
        return type(self).__module__.rsplit(".", 1)[-1]

    def called(self, opts: Namespace) -> str:
        """How the command was called, up to its options."""
        return f"scrapy {self.name}"

    def run(self, args: list[str], opts: Namespace) -> None:
        try:
            if sys.stdout is None:
                raise CommandError("stdout is closed; there is nowhere to print to")
            self.exitcode = self.work(args, opts) or 0
            sys.stdout.flush()
        except CommandError as error:
            self._fail(str(error))
        except BrokenPipeError:  # the reader closed the pipe, as in `... | head`
            forget_output()
        except UnicodeEncodeError as error:  # arguments are UTF-8, but the locale's file names may not be
            self._fail(f"{error.object}: {reason_of(error)}")
        except OSError as error:
            self._fail(f"{error.filename or 'stdout cannot be written'}: {error.strerror or error}")
            if error.filename is None:
                forget_output()
        except KeyboardInterrupt:
            self.exitcode = 130

    def _fail(self, sentence: str) -> None:
        print_note(shorten_sentence(f"scrapy {self.name}: {sentence}"))
        self.exitcode = 1

    @abstractmethod
    def work(self, args: list[str], opts: Namespace) -> int | None:
        """Do the job and return the exit code."""

    @contextmanager
    def store(self) -> Iterator[Engine]:
        """The store of the settings: an unusable one is wrong use, one that fails or stays locked a failure."""
        from newsspider.store.engine.database import open_store
        from newsspider.store.engine.errors import StoreFailedError, StoreUnusableError

        try:
            engine = open_store(self.settings["DATABASE_URL"], readable=True)
            try:
                if self.settings["SEARCH_INDEX"]:
                    self._use_copy(engine)
                yield engine
            finally:
                engine.dispose()
        except StoreFailedError as error:
            raise CommandError(str(error)) from None
        except StoreUnusableError as error:
            raise wrong_use(str(error)) from None

    def _use_copy(self, engine: Engine) -> None:
        """Have searches on this engine answered by the copy of the index."""
        from newsspider.store.index.backend import COPY

        if engine.dialect.name != "postgresql":
            raise wrong_use("SEARCH_INDEX is for a store on PostgreSQL; the index of SQLite stands in its file")
        try:
            from newsspider.store.index.opensearch import OpenSearchIndex
        except ModuleNotFoundError as error:
            raise wrong_use(f"SEARCH_INDEX needs {error.name}: pip install 'newsspider[opensearch]'") from None
        engine.update_execution_options(**{COPY: OpenSearchIndex(self.settings["SEARCH_INDEX"])})


def help_text(summary: str, docstring: str) -> str:
    """What ``--help`` says of a command or action: the summary and its docstring, wrapped."""
    paragraphs = f"{summary}.\n\n{docstring}".replace("``", "`").strip().split("\n\n")
    return "\n\n".join(textwrap.fill(text, 80, break_long_words=False, break_on_hyphens=False) for text in paragraphs)


def add_examples(parser: ArgumentParser, examples: str) -> None:
    """Show examples below the help of a command."""
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.epilog = f"examples:\n{examples}" if examples else None


def add_site(parser: ArgumentParser) -> None:
    """The option ``--site``, by which :func:`newsspider.cli.one_page.one_site` finds a site."""
    what = "the name of a site, or its file, whose XPaths apply; nothing is stored"
    parser.add_argument("--site", metavar="NAME_OR_FILE", help=what)


def print_lines(lines: Iterable[str]) -> None:
    """Print each on a line of stdout, with control characters escaped, including line feeds."""
    for line in lines:
        print_line(line)


def print_line(line: str) -> None:
    """Print one line on stdout, with control characters escaped, including line feeds."""
    print(escaped_line(line))


def print_text(text: str) -> None:
    """Print multi-line text on stdout, with control characters escaped."""
    print(escape_controls(text), end="")


def print_pages(text: str) -> None:
    """Print multi-line text; on a terminal through the pager of ``PAGER``, else ``less``."""
    pager = os.environ.get("PAGER", "less")
    if pager and sys.stdout.isatty():
        sys.stdout.flush()
        environment = {"LESS": "FRX", "LESSCHARSET": "utf-8", **os.environ}
        content = escape_controls(text).encode("utf-8", "replace")
        ended = subprocess.run(pager, shell=True, input=content, env=environment, check=False)  # as git does
        if ended.returncode != NOT_A_COMMAND:
            return
    print_text(text)


def print_note(line: str) -> None:
    """Print one line on stderr, with control characters escaped, including line feeds."""
    print(escaped_line(line), file=sys.stderr)


def urls_of(words: Iterable[str], what: str) -> list[str]:
    """The distinct canonical URLs in the arguments of a command; - reads them from standard input.

    ``what`` completes the error message "nothing was ..." ("submitted").
    """
    from newsspider.core.url import LONGEST_URL, canonical

    typed = [
        word for arg in words for word in (sys.stdin.read().removeprefix("\ufeff").split() if arg == "-" else [arg])
    ]
    urls = {word: canonical(word) for word in typed}
    for word, url in urls.items():
        if url is None and len(word) > LONGEST_URL:
            raise wrong_use(
                f"a URL has at most {LONGEST_URL} characters, not {len(word)}: {word[:60]}...; nothing was {what}"
            )
        if url is None:
            raise wrong_use(f"not an http or https URL: {word!r}; nothing was {what}")
    return list(dict.fromkeys(url for url in urls.values() if url is not None))


def print_bytes(content: bytes) -> None:
    """Write bytes to stdout unchanged, but never to a terminal, which would execute control sequences."""
    if sys.stdout.isatty():
        raise wrong_use("the bytes of a page may hold control sequences; write them to a file, as in `... > page.html`")
    sys.stdout.buffer.write(content)


def print_record(record: Mapping[str, Any]) -> None:
    """Print one JSON line; JSON itself escapes only some of the control characters."""
    print(escape_controls(json.dumps(record, ensure_ascii=False, separators=(", ", ": "))))


def utf8_arguments(args: list[str], opts: Namespace) -> None:
    """Decode all arguments as UTF-8, whatever the locale; reject those that are not UTF-8."""
    args[:] = map(_utf8, args)
    for name, value in vars(opts).items():
        if isinstance(value, str):
            setattr(opts, name, _utf8(value))
        elif isinstance(value, list):
            setattr(opts, name, [_utf8(argument) for argument in value])


def _utf8(argument: str) -> str:
    try:
        return os.fsencode(argument).decode("utf-8")
    except UnicodeDecodeError:
        # bytes that the locale could not read (PEP 383)
        if not any("\udc80" <= letter <= "\udcff" for letter in argument):
            return argument
        raise wrong_use(f"the argument {ascii(os.fsencode(argument))[1:]} is not UTF-8") from None


def utf8_streams() -> None:
    """Read and write UTF-8 whatever the locale says; a broken byte becomes U+FFFD, a lone surrogate a question mark.

    A closed stdin is empty; output to a closed stderr is lost and does not go to stdout.
    """
    sys.stdin = sys.stdin or Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115 -- as long as the process
    sys.stderr = sys.stderr or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 -- as long as the process
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "replace"), (sys.stderr, "backslashreplace")):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors=errors)


def forget_output() -> None:
    """Discard buffered stdout: Python would try to write it again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
