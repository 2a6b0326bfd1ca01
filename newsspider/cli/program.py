"""The program ``newsspider``: ``scrapy``, which also works where there is no project."""

from __future__ import annotations

import os

from scrapy.cmdline import execute
from scrapy.utils.conf import get_config
from scrapy.utils.project import ENVVAR

SETTINGS = "newsspider.settings"


def main() -> None:
    """Run Scrapy's command line with the settings of the project around this folder, or else with newsspider's own."""
    if not get_config().has_option("settings", os.environ.get("SCRAPY_PROJECT", "default")):
        os.environ.setdefault(ENVVAR, SETTINGS)
    execute()
