"""Says which elements a browser does not show, by their attributes: ``hidden``, a style, or a name that sites hide."""

from __future__ import annotations

import re

from lxml import etree

from newsspider.core.text.phrases import phrases

Look = tuple[str | None, str | None, str | None]  # class, style and hidden of an element

HIDDEN_NAMES = frozenset(phrases("hidden_names"))
_STYLE = re.compile(
    r"(?<![\w-])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0*\.?0+\s*(?:[;!]|$)"
    r"|(?:text-indent|left|top)\s*:\s*-(?:\d{4}|999))",
    re.IGNORECASE,
)
_NO_SIZE = re.compile(r"(?<![\w-])font-size\s*:\s*0+(?:\.0+)?\s*(?:[a-z]{2,3}|%)?\s*(?:[;!]|$)", re.IGNORECASE)
# Such a class shows on wide screens what another class hides on narrow ones.
_SHOWN_ON_SOME = re.compile(r"(?:^|\s)(?:\w+:(?:block|flex|grid|inline|table|contents)|d-\w\w-(?!none)|visible-)")


def is_hidden(element: etree._Element, shown: set[Look]) -> bool:
    """Whether a browser does not show an element; ``shown`` are the attributes of others that hide nothing."""
    look = element.get("class"), element.get("style"), element.get("hidden")
    if look in shown:
        return False
    class_, style, hidden = look
    if hidden is not None or (class_ and is_hidden_name(class_)) or (style and hides(style)):
        return True
    if style and _NO_SIZE.search(style):
        return not _has_sizes_below(element)
    shown.add(look)
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
    return _STYLE.search(style) is not None


def _has_sizes_below(element: etree._Element) -> bool:
    """Whether an element inside has a size of its own: designers set the box around it to 0 to close gaps."""
    return any("font-size" in (part.get("style") or "").lower() or part.get("size") for part in element.iterdescendants())
