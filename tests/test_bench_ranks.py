"""The benchmark of the ranks works on each database, and finds the scores of networkx; no figure of speed is asked for."""

from __future__ import annotations

import pytest

from bench.frontier import DATABASES
from bench.ranks import Made, beside_networkx, stored
from newsspider.store.engine.database import open_store


@pytest.mark.parametrize("name", DATABASES)
def test_a_made_store_is_ranked_and_all_its_links_count(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    graph = Made(8_000, 1)
    assert (len(graph.pairs), len(graph.later), len(graph.urls)) == (7_992, 8, 1_000)
    with DATABASES[name]() as (url, _):
        engine = open_store(url)
        stored(engine, graph, name)
        with engine.connect() as conn:
            totals = conn.exec_driver_sql("SELECT count(*), sum(indegree), sum(pagerank) FROM ranks").one()
        engine.dispose()
    assert (totals[0], totals[1], round(totals[2], 6)) == (1_000, 8_000, 1.0)
    assert "bytes a link" in capsys.readouterr().out


def test_the_scores_are_those_of_networkx(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("networkx")
    assert beside_networkx(Made(40_000, 1))
    assert "PageRank" in capsys.readouterr().out
