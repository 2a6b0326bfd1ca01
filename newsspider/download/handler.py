"""The download handler: aiohttp under Scrapy, behind the guard of addresses, with limits of the response size
(``DOWNLOAD_MAXSIZE``), of the time to the first byte, and of the bytes of pages that a crawl holds at once, from their
download to the end of their reading."""

from __future__ import annotations

import asyncio
import ipaddress
import math
import socket
import ssl
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from scrapy import Request, signals
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
    StopDownload,
)
from scrapy.http import Headers
from scrapy.utils._download_handlers import check_stop_download, make_response, normalize_bind_address
from scrapy.utils.ssl import _make_ssl_context
from scrapy.utils.url import add_http_if_no_scheme
from yarl import URL

from newsspider.core.crawling.internal_errors import ProxyUnreachableError
from newsspider.core.fetching.address_guard import literal_address
from newsspider.download.graceful_shutdown import PAGES_SECONDS, GivenBackError, told_to_stop
from newsspider.download.guarded_resolver import GuardedResolver, installed_resolver
from newsspider.download.http_protocol import EndlessAnswerError, GuardedConnector
from newsspider.download.refusals import BadAnswerError

if TYPE_CHECKING:
    from aiohttp.connector import Connection
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings


NO_LIMITS = aiohttp.ClientTimeout(total=None, sock_connect=None)  # ours stand around it
PROXY_AUTHORIZATION = b"Proxy-Authorization"
AT_THE_PROXY = (aiohttp.ClientConnectorDNSError, aiohttp.ClientProxyConnectionError)  # of a request through one
# What aiohttp raises, and what Scrapy calls it. The first that fits counts.
ERRORS: tuple[tuple[type[Exception], type[Exception]], ...] = (
    (aiohttp.ClientConnectorDNSError, CannotResolveHostError),
    (aiohttp.ClientConnectorError, DownloadConnectionRefusedError),
    (aiohttp.ClientPayloadError, ResponseDataLossError),
    (EndlessAnswerError, BadAnswerError),
    (aiohttp.ClientHttpProxyError, DownloadFailedError),
    (aiohttp.ClientResponseError, BadAnswerError),
    (aiohttp.ClientError, DownloadFailedError),
    (OSError, DownloadFailedError),
    (ValueError, DownloadFailedError),  # a URL that aiohttp cannot ask for
)

ASKED_URL = "asked_url"  # in the meta of a request: the URL that is asked for in place of its own
SHORT_BYTES = 256 * 1024  # a download that holds no more never pauses
LOOK_SECONDS = 0.05  # how often a paused download looks whether it may go on
PAUSED = "download_paused"  # meta key: for how many seconds a download was paused, if it was


def asked_url(request: Request) -> str:
    """The URL that is asked for."""
    url: str = request.meta.get(ASKED_URL, request.url)
    return url


