"""The reasons why a store cannot be used, each one sentence for people. Which errors of the database are retried is
decided in ``database_errors.py``."""

from __future__ import annotations

import re
import sqlite3
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlalchemy import URL

ADVICE = (
    "stop what writes it, then restore a backup, or save what can be read with `sqlite3 OLD .recover | sqlite3 NEW`"
)
_OPTIONS = re.compile(r"([?&]\w*password=)[^&]*")  # of URLs
INDEX_ADVICE = "only the search index is damaged: run scrapy reindex --rebuild"


class StoreUnusableError(Exception):
    """The store cannot be opened; the text is one sentence for people."""


class StoreFailedError(StoreUnusableError):
    """The store is there, but locked, full, broken or closed; the text is one sentence for people."""


def unusable_url(url: URL, reason: str) -> StoreUnusableError:
    """The error for a database URL that cannot be used."""
    return StoreUnusableError(f"DATABASE_URL={url_without_passwords(url)}: {reason}")


def url_without_passwords(url: URL) -> str:
    """The URL without its passwords."""
    return _OPTIONS.sub(r"\1***", url.render_as_string(hide_password=True))


def without_password(text: str) -> str:
    """A text without the user and passwords of a URL in it, whether or not it can be parsed.

    >>> without_password("mysql://u:secret@127.0.0.1/db?sslpassword=secret&a=1")
    'mysql://***@127.0.0.1/db?sslpassword=***&a=1'
    """
    return _OPTIONS.sub(r"\1***", re.sub(r"//\S*@", "//***@", text))


def cause_of(error: Exception) -> str:
    """The message of a driver's error in one line, with advice if the file is corrupt."""
    original = getattr(error, "orig", None) or error
    message = " ".join(str(original).split())  # PostgreSQL's driver breaks lines
    code = getattr(original, "sqlite_errorcode", 0)
    if code == sqlite3.SQLITE_CORRUPT_VTAB:
        return f"{message}; {INDEX_ADVICE}"
    return f"{message}; {ADVICE}" if code & 0xFF == sqlite3.SQLITE_CORRUPT else message
