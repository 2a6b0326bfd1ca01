"""Refuses to start a second event loop inside of one that runs, as in Jupyter."""

from __future__ import annotations

import asyncio
import sys

from newsspider.crawl.wrong_use import wrong_use

LINES = (
    'install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor"); from twisted.internet import reactor;'
    " reactor.startRunning(installSignalHandlers=False); await AsyncCrawlerRunner(settings).crawl(...)"
)


def check_loop() -> None:
    """Raise ``UsageError`` inside a running event loop that Twisted does not use."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    reactor = sys.modules.get("twisted.internet.reactor")
    if not getattr(reactor, "running", False):
        raise wrong_use(
            f"an event loop runs here already (Jupyter, asyncio.run), and Scrapy would start another. Say {LINES}"
            " (docs/how-to/run-in-a-program.md)"
        )
