"""Pages that are elsewhere: framesets, iframes, meta refresh and scripts that only move the reader."""

from __future__ import annotations

import re
from itertools import islice

from newsspider.core.extraction.dom.page import Page
from newsspider.core.url import absolute, same_site

LONGEST_REFRESH_SECONDS = 30.0  # a page that reloads itself later is news on screen, not a redirect
MOST_FRAMES = 50  # of one page; a portal has some thirty, most of them advertisements
LONGEST_STUB = 10_000  # characters of markup of a page that only moves its reader
LONGEST_NOTICE = 60  # characters that such a page shows: it is moving, please wait

_REFRESH = re.compile(r"^\s*(\d{0,9}\.?\d{0,9})\s*[;,]\s*(?:url\s*=)?\s*['\"]?\s*([^'\"]+)", re.IGNORECASE)

_SCRIPT = re.compile(
    r"<script\b[^<>]{0,500}>(.*?)</script|\bonload\s*=\s*(\"[^\"]{0,500}\"|'[^']{0,500}')", re.I | re.S
)
_REMARK = re.compile(r"/\*.*?\*/|<!--|(?<![:\"'\\])//[^\n]*", re.S)
_ASSIGNED = re.compile(
    r"(?<![\w$])location\s*(?:(?:\.\s*href\s*)?=|\.\s*(?:replace|assign)\s*\()\s*"
    r"\\?[\"'`]([^\"'`<>\s\\${}]{1,2000})\\?[\"'`](?!\s*\+)"
)
_DEVICE = re.compile(r"userAgent|navigator\.|screen\.width")


def moved_to(page: Page) -> tuple[str, ...]:
    """Where an article page really is: the target of its meta refresh, or the frames of a frameset."""
    target = refresh_of(page)
    return (target,) if target else frames_of(page)


def refresh_of(page: Page) -> str | None:
    """The absolute target of a meta refresh that acts soon and leads to another page, or of a script that does so on a
    page that shows nothing else."""
    seconds, declared = refresh_target(page.metas.get("refresh", ""))
    if declared is None or seconds > LONGEST_REFRESH_SECONDS:
        return _scripted(page)
    target = absolute(page.base_url, declared)
    return target if target and not _same_page(page, target) else None


def _scripted(page: Page) -> str | None:
    """The page of the same site to which a script moves the reader; a link on the page may lead there, too."""
    if len(page.text) > LONGEST_STUB or "location" not in page.text:
        return None
    scripts = [_REMARK.sub("", match[1] or match[2]) for match in _SCRIPT.finditer(page.text)]
    addresses = [address for script in scripts for address in _ASSIGNED.findall(script)]
    if not addresses:
        return None
    by_device = any(map(_DEVICE.search, scripts))  # the page for telephones comes first
    target = absolute(page.base_url, addresses[-1 if by_device else 0])
    if not target or _same_page(page, target) or not same_site(target, page.url):
        return None
    links = (absolute(page.base_url, href) for link in page.tree.iter("a") if (href := link.get("href")))
    return target if all(link in (None, target) for link in links) and _shown(page) <= LONGEST_NOTICE else None


def _same_page(page: Page, target: str) -> bool:
    return target.partition("#")[0] == page.url.partition("#")[0]


def _shown(page: Page) -> int:
    """How many characters the page shows beside its title."""
    unseen = ("script", "style", "title", "noscript")
    texts = (
        piece
        for element in page.tree.iter()
        for piece in (None if element.tag in unseen or not isinstance(element.tag, str) else element.text, element.tail)
    )
    return sum(len("".join(text.split())) for text in texts if text)


def refresh_target(content: str) -> tuple[float, str | None]:
    """Seconds and URL of the content of a meta refresh; ``None`` where it only reloads the page.

    >>> refresh_target("5; url='list.html'"), refresh_target("300")
    ((5.0, 'list.html'), (0.0, None))
    """
    match = _REFRESH.match(content)
    return (float(match[1].strip(".") or 0), match[2]) if match else (0.0, None)


def frames_of(page: Page, *tags: str) -> tuple[str, ...]:
    """The absolute URLs of the frames of a page, of the first :data:`MOST_FRAMES`; ``tags`` may add ``iframe``."""
    result = (absolute(page.base_url, src) for element in page.tree.iter("frame", *tags) if (src := element.get("src")))
    return tuple(islice(dict.fromkeys(url for url in result if url), MOST_FRAMES))
