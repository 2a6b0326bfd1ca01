"""Reads from class and id of an element whether it holds the article or side content."""

from __future__ import annotations

import re

from newsspider.core.caching import bounded_cache
from newsspider.core.text.phrases import any_of

SIDE_NAME = re.compile(any_of("side_class_names"))
_TEXT_NAME = re.compile(any_of("article_class_names"))
_DIGITS = re.compile(r"\d+")


@bounded_cache(16384)  # cache: classes and ids
def roles_of(class_: str | None, id_: str | None) -> tuple[str, bool, bool]:
    """A container's name, and whether the name is one of side content, and one of an article.

    >>> roles_of("box related", "content"), roles_of(None, None)
    (('box related content', True, True), ('', False, False))
    """
    if class_ is None and id_ is None:
        return "", False, False
    name = f"{class_ or ''} {id_ or ''}"
    roles = [roles_of_word(word) for word in _DIGITS.sub("0", name).lower().split()]
    return name, any(is_side for is_side, _ in roles), any(is_text for _, is_text in roles)


@bounded_cache(16384)  # cache: words of classes and ids
def roles_of_word(word: str) -> tuple[bool, bool]:
    """Both for one word of a name; cached by word, because a site combines few words and numbers into many names."""
    return SIDE_NAME.search(word) is not None, _TEXT_NAME.search(word) is not None
