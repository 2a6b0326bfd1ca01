"""The benchmark of one worker and two works; no figure of speed is asked for."""

from __future__ import annotations

import asyncio
import socket
import time

import pytest

from bench.workers import rate
from tests.support.events import until
from tests.support.hosts import Hosts, served
from tests.support.servers import Postgres, RedisServer


def test_pages_and_cpu_of_a_worker_are_counted(migrated: Postgres, shared_redis: RedisServer) -> None:
    pages, cpu = rate(1, 1.5, migrated.create(f"workers{time.time_ns()}"), shared_redis.url)
    assert pages > 0
    assert cpu > 0


def test_the_hosts_end_without_tracebacks(caplog: pytest.LogCaptureFixture) -> None:
    hosts = Hosts(1)
    with served(hosts), socket.create_connection(("127.0.0.1", hosts.port)) as open_one:
        open_one.sendall(b"GET /list/ HTTP/1.1\r\nHost: a.cn\r\nUser-Agent: fleet/w0\r\n\r\n")
        until(lambda: len(hosts.hits) == 1, seconds=30)
    assert not asyncio.all_tasks(hosts.loop)
    assert not caplog.records
