"""The benchmark of the frontier works on each database; no figure of speed is asked for."""

from __future__ import annotations

import itertools
import random
from dataclasses import astuple

import pytest

from bench.frontier import DATABASES, LINKS, fill, measured, offer_of
from bench.others import accepted, lossy
from newsspider.store.engine.database import open_store


@pytest.mark.parametrize("name", DATABASES)
def test_every_figure_is_measured(name: str) -> None:
    with DATABASES[name]() as (url, size):
        figures = measured(url, size, urls=20_000, seconds=0.3)
    assert min(astuple(figures)) > 0


@pytest.mark.parametrize("name", DATABASES)
def test_of_urls_that_nobody_knows_each_is_accepted_however_many_are_known(name: str) -> None:
    with DATABASES[name]() as (url, size):
        engine = open_store(url)
        fill(engine, 3_000)
        engine.dispose()
        figures = accepted(url, size, 3_000, 12_000, offer_of, LINKS)
    assert (figures.offered, figures.accepted, figures.stored) == (12_000, 12_000, 12_000)


def test_the_lossy_memory_errs_as_often_as_it_says_and_no_oftener() -> None:
    chance = random.Random(2)
    rate = lossy((chance.getrandbits(64) - 2**63 for _ in itertools.count()), 100_000, 200_000)
    assert rate.measured <= rate.stated
