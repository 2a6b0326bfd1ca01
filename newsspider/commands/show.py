"""``scrapy show``: a stored article to read."""

from __future__ import annotations

import shlex
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from newsspider.cli.command import DataCommand, print_pages, print_record, print_text
from newsspider.crawl.wrong_use import wrong_use

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from sqlalchemy import Connection

MOST_DIGITS = 18  # of an id


class Command(DataCommand):
    """Prints title, source, author, times in China, topic and score, reprints and their first source, URL and
    attachments, then the text in lines of 80 columns. On a terminal it uses the pager of the environment variable
    PAGER, else ``less``; set PAGER to nothing for no pager. ``scrapy news`` and ``scrapy export`` give the ids of
    articles."""

    summary = "Print a stored article to read"
    usage = "URL|ID [options]"
    examples = """\
  scrapy show 412
  scrapy show http://www.moe.gov.cn/jyb_xwfb/1.html
  scrapy show 412 --html > article.html
  scrapy show 412 --json | jq -r .text
"""

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--html", action="store_true", help="a page of HTML that loads nothing else")
        parser.add_argument("--json", action="store_true", help="one JSON object, as scrapy export gives it")

    def work(self, args: list[str], opts: Namespace) -> None:
        from newsspider.cli.article_view import article_as_html, text_lines
        from newsspider.commands.export import reading_store
        from newsspider.store.articles.reprints import group_of_url

        if len(args) != 1:
            raise wrong_use("say one URL, or the id of an article: scrapy show URL|ID")
        if opts.html and opts.json:
            raise wrong_use("--html and --json: say one of them")
        with reading_store(self) as conn:
            record = article(conn, args[0])
            group = None if opts.json else group_of_url(conn, record["url"])
        first = group.steps[0].copy if group is not None and len(group.steps) > 1 else None
        if opts.json:
            print_record(record)
        elif opts.html:
            print_text(article_as_html(record, first))
        else:
            print_pages("".join(f"{line}\n" for line in text_lines(record, first)))


def article(conn: Connection, name: str) -> dict[str, Any]:
    """The record of the article with this URL or id; wrong use if there is none."""
    from newsspider.core.url import canonical
    from newsspider.store.articles.article_records import article_at, article_of

    if name.isascii() and name.isdecimal():
        record = article_of(conn, int(name)) if len(name) <= MOST_DIGITS else None
        if record is None:
            raise wrong_use(f"no article has the id {name}; scrapy news and scrapy export give ids")
        return record
    url = canonical(name)
    if url is None:
        raise wrong_use(f"{name!r} is neither an http or https URL nor the id of an article")
    number = article_at(conn, url)
    record = None if number is None else article_of(conn, number)
    if record is None:
        raise wrong_use(why_none(conn, url))
    return record


def why_none(conn: Connection, url: str) -> str:
    """Why there is no article of a canonical URL."""
    from newsspider.core.model import Reason, State
    from newsspider.store.url_history import histories_of

    history = next(iter(histories_of(conn, url)), None)
    if history is None:
        return f"{url} is not known: no article of it is stored"
    state, reason = State(history.url["state"]), Reason(history.url["reason"])
    why = f"{state.sentence}, {reason.sentence}"
    return f"{url} is known, but no article of it is stored: {why}; see scrapy explain {shlex.quote(url)}"
