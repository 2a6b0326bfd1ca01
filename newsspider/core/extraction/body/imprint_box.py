"""Recognises a text that is only the imprint of a page: its footer, or a box of contacts above the headline."""

from __future__ import annotations

from collections.abc import Sequence

from newsspider.core.extraction.dom import Outline
from newsspider.core.extraction.lines.boilerplate_lines import is_contact, is_imprint, is_legal, leads_to_neighbour
from newsspider.core.text.title_comparison import SHORTEST_TITLE, stands_in, title_key

FOOT, NEAR_FOOT = 6, 3  # lines of the foot of a page, and between them and its notice of rights
MASTHEAD, BUTTON = 8, 6  # lines between headline and text, and linked characters of one that is a row of buttons


def is_imprint_box(outline: Outline, chosen: Sequence[int]) -> bool:
    """Whether the best text of a page is its footer: it has no headline, stands near a notice of rights, and each of
    its lines names the owner of the page or a contact; or a box of these above the first heading."""
    if not 0 < len(chosen) <= FOOT:
        return False
    lines, first, last = outline.lines, chosen[0], chosen[-1]
    texts = [lines[at].text for at in chosen]
    headline = next((at for tag, _, at in outline.headings if tag == "h1"), 0)
    if len(texts) > 1 and headline > last and all(map(is_contact, texts[1:])):
        return True
    if _is_headed(outline, first):
        return False
    near = lines[max(0, first - NEAR_FOOT) : last + 1 + NEAR_FOOT]
    return all(is_imprint(text) and "。" not in text for text in texts) and any(is_legal(line.text) for line in near)


def _is_headed(outline: Outline, first: int) -> bool:
    """Whether a headline stands close above a text, with nothing but a masthead and buttons between them."""
    title = title_key(outline.title or "")
    for at in range(first - 1, max(-1, first - 1 - MASTHEAD), -1):
        line = outline.lines[at]
        if line.tag or stands_in(line.text, title, SHORTEST_TITLE):
            return 2 * line.linked <= len(line.text)
        if line.linked > BUTTON or leads_to_neighbour(line.text) or is_legal(line.text):
            return False
    return False
