"""Which links of a group, those that stand in the same place of a page, lead to articles: their median weight decides.

Where a page names nothing, its navigation may share the place of its list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from newsspider.core.links.link_places import LONG_TITLE, TITLE_LENGTH, Anchor

THRESHOLD = 2.0  # the weight from which on a link leads to an article
KNOWN = 3.0  # the least weight of a group whose links are where articles were before
LIST_URL = -2.0  # what the URL of a list weighs
_SLACK = 2.5  # how far one link of a good group may fall below THRESHOLD
_LEAST = 3  # titles that speak for themselves
_FULL, _SHARE = 6, 0.7  # articles, and their share of a group, that make the rest of it articles, too
_SHORT = -0.8  # what a name of four characters weighs
_OFTEN = 3  # lines that name the same link: it is the channel or the source of each
_ROW = 4  # links of one row of a list: title, channel, author, button


def articles_of(group: Sequence[Anchor]) -> list[Anchor]:
    """The articles of one group of weighed links.

    A URL counts once, by the link that says most of it: neither a channel named in each line nor a "[详细]" behind each
    headline outweighs the articles. Beside links with the URL of an article, one with the URL of a list is a channel
    with a long name. Titles with such URLs speak for themselves where the group speaks against them.
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
    """The articles of a group whose URLs say none: a dated title is believed more than a list's URL."""
    titles = [anchor for anchor in group if anchor.shape is False and anchor.dated and len(anchor.text) >= TITLE_LENGTH]
    for anchor in titles:
        anchor.weight -= LIST_URL
    return _items(group) if titles else []


def _items(group: Sequence[Anchor]) -> list[Anchor]:
    """The links that their group's median weight makes articles, but for weak ones and lists of many titles."""
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
        and (anchor.weight + 2 * (max(median, KNOWN) if anchor.known else median)) / 3 >= THRESHOLD
        and anchor.weight >= THRESHOLD - _SLACK
    ]
    return _completed(results, group) if len({anchor.url for anchor in results}) >= _SHARE * len(best) else results


def _completed(result: Sequence[Anchor], group: Sequence[Anchor]) -> list[Anchor]:
    """The articles of a group of hardly anything else, with the short titles that have an item of their own, and the
    numbers that have a date as well."""
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
    """The words by which most rows of a group lead to something else each: similar news, all answers."""
    if len({anchor.text for anchor in group}) + _OFTEN > len(group) + 1:
        return set()
    rows = {(anchor.row, anchor.text) for anchor in group if anchor.neighbours <= _ROW}
    counts = Counter(text for _, text in rows)
    urls = len({anchor.url for anchor in group})
    return {text for text, count in counts.items() if text and count >= _OFTEN and 2 * count >= urls}


def _shared(group: Sequence[Anchor]) -> set[str]:
    """The URLs of lists that many titles of a group lead to: each to the channel, for want of a page of its own."""
    titles: dict[str, set[str]] = {}
    for anchor in group:
        if anchor.shape is False and len(anchor.text) >= TITLE_LENGTH:
            titles.setdefault(anchor.url, set()).add(anchor.text)
    return {url for url, texts in titles.items() if len(texts) >= _OFTEN}


def _repeated(group: Sequence[Anchor]) -> set[str]:
    """The URLs that many lines of a group name by the same words: their channels and sources.

    A title is none of these where it has a row of its own: the hottest stories stand in several boxes.
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
