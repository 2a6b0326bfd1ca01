"""A project of a user's, as `newsspider init` makes one, with spiders of its own."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.support.process import completed

SECONDS = 90.0
SETTINGS = """
from newsspider.settings import *
SPIDER_MODULES = ["newsspider.spiders", "own.spiders"]
NEWSPIDER_MODULE = "own.spiders"
DELAY_MIN_SECONDS = 0.01
DELAY_FACTOR = 0
RETRY_TIMES = 1
LOG_LEVEL = "INFO"
"""


class OwnProject:
    """The project in a folder; `texts` are its spiders by the name of their module."""

    def __init__(self, folder: Path, texts: Mapping[str, str], settings: str = "") -> None:
        self.folder = folder
        self.database = folder / "news.db"
        spiders = folder / "own" / "spiders"
        spiders.mkdir(parents=True)
        (folder / "scrapy.cfg").write_text("[settings]\ndefault = own.settings\n", "utf-8")
        for package in (spiders.parent, spiders):
            (package / "__init__.py").write_text("", "utf-8")
        (spiders.parent / "settings.py").write_text(SETTINGS + settings, "utf-8")
        for name, text in texts.items():
            (spiders / f"{name}.py").write_text(text, "utf-8")

    def scrapy(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the project."""
        inherited = {"PATH", "HOME", "LANG", "TMPDIR"}
        whole: dict[str, Any] = {name: value for name, value in os.environ.items() if name in inherited}
        whole |= {"NEWSSPIDER_DATABASE_URL": f"sqlite:///{self.database}", "OWN_PROJECT": str(self.folder)}
        whole |= {"NEWSSPIDER_ALLOWED_ADDRESSES": "127.0.0.0/8"}
        return completed(arguments, whole | environment, SECONDS, program=inside)


def inside(arguments: Sequence[str]) -> None:
    """Run a ``scrapy`` command in the folder of a project."""
    from scrapy.cmdline import execute

    os.chdir(os.environ["OWN_PROJECT"])
    sys.path.insert(0, os.environ["OWN_PROJECT"])
    execute(["scrapy", *arguments])
