"""Prints a briefing as a PDF, by a Chromium that reaches no network."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from newsspider.download.browser import NOWHERE, OFFLINE

PRINT_SECONDS = 60.0


class PrintError(Exception):
    """A page could not be printed; the text is one sentence with what to do."""


def pdf_of(page: str, program: str) -> bytes:
    """The page of HTML as a PDF; raises :exc:`PrintError` where there is no browser, or it fails."""
    found = shutil.which(program)
    if found is None:
        raise PrintError(f"a .pdf needs a browser: install Chromium, or name one in BROWSER; {program} is missing")
    with TemporaryDirectory() as folder:
        source, printed = Path(folder, "briefing.html"), Path(folder, "briefing.pdf")
        source.write_text(page, "utf-8")
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []  # Chromium has none for root
        options = [
            "--headless",
            "--no-pdf-header-footer",
            f"--user-data-dir={folder}/profile",
            f"--proxy-server={NOWHERE}",
        ]
        command = [found, *options, *OFFLINE, *sandbox, f"--print-to-pdf={printed}", source.as_uri()]
        try:
            ran = subprocess.run(command, capture_output=True, timeout=PRINT_SECONDS, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise PrintError(f"the browser of BROWSER, {program}, did not print: {type(error).__name__}") from None
        if not printed.is_file():
            cause = " ".join(ran.stderr.decode("utf-8", "replace").split())[-200:]
            raise PrintError(f"the browser of BROWSER, {program}, did not print: exit code {ran.returncode} {cause}")
        return printed.read_bytes()
