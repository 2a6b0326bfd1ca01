"""Turns the bytes of a page into one decoded text and one lxml tree, and refuses markup made to hang a parser."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lxml import etree, html

from newsspider.core.caching import bounded_cache
from newsspider.core.extraction.dom.charset import CharsetReason, decode, file_of, mark_of, unescape_entities
from newsspider.core.fetching.robots import product_token, robots_directives
from newsspider.core.url import absolute

if TYPE_CHECKING:
    from newsspider.core.extraction.dom.outline import Outline

MARKUP_LIMIT = 2 * 1024 * 1024  # characters outside scripts and style sheets: what stands in those makes no tree
TAG_LIMIT = 8 * 1024  # characters of one tag without its quoted values: libxml2 is quadratic in attributes
LONGEST_META = 65_536  # characters of the content of a <meta> that are looked at
# of the characters, control or undecodable ones: a page has none, damage is rare, packed data has a tenth
BROKEN_SHARE = 0.05
BROKEN_FREE = 50  # this many are forgiven in a page of any length
AGENT = "newsspider"

# linear, also where none is closed
_SCRIPT = re.compile(r"<(script|style)\b[^<>]*+>.*?(?:</\1|\Z)", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(  # possessive: linear on any input; quotes open a value only after "="
    r"""<[A-Za-z][^=>]*+(?:=(?:"[^"]*+"[^=>]*+|\s*+(?:"[^"]*+"?|'[^']*+'?)?+[^=>]*+))*+"""
)
_FIXED = re.compile(r"position\s*:\s*fixed", re.IGNORECASE)
_QUOTED = re.compile(r"""=\s*(?:"[^"]*"|'[^']*')""")
_CONTROL = bytes({*range(32)} - {9, 10, 13})
# "//" before an element by its name: the same as "/descendant::", for which libxml2 does not visit each text of a page
_FIRST_STEP = re.compile(r"^//(?=\w+\[(?:@|contains\(concat\()[^\]]*\](?:/|$))")


class UnreadablePageError(ValueError):
    """The page cannot be read; the message is the plain reason."""


class GarbledPageError(UnreadablePageError):
    """Its text is garbled: decoded in a wrong character set, or none."""


@dataclass(slots=True, eq=False)
class Page:
    """One page, decoded once and parsed once. Its tree is read, never changed."""

    url: str
    charset: str
    charset_reason: CharsetReason
    text: str  # the decoded markup
    tree: html.HtmlElement
    base_url: str  # what relative links are relative to
    metas: dict[str, str] = field(
        default_factory=dict
    )  # <meta> by lower-case name or property: the first that says something
    canonical: str | None = None  # the href of <link rel=canonical>, as the page writes it
    outline: Outline | None = None  # filled on the first call of core.extraction.dom.outline.outline_of
    clicks: dict[html.HtmlElement, str] | None = None  # filled on that of core.links.link_targets.click_targets


def parse(body: bytes, url: str, content_type: str | None = None, default_charset: str = "gb18030") -> Page:
    """The page that ``body`` is; raises :exc:`UnreadablePageError` where it is empty or its markup hostile."""
    if (name := file_of(body)) is not None:
        raise UnreadablePageError(f"{name}, no page")
    decoded = decode(body, content_type, default_charset)
    # editors leave marks inside
    text = decoded.text.replace("\ufeff", "") if "\ufeff" in decoded.text else decoded.text
    if (reason := _refusal(text)) is not None:
        raise UnreadablePageError(reason)
    damaged = text.count("\ufffd")
    whole = decoded.charset == "utf-8" and not damaged and text is decoded.text and mark_of(body) is None
    tree = _tree(text, body if whole else text.encode("utf-8", "replace"), damaged)
    base, metas, canonical = _head(tree)
    base_url = (absolute(url, base) if base else None) or url
    return Page(url, decoded.charset, decoded.reason, text, tree, base_url, metas, canonical)


def select_by_xpath(page: Page, xpath: str) -> list[Any]:
    """What an XPath gives on a page; nothing if it fails or gives the number 0 or an empty string."""
    try:
        value: Any = _compiled(xpath)(page.tree)
    except (etree.XPathError, ValueError):
        return []
    return value if isinstance(value, list) else [value] if value else []


@bounded_cache(1024, 2048)  # cache: XPaths of site files and of learned lists
def _compiled(xpath: str) -> etree.XPath:
    return etree.XPath(_FIRST_STEP.sub("/descendant::", xpath), smart_strings=False)


def robots_meta(page: Page, agent: str = AGENT) -> frozenset[str]:
    """What META robots says to an agent, and to all: directives in lower case, ``none`` spelt out."""
    names = ("robots", product_token(agent))
    if page.metas.keys().isdisjoint(names):
        return frozenset()
    declared = [element for element in page.tree.iter("meta") if (element.get("name") or "").strip().lower() in names]
    return robots_directives([element.get("content") or "" for element in declared], agent)