class HttpHandler(BaseDownloadHandler):
    """HTTP and HTTPS with two limits: to the first byte of the answer, and for the whole download.

    Settings: ``DOWNLOAD_FIRST_BYTE_SECONDS`` (a host that accepts a connection and then says nothing would else hold
    its place for the whole ``DOWNLOAD_TIMEOUT``), and of Scrapy's ``DOWNLOAD_TIMEOUT``, ``DOWNLOAD_MAXSIZE``,
    ``DOWNLOAD_FAIL_ON_DATALOSS``, ``DOWNLOAD_BIND_ADDRESS``, ``DOWNLOAD_VERIFY_CERTIFICATES``, ``DOWNLOAD_TLS_*``,
    ``CONCURRENT_REQUESTS`` (connections at once). Raises Scrapy's exceptions of downloads, sends ``headers_received``
    and ``bytes_received``. It follows no redirect, unpacks nothing and keeps no cookie. What is under way when the
    crawl is told to stop has a few seconds left, then it is :exc:`GivenBackError`.

    A long download pauses while the pages in memory take too much of it
    (:class:`~newsspider.download.handler.Backlog`). One that paused has twice ``DOWNLOAD_TIMEOUT``, and
    ``meta["download_paused"]`` says for how many seconds.

    It is no subclass of Scrapy's handler for aiohttp: that one makes its connector itself, which leaves no place for
    the guarded resolver and the limits of heads, has one limit for a whole request, and cannot pause.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        settings = crawler.settings
        self._patience = settings.getfloat("DOWNLOAD_FIRST_BYTE_SECONDS")
        self._timeout = settings.getfloat("DOWNLOAD_TIMEOUT")
        self._largest = settings.getint("DOWNLOAD_MAXSIZE")
        self._only_whole = settings.getbool("DOWNLOAD_FAIL_ON_DATALOSS")  # of the first try; then Answer.is_cut decides
        self._guard = installed_resolver() or _guard(crawler)
        self._under_way: set[asyncio.Timeout] = set()
        self._backlog = Backlog(crawler)
        self._stop_at = math.inf  # of the loop's clock
        crawler.signals.connect(self._told_to_stop, told_to_stop)

    @cached_property
    def _session(self) -> aiohttp.ClientSession:
        """Made at the first request: a process of crawlers makes its handlers before the event loop runs."""
        settings = self.crawler.settings
        return aiohttp.ClientSession(
            connector=GuardedConnector(
                resolver=_OpenAddresses(self._guard),
                use_dns_cache=False,
                limit=settings.getint("CONCURRENT_REQUESTS"),
                ssl=tls_context(settings),
                local_addr=normalize_bind_address(settings["DOWNLOAD_BIND_ADDRESS"]),
            ),
            response_class=_Answer,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            timeout=NO_LIMITS,
            skip_auto_headers=("Accept", "Accept-Encoding", "Content-Type", "User-Agent"),
        )

    async def download_request(self, request: Request) -> Response:
        self._check_address(request)
        now = asyncio.get_running_loop().time()
        seconds = request.meta.get("download_timeout", self._timeout)
        request.meta.pop(PAUSED, None)  # of the fetch before this one
        answer = None
        try:
            async with asyncio.timeout_at(min(now + self._patience, now + seconds, self._stop_at)) as limit:
                self._under_way.add(limit)
                answer = await self._ask(request)
                request.meta["download_latency"] = asyncio.get_running_loop().time() - now
                limit.reschedule(min(now + seconds, self._stop_at))
                return await self._read(request, answer, limit)
        except TimeoutError as error:
            if asyncio.get_running_loop().time() >= self._stop_at:
                raise GivenBackError("the crawl was told to stop") from error
            if answer is None and self._patience < seconds:
                raise DownloadTimeoutError(f"{request.url}: no answer within {self._patience:g} s") from error
            raise DownloadTimeoutError(f"{request.url}: no whole answer within {seconds:g} s") from error
        except (aiohttp.ClientError, OSError, ValueError) as error:
            if request.meta.get("proxy") and isinstance(error, AT_THE_PROXY):
                raise ProxyUnreachableError(f"{request.url}: {error}") from error
            error_type = next(name for kind, name in ERRORS if isinstance(error, kind))
            refused = error_type is BadAnswerError and isinstance(error, aiohttp.ClientResponseError)
            message = error.message if refused else error  # type: ignore[union-attr]
            raise error_type(f"{request.url}: {message}") from error
        finally:
            self._under_way.discard(limit)
            if answer is not None:
                self._backlog.sizes.pop(answer, None)
                answer.release()  # one that was not read to its end takes its connection along

    def _told_to_stop(self) -> None:
        self._stop_at = asyncio.get_running_loop().time() + PAGES_SECONDS
        for limit in self._under_way:
            with suppress(RuntimeError):  # of one that expires at this moment
                limit.reschedule(min(limit.when() or math.inf, self._stop_at))

    def _check_address(self, request: Request) -> None:
        """Of hosts that are addresses, for which no resolver is asked. Proxies connect for themselves."""
        host = urlsplit(asked_url(request)).hostname or ""
        address = None if request.meta.get("proxy") else literal_address(host)
        if address is not None and (problem := self._guard.refusal(host, address)) is not None:
            raise CannotResolveHostError(f"no connection to {host}: {problem}")

    async def _ask(self, request: Request) -> _Answer:
        headers, proxy, for_proxy = request.headers, request.meta.get("proxy"), None
        if proxy and request.url.startswith("https:") and PROXY_AUTHORIZATION in headers:
            for_proxy = {PROXY_AUTHORIZATION.decode(): (headers.get(PROXY_AUTHORIZATION) or b"").decode("latin-1")}
            headers = headers.copy()
            del headers[PROXY_AUTHORIZATION]
        answer = await self._session.request(
            request.method,
            URL(asked_url(request), encoded=True),
            data=request.body or None,
            allow_redirects=False,
            headers=[
                (name.decode(), value.decode("utf-8", "replace"))
                for name, values in headers.items()
                for value in values
            ],
            proxy=add_http_if_no_scheme(proxy) if proxy else None,
            proxy_headers=for_proxy,
        )
        assert isinstance(answer, _Answer)
        return answer

    async def _read(self, request: Request, answer: _Answer, limit: asyncio.Timeout) -> Response:
        headers = Headers(answer.raw_headers)
        length = answer.content_length
        largest = request.meta.get("download_maxsize", self._largest)
        stop = self._too_large(request, answer, length or 0, largest)
        stop = stop or check_stop_download(
            signals.headers_received, self.crawler, request, headers=headers, body_length=length
        )
        pieces: list[bytes] = []
        size, flags = 0, []
        try:
            while stop is None and (piece := await answer.content.readany()):
                pieces.append(piece)
                size += len(piece)
                stop = self._too_large(request, answer, size, largest)
                stop = stop or check_stop_download(signals.bytes_received, self.crawler, request, data=piece)
                self._backlog.sizes[answer] = size
                if self._backlog.is_full_for(answer):
                    await self._pause(request, answer, limit)
        except aiohttp.ClientPayloadError:
            if answer.status < 300 and request.meta.get("download_fail_on_dataloss", self._only_whole):
                raise
            flags.append("dataloss")
        version = answer.version
        return make_response(
            request.url,
            answer.status,
            headers,
            b"".join(pieces),
            flags,
            stop_download=stop,
            ip_address=ipaddress.ip_address(answer.address),
            protocol=f"HTTP/{version.major}.{version.minor}" if version else None,
        )

    async def _pause(self, request: Request, answer: _Answer, limit: asyncio.Timeout) -> None:
        """Read no more of an answer until there is room. That is not the fault of its host, but must not last for
        ever."""
        if PAUSED not in request.meta:
            assert self.crawler.stats is not None
            self.crawler.stats.inc_value("download/paused")  # stat: long downloads paused behind others
            seconds = request.meta.get("download_timeout", self._timeout)
            limit.reschedule(min((limit.when() or math.inf) + seconds, self._stop_at))
        paused_before, began = request.meta.get(PAUSED, 0.0), asyncio.get_running_loop().time()
        try:
            await self._backlog.room_for(answer)
        finally:
            request.meta[PAUSED] = paused_before + asyncio.get_running_loop().time() - began

    def _too_large(self, request: Request, answer: _Answer, size: int, largest: int) -> StopDownload | None:
        """A page is refused for its size; the beginning of an error or a redirect is enough, for its status decides."""
        if not largest or size <= largest:
            return None
        if answer.status < 300:
            raise DownloadCancelledError(f"{request.url} has more than the {largest} bytes of DOWNLOAD_MAXSIZE")
        return StopDownload(fail=False)

    async def close(self) -> None:
        if "_session" in self.__dict__:
            await self._session.close()


class _Answer(aiohttp.ClientResponse):
    """Remembers where it comes from: a connection may be given back before anybody can ask it."""

    address: str

    async def start(self, connection: Connection) -> aiohttp.ClientResponse:
        peer = connection.transport.get_extra_info("peername") if connection.transport is not None else None
        if peer is None:  # the host reset the connection while the event loop was busy
            raise aiohttp.ServerDisconnectedError
        self.address = peer[0]
        return await super().start(connection)


class _OpenAddresses(AbstractResolver):
    """The names of aiohttp's connections, asked of the guarded resolver."""

    def __init__(self, guard: GuardedResolver) -> None:
        self.guard = guard

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        results = [
            ResolveResult(
                hostname=host,
                host=str(address),
                port=port,
                proto=0,
                flags=socket.AI_NUMERICHOST,
                family=socket.AF_INET if address.version == 4 else socket.AF_INET6,
            )
            for address in await self.guard.open_addresses(host, port)
        ]
        if not results:
            raise OSError(f"{host} has no address that may be asked")
        return results

    async def close(self) -> None:
        """Nothing of its own to close."""


