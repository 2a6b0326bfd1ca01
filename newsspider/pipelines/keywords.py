"""Selects keywords for the articles that relevance has kept; off-topic articles are not segmented."""

from __future__ import annotations

from typing import Any

from itemadapter import ItemAdapter

from newsspider.core.extraction.keywords import keywords
from newsspider.pipelines.manager import is_article


class KeywordsPipeline:
    """Sets up to ten keywords: the page's own if they occur in it, else from title and body."""

    def process_item(self, item: Any) -> Any:
        if not is_article(item):
            return item
        record = ItemAdapter(item)
        record["keywords"] = keywords(record["title"], record["text"], record["meta_keywords"])
        return item
