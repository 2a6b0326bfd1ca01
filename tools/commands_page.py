"""The reference page of the commands, from their parsers, their docstrings and the endings of a crawl."""

from __future__ import annotations

import argparse
import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from inspect import getdoc
from typing import Any

from scrapy.commands import ScrapyCommand
from scrapy.settings import Settings

import newsspider.commands
from newsspider.cli.command_group import CommandGroup
from newsspider.core.crawling.finish_reasons import ENDINGS
from newsspider.crawl import arguments
from newsspider.features.explore import explore_arguments, query_arguments
from newsspider.features.explore.spiders.explore import ExploreSpider
from newsspider.features.explore.spiders.query import QuerySpider
from newsspider.spiders.education import EducationSpider
from tools.markdown import NOTE, table

SPIDERS = ((EducationSpider, arguments), (ExploreSpider, explore_arguments), (QuerySpider, query_arguments))
PAGE = re.compile(r"`?\bdocs/((?:[\w-]+/)*([\w-]+)\.md)`?")
INTRO = """
All commands are words after `scrapy`, run in the folder of `scrapy.cfg` with the virtual environment on (`. .venv/bin/activate`).
`newsspider` is the same program, which also works where there is no project: then with newsspider's own settings. Scrapy's own
commands are there too and do what Scrapy says. `scrapy COMMAND --help` says what this page does.

What holds for every command but `crawl`:

- Data goes to stdout, everything else to stderr. Input and output are UTF-8 whatever the locale says. JSON means one object a line.
- No line of output, no error and no log line holds a control character or a bidirectional override, which a terminal would obey:
  they are printed as escapes like `\\u001b`, in text as in JSON. A line feed in a title does not begin a line. Only
  `extract --content` writes bytes as they are, and not to a terminal.
- Exit code 0 is success, 2 wrong use with one sentence that says what is wrong, 130 an interrupt. 1 with one sentence: the store is
  locked for longer than ten seconds, full or broken; the output cannot be written. Others are named below.
- A setting that cannot work is wrong use in every command, `crawl` too.
- A name that a filter asks for (`--site`, `--topic`, `--subtopic`) must be known: to the store, to the registry or to newsspider.
  `--since` lies before `--until`; a date without offset is China's. What is wrong is refused before anything is done, and said in
  one sentence of at most 600 characters.
- Options are never guessed: one that is not known, or is abbreviated, is wrong use.
- A store of SQLite that may not be written (its file, its folder or the disk) is read by every command that only reads; it must be
  of the present version, and closed: where SQLite cannot read the log beside it, the command says so instead of showing an older
  state.
- The store is that of the setting `DATABASE_URL`; it is made if it is not there. A database with tables of another application is
  wrong use.
"""
SHARED = """
Scrapy's own: `-s NAME=VALUE` (`--set`) changes a setting for this run. `-L LEVEL` (`--loglevel`), `--logfile FILE` and `--nolog` say
how much is logged and where. `--profile FILE`, `--pidfile FILE` and `--pdb` are for developers. A file of these that cannot be
written is wrong use. `-h` (`--help`) shows the options and examples.
"""


def commands_page() -> str:
    """Every command with what it does, its arguments, options and examples."""
    commands = list(_commands())
    rows = [(f"[{name}](#scrapy-{name})", command.short_desc()) for name, command, _ in commands]
    lines = [
        NOTE,
        f"# Commands\n{INTRO}",
        *table(("command", "what it does"), rows),
        f"## Options of every command\n{SHARED}",
    ]
    for name, command, parser in commands:
        lines += _section(name, command, parser)
    return "\n".join(lines).rstrip() + "\n"


def _commands() -> Iterator[tuple[str, Any, argparse.ArgumentParser]]:
    for name in sorted(module.name for module in pkgutil.iter_modules(newsspider.commands.__path__)):
        command = import_module(f"newsspider.commands.{name}").Command()
        yield name, command, _parser(name, command)


