"""A cluster of two nodes: one of them ends, and nobody who searches notices more than a pause."""

import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import Engine

from newsspider.store.engine.database import reading
from newsspider.store.index import opensearch
from newsspider.store.index.opensearch import OpenSearchIndex, ServerAwayError
from tests.opensearch.copies import asked, copy_all, publish
from tests.opensearch.node import Node
from tests.support.events import until

LONGEST_FAILURE_SECONDS = 10.0


@pytest.fixture
def backend() -> str:
    return "postgresql"


@pytest.fixture
def nodes(tmp_path: Path) -> Iterator[tuple[Node, Node]]:
    """Two nodes; the first one manages the cluster."""
    first = Node(tmp_path / "a")
    second = Node(tmp_path / "b", "b", [first], **{"node.roles": "data,ingest"})
    try:
        first.start()
        second.start()
        wait_for(first, "number_of_nodes", 2)
        yield first, second
    finally:
        first.kill()
        second.kill()


def wait_for(node: Node, name: str, value: object) -> None:
    """Wait until the health of the cluster shows this value."""

    def holds() -> bool:
        with suppress(OSError):
            return bool(node.ask("GET", "/_cluster/health")[name] == value)
        return False

    until(holds, seconds=240)


def is_copied(store: Engine, copy: OpenSearchIndex) -> bool:
    try:
        copy_all(store, copy)
    except ServerAwayError:
        return False
    with reading(store) as conn:
        return copy._position(copy.name(conn)) is not None


def test_a_node_that_ends_is_a_pause(store, nodes, monkeypatch) -> None:
    first, second = nodes
    monkeypatch.setattr(opensearch, "REST_SECONDS", 1.0)
    copy = OpenSearchIndex(f"{first.url}/news")
    numbers = count(1)
    articles = [publish(store, next(numbers)) for _ in range(20)]
    copy_all(store, copy)
    wait_for(first, "status", "green")

    def search() -> None:
        began = time.monotonic()
        assert sorted(asked(store, copy, "高考")) == articles
        assert time.monotonic() - began < LONGEST_FAILURE_SECONDS

    second.kill()
    for _ in range(10):
        search()
        articles.append(publish(store, next(numbers)))
    until(lambda: is_copied(store, copy), seconds=240)
    search()
    assert first.entries() == articles
    second.start()
    wait_for(first, "status", "green")

    first.kill()  # the node that is asked, and without which the cluster changes nothing
    for _ in range(10):
        search()
        articles.append(publish(store, next(numbers)))
    first.start()
    wait_for(first, "status", "green")
    until(lambda: is_copied(store, copy), seconds=240)
    search()
    assert first.entries() == articles
