"""The commands of ``scrapy``; each imports what it needs inside ``run()``. Those of plug-ins are found here, too."""

import sys

from newsspider.hooks import PluginError, check_command, folders

try:
    __path__ += map(str, folders("commands"))
    check_command(*sys.argv[1:2])
except PluginError as error:
    from newsspider.cli.command import print_note

    print_note(f"newsspider: {error}")
    sys.exit(2)
