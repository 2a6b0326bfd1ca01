"""What trained weights cost: microseconds a headline and a body, bytes on disk, milliseconds to load."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.resources import files

from bench.topic_figures import Board
from bench.topic_sets import Sets
from newsspider.core.relevance import Document, score, words_of
from newsspider.core.topic import TopicProfile
from newsspider.core.weights import unpacked
from newsspider.topics.loader import WEIGHTS, load_topic

ROUNDS = 9
HEADLINES, BODIES = 2000, 100  # asked in a round, all different
BODY = 1500  # characters
MOST_HEADLINE, MOST_BODY, MOST_BYTES, MOST_LOAD = 20, 300, 1_500_000, 50  # microseconds, bytes, milliseconds
MICROSECONDS, MILLISECONDS = 1e6, 1e3


def costs(board: Board, topic: TopicProfile, sets: Sets) -> None:
    """CPU time of one call, the least of some rounds. Every text of a round is another one: nothing is met again soon."""
    learned = topic.learned
    headlines = [one.headline for one in sets.training if one.headline][:: max(1, len(sets.training) // HEADLINES)]
    bodies = [one.text[:BODY] for one in sets.training if len(one.text) >= BODY][:BODIES]
    if learned is None or not headlines or not bodies:
        return
    print(f"\ncost, microseconds of CPU, where Python sums a thousand numbers in {seconds(lambda: sum(range(1000))) * MICROSECONDS:.1f}")

    def cost(what: str, work: Callable[[str], object], texts: list[str]) -> float:
        each = seconds(lambda: [work(text) for text in texts]) / len(texts) * MICROSECONDS
        print(f"  {what:44}{each:9.1f}", flush=True)
        return each

    headline = cost("learned model, a headline", learned.of_headline, headlines)
    board.most("microseconds a headline, learned model", MOST_HEADLINE, headline, "{:.1f}".format)
    body = cost("learned model, a body of 1,500", lambda body: learned.of_article("", body), bodies)
    board.most("microseconds a body of 1,500 characters, learned model", MOST_BODY, body, "{:.1f}".format)
    cost("blend with its terms, a headline", lambda headline: score(topic, Document(title=headline)), headlines)
    cost("blend with its terms, a body of 1,500", lambda body: score(topic, Document(text=body)), bodies)
    cost("the profile's words alone, a body of 1,500", lambda body: words_of(topic, "", body), bodies)
    content = files("newsspider.topics").joinpath(topic.name + WEIGHTS).read_bytes()
    board.most("bytes on disk", MOST_BYTES, len(content), "{:.0f}".format)
    board.most("milliseconds to load the weights", MOST_LOAD, seconds(lambda: unpacked(content)) * MILLISECONDS, "{:.1f}".format)
    print(f"  {'loading the whole profile, milliseconds':44}{seconds(lambda: load_topic(topic.name)) * MILLISECONDS:9.1f}")


def seconds(work: Callable[[], object]) -> float:
    """The least CPU time of some calls, after a first one that warms up."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best
