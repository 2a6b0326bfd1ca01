"""What was learned about the watched sites: the layout of their list pages, and the boilerplate of their articles."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from newsspider.core.extraction.learned_boilerplate import Boilerplate, bared
from newsspider.core.model import Article, Layout
from newsspider.store.articles import boilerplate_lines
from newsspider.store.ledger import list_positions

if TYPE_CHECKING:
    from newsspider.store.engine.writer import Writer


class SiteKnowledge:
    """In memory for one crawl, loaded from the store. Setting: ``BOILERPLATE_LEARNED``."""

    def __init__(self, *, learns_boilerplate: bool) -> None:
        self.learns_boilerplate = learns_boilerplate
        self._layouts: dict[tuple[str, str], Layout] = {}  # memory: where lists stand: one a channel
        self._boilerplate: dict[str, Boilerplate] = {}  # by site
        self._learning = Lock()  # long pages are read in a thread

    async def load(self, writer: Writer) -> None:
        """Load what the store knows; boilerplate lines that it no longer has are dropped."""
        self._layouts = await writer.run(list_positions.known)
        lines = await writer.run(boilerplate_lines.known)
        for site in lines.keys() | self._boilerplate.keys():
            self._boilerplate.setdefault(site, Boilerplate()).lines = set(lines.get(site, ()))

    def layout(self, site: str, channel: str) -> Layout | None:
        """Where the lists are on a channel's page, if known."""
        return self._layouts.get((site, channel))

    def set_layout(self, site: str, channel: str, layout: Layout) -> None:
        """Remember where the lists are on a channel's page."""
        self._layouts[site, channel] = layout

    def boilerplate_lines(self, site: str) -> frozenset[str]:
        """The known boilerplate lines of a site's articles."""
        return frozenset(self._boilerplate[site].lines if site in self._boilerplate else ())

    def without_boilerplate(self, article: Article, site: str, *, learn: bool) -> tuple[Article, tuple[str, ...]]:
        """The article without its site's boilerplate, and the lines that were learned from this article."""
        boilerplate = self._boilerplate.setdefault(site, Boilerplate())
        with self._learning:
            learned = boilerplate.learn(article.text) if learn else ()
        return bared(article, boilerplate), learned
