"""``scrapy topics train`` and ``eval``: weights from labelled texts, and how good they are."""

from __future__ import annotations

import shlex
from argparse import Namespace
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from newsspider.actions.topics import known_model, topic_named
from newsspider.cli.command import CommandError, DataCommand, print_line, print_note, print_record
from newsspider.crawl.wrong_use import reason_of, wrong_use
from newsspider.features.workbench.labelled_texts import (
    LABELS,
    CorpusError,
    Labelled,
    labelled_texts,
    learn_weights,
    read_labelled,
)
from newsspider.features.workbench.topic_views import stored_labels
from newsspider.sites.atomic_files import write_whole

if TYPE_CHECKING:
    from newsspider.core.relevance.topic import TopicProfile


MANY_LABELS = 500  # fewer labels have no weights of their own: these would be chance


def train(command: DataCommand, opts: Namespace) -> None:
    """Learn the weights of a topic and write them beside its profile.

    Needs at least 20 headlines on the topic and 20 on other things, and as many articles of each to learn from their
    texts. Writes the weights as a whole or not at all; the same files give the same bytes. Labels alone do not replace
    weights that were trained on files which the profile describes.
    """
    from newsspider.core.relevance.learned_model import pack_weights
    from newsspider.topics.loader import topic_names, training_files, weights_beside

    name, texts = opts.topic, _texts(command, opts)
    if opts.out is None and name in topic_names():
        raise wrong_use("say where the weights of a built-in topic go: --out FILE")
    target = Path(opts.out) if opts.out else weights_beside(name)
    topic = topic_named(name, trained=False)  # the old weights may be unusable
    if target.exists() and all(text.source == LABELS for text in texts) and training_files(name):
        raise wrong_use(
            f"labels alone would replace {target}, which was trained on more; name the profile's files, or --out FILE"
        )
    weights, count = learn_weights(topic, _few_labels_joined([text for text in texts if not text.held_out]))
    content = pack_weights(weights)
    try:
        write_whole(target, content)
    except OSError as error:
        raise CommandError(f"{target}: {reason_of(error)}") from None
    article, headline = weights.thresholds
    thresholds = {"article": article, "headline": headline}
    print_record({"weights": str(target), "bytes": len(content), "texts": count, "thresholds": thresholds})
    _note_own_thresholds(name, topic)


def _few_labels_joined(texts: Sequence[Labelled]) -> list[Labelled]:
    """The texts, with labels of the store as texts of the largest source where they are too few to be one."""
    sizes = Counter(text.source for text in texts)
    if sizes[LABELS] >= MANY_LABELS or len(sizes) == 1:
        return list(texts)
    largest = sizes.most_common(1)[0][0]
    return [replace(text, source=largest) if text.source == LABELS else text for text in texts]


def _note_own_thresholds(name: str, topic: TopicProfile) -> None:
    from newsspider.core.relevance.model_names import Model

    if own := [model for model in (Model.BLEND, Model.LEARNED) if model in topic.thresholds]:
        print_note(
            f"{name} has [thresholds] of its own for {' and '.join(own)}, which hold instead of the trained ones"
        )


def evaluate(command: DataCommand, opts: Namespace) -> None:
    """Measure a topic on labelled texts: one JSON object a source, held-out texts apart.

    Precision, recall, F1, average precision and calibration error by source.
    """
    from newsspider.features.workbench.precision_and_recall import measured_on

    texts, model = _texts(command, opts), known_model(opts.model)
    topic = topic_named(opts.topic)
    for source, held_out in dict.fromkeys((text.source, text.held_out) for text in texts):
        part = [text for text in texts if (text.source, text.held_out) == (source, held_out)]
        figures, points = measured_on(topic, part, model)
        shown = {"curve": points} if opts.curve and opts.json else {}
        print_record({"source": source, "held_out": held_out, "texts": len(part), **figures, **shown})
        for point in points if opts.curve and not opts.json else ():
            print_line(_drawn(point))


def _drawn(point: Mapping[str, float]) -> str:
    """A point of a curve as a line: the bars are precision and recall."""
    bars = "  ".join(f"{name} {point[name]:.3f} {'#' * round(20 * point[name]):20}" for name in ("precision", "recall"))
    return f"  {point['threshold']:.2f}  {bars}  F1 {point['f1']:.3f}"


def _texts(command: DataCommand, opts: Namespace) -> list[Labelled]:
    """The texts of the labelled files, and with ``--labels`` those of the store."""
    name, word = opts.topic, shlex.quote(opts.topic)
    if not opts.files and not opts.labels:
        raise wrong_use(f"name a labelled file, or say --labels: scrapy topics {opts.action} {word} FILE...")
    texts = _texts_of_files(name, opts.files) if opts.files else []
    stored = labelled_texts(stored_labels(command, topic_named(name, trained=False))) if opts.labels else []
    if opts.labels and not stored:
        raise wrong_use(f"no stored article is labelled: scrapy topics label {word} URL... --relevant")
    return [*texts, *stored]


def _texts_of_files(name: str, paths: Sequence[str]) -> list[Labelled]:
    from newsspider.topics.loader import TopicError, training_files

    try:
        texts = read_labelled([Path(path) for path in paths], training_files(name))
    except (TopicError, CorpusError, OSError) as error:
        raise wrong_use(str(error)) from None
    if not texts:
        raise wrong_use(f"there is no labelled line in {', '.join(paths)}")
    return texts
