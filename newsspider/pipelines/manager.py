"""Runs the item pipelines on articles, and knows which page each article was read on whatever a pipeline makes of it."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from scrapy.pipelines import ItemPipelineManager

if TYPE_CHECKING:
    from newsspider.core.crawling.visit import PageResult

_page: ContextVar[PageResult | None] = ContextVar("page", default=None)


class ArticlePipelines(ItemPipelineManager):
    """Scrapy's item processor. A pipeline may return another item, such as a dict: :func:`current_page` still names the
    page whose lease ends with it."""

    async def process_item_async(self, item: Any) -> Any:
        """Return what the pipelines make of the item."""
        token = _page.set(getattr(item, "page", None))
        try:
            return await super().process_item_async(item)
        finally:
            _page.reset(token)


def current_page() -> PageResult | None:
    """Return the page of the article that the pipelines work on now; ``None`` for an item of another kind."""
    return _page.get()
