"""Puts a briefing into the words of a model, where a plug-in offers one; what it does not write stays as the articles
have it. What a model is told stands in ``features/llm/model_requests.py``, what it may change in
``features/llm/rules/checks.py``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from newsspider.features.briefing.content import Briefing, Item, Quote
from newsspider.hooks import Passage, Wording, WrittenText, plugins

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings
    from sqlalchemy import Engine


def with_words(engine: Engine, settings: BaseSettings, briefing: Briefing, now: float) -> Briefing | None:
    """The briefing with headlines and policy documents in the words of a model; ``None`` if no model is set up."""
    items = [*briefing.headlines, *briefing.policies]
    subjects = [
        [Passage(item.article, item.title), *(Passage(quote.article, quote.sentence) for quote in item.quotes)]
        for item in items
    ]
    wording: Wording | None = plugins().hook.worded(engine=engine, settings=settings, subjects=subjects, now=now)
    if wording is None:
        return None
    worded = [_worded(item, written) for item, written in zip(items, wording.subjects, strict=True)]
    headlines, policies = worded[: len(briefing.headlines)], worded[len(briefing.headlines) :]
    return replace(briefing, words=wording.report, headlines=tuple(headlines), policies=tuple(policies))


def _worded(item: Item, written: WrittenText) -> Item:
    """The item with what was written; the sentences of articles on which none of it rests stay."""
    places = {item.article: (item.source, item.url)}
    places |= {quote.article: (quote.source, quote.url) for quote in item.quotes}
    quotes = (Quote(one.text, one.article, *places[one.article]) for one in written.sentences)
    left = (quote for quote in item.quotes if written.left_of(quote.article))
    return replace(item, title=written.title or item.title, quotes=(*quotes, *left))
