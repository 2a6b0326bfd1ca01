"""TLS with or without verified certificates, as the settings say, also with servers that are too old for OpenSSL."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING

from scrapy.utils.ssl import _make_ssl_context

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

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
