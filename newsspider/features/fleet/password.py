"""Reads the password of a Redis server from a file."""

from __future__ import annotations

import re
from asyncio import to_thread
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from redis.credentials import CredentialProvider
from redis.exceptions import ConnectionError as NoConnection

from newsspider.store.engine.password_file import OPTION, password_in

_CREDENTIALS = re.compile(rf"(?<=[?&])(?:username|password|{OPTION})=[^&]*&?")
_USER = re.compile(r"//[^/?]*@")


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
