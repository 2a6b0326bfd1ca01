"""The connections of a worker to Redis, by scrapy-redis's settings; the password of the server may stand in a file."""

from __future__ import annotations

import re
from asyncio import to_thread
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote, urlsplit

from redis import asyncio
from redis.asyncio.retry import Retry as AsyncRetry
from redis.backoff import NoBackoff
from redis.credentials import CredentialProvider
from redis.exceptions import ConnectionError as NoConnection
from scrapy_redis import connection, defaults

from newsspider.store.engine.password_file import OPTION, password_in

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

_CREDENTIALS = re.compile(rf"(?<=[?&])(?:username|password|{OPTION})=[^&]*&?")
_USER = re.compile(r"//[^/?]*@")


def redis_of(settings: BaseSettings) -> asyncio.Redis:
    """The asynchronous client of scrapy-redis's connection settings.

    A failed command is repeated once at once, since its connection may be stale; the caller sets the timeout.
    """
    client: asyncio.Redis = client_of(settings, redis_cls=asyncio.Redis, retry=AsyncRetry(NoBackoff(), 1))
    return client


def client_of(settings: BaseSettings, **ours: Any) -> Any:
    """A client of scrapy-redis's settings: ``REDIS_URL``, ``REDIS_HOST``, ``REDIS_PORT``, ``REDIS_DB``,
    ``REDIS_PARAMS``; keys and rows of ours are bytes in UTF-8, whatever ``REDIS_ENCODING`` says of messages."""
    named = {name: settings[setting] for setting, name in connection.SETTINGS_PARAMS_MAP.items() if settings[setting]}
    options = {**defaults.REDIS_PARAMS, **settings.getdict("REDIS_PARAMS"), **named}
    options.pop("retry_on_timeout", None)  # deprecated: every client tries again
    options |= {"encoding": "utf-8", "decode_responses": False, **ours}
    return connection.get_redis(**with_password(options))  # type: ignore[no-untyped-call] # scrapy-redis has no types


class FilePassword(CredentialProvider):
    """The user, if any, with the password that the file holds when a connection is made."""

    def __init__(self, user: str, file: str) -> None:
        self.user, self.file = user, file

    def get_credentials(self) -> tuple[str] | tuple[str, str]:
        try:
            password = password_in(self.file)
        except ValueError as error:  # it may be being replaced
            raise NoConnection(str(error)) from None
        return (self.user, password) if self.user else (password,)

    async def get_credentials_async(self) -> tuple[str] | tuple[str, str]:
        return await to_thread(self.get_credentials)


def with_password(parameters: dict[str, Any]) -> dict[str, Any]:
    """The parameters of a client whose URL may name a file with its password, which goes before any other password."""
    url = urlsplit(parameters.get("url") or "")
    options = parse_qs(url.query)
    if OPTION not in options:
        return parameters
    user = unquote(url.username or "") or options.get("username", [parameters.get("username")])[0] or ""
    bare = _USER.sub("//", _CREDENTIALS.sub("", parameters["url"]))  # geturl() would make unix:/file of unix:///file
    others = {name: value for name, value in parameters.items() if name not in ("username", "password")}
    return {**others, "url": bare, "credential_provider": FilePassword(user, options[OPTION][0])}
