"""Loads the shipped weights of tendencies, trained on the labelled sentences of ``tests/quality/opinions``."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from newsspider.core.opinions.tendency import TendencyModel
from newsspider.core.relevance.weights_file import unpacked


@cache
def tendency_model() -> TendencyModel:
    """The model of education news in Chinese."""
    learned = unpacked(files("newsspider.topics").joinpath("opinions.bin").read_bytes())
    return TendencyModel(learned.headlines, learned.thresholds[1])
