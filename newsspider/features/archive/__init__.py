"""The archive keeps pages and articles in files that other programs read: answers as they came (``WARC_FOLDER``), and
old articles with their pages (``scrapy store archive``).

It builds on no other feature.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsspider.hooks import hookimpl

if TYPE_CHECKING:
    from newsspider.cli.command_group import CommandGroup


@hookimpl(specname="actions")
def _actions(group: CommandGroup) -> None:
    if group.name == "store":
        from newsspider.features.archive.archive_commands import add_actions

        add_actions(group)
