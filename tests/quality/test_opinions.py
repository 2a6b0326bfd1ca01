"""How well the shipped model knows criticism in sentences that nobody trained it on."""

import numpy as np
import pytest

from newsspider.features.events.criticism import criticism_model
from tests.quality.opinion_lines import after, figures, for_training, held, held_rows, kappa, trained

LEAST = 400  # held sentences
LIKE = 10  # characters in a row that no sentence for training shares with one that is held


def test_the_held_sentences_are_many_stand_once_and_were_labelled_twice() -> None:
    rows = held_rows()
    assert len({text for *_, text in rows}) == len(rows) >= LEAST
    assert kappa(rows) >= 0.8
    assert 0.25 <= sum(line.is_critical for line in held()) / len(held()) <= 0.4


def test_no_sentence_for_training_repeats_one_that_is_held() -> None:
    texts = [line.text for line in held() + after()]
    pieces = {text[at : at + LIKE] for text in texts for at in range(len(text) - LIKE + 1)}
    training = [line.text for line in for_training()]
    assert len(set(training)) == len(training)
    assert not [text for text in training if any(text[at : at + LIKE] in pieces for at in range(len(text) - LIKE + 1))]


def test_what_is_called_criticism_is_in_nine_of_ten_held_sentences() -> None:
    of = figures(criticism_model(), held() + after())
    assert of.precision >= 0.9, of
    assert of.recall >= 0.3, of


@pytest.mark.slow
def test_the_shipped_weights_are_those_of_the_training() -> None:
    shipped, again = criticism_model(), trained(list(for_training()))
    assert abs(shipped.threshold - again.threshold) <= 0.05
    old, new = (np.frombuffer(model.layer.table.rows, np.uint8).astype(int) for model in (shipped, again))
    assert np.abs(old - new).max() <= 1
