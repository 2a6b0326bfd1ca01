"""The folder that holds the store and all other data of a project."""

from __future__ import annotations

import os
from pathlib import Path

from scrapy.utils.conf import closest_scrapy_cfg


def data_folder() -> str:
    """The data folder of the current project; outside a project that of the user."""
    project = closest_scrapy_cfg()
    home = os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_DATA_HOME") or "~/.local/share"
    folder = Path(project).parent / "data" if project else Path(home).expanduser() / "newsspider"
    return os.environ.get("NEWSSPIDER_DATA_DIR") or str(folder)
