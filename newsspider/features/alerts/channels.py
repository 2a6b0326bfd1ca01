"""The channels of alerts: webhooks signed after Standard Webhooks, mail, robots of chats, and what else apprise knows.

A channel is a URL. http and https are webhooks; the key that signs their messages stands behind the URL, as in
``https://example.cn/hook#whsec_...``, and is never sent. websub and websubs are hubs of WebSub (https://www.w3.org/TR/
websub/), asked by http or https: they are told that the feeds of the alert's query have changed. All others are
apprise's, such as ``ntfy://topic``; of mail and the robots of chats it only reads the URL. ``console`` sends nothing:
the console lists the messages of all channels.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import logging
import secrets
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from http.client import responses
from typing import Any
from urllib.parse import urlencode, urlsplit

from newsspider.features.alerts import chat_robots, mail
from newsspider.features.alerts.messages import content_of
from newsspider.hooks import MessageContent
from newsspider.search.feed_urls import feed_url
from newsspider.store.http_call import call_http

CONSOLE = "console"
SECRET_PREFIX = "whsec_"
REQUEST_SECONDS = 15.0  # for the whole request
LONGEST_URL = 2_000  # characters of a URL
MOST_READ = 1_024  # bytes of an answer
MOST_MARKDOWN = 16_000  # bytes of Markdown that a service takes, if it does not say less
LONGEST_PAUSE = 86_400.0  # that a receiver may ask for
WEBHOOK_SCHEMES = ("http", "https")
MAIL_SCHEMES = ("mailto", "mailtos")
HUB_SCHEMES = {"websub": "http", "websubs": "https"}
FEEDS = ("atom", "rss", "json")
JSON_TYPE = {"Content-Type": "application/json; charset=utf-8"}
INSTALL = "pip install 'newsspider[alerts]'"


class BadChannelError(ValueError):
    """A URL to which no message can be sent; the text is one sentence."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a message: the error if it was not accepted, after how long a retry may follow, if any, and how
    many pieces the robot of a chat took before."""

    error: str = ""
    after: float = 0.0
    for_good: bool = False
    refused: str = ""  # which addresses did not take what others took
    pieces: int = 0


TAKEN = Outcome()


def check_channel(channel: str) -> str:
    """The channel as it is stored, a webhook with a key; raises :exc:`BadChannelError`."""
    channel = channel.strip()
    if channel == CONSOLE:
        return channel
    if not channel.isprintable() or len(channel) > LONGEST_URL:
        raise BadChannelError(f"a channel is a URL of at most {LONGEST_URL} printable characters")
    scheme = channel.partition("://")[0].lower()
    if scheme not in (*WEBHOOK_SCHEMES, *HUB_SCHEMES):
        _service(channel)
        return channel
    try:
        parts = urlsplit(hub_of(channel) or channel)
        valid = bool(parts.hostname) and (parts.port is None or parts.port > 0) and not parts.username
    except ValueError:
        valid = False
    if not valid or not channel.isascii() or " " in channel:
        raise BadChannelError(f"{mask_channel(channel)} is no URL of a webhook; say one like https://example.cn/hook")
    if scheme in HUB_SCHEMES:
        if set(channel) & set("?#"):
            raise BadChannelError("feeds show the URL of a hub: say one without ? and #")
        return channel
    if not parts.fragment:
        return channel.rstrip("#") + "#" + SECRET_PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()
    _key(parts.fragment)
    return channel


def mask_channel(channel: str) -> str:
    """The channel as it may be shown: without whatever may be a secret.

    >>> [mask_channel(channel) for channel in ("https://a.cn:8443/T0/x?key=1#whsec_a", "wecombot://key", "junk")]
    ['https://a.cn:8443/…', 'wecombot://…', '…']
    """
    if channel == CONSOLE:
        return channel
    scheme, separator, rest = channel.partition("://")
    if not separator or not scheme.isalnum():
        return "…"
    host = rest.split("/")[0].split("?")[0].split("#")[0].rpartition("@")[2]
    return f"{scheme}://{host}/…" if scheme.lower() in WEBHOOK_SCHEMES else f"{scheme}://…"


def secret_of(channel: str) -> str:
    """The key of a webhook; empty for other channels."""
    return urlsplit(channel).fragment if channel.partition("://")[0].lower() in WEBHOOK_SCHEMES else ""


def hub_of(channel: str) -> str:
    """The URL of a hub of WebSub; empty for other channels.

    >>> hub_of("websubs://hub.example.cn/publish"), hub_of("https://example.cn/hook")
    ('https://hub.example.cn/publish', '')
    """
    scheme, separator, rest = channel.partition("://")
    return f"{HUB_SCHEMES[scheme.lower()]}://{rest}" if separator and scheme.lower() in HUB_SCHEMES else ""


def is_mail(channel: str) -> bool:
    """Whether the channel is mail."""
    return channel.partition("://")[0].lower() in MAIL_SCHEMES


def send_message(
    channel: str,
    key: str,
    message: Mapping[str, Any],
    now: float,
    content: MessageContent | None = None,
    pieces: int = 0,
) -> Outcome:
    """Send a message to a channel, once; ``key`` names it, so that a receiver may know it again. ``content`` is what
    people read of one that is not about stories. The robot of a chat gets it without its first ``pieces``."""
    if channel == CONSOLE:
        return TAKEN
    if channel.partition("://")[0].lower() in WEBHOOK_SCHEMES:
        return _caught(lambda: _hook(channel, key, message, now, content))
    if hub := hub_of(channel):
        return _caught(lambda: _publish(hub, message))
    return _caught(lambda: _show(channel, key, content or content_of(message), now, pieces))


def _caught(sent: Callable[[], Outcome]) -> Outcome:
    """The outcome, also of what raises an exception."""
    try:
        return sent()
    except (BadChannelError, mail.MailError) as error:
        return Outcome(str(error))
    except ssl.SSLError as error:
        return Outcome(f"no safe connection: {error.reason or 'TLS failed'}")
    except TimeoutError:
        return Outcome("no answer in time")
    except OSError as error:
        return Outcome(f"no connection: {getattr(error, 'strerror', None) or type(error).__name__}")


def signature(secret: str, key: str, timestamp: int, body: bytes) -> str:
    """The signature of a webhook's body, as Standard Webhooks has it."""
    signed = hmac.new(_key(secret), f"{key}.{timestamp}.".encode() + body, hashlib.sha256)
    return "v1," + base64.b64encode(signed.digest()).decode()


