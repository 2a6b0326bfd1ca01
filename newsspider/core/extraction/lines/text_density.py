"""Weighs the running text of a line, and decides whether the line may be one of an article."""

from __future__ import annotations

import re

from newsspider.core.extraction.dom import Line
from newsspider.core.extraction.lines.boilerplate_lines import is_boilerplate_line, is_label, is_legal
from newsspider.core.extraction.lines.mastheads import is_masthead

SENTENCE_LETTERS = 12  # characters outside links from which a line with punctuation counts as running text
LEAST_TEXT = 20  # characters of a text that says something
RUNNING = re.compile(r"[，。]|[,.]\s|”$")  # what sentences have and most headlines have not
LINK_LINE = 0.5  # share of linked characters from which a line is a link, not text
LEAD = 16.0  # weight of running text from which the lines that say when and who are over
ADDRESSED = ("：", ":")  # ends the line of a notice that names its addressee
SENTENCE_ENDS = ("。", "！", "？", "”")  # of sentences
LONG_LINE = 80  # characters from which a line above the text is no masthead, if it has the marks of sentences


def weight_of(line: Line) -> float:
    """The characters of running text in a line; short lines and headlines count less, links and headings nothing."""
    text, linked = line.text, line.linked  # every line of every page comes by here
    length = len(text)
    if linked > LINK_LINE * length or (line.tag and not _is_written_as_heading(line)) or is_legal(text):
        return 0.0
    plain = length - linked
    if not line.marks or plain < SENTENCE_LETTERS:
        return plain * 0.15
    return float(plain) if RUNNING.search(text) else plain * 0.5


def _is_written_as_heading(line: Line) -> bool:
    """Whether a heading is none, but a paragraph that an editor set large."""
    return len(line.text) >= LONG_LINE // 2 and line.marks > 2 and line.text.endswith(SENTENCE_ENDS)


def is_link(line: Line) -> bool:
    """Whether a line is a link rather than text."""
    return line.linked > LINK_LINE * len(line.text)


def is_paragraph(line: Line, weight: float) -> bool:
    """Whether a line of that weight, where it stands, is a paragraph of running text."""
    return weight >= LEAD and line.marks > 0


def is_text(line: Line, above: bool = False) -> bool:
    """Whether a line of the article's container belongs to the article; ``above``: no running text precedes it."""
    text = line.text
    if is_link(line) and (line.marks < 2 or line.linked > 0.8 * len(text)):
        return False
    if (is_boilerplate_line(text) and (above or not is_label(text))) or is_legal(text):
        return False
    if not above:
        return True
    if line.tag == "h1" and not _is_written_as_heading(line) and not text.endswith(ADDRESSED):
        return False
    long = len(text) >= LONG_LINE and RUNNING.search(text) is not None
    return long or text.endswith(SENTENCE_ENDS) or not is_masthead(text)
