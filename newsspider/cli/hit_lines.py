"""Shows articles that were found in lines of 80 columns."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from sqlalchemy import Connection

from newsspider.cli.command import print_note
from newsspider.core.query.query_dates import ZONE, publication_text
from newsspider.core.query.query_tree import Node
from newsspider.core.query.snippets import make_snippet
from newsspider.core.text.terminal_columns import cut_to_columns
from newsspider.search.hits import Hit
from newsspider.store.index.entries import unfinished_rebuild

SCREEN_WIDTH = 80
SNIPPET_BEFORE = 20  # characters of the text before the word found


def lines_of_hit(hit: Hit, node: Node) -> Iterator[str]:
    """A hit of a search in lines of at most 80 columns, except for longer URLs."""
    record = hit.record
    yield cut_to_columns(f"{publication_text(moment_of(hit))}  {record['title']}", SCREEN_WIDTH)
    vanished = f", vanished ({record['absence']})" if record["vanished_at"] else ""
    old = f", until {datetime.fromtimestamp(hit.revised_at, ZONE):%m-%d %H:%M}" if hit.revised_at else ""
    origin = f"{record['site'] or '-'}, {record['source'] or '-'}, priority {record['priority']}"
    yield cut_to_columns(f"  {origin}{reprints_of(hit)}{vanished}{old}", SCREEN_WIDTH)
    yield f"  {record['url']}"
    yield "  " + cut_to_columns(_snippet(hit.text, node), SCREEN_WIDTH - 2)
    yield ""


def day_lines(hit: Hit) -> Iterator[str]:
    """A hit in the list of a day, in two lines of at most 80 columns."""
    record = hit.record
    yield cut_to_columns(f"{publication_text(moment_of(hit), '%H:%M'):5}  {record['title']}", SCREEN_WIDTH)
    undated = "" if record["published_at"] else ", crawled then, without a date"
    origin = f"{record['source'] or record['site'] or '-'}, priority {record['priority']}, id {record['id']}"
    yield cut_to_columns(f"       {origin}{reprints_of(hit)}{undated}", SCREEN_WIDTH)


def moment_of(hit: Hit) -> datetime:
    """When the article was published, else crawled, in China's time."""
    return datetime.fromisoformat(hit.record["published_at"] or hit.record["crawled_at"]).astimezone(ZONE)


def reprints_of(hit: Hit) -> str:
    """How many reprints the article has, and the first source if that is another one; empty if it has none."""
    count = hit.record["reprints"]
    text = f", and {count} reprint{'s' if count > 1 else ''}" if count else ""
    if hit.first is not None:
        source, moment = hit.first
        text += f", first {source} {publication_text(datetime.fromtimestamp(moment, ZONE), '%m-%d %H:%M')}"
    return text


def _snippet(text: str, node: Node) -> str:
    """A piece of the text with each match in 【】."""
    piece = make_snippet(text, node, SNIPPET_BEFORE, SCREEN_WIDTH)
    marked, at = "…" if piece.cut_before else "", 0
    for begin, end in piece.places:
        marked += f"{piece.text[at:begin]}【{piece.text[begin:end]}】"
        at = end
    return marked + piece.text[at:]


def note_missing(conn: Connection) -> bool:
    """Say on stderr that articles are missing if the index is not complete; whether it is so."""
    missing = unfinished_rebuild(conn) is not None
    if missing:
        print_note("articles are missing: the index is not complete; run scrapy reindex")
    return missing
