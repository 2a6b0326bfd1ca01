"""A command whose first argument names a sub-command: ``scrapy sites list``, ``scrapy sites add``."""

from __future__ import annotations

from abc import abstractmethod
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter, _SubParsersAction
from collections.abc import Callable
from inspect import getdoc

from newsspider.cli.command import DataCommand, help_text
from newsspider.crawl.wrong_use import wrong_use
from newsspider.hooks import plugins

Action = Callable[[DataCommand, Namespace], int | None]


class CommandGroup(DataCommand):
    """A command with sub-commands, each with its own parser, options and ``--help``.

    A subclass declares them in :meth:`add_actions`. Scrapy's own options may follow the sub-command, too.
    """

    usage = "ACTION [arguments] [options]"
    alone = False  # whether it has options of its own, which do without a sub-command
    _parsers: _SubParsersAction[ArgumentParser]

    def add_options(self, parser: ArgumentParser) -> None:
        if self.alone:
            super().add_options(parser)
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.epilog = f"scrapy {self.name} ACTION --help shows the options of an action and an example"
        self._parsers = parser.add_subparsers(
            title="actions", dest="action", metavar="ACTION", required=not self.alone, prog=f"scrapy {self.name}"
        )
        self.add_actions()
        plugins().hook.actions(group=self)

    @abstractmethod
    def add_actions(self) -> None:
        """Declare the sub-commands with :meth:`add_action`."""

    def add_action(self, name: str, run: Action, syntax: str, summary: str, example: str) -> ArgumentParser:
        """The parser of a sub-command that ``run`` carries out; ``syntax`` and ``example`` follow its name.

        ``--help`` and the reference show what the docstring of ``run`` says below its first paragraph.
        """
        called = f"scrapy {self.name} {name}"
        usage = f"{called} {syntax}".rstrip()
        description = help_text(summary, (getdoc(run) or "").partition("\n\n")[2])
        parser = self._parsers.add_parser(name, help=summary, description=description, usage=usage)
        super().add_options(parser)
        parser.epilog = "example:\n" + "\n".join(f"  {called} {line}".rstrip() for line in example.split("\n"))
        parser.set_defaults(run=run, usage=usage, rest=None)
        return parser

    @staticmethod
    def add_list(parser: ArgumentParser, name: str, metavar: str, meaning: str = "", at_least: int = 1) -> None:
        """Let an action take any number of these arguments, also with options in between."""
        parser.add_argument(name, metavar=metavar, nargs="+" if at_least else "*", help=meaning)
        parser.set_defaults(rest=name)

    def called(self, opts: Namespace) -> str:
        """How the command was called, up to its options."""
        return f"scrapy {self.name} {opts.action}"

    def work(self, args: list[str], opts: Namespace) -> int | None:
        if args and opts.rest is None:
            raise wrong_use(f"{args[0]!r} is one argument too many; say: {opts.usage}")
        if args:  # after an option, where argparse does not continue a list
            setattr(opts, opts.rest, [*getattr(opts, opts.rest), *args])
        run: Action = opts.run
        return run(self, opts)
