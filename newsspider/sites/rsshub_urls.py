"""RSSHub: addresses of lists in the schemes that feed readers use, ``rsshub:`` and ``feed:``.

A list of RSSHub has an http URL at a host that does not exist, so its key in the store stays the same wherever RSSHub
runs; the downloader asks the instance that ``RSSHUB_URL`` names.
"""

from __future__ import annotations

import re

RSSHUB_HOST = "rsshub.invalid"  # RFC 6761: a name that nobody has
_RSSHUB = f"http://{RSSHUB_HOST}/"
_FEED = re.compile(r"feed:(?://)?(?=https?:)|feed:(//)", re.IGNORECASE)
_ROUTE = re.compile(r"rsshub:/*", re.IGNORECASE)


def web_url(text: str) -> str:
    """The http URL that stands for an address; any other text as it is.

    >>> web_url("feed://a.cn/rss"), web_url("feed:https://a.cn/rss"), web_url("rsshub://test/1?limit=3")
    ('http://a.cn/rss', 'https://a.cn/rss', 'http://rsshub.invalid/test/1?limit=3')
    """
    return _ROUTE.sub(_RSSHUB, _FEED.sub(lambda scheme: "http://" if scheme[1] else "", text, count=1), count=1)


def door_url(url: str) -> str:
    """The address as people write it.

    >>> door_url("http://rsshub.invalid/test/1"), door_url("http://a.cn/rss")
    ('rsshub://test/1', 'http://a.cn/rss')
    """
    return f"rsshub://{url[len(_RSSHUB) :]}" if is_rsshub(url) else url


def is_rsshub(url: str) -> bool:
    """Whether RSSHub is to be asked."""
    return url.startswith(_RSSHUB)


def at_instance(url: str, instance: str) -> str:
    """The URL at an instance of RSSHub.

    >>> at_instance("http://rsshub.invalid/test/1?limit=3", "http://127.0.0.1:1200/")
    'http://127.0.0.1:1200/test/1?limit=3'
    """
    return f"{instance.rstrip('/')}/{url[len(_RSSHUB) :]}"
