"""Why a request was not sent, or its response not accepted: each class is one reason of the ledger."""

from __future__ import annotations

from scrapy.exceptions import DownloadFailedError, IgnoreRequest


class AddressBusyError(IgnoreRequest):
    """Another host at this address has its turn, or just had it; ``until`` says when to try again."""

    def __init__(self, until: float) -> None:
        super().__init__("the address is shared with a host that has its turn")
        self.until = until


class AddressForbiddenError(IgnoreRequest):
    """The request would go to an address that is not public; the message is the plain reason."""


class RobotsForbiddenError(IgnoreRequest):
    """The host's robots.txt forbids this URL to us."""


class RobotsUnavailableError(IgnoreRequest):
    """The host's robots.txt could not be fetched (5xx, 429, network): no page is requested until it can (RFC 9309,
    2.3.1.4). For a request without a lease, its cause is the exception of the network."""


class UnreadableBodyError(IgnoreRequest):
    """The body is not what its ``Content-Encoding`` says."""


class BadAnswerError(DownloadFailedError):
    """The host is there and answers, but in no HTTP that is read."""
