"""Decides whether a document is whole whose response ended before its announced end: some servers announce too much."""

from __future__ import annotations

import re

TAIL_BYTES = 4096  # of comments and white space behind the end

_END = re.compile(rb"</(?:html|rss|feed|rdf:rdf|urlset|sitemapindex)\s*>(?:\s|<!--(?:(?!-->).)*+-->)*+\Z", re.I | re.S)


def ends_whole(body: bytes) -> bool:
    """Whether a page, feed or sitemap ends with its own end tag, white space and comments aside.

    >>> ends_whole(b"<html><p>x</p></html>\\n<!-- 0.02 s -->\\n"), ends_whole(b"<html><p>x</p>")
    (True, False)
    """
    return _END.search(body[-TAIL_BYTES:]) is not None
