"""Certificates that are expired, self-signed or of another host, and handshakes that never end or are refused."""

import datetime
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.support.fetching import FIRST_BYTE_SECONDS, fetched

NOW = datetime.datetime.now(datetime.UTC)
DAY = datetime.timedelta(days=1)
HOST = "127.0.0.97"
PAGE = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nread"
HANDSHAKE_FAILURE = b"\x15\x03\x03\x00\x02\x02\x28"


def certificate(folder: Path, name: str, until: datetime.datetime) -> ssl.SSLContext:
    """A server's context with a certificate that it signed itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    signed = (
        x509.CertificateBuilder().subject_name(subject).issuer_name(subject).public_key(key.public_key())
        .serial_number(1).not_valid_before(until - 400 * DAY).not_valid_after(until)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False).sign(key, hashes.SHA256())
    )  # fmt: skip
    file = folder / f"{name}.pem"
    private = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    file.write_bytes(private + signed.public_bytes(serialization.Encoding.PEM))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return context


@contextmanager
def listening(context: ssl.SSLContext | None, says: bytes) -> Iterator[str]:
    """A server that answers each connection with the same bytes, over TLS if it has a context; nothing: it waits."""
    with socket.create_server((HOST, 0)) as listener:

        def answer(near: socket.socket) -> None:
            with suppress(OSError), context.wrap_socket(near, server_side=True) if context else near as end:
                end.recv(65_536)
                end.sendall(says)
                while not says and end.recv(65_536):
                    pass

        def accept() -> None:
            with suppress(OSError):
                while True:
                    threading.Thread(target=answer, args=(listener.accept()[0],), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield f"https://{HOST}:{listener.getsockname()[1]}"
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)


def test_a_page_is_read_whatever_its_certificate_unless_certificates_are_verified(tmp_path: Path) -> None:
    with ExitStack() as servers:
        untrusted = (("self-signed.test", NOW + DAY), ("expired.test", NOW - DAY), (HOST, NOW + DAY))
        urls = [f"{servers.enter_context(listening(certificate(tmp_path, name, until), PAGE))}/" for name, until in untrusted]
        accepted = fetched("", [(url, {}) for url in urls])
        verified = fetched("", [(url, {}) for url in urls], DOWNLOAD_VERIFY_CERTIFICATES=True)
    assert {url: [end.get("body") for end in ends] for url, ends in accepted.items()} == {url: ["read"] for url in urls}
    refused = {url: [end["error"] for end in ends] for url, ends in verified.items()}
    assert refused == {url: ["DownloadConnectionRefusedError"] for url in urls}


@pytest.mark.parametrize("says", [HANDSHAKE_FAILURE, b"HTTP/1.1 400 Bad Request\r\n\r\n"], ids=["alert", "no TLS"])
def test_a_handshake_that_is_refused_fails_at_once(says: bytes) -> None:
    with listening(None, says) as base:
        [refused] = fetched(base, [("/", {})])["/"]
    assert refused["error"] == "DownloadConnectionRefusedError"
    assert refused["seconds"] < FIRST_BYTE_SECONDS


def test_a_handshake_that_never_ends_is_given_up_at_the_limit_of_the_first_byte() -> None:
    with listening(None, b"") as base:
        [silent] = fetched(base, [("/", {})])["/"]
    assert silent["error"] == "DownloadTimeoutError"
    assert FIRST_BYTE_SECONDS * 0.9 <= silent["seconds"] < 4 * FIRST_BYTE_SECONDS
