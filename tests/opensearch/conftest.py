"""One node for all tests but those of clusters, behind a proxy that fails when it is told to."""

from collections.abc import Iterator

import pytest

from newsspider.store.index import opensearch
from tests.opensearch.node import Node, Proxy


@pytest.fixture(scope="session")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    node = Node(tmp_path_factory.mktemp("opensearch"))
    try:
        node.start()
        yield node
    finally:
        node.kill()


@pytest.fixture(scope="session")
def proxy(node: Node) -> Proxy:
    return Proxy(node)


@pytest.fixture
def server(proxy: Proxy) -> Proxy:
    proxy.forget()
    return proxy


@pytest.fixture(autouse=True)
def _patient(monkeypatch):
    """The server has time to answer, however busy the machine is."""
    monkeypatch.setattr(opensearch, "SEARCH_SECONDS", 60.0)
