"""Shows articles that were found in lines of 80 columns."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from sqlalchemy import Connection

from newsspider.cli.command import print_note
from newsspider.core.query.highlights import highlights
from newsspider.core.query.moments import ZONE
from newsspider.core.query.tree import Node
from newsspider.core.text.columns import cut
from newsspider.search.query import Hit
from newsspider.store.index.rebuild import unfinished

WIDTH = 80
SNIPPET_BEFORE = 20  # characters of the text before the word found


def lines(hit: Hit, node: Node) -> Iterator[str]:
    """A hit of a search in lines of at most 80 columns, except for longer URLs."""
    record = hit.record
    yield cut(f"{moment_of(hit):%Y-%m-%d %H:%M}  {record['title']}", WIDTH)
    vanished = f", vanished ({record['absence']})" if record["vanished_at"] else ""
    old = f", until {datetime.fromtimestamp(hit.revised_at, ZONE):%m-%d %H:%M}" if hit.revised_at else ""
    origin = f"{record['site'] or '-'}, {record['source'] or '-'}, priority {record['priority']}"
    yield cut(f"  {origin}{reprints_of(hit)}{vanished}{old}", WIDTH)
    yield f"  {record['url']}"
    yield "  " + cut(snippet(hit.text, node), WIDTH - 2)
    yield ""


def day_lines(hit: Hit) -> Iterator[str]:
    """A hit in the list of a day, in two lines of at most 80 columns."""
    record = hit.record
    yield cut(f"{moment_of(hit):%H:%M}  {record['title']}", WIDTH)
    undated = "" if record["published_at"] else ", crawled then, without a date"
    origin = f"{record['source'] or record['site'] or '-'}, priority {record['priority']}, id {record['id']}"
    yield cut(f"       {origin}{reprints_of(hit)}{undated}", WIDTH)


def moment_of(hit: Hit) -> datetime:
    """When the article was published, else crawled, in China's time."""
    return datetime.fromisoformat(hit.record["published_at"] or hit.record["crawled_at"]).astimezone(ZONE)


def reprints_of(hit: Hit) -> str:
    """How many reprints the article has, and the first source if that is another one; empty if it has none."""
    count = hit.record["reprints"]
    text = f", and {count} reprint{'s' if count > 1 else ''}" if count else ""
    if hit.first is not None:
        source, moment = hit.first
        text += f", first {source} {datetime.fromtimestamp(moment, ZONE):%m-%d %H:%M}"
    return text


def snippet(text: str, node: Node) -> str:
    """The text from shortly before the first of the texts that are asked for, each of them in 【】."""
    flat = " ".join(text.split())
    places = highlights(flat, node)
    start = max(min((place for place, _ in places), default=0) - SNIPPET_BEFORE, 0)
    piece, at = "…" if start else "", start
    for begin, end in places:
        if begin >= start + WIDTH:
            break
        piece += f"{flat[at:begin]}【{flat[begin:end]}】"
        at = end
    return piece + flat[at : start + WIDTH]


def note_missing(conn: Connection) -> bool:
    """Say on stderr that articles are missing if the index is not complete; whether it is so."""
    missing = unfinished(conn) is not None
    if missing:
        print_note("articles are missing: the index is not complete; run scrapy reindex")
    return missing
