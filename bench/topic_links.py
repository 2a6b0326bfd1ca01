"""What the words of links cost and save: of headlines in lists, those on topic that are never asked for, and those off topic that are.

The headlines of a set are drawn into lists of twenty, so that each list has about the share of the set, and are met in that order, as the
topic spider meets links: by their words alone, then with the share of their list, then with what was read behind the like before.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from bench.topic_figures import Board
from bench.topic_sets import Sets
from newsspider.core.relevance.topic import TopicProfile
from newsspider.crawl.link_filter import LinkFilter
from newsspider.features.workbench.labelled_texts import Labelled
from newsspider.store.engine.clock import Clock

LIST, SEED = 20, 0
MOST_LOST = 0.01  # of what is on topic
CHECKED = "thucnews-dev"  # what is lost of the others is mostly labelled otherwise than it reads: it is printed, for a person to judge
URL = "http://a.example/{}.html"


def links(board: Board, topic: TopicProfile, sets: Sets) -> None:
    """Lost and saved links of the sets that the weights did not learn from."""
    print(
        f"\n{'links in lists of 20':20}{'on topic':>10}{'lost':>6}{'off topic':>11}{'saved by words':>16}{'+ list':>8}{'+ the like':>12}"
    )
    for name, texts in {**sets.apart, "toutiao-held-out": sets.held_out()}.items():
        if not texts:
            continue
        ways = [asked_for(topic, texts, with_list=way > 0, with_like=way > 1) for way in range(3)]
        on_topic = [example.headline for example in texts if example.relevant]
        lost = [headline for place, headline in enumerate(on_topic) if not ways[-1][True][place]]
        saved = "".join(
            f"{1 - sum(way[False]) / len(way[False]):>{width}.1%}" for way, width in zip(ways, (16, 8, 12), strict=True)
        )
        print(f"{name:20}{len(on_topic):10}{len(lost):6}{len(ways[-1][False]):11}{saved}", flush=True)
        for headline in lost:
            print(f"    {headline}")
        if name == CHECKED:
            board.most(f"{name}: share of links on topic that is lost", MOST_LOST, len(lost) / len(on_topic))


def asked_for(
    topic: TopicProfile, texts: Sequence[Labelled], *, with_list: bool, with_like: bool
) -> dict[bool, list[bool]]:
    """Of those on topic (``True``) and of the others, in the order of the set, whether each is asked for."""
    link_filter = LinkFilter(topic, Clock())
    places = random.Random(SEED).sample(range(len(texts)), len(texts))
    is_fetched = [True] * len(texts)
    for first in range(0, len(places), LIST):
        channel, list_places = str(first), places[first : first + LIST]
        if with_list:
            link_filter.observe("s", channel, [(texts[place].headline, "") for place in list_places])
        for place in list_places:
            example = texts[place]
            is_fetched[place] = not link_filter.of(example.headline, "s", channel, URL.format(place)).refusal
            if is_fetched[place] and with_like:
                link_filter.learn(example.headline, "", "s", on_topic=example.relevant)
    return {
        kind: [was for was, example in zip(is_fetched, texts, strict=True) if example.relevant is kind]
        for kind in (True, False)
    }
