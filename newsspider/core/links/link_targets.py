"""The URLs that a page leads to: by its links, by what opens when clicked, by frames, by a meta refresh or a script
that only moves the reader. ``url_shape.py`` and ``article_list.py`` tell what kinds of pages they may be."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from types import MappingProxyType
from urllib.parse import quote

from lxml import etree
from lxml.html import HtmlElement

from newsspider.core.caching import bounded_cache
from newsspider.core.extraction.dom.page import Page
from newsspider.core.text.file_names import ATTACHMENTS
from newsspider.core.url import LONGEST_URL, absolute, same_site, suffix_of

_TAGS = ("a", "area", "frame", "iframe")
_WEB = re.compile(r"https?://[\w.-]+(?::\d+)?(?=[/?#]|$)", re.ASCII)  # with a host that needs no repair
_WHOLE = frozenset(("http://", "https:/"))
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.I)
_MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+", re.ASCII)
_QUERY_SAFE = "%!#$&'()*+,/:;=?@[]~"
_DATA = ("data-url", "data-href", "data-link")
_SIGNS = tuple(f"{name}=" for name in _DATA)
_SCRIPT_SIGNS = ("onclick=", "onClick=", "javascript:")
_SCRIPT_REACH = 120  # characters from the start of a script in which its URL is
_OPENED = re.compile(
    r"(?:location(?:\.href)?\s*=|(?:location\.(?:assign|replace)|(?:open|goto)\w*)\s*\()\s*"
    r"[\"']([^\"'<>\s]{2,2000})[\"']",
    re.I,
)
_SHORTEST_SCRIPT, _LONGEST_SCRIPT = 20, 4000  # characters
_PLACE = re.compile(r"[/.?]")  # an address has one of these
_PROGRAM = re.compile(r"\.(?:js|json|css|png|jpe?g|gif|webp|svg|mp4)\b|/(?:ajax|api)/|callback=", re.I)
_ACTIVE = etree.XPath("//*[@onclick or @data-url or @data-href or @data-link or starts-with(@href, 'javascript:')]")
_ITEMS = frozenset(("a", "li", "div", "tr", "td", "dd", "dl", "p", "span", "h2", "h3", "h4", "section", "article"))
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


def linking_elements(
    page: Page, *more: str, clicks: Mapping[HtmlElement, str] = MappingProxyType({})
) -> Iterator[tuple[HtmlElement, str, bool]]:
    """The elements that link, in page order, each with its URL, resolved as in a browser, and whether it is a file's.

    ``more`` may be ``meta``, for refreshes; ``clicks`` maps other elements that open a page to their addresses.
    """
    base, charset = page.base_url, page.charset
    root = _roots(base)[0] or base
    for element in page.tree.iter(*_TAGS, *more, *{str(element.tag) for element in clicks}):
        href = clicks.get(element) or element.get("href") or _source(element)
        if not href or len(href) > LONGEST_URL or not (href := href.strip()) or href[0] == "#":
            continue
        # References with a host, or from the root, mean the same on all pages of the site, so the cache serves all.
        within = root if href[0] == "/" or href[:7] in _WHOLE else base
        resolved = _resolved(href, within) if href.isascii() else _resolved(href, within, charset)
        if resolved is not None:
            yield element, resolved[0], resolved[1]


def target_of(href: str, page: Page) -> str | None:
    """The absolute URL of an attribute's value; ``None`` if it is invalid or a fragment of the page."""
    href = href.strip() if len(href) <= LONGEST_URL else ""
    resolved = _resolved(href, page.base_url, page.charset) if href and href[0] != "#" else None
    return resolved[0] if resolved else None


def is_nofollow(element: HtmlElement) -> bool:
    """Whether a link is marked nofollow."""
    rel = element.get("rel")
    return rel is not None and "nofollow" in rel.lower().split()


def _source(element: HtmlElement) -> str | None:
    """The URL of an element without ``href``."""
    if element.tag in ("frame", "iframe"):
        return str(element.get("src") or "")
    if element.tag != "meta" or (element.get("http-equiv") or "").lower() != "refresh":
        return None
    return refresh_target(element.get("content") or "")[1]


