"""How well the shipped model knows the tendency of sentences that nobody trained it on."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from newsspider.core.opinions.tendency import TENDENCIES
from newsspider.topics.opinions import tendency_model
from tests.quality.opinion_lines import Figures, figures, lines, trained

LEAST = 1200  # labelled sentences of the batches that are halved
LIKE = 10  # characters in a row that no sentence for training shares with one that is held


@pytest.fixture(scope="module")
def held() -> Figures:
    judged = [line for line in lines() if line.is_held]
    return figures(judged, [tendency_model().judge(line.text) for line in judged])


def test_the_sentences_are_many_balanced_and_stand_once() -> None:
    every = list(lines())
    assert len({line.text for line in every}) == len(every)
    measured = Counter(line.tendency for line in every if not line.batch.startswith("more_"))
    assert sum(measured.values()) >= LEAST
    assert min(measured.values()) >= 0.25 * sum(measured.values())
    assert sum(line.is_held for line in every) >= LEAST // 2


def test_no_sentence_for_training_repeats_one_that_is_held() -> None:
    pieces = {line.text[at : at + LIKE] for line in lines() if line.is_held for at in range(len(line.text) - LIKE + 1)}
    alike = [
        line.text
        for line in lines()
        if not line.is_held and any(line.text[at : at + LIKE] in pieces for at in range(len(line.text) - LIKE + 1))
    ]
    assert not alike


def test_sentences_of_the_held_half_are_judged_above_the_floors(held: Figures) -> None:
    assert held.macro_f1 >= 0.80, held
    assert held.answered >= 0.70, held
    assert held.strict_macro_f1 >= 0.68, held
    assert min(held.precision.values()) >= 0.75, held
    assert min(held.answered_recall[of] for of in TENDENCIES) >= 0.70, held


@pytest.mark.slow
def test_the_shipped_weights_are_those_of_the_training_half() -> None:
    shipped, again = tendency_model(), trained([line for line in lines() if not line.is_held])
    assert abs(shipped.threshold - again.threshold) <= 0.02
    old, new = (np.frombuffer(model.layer.table.rows, np.uint8).astype(int) for model in (shipped, again))
    assert np.abs(old - new).max() <= 1
