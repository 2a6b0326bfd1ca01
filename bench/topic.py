"""Is a text about the topic? The default beside what one would otherwise pick, on labelled files of your own.

    python -m bench.topic education --train FILE... --test FILE...

Files are those that the profile describes, or JSON lines of {title, text, relevant} (`scrapy topics eval` reads the same). Every model
is asked the same texts; naive Bayes and the word list learn from the training files, the word list its threshold too. A source that
was trained on and is tested flatters: the table says so.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from math import log
from pathlib import Path

from newsspider.core.learned import headline_features
from newsspider.core.relevance import Document, score, words_of
from newsspider.core.topic import Model, TopicProfile
from newsspider.topics.corpus import Labelled, labelled
from newsspider.topics.loader import load_topic, training_files
from newsspider.topics.measure import measured

MODELS = (Model.BLEND, Model.LEARNED, Model.WORDS, Model.BOOLEAN, Model.TAGS, Model.VECTOR)
Scored = list[tuple[float, bool]]
ROUNDS = 7


def substrings(topic: TopicProfile, texts: Sequence[Labelled]) -> Scored:
    """The share of a topic's words in a text, found by ``in``; one word is enough."""
    words = topic.spellings()
    found = [sum(word in f"{one.headline}\n{one.text}" for word in words) for one in texts]
    return [(1 - 0.5**hits, hits > 0) for hits in found]


def naive_bayes(train: Sequence[Labelled], texts: Sequence[Labelled]) -> Scored:
    """Multinomial, on character bigrams, with add-one smoothing."""
    counts: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    for one in train:
        counts[one.relevant].update(bigrams(one))
    known = len(counts[True] | counts[False])
    totals = {answer: sum(found.values()) + known for answer, found in counts.items()}
    on = sum(one.relevant for one in train)
    prior = log(on / (len(train) - on))
    scored = []
    for one in texts:
        odds = prior + sum(
            log((counts[True][gram] + 1) / totals[True]) - log((counts[False][gram] + 1) / totals[False]) for gram in bigrams(one)
        )
        scored.append((1 / (1 + 2.718281828 ** -max(-30.0, min(30.0, odds))), odds > 0))
    return scored


def bigrams(one: Labelled) -> list[str]:
    return [first + second for first, second in pairwise(f"{one.headline}\n{one.text[:1500]}")]


def ours(topic: TopicProfile, model: str, texts: Sequence[Labelled]) -> Scored:
    found = [score(topic, Document(title=one.headline, meta_title=one.headline, text=one.text), model) for one in texts]
    return [(one.score, one.relevant) for one in found]


def microseconds(work: Callable[[], object], times: int) -> float:
    """CPU time of one call, the least of some rounds after a first one that warms up."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        for _ in range(times):
            work()
        best = min(best, (time.process_time() - start) / times)
    return best * 1e6


def speed(topic: TopicProfile, texts: Sequence[Labelled]) -> None:
    learned = topic.learned
    if learned is None:
        return
    headlines = [one.headline for one in texts if one.headline][:1000]
    body = next((one.text for one in texts if len(one.text) >= 1500), "")[:1500]
    if headlines:
        cost = microseconds(lambda: [headline_features(learned.headlines, headline) for headline in headlines], 1)
        print(f"learned weights, a headline            {cost / len(headlines):8.1f} us")
        cost = microseconds(lambda: [score(topic, Document(title=headline)) for headline in headlines], 1)
        print(f"the whole blend and its terms          {cost / len(headlines):8.1f} us")
    if body:
        print(f"learned weights, a body of 1,500       {microseconds(lambda: learned.of_article('', body), 50):8.1f} us")
        print(f"the words of the profile, the same     {microseconds(lambda: words_of(topic, '', body), 50):8.1f} us")
    start = time.perf_counter()
    load_topic(topic.name)
    print(f"loading profile and weights            {1000 * (time.perf_counter() - start):8.1f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("topic")
    parser.add_argument("--train", type=Path, nargs="+", default=[], help="what the peers learn from")
    parser.add_argument("--test", type=Path, nargs="+", required=True)
    options = parser.parse_args()
    described = training_files(options.topic)
    topic = load_topic(options.topic)
    train, test = labelled(options.train, described), labelled(options.test, described)
    train = [one for one in train if not one.held_out]
    if any(one.held_out for one in test):
        test = [one for one in test if one.held_out or one.text]
    seen = {one.source for one in train}
    for source in dict.fromkeys(one.source for one in test):
        texts = [one for one in test if one.source == source]
        kind = [one for one in train if bool(one.text) == bool(texts[0].text)]
        rows = {model.value: ours(topic, model, texts) for model in MODELS} | {"substrings": substrings(topic, texts)}
        if kind:
            rows["naive Bayes"] = naive_bayes(kind, texts)
        note = " (a source that was trained on)" if source in seen else ""
        print(f"{source}: {len(texts)} texts, {sum(one.relevant for one in texts)} on topic{note}")
        for name, scored in rows.items():
            figures = measured(scored, [one.relevant for one in texts])
            print(f"  {name:14}" + "".join(f"{title[:9]:>11} {value:.3f}" for title, value in figures.items()))
    speed(topic, test)
    sys.stdout.flush()


if __name__ == "__main__":
    main()
