"""The error for a wrong argument, setting or file, or for a second event loop (as in Jupyter): one sentence for the
user."""

from __future__ import annotations

import asyncio
import sys

from scrapy.exceptions import UsageError

from newsspider.core.text.characters import escaped_line

LONGEST_SENTENCE = 600  # characters
LARGEST_NUMBER = 2**31 - 1


def wrong_use(message: str) -> UsageError:
    """The error for a wrong call: exit code 2 and one sentence, shortened in the middle if it is very long."""
    return UsageError(shorten_sentence(escaped_line(message)), print_help=False)


def shorten_sentence(sentence: str) -> str:
    """The sentence, limited in length; the start and the end remain.

    >>> len(shorten_sentence("x" * 50_000))
    605
    """
    half = LONGEST_SENTENCE // 2
    return sentence if len(sentence) <= LONGEST_SENTENCE else f"{sentence[:half]} ... {sentence[-half:]}"


def reason_of(error: OSError | ValueError) -> str:
    """Why a file could not be opened."""
    if isinstance(error, UnicodeEncodeError):
        return "the locale has no such file names; set LC_ALL=C.UTF-8"
    return getattr(error, "strerror", None) or str(error)


def whole_number(option: str, value: str, least: int = 1, most: int = LARGEST_NUMBER, between: str = " ") -> int:
    """The value of an option as a whole number; ``UsageError`` if it is not from ``least`` to ``most``."""
    number = int(value) if value.isascii() and value.isdecimal() and len(value) <= len(str(most)) else -1
    if not least <= number <= most:
        allowed = f"from {least} to {most}" if most < LARGEST_NUMBER else f"above {least - 1}"
        raise wrong_use(f"{option}{between}{value}: say a whole number {allowed}")
    return number


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
