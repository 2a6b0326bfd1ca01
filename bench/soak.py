"""``python -m bench.soak``: a crawl around the clock over many loopback hosts that go on publishing; its memory, descriptors and rate.

The hosts and the crawl are processes of their own. Every minute one line is printed; the goals at the end are those of the settings
that are shipped, but for lists that are asked more often.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
WARM_MINUTES = 3
MOST_MB, MOST_GROWTH_MB, MOST_DESCRIPTORS = 300.0, 50.0, 10
ENDS_WITHIN = 60.0  # seconds after SIGTERM


@dataclass(frozen=True, slots=True)
class Sample:
    """The crawl at the end of a minute."""

    minute: float
    resident: float  # MB
    peak: float  # MB
    descriptors: int
    threads: int
    delay: float  # seconds, the longest of the event loop in that minute
    pages: int
    articles: int
    queue: int


def main() -> int:
    """Run the soak; the exit code is 1 if a goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--hosts", type=int, default=120)
    parser.add_argument("--before", type=int, default=100, help="articles of each host at the start")
    parser.add_argument("--seconds", type=float, default=15.0, help="between two new articles of a host")
    parser.add_argument("--every", type=float, default=60.0, help="seconds between two lines")
    parser.add_argument("options", nargs="*", help="further options of `scrapy crawl`, after --")
    options = parser.parse_args()
    with TemporaryDirectory(prefix="newsspider-soak-") as folder:
        samples = list(soak(Path(folder), options))
    return judged(samples)


def soak(folder: Path, options: argparse.Namespace) -> Iterator[Sample]:
    """The lines of a soak, printed and yielded."""
    print("minute  resident MB  peak MB  descriptors  threads  loop delay s  pages/s  articles  queue", flush=True)
    with hosts(folder / "sites", options.hosts, options.before, options.seconds), crawl(folder, options) as process:
        last = Sample(0, 0, 0, 0, 0, 0, 0, 0, 0)
        began, count = time.monotonic(), 0
        while count == 0 or time.monotonic() - began < 60 * options.minutes:
            lines = _lines(folder / "report.jsonl")
            if process.poll() is not None:
                sys.exit(f"the crawl ended by itself with exit code {process.returncode}\n{_tail(folder / 'log')}")
            if len(lines) > count:
                count = len(lines)
                sample = _sample(process.pid, (time.monotonic() - began) / 60, lines[-1])
                print(_row(sample, last), flush=True)
                last = sample
                yield sample
            time.sleep(0.2)


@contextmanager
def hosts(sites: Path, count: int, published_before: int, seconds: float) -> Iterator[None]:
    """The hosts, in a process of their own; their site files lie in ``sites``."""
    command = [sys.executable, "-m", "bench.soak_hosts", "--sites-dir", str(sites), "--hosts", str(count)]
    command += ["--before", str(published_before), "--seconds", str(seconds)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            if not process.stdout.readline().strip().isdigit():
                sys.exit("the hosts did not start")
            yield
        finally:
            process.terminate()


@contextmanager
def crawl(folder: Path, options: argparse.Namespace) -> Iterator[subprocess.Popen[bytes]]:
    """The crawl, ended by SIGTERM."""
    environment = os.environ | {
        "SCRAPY_SETTINGS_MODULE": "bench.soak_settings",
        "PYTHONPATH": str(ROOT),
        "NEWSSPIDER_DATA_DIR": str(folder),
        "NEWSSPIDER_DATABASE_URL": f"sqlite:///{folder}/news.db",
        "NEWSSPIDER_ALLOWED_ADDRESSES": "127.0.0.0/8",
    }
    command = [
        sys.executable,
        "-m",
        "scrapy",
        "crawl",
        "education",
        "-a",
        f"sites={folder / 'sites'}",
        "-a",
        "forever=1",
    ]
    command += ["-s", f"SOAK_REPORT={folder / 'report.jsonl'}", "-s", f"SOAK_SECONDS={options.every}", *options.options]
    with (
        (folder / "log").open("wb") as log,
        subprocess.Popen(command, cwd=ROOT, env=environment, stderr=log) as process,
    ):
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(ENDS_WITHIN)
            except subprocess.TimeoutExpired:
                process.kill()
    print(_tail(folder / "log", 15), file=sys.stderr)


def judged(samples: list[Sample]) -> int:
    """Print the summary; 1 if a goal is missed."""
    warm = next((sample for sample in samples if sample.minute >= WARM_MINUTES - 0.1), None)
    if warm is None:
        print(f"too short: growth is counted from minute {WARM_MINUTES}")
        return 1
    last = samples[-1]
    figures = {
        "peak MB": (last.peak, MOST_MB),
        f"growth in MB from minute {WARM_MINUTES} to {last.minute:.0f}": (
            last.resident - warm.resident,
            MOST_GROWTH_MB,
        ),
        "more descriptors": (last.descriptors - warm.descriptors, MOST_DESCRIPTORS),
    }
    for name, (value, goal) in figures.items():
        print(f"{name}: {value:.0f} (at most {goal:.0f}){'' if value <= goal else '  MISSED'}")
    print(
        f"longest loop delay: {max(sample.delay for sample in samples):.3f} s; pages/s: {last.pages / last.minute / 60:.1f}"
    )
    return int(any(value > goal for value, goal in figures.values()))


def _lines(path: Path) -> list[dict[str, float]]:
    text = path.read_text("utf-8") if path.exists() else ""
    return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]


def _sample(pid: int, minute: float, figures: dict[str, float]) -> Sample:
    status = Path(f"/proc/{pid}/status").read_text("utf-8")
    size = {name: int(kilobytes) / 1024 for name, kilobytes in re.findall(r"(\w+):\s+(\d+) kB", status)}
    threads = re.search(r"Threads:\s+(\d+)", status)
    return Sample(
        minute,
        size["VmRSS"],
        size["VmHWM"],
        sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir()),
        int(threads[1]) if threads else 0,
        figures["delay"],
        int(figures["pages"]),
        int(figures["articles"]),
        int(figures["queue"]),
    )


def _row(sample: Sample, last: Sample) -> str:
    rate = (sample.pages - last.pages) / (60 * (sample.minute - last.minute))
    return (
        f"{sample.minute:6.1f}  {sample.resident:11.0f}  {sample.peak:7.0f}  {sample.descriptors:11}  {sample.threads:7}"
        f"  {sample.delay:12.3f}  {rate:7.1f}  {sample.articles:8}  {sample.queue:5}"
    )


def _tail(log: Path, lines: int = 30) -> str:
    return "\n".join(log.read_text("utf-8", "replace").splitlines()[-lines:])


if __name__ == "__main__":
    sys.exit(main())
