"""The same stores as those of the tests of the store."""

from tests.store.conftest import conn, store, url, writer

__all__ = ["conn", "store", "url", "writer"]