def _guard(crawler: Crawler) -> GuardedResolver:
    """For a crawl whose process has not installed it."""
    from twisted.internet import reactor

    return GuardedResolver.from_crawler(crawler, reactor)  # type: ignore[arg-type]  # it asks for settings only


LEGACY_SERVER_CONNECT = getattr(ssl, "OP_LEGACY_SERVER_CONNECT", 0x4)  # named since Python 3.12
WEAK = "@SECLEVEL=1"  # Diffie-Hellman of 1,024 bits


def tls_context(settings: BaseSettings) -> ssl.SSLContext:
    """The context of a crawl's connections.

    Where certificates are not verified (``DOWNLOAD_VERIFY_CERTIFICATES``), servers without RFC 5746 and with weak keys
    are good enough: whoever stands between could read and change the pages anyway.
    """
    context = _make_ssl_context(settings)
    if context.verify_mode == ssl.CERT_NONE:
        context.options |= LEGACY_SERVER_CONNECT
        ciphers = settings["DOWNLOADER_CLIENT_TLS_CIPHERS"] or "DEFAULT"
        if "@SECLEVEL" not in ciphers:
            context.set_ciphers(f"{ciphers}:{WEAK}")
    return context


class Backlog:
    """The downloads under way, in the order in which their bodies began, and how many bytes each holds.

    Setting: ``SCRAPER_SLOT_MAX_ACTIVE_SIZE``. Scrapy begins no download while the pages that are not read yet hold more
    bytes; here, those that have begun pause.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._most = most_unread(crawler)
        self.sizes: dict[object, int] = {}

    def is_full_for(self, download: object) -> bool:
        """Whether a long download has to pause: pages that wait to be read make room by themselves, else the oldest
        long one goes on."""
        unread = unread_bytes(self._crawler)
        if self.sizes[download] <= SHORT_BYTES or sum(self.sizes.values()) + unread <= self._most:
            return False
        return unread > self._most or download is not next(
            response for response, size in self.sizes.items() if size > SHORT_BYTES
        )

    async def room_for(self, download: object) -> None:
        """Wait until this download may go on."""
        while self.is_full_for(download):
            await asyncio.sleep(LOOK_SECONDS)


async def room_to_unpack(crawler: Crawler) -> None:
    """Wait until the pages that are not read yet leave room for one more."""
    most = most_unread(crawler)
    while unread_bytes(crawler) > most:
        await asyncio.sleep(LOOK_SECONDS)


def most_unread(crawler: Crawler) -> int:
    """Bytes of pages beyond which no more are taken."""
    return crawler.settings.getint("SCRAPER_SLOT_MAX_ACTIVE_SIZE")


def unread_bytes(crawler: Crawler) -> int:
    """Bytes of the pages that are downloaded, but not read yet."""
    if not crawler.crawling or crawler.engine.scraper.slot is None:
        return 0
    return crawler.engine.scraper.slot.active_size
