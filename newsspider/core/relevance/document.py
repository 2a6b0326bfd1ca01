"""What is scored against a topic. ``document_of`` in ``pages/read_page.py`` fills it from what was read of a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Document:
    """The text that is scored against a topic: an article, or only the anchor text of a link."""

    title: str = ""
    text: str = ""
    # The tags of the page: _tag_odds in scoring.py judges them.
    meta_title: str = ""  # the text of <title>
    headings: Sequence[str] = ()
    meta_keywords: Sequence[str] = ()
    meta_description: str = ""

    anchor: str = ""  # the text of the link that leads to the page
    url: str = ""
    site: str = ""
    channel: str = ""
    media: str = ""  # the media class of the site
    authors: Sequence[str] = ()

    @property
    def headline(self) -> str:
        """The title, or the anchor text of the link that leads to the page."""
        return self.title or self.meta_title or self.anchor

    @property
    def is_headline_only(self) -> bool:
        return not (self.text or self.headings or self.meta_keywords or self.meta_description)
