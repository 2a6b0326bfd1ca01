"""Is a text about the topic? Every figure that is wanted of the topic ``education``, in one run, beside what one would otherwise pick.

    python -m bench.topic --data FOLDER             all of it, some minutes
    python -m bench.topic --data FOLDER --quick     what needs no training
    python -m bench.topic --data FOLDER --cost      only what the weights cost
    python -m bench.topic --data FOLDER --links     only what the words of links cost and save
    python -m bench.topic --data FOLDER --curve     only how the figures grow with the texts learned from
    python -m bench.topic --data FOLDER --spread    only how far chance moves the figures of articles, and which articles are wrong

FOLDER holds the public sets that ``docs/sources.md`` names; a set that does not lie there is named, and its figures are left out. Every
set is asked only by weights that did not learn from it. ``sure/right`` are the bins of the calibration: how sure the scores of a bin
are, what share of its texts is right, and how many there are. The exit code is 1 if a figure is not reached.

Labelled lines of your own are measured by ``scrapy topics eval``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.topic_cost import costs
from bench.topic_figures import Board
from bench.topic_links import links
from bench.topic_noise import curves, spread, without_bodies
from bench.topic_peers import NaiveBayes, Scored, ours, substrings
from bench.topic_sets import Sets, folds, sets_in, taught
from newsspider.core.relevance.model_names import Model
from newsspider.core.relevance.topic import TopicProfile
from newsspider.features.workbench.labelled_texts import Labelled
from newsspider.topics.loader import load_topic, training_files

TOPIC = "education"
ALONE = (Model.BLEND, Model.LEARNED)  # those that learn
CLASSICAL = (Model.WORDS, Model.BOOLEAN, Model.TAGS, Model.VECTOR)
APP = "toutiao"  # the source of Toutiao and TNEWS


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.topic", description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--data", type=Path, default=Path("../shared/data"), help="the folder of the sets (default: ../shared/data)"
    )
    parser.add_argument("--quick", action="store_true", help="leave out what needs training")
    parser.add_argument(
        "--cost", action="store_true", help="only what the weights cost: microseconds, bytes, milliseconds"
    )
    parser.add_argument("--links", action="store_true", help="only what the words of links cost and save")
    parser.add_argument("--curve", action="store_true", help="only learning curves: some minutes")
    parser.add_argument("--spread", action="store_true", help="only the articles, over many partitions: some minutes")
    options = parser.parse_args()
    topic, sets = load_topic(TOPIC), sets_in(options.data, training_files(TOPIC))
    for name in sets.missing:
        print(f"{options.data / name} is not there: its figures are left out")
    board = Board()
    if options.curve:
        curves(topic, sets)
    if options.spread:
        spread(topic, sets)
    only = options.cost or options.links or options.curve or options.spread
    if options.links or not only:
        links(board, topic, sets)
    if not only:
        headlines_apart(board, topic, sets)
        if not options.quick:
            articles_in_folds(board, topic, sets)
            an_unseen_source(board, topic, sets)
    if options.cost or not only:
        costs(board, topic, sets)
    return board.close()


def headlines_apart(board: Board, topic: TopicProfile, sets: Sets) -> None:
    """The shipped weights on headlines that they did not learn from."""
    bayes = NaiveBayes([example for example in sets.taught() if not example.text]) if sets.taught() else None
    parts = {**sets.apart, "toutiao-held-out": sets.held_out()}
    for name, texts in parts.items():
        if texts and bayes:
            board.compare(name, texts, rows(topic, texts) | {"naive Bayes": bayes.scored(texts)})


def articles_in_folds(board: Board, topic: TopicProfile, sets: Sets) -> None:
    """Each article is asked by weights that learned from the other folds; those of the headlines are the shipped ones."""
    articles = [example for example in sets.taught() if example.text]
    headlines = without_bodies(topic)
    if not articles or headlines is None:
        return
    questions: list[Labelled] = []
    scored_by_name: dict[str, Scored] = {}
    for rest, fold in folds(articles):
        learned = taught(topic, rest, headlines)
        for name, scored in (rows(learned, fold) | {"naive Bayes": NaiveBayes(rest).scored(fold)}).items():
            scored_by_name.setdefault(name, []).extend(scored)
        questions += fold
    for source in dict.fromkeys(example.source for example in questions):
        places = [at for at, example in enumerate(questions) if example.source == source]
        texts = [questions[at] for at in places]
        board.compare(
            f"{source}-5-folds", texts, {name: [scored[at] for at in places] for name, scored in scored_by_name.items()}
        )


def an_unseen_source(board: Board, topic: TopicProfile, sets: Sets) -> None:
    """Trained without Toutiao and TNEWS, asked about all of Toutiao, the tenth that is held out among it."""
    others = [example for example in sets.taught() if example.source != APP]
    texts = [example for example in sets.training if example.source == APP]
    if not texts or not any(not example.text for example in others):
        return
    bayes = NaiveBayes([example for example in others if not example.text])
    board.compare("toutiao-unseen", texts, rows(taught(topic, others), texts) | {"naive Bayes": bayes.scored(texts)})


def rows(topic: TopicProfile, texts: Sequence[Labelled]) -> dict[str, Scored]:
    scores_by_model = {model.value: ours(topic, model, texts) for model in (*ALONE, *CLASSICAL)}
    return scores_by_model | {"word list": substrings(topic, texts)}


if __name__ == "__main__":
    sys.exit(main())
