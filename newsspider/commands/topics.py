"""``scrapy topics``: the topics that can be watched."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from typing import TYPE_CHECKING

from newsspider.commandline import DataCommand, emit, wrong_use
from newsspider.commands.score import load

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from newsspider.core.topic import TopicProfile

ACTIONS = {"list": 0, "show": 1, "dictionary": 1}  # and how many arguments each takes


class Command(DataCommand):
    """Lists the built-in topics, shows one (a profile's path does too), or prints its jieba user dictionary."""

    examples = """\
  scrapy topics list
  scrapy topics show education
  scrapy topics show my-topic.toml          says what is wrong with it, if anything is
  scrapy topics dictionary education > userdict.txt"""

    def syntax(self) -> str:
        return "list | show NAME|FILE.toml | dictionary NAME|FILE.toml"

    def short_desc(self) -> str:
        return "List the topics, or show one"

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--json", action="store_true", help="list: one JSON line a topic")

    def work(self, args: list[str], opts: Namespace) -> int | None:
        action = args[0] if args else ""
        if ACTIONS.get(action) != len(args) - 1:
            raise wrong_use(f"say {self.syntax()}")
        from newsspider.topics.loader import dictionary, topic_names

        if action == "list":
            for name in topic_names():
                topic = load(name)
                if opts.json:
                    emit({"name": name, "title": topic.title, "model": topic.model, "terms": len(topic.terms)})
                else:
                    print(f"{name:<16}{topic.model:<10}{len(topic.terms):>6} terms  {topic.title}")
        elif action == "show":
            emit(summary(load(args[1])))
        else:
            print(dictionary(load(args[1])), end="")
        return None


def summary(topic: TopicProfile) -> dict[str, object]:
    """What a profile holds, in figures."""
    return {
        "name": topic.name,
        "title": topic.title,
        "model": topic.model,
        "terms": len(topic.terms),
        "spellings": len(topic.spellings()),
        "classes": dict(Counter(term.category for term in topic.terms)),
        "negative": len(topic.negative),
        "decoys": len(topic.decoys),
        "thresholds": {
            model: {"article": least.article, "headline": least.headline} for model, least in topic.thresholds.items()
        },
    }
