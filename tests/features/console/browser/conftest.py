"""The console as people see it: served on loopback, in Debian's Chromium."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, expect, sync_playwright
from sqlalchemy import Engine

from newsspider.store.engine.database import open_store
from tests.features.console.conftest import fill
from tests.features.console.consoles import settings_with
from tests.features.console.served import served
from tests.support.servers import chromium, new_file

PATIENCE = 60_000  # milliseconds; on an idle machine a page takes a tenth of a second
REFUSED = "Failed to load resource: the server responded with a status of 4"  # Chromium's note beside an error page of ours
ASKED_A_FRAME = "Failed to execute 'postMessage' on 'DOMWindow'"  # by axe: the frame of a snapshot has no origin; ours never ask

expect.set_options(timeout=PATIENCE)


@dataclass(frozen=True)
class Console:
    """A console that is served, and its store."""

    base: str
    engine: Engine
    file: Path


@contextmanager
def serving(engine: Engine, **settings: object) -> Iterator[str]:
    """Serve the store; the address."""
    with served(engine, settings=settings_with(ALLOWED_ADDRESSES=["127.0.0.0/8"], **settings)) as (_, port):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def opened_store(folder: Path) -> Iterator[tuple[Engine, Path]]:
    """A store with the articles of the other tests."""
    folder.mkdir(exist_ok=True)
    file = folder / "news.db"
    engine = open_store(new_file(file))
    fill(engine)
    yield engine, file
    engine.dispose()


@pytest.fixture(scope="module")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    """The console of a module: its tests write what others do not read."""
    with opened_store(tmp_path_factory.mktemp("console")) as (engine, file), serving(engine) as base:
        yield Console(base, engine, file)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, which ends with the module: while it runs, no other event loop does in this thread."""
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        yield launched
        launched.close()


@contextmanager
def visiting(browser: Browser, base: str, *, scripts: bool = True, **options: object) -> Iterator[BrowserContext]:
    """A browser that asks nobody but the console, reports no error and opens no dialog, or the test fails."""
    faults: list[str] = []
    context = browser.new_context(base_url=base, java_script_enabled=scripts, locale="zh-CN", **options)  # type: ignore[arg-type]
    context.set_default_timeout(PATIENCE)
    context.on("request", lambda request: _is_of(request.url, base) or faults.append(f"asks {request.url}"))
    context.on("console", lambda message: faults.extend(_errors(message)))
    context.on("weberror", lambda error: faults.append(f"error {error.error}"))
    context.on("dialog", lambda dialog: (faults.append(f"dialog {dialog.message}"), dialog.dismiss()))
    yield context
    context.close()
    assert faults == []


def _is_of(url: str, base: str) -> bool:
    return urlsplit(url).scheme == "data" or urlsplit(url).netloc == urlsplit(base).netloc


def _errors(message: ConsoleMessage) -> list[str]:
    if message.type not in {"error", "warning"} or message.text.startswith((REFUSED, ASKED_A_FRAME)):
        return []
    return [f"{message.type} {message.text}"]
