"""The addresses of the console's feeds, which feed readers and hubs of WebSub know them by."""

from __future__ import annotations

from urllib.parse import urlencode


def feed_url(console: str, form: str, query: str, *, whole: bool = False) -> str:
    """The address of a feed of the console.

    >>> feed_url("http://127.0.0.1:8800/", "atom", "a b")
    'http://127.0.0.1:8800/feeds/atom?q=a+b'
    """
    return f"{console.rstrip('/')}/feeds/{form}?{urlencode({'q': query} | ({'text': '1'} if whole else {}))}"
