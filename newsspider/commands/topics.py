"""``scrapy topics``: the topics that can be watched, and what their trained weights are made of."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from newsspider.commandline import DataCommand, emit, wrong_use
from newsspider.commands.score import known_model, load

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Sequence

    from newsspider.core.topic import TopicProfile
    from newsspider.topics.corpus import Labelled

ANY_NUMBER = 1000
ACTIONS = {  # the least and the most arguments of each
    "list": (0, 0),
    "show": (1, 1),
    "test": (2, ANY_NUMBER),
    "train": (2, ANY_NUMBER),
    "eval": (2, ANY_NUMBER),
    "dictionary": (1, 1),
}


class Command(DataCommand):
    """Lists the built-in topics, shows one, tries texts on it, trains its weights, measures it on labelled files."""

    examples = """\
  scrapy topics list
  scrapy topics show education
  scrapy topics show my-topic.toml          says what is wrong with it, if anything is
  scrapy topics test education "教育部部署高考" "股价大涨"
  scrapy topics train my-topic.toml labelled.jsonl    writes my-topic.bin beside it
  scrapy topics eval my-topic.toml others.jsonl
  scrapy topics dictionary education > userdict.txt

a labelled line is {title, text, relevant}, one of title and text optional; NAME is a topic's name or a profile's path"""

    def syntax(self) -> str:
        return "list | show NAME | test NAME TITLE... | train NAME FILE... | eval NAME FILE... | dictionary NAME"

    def short_desc(self) -> str:
        return "List, show, try, train or measure the topics"

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--json", action="store_true", help="list: one JSON line a topic")
        parser.add_argument("--out", metavar="FILE", help="train: where the weights go (default: beside the profile)")
        parser.add_argument("--model", help="test, eval: a model other than the profile's own")

    def work(self, args: list[str], opts: Namespace) -> int | None:
        least, most = ACTIONS.get(args[0] if args else "", (1, 0))
        if not least <= len(args) - 1 <= most:
            raise wrong_use(f"say {self.syntax()}")
        match args[0]:
            case "list":
                show_all(as_json=opts.json)
            case "show":
                emit(summary(load(args[1])))
            case "test":
                test(load(args[1]), args[2:], known_model(opts.model))
            case "train":
                train(args[1], args[2:], opts.out)
            case "eval":
                evaluate(args[1], args[2:], known_model(opts.model))
            case _:
                from newsspider.topics.loader import dictionary

                print(dictionary(load(args[1])), end="")
        return None


def show_all(*, as_json: bool) -> None:
    from newsspider.topics.loader import topic_names

    for name in topic_names():
        topic = load(name)
        if as_json:
            emit({"name": name, "title": topic.title, "model": topic.model, "terms": len(topic.terms)})
        else:
            print(f"{name:<16}{topic.model:<10}{len(topic.terms):>6} terms  {topic.title}")


def test(topic: TopicProfile, titles: Sequence[str], model: str | None) -> None:
    from newsspider.commands.score import answer
    from newsspider.core.relevance import Document, score

    for title in titles:
        emit({"title": title, **answer(score(topic, Document(title=title), model))})


def train(name: str, paths: Sequence[str], out: str | None) -> None:
    from newsspider.topics.loader import SUFFIX, WEIGHTS, topic_names

    if out is None and name in topic_names():
        raise wrong_use("say where the weights of a built-in topic go: --out FILE")
    target = Path(out or name.removesuffix(SUFFIX) + WEIGHTS)
    topic, texts = load(name), labelled(name, paths)
    try:
        from newsspider.topics.training import TOPIC, Sample, trained
    except ImportError as error:
        raise wrong_use(f"training needs scikit-learn ({error}): pip install 'newsspider[train]'") from None
    from newsspider.core.relevance import words_of
    from newsspider.core.weights import packed

    samples = [
        Sample(one.source, TOPIC if one.relevant else one.group, one.headline, one.text)
        for one in texts
        if not one.held_out
    ]
    try:
        learned = trained(samples, lambda headline, text: words_of(topic, headline, text))
    except ValueError as error:
        raise wrong_use(str(error)) from None
    content = packed(learned)
    target.write_bytes(content)
    article, headline = learned.thresholds
    emit({"weights": str(target), "bytes": len(content), "texts": len(samples), "thresholds": {"article": article, "headline": headline}})


def evaluate(name: str, paths: Sequence[str], model: str | None) -> None:
    from newsspider.core.relevance import Document, score
    from newsspider.topics.measure import measured

    topic = load(name)
    texts = labelled(name, paths)
    parts = dict.fromkeys((one.source, one.held_out) for one in texts)
    for source, held_out in parts:
        ours = [one for one in texts if (one.source, one.held_out) == (source, held_out)]
        found = [score(topic, Document(title=one.headline, text=one.text), model) for one in ours]
        figures = measured([(one.score, one.relevant) for one in found], [one.relevant for one in ours])
        emit({"source": source, "held_out": held_out, "texts": len(ours), **figures})


def labelled(name: str, paths: Sequence[str]) -> list[Labelled]:
    """The texts of labelled files, or the sentence why they are none."""
    from newsspider.topics import corpus
    from newsspider.topics.loader import BadTopic, training_files

    try:
        found = corpus.labelled([Path(path) for path in paths], training_files(name))
    except (BadTopic, corpus.BadCorpus, OSError) as error:
        raise wrong_use(str(error)) from None
    if not found:
        raise wrong_use(f"there is no labelled line in {', '.join(paths)}")
    return found


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
        "rules": len(topic.rules),
        "subtopics": list(topic.subtopics),
        "trained": topic.learned is not None,
        "thresholds": {
            model: {"article": least.article, "headline": least.headline} for model, least in topic.thresholds.items()
        },
    }
