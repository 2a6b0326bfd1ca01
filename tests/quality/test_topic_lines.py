"""How well the shipped topic knows education news that nobody trained it on: the held half of ``tests/quality/topic``."""

import pytest

from newsspider.core.relevance.topic import TopicProfile
from newsspider.topics.loader import load_topic
from tests.quality.topic_lines import Line, figures, lines

LEAST = 1500  # labelled headlines
LEAST_THEMES = 40


@pytest.fixture(scope="module")
def topic() -> TopicProfile:
    return load_topic("education")


def held(*, short_texts: bool) -> list[Line]:
    return [line for line in lines() if line.held and bool(line.text) is short_texts]


def test_the_lines_are_many_and_stand_once() -> None:
    texts = [(line.headline, line.text) for line in lines()]
    assert len(set(texts)) == len(texts)
    assert sum(not line.text for line in lines()) >= LEAST
    assert len({line.theme for line in lines()}) >= LEAST_THEMES


def test_headlines_of_the_held_half_are_judged_above_the_floors(topic: TopicProfile) -> None:
    values = figures(topic, held(short_texts=False))
    assert values["recall"] >= 0.88, values
    assert values["f1"] >= 0.90, values


def test_short_texts_of_the_held_half_are_judged_above_the_floors(topic: TopicProfile) -> None:
    values = figures(topic, held(short_texts=True))
    assert values["recall"] >= 0.95, values
    assert values["f1"] >= 0.97, values
