"""Sends a message as one mail: plain text and HTML, with files attached, by the server that an URL of apprise names.

All addresses are served in one transaction of SMTP, and its Message-ID is the same in each try: many servers and
readers show a mail with a known one only once.
"""

from __future__ import annotations

import logging
import smtplib
import ssl
from email.message import EmailMessage
from email.utils import format_datetime, formataddr, localtime
from typing import Any

from newsspider.hooks import MessageContent

LONGEST_REASON = 200

logger = logging.getLogger(__name__)


class MailError(Exception):
    """A server did not take a mail; the text is one sentence, and nobody has got it."""


def send_mail(service: Any, key: str, content: MessageContent, seconds: float) -> None:
    """Send a mail to all addresses of a service of apprise; raises :exc:`MailError`, and :exc:`OSError` if there is no
    connection. Addresses that the server refuses while it takes others are logged."""
    addresses = [address for _, address in service.targets] + sorted([*service.cc, *service.bcc])
    try:
        with _connected(service, seconds) as server:
            refused = server.send_message(_mail(service, key, content), service.from_addr[1], addresses)
    except smtplib.SMTPRecipientsRefused as error:
        code, reason = next(iter(error.recipients.values()))
        raise MailError(_refusal(code, reason)) from None
    except smtplib.SMTPResponseException as error:
        raise MailError(_refusal(error.smtp_code, error.smtp_error)) from None
    except smtplib.SMTPException as error:
        raise MailError(f"the mail server failed: {type(error).__name__}") from None
    if refused:
        logger.warning("a mail server refused %d of %d addresses: %s", len(refused), len(addresses), _first(refused))


def _connected(service: Any, seconds: float) -> smtplib.SMTP:
    """A connection on which the account has logged in."""
    context = ssl.create_default_context()
    if not service.verify_certificate:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if service.secure_mode == "ssl":
        server: smtplib.SMTP = smtplib.SMTP_SSL(service.smtp_host, service.port, timeout=seconds, context=context)
    else:
        server = smtplib.SMTP(service.smtp_host, service.port, timeout=seconds)
    try:
        if service.secure_mode == "starttls":
            server.starttls(context=context)
        if service.user and service.password:
            server.login(service.user, service.password)
    except BaseException:
        server.close()
        raise
    return server


def _mail(service: Any, key: str, content: MessageContent) -> EmailMessage:
    mail = EmailMessage()
    mail["Subject"] = content.title
    mail["From"] = formataddr((service.from_addr[0] or "", service.from_addr[1]))
    mail["To"] = ", ".join(formataddr((name or "", address)) for name, address in service.targets)
    if service.cc:
        mail["Cc"] = ", ".join(sorted(service.cc))
    if service.reply_to:
        mail["Reply-To"] = ", ".join(sorted(service.reply_to))
    mail["Message-ID"] = f"<{key}@{service.from_addr[1].rpartition('@')[2]}>"
    mail["Date"] = format_datetime(localtime())
    mail.set_content(content.text)
    mail.add_alternative(content.html, subtype="html")
    for name, kind, data in content.files:
        main, _, sub = kind.partition("/")
        mail.add_attachment(data, maintype=main, subtype=sub, filename=name)
    return mail


def _first(refused: dict[str, tuple[int, bytes]]) -> str:
    return _refusal(*next(iter(refused.values())))


def _refusal(code: int, reason: bytes | str) -> str:
    text = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else reason
    return f"the mail server refused it: {code} {' '.join(text.split())[:LONGEST_REASON]}"
