"""The commands of ``scrapy``; each imports what it needs inside ``run()``. Those of plug-ins are found here, too."""

from newsspider.hooks import plugins

__path__ += map(str, plugins().hook.commands())
