"""The same stores as those of the tests of the store."""

from tests.store.conftest import backend, conn, store, url, writer

__all__ = ["backend", "conn", "store", "url", "writer"]
