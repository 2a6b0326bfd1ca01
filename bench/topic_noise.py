"""What stands between a figure and what is wanted of it: how it grows with the texts learned from, and how far chance moves it.

A *partition* parts the articles into other folds than the benchmark's own: what is learned from and asked is the same in all of them,
so they differ by chance alone. Another chance is which articles the collection happens to hold: *resamples* draw as many of them again,
with replacement, and show the interval that holds 95 % of the F1. What is on the wrong side in most partitions is no bad luck: it is
printed with its label, for a person to judge.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from statistics import mean, stdev

from bench.topic_figures import DEFAULT, Board
from bench.topic_peers import Scored, ours
from bench.topic_sets import Sets, folds, taught
from newsspider.core.relevance.learned_model import Learned
from newsspider.core.relevance.topic import TopicProfile
from newsspider.features.workbench.labelled_texts import Labelled
from newsspider.features.workbench.precision_and_recall import measured

SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1)
PARTITIONS = 10
RESAMPLES, SEED, INTERVAL = 2000, 0, 0.95
MOST_TEXTS, SHOWN = 16, 40  # articles named for each source, and characters of each


def curves(topic: TopicProfile, sets: Sets) -> None:
    """F1 of the default by the share of the texts that were learned from: every n-th of each kind."""
    print("\nF1 by the share of the texts learned from")
    board = Board(quiet=True)
    plain = replace(topic, learned=None)
    learned = without_bodies(topic)
    headlines, articles = (
        [example for example in sets.taught() if bool(example.text) == kind] for kind in (False, True)
    )
    for share in SHARES:
        every = round(1 / share)
        few = taught(plain, headlines[::every])
        f1 = {
            name: board.compare(name, texts, {DEFAULT: ours(few, DEFAULT, texts)}) for name, texts in sets.apart.items()
        }
        if learned is not None and articles:
            scored = asked_in_folds(topic, learned, articles, every=every)
            for source, places in by_source(articles).items():
                texts = [articles[at] for at in places]
                f1[source] = board.compare(source, texts, {DEFAULT: [scored[at] for at in places]})
        figures_text = ", ".join(f"{name} {figure:.3f}" for name, figure in f1.items())
        print(
            f"  1/{every:<3} {len(headlines[::every]):6} headlines, {len(articles[::every]):4} articles: {figures_text}",
            flush=True,
        )


def spread(topic: TopicProfile, sets: Sets) -> None:
    """F1 of the default on each source of articles over many partitions, and the articles that most of them get wrong."""
    articles = [example for example in sets.taught() if example.text]
    headlines = without_bodies(topic)
    if not articles or headlines is None:
        return
    scores = []
    for partition in range(PARTITIONS):
        scores.append(asked_in_folds(topic, headlines, articles, partition))
        print(f"{'' if partition else chr(10)}partition {partition + 1} of {PARTITIONS} asked", flush=True)
    for source, places in by_source(articles).items():
        show(source, [articles[at] for at in places], [[scored[at] for at in places] for scored in scores])


def show(source: str, texts: Sequence[Labelled], scores: Sequence[Scored]) -> None:
    truth = [example.relevant for example in texts]
    f1 = [measured(scored, truth)["f1"] for scored in scores]
    low, high = interval(scores[0], truth)
    print(
        f"\n{source}: {len(texts)} articles, {sum(truth)} on topic; one of them more or less is {1 / (2 * sum(truth)):.3f} of F1"
    )
    print(
        f"  F1 over {len(f1)} partitions: mean {mean(f1):.3f}, deviation {stdev(f1):.3f}, {min(f1):.3f} to {max(f1):.3f}"
    )
    print(f"  at the best threshold of each: mean {mean(best_f1(scored, truth) for scored in scores):.3f}")
    print(f"  resampled: {INTERVAL:.0%} of the first partition's F1 between {low:.3f} and {high:.3f}")
    wrong = [sum(scored[at][1] != truth[at] for scored in scores) for at in range(len(texts))]
    often = sorted((at for at, times in enumerate(wrong) if 2 * times > len(scores)), key=lambda at: -wrong[at])
    kept_right = [
        [(score, truth[at] if at in often else is_kept) for at, (score, is_kept) in enumerate(scored)]
        for scored in scores
    ]
    right = mean(measured(scored, truth)["f1"] for scored in kept_right)
    print(
        f"  wrong in most partitions: {len(often)} articles; were their labels wrong instead, F1 would be {right:.3f}"
    )
    for at in often[:MOST_TEXTS]:
        score = mean(scored[at][0] for scored in scores)
        label = "on topic " if truth[at] else "off topic"
        print(f"    {wrong[at]:2}/{len(scores)} {label} scored {score:.2f} {' '.join(texts[at].text.split())[:SHOWN]}")


def without_bodies(topic: TopicProfile) -> Learned | None:
    """The shipped weights of the headlines."""
    return replace(topic.learned, bodies=None, body_alone=None, body_head=None) if topic.learned is not None else None


def asked_in_folds(
    topic: TopicProfile, headlines: Learned, articles: Sequence[Labelled], partition: int = 0, every: int = 1
) -> Scored:
    """What is said of each article by weights that learned from every n-th of the other folds."""
    scores: dict[Labelled, tuple[float, bool]] = {}
    for rest, fold in folds(articles, partition=partition):
        scores |= zip(fold, ours(taught(topic, rest[::every], headlines), DEFAULT, fold), strict=True)
    return [scores[example] for example in articles]


def by_source(texts: Sequence[Labelled]) -> dict[str, list[int]]:
    """The places of the texts of each source."""
    names = dict.fromkeys(example.source for example in texts)
    return {name: [at for at, example in enumerate(texts) if example.source == name] for name in names}


def best_f1(scored: Scored, truth: Sequence[bool]) -> float:
    hits, best = 0, 0.0
    for rank, (_, answer) in enumerate(
        sorted(zip((score for score, _ in scored), truth, strict=True), key=lambda pair: -pair[0]), 1
    ):
        hits += answer
        best = max(best, 2 * hits / (rank + sum(truth)))
    return best


def interval(scored: Scored, truth: Sequence[bool]) -> tuple[float, float]:
    """The interval that holds most of the F1 of resamples."""
    dice = random.Random(SEED)
    pairs = [(is_kept, answer) for (_, is_kept), answer in zip(scored, truth, strict=True)]
    figures = []
    for _ in range(RESAMPLES):
        drawn = dice.choices(pairs, k=len(pairs))
        right, either = (
            sum(is_kept and answer for is_kept, answer in drawn),
            sum(is_kept + answer for is_kept, answer in drawn),
        )
        figures.append(2 * right / max(1, either))
    figures.sort()
    outside = round((1 - INTERVAL) / 2 * RESAMPLES)
    return figures[outside], figures[-outside - 1]
