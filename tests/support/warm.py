"""What takes a crawl its second to start, done once: imported by the process from which the others are forked.

Nothing here installs a reactor, starts a thread, or reads the environment.
"""

import gc
import sys
import time
from importlib import import_module
from importlib.metadata import entry_points
from pkgutil import walk_packages

import newsspider
from newsspider.crawl.lease_pool import prepare_reading
from newsspider.crawl.setting_checks import fields
from newsspider.sites.holidays import calendar_of
from newsspider.sites.loader import load_site, shipped_texts
from newsspider.store.engine.clock import Clock
from newsspider.topics.loader import load_topic

LIBRARIES = (
    "aiohttp", "alembic.command", "alembic.autogenerate", "numpy.ma", "psycopg", "redis.asyncio", "scrapy.cmdline", "scrapy.crawler",
    "scrapy.downloadermiddlewares", "scrapy.spidermiddlewares", "scrapy.extensions", "scrapy.commands", "scrapy.statscollectors",
    "scrapy.utils.engine", "scrapy_redis.connection", "sqlalchemy.dialects.postgresql.psycopg", "sqlalchemy.dialects.sqlite",
    "sqlalchemy.ext.compiler", "tldextract",
)  # fmt: skip
WHOLE = ("newsspider", "scrapy.downloadermiddlewares", "scrapy.spidermiddlewares", "scrapy.extensions", "scrapy.commands")
NEVER = (
    "newsspider.settings", "newsspider.store.migrations", "scrapy.extensions.statsmailer",  # they read the environment, or warn
    "newsspider.features.mcp.tool", "newsspider.features.workbench.training",  # seconds, for few processes
)  # fmt: skip


def _modules(package: str) -> list[str]:
    modules = walk_packages(import_module(package).__path__, f"{package}.")
    return [module.name for module in modules if not module.name.startswith(NEVER)]


for name in (*LIBRARIES, *(module for package in WHOLE for module in _modules(package))):
    import_module(name)
prepare_reading(load_topic("education"), None, Clock().utc())
calendar_of("CN", (), time.time())
load_site(shipped_texts()[0][1], shipped_texts()[0][0])
fields()
del sys.modules["newsspider.settings"], newsspider.settings  # each process reads them again, in an environment of its own
for command in entry_points(group="scrapy.commands"):  # of scrapy-poet, whose testing parts take a quarter of a second
    command.load()
gc.freeze()  # what is shared by all of them is not looked at again by any
