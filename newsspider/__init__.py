"""newsspider watches the news of one topic.

As a library it reads pages, judges texts and gives stored articles, without Scrapy::

    from newsspider import Store, judge, read_article, read_articles, read_list

``article_item`` makes the item of a spider of your own from a response.

Each name is imported when it is first asked for, so ``import newsspider`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from newsspider.core.extraction.dom import UnreadablePageError
    from newsspider.library.articles import ListPage, UnreadPage, read_article, read_list
    from newsspider.library.process_pool import read_articles
    from newsspider.library.records import ArticleRecord, StoredRecord
    from newsspider.library.relevance import judge
    from newsspider.library.store import Articles, Store
    from newsspider.pages.read_page import article_item
    from newsspider.store.engine.errors import StoreUnusableError

__all__ = [
    "ArticleRecord",
    "Articles",
    "ListPage",
    "Store",
    "StoreUnusableError",
    "StoredRecord",
    "UnreadPage",
    "UnreadablePageError",
    "article_item",
    "judge",
    "read_article",
    "read_articles",
    "read_list",
]

_MODULES = {
    "ArticleRecord": "library.records",
    "Articles": "library.store",
    "ListPage": "library.articles",
    "Store": "library.store",
    "StoreUnusableError": "store.engine.errors",
    "StoredRecord": "library.records",
    "UnreadPage": "library.articles",
    "UnreadablePageError": "core.extraction.dom",
    "article_item": "pages.read_page",
    "judge": "library.relevance",
    "read_article": "library.articles",
    "read_articles": "library.process_pool",
    "read_list": "library.articles",
}

if not TYPE_CHECKING:  # else every name would have a type

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
