"""The tutorial is followed command by command: each program answers what the page shows, but for times and small differences."""

import json
import os
import re
import shlex
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import partial
from io import TextIOWrapper
from pathlib import Path

from demo.show import report
from tests.crawl.conftest import Crawled
from tests.support.portal import ROOT
from tests.support.process import Process, scrapy
from tests.support.sample_portal import portal

PAGE = ROOT / "docs" / "tutorial.md"
DEMO_PORT, OWN_PORT = "8900", "8955"  # on the page; the tests take free ones
SITES, DEMO_STORE, OWN_SITE = "data/demo/sites", "data/demo/newsspider.db", "data/my-site.toml"
COUNT_DIFFERS = 0.03  # or 2: which of two pages is read first depends on the machine
SECONDS = 120

_BLOCK = re.compile(r"^```(console|toml)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_CRAWLED_AT = re.compile(r"\b20(?!25-06)\d\d-\d\d-\d\d \d\d:\d\d(:\d\d)?")  # the news of the portal is of June 2025
_SECONDS = re.compile(r"\b\d+(\.\d+)? s\b")
_HOST_PAGES = re.compile(r"^([\d.]+:\d+ +)\d+(?= +\d+(\.\d+)? s )")  # more on a slow machine, where lists are polled twice
_RUN_PAGES = re.compile(r"\b\d+ pages, \d+ new$")  # news appears while the portal runs: a slow run finds what is the next one's elsewhere
_COUNT = re.compile(r"\(?(\d+(?:\.\d+)?)[),]?")


@dataclass
class Newcomer:
    """Does what the page says, in a folder of their own. ``make demo`` is taken from the crawl that the tests share."""

    folder: Path
    crawled: Crawled
    running: ExitStack
    ports: dict[str, str] = field(default_factory=dict)  # the page's, and which one it is here
    environment: dict[str, str] = field(default_factory=dict)
    demos: int = 0

    def __post_init__(self) -> None:
        self.ports[DEMO_PORT] = self.crawled.portal.base.rpartition(":")[2]
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("NEWSSPIDER_", "SCRAPY_"))}
        self.environment |= inherited | {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONUNBUFFERED": "1",  # both streams in the order written
            "SCRAPY_SETTINGS_MODULE": "newsspider.settings",
            "NEWSSPIDER_DATA_DIR": str(self.folder / "data"),
        }
        (self.folder / DEMO_STORE).parent.mkdir(parents=True)

    def saves(self, text: str) -> None:
        """Add the next part of the site file."""
        with (self.folder / OWN_SITE).open("a", encoding="utf-8") as file:
            file.write(self._here(text))

    def types(self, command: str) -> str:
        """The output of a command, with the ports of the page."""
        match command.split():
            case ["make", "demo"]:
                self.demos += 1
                answer = self._demo() if self.demos == 1 else self._second_demo()
            case ["python", "-m", "demo", "serve", "--port", _, "--fast"]:
                own = self.running.enter_context(portal("--fast"))
                self.ports[OWN_PORT] = own.base.rpartition(":")[2]
                answer = own.line
            case ["export", setting]:
                name, _, value = setting.partition("=")
                self.environment[name] = value.replace("$PWD", str(self.folder))
                answer = ""
            case ["unset", *names]:
                for name in names:
                    del self.environment[name]
                answer = ""
            case [".", ".venv/bin/activate"]:
                answer = ""
            case _:
                answer = self._run(command)
        for page, here in self.ports.items():
            answer = answer.replace(f":{here}", f":{page}")
        return by_reason(lists_polled_once(answer)) if command == "scrapy status" else answer

    def _here(self, text: str) -> str:
        for page, here in self.ports.items():
            text = text.replace(f":{page}/", f":{here}/")
        return text

    def _run(self, command: str) -> str:
        if command.startswith("scrapy ") and ">" not in command:
            return self._run_warm(shlex.split(self._here(command))[1:])
        done = subprocess.run(
            ["/bin/sh", "-c", self._here(command)], cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, encoding="utf-8", timeout=SECONDS, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"$ {command}\n{done.stdout}"
        return done.stdout

    def _run_warm(self, words: list[str]) -> str:
        """The same for a ``scrapy`` command that needs no shell, in a process that has imported everything."""
        output = self.folder / "said"
        output.unlink(missing_ok=True)
        process = Process(words, self.environment, output, program=partial(scrapy_in, self.folder))
        try:
            code = process.wait(SECONDS)
        finally:
            process.kill()
        assert code == 0, f"$ scrapy {words}\n{output.read_text('utf-8')}"
        return output.read_text("utf-8")

    def _demo(self) -> str:
        with closing(sqlite3.connect(self.crawled.database)) as theirs, closing(sqlite3.connect(self.folder / DEMO_STORE)) as own:
            theirs.backup(own)
        line = self.crawled.portal.line.replace(str(self.crawled.portal.sites), SITES)
        return self._shown(line, self.crawled.done.returncode, self.crawled.hits)

    def _second_demo(self) -> str:
        hits_before = len(self.crawled.portal.hits())
        self._run(f"scrapy crawl education -a sites={self.crawled.portal.sites} -s LOG_LEVEL=WARNING -s RETRY_BASE_SECONDS=0.5")
        return self._shown(self.crawled.portal.line, 0, self.crawled.portal.hits()[hits_before:])

    def _shown(self, line: str, code: int, hits: list[dict[str, object]]) -> str:
        stored = [json.loads(row) for row in self._run(f"NEWSSPIDER_DATABASE_URL=sqlite:///{DEMO_STORE} scrapy export 2>&-").splitlines()]
        lines = report(self.crawled.truth, hits, stored)
        heading = (line.strip(), f"crawling it: scrapy crawl education -a sites={SITES}", f"crawl ended with exit code {code} after 1 s")
        return "\n".join((*heading, "", *lines))


def scrapy_in(folder: Path, arguments: Sequence[str]) -> None:
    """Run a ``scrapy`` command in this process and folder, both streams in the order written."""
    os.chdir(folder)
    assert isinstance(sys.stdout, TextIOWrapper)
    sys.stdout.reconfigure(line_buffering=True)
    scrapy(arguments)


def lists_polled_once(status: str) -> str:
    """The answer of ``scrapy status`` as if no list had been polled twice; on a slow machine some are, and are ``unchanged``."""
    lines = status.splitlines()
    states = [number for number, line in enumerate(lines) if line.startswith("done ")]
    counts = {(cells := lines[number].split())[1]: int(cells[2]) for number in states}
    if "unchanged" not in counts:
        return status
    counts["polled"] = counts.get("polled", 0) + counts.pop("unchanged")
    lines[states[0] : states[-1] + 1] = [f"done {reason} {count}" for reason, count in counts.items()]
    return "\n".join(lines)


def by_reason(status: str) -> str:
    """The answer of ``scrapy status`` with the reasons of each state in the order of their names: their counts may differ by one."""
    lines = status.splitlines()
    for state in ("done ", "error "):
        rows = [number for number, line in enumerate(lines) if line.startswith(state)]
        for number, line in zip(rows, sorted(lines[number] for number in rows), strict=True):
            lines[number] = line
    return "\n".join(lines)


def steps(page: str) -> Iterator[tuple[str, list[str]]]:
    """The commands of the page, each with the lines shown as its answer; a file to save is a command without a name."""
    for kind, block in _BLOCK.findall(page):
        if kind == "toml":
            yield "", [block]
            continue
        for entry in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *lines = entry.rstrip().splitlines()
            yield command, lines


def differences(expected: list[str], answered: list[str]) -> list[str]:
    """The lines of the page that the answer does not have in this order, and those that it has besides, without a '...' on the page."""
    place, skips = 0, False
    differing = []
    for line in expected:
        if line == "...":
            skips = True
            continue
        ahead = range(place, len(answered)) if skips else range(place, min(place + 1, len(answered)))
        at = next((number for number in ahead if alike(line, answered[number])), None)
        if at is None:
            differing.append(f"the page shows {line!r}" + (f", it is {answered[place]!r}" if not skips and place < len(answered) else ""))
        place, skips = (place + (not skips) if at is None else at + 1), skips and at is None
    return differing if skips else differing + [f"the page does not show {line!r}" for line in answered[place:]]


def alike(expected: str, answered: str) -> bool:
    """Whether two lines say the same, but for spaces, times, and counts that hardly differ."""
    plain = (_HOST_PAGES.sub(r"\1PAGES", _RUN_PAGES.sub("FETCHED", line)) for line in (expected, answered))
    ours, theirs = (_SECONDS.sub("SECONDS", _CRAWLED_AT.sub("TIME", line)).split() for line in plain)
    return len(ours) == len(theirs) and all(map(_same, ours, theirs))


def _same(expected: str, answered: str) -> bool:
    count, other = _COUNT.fullmatch(expected), _COUNT.fullmatch(answered)
    if not count or not other:
        return expected == answered
    return abs(float(count[1]) - float(other[1])) <= max(2.0, COUNT_DIFFERS * float(count[1]))


def test_every_command_of_the_tutorial_answers_what_the_page_shows(crawled: Crawled, tmp_path: Path) -> None:
    stale = []
    with ExitStack() as running:
        newcomer = Newcomer(tmp_path, crawled, running)
        for command, expected in steps(PAGE.read_text("utf-8")):
            if not command:
                newcomer.saves(expected[0])
                continue
            on_page = by_reason("\n".join(expected)).splitlines() if command == "scrapy status" else expected
            answered = newcomer.types(command).rstrip().splitlines()
            stale += [f"$ {command}: {difference}" for difference in differences(on_page, answered)]
    assert not stale, "\n".join(stale)
