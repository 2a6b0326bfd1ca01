"""List pages for the tests of suggestions."""

from collections.abc import Iterable

from newsspider.core.model import PageType
from newsspider.features.explore.rules.list_value import DAY, OnTopicArticle, ReadList

NOW = 1_800_000_000.0


def listed(path: str, good: Iterable[int], bad: Iterable[int] = (), more: Iterable[int] = (), host: str = "a.cn", **values) -> ReadList:
    """A list that shows these articles on topic (one every six hours), these off topic, and these that were not read."""
    articles = {key: OnTopicArticle(NOW - (place + 1) * DAY / 4) for place, key in enumerate(good)}
    shown = frozenset((*good, *bad, *more))
    fields = {"kind": PageType.LIST, "visited_at": NOW, "kept": articles, "refused": frozenset(bad), "shown": shown}
    return ReadList(f"http://{host}/{path}", **fields | values)
