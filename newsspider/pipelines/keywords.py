"""Chooses the keywords of the articles that are kept; an article that relevance refused never costs the cutting."""

from __future__ import annotations

from typing import Any

from itemadapter import ItemAdapter

from newsspider.core.extraction.keywords import keywords


class KeywordsPipeline:
    """Gives an article up to ten keywords: the page's own where they are words of it, else from title and body."""

    def process_item(self, item: Any) -> Any:
        article = ItemAdapter(item).get("article")
        if article is not None:
            record = ItemAdapter(article)
            record["keywords"] = keywords(record["title"], record["text"], record["meta_keywords"])
        return item
