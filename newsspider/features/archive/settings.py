"""The settings of the archive."""

from __future__ import annotations

import typing

if typing.TYPE_CHECKING:
    from newsspider.setting_types import Folder

# A folder for [WARC files](../how-to/keep-a-store.md#record-what-hosts-answer) of each answer as it came; empty: none.
WARC_FOLDER: Folder = ""
# Bodies are written as they were sent.
DOWNLOADER_MIDDLEWARES_BASE = {"newsspider.features.archive.warc_middleware.WarcMiddleware": 600}
