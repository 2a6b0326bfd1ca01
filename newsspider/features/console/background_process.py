"""What plug-ins do beside the answers of the console, in a process of its own: events and alerts.

A thread that computes would hold up every page: SQLite lets go of the interpreter at each row that it reads, and would
have to wait for it each time.
"""

from __future__ import annotations

import logging
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from scrapy.settings import BaseSettings
from scrapy.utils.log import configure_logging
from scrapy.utils.project import get_project_settings
from sqlalchemy import Engine

from newsspider.features.console.child_process import own_settings
from newsspider.hooks import plugins
from newsspider.store.engine.database import open_store
from newsspider.store.engine.errors import StoreUnusableError
from newsspider.store.engine.watched_threads import start_thread

logger = logging.getLogger(__name__)
END_SECONDS = 60.0  # that it may take to end, and before it is started again
LOOK_SECONDS = 0.5  # at whether the process lives


def keep_running(engine: Engine, settings: BaseSettings, ended: threading.Event) -> None:
    """Have the process run until the event is set; one that fails is started again after a minute."""
    arguments = pickle.dumps((engine.url.render_as_string(hide_password=False), own_settings(settings)))
    command = [sys.executable, "-c", f"from {__name__} import main; main()"]
    while not ended.is_set():
        with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
            assert process.stdin is not None
            with suppress(BrokenPipeError):  # it has ended already
                process.stdin.write(arguments)
                process.stdin.flush()
            while process.poll() is None and not ended.wait(LOOK_SECONDS):
                pass
            with suppress(BrokenPipeError):
                process.stdin.close()  # which tells it to end
            try:
                process.wait(END_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
        if not ended.is_set():
            logger.warning("the process of events and alerts ended with exit code %s", process.returncode)
            ended.wait(END_SECONDS)


def main() -> None:
    """In the process of its own: work until the console ends, however it does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches both; the console says when it is over
    url, values = pickle.load(sys.stdin.buffer)  # of our own parent
    settings: Any = get_project_settings()
    settings.setdict(values, priority="cmdline")
    configure_logging(settings)
    try:
        engine, ended = open_store(url), threading.Event()
    except StoreUnusableError as error:
        sys.exit(str(error))
    jobs: dict[str, Callable[[threading.Event], None]] = {}
    for more in plugins().hook.background(engine=engine, settings=settings):
        jobs |= more
    workers = [start_thread(name, partial(job, ended), until=ended) for name, job in jobs.items()]
    sys.stdin.buffer.read()
    ended.set()
    for worker in workers:
        worker.join(END_SECONDS)  # a store that hangs is not waited for
