"""Installs each file of a release in a new environment, makes a project there and crawls the sample portal: ``make release``."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOOPBACK = {"NEWSSPIDER_ALLOWED_ADDRESSES": "127.0.0.0/8"}  # the addresses of the portal, which a crawler else refuses


@contextmanager
def sample_portal(sites: Path) -> Iterator[None]:
    """The portal runs on a free port; its site files lie in ``sites``."""
    command = [sys.executable, "-m", "demo", "serve", "--port", "0", "--plain", "--sites-dir", str(sites)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, encoding="utf-8") as server:
        try:
            if server.stdout is None or not server.stdout.readline():
                sys.exit("the sample portal did not start")
            yield
        finally:
            server.terminate()


def articles_found(program: Path, folder: Path) -> int:
    """How many articles of the sample portal a new project finds; ``program`` is an installed ``newsspider``."""
    subprocess.run([program, "init", "mywatch"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    project = folder / "mywatch"
    with sample_portal(project / "sample"):
        crawl = [program, "crawl", "education", "-a", "sites=sample", "-a", "topic=education", "--nolog"]
        subprocess.run(crawl, cwd=project, env={**os.environ, **LOOPBACK}, check=True)
    return subprocess.run([program, "export"], cwd=project, check=True, capture_output=True).stdout.count(b"\n")


def main() -> int:
    """Tries the files that the command line names; 1 if one found nothing."""
    for release in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            venv.create(folder / "venv", with_pip=True)
            subprocess.run([folder / "venv/bin/pip", "install", "-q", str(Path(release).resolve())], check=True)
            found = articles_found(folder / "venv/bin/newsspider", folder)
        print(f"{release}: installed, and its project found {found} articles of the sample portal")
        if not found:
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
