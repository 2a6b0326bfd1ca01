"""Reads from the class, id and style of a container whether it holds the article, side content or nothing visible."""

from __future__ import annotations

import re

from newsspider.core.caching import bounded_cache
from newsspider.core.text.phrases import any_of

SIDE_NAME = re.compile(any_of("side_names"))
_TEXT_NAME = re.compile(any_of("text_names"))
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")


@bounded_cache(16384)  # cache: classes and ids
def roles_of(class_: str | None, id_: str | None) -> tuple[str, bool, bool]:
    """A container's name, whether the name says that it holds side content, and whether that it holds the article.

    >>> roles_of("box related", "content"), roles_of(None, None)
    (('box related content', True, True), ('', False, False))
    """
    if class_ is None and id_ is None:
        return "", False, False
    name = f"{class_ or ''} {id_ or ''}"
    roles = [roles_of_word(word) for word in _DIGITS.sub("0", name).lower().split()]
    return name, any(side for side, _ in roles), any(text for _, text in roles)


@bounded_cache(16384)  # cache: words of classes and ids
def roles_of_word(word: str) -> tuple[bool, bool]:
    """The same two of one word of a name: a site has few words, but many combinations of them with numbers."""
    return SIDE_NAME.search(word) is not None, _TEXT_NAME.search(word) is not None


@bounded_cache(4096)  # cache: styles
def hides(style: str) -> bool:
    """Whether a style hides its element.

    >>> hides("display: none"), hides("width: 60%")
    (True, False)
    """
    return _HIDDEN.search(style) is not None
