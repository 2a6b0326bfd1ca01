"""A store of its own for each test."""

from __future__ import annotations

import pytest

from newsspider.store.database import open_store
from newsspider.store.writer import Writer


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/folder/news.db"


@pytest.fixture
def store(url):
    engine = open_store(url)
    yield engine
    engine.dispose()


@pytest.fixture
def conn(store):
    """A connection in a transaction that is not kept."""
    with store.connect() as conn, conn.begin() as transaction:
        yield conn
        transaction.rollback()


@pytest.fixture
def writer(store):
    writer = Writer(store, 64, 60.0)
    yield writer
    writer.close()
