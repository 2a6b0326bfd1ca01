"""Writes deploy/docker/constraints.txt: the versions, in this environment, of all that the image installs. ``make lock``."""

from __future__ import annotations

import sys
from importlib.metadata import requires, version
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

LOCK = Path(__file__).parents[1] / "deploy/docker/constraints.txt"
EXTRAS = ("web", "alerts", "metrics", "schedule", "archive", "ranks", "opensearch", "mcp")  # of the image
HEAD = "# What the image installs, and what `make test` tests with. Written by `make lock` from the environment of the tests.\n"


def needed() -> dict[str, list[Requirement]]:
    """All packages that newsspider needs with these extras, directly or not, with what is asked of each."""
    found: dict[str, list[Requirement]] = {}
    todo = [("newsspider", EXTRAS)]
    done = set()
    while todo:
        name, extras = todo.pop()
        if (name, extras) in done:
            continue
        done.add((name, extras))
        for requirement in map(Requirement, requires(name) or ()):
            marker = requirement.marker
            if marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
                package = canonicalize_name(requirement.name)
                found.setdefault(package, []).append(requirement)
                todo.append((package, tuple(sorted(requirement.extras))))
    return found


def main() -> int:
    """Write the file."""
    lines = [f"{name}=={version(name)}\n" for name in sorted(needed())]
    LOCK.write_text(HEAD + "".join(lines), "utf-8")
    print(f"{LOCK.name}: {len(lines)} packages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
