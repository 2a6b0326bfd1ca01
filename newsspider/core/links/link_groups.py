"""Decides which links of a group lead to articles: the links with the same path on a page, by their median weight.

On a page without class names, the navigation may be in the same group as the list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from newsspider.core.links.link_places import LONG_TITLE, TITLE_LENGTH, Anchor

THRESHOLD = 2.0  # a link of this weight or more leads to an article
KNOWN_MEDIAN = 3.0  # least median of a group where articles were before
LIST_URL = -2.0  # weight of a list's URL
_SLACK = 2.5  # by which one link of a good group may be below THRESHOLD
_LEAST = 3  # titles that are articles although their group is not
_FULL, _SHARE = 6, 0.7  # articles, and their share of a group, that make the rest of it articles, too
_SHORT = -0.8  # weight of a name of four characters
_OFTEN = 3  # rows with the same link: it is their channel or source
_ROW = 4  # links of one row of a list: title, channel, author, button


def articles_of(group: Sequence[Anchor]) -> list[Anchor]:
    """The articles of one group of weighed links.

    A URL counts once, by its heaviest link, so that neither a channel named in each row nor a "[详细]" after each
    headline outweighs the articles. Among links with article URLs, one with a list's URL is a channel with a long name.
    Several titles with article URLs are articles even if the median of the group is too low.
    """
    shapes = {anchor.shape for anchor in group}
    buttons = _buttons(group)
    group = [anchor for anchor in group if anchor.text not in buttons] if buttons else group
    result = _items(group) if group else []
    if True not in shapes:
        return result
    repeated = _repeated(group)
    if len(shapes) > 1:
        own = [anchor for anchor in group if anchor.shape and anchor.weight >= THRESHOLD - _SLACK]
        titled = {anchor.url for anchor in own if len(anchor.text) >= TITLE_LENGTH}
        if len(titled) >= _LEAST and 2 * len(titled) > len({anchor.url for anchor in own}):
            result = max(result, _items(own), key=len)
    return [anchor for anchor in result if anchor.shape is not False and anchor.url not in repeated]


def dated_titles(group: Sequence[Anchor]) -> list[Anchor]:
    """The articles of a group with list URLs: a dated title is better evidence than the URL."""
    titles = [anchor for anchor in group if anchor.shape is False and anchor.dated and len(anchor.text) >= TITLE_LENGTH]
    for anchor in titles:
        anchor.weight -= LIST_URL
    return _items(group) if titles else []


def _items(group: Sequence[Anchor]) -> list[Anchor]:
    """The links that are articles by the median weight of their group, without weak ones and shared list URLs."""
    best: dict[str, float] = {}
    for anchor in group:
        best[anchor.url] = max(anchor.weight, best.get(anchor.url, anchor.weight))
    weights = sorted(best.values())
    median = weights[(len(weights) - 1) // 2]
    shared = _shared(group)
    results = [
        anchor
        for anchor in group
        if anchor.url not in shared
        and (anchor.weight + 2 * (max(median, KNOWN_MEDIAN) if anchor.known else median)) / 3 >= THRESHOLD
        and anchor.weight >= THRESHOLD - _SLACK
    ]
    return _completed(results, group) if len({anchor.url for anchor in results}) >= _SHARE * len(best) else results


def _completed(result: Sequence[Anchor], group: Sequence[Anchor]) -> list[Anchor]:
    """The articles of a group that is hardly anything else, completed by short titles in an item of their own and by
    dated numbers."""
    sure = {anchor.url for anchor in result}
    full = len(sure) >= _FULL
    return [
        anchor
        for anchor in group
        if anchor.url in sure
        or (full and anchor.shape is not False and anchor.item is not None and anchor.weight >= _SHORT)
        or (full and anchor.shape and anchor.item is not None and anchor.dated and anchor.text.isdigit())
    ]


def _buttons(group: Sequence[Anchor]) -> set[str]:
    """The texts of buttons that most rows of a group have: "similar news", "all answers"."""
    if len({anchor.text for anchor in group}) + _OFTEN > len(group) + 1:
        return set()
    rows = {(anchor.row, anchor.text) for anchor in group if anchor.neighbours <= _ROW}
    counts = Counter(text for _, text in rows)
    urls = len({anchor.url for anchor in group})
    return {text for text, count in counts.items() if text and count >= _OFTEN and 2 * count >= urls}


def _shared(group: Sequence[Anchor]) -> set[str]:
    """The list URLs that many titles of a group share: their channel, as they have no pages of their own."""
    titles: dict[str, set[str]] = {}
    for anchor in group:
        if anchor.shape is False and len(anchor.text) >= TITLE_LENGTH:
            titles.setdefault(anchor.url, set()).add(anchor.text)
    return {url for url, texts in titles.items() if len(texts) >= _OFTEN}


def _repeated(group: Sequence[Anchor]) -> set[str]:
    """The URLs that many rows of a group name by the same text: their channels and sources.

    A title with a row of its own is neither: the hottest stories are in several boxes.
    """
    if len({anchor.url for anchor in group}) + _OFTEN > len(group) + 1:
        return set()
    counts = Counter(
        (anchor.url, anchor.text)
        for anchor in group
        if anchor.text
        and not (len(anchor.text) >= LONG_TITLE or (len(anchor.text) >= TITLE_LENGTH and anchor.neighbours > _ROW))
    )
    return {url for (url, _), count in counts.items() if count >= _OFTEN}
