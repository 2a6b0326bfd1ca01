"""Shows a stored article to a reader: as text of 80 columns, or as a page of HTML that asks for nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from html import escape
from typing import Any

from newsspider.core.duplicates.first_source import Copy
from newsspider.core.query.query_dates import ZONE, is_day, publication_text
from newsspider.core.text.characters import escaped_line
from newsspider.core.text.terminal_columns import wrap_text

SCREEN_WIDTH, LABEL_WIDTH = 80, 13

_PAGE = """\
<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
body {{ max-width: 42em; margin: 2em auto; padding: 0 1em; font-family: serif; line-height: 1.8; line-break: strict }}
h1 {{ font-size: 1.5em; line-height: 1.4 }}
dl {{ display: grid; grid-template-columns: max-content auto; gap: 0 1em; font-size: .85em; color: #555 }}
dd {{ margin: 0; overflow-wrap: anywhere }}
</style>
</head>
<body>
<article>
<h1>{title}</h1>
<dl>
{facts}
</dl>
{text}
</article>
</body>
</html>
"""


def facts(record: dict[str, Any], first: Copy | None) -> Iterator[tuple[str, str]]:
    """What is known of an article beside its text, each value with its label; ``first`` is the first source of several
    pages."""
    site = ", ".join(part for part in (record["site"], record["media_class"]) if part)
    yield "source", f"{record['source'] or '-'} (site: {site or '-'})"
    yield "author", ", ".join(record["author"]) or "-"
    yield "published", _moment(record["published_at"])
    if record["modified_at"]:
        yield "modified", _moment(record["modified_at"])
    yield "crawled", _moment(record["crawled_at"])
    if record["vanished_at"]:
        yield "vanished", f"{_moment(record['vanished_at'])}: {record['absence']}"
    yield "topic", f"{record['topic'] or '-'}, score {record['score']:.2f}"
    if record["subtopics"]:
        yield "sub-topics", ", ".join(record["subtopics"])
    yield "reprints", str(record["reprints"])
    if first is not None:
        own = first.url == record["url"]
        at = None if first.published_at is None else datetime.fromtimestamp(first.published_at, ZONE).isoformat()
        yield "first source", "this one" if own else f"{first.source or first.site or '-'}, {_moment(at)}"
        if not own:
            yield "", first.url
    yield "URL", record["url"]
    yield from (("also at", url) for url in record["urls"] if url != record["url"])
    yield from (("attachment", url) for url in record["attachments"])


def text_lines(record: dict[str, Any], first: Copy | None) -> Iterator[str]:
    """The article in lines of at most 80 columns, except for longer URLs; a blank line between two paragraphs."""
    yield from wrap_text(escaped_line(record["title"]), SCREEN_WIDTH)
    for label, value in facts(record, first):
        line = escaped_line(value)
        head = f"  {label}".ljust(LABEL_WIDTH + 2)
        for part in [line] if _is_url(line) else wrap_text(line, SCREEN_WIDTH - len(head)):
            yield head + part
            head = " " * len(head)
    for paragraph in _paragraphs(record):
        yield ""
        yield from wrap_text(escaped_line(paragraph), SCREEN_WIDTH)


def article_as_html(record: dict[str, Any], first: Copy | None) -> str:
    """The article as a page of HTML."""
    rows = "\n".join(f"<dt>{escape(label)}</dt><dd>{_value(value)}</dd>" for label, value in facts(record, first))
    text = "\n".join(f"<p>{escape(paragraph)}</p>" for paragraph in _paragraphs(record))
    language = escape(record["language"] or "zh")
    return _PAGE.format(language=language, title=escape(record["title"]), facts=rows, text=text)


def _paragraphs(record: dict[str, Any]) -> Iterator[str]:
    """The paragraphs of the text, then of the replies of a thread, each reply with its number."""
    yield from (line for line in record["text"].split("\n") if line.strip())
    for number, reply in enumerate(record["comments"], 1):
        first, *more = [line for line in reply.split("\n") if line.strip()] or [""]
        yield from (f"[{number}] {first}", *more)


def _moment(moment: str | None) -> str:
    """A moment for people, in China's time with its offset."""
    if moment is None:
        return "unknown"
    when = datetime.fromisoformat(moment).astimezone(ZONE)
    return publication_text(when) if is_day(when) else when.isoformat(" ", "minutes")


def _value(value: str) -> str:
    text = escape(value)
    return f'<a rel="noreferrer" href="{text}">{text}</a>' if _is_url(value) else text


def _is_url(value: str) -> bool:
    return value.startswith(("http://", "https://"))
