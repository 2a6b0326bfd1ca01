"""``python -m demo run``: start the portal, crawl it with newsspider, show what was found beside what is true."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any

from demo.baselines import measure
from demo.clock import CHINA, Clock
from demo.portal import Portal
from demo.routes import Routes

ROOT = Path(__file__).parents[1]
HOME = ROOT / "data" / "demo"
PORT = 8900
LOOPBACK = "127.0.0.0/8"  # the addresses of the portal, which a crawler else refuses
NEXT = """\
What to try next (in this folder, after `. .venv/bin/activate` and
`export NEWSSPIDER_DATABASE_URL=sqlite:///{database}`):
  scrapy search {word}                 words in title and body
  scrapy brief                       a briefing of the last day
  scrapy attention 高考 校园           how much was written of them, day by day
  scrapy attention 校园 --by region -o map.svg   a map of the provinces whose sites wrote of it
  scrapy web                         the console: open http://127.0.0.1:8800/
  scrapy status                      queues, hosts, delays and why
  scrapy explain {url}
  make demo                          again: only what may be new is asked for
Then without the export, for the real world:
  scrapy sites list                  the sites that are watched
  scrapy crawl education             one round over them
"""


def run() -> int:
    """The whole show; the exit code is 0 only if the crawl ended well and every article on several pages is stored once, joined exactly."""
    HOME.mkdir(parents=True, exist_ok=True)
    sites, database = HOME / "sites", HOME / "newsspider.db"
    start = start_in(HOME)
    server = _serve(sites, start)
    try:
        print(f"crawling it: scrapy crawl education -a sites={sites.relative_to(ROOT)}", flush=True)
        began = time.monotonic()
        code = _crawl(sites, database)
        took = time.monotonic() - began
        truth, hits = _get("/__truth__"), _get("/__hits__")
        stored = _export(database)
    finally:
        server.terminate()
        server.wait()
    print(f"crawl ended with exit code {code} after {took:.0f} s\n")
    print("\n".join(report(truth, hits, stored)))
    print("\nbeside it, on the same portal:")
    portal = Portal(PORT, Clock(start))
    print("\n".join(f"  {line}" for line in measure(portal, Routes(portal)).lines()), "\n")
    example = stored[0] if stored else {"url": "http://...", "keywords": ["学校"]}
    print(NEXT.format(database=database, word=(example["keywords"] or ["学校"])[0], url=example["url"]))
    return code or bool(not_joined(truth, stored))


def report(truth: dict[str, Any], hits: list[dict[str, Any]], stored: list[dict[str, Any]]) -> list[str]:
    """What was found, missed, wrong and double, against the truth of the portal."""
    pages = {page["url"]: page for page in truth["pages"] if "relevant" in page and "group" in page}
    relevant = {url for url, page in pages.items() if page["relevant"] and page["reachable"]}
    stored_urls = {url for article in stored for url in [article["url"], *article["urls"]]}
    hits_on_topic = len(relevant & stored_urls)
    stored_pages = [pages[article["url"]] for article in stored if article["url"] in pages]
    wrong = [page for page in stored_pages if not page["relevant"]]
    groups = Counter(page["group"] for page in stored_pages if not page["reprint"].startswith("edited"))
    double = sum(count - 1 for count in groups.values())
    fetched = {f"http://{hit['host']}{hit['path']}" for hit in hits}
    forbidden = {page["url"] for page in truth["pages"] if page.get("forbidden")} & fetched
    split, apart = in_parts(truth), not_joined(truth, stored)
    fetches = sum(not hit["path"].startswith("/__") for hit in hits)
    return [
        f"  {len(stored)} articles stored, known by {len(stored_urls)} URLs",
        f"  found     {hits_on_topic} of {len(relevant)} reachable on-topic pages ({share(hits_on_topic, len(relevant))})",
        f"  missed    {len(relevant - stored_urls)}",
        f"  wrong     {len(wrong)} off topic ({share(len(stored) - len(wrong), len(stored))} of the store is on topic)",
        f"  double    {double}",
        f"  joined    {len(split) - len(apart)} of {len(split)} articles that stand on several pages, each once and exactly",
        *(f"            not {url}" for url in apart),
        f"  forbidden {len(forbidden)} pages asked for that robots.txt forbids",
        f"  fetches   {fetches} in this crawl, {fetches / max(1, len(stored)):.1f} an article",
    ]


def in_parts(truth: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The articles that stand on several pages, by the URL of the first."""
    return {page["url"]: page for page in truth["pages"] if len(page.get("parts", ())) > 1}


def not_joined(truth: dict[str, Any], stored: list[dict[str, Any]]) -> list[str]:
    """Those of them that are not stored exactly once, with the whole text and under the URL of no other of their pages."""
    texts_by_url: dict[str, list[str]] = {}
    for article in stored:
        for url in {article["url"], *article["urls"]}:
            texts_by_url.setdefault(url, []).append(article["text"])
    return [
        url
        for url, page in in_parts(truth).items()
        if texts_by_url.get(url) != [page["text"]] or any(further in texts_by_url for further in page["parts"][1:])
    ]


def share(part: int, whole: int) -> str:
    """A share for people.

    >>> share(1, 3)
    '33.3 %'
    """
    return f"{100 * part / whole:.1f} %" if whole else "-"


def start_in(folder: Path) -> datetime:
    """The hour of the first demo in this folder: its news is of that day, and another demo finds the same pages."""
    noted = folder / "start"
    if not noted.exists():
        noted.write_text(datetime.now(CHINA).replace(minute=0, second=0, microsecond=0).isoformat(), "utf-8")
    return datetime.fromisoformat(noted.read_text("utf-8"))


def _serve(sites: Path, start: datetime) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "demo", "serve", "--port", str(PORT), "--sites-dir", str(sites.relative_to(ROOT))]
    command += ["--start", start.isoformat()]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, encoding="utf-8")
    assert server.stdout is not None
    line = server.stdout.readline().strip()
    if not line:
        sys.exit(server.wait() or 1)
    print(line, flush=True)
    return server


def _environment(database: Path) -> dict[str, str]:
    return {**os.environ, "NEWSSPIDER_DATABASE_URL": f"sqlite:///{database}", "NEWSSPIDER_ALLOWED_ADDRESSES": LOOPBACK}


def _crawl(sites: Path, database: Path) -> int:
    settings = ("LOG_LEVEL=WARNING", "RETRY_BASE_SECONDS=1")
    flags = [flag for setting in settings for flag in ("-s", setting)]
    command = [sys.executable, "-m", "scrapy", "crawl", "education", "-a", f"sites={sites}", *flags]
    return subprocess.run(command, cwd=ROOT, env=_environment(database), check=False).returncode


def _export(database: Path) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "scrapy", "export"]
    done = subprocess.run(command, cwd=ROOT, env=_environment(database), capture_output=True, check=False)
    if done.returncode:
        sys.exit(
            f"{done.stderr.decode('utf-8', 'replace').strip()}\nthe demo keeps its store in {HOME}: remove that folder to begin anew"
        )
    return [json.loads(line) for line in done.stdout.decode("utf-8").splitlines()]


def _get(path: str) -> Any:
    with urllib.request.urlopen(f"http://127.0.0.1:{PORT}{path}", timeout=60) as answer:
        return json.load(answer)
