"""``scrapy event``: all that is known of one event."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from newsspider.cli.command import DataCommand, print_lines, print_note, print_record
from newsspider.crawl.wrong_use import wrong_use

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from sqlalchemy import Connection

    from newsspider.features.events.events import Event


class Command(DataCommand):
    """Shows title, size, first source, growth in the last hours, pages a day, places and names, sites and media
    classes; then every page by time: the site from which it took its text (reprint) or which it names as its source
    (credit), how similar it was to the event when it joined, the words that decided, and its most telling sentence.
    Events that were merged into this one are listed before the pages. With --json the pages are ``nodes``; ``edges``
    say which page took from which, and ``flows`` count them by site and by media class.

    ``--criticism`` shows which sentences of comments, posts and articles criticise instead, similar ones as one. It
    finds about a third of them, and says nothing about the rest.

    ``--words`` shows its title and most telling sentences instead, shortened by the model of LLM_URL; what fails the
    checks stays as it is (docs/how-to/words-by-a-model.md).

    ``--split`` makes some of its articles an event of their own, ``--merge`` makes it one with another event,
    ``--title`` names it (an empty title takes the name away), and ``--undo`` takes the last split or merge back. These
    decisions survive a rebuild of the events.

    ``scrapy hot events`` lists the ids; the id of any article of the event works, too."""

    summary = "Show an event: its pages, first source, growth, places and names, and why each page belongs to it"
    usage = "ID [options]"
    examples = """\
  scrapy event 412
  scrapy event 412 --limit 5
  scrapy event 412 --json | jq .timeline
  scrapy event 412 --criticism --limit 5
  scrapy event 412 --split 418,431
  scrapy event 412 --merge 407
