"""Says which elements the style elements of a page hide, by rules with one class or id."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lxml import etree

from newsspider.core.extraction.dom.page import Page

# A box with more text is opened by a script: a tab panel, the rest of an article.
LONGEST_HIDDEN = 200

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL)
_PIECE = re.compile(r"([^{}]*+)([{}])")
_NONE = re.compile(r"(?<![\w-])(?:display:none|visibility:(?:hidden|collapse))")
_SIGN = re.compile(r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|font-size\s*:\s*0", re.IGNORECASE)
_SAYS = re.compile("[Dd][Ii][Ss][Pp]|[Vv][Ii][Ss][Ii]|[Ff][Oo][Nn][Tt]-[Ss]")  # of the rules that are looked at
_NO_SIZE = re.compile(r"(?<![\w-])font-size:0+(?:\.0+)?(?:[a-z]{2,3}|%)?(?:[;!]|$)")
_SHOWS = re.compile(r"(?<![\w-])(?:display:|visibility:visible|font-size:)")
_ONE_NAME = re.compile(r"([a-z][a-z\d]*)?([.#])([\w-]+)")  # p.note, .note, #note
_NAMES = re.compile(r"[.#][\w-]+")
_COMBINATOR = re.compile(r"[\s>+~]+")
_ON_SCREENS = re.compile(r"@media\s+(?:only\s+)?(?:screen|all)|@layer\b.*|@supports\b.*", re.IGNORECASE)
_ON_PAPER = re.compile(r"@media\s+print\b|@page\b|@(?:-\w+-)?keyframes\b", re.IGNORECASE)
_OPENS = re.compile(
    "展开(?:全文|阅读|剩余|更多)|(?:余下|剩余|查看|阅读|显示)全文"
)  # what buttons say that show the rest
_STYLE = re.compile(r"<style\b.*?(?:</style|\Z)", re.IGNORECASE | re.DOTALL)
_USED = re.compile(r"(?<!\sid=)(?<!\sclass=)[\"'.#]([\w-]+)", re.IGNORECASE)


class StyleSheets:
    """What the style elements of a page say about classes and ids that they hide."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.used: set[str] | None = None  # names in scripts, buttons and links
        self.hidden: list[etree._Element] = []  # what was hidden
        # of a selector: the order of its rule (important, of an id, with a tag, place), whether it hides, and how
        self.rules: dict[str, tuple[tuple[bool, bool, bool, int], bool, bool]] = {}
        self.toggled: set[str] = set()  # names that another rule shows in some state
        rules = (rule for sheet in _hiding_sheets(page) for rule in _rules(sheet) if _SAYS.search(rule[2]))
        for place, (context, selectors, declarations) in enumerate(rules):
            self._note(place, context, selectors, "".join(declarations.lower().split()))
        if not any(hides for _, hides, _ in self.rules.values()) or _OPENS.search(page.text):
            self.rules = {}

    def hides(self, element: etree._Element) -> bool:
        """Whether the rules hide an element, and nothing on the page shows it."""
        names = [f".{name}" for name in (element.get("class") or "").split()]
        names += [f"#{name}" for name in [element.get("id")] if name]
        known = [rule for name in names for key in (name, f"{element.tag}{name}") if (rule := self.rules.get(key))]
        if not known:
            return False
        _, hides, by_size = max(known)
        if not hides or (by_size and len(element)) or "display" in (element.get("style") or "").lower():
            return False
        if any(name in self.toggled or self._is_used(name) for name in names):
            return False
        if sum(len(str(text).strip()) for text in element.itertext()) > LONGEST_HIDDEN:
            return False
        self.hidden.append(element)
        return True

    def _note(self, place: int, context: Sequence[str], selectors: str, declarations: str) -> None:
        if any(map(_ON_PAPER.match, context)) or _ON_PAPER.match(selectors):
            return
        always = all(map(_ON_SCREENS.fullmatch, context))
        by_size = _NO_SIZE.search(declarations) is not None
        hides = by_size or _NONE.search(declarations) is not None
        if not hides and not _SHOWS.search(declarations):
            return
        for selector in map(str.strip, selectors.split(",")):
            if always and (one := _ONE_NAME.fullmatch(selector)):
                order = ("!important" in declarations, one[2] == "#", one[1] is not None, place)
                rule = self.rules.get(selector)
                if rule is None or rule[0] < order:
                    self.rules[selector] = (order, hides, by_size)
            elif not hides:
                self.toggled.update(_NAMES.findall(_COMBINATOR.split(selector)[-1]))

    def _is_used(self, name: str) -> bool:
        """Whether a script, a button or a link of the page names a class or id, and may show it."""
        if self.used is None:
            self.used = set(_USED.findall(_STYLE.sub("", self.page.text)))
        return name[1:] in self.used


def _hiding_sheets(page: Page) -> list[str]:
    """The text of the style elements; none if no declaration in them hides anything."""
    if "<style" not in page.text and "<STYLE" not in page.text:
        return []
    sheets = [element.text or "" for element in page.tree.iter("style") if _is_for_screens(element.get("media"))]
    return [_COMMENT.sub("", sheet) for sheet in sheets] if any(map(_SIGN.search, sheets)) else []


def _is_for_screens(media: str | None) -> bool:
    return (media or "all").strip().lower() in ("", "all", "screen")


def _rules(css: str) -> Iterator[tuple[list[str], str, str]]:
    """The rules of a style sheet: the at-rules around each, its selectors and its declarations."""
    open_: list[str] = []
    for text, brace in _PIECE.findall(css):
        if brace == "{":
            open_.append(text.rpartition(";")[2].strip())
        elif open_:
            selectors = open_.pop()
            yield open_[:], selectors, text
