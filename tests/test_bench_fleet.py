"""The benchmark of the fleet works; no figure of speed is asked for."""

from __future__ import annotations

from pathlib import Path

from bench.fleet import Fleet, bytes_a_url, microseconds, served, taken_for_known
from tests.support.servers import Postgres, redis_server


def test_both_crawl_and_ours_loses_no_page_when_it_is_killed(tmp_path: Path, migrated: Postgres) -> None:
    with redis_server() as redis, served() as port:
        fleet = Fleet(tmp_path, redis, migrated, port)
        assert fleet.rate("stock", pages=50).pages > 0
        assert fleet.rate("ours", pages=50).cpu > 0
        assert fleet.lost("ours") == 0


def test_urls_are_packed_and_new_ones_are_never_taken_for_known(shared_postgres: Postgres) -> None:
    with redis_server() as redis:
        memory = bytes_a_url(redis, 50_000)
        assert memory["ours"] < memory["stock"]
        assert taken_for_known(redis, 20_000) == 0
        assert min(microseconds(redis, shared_postgres, 2000)) > 0


def test_server_gives_the_same_links_each_time() -> None:
    from bench.fleet_server import FEW, LINKS, links_of

    assert links_of("many", 7) == links_of("many", 7)
    assert len(links_of("few", 7)) == LINKS
    assert max(links_of("few", 500)) < FEW
