"""What holds for every test: the sites that they crawl are on this machine, and so are the servers."""

from __future__ import annotations

import os

from tests.servers import migrated, never_written, shared_postgres, shared_redis

__all__ = ["migrated", "never_written", "shared_postgres", "shared_redis"]

os.environ.setdefault("NEWSSPIDER_ALLOWED_ADDRESSES", "127.0.0.0/8")
