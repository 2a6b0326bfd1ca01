"""Loads the shipped weights of criticism, trained on the labelled sentences of ``tests/quality/opinions``."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from newsspider.core.relevance.weights_file import unpacked
from newsspider.features.events.rules.criticism import CriticismModel


@cache
def criticism_model() -> CriticismModel:
    """The model of education news in Chinese."""
    learned = unpacked(files("newsspider.features.events").joinpath("opinions.bin").read_bytes())
    return CriticismModel(learned.headlines, learned.thresholds[1])
