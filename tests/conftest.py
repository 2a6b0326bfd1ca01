"""What holds for every test: the sites that they crawl are on this machine."""

from __future__ import annotations

import os

os.environ.setdefault("NEWSSPIDER_ALLOWED_ADDRESSES", "127.0.0.0/8")
