"""Where the time goes: CPU seconds of the steps of ours, timed while they run in a real crawl."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any

# What is printed, and the functions as the crawl calls them: module, owner in it if it is a method, name;
# None of them runs within another, but for those of the writer, whose rest is the commit.
STEPS: tuple[tuple[str, str, str], ...] = (
    ("decode and parse", "newsspider.pages.article_page", "parse"),
    ("decode and parse", "newsspider.pages.list_page", "parse"),
    ("read the article", "newsspider.pages.read_page", "extract_article"),
    ("links of a list", "newsspider.pages.list_page", "listing_of"),
    ("kind of page", "newsspider.pages.read_page", "page_type_of"),
    ("canonical URLs", "newsspider.pages.article_page", "canonical"),
    ("canonical URLs", "newsspider.pages.link_offers", "canonical"),
    ("relevance", "newsspider.pipelines.relevance", "RelevancePipeline.process_item"),
    ("keywords", "newsspider.pipelines.relevance", "KeywordsPipeline.process_item"),
    ("fingerprint", "newsspider.pipelines.store", "FingerprintPipeline.process_item"),
    ("writer: pages", "newsspider.store.pages", "save_all"),
    ("writer: claims", "newsspider.frontier.sql_frontier", "claim"),
    ("writer: all", "newsspider.store.engine.writer", "Writer._write"),
)


class Stages:
    """Counts the CPU seconds of each step's own thread; for the life of the process once installed."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {name: 0.0 for name, _, _ in STEPS}

    def install(self) -> None:
        """Put a timer around every step."""
        for label, module, path in STEPS:
            *classes, name = path.split(".")
            owner: Any = import_module(module)
            for part in classes:
                owner = getattr(owner, part)
            setattr(owner, name, self._timed(label, getattr(owner, name)))

    def _timed(self, label: str, function: Callable[..., Any]) -> Callable[..., Any]:
        seconds, clock = self.seconds, time.thread_time

        @wraps(function)
        def timed(*args: Any, **kwargs: Any) -> Any:
            began = clock()
            try:
                return function(*args, **kwargs)
            finally:
                seconds[label] += clock() - began

        return timed


def milliseconds(seconds: dict[str, float], cpu: float, pages: int) -> list[tuple[str, float]]:
    """Milliseconds a page of every step; what no step accounts for is the download and Scrapy itself.

    >>> milliseconds({"read": 2.0, "writer: pages": 0.5, "writer: all": 1.0}, 5.0, 1000)
    [('download and framework', 2.0), ('read', 2.0), ('writer: pages', 0.5), ('writer: commit', 0.5)]
    """
    steps = {name: spent for name, spent in seconds.items() if name != "writer: all"}
    inside = sum(spent for name, spent in steps.items() if name.startswith("writer: "))
    steps["writer: commit"] = max(0.0, seconds.get("writer: all", inside) - inside)
    rest = {"download and framework": cpu - sum(steps.values())}
    return [(name, 1000 * spent / pages) for name, spent in {**rest, **steps}.items()]
