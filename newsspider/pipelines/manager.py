"""Runs the item pipelines on articles, and keeps the page of each article even if a pipeline replaces the item."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from scrapy.pipelines import ItemPipelineManager

from newsspider.core.model import StoredArticle

if TYPE_CHECKING:
    from newsspider.core.crawling.visit import PageResult

_article: ContextVar[StoredArticle | None] = ContextVar("article")


class ArticlePipelines(ItemPipelineManager):
    """Scrapy's item processor. A pipeline may return another item, such as a dict: :func:`current_page` still names the
    page whose lease ends with it."""

    async def process_item_async(self, item: Any) -> Any:
        """Return what the pipelines make of the item."""
        token = _article.set(item if isinstance(item, StoredArticle) else None)
        try:
            return await super().process_item_async(item)
        finally:
            _article.reset(token)


def current_page() -> PageResult | None:
    """Return the page of the article that the pipelines work on now; ``None`` for one of a spider without leases, and
    for other items."""
    article = _article.get(None)
    return None if article is None else article.page


def is_article(item: Any) -> bool:
    """Whether an item was an article when the spider yielded it, even if a pipeline has replaced it."""
    return _article.get(item if isinstance(item, StoredArticle) else None) is not None