def _key(secret: str) -> bytes:
    try:
        key = (
            base64.b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
            if secret.startswith(SECRET_PREFIX)
            else b""
        )
    except binascii.Error:
        key = b""
    if not 24 <= len(key) <= 64:
        raise BadChannelError("the key behind a webhook's URL is whsec_ and 24 to 64 bytes in base64")
    return key


def _hook(channel: str, key: str, message: Mapping[str, Any], now: float, content: MessageContent | None) -> Outcome:
    if content is not None:
        markdown = chat_robots.whole_paragraphs(content, lambda shown: len(shown.encode()) <= MOST_MARKDOWN)
        message = {**message, "data": {**message["data"], "markdown": markdown}}
    body = json.dumps(message, ensure_ascii=False).encode()
    headers = {
        **JSON_TYPE,
        "webhook-id": key,
        "webhook-timestamp": str(int(now)),
        "webhook-signature": signature(secret_of(channel), key, int(now), body),
    }
    return _post(channel, body, headers)[0]


def _publish(hub: str, message: Mapping[str, Any]) -> Outcome:
    """Tell a hub that the feeds of the query have changed; it fetches them."""
    console, query = message["data"]["console_url"], message["data"]["alert"]["query"]
    feeds = [feed_url(console, form, query, whole=whole) for form in FEEDS for whole in (False, True)]
    body = urlencode([("hub.mode", "publish"), *(("hub.url", url) for url in feeds)]).encode()
    return _post(hub, body, {"Content-Type": "application/x-www-form-urlencoded"})[0]


def _post(url: str, body: bytes, headers: Mapping[str, str]) -> tuple[Outcome, bytes]:
    """Send a request; returns its outcome, and the body of the answer."""
    headers = {**headers, "User-Agent": "newsspider-alerts"}
    answer = call_http("POST", url.partition("#")[0], body, headers, seconds=REQUEST_SECONDS, most_bytes=MOST_READ)
    return _outcome(answer.status, answer.headers.get("Retry-After", "")), answer.body


def _outcome(status: int, retry_after: str) -> Outcome:
    """What an answer means.

    >>> _outcome(204, "").error, _outcome(503, "30").after, _outcome(410, "").for_good
    ('', 30.0, True)
    """
    if 200 <= status < 300:
        return TAKEN
    named = f" {responses[status]}" if status in responses else ""
    moved = "; redirects are not followed" if 300 <= status < 400 else ""
    after = float(retry_after) if retry_after.isascii() and retry_after.isdecimal() and len(retry_after) < 7 else 0.0
    return Outcome(f"HTTP {status}{named}{moved}", min(after, LONGEST_PAUSE), for_good=status == 410)


def _show(channel: str, key: str, content: MessageContent, now: float, pieces: int) -> Outcome:
    """Send what people read of a message, to the robot of a chat without its first ``pieces``."""
    service = _service(channel)
    if is_mail(channel):
        return Outcome(refused=mail.send_mail(service, key, content, REQUEST_SECONDS))
    if robot := chat_robots.robot(service, content.title, now):
        for number, shown in enumerate(chat_robots.pieces(content, robot.fits)):
            outcome = _caught(partial(_tell, robot, shown)) if number >= pieces else TAKEN
            if outcome.error:
                return replace(outcome, pieces=number)
        return TAKEN
    most = min(service.body_maxlen - chat_robots.TITLE_BYTES, MOST_MARKDOWN)
    body, form = content.text, "text"
    if content.link:
        body = chat_robots.whole_paragraphs(content, lambda shown: len(shown.encode()) <= most)
        form = "markdown"
    is_sent = service.notify(title=content.title, body=body, body_format=form)
    return TAKEN if is_sent else Outcome(f"the service behind {mask_channel(channel)} did not take it")


def _tell(robot: chat_robots.Robot, shown: str) -> Outcome:
    """Send a piece to the robot of a chat."""
    outcome, answer = _post(robot.url, robot.body(shown), JSON_TYPE)
    return replace(outcome, error=outcome.error or chat_robots.objection(answer))


def _service(channel: str) -> Any:
    try:
        import apprise
    except ModuleNotFoundError:
        raise BadChannelError(
            f"{mask_channel(channel)} is no URL of http or https, and other channels need apprise: {INSTALL}"
        ) from None
    logging.getLogger("apprise").handlers = [logging.NullHandler()]  # it may name what is secret
    logging.getLogger("apprise").propagate = False
    service = apprise.Apprise.instantiate(channel, suppress_exceptions=True)
    if service is None:
        raise BadChannelError(
            f"{mask_channel(channel)} is no channel: say an http or https URL, or one that apprise knows"
        )
    if "overflow=" not in channel:
        service.overflow_mode = apprise.OverflowMode.SPLIT  # a digest may be longer than a service takes at once
    return service
