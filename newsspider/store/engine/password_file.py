"""Passwords of servers in files, as secrets of containers are. The file is read for each new connection, so that a
running crawl follows a changed password."""

from __future__ import annotations

from pathlib import Path

OPTION = "password_file"  # of the URL of a server


def password_in(file: str) -> str:
    """The password in a file, without the line end; raises :exc:`ValueError` with the reason if there is none."""
    try:
        password = Path(file).read_text("utf-8-sig").rstrip("\r\n")
    except UnicodeError:
        raise ValueError(f"the password file {file} is not UTF-8") from None
    except (OSError, ValueError) as error:  # the latter for a NUL in its name
        raise ValueError(f"the password file {file} cannot be read: {getattr(error, 'strerror', error)}") from None
    if not password:
        raise ValueError(f"the password file {file} is empty")
    return password
