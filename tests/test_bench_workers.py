"""The benchmark of one worker and two works; no figure of speed is asked for."""

from __future__ import annotations

from bench.workers import rate
from tests.servers import Postgres, RedisServer


def test_pages_and_cpu_of_a_worker_are_counted(migrated: Postgres, shared_redis: RedisServer) -> None:
    pages, cpu = rate(1, 1.5, migrated, shared_redis)
    assert pages > 0
    assert cpu > 0
