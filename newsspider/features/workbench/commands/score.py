"""``scrapy score``: how much each text is about a topic."""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import TYPE_CHECKING

from newsspider.actions.topics import known_model, topic_named
from newsspider.cli.command import DataCommand, print_record
from newsspider.crawl.wrong_use import wrong_use
from newsspider.features.workbench.topic_records import score_record

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from newsspider.cli.json_lines import Record
    from newsspider.core.relevance.document import Document

HEADINGS = ("headings", "h1", "h2", "h3", "h4", "h5", "h6")


class Command(DataCommand):
    """A line is {id, title, text, tags, url, site, channel, media, author}; title or text is required. ``tags`` is
    {title, headings, keywords, description} of the page, each a text or a list; h1 to h6 work, too. url, site, channel,
    media and author are for rules. Lines of ``scrapy export`` have these fields. Lines are UTF-8 or GB18030.

    Prints {id, score, relevant, terms, model} for each line as soon as it has read it; a line that cannot be used gets
    ``error``. The model blend adds ``decided_by`` and ``parts`` (the log odds of each part, where 0 is the threshold).
    A topic with rules adds the names of those that hold (only the deciding ones, if any decide), one with sub-topics
    the sub-topics."""

    summary = "Score JSON lines {id, title, text, tags, url} against a topic"
    usage = "[--topic NAME|FILE.toml] [--model MODEL] < JSONL"
    examples = """\
  echo '{"id": 1, "title": "教育部部署今年高考工作"}' | scrapy score
  scrapy score --topic my-topic.toml --model vector < articles.jsonl
"""

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--topic", metavar="NAME", help="a topic's name or a profile's path (default: setting TOPIC)"
        )
        parser.add_argument(
            "--model",
            help="blend, learned, words, boolean, tags or vector (default: RELEVANCE_MODEL, then the profile's)",
        )

    def work(self, args: list[str], opts: Namespace) -> int | None:
        if args:
            raise wrong_use("score reads its lines from stdin and takes no arguments")
        topic = topic_named(self.settings["TOPIC"] if opts.topic is None else opts.topic)
        model = known_model((self.settings.get("RELEVANCE_MODEL") or None) if opts.model is None else opts.model)

        from newsspider.cli.json_lines import read_records
        from newsspider.core.relevance.scoring import score

        for record in read_records(sys.stdin.buffer):
            if record.error:
                print_record({"id": record.id, "error": record.error})
            else:
                print_record({"id": record.id, **score_record(score(topic, document(record), model))})
            sys.stdout.flush()
        return None


def document(record: Record) -> Document:
    from newsspider.cli.json_lines import text_of, texts_of
    from newsspider.core.relevance.document import Document

    tags = record.tags
    return Document(
        title=record.title,
        text=record.text,
        meta_title=text_of(tags, "title"),
        headings=tuple(text for key in HEADINGS for text in texts_of(tags, key)),
        meta_keywords=texts_of(tags, "keywords"),
        meta_description=text_of(tags, "description"),
        url=record.url,
        site=record.site,
        channel=record.channel,
        media=record.media,
        authors=record.authors,
    )
