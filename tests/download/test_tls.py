"""TLS with servers that are older than what OpenSSL takes by default."""

import asyncio
import os
import ssl

import pytest
from scrapy.utils.project import get_project_settings

from newsspider.download.handler import LEGACY_SERVER_CONNECT, tls_context

CIPHER = b"\xc0\x2f"  # ECDHE-RSA-AES128-GCM-SHA256


async def hello_without_extensions(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """What a server of TLS 1.2 says that has no word of RFC 5746, as far as its certificate."""
    head = await reader.readexactly(5)
    await reader.readexactly(int.from_bytes(head[3:]))
    hello = b"\x03\x03" + os.urandom(32) + b"\x00" + CIPHER + b"\x00"
    message = b"\x02" + len(hello).to_bytes(3) + hello
    writer.write(b"\x16\x03\x03" + len(message).to_bytes(2) + message)
    writer.close()


@pytest.mark.skipif(ssl.OPENSSL_VERSION_INFO < (3, 0), reason="older ones take every server")
@pytest.mark.parametrize("legacy", [True, False])
def test_a_server_without_secure_renegotiation_is_not_refused(legacy: bool) -> None:
    context = tls_context(get_project_settings())
    if not legacy:  # what OpenSSL does otherwise
        context.options &= ~ssl.Options(LEGACY_SERVER_CONNECT)

    async def ask() -> None:
        async with await asyncio.start_server(hello_without_extensions, "127.0.0.1", 0) as server:
            await asyncio.open_connection(*server.sockets[0].getsockname(), ssl=context)

    with pytest.raises(OSError) as refused:  # noqa: PT011 -- it never shows its certificate
        asyncio.run(ask())
    assert ("legacy renegotiation" in str(refused.value)) is not legacy


def test_who_verifies_certificates_weakens_nothing() -> None:
    settings = get_project_settings()
    settings.set("DOWNLOAD_VERIFY_CERTIFICATES", True)
    strict, usual = tls_context(settings), ssl.create_default_context()
    assert strict.options & LEGACY_SERVER_CONNECT == 0
    assert strict.security_level == usual.security_level


def test_a_security_level_of_the_user_holds() -> None:
    settings = get_project_settings()
    settings.set("DOWNLOADER_CLIENT_TLS_CIPHERS", "DEFAULT:@SECLEVEL=2")
    assert tls_context(settings).security_level == 2
