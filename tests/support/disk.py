"""A disk for one test that can be full: a file system in memory."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

KIB = 1024


class Disk:
    """A mounted file system of so many bytes."""

    def __init__(self, folder: Path, size: int) -> None:
        self.folder = folder
        self._filler = folder / "filler"
        self._mount("-t", "tmpfs", "-o", f"size={size},mode=755", "tmpfs")

    def leave(self, free: int) -> None:
        """Fill it up to so many bytes."""
        with self._filler.open("ab") as filler:
            while (more := self._free() - free) > 0:
                with suppress(OSError):  # others took some of it meanwhile
                    os.posix_fallocate(filler.fileno(), self._filler.stat().st_size, more)

    def clear(self) -> None:
        """Take away what filled it."""
        self._filler.unlink()

    def grow(self, size: int) -> None:
        """Make it so many bytes large."""
        self._mount("-o", f"remount,size={size}", "tmpfs")

    def protect(self) -> None:
        """Let nobody write to it, not even root, whom permissions do not stop."""
        self._mount("-o", "remount,ro")

    def unmount(self) -> None:
        """Take it away, whoever has files there."""
        subprocess.run(["umount", "--lazy", self.folder], check=True)

    def _free(self) -> int:
        status = os.statvfs(self.folder)
        return status.f_bavail * status.f_frsize

    def _mount(self, *options: str) -> None:
        done = subprocess.run(["mount", *options, self.folder], capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")


@contextmanager
def disk(folder: Path, size: int) -> Iterator[Disk]:
    """A disk mounted at this folder, gone at the end."""
    folder.mkdir(parents=True, exist_ok=True)
    mounted = Disk(folder, size)
    try:
        yield mounted
    finally:
        mounted.unmount()
