"""Pages that are elsewhere: framesets, iframes and meta refresh."""

from __future__ import annotations

import re
from itertools import islice

from newsspider.core.extraction.dom.page import Page
from newsspider.core.url import absolute

LONGEST_REFRESH_SECONDS = 30.0  # a page that reloads itself later is news on screen, not a redirect
MOST_FRAMES = 50  # of one page; a portal has some thirty, most of them advertisements

_REFRESH = re.compile(r"^\s*(\d{0,9}\.?\d{0,9})\s*[;,]\s*(?:url\s*=)?\s*['\"]?\s*([^'\"]+)", re.IGNORECASE)


def moved_to(page: Page) -> tuple[str, ...]:
    """Where an article page really is: the target of its meta refresh, or the frames of a frameset."""
    target = refresh_of(page)
    return (target,) if target else frames_of(page)


def refresh_of(page: Page) -> str | None:
    """The absolute target of a meta refresh that acts soon and leads to another page."""
    seconds, declared = refresh_target(page.metas.get("refresh", ""))
    if declared is None or seconds > LONGEST_REFRESH_SECONDS:
        return None
    target = absolute(page.base_url, declared)
    return target if target and target.partition("#")[0] != page.url.partition("#")[0] else None


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