def _parser(name: str, command: ScrapyCommand) -> argparse.ArgumentParser:
    command.settings = Settings()
    usage, description = f"scrapy {name} {command.syntax()}", command.long_desc()
    parser = argparse.ArgumentParser(name, usage, description, conflict_handler="resolve")
    command.add_options(parser)
    return parser


def _section(name: str, command: Any, parser: argparse.ArgumentParser) -> Iterator[str]:
    yield from _parts(f"## `scrapy {name}`", parser, _options_of_scrapy(command))
    if isinstance(command, CommandGroup):
        for action, of in _actions(parser).items():
            yield from _parts(f"### `scrapy {name} {action}`", of, _options_of_scrapy(command))
            yield _block((of.epilog or "").removeprefix("example:\n"))
    elif name == "crawl":
        yield from _endings()
        for spider, arguments in SPIDERS:
            yield from _spider(spider, arguments.KNOWN, command.examples)
    else:
        yield _block(command.examples)


def _parts(heading: str, parser: argparse.ArgumentParser, shared: set[str]) -> Iterator[str]:
    """Heading, usage, description, and a table of arguments and options."""
    formatter = argparse.HelpFormatter(parser.prog)
    own = [
        action
        for action in parser._actions
        if not shared & set(action.option_strings) and action.nargs != argparse.PARSER
    ]
    yield f"{heading}\n"
    yield _block(str(parser.usage))
    yield _linked(parser.description or "") + "\n"
    rows = [(f"`{_called(action)}`", formatter._expand_help(action) if action.help else "") for action in own]
    if rows:
        yield from table(("argument" if not own[0].option_strings else "option", "meaning"), rows)


def _called(action: argparse.Action) -> str:
    if not action.option_strings:
        return f"{action.metavar or action.dest}{'...' if action.nargs in ('+', '*') else ''}"
    value = "" if action.nargs == 0 else f" {action.metavar or '|'.join(action.choices or ()) or action.dest.upper()}"
    return ", ".join(f"{option}{value}" for option in action.option_strings)


def _options_of_scrapy(command: ScrapyCommand) -> set[str]:
    """The options that Scrapy gives this command."""
    theirs = next(base for base in type(command).__mro__ if base.__module__.startswith("scrapy."))
    parser = argparse.ArgumentParser()
    theirs.add_options(command, parser)  # type: ignore[attr-defined]  # a class of Scrapy's commands
    return {option for action in parser._actions for option in action.option_strings}


def _actions(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parsers of the sub-commands."""
    groups = (action.choices for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    return {name: action for group in groups for name, action in group.items()}


def _endings() -> Iterator[str]:
    rows = [
        *((str(end.exit_code), f"`{reason}`", end.sentence, _linked(end.details)) for reason, end in ENDINGS.items()),
        ("1", "any other", "ended for a reason of its own", "a finish reason that is not ours"),
        ("2", "-", "wrong use; nothing was started", ""),
    ]
    yield from table(
        ("exit code", "finish reason", "what is said", "details"), sorted(rows, key=lambda row: int(row[0]))
    )


def _spider(spider: type, arguments: dict[str, str], examples: str) -> Iterator[str]:
    usage, _, text = (getdoc(spider) or "").partition("\n\n")
    called = f"scrapy crawl {vars(spider)['name']}"
    yield f"### `{called}`\n"
    yield _block(usage.strip("`"))
    yield _linked(text.replace("``", "`")) + "\n"
    yield from table(("argument", "meaning"), [(f"`{name}`", meaning) for name, meaning in arguments.items()])
    yield _block("\n".join(line for line in examples.splitlines() if line.strip().startswith(called)))


def _block(text: str) -> str:
    """Lines as a block of code."""
    return "".join(f"    {line.strip()}\n" for line in text.strip().splitlines())


def _linked(text: str) -> str:
    """A text with links to the pages of docs/ that it names."""
    return PAGE.sub(lambda match: f"[{match[2].replace('-', ' ')}](../{match[1]})".replace("../reference/", ""), text)
