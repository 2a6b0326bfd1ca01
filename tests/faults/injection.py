"""Makes parts of a crawl fail: an add-on of Scrapy that wraps the named functions of the running process; the parts are the real ones.

``INJECTED_FAULTS`` holds JSON: a list of :class:`Fault`.
"""

import errno
import functools
import importlib
import inspect
import json
import os
import resource
import sqlite3
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from scrapy.exceptions import DropItem
from scrapy.settings import BaseSettings

ALWAYS = 1 << 30
VARIABLE = "INJECTED_FAULTS"
SETTINGS = ("-s", 'ADDONS={"tests.faults.injection.Injection": 0}')


@dataclass(frozen=True)
class Fault:
    """``target`` (``module:name.of.attribute``) raises ``error`` in so many calls ``after`` the first ones; with ``where``, only over
    pages whose URL has that in it."""

    target: str
    error: str
    times: int = ALWAYS
    after: int = 0
    where: str = ""


def environment(*faults: Fault) -> Mapping[str, str]:
    """The environment of a process that has these faults."""
    return {VARIABLE: json.dumps([asdict(fault) for fault in faults])}


class Injection:
    """The add-on."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Wrap the targets, and put the pipeline and the spider middleware of a user in their places."""
        settings["ITEM_PIPELINES"]["tests.faults.injection.UserPipeline"] = 450
        settings["SPIDER_MIDDLEWARES"]["tests.faults.injection.UserMiddleware"] = 10
        for fault in json.loads(os.environ[VARIABLE]):
            arm(Fault(**fault))


class UserPipeline:
    """A pipeline as users write them: it takes what comes."""

    def process_item(self, item: Any) -> Any:
        """Hand on the item as it is."""
        return item


class UserMiddleware:
    """A spider middleware as users write them: it hands on what comes."""

    async def process_spider_output(self, response: Any, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Hand on every result."""
        async for item in result:
            yield self.handed_on(item)

    def handed_on(self, item: Any) -> Any:
        """The result as it is."""
        return item


def locked() -> sqlite3.Error:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR
    return error


ERRORS: Mapping[str, Callable[[], BaseException]] = {
    "memory": MemoryError,
    "thread": lambda: RuntimeError("can't start new thread"),
    "network": lambda: OSError(errno.ENETUNREACH, "Network is unreachable"),
    "commit": locked,
    "data file": lambda: FileNotFoundError(errno.ENOENT, "No such file or directory", "t2s.json"),
    "drop": lambda: DropItem("not wanted"),
    "exit": SystemExit,
    "value": lambda: ValueError("a value of ours"),
}


def arm(fault: Fault) -> None:
    """Let the target fail from now on as the fault says."""
    module, _, path = fault.target.partition(":")
    *owners, name = path.split(".")
    owner: Any = importlib.import_module(module)
    for attribute in owners:
        owner = getattr(owner, attribute)
    function = getattr(owner, name)
    calls = 0

    def fails(arguments: Sequence[Any]) -> bool:
        nonlocal calls
        if fault.where and not any(fault.where in _url(argument) for argument in arguments):
            return False
        calls += 1
        return fault.after < calls <= fault.after + fault.times

    def fail() -> None:
        if fault.error == "open files":  # for good: every file and connection from now on
            count = len(list(Path("/proc/self/fd").iterdir()))
            resource.setrlimit(resource.RLIMIT_NOFILE, (count - 1, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
        else:
            raise ERRORS[fault.error]()

    @functools.wraps(function)
    def wrapped(*arguments: Any, **named: Any) -> Any:
        if fails(arguments):
            fail()
        return function(*arguments, **named)

    @functools.wraps(function)
    async def awaited(*arguments: Any, **named: Any) -> Any:
        if fails(arguments):
            fail()
        return await function(*arguments, **named)

    setattr(owner, name, awaited if inspect.iscoroutinefunction(function) else wrapped)


def _url(value: Any) -> str:
    page = getattr(value, "page", value)  # of an item
    return str(getattr(getattr(page, "lease", None), "url", ""))
