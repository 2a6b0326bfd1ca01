"""The process that starts workers: what it takes of them, and what it passes on."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from scrapy.exceptions import UsageError
from scrapy.settings import Settings

from newsspider.cli.workers import Worker, Workers, check_workers
from newsspider.core.crawling.finish_reasons import ENDINGS, CrawlLimits, Finish
from newsspider.extensions.progress import PIPE, CrawlFigures
from tests.support.events import until
from tests.support.portal import ROOT, command, environment

REPORTS = """
import json, os, sys
for seconds, pages in json.loads(sys.argv[1]):
    line = {"seconds": seconds, "pages": pages, "articles": 0, "in_flight": 0, "waiting": 0, "errors": 0}
    os.write(int(os.environ["%s"]), (json.dumps(line) + chr(10)).encode())
""" % PIPE  # noqa: UP031 -- braces stand in the text


def reported(worker: Worker) -> None:
    """Start a process and return all of its output."""
    pipe = worker.start(worker.limits)
    os.set_blocking(pipe, True)
    while worker.read(pipe):
        pass
    os.close(pipe)
    assert worker.process is not None
    assert worker.process.wait(240) == 0


def test_a_process_that_takes_the_place_of_another_loses_no_page() -> None:
    """After a restart for memory it begins to count again, in the same process; after a kill in another."""
    reports = json.dumps([(1.0, 5), (2.0, 9), (0.5, 1), (1.5, 4)])
    worker = Worker(1, [sys.executable, "-c", REPORTS, reports], CrawlLimits(pages=30))
    reported(worker)
    assert worker.total().pages == 13
    reported(worker)
    assert worker.total().pages == 26
    assert worker.left() == CrawlLimits(pages=4)
    reported(worker)
    assert worker.left() is None


def test_a_worker_that_was_killed_at_its_limit_of_articles_ends_as_one_that_reached_it() -> None:
    settings = Settings({"PROGRESS_SECONDS": 0, "LOG_FORMAT": ""})
    workers = Workers(["scrapy", "crawl"], 1, CrawlLimits(pages=9, articles=2), settings, sys.stderr)
    (worker,) = workers.workers
    worker.figures = CrawlFigures(articles=2)
    workers._start(worker)
    assert worker.code == ENDINGS[Finish.ARTICLES].exit_code


def test_only_the_command_itself_starts_workers() -> None:
    with pytest.raises(UsageError, match="only the command"):
        check_workers(Settings(), ["python", "program.py"])
    with pytest.raises(UsageError, match="FEEDS"):
        check_workers(Settings({"FEEDS": {"a.json": {}}}), ["scrapy", "crawl"])


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [("-a", "workers=2"), ("-a=workers=2",)])
def test_a_signal_while_the_first_worker_starts_is_passed_on(arguments: tuple[str, ...], tmp_path: Path) -> None:
    """A worker of a worker would be a child of a child."""
    line = command("crawl", "explore", "-a", "strategy=breadth-first", "-a", "seeds=http://127.0.0.1:9/", *arguments)
    process = subprocess.Popen(line, cwd=ROOT, env=environment(tmp_path / "news.db"), stderr=subprocess.PIPE)
    try:
        until(lambda: bool(children(process.pid)), process, 120)
        (worker,) = children(process.pid)
        process.send_signal(signal.SIGTERM)
        assert process.wait(120) == 143
        assert not children(worker)
        assert b"Traceback" not in process.communicate()[1]
    finally:
        process.kill()


def children(process: int) -> list[int]:
    """The workers that a process started and that have not ended."""
    try:
        numbers = Path(f"/proc/{process}/task/{process}/children").read_text().split()
        return [int(number) for number in numbers if b"LOG_FILE_APPEND" in Path(f"/proc/{number}/cmdline").read_bytes()]
    except OSError:
        return []
