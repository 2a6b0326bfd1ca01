"""The benchmarks work: a quick run of each over a small world. No figure of speed is asked for."""

from __future__ import annotations

import sqlite3
import time
from dataclasses import astuple
from pathlib import Path

import pytest

from bench import gist, soak
from bench.fleet import Fleet
from bench.fleet import served as fleet_server
from bench.frontier import DATABASES
from bench.frontier import measured as frontier_figures
from bench.growth import DATABASES as GROWN
from bench.growth import MAIN, figures_of
from bench.hostile import CONTESTANTS
from bench.hostile import measured as hostile_figures
from bench.phrases import teaching
from bench.polls import LONGEST
from bench.ranks import Made, stored
from bench.reader import lxml_parse, our_list, readable, sample_pages
from bench.reader import measured as reader_figures
from bench.reader import ours as our_reader
from bench.revisit import compare
from bench.site_graph import site_graph
from bench.strategies import Judges, contestants, crawled
from bench.workers import rate
from newsspider.store.engine.database import open_store
from tests.hostile.table import BEHAVIOURS
from tests.support.servers import Postgres, RedisServer, redis_server

HOSTILE = ("gzip-bomb", "status-too-long", "robots-html", "no-location")


def test_the_contestants_read_the_same_pages_and_store_the_same_articles(tmp_path: Path) -> None:
    pytest.importorskip("trafilatura", reason="the peers of the benchmark are not installed: pip install -e '.[bench]'")
    from bench.__main__ import different
    from bench.naive import FIELDS
    from bench.whole_job import LEAST_BYTES, MOST_DIFFERENT, Portal, download_only, naive, ours

    portal = Portal(tmp_path, articles=60)
    try:
        mine, peer = ours(portal, stages=True), naive(portal)
        limit = download_only(portal, mine.pages)
        least = portal.median_bytes(mine.pages)
    finally:
        portal.close()
    with sqlite3.connect(portal.folder / "crawl" / "stored.db") as stored_by_peer:
        row = stored_by_peer.execute("SELECT * FROM articles").fetchone()
    assert different(mine, peer) <= MOST_DIFFERENT, (mine.pages ^ peer.pages, mine.articles, peer.articles)
    assert mine.articles >= 50
    assert limit.pages == mine.pages
    assert min(mine.rate, peer.rate, limit.rate) > 0
    assert len(row) == len(FIELDS)
    assert least >= LEAST_BYTES


def test_both_fleets_crawl_and_ours_loses_no_page_when_it_is_killed(tmp_path: Path, migrated: Postgres) -> None:
    with redis_server() as redis, fleet_server() as port:
        fleet = Fleet(tmp_path, redis, migrated, port)
        assert fleet.rate("stock", pages=50).pages > 0
        assert fleet.rate("ours", pages=50).cpu > 0
        assert fleet.lost("ours") == 0


def test_a_worker_is_measured(migrated: Postgres, shared_redis: RedisServer) -> None:
    pages, cpu = rate(1, 1.5, migrated.create(f"workers{time.time_ns()}"), shared_redis.url)
    assert pages > 0
    assert cpu > 0


@pytest.mark.parametrize("name", DATABASES)
def test_frontier_growth_and_ranks_are_measured(name: str) -> None:
    with DATABASES[name]() as (url, size):
        assert min(astuple(frontier_figures(url, size, urls=5_000, seconds=0.3))) > 0
    assert {"MB", "counts", "explain", "start and stop", "status", *MAIN} <= set(figures_of(GROWN[name], 2_000, batches=2))
    with DATABASES[name]() as (url, _):
        engine = open_store(url)
        stored(engine, Made(8_000, 1), name)
        with engine.connect() as conn:
            totals = conn.exec_driver_sql("SELECT count(*), sum(indegree), sum(pagerank) FROM ranks").one()
        engine.dispose()
    assert (totals[0], totals[1], round(totals[2], 6)) == (1_000, 8_000, 1.0)


@pytest.mark.parametrize("name", CONTESTANTS)
def test_each_contestant_stores_the_articles_of_hostile_hosts(tmp_path: Path, name: str) -> None:
    figures = hostile_figures(name, [behaviour for behaviour in BEHAVIOURS if behaviour.name in HOSTILE], tmp_path, 2000, 240)
    assert figures.ending.startswith("exit code")
    assert figures.stored == 3 * len(HOSTILE)
    assert min(figures.peak_mb, figures.late, figures.rate) > 0


def test_the_sample_portals_articles_are_read_by_all_in_turn() -> None:
    pages = readable(sample_pages(6))
    figures = reader_figures(pages, 1, {"lxml": lxml_parse, "newsspider": our_reader, "as a list": our_list})
    assert len(pages) >= 6
    assert {len(figure.each) for figure in figures.values()} == {len(pages)}


def test_keywords_and_summaries_are_compared_with_those_of_editors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "".join(f"<p>江南省教育厅发布第{n}版中小学作息时间表，小学上课时间不早于8点20分，学生睡眠更够。</p>" for n in range(9))
    meta = '<meta name=keywords content="作息时间表,睡眠"><meta name=description content="江南省教育厅发布第0版中小学作息时间表">'
    page = f"<meta charset=utf-8>{meta}<title>江南省发布新版作息时间表</title><h1>江南省发布新版作息时间表</h1>2025-06-01 10:00{text}"
    (tmp_path / "a.html").write_text(page, "utf-8")
    gist.main([str(tmp_path)])
    assert "1 articles, 1 with keywords of an editor" in capsys.readouterr().out


def test_a_soak_prints_what_the_crawl_takes_and_does(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["soak", "--minutes", "0.25", "--hosts", "4", "--before", "4", "--every", "3"])
    assert soak.main() == 1
    assert "too short" in capsys.readouterr().out.splitlines()[-1]


def test_who_knows_the_topic_harvests_more_than_who_does_not() -> None:
    graph = site_graph(6000, seed=8)
    figures = {name: crawled(graph, visits(), (200, 700)) for name, visits in contestants(graph, Judges(teaching(None))).items()}
    for name in ("fish", "best-first", "focused", "naive Bayes", "SVM"):
        assert figures[name].harvest[1] > 1.5 * figures["breadth-first"].harvest[1], name
    assert figures["oracle"].harvest[0] >= max(crawl.harvest[0] for crawl in figures.values())


def test_our_schedule_finds_news_twice_as_soon_as_any_other_at_equal_requests() -> None:
    figures, best = compare(100, 1.0, 14, seed=1)
    assert figures["ours"].delay <= 1.07 * best.delay
    assert figures["ours"].lost == 0
    assert figures["ours"].longest <= LONGEST
    assert all(figures["ours"].delay <= 0.5 * other.delay for name, other in figures.items() if name != "ours")
