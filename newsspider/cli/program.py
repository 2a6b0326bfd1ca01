"""The program ``newsspider``: ``scrapy``, which also works where there is no project."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

from scrapy.cmdline import execute
from scrapy.utils.conf import get_config
from scrapy.utils.project import ENVVAR

from newsspider.cli.command import print_note

SETTINGS = "newsspider.settings"


def main() -> None:
    """Run Scrapy's command line with the settings of ``SCRAPY_SETTINGS_MODULE``, which may be in this folder, or of the
    project around this folder, or else with newsspider's own."""
    if ENVVAR in os.environ:
        sys.path.append(str(Path.cwd()))
        if not _is_module(os.environ[ENVVAR]):
            print_note(f"newsspider: {ENVVAR}={os.environ[ENVVAR]}: there is no such module")
            sys.exit(2)
    elif not get_config().has_option("settings", os.environ.get("SCRAPY_PROJECT", "default")):
        os.environ[ENVVAR] = SETTINGS
    execute()


def _is_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):
        return False
