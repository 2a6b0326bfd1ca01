"""What holds for every test: the sites that they crawl are on this machine, and so are the servers."""

import gc
import os
import signal
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from tests.support.servers import migrated, never_written, redis, redis_url, shared_postgres, shared_redis
from tests.support.stores import backend, conn, store, url, writer

__all__ = [
    "backend", "conn", "migrated", "never_written", "redis", "redis_url", "shared_postgres", "shared_redis", "store", "url", "writer",
]  # fmt: skip

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # else each of hundreds of processes compiles the package again
sys.dont_write_bytecode = False
os.environ.setdefault("NEWSSPIDER_ALLOWED_ADDRESSES", "127.0.0.0/8")
gc.disable()  # until all tests are collected
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell has it ignored in the background, and children inherit that
for proxy in [name for name in os.environ if name.lower().endswith("_proxy")]:  # the servers of the tests are on this machine
    del os.environ[proxy]
hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None)  # what passes once passes again, however slowly
hypothesis.settings.load_profile("repeatable")


# The longest files begin first, so that no process still works at the end while the others have nothing left.
FIRST = ("tests/deploy/", "tests/contract/", "tests/hostile/", "tests/fleet/", "tests/faults/", "tests/commands/test_bad_command_lines.py",
        "tests/crawl/", "tests/quality/", "tests/test_", "tests/demo/")  # fmt: skip
# What `make test-long` runs: fleets of nodes, faults, hostile hosts, built environments, browsers, long crawls, walks of docs.
TEST_LONG = (
    "tests/faults/", "tests/fleet/", "tests/hostile/", "tests/deploy/", "tests/contract/", "tests/features/console/browser/",
    "tests/quality/", "tests/demo/", "tests/test_plugins.py", "tests/features/console/test_api_schema.py",
    "tests/features/console/test_access.py", "tests/features/console/test_naughty.py", "tests/features/alerts/test_crawl.py",
    "tests/features/explore/test_explore.py", "tests/features/explore/test_explore_traps.py", "tests/crawl/test_portal_",
    "tests/library/test_how_to.py", "tests/test_contributing.py", "tests/test_portability.py", "tests/download/test_browser.py",
    "tests/cli/test_workers.py",
    "tests/features/events/test_shown_words.py", "tests/features/archive/", "tests/store/index/test_damage.py",
    "tests/features/briefing/test_briefing.py::test_a_month_", "tests/features/health/test_barren_diagnosis.py",
    "tests/features/console/test_child_process.py",
    "tests/opensearch/", "tests/download/test_guarded_resolver.py",
    "tests/frontier/test_laws.py", "tests/pages/test_long_pages.py", "tests/core/links/test_feeds_limits.py",
    "tests/core/fetching/test_robots_limits.py", "tests/store/test_side_by_side.py",
    *(f"tests/crawl/test_{name}.py" for name in (
        "workers", "traps", "patience", "tutorial", "whole_crawl", "guards", "guard_pages", "in_programs", "second_looks",
        "memory_limit", "own_spiders", "own_commands", "write_a_spider", "forever", "fleet", "postgresql",
        "ways_to_end", "breadth", "revisits", "rendered", "clock", "restored", "names", "addresses",
    )),
)  # fmt: skip
# Where PostgreSQL locks, plans or answers otherwise than SQLite; elsewhere a test runs on one database, and
# tests/store/engine/test_statements.py asks PostgreSQL about every statement.
OTHERWISE_ON_POSTGRESQL = (
    "tests/store/engine/", "tests/store/index/", "tests/search/test_paging.py",
    *(f"tests/store/ledger/test_{name}.py" for name in ("due", "offers", "settlements")),
    *(f"tests/frontier/test_{name}.py" for name in ("assigned", "leases", "protocol")),
)  # fmt: skip
DATABASES = {"backend", "database"}  # the fixtures that say which database a test runs on
# Files that share fixtures that take seconds to make: one process takes them all.
SHARING = (
    ("tests/crawl/test_portal_", "tests/crawl/test_tutorial.py", "tests/crawl/test_whole_crawl.py"),  # the crawl of the whole portal
    ("tests/contract/",),  # the wheel in an environment
    ("tests/deploy/",),  # the egg on scrapyd
)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """`make test` does not even import the files whose tests are all long."""
    is_whole = config.option.markexpr == "not long" and config.args == config.getini("testpaths")
    path = f"{collection_path.relative_to(config.rootpath).as_posix()}/"
    return True if is_whole and path.startswith(TEST_LONG) else None


class WithoutDoctests:
    """Modules of the package that have no doctest are not imported to look for one: each worker would load all of scikit-learn."""

    def pytest_ignore_collect(self, collection_path: Path, config: pytest.Config) -> bool | None:
        """Whether a file is such a module; ``None`` leaves it to others."""
        if collection_path.suffix != ".py" or config.rootpath / "newsspider" not in collection_path.parents:
            return None
        return True if ">>> " not in collection_path.read_text("utf-8") else None


def pytest_configure(config: pytest.Config) -> None:
    """A hook in this file would see the files of this folder only."""
    config.pluginmanager.register(WithoutDoctests())


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Only the package has doctests; to look for them here, each worker would import modules that only subprocesses need."""
    return [collector for collector in (yield) if type(collector) is pytest.Module]


def pytest_collection_finish() -> None:
    """The collected tests live as long as the process, so the garbage collector need not look at them again."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave twins out and mark what `make test-long` runs. Long files first, the others in the order of their collection."""
    items[:] = [item for item in items if not _is_twin(item)]
    for item in items:
        if item.nodeid.startswith(TEST_LONG):
            item.add_marker(pytest.mark.long)
    items.sort(key=lambda item: next((n for n, start in enumerate(FIRST) if item.nodeid.startswith(start)), len(FIRST)))


def _is_twin(item: pytest.Item) -> bool:
    """Whether the same test runs on SQLite, with the same SQL."""
    if item.nodeid.startswith(OTHERWISE_ON_POSTGRESQL) or any(mark.args[0] in DATABASES for mark in item.iter_markers("parametrize")):
        return False
    return hasattr(item, "callspec") and "postgresql" in {item.callspec.params.get(name) for name in DATABASES}


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """A process takes a whole file, as with ``--dist loadfile``, in the order above; a group of :data:`SHARING` stays together."""
    if config.getoption("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Files(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return next((files[0] for files in SHARING if nodeid.startswith(files)), super()._split_scope(nodeid))

    config.option.loadscopereorder = False
    return Files(config, log)
