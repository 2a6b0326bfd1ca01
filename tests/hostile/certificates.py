"""Certificates that are wrong in one way each, made when they are asked for; a key exchange that is old."""

import ipaddress
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

OLD = "old-key-exchange"  # Diffie-Hellman over 1,024 bits, as servers of 2010 do
OLD_CIPHER = "DHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0"
GROUP = """-----BEGIN DH PARAMETERS-----
MIGHAoGBAP//////////yQ/aoiFowjTExmKLgNwc0SkCTgiKZ8x0Agu+pjsTmyJR
Sgh5jjQE3e+VGbPNOkMbMCsKbfJfFDdP4TVtbVHCReSFtXZiXn7G9ExC6aY37WsL
/1y29Aa37e44a/taiZ+lrp8kEXxLH+ZJKGZR7OZTgf//////////AgEC
-----END DH PARAMETERS-----
"""  # the second Oakley group of RFC 2409


def context_of(name: str, address: str, folder: Path) -> ssl.SSLContext:
    """What a server at this address needs to show the certificate of this name; its files lie in ``folder``."""
    file = folder / f"{name}-{address}.pem"
    if not file.exists():
        file.write_bytes(_made(name, address))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    if name == OLD:
        group = folder / "group.pem"
        group.write_text(GROUP, "ascii")
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        context.set_ciphers(OLD_CIPHER)
        context.load_dh_params(group)
    return context


def _made(name: str, address: str) -> bytes:
    key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey
    key = rsa.generate_private_key(65537, 2048) if name == OLD else ec.generate_private_key(ec.SECP256R1())
    now = datetime.now(UTC)
    start = now + timedelta(days=30 if name == "not-yet-valid" else -400)
    end = start + timedelta(days=365 if name == "expired" else 800)
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "newsspider test")])
    alone = x509.DNSName("elsewhere.invalid") if name == "another-name" else x509.IPAddress(ipaddress.ip_address(address))
    certificate = (
        x509.CertificateBuilder().subject_name(subject).issuer_name(subject).public_key(key.public_key())
        .serial_number(x509.random_serial_number()).not_valid_before(start).not_valid_after(end)
        .add_extension(x509.SubjectAlternativeName([alone]), critical=False).sign(key, hashes.SHA256())
    )  # fmt: skip
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return private + certificate.public_bytes(Encoding.PEM)
