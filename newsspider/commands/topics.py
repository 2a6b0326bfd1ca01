"""``scrapy topics``: the topics that can be watched, and what their trained weights are made of."""

from __future__ import annotations

import time
from argparse import Namespace
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from newsspider.cli.command import DataCommand, Failed, emit, print_line, print_note, print_text, urls_of
from newsspider.cli.scrapy_options import whole_number
from newsspider.commands.score import known_model, load
from newsspider.crawl.wrong_use import reason_of, wrong_use
from newsspider.sites.atomic_files import write_whole

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Sequence

    from newsspider.core.relevance.topic import TopicProfile
    from newsspider.store.articles.labels import Label
    from newsspider.topics.corpus import Labelled

ANY_NUMBER = 1000
MOST_WEEKS = 520
LABELS = "labels"  # the source that labelled articles of the store are
ACTIONS = {  # the least and the most arguments of each
    "list": (0, 0),
    "show": (1, 1),
    "test": (2, ANY_NUMBER),
    "train": (1, ANY_NUMBER),
    "eval": (1, ANY_NUMBER),
    "label": (2, ANY_NUMBER),
    "labels": (1, 1),
    "drift": (1, 1),
    "dictionary": (1, 1),
}


class Command(DataCommand):
    """Lists the built-in topics, shows one, tries texts on it, trains its weights, measures it on labelled texts."""

    examples = """\
  scrapy topics list
  scrapy topics show education
  scrapy topics show my-topic.toml          says what is wrong with it, if anything is
  scrapy topics test education "教育部部署高考" "股价大涨"
  scrapy topics train my-topic.toml labelled.jsonl    writes my-topic.bin beside it
  scrapy topics eval my-topic.toml others.jsonl
  scrapy topics label my-topic.toml https://news.example.cn/1.html --relevant
  scrapy topics label my-topic.toml https://news.example.cn/1.html --remove
  scrapy topics train my-topic.toml labelled.jsonl --labels      what was labelled is learned from too
  scrapy topics labels my-topic.toml > labelled.jsonl
  scrapy topics drift education --weeks 6   share kept of what was read, by site and week
  scrapy topics dictionary education > userdict.txt

a labelled line is {title, text, relevant}, one of title and text optional; NAME is a topic's name or a profile's path"""

    def syntax(self) -> str:
        return (
            "list | show NAME | test NAME TITLE... | train NAME FILE... | eval NAME FILE... | label NAME URL... | labels NAME"
            " | drift NAME | dictionary NAME"
        )

    def short_desc(self) -> str:
        return "List, show, try, train or measure the topics; label articles"

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--json", action="store_true", help="list: one JSON line a topic; drift: one a week of a site"
        )
        parser.add_argument("--out", metavar="FILE", help="train: where the weights go (default: beside the profile)")
        parser.add_argument(
            "--labels", action="store_true", help="train, eval: take the labelled articles of the store too"
        )
        parser.add_argument("--relevant", action="store_true", help="label: these articles are on the topic")
        parser.add_argument("--irrelevant", action="store_true", help="label: they are not")
        parser.add_argument("--remove", action="store_true", help="label: take back what was said of them")
        parser.add_argument(
            "--weeks", default="8", metavar="N", help="drift: so many weeks, this one included (default: 8)"
        )
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
                train(args[1], self._texts(args, opts), opts.out)
            case "eval":
                evaluate(args[1], self._texts(args, opts), known_model(opts.model))
            case "label":
                return self._label(load(args[1]), args[2:], opts)
            case "labels":
                for said in self._labels(load(args[1])):
                    emit({"url": said.url, "title": said.title, "text": said.text, "relevant": said.relevant})
            case "drift":
                self._drift(load(args[1]), whole_number("--weeks", opts.weeks, 1, MOST_WEEKS), as_json=opts.json)
            case _:
                from newsspider.topics.loader import dictionary

                print_text(dictionary(load(args[1])))
        return None

    def _texts(self, args: list[str], opts: Namespace) -> list[Labelled]:
        """The texts of the labelled files, and with ``--labels`` those of the store."""
        name, paths = args[1], args[2:]
        if not paths and not opts.labels:
            raise wrong_use(f"name a labelled file, or say --labels: scrapy topics {args[0]} {name} FILE...")
        texts = labelled(name, paths) if paths else []
        stored = of_labels(self._labels(load(name, trained=False))) if opts.labels else []
        if opts.labels and not stored:
            raise wrong_use(f"no stored article is labelled: scrapy topics label {name} URL... --relevant")
        return [*texts, *stored]

    def _label(self, topic: TopicProfile, words: Sequence[str], opts: Namespace) -> int:
        from newsspider.core.relevance.topic import Model
        from newsspider.store.articles.labels import label, unlabel
        from newsspider.store.engine.database import writing
        from newsspider.store.exploring.crawls import keys_of

        if opts.relevant + opts.irrelevant + opts.remove != 1:
            raise wrong_use("say one of --relevant, --irrelevant and --remove")
        if topic.model is Model.ANY:
            raise wrong_use(f"{topic.name} keeps everything; label for a topic of your own")
        done, wrong = (
            ("taken back", "it is not labelled") if opts.remove else ("labelled", "no article is stored of it")
        )
        urls, now = urls_of(words, done), time.time()
        with self.store() as engine, writing(engine) as conn:
            keys = {url: keys_of(conn, url) for url in urls}
            if opts.remove:
                unknown = [url for url in urls if not unlabel(conn, topic.name, keys[url])]
            else:
                unknown = [url for url in urls if not label(conn, topic.name, keys[url], now, relevant=opts.relevant)]
        for url in unknown:
            print_note(f"{url}: {wrong}")
        if len(unknown) < len(urls):
            print_note(f"{len(urls) - len(unknown)} {done}")
        return 1 if unknown else 0

    def _drift(self, topic: TopicProfile, count: int, *, as_json: bool) -> None:
        from datetime import UTC, datetime

        from newsspider.core.extraction.lines.moments import SHANGHAI
        from newsspider.store.articles.topic_shares import weeks
        from newsspider.store.engine.database import reading

        with self.store() as engine, reading(engine) as conn:
            found = weeks(conn, topic.name, time.time(), count)
        for site, each in found.items():
            if not as_json:
                print_line(site)
            for week in each:
                day = datetime.fromtimestamp(week.start, UTC).astimezone(SHANGHAI).date().isoformat()
                if as_json:
                    emit({
                        "site": site, "week": day, "kept": week.kept, "refused": week.refused,
                        "share": round(week.share, 4), "drifted": week.drifted,
                    })  # fmt: skip
                else:
                    mark = "  differs from the weeks before" if week.drifted else ""
                    print_line(f"  {day} {week.share:7.1%} of {week.kept + week.refused:5}{mark}")
        print_note(f"{len(found)} sites")

    def _labels(self, topic: TopicProfile) -> list[Label]:
        from newsspider.store.articles.labels import labelled
        from newsspider.store.engine.database import reading

        with self.store() as engine, reading(engine) as conn:
            return labelled(conn, topic.name)


