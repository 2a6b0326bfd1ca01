"""Sends a message as one mail: plain text, perhaps HTML and files, by the server that an URL of apprise names.

All addresses are served in one transaction of SMTP, and its Message-ID is the same in each try: many servers and
readers show a mail with a known one only once.
"""

from __future__ import annotations

import smtplib
import ssl
from contextlib import suppress
from email.message import EmailMessage
from email.utils import format_datetime, formataddr, localtime
from typing import Any

from newsspider.hooks import MessageContent

LONGEST_REASON = 200
TLS_PORT = 465
# After the log-in: a server that is asked again because it took its time has the mail twice (RFC 5321, 4.5.3.2.6).
ANSWER_SECONDS = 600.0


class MailError(Exception):
    """A server did not take a mail; the text is one sentence, and nobody has got it."""


def send_mail(service: Any, key: str, content: MessageContent, seconds: float) -> str:
    """Send a mail to all addresses of a service of apprise. Each step up to the log-in, and the goodbye, may take
    ``seconds``; what is between, :data:`ANSWER_SECONDS`.

    Returns how many addresses the server refused while it took others, and why; empty if none. Raises
    :exc:`MailError`, and :exc:`OSError` if there is no connection.
    """
    addresses = [address for _, address in service.targets] + sorted([*service.cc, *service.bcc])
    try:
        server = _connected(service, seconds)
        try:
            refused = server.send_message(_mail(service, key, content), service.from_addr[1], addresses)
            assert server.sock is not None
            server.sock.settimeout(seconds)
            with suppress(smtplib.SMTPException, OSError):  # it has the mail, whatever it answers now
                server.quit()
        finally:
            server.close()
    except smtplib.SMTPRecipientsRefused as error:
        code, reason = next(iter(error.recipients.values()))
        raise MailError(_refusal(code, reason)) from None
    except smtplib.SMTPResponseException as error:
        raise MailError(_refusal(error.smtp_code, error.smtp_error)) from None
    except smtplib.SMTPException as error:
        raise MailError(f"the mail server failed: {type(error).__name__}") from None
    if not refused:
        return ""
    reply = _reply(*next(iter(refused.values())))
    return f"the mail server refused {len(refused)} of {len(addresses)} addresses: {reply}"


def security(service: Any) -> str:
    """How a connection is made safe: ``ssl``, ``starttls`` or ``insecure``. On port 465 TLS comes first (RFC 8314)."""
    return "ssl" if service.port == TLS_PORT and service.secure_mode == "starttls" else str(service.secure_mode)


def _connected(service: Any, seconds: float) -> smtplib.SMTP:
    """A connection on which the account has logged in."""
    context = ssl.create_default_context()
    if not service.verify_certificate:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if security(service) == "ssl":
        server: smtplib.SMTP = smtplib.SMTP_SSL(service.smtp_host, service.port, timeout=seconds, context=context)
    else:
        server = smtplib.SMTP(service.smtp_host, service.port, timeout=seconds)
    try:
        if security(service) == "starttls":
            server.starttls(context=context)
        if service.user and service.password:
            server.login(service.user, service.password)
        assert server.sock is not None
        server.sock.settimeout(ANSWER_SECONDS)
    except BaseException:
        server.close()
        raise
    return server


def _mail(service: Any, key: str, content: MessageContent) -> EmailMessage:
    mail = EmailMessage()
    mail["Subject"] = content.title
    name, sender = service.from_addr
    mail["From"] = formataddr(("" if not name or name == service.app_id else name, sender))  # not as apprise
    mail["To"] = ", ".join(formataddr((name or "", address)) for name, address in service.targets)
    if service.cc:
        mail["Cc"] = ", ".join(sorted(service.cc))
    if service.reply_to:
        mail["Reply-To"] = ", ".join(sorted(service.reply_to))
    mail["Message-ID"] = f"<{key}@{service.from_addr[1].rpartition('@')[2]}>"
    mail["Date"] = format_datetime(localtime())
    mail.set_content(content.text)
    if content.html:
        mail.add_alternative(content.html, subtype="html")
    for name, kind, data in content.files:
        main, _, sub = kind.partition("/")
        mail.add_attachment(data, maintype=main, subtype=sub, filename=name)
    return mail


def _refusal(code: int, reason: bytes | str) -> str:
    return f"the mail server refused it: {_reply(code, reason)}"


def _reply(code: int, reason: bytes | str) -> str:
    text = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else reason
    return f"{code} {' '.join(text.split())[:LONGEST_REASON]}"
