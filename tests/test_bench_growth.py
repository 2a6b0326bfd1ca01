"""The benchmark of growth measures every figure on each database; no figure of speed is asked for."""

from __future__ import annotations

import pytest

from bench.growth import DATABASES, MAIN, figures_of
from bench.growth_plot import drawn


@pytest.mark.parametrize("name", DATABASES)
def test_every_figure_is_measured_and_drawn(name: str) -> None:
    figures = figures_of(DATABASES[name], 2_000, batches=2)
    assert {"MB", "counts", "explain", "start and stop", "status", *MAIN} <= set(figures)
    assert figures["page"] > 0
    curves = {what: {2_000: figures[what], 20_000: figures[what]} for what in MAIN}
    assert drawn(curves, "URLs known", "CPU ms").count("<polyline") == len(MAIN)