def of_labels(labels: Sequence[Label]) -> list[Labelled]:
    """Labelled articles as labelled texts."""
    from newsspider.topics.corpus import OTHER, Labelled

    return [Labelled(LABELS, OTHER, one.relevant, one.title, one.text) for one in labels if one.title or one.text]


def show_all(*, as_json: bool) -> None:
    from newsspider.topics.loader import topic_names

    for name in topic_names():
        topic = load(name)
        if as_json:
            emit({"name": name, "title": topic.title, "model": topic.model, "terms": len(topic.terms)})
        else:
            print_line(f"{name:<16}{topic.model:<10}{len(topic.terms):>6} terms  {topic.title}")


def test(topic: TopicProfile, titles: Sequence[str], model: str | None) -> None:
    from newsspider.commands.score import answer
    from newsspider.core.relevance.scoring import Document, score

    for title in titles:
        emit({"title": title, **answer(score(topic, Document(title=title), model))})


def train(name: str, texts: Sequence[Labelled], out: str | None) -> None:
    from newsspider.topics.loader import topic_names, training_files, weights_beside

    if out is None and name in topic_names():
        raise wrong_use("say where the weights of a built-in topic go: --out FILE")
    target = Path(out) if out else weights_beside(name)
    topic = load(name, trained=False)  # old weights may be ones that only training anew helps
    if target.exists() and all(one.source == LABELS for one in texts) and training_files(name):
        raise wrong_use(
            f"labels alone would take the place of {target}, which was made from more; name the profile's files, or --out FILE"
        )
    try:
        from newsspider.topics.training import TOPIC, Sample, trained
    except ImportError as error:
        raise wrong_use(f"training needs scikit-learn ({error}): pip install 'newsspider[train]'") from None
    from newsspider.core.relevance.scoring import words_of
    from newsspider.core.relevance.topic import Model
    from newsspider.core.relevance.weights_file import packed

    learned_from = [one for one in texts if not one.held_out]
    # of an article both are learned from
    headlines = [replace(one, text="") for one in learned_from if one.headline and one.text]
    samples = [
        Sample(one.source, TOPIC if one.relevant else one.group, one.headline, one.text)
        for one in (*headlines, *learned_from)
    ]
    try:
        learned = trained(samples, lambda headline, text: words_of(topic, headline, text))
    except ValueError as error:
        raise wrong_use(str(error)) from None
    content = packed(learned)
    try:
        write_whole(target, content)
    except OSError as error:
        raise Failed(f"{target}: {reason_of(error)}") from None
    article, headline = learned.thresholds
    emit(
        {
            "weights": str(target),
            "bytes": len(content),
            "texts": len(samples),
            "thresholds": {"article": article, "headline": headline},
        }
    )
    if own := [model for model in (Model.BLEND, Model.LEARNED) if model in topic.thresholds]:
        print_note(
            f"{name} has [thresholds] of its own for {' and '.join(own)}, which hold instead of the trained ones"
        )


def evaluate(name: str, texts: Sequence[Labelled], model: str | None) -> None:
    from newsspider.core.relevance.scoring import Document, score
    from newsspider.topics.measure import measured

    topic = load(name)
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