def _refusal(text: str) -> str | None:
    if not text or text.isspace():
        return "the page is empty"
    if len(text) > MARKUP_LIMIT and (length := len(_SCRIPT.sub("", text))) > MARKUP_LIMIT:
        return f"{length} characters of markup, limit {MARKUP_LIMIT}"
    if not _has_long_tag(text):
        return None
    tags = (_QUOTED.sub("=", tag) for tag in _TAG.findall(_SCRIPT.sub("", text)) if len(tag) > TAG_LIMIT)
    longest = max(map(len, tags), default=0)
    return f"a tag of {longest} characters, limit {TAG_LIMIT}" if longest > TAG_LIMIT else None


def _has_long_tag(text: str) -> bool:
    """Whether a tag is longer than :data:`TAG_LIMIT`. Tags are parsed only where so long a stretch ends none."""
    start = 0  # no tag goes on here
    while len(text) - start > TAG_LIMIT:
        end, quote = start + TAG_LIMIT, -1
        close, quote = _last_close(text, start, end, quote)
        while close < 0 and end < len(text):
            close, quote = _last_close(text, end, end + TAG_LIMIT, quote)
            end += TAG_LIMIT
        end = close if close >= 0 else len(text)
        if end - start > TAG_LIMIT and max(map(len, _TAG.findall(text, start, end)), default=0) > TAG_LIMIT:
            return True
        start = end
    return False


def _last_close(text: str, start: int, end: int, quote: int) -> tuple[int, int]:
    """The position after the last ``">`` of a stretch, where every earlier tag has ended, or -1 if there is none; and
    the position of the last ``'`` before the end of the stretch, or ``quote``.

    Neither mark may open a value, as it does after "=": then the first one ends a value.
    """
    at = text.rfind('">', start, end)
    quote = max(quote, text.rfind("'", start, at if at >= 0 else end))
    if at < 0 or _opens_value(text, at) or (quote >= 0 and _opens_value(text, quote)):
        return -1, max(quote, text.rfind("'", start, end))
    return at + 2, quote


def _opens_value(text: str, at: int) -> bool:
    """Whether a quotation mark may open the value of an attribute."""
    return at > 0 and (text[at - 1] == "=" or text[at - 1].isspace())


def _tree(text: str, markup: bytes, damaged: int) -> html.HtmlElement:
    """The tree of a text: ``markup`` is its bytes in UTF-8, ``damaged`` the number of its damaged characters."""
    clean = markup.translate(None, _CONTROL)
    broken = damaged
    if len(clean) < len(markup):
        broken += len(markup) - len(clean) - markup.count(0)  # zeros pad pages
    if broken > BROKEN_FREE + BROKEN_SHARE * len(text):
        raise GarbledPageError(
            f"no text: {broken} of {len(text)} characters are control characters or cannot be decoded"
        )
    parser = html.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    parser.set_element_class_lookup(_LOOKUP)
    tree = etree.fromstring(clean, parser=parser)
    if tree is None:
        raise UnreadablePageError("the page holds no markup and no text")
    error = parser.error_log.last_error
    # the parser stopped there: the rest is missing
    if error is not None and error.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT:
        raise UnreadablePageError("elements nested more than 2,000 deep")
    for rest in [*tree.itersiblings()]:  # what stands behind an early </html>, a tree of its own to the parser
        for part in rest:
            if _FIXED.search(part.get("style", "")):  # a panel of a framework that debugs, over the page
                part.clear()
        rest.tag = "div"
        (tree if (body := tree.find("body")) is None else body).append(rest)
    return tree


# In C: the lookup that lxml.html brings is a Python call for each element.
_LOOKUP = etree.ElementDefaultClassLookup(element=html.HtmlElement)


def _head(tree: html.HtmlElement) -> tuple[str | None, dict[str, str], str | None]:
    """The first <base>, all <meta> with content, and the canonical link; of the whole page, because broken markup ends
    a head early."""
    base, canonical = None, None
    metas: dict[str, str] = {}
    for element in tree.iter("meta", "link", "base"):
        get = element.get
        match element.tag:
            case "meta":
                content = (get("content") or "")[:LONGEST_META].strip()
                name = get("name") or get("property") or get("itemprop") or get("http-equiv")
                if content and name:
                    metas.setdefault(name.strip().lower(), unescape_entities(content) if "&" in content else content)
            case "link":
                if canonical is None and (get("rel") or "").lower() == "canonical":
                    canonical = (get("href") or "").strip() or None
            case _:
                base = base or (get("href") or "").strip() or None
    return base, metas, canonical
