"""The benchmark of the frontier works on each database; no figure of speed is asked for."""

from __future__ import annotations

from dataclasses import astuple

import pytest

from bench.frontier import DATABASES, measured


@pytest.mark.parametrize("name", DATABASES)
def test_every_figure_is_measured(name: str) -> None:
    with DATABASES[name]() as (url, size):
        figures = measured(url, size, urls=20_000, seconds=0.3)
    assert min(astuple(figures)) > 0
