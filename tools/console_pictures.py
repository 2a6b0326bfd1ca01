"""Takes the pictures of the console in docs/pictures from a crawl of the sample portal: ``python tools/console_pictures.py``.

It takes two minutes, Chromium, fonts for Chinese (Debian: fonts-noto-cjk), and nothing but this machine.
"""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from base64 import b64decode
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))

from newsspider.core.query.query_dates import ZONE

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
WIDTH, HEIGHT, QUALITY = 1120, 760, 55
MILLISECONDS = 180_000  # for a page that tries a site
ADDRESS = re.compile(r"http://[\d.]+:\d+/")


def main() -> int:
    """Crawl, serve, and take each picture."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = os.environ | {
            "NEWSSPIDER_DATABASE_URL": f"sqlite:///{folder}/news.db",
            "NEWSSPIDER_ALLOWED_ADDRESSES": "127.0.0.0/8",
        }
        start = f"{datetime.now(ZONE):%Y-%m-%dT%H:%M}"
        portal = ("demo", "serve", "--port", "0", "--fast", "--start", start, "--sites-dir", f"{folder}/sites")
        with running(portal, environment) as site:
            crawl = (
                "scrapy",
                "crawl",
                "education",
                "-a",
                f"sites={folder}/sites",
                "-s",
                "LOG_LEVEL=ERROR",
                "-s",
                "RETRY_BASE_SECONDS=1",
            )
            subprocess.run([sys.executable, "-m", *crawl], cwd=ROOT, env=environment, check=True)
            with running(("scrapy", "web", "--port", "0"), environment) as console:
                PICTURES.mkdir(exist_ok=True)
                take_all(console.rstrip("/"), folder / "news.db", site)
    return 0


def take_all(console: str, store: Path, site: str) -> None:
    """Open each page and take its picture; ``site`` is one that is tried."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        tab = chromium.new_page(viewport={"width": WIDTH, "height": HEIGHT}, locale="zh-CN")
        tab.set_default_timeout(MILLISECONDS)
        tab.goto(f"{console}/")
        while not tab.locator(".of-event a").count():  # events are found beside the console
            tab.wait_for_timeout(500)
            tab.reload()
        take(tab, "today")
        article, event = (
            tab.locator(f".lead a[href*='/{name}/']").first.get_attribute("href") for name in ("articles", "events")
        )
        with closing(sqlite3.connect(store)) as conn:
            (missing,) = conn.execute(
                "SELECT url FROM urls WHERE detail LIKE 'blend%,%' ORDER BY url LIMIT 1"
            ).fetchone()
        for name, path in (
            ("article", article),
            ("event", event),
            ("search", "/search?q=学生 -招生"),
            ("url", f"/url?u={missing}"),
            ("sites", "/sites"),
        ):
            tab.goto(f"{console}{path}")
            take(tab, name)
        tab.get_by_label("新站点的网址").fill(site)
        press(tab, "试读")
        take(tab, "trial")
        tab.goto(f"{console}/alerts?query=校园安全")
        press(tab, "看上周会提醒什么")
        take(tab, "alerts")
        tab.set_viewport_size({"width": 390, "height": HEIGHT})
        tab.goto(f"{console}/")
        take(tab, "phone")
        chromium.close()


def press(tab: Page, name: str) -> None:
    """Send a form."""
    with tab.expect_navigation():
        tab.get_by_role("button", name=name).click()


def take(tab: Page, name: str) -> None:
    """Write what the window shows into a file."""
    screenshot = tab.context.new_cdp_session(tab).send("Page.captureScreenshot", {"format": "webp", "quality": QUALITY})
    picture = PICTURES / f"console-{name}.webp"
    picture.write_bytes(b64decode(screenshot["data"]))
    print(f"{picture.relative_to(ROOT)} {picture.stat().st_size / 1000:.0f} kB")


@contextmanager
def running(arguments: tuple[str, ...], environment: dict[str, str]) -> Iterator[str]:
    """A program that says its address when it is ready."""
    command = [sys.executable, "-m", *arguments]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    ) as process:
        assert process.stdout is not None
        try:
            yield next(address[0] for line in process.stdout if (address := ADDRESS.search(line)))
        finally:
            process.terminate()


if __name__ == "__main__":
    sys.exit(main())
