"""One node for all tests but those of clusters, behind a proxy that fails when it is told to."""

from collections.abc import Iterator

import pytest

from newsspider.store.index import opensearch
from newsspider.store.index.backend import COPY
from tests.opensearch.copies import Copied
from tests.opensearch.node import Node, Proxy


@pytest.fixture(scope="session")
def only_node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    node = Node(tmp_path_factory.mktemp("opensearch"))
    try:
        node.start()
        yield node
    finally:
        node.kill()


@pytest.fixture(scope="session")
def proxy(only_node: Node) -> Proxy:
    return Proxy(only_node)


@pytest.fixture
def server(proxy: Proxy) -> Proxy:
    proxy.forget()
    return proxy


@pytest.fixture(autouse=True)
def _patient(monkeypatch):
    """The server has time to answer, however busy the machine is."""
    monkeypatch.setattr(opensearch, "SEARCH_SECONDS", 60.0)


@pytest.fixture
def backend() -> str:
    return "postgresql"


@pytest.fixture
def conn(never_written, server):
    """A connection on which a copy answers, in a transaction that is not kept."""
    with never_written.connect() as conn, conn.begin() as transaction:
        conn.execution_options(**{COPY: Copied(server)})
        yield conn
        transaction.rollback()
