"""A page as a tree: its bytes decoded and parsed once, flattened into lines and the containers they stand in."""

from newsspider.core.extraction.dom.charset import damage_of
from newsspider.core.extraction.dom.json_ld import is_frame, linked_data_of
from newsspider.core.extraction.dom.outline import (
    MOST_HEADINGS,
    SIDE_NAME,
    Line,
    Node,
    Outline,
    Picture,
    ancestors,
    lines_under,
    next_texts,
    outline_of,
    titles_of,
)
from newsspider.core.extraction.dom.page import GarbledPageError, Page, UnreadablePageError, parse

__all__ = (
    "MOST_HEADINGS",
    "SIDE_NAME",
    "GarbledPageError",
    "Line",
    "Node",
    "Outline",
    "Page",
    "Picture",
    "UnreadablePageError",
    "ancestors",
    "damage_of",
    "is_frame",
    "lines_under",
    "linked_data_of",
    "next_texts",
    "outline_of",
    "parse",
    "titles_of",
)
