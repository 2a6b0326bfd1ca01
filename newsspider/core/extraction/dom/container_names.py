"""Reads from class and id of an element whether it holds the article or side content, or is hidden."""

from __future__ import annotations

import re
from typing import NamedTuple

from newsspider.core.caching import bounded_cache
from newsspider.core.extraction.dom.visibility import is_hidden_name
from newsspider.core.text.phrases import any_of

SIDE_NAME = re.compile(any_of("side_class_names"))
_TEXT_NAME = re.compile(any_of("article_class_names"))
_DIGITS = re.compile(r"\d+")


class Roles(NamedTuple):
    """What class and id of an element say of it."""

    name: str  # both
    is_side: bool  # one of side content
    is_text: bool  # one of an article
    hides: bool  # its class hides it


_NAMELESS = Roles("", False, False, False)


@bounded_cache(16384)  # cache: classes and ids
def roles_of(class_: str | None, id_: str | None) -> Roles:
    """What the name of a container says.

    >>> roles_of("box related", "content"), roles_of(None, None).name
    (Roles(name='box related content', is_side=True, is_text=True, hides=False), '')
    """
    if class_ is None and id_ is None:
        return _NAMELESS
    name = f"{class_ or ''} {id_ or ''}"
    roles = [roles_of_word(word) for word in _DIGITS.sub("0", name).lower().split()]
    hides = class_ is not None and is_hidden_name(class_)
    return Roles(name, any(is_side for is_side, _ in roles), any(is_text for _, is_text in roles), hides)


@bounded_cache(16384)  # cache: words of classes and ids
def roles_of_word(word: str) -> tuple[bool, bool]:
    """Both for one word of a name; cached by word, because a site combines few words and numbers into many names."""
    return SIDE_NAME.search(word) is not None, _TEXT_NAME.search(word) is not None
