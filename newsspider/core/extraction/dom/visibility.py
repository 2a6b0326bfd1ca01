"""Reads from class and style of an element whether a browser hides it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from lxml import etree

from newsspider.core.text.phrases import phrases

HIDDEN_NAMES = frozenset(phrases("hidden_class_names"))
_STYLE = re.compile(
    r"(?<![\w-])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0*\.?0+\s*(?:[;!]|$)"
    r"|(?:text-indent|left|top)\s*:\s*-(?:\d{4}|999))",
    re.IGNORECASE,
)
_NO_SIZE = re.compile(r"(?<![\w-])font-size\s*:\s*0+(?:\.0+)?\s*(?:[a-z]{2,3}|%)?\s*(?:[;!]|$)", re.IGNORECASE)
_NO_HEIGHT = re.compile(
    r"(?=.*(?<![\w-])height\s*:\s*0+(?:px)?\s*(?:[;!]|$))(?=.*overflow\s*:\s*hidden)", re.IGNORECASE
)
# One of these is in every match of all in lower case without blanks, and is found much faster.
_SIGNS = (":none", ":hidden", ":collapse", "opacity:", "indent:-", "left:-", "top:-", "size:0")
# Such a class shows on wide screens what another class hides on narrow ones.
_SHOWN_ON_SOME = re.compile(r"(?:^|\s)(?:\w+:(?:block|flex|grid|inline|table|contents)|d-\w\w-(?!none)|visible-)")


@dataclass(slots=True)
class Visibility:
    """Says which elements of a page a browser does not show; it remembers classes and styles that hide nothing."""

    plain_classes: set[str] = field(default_factory=set)
    plain_styles: set[str] = field(default_factory=set)

    def hides(self, element: etree._Element, names: Sequence[str | bytes]) -> bool:
        """Whether the attributes of an element hide it; these are their ``names``."""
        if "class" in names and (class_ := element.get("class") or "") not in self.plain_classes:
            if is_hidden_name(class_):
                return True
            self.plain_classes.add(class_)
        if "style" in names and self.style_hides(element, element.get("style") or ""):
            return True
        return "hidden" in names

    def style_hides(self, element: etree._Element, style: str) -> bool:
        """Whether its style hides an element."""
        if style in self.plain_styles:
            return False
        compact = "".join(style.split()).lower()
        if any(map(compact.__contains__, _SIGNS)):
            return hides(style) or (_NO_SIZE.search(style) is not None and not _has_sizes_below(element))
        self.plain_styles.add(style)
        return False


def is_hidden_name(class_: str) -> bool:
    """Whether one of the class names of an element is of those that style sheets hide on every screen.

    >>> is_hidden_name("tip jammer"), is_hidden_name("overflow-hidden"), is_hidden_name("hidden md:block")
    (True, False, False)
    """
    names = class_.lower()
    return not HIDDEN_NAMES.isdisjoint(names.split()) and _SHOWN_ON_SOME.search(names) is None


def hides(style: str) -> bool:
    """Whether a style hides its element.

    >>> hides("display: none"), hides("width: 60%")
    (True, False)
    """
    return _STYLE.search(style) is not None or _NO_HEIGHT.match(style) is not None


def _has_sizes_below(element: etree._Element) -> bool:
    """Whether an element inside has a size of its own: designers set the box around it to 0 to close gaps."""
    return any(
        "font-size" in (part.get("style") or "").lower() or part.get("size") for part in element.iterdescendants()
    )
