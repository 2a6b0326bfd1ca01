"""The way out over HTTP for all that is no page: webhooks, hubs, scrapyd. Log-ins by OpenID Connect use
``requests``, as Authlib does, and OpenSearch has a client of its own."""

from __future__ import annotations

import asyncio
import re
from base64 import b64encode
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

MOST_BYTES = 1 << 30  # of an answer


class HttpAnswer(NamedTuple):
    """The answer of a server, whatever its status."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def call_http(
    method: str,
    url: str,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    *,
    seconds: float,
    most_bytes: int = MOST_BYTES,
) -> HttpAnswer:
    """Send a request over a connection of its own and return the answer, its body cut to ``most_bytes``.

    Follows no redirect and uses no proxy. Blocks the calling thread, which must run no event loop. Raises
    :exc:`TimeoutError` after ``seconds`` for all together (later if the system's resolver hangs), and :exc:`OSError`
    for everything else that fails, such as :exc:`ssl.SSLError`.
    """
    return asyncio.run(_call(method, url, body, headers or {}, seconds, most_bytes))


def without_login(url: str) -> str:
    """The URL without name and password, also where they hold what should be escaped.

    >>> without_login("http://name:password@a.cn:6800/"), without_login("http://name:pass#word?@a.cn")
    ('http://a.cn:6800/', 'http://a.cn')
    """
    return re.sub(r"//.*@", "//", url, flags=re.DOTALL)


def login_headers(url: str) -> dict[str, str]:
    """The header by which the name and the password of a URL log in; none if it has none."""
    parts = urlsplit(url)
    if not parts.username:
        return {}
    secret = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
    return {"Authorization": f"Basic {b64encode(secret).decode()}"}


async def _call(
    method: str, url: str, body: bytes | None, headers: Mapping[str, str], seconds: float, most_bytes: int
) -> HttpAnswer:
    import aiohttp

    try:
        async with (
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=seconds)) as session,
            session.request(method, url, data=body, headers=headers, allow_redirects=False) as response,
        ):
            received = bytearray()
            async for piece in response.content.iter_any():
                received += piece
                if len(received) >= most_bytes:
                    break
            return HttpAnswer(response.status, response.headers, bytes(received[:most_bytes]))
    except TimeoutError:
        raise
    except aiohttp.ClientError as error:
        if isinstance(error.__cause__, OSError):
            raise error.__cause__ from None
        raise ConnectionError(str(error) or type(error).__name__) from None
    except ValueError as error:  # a host that is no name
        raise ConnectionError(str(error)) from None
