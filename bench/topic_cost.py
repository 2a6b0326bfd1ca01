"""What trained weights cost: microseconds a headline and a body, bytes on disk, milliseconds to load.

Of many repeats the least is what the work costs, and held against what is wanted; the median tells how busy the machine was.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.resources import files
from statistics import median

from bench.topic_figures import Board
from bench.topic_sets import Sets
from newsspider.core.relevance.learned_model import unpack_weights
from newsspider.core.relevance.scoring import Document, score, words_of
from newsspider.core.relevance.topic import TopicProfile
from newsspider.topics.loader import WEIGHTS, load_topic

ROUNDS = 51
HEADLINES, BODIES = 2000, 100  # asked in a round, all different
BODY = 1500  # characters
MOST_HEADLINE, MOST_BODY, MOST_BYTES, MOST_LOAD = 20, 300, 1_500_000, 50  # microseconds, bytes, milliseconds
MICROSECONDS, MILLISECONDS = 1e6, 1e3


def costs(board: Board, topic: TopicProfile, sets: Sets) -> None:
    """CPU time of one call. Every text of a round is another one: nothing is met again soon."""
    learned = topic.learned
    headlines = [example.headline for example in sets.training if example.headline][
        :: max(1, len(sets.training) // HEADLINES)
    ]
    bodies = [example.text[:BODY] for example in sets.training if len(example.text) >= BODY][:BODIES]
    if learned is None or not headlines or not bodies:
        return
    least, _ = seconds(lambda: sum(range(1000)))
    print(
        f"\nmicroseconds of CPU, least and median of {ROUNDS} rounds; Python sums a thousand numbers in {least * MICROSECONDS:.1f}"
    )

    def cost(what: str, work: Callable[[str], object], texts: list[str], goal: str = "") -> float:
        least, usual = (
            seconds_taken / len(texts) * MICROSECONDS
            for seconds_taken in seconds(lambda: [work(text) for text in texts])
        )
        print(f"  {what:44}{least:9.1f}{usual:9.1f}  {goal}", flush=True)
        return least

    headline = cost("learned model, a headline", learned.of_headline, headlines, f"wanted <= {MOST_HEADLINE}")
    board.most("microseconds a headline, learned model", MOST_HEADLINE, headline, "{:.1f}".format)
    body = cost(
        "learned model, a body of 1,500", lambda body: learned.of_article("", body), bodies, f"wanted <= {MOST_BODY}"
    )
    board.most("microseconds a body of 1,500 characters, learned model", MOST_BODY, body, "{:.1f}".format)
    cost("blend with its terms, a headline", lambda headline: score(topic, Document(title=headline)), headlines)
    cost("blend with its terms, a body of 1,500", lambda body: score(topic, Document(text=body)), bodies)
    cost("the profile's words alone, a body of 1,500", lambda body: words_of(topic, "", body), bodies)
    content = files("newsspider.topics").joinpath(topic.name + WEIGHTS).read_bytes()
    board.most("bytes on disk", MOST_BYTES, len(content), "{:.0f}".format)
    board.most(
        "milliseconds to load the weights",
        MOST_LOAD,
        seconds(lambda: unpack_weights(content))[0] * MILLISECONDS,
        "{:.1f}".format,
    )
    print(
        f"  {'loading the whole profile, milliseconds':44}{seconds(lambda: load_topic(topic.name))[0] * MILLISECONDS:9.1f}"
    )


def seconds(work: Callable[[], object]) -> tuple[float, float]:
    """The least and the median CPU time of a call, after a first one that warms up."""
    work()
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times), median(times)
