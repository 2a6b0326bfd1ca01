"""newsspider as its users have it: installed from the wheel in an environment of its own, in a project that it made."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tempfile
import venv
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.deploy.conftest import copied_to
from tests.deploy.service import clean_environment

NOBODY = 65534


@dataclass(frozen=True)
class Installed:
    """The programs of an environment with newsspider, run as an ordinary user where that is possible."""

    home: Path
    user: list[str]  # words before a command that make its process that of an ordinary user

    @property
    def python(self) -> Path:
        """The Python of the environment."""
        return self.home / "venv/bin/python"

    def run(self, program: str, *arguments: str, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment in a folder."""
        environment = clean_environment(self.home, **more)
        return subprocess.run(
            [*self.user, self.home / "venv/bin" / program, *arguments], cwd=folder, env=environment, capture_output=True,
            encoding="utf-8", timeout=120, check=False,
        )  # fmt: skip


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What ``make wheel`` builds, of a copy, since building writes beside the package."""
    copy = copied_to(tmp_path_factory.mktemp("built"))
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "--wheel-dir", copy / "dist", copy]
    subprocess.run(command, check=True, timeout=120)
    (built,) = (copy / "dist").glob("*.whl")
    return built


@pytest.fixture(scope="session")
def installed(wheel: Path) -> Iterator[Installed]:
    """The wheel in a new environment; its requirements are those of this one."""
    with tempfile.TemporaryDirectory(prefix="newsspider-installed-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        home.chmod(0o755)
        venv.create(home / "venv", with_pip=False, symlinks=True)
        found = Installed(home, ordinary_user())
        pip = [sys.executable, "-m", "pip", "--python", found.python, "install", "-q", "--no-deps", "--no-index", wheel]
        subprocess.run(pip, check=True, timeout=120)
        packages = sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})
        (site,) = (home / "venv/lib").glob("python*/site-packages")
        (site / "requirements.pth").write_text("\n".join(packages) + "\n", encoding="utf-8")
        (home / "empty").mkdir()
        if found.user:
            os.chown(home / "empty", NOBODY, NOBODY)
        yield found


@pytest.fixture(scope="session")
def project(installed: Installed) -> Path:
    """The project that ``newsspider init`` made in an empty folder."""
    folder = installed.home / "empty"
    made = installed.run("newsspider", "init", "mywatch", folder=folder)
    assert made.returncode == 0, made.stderr
    return folder / "mywatch"


def ordinary_user() -> list[str]:
    """The words before a command that is run as an ordinary user; none, where nothing makes one.

    An interpreter in root's home can only be read by a user who may read all files; such a user writes no more than others.
    """
    if os.geteuid() != 0:
        return []
    plain = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    same = f"import sys, scrapy; sys.exit(sys.version != {sys.version!r})"
    for words in (plain, [*plain, "--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]):
        with suppress(OSError):
            if not subprocess.run([*words, sys.executable, "-c", same], cwd="/", capture_output=True, check=False).returncode:
                return words
    return []
