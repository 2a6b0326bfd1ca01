"""The password of a Redis server that stands in a file."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

from redis.credentials import CredentialProvider
from redis.exceptions import ConnectionError as NoConnection

from newsspider.store.engine.password_file import OPTION, password_in


class FilePassword(CredentialProvider):
    """A user, if there is one, with the password that the file has when a connection is made."""

    def __init__(self, user: str, file: str) -> None:
        self.user, self.file = user, file

    def get_credentials(self) -> tuple[str] | tuple[str, str]:
        try:
            password = password_in(self.file)
        except ValueError as error:  # it may be being replaced
            raise NoConnection(str(error)) from None
        return (self.user, password) if self.user else (password,)

    async def get_credentials_async(self) -> tuple[str] | tuple[str, str]:
        return self.get_credentials()


def with_password(given: dict[str, Any]) -> dict[str, Any]:
    """The parameters of a client whose URL may name a file with its password."""
    url = urlsplit(given.get("url") or "")
    options = parse_qs(url.query)
    if OPTION not in options:
        return given
    user, _, host = url.netloc.rpartition("@")
    file = options.pop(OPTION)[-1]
    bare = url._replace(netloc=host, query=urlencode(options, doseq=True)).geturl()
    return {**given, "url": bare, "credential_provider": FilePassword(unquote(user.split(":")[0]), file)}
