"""What fifty labels bring on a source that the weights never saw: chosen by ``scrapy topics label --suggest``, or at random.

    python -m bench.labels --data FOLDER [--labels 50]

Weights learn from headlines of one source (THUCNews). Titles of another one (Toutiao) are labelled and learned from as ``scrapy topics
train FILES --labels`` does. Both ways of choosing are asked about the same titles that nobody labels, for three pools to choose from. The
exit code is 1 if the chosen labels do not raise the mean F1 by ``LEAST_GAIN``.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from bench.topic_sets import samples, sets_in
from newsspider.core.relevance.scoring import Document, score, words_of
from newsspider.core.relevance.topic import TopicProfile
from newsspider.features.workbench.active_learning import UnlabelledText, most_telling
from newsspider.features.workbench.labelled_texts import OTHER, Labelled
from newsspider.features.workbench.training import of_headlines
from newsspider.topics.loader import load_topic, training_files

SOURCE, UNSEEN = "thucnews", "toutiao"
EVERY = 16  # one headline in so many of the first source is learned from; a pool has one title in so many of the other
POOLS = 3
LEAST_GAIN = 0.02


def suggested(topic: TopicProfile, texts: Sequence[Labelled], count: int) -> list[int]:
    """As the command does, with the threshold of headlines."""
    assert topic.learned is not None
    threshold = topic.learned.thresholds[1]
    scores = [score(topic, Document(title=example.headline)).score for example in texts]
    return most_telling(
        [UnlabelledText(example.headline, value, threshold) for example, value in zip(texts, scores, strict=True)],
        count,
    )


def taught(topic: TopicProfile, texts: Sequence[Labelled]) -> TopicProfile:
    """The topic with weights learned from these headlines, and the threshold that the training finds."""
    learned = of_headlines(samples(texts), partial(words_of, topic))
    return replace(topic, learned=learned, thresholds={})


def f1(topic: TopicProfile, texts: Sequence[Labelled]) -> float:
    """Of the headlines that the topic keeps."""
    verdicts = [score(topic, Document(title=example.headline)).relevant for example in texts]
    right = sum(verdict and example.relevant for verdict, example in zip(verdicts, texts, strict=True))
    return 2 * right / (sum(verdicts) + sum(example.relevant for example in texts))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.labels", description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--data", type=Path, default=Path("../shared/data"), help="the folder of the sets (default: ../shared/data)"
    )
    parser.add_argument("--labels", type=int, default=50)
    options = parser.parse_args()
    topic = replace(load_topic("education"), learned=None)
    headlines = [example for example in sets_in(options.data, training_files("education")).training if not example.text]
    base = [example for example in headlines if example.source == SOURCE][::EVERY]
    titles = [example for example in headlines if example.source == UNSEEN]
    questions = titles[POOLS::EVERY] + titles[POOLS + 1 :: EVERY]
    if not base or not questions:
        sys.exit(f"{options.data} has not both {SOURCE} and {UNSEEN}")
    base_topic = taught(topic, base)
    start = f1(base_topic, questions)
    print(
        f"{len(base)} headlines of {SOURCE} learned from, {len(questions)} titles of {UNSEEN} asked about: F1 {start:.3f}"
    )
    gains: dict[str, list[float]] = {"suggested": [], "random": []}
    for number in range(POOLS):
        pool = titles[number::EVERY]
        lots = random.Random(number)
        choices = {
            "suggested": suggested(base_topic, pool, options.labels),
            "random": lots.sample(range(len(pool)), options.labels),
        }
        for name, places in choices.items():
            labelled = [replace(pool[at], source=SOURCE, group=OTHER) for at in places]
            value = f1(taught(topic, [*base, *labelled]), questions)
            gains[name].append(value - start)
            on_topic = sum(example.relevant for example in labelled)
            print(
                f"  pool {number + 1}, {options.labels} {name:9} ({on_topic} on the topic): F1 {value:.3f}", flush=True
            )
    for name, values in gains.items():
        print(f"{options.labels} labels, {name:9}: F1 {statistics.mean(values):+.3f} on average")
    return int(statistics.mean(gains["suggested"]) < LEAST_GAIN)


if __name__ == "__main__":
    sys.exit(main())