"""

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--limit", metavar="N", help="at most N pages or sentences")
        parser.add_argument("--criticism", action="store_true", help="which sentences criticise")
        words = "its title and sentences, shortened by the model of LLM_URL"
        parser.add_argument("--words", action="store_true", help=words)
        parser.add_argument("--json", action="store_true", help="one JSON object")
        parser.add_argument("--split", metavar="ID,...", help="these of its articles are another event")
        parser.add_argument("--merge", metavar="ID", help="the event with this id is the same")
        parser.add_argument("--title", metavar="TEXT", help="what it is called")
        parser.add_argument("--undo", action="store_true", help="take its last split or merge back")

    def work(self, args: list[str], opts: Namespace) -> None:
        from datetime import UTC, datetime

        from newsspider.commands.export import limit_of
        from newsspider.features.events.analysed_store import open_analysed
        from newsspider.features.events.event_lines import fact_lines, page_lines
        from newsspider.features.events.events import changes_of, telling_sentences, whole_record

        if len(args) != 1:
            raise wrong_use("say the id of one event: scrapy event ID")
        limit, now = limit_of(opts), datetime.now(UTC).timestamp()
        if opts.words:
            show_words(self, args[0], now)
            return
        if opts.undo or {opts.split, opts.merge, opts.title} != {None}:
            change_event(self, args[0], opts)
        with open_analysed(self) as conn:
            event = event_named(conn, args[0])
            if opts.criticism:
                show_criticism(conn, event, limit, as_json=opts.json)
                return
            pages = event.pages[:limit]
            if opts.json:
                print_record(whole_record(conn, event, pages, now))
                return
            reasons, changes = telling_sentences(conn, event, pages), changes_of(conn, event.id)
        edge_to = {edge.target: edge for edge in event.edges()}
        sites = {page.copy.url: page.copy.site for page in event.pages}
        print_lines(fact_lines(event, now))
        for change in changes:
            print_lines([f"  {change['at'][5:16].replace('T', ' ')}  {change['event']} joined by {change['other']}"])
        print_lines([""])
        for page in pages:
            edge = edge_to.get(page.copy.url)
            from_site = f"{edge.way} of {sites[edge.source]}" if edge else ""
            words, reason = event.words_of(page), reasons.get(page.article_id, "")
            print_lines(page_lines(page, words, reason, from_site, is_first=page is event.first))
        if len(pages) < len(event.pages):
            print_note(f"{len(pages)} of {len(event.pages)} pages")


def change_event(command: DataCommand, name: str, opts: Namespace) -> None:
    """Change the event as the options say: all or nothing."""
    from newsspider.core.text.numbers import whole_number
    from newsspider.features.events.decisions import EventChange, prepare_events
    from newsspider.store.audit_trail import AT_THE_MACHINE
    from newsspider.store.engine.clock import Clock
    from newsspider.store.engine.database import reading, writing

    numbers = [whole_number(part) for part in (opts.split or "").split(",")]
    articles = [number for number in numbers if number is not None]
    if opts.split is not None and len(articles) < len(numbers):
        raise wrong_use(f"--split {opts.split}: say ids of articles, separated by commas")
    with command.store() as engine:
        with reading(engine) as conn:
            prepare_events(conn, {event_named(conn, each).id for each in (name, opts.merge) if each is not None})
        with writing(engine) as conn:

            def change() -> EventChange:
                return EventChange(conn, Clock().now(), AT_THE_MACHINE, event_named(conn, name))

            if opts.undo:
                change().undo()
            if articles:
                change().split(articles)
            if opts.merge is not None:
                change().merge(event_named(conn, opts.merge))
            if opts.title is not None:
                change().rename(opts.title)


def show_words(command: DataCommand, name: str, now: float) -> None:
    """Print an event in the words of a model, and its sentences of which the model made nothing."""
    from newsspider.core.text.terminal_columns import wrap_text
    from newsspider.features.events.analysed_store import open_analysed
    from newsspider.features.events.event_lines import SCREEN_WIDTH
    from newsspider.features.events.events import event_passages
    from newsspider.hooks import plugins

    with open_analysed(command) as conn:
        title, *others = event_passages(conn, event_named(conn, name))
    with command.store() as engine:
        wording = plugins().hook.worded(engine=engine, settings=command.settings, subjects=[[title, *others]], now=now)
    if wording is None:
        raise wrong_use("--words: no model is set up; set LLM_URL and LLM_MODEL, and name llm in FEATURES")
    (written,) = wording.subjects
    left = (f"{one.text}（编号{one.article}）" for one in others if written.left_of(one.article))
    for said in (written.title or title.text, *(one.text for one in written.sentences), *left, wording.report):
        print_lines(wrap_text(said, SCREEN_WIDTH))


def show_criticism(conn: Connection, event: Event, limit: int | None, *, as_json: bool) -> None:
    """Print which sentences in the pages of an event criticise."""
    from newsspider.core.text.terminal_columns import wrap_text
    from newsspider.features.events.criticism import criticism_model, criticisms_in
    from newsspider.features.events.event_lines import SCREEN_WIDTH

    found = criticisms_in(conn, criticism_model(), {page.article_id for page in event.pages})
    if as_json:
        print_record({"id": event.id, "title": event.title, **found.record(limit)})
        return
    print_lines([f"{event.title}: {sum(map(len, found.groups))} of {found.sentences} sentences criticise"])
    for group in found.groups[:limit]:
        alike = f", {len(group)} alike" if len(group) > 1 else ""
        print_lines(
            ["", *wrap_text(group[0].sentence, SCREEN_WIDTH), f"  {group[0].voice} of id {group[0].article}{alike}"]
        )
    if not found.is_complete:
        print_note(f"only the first {found.sentences} sentences were judged")


def event_named(conn: Connection, name: str) -> Event:
    """The event that has this id, or an article with this id; wrong use if there is none."""
    from newsspider.core.text.numbers import whole_number
    from newsspider.features.events.events import of_article, read_events

    number = whole_number(name)
    event = None if number is None else of_article(conn, number) or read_events(conn, [number]).get(number)
    if event is None:
        raise wrong_use(f"no event has the id {name!r}; scrapy hot events gives ids")
    return event