@bounded_cache(16384)  # cache: references of pages and the URLs that they mean
def _resolved(href: str, base: str, charset: str = "") -> tuple[str, bool] | None:
    url = _absolute(href, base, charset)
    return None if url is None else (url, suffix_of(url) in ATTACHMENTS)


def _absolute(href: str, base: str, charset: str) -> str | None:
    if not href.isascii() and "?" in href and charset.lower() not in ("utf-8", "utf8"):
        path, _, query = href.partition("?")
        href = f"{path}?{quote(query, safe=_QUERY_SAFE, encoding=charset, errors='replace')}"
    plain = href.isprintable() and "\\" not in href  # browsers drop control characters and read backslashes as slashes
    if plain and _WEB.match(href):
        return href
    if _SCHEME.match(href):
        return absolute(base, href) if href[:4].lower() == "http" else None
    if "@" in href and _MAIL.fullmatch(href):  # "mailto:" was forgotten
        return None
    root, folder = _roots(base)
    if plain and root and "./" not in href:  # most links by far, without parsing the base again
        if href[0] == "/" and href[1:2] != "/":
            return root + href
        if href[0] not in "/?.":
            return folder + href
    return absolute(base, href)


@bounded_cache(64)  # cache: what references of a page are appended to
def _roots(base: str) -> tuple[str, str]:
    """The prefixes of references that begin with a slash, and of others; empty if the base is unusual."""
    if not _WEB.match(base) or "\\" in base:
        return "", ""
    path = base.partition("#")[0].partition("?")[0]
    root = "/".join(path.split("/", 3)[:3])
    return root, path.rpartition("/")[0] + "/" if len(path) > len(root) else root + "/"


def click_targets(page: Page) -> dict[HtmlElement, str]:
    """The addresses, as written, that elements open when clicked; links with an ``href`` that leads nowhere count, too.

    Elements that contain a link, or are inside one, are left out. The result is kept with the page.
    """
    if page.clicks is None:
        opens = any(sign in page.text for sign in _SIGNS) or any(_opens(page.text, sign) for sign in _SCRIPT_SIGNS)
        nodes = _ACTIVE(page.tree) if opens else []
        active = (node for node in (nodes if isinstance(nodes, list) else ()) if isinstance(node, HtmlElement))
        clicked = ((element, _clicked(element)) for element in active if element.tag in _ITEMS)
        page.clicks = {element: address for element, address in clicked if address}
    return page.clicks


def _clicked(element: HtmlElement) -> str:
    script = element.get("onclick") or element.get("href") or ""
    match = _OPENED.search(script) if _SHORTEST_SCRIPT < len(script) < _LONGEST_SCRIPT else None
    address = match[1] if match else next(filter(None, map(element.get, _DATA)), "")
    if not _PLACE.search(address) or _PROGRAM.search(address):
        return ""
    inner = any(_leads(link) for link in element.iter("a")) or next(element.iterancestors("a"), None) is not None
    return "" if inner else address


def _leads(link: HtmlElement) -> bool:
    href = (link.get("href") or "").strip().lower()
    return bool(href) and href[0] != "#" and not href.startswith("javascript:")


def _opens(markup: str, sign: str) -> bool:
    places = (match.start() for match in re.finditer(re.escape(sign), markup))
    return any(_OPENED.search(markup, at, at + _SCRIPT_REACH) for at in places)


def moved_to(page: Page) -> tuple[str, ...]:
    """Where an article page really is: the target of its meta refresh, or the frames of a frameset."""
    target = refresh_of(page)
    return (target,) if target else frames_of(page)


def refresh_of(page: Page) -> str | None:
    """The absolute target of a meta refresh that acts soon and leads to another page, or of a script that does so on a
    page that shows nothing else."""
    content = page.metas.get("refresh")
    seconds, declared = refresh_target(content) if content else (0.0, None)
    if declared is None or seconds > LONGEST_REFRESH_SECONDS:
        return _scripted(page) if len(page.text) <= LONGEST_STUB and "location" in page.text else None
    target = absolute(page.base_url, declared)
    return target if target and not _same_page(page, target) else None


def _scripted(page: Page) -> str | None:
    """The page of the same site to which a script moves the reader; a link on the page may lead there, too."""
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
