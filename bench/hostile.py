"""``python -m bench.hostile``: the crawl of ``tests/hostile`` with its memory and its loop delay, beside stock Scrapy at the same job.

Each has 2 GB of memory and two minutes by default. What goes beyond is killed; its figures are those of the moment of its death.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.hostile.articles import title_of
from tests.hostile.behaviour import LIST, Behaviour
from tests.hostile.crawl import command_of, environment_of, titles_in
from tests.hostile.server import GOOD, HostileWeb, served
from tests.hostile.table import BEHAVIOURS
from tests.support.portal import ROOT

MOST_MEGABYTES = 2000
MOST_SECONDS = 120.0
CONTESTANTS = ("newsspider", "stock Scrapy")
LINE = "{:<14}{:>10}{:>12}{:>14}{:>12}{:>11}  {}"


@dataclass(frozen=True, slots=True)
class Figures:
    """What one crawl took and brought."""

    peak_mb: float
    late: float  # seconds by which the event loop was late at most
    seconds: float
    answers: int  # requests that the hosts got
    stored: int  # of the real articles, with their own titles
    ending: str

    @property
    def rate(self) -> float:
        """Requests a second."""
        return self.answers / max(self.seconds, 0.001)


def main() -> int:
    """Run both, ours first; the exit code is 1 if ours lost an article or was killed."""
    parser = argparse.ArgumentParser(prog="python -m bench.hostile", description=__doc__)
    parser.add_argument("--megabytes", type=int, default=MOST_MEGABYTES, help="of memory that each may have")
    parser.add_argument("--seconds", type=float, default=MOST_SECONDS, help="that each may take")
    options = parser.parse_args()
    behaviours = list(BEHAVIOURS)
    print(
        f"{len(behaviours)} hostile hosts, each with {len(GOOD)} real articles; {options.megabytes} MB and {options.seconds:g} s at most"
    )
    print(LINE.format("", "peak MB", "loop late s", "seconds", "requests/s", "articles", "ending"))
    figures_by_name = {}
    for name in CONTESTANTS:
        with TemporaryDirectory(prefix="newsspider-bench-") as folder:
            figures_by_name[name] = measured(name, behaviours, Path(folder), options.megabytes, options.seconds)
        figures = figures_by_name[name]
        cells = (
            f"{figures.peak_mb:.0f}",
            f"{figures.late:.2f}",
            f"{figures.seconds:.0f}",
            f"{figures.rate:.1f}",
            figures.stored,
        )
        print(LINE.format(name, *cells, figures.ending), flush=True)
    least_articles = sum(max(0, behaviour.neighbours) for behaviour in behaviours)
    print(f"{least_articles} real articles at least stand where robots.txt lets a polite crawler in")
    ours = figures_by_name["newsspider"]
    return 0 if ours.stored >= least_articles and ours.ending.startswith("exit") else 1


def measured(name: str, behaviours: Sequence[Behaviour], folder: Path, megabytes: int, seconds: float) -> Figures:
    """One crawl by one contestant, which dies at either limit."""
    with served(HostileWeb(behaviours, folder)) as web:
        command, environment = _ours(web, folder) if name == "newsspider" else _stock(web, folder)
        limit = megabytes * 1_000_000
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                command,
                cwd=ROOT,
                env=environment,
                stdout=log,
                stderr=log,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (limit, limit)),  # noqa: PLW1509 -- no threads of ours here
            )
            try:
                code = process.wait(seconds)
                ending = f"exit code {code}" if code >= 0 else f"killed by signal {-code}"
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                ending = f"killed after {seconds:g} s"
        report = folder / "lateness.json"
        figures = (
            json.loads(report.read_text("utf-8"))
            if report.exists()
            else {"peak_mb": 0.0, "late": 0.0, "seconds": seconds}
        )
        if "MemoryError" in (folder / "log").read_text("utf-8", "replace"):
            ending += ", out of memory"
        titles = titles_in(folder / "news.db") if name == "newsspider" else _told_by_stock(folder / "items.jsonl")
        good = {web.base(a) + path: title_of(n, m) for a, (n, _) in web.behaviours.items() for path, m in GOOD.items()}
        stored = sum(titles.get(url) == title for url, title in good.items())
        return Figures(figures["peak_mb"], figures["late"], figures["seconds"], web.asked.total(), stored, ending)


def _ours(web: HostileWeb, folder: Path) -> tuple[list[str], dict[str, str]]:
    return command_of(web, folder), environment_of(folder / "news.db")


def _stock(web: HostileWeb, folder: Path) -> tuple[list[str], dict[str, str]]:
    """The same lists and channels to start from; items go to a file of JSON lines."""
    starts = folder / "starts.txt"
    channels = [web.url(address) for address, (_, behaviour) in web.behaviours.items() if behaviour.kind]
    starts.write_text(
        "\n".join([*(web.base(address) + LIST for address in web.behaviours), *channels]), encoding="utf-8"
    )
    environment = os.environ | {"SCRAPY_SETTINGS_MODULE": "bench.hostile_stock", "PYTHONPATH": str(ROOT)}
    arguments = [
        "-a",
        f"starts={starts}",
        "-o",
        str(folder / "items.jsonl"),
        "-s",
        f"LATENESS_REPORT={folder / 'lateness.json'}",
    ]
    return [sys.executable, "-m", "scrapy", "crawl", "hostile", *arguments], environment


def _told_by_stock(file: Path) -> dict[str, str]:
    """By URL; the last line of one that was killed may be half a line."""
    lines = file.read_text("utf-8").splitlines() if file.exists() else []
    items = [json.loads(line) for line in lines if line.endswith("}")]
    return {item["url"]: item["title"] for item in items}


if __name__ == "__main__":
    sys.exit(main())
