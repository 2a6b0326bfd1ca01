"""The whole job beside the naive one and beside download only, on the same loopback pages, rounds in turn."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROUNDS = 3
CONCURRENCIES = (1, 10, 50)
WANTED = 5.0  # times the naive one
PEERS = ("newsspider", "naive", "download only")


class Portal:
    """The sample portal, well-behaved pages only, and its site files with no delay at all."""

    def __init__(self, folder: Path, articles: int) -> None:
        self.sites = folder / "sites"
        command = [sys.executable, "-m", "demo", "serve", "--plain", "--port", "0", "--sites-dir", str(self.sites)]
        self.process = subprocess.Popen(
            [*command, "--articles", str(articles)], cwd=ROOT, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )
        assert self.process.stdout is not None
        self.base = re.search(r"http://[\d.]+:\d+", self.process.stdout.readline())[0]  # type: ignore[index]
        files = sorted(self.sites.glob("*.toml"))
        for file in files:
            text = re.sub(r"(?m)^delay_seconds *=.*$", "delay_seconds = 0.0", file.read_text("utf-8"))
            file.write_text(text, encoding="utf-8")
        tables = [tomllib.loads(file.read_text("utf-8")) for file in files]
        self.channels = [channel["url"] for table in tables for channel in table["channels"]]
        with urllib.request.urlopen(f"{self.base}/__truth__") as answer:
            self.truth = json.load(answer)

    def close(self) -> None:
        """Stop it."""
        self.process.terminate()
        self.process.wait()


def crawl(command: list[str], folder: Path, concurrency: int) -> dict:
    """Run one crawl in a process of its own; what it cost."""
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    settings = {
        "BENCH_REPORT": report, "CONCURRENT_REQUESTS": concurrency, "LOG_LEVEL": "ERROR", "EXTENSIONS": "{}",
        "AUTOTHROTTLE_ENABLED": 0,
    }  # fmt: skip
    settings.pop("EXTENSIONS")
    flags = [flag for name, value in settings.items() for flag in ("-s", f"{name}={value}")]
    done = subprocess.run([*command, *flags], cwd=ROOT, capture_output=True, text=True, check=False, env=environment(folder))
    if not report.exists():
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr[-3000:]}")
    return json.loads(report.read_text("utf-8"))


def environment(folder: Path) -> dict[str, str]:
    """The environment of a crawl: our own settings for ours, plain defaults for the peers."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "NEWSSPIDER_DATABASE_URL": f"sqlite:///{folder}/ours.db"}
