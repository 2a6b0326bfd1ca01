"""What takes a crawl its second to start, done once: imported by the process from which the others are forked.

Nothing here installs a reactor, starts a thread, or reads the environment.
"""

from __future__ import annotations

from importlib import import_module

from newsspider.core.extraction import keywords

IMPORTED = (
    "aiohttp", "tldextract", "scrapy.cmdline", "scrapy.crawler", "scrapy.extensions.remote_control",
    "newsspider.download.handler", "newsspider.crawl.crawl", "newsspider.commands.crawl", "newsspider.spiders.education",
    "newsspider.spiders.explore", "newsspider.frontier.redis", "newsspider.scheduler", "scrapy_redis.connection", "psycopg",
    "redis.asyncio", "sqlalchemy.dialects.postgresql.psycopg", "sqlalchemy.dialects.sqlite",
)  # fmt: skip

for name in IMPORTED:
    import_module(name)
keywords.prepare()
