"""Pages of the documentation, and the commands that they describe."""

import argparse
import importlib
import pkgutil
import re
from pathlib import Path

from scrapy.utils.project import get_project_settings

import newsspider.commands

ROOT = Path(__file__).parents[2]
PYTHON_BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def text_of(path: Path) -> str:
    return path.read_text("utf-8")


def commands() -> dict[str, argparse.ArgumentParser]:
    """Our commands, each with a parser that knows its options."""
    parsers = {}
    for module in pkgutil.iter_modules(newsspider.commands.__path__):
        command = importlib.import_module(f"newsspider.commands.{module.name}").Command()
        command.settings = get_project_settings()
        description = command.long_desc()
        parsers[module.name] = argparse.ArgumentParser(module.name, description=description, conflict_handler="resolve")
        command.add_options(parsers[module.name])
    return parsers


def actions_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parsers of the sub-commands of a command, if it has any."""
    groups = (action.choices for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    return {name: action for group in groups for name, action in group.items()}
