"""Runs many command lines, one after the other, in a process of their own that has imported everything already."""

import json
import os
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from scrapy.cmdline import execute
from scrapy.utils.project import get_project_settings

from tests.support.process import ROOT, _forks

STARTED = 99
_OBEYED = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_LONGEST = 1500  # characters of a sentence


@dataclass(frozen=True, slots=True)
class Line:
    """The words after ``scrapy``; ``answers`` if the sentence stands in a JSON object on stdout, as for a page that cannot be read."""

    words: tuple[str, ...]
    answers: bool = False
    stdin: bytes = b""


@dataclass(frozen=True, slots=True)
class Ran:
    """How a line ended; ``code`` is ``None`` if a crawl was started."""

    code: int | None
    out: str
    err: str


def faults(line: Line, ran: Ran) -> list[str]:
    """What is wrong with how a wrong line ended."""
    sentences = [text for text in ran.err.splitlines() if text.strip() and not text.startswith(("usage: ", "  "))]
    checks = {
        "a crawl was started": ran.code is None,
        f"exit code {ran.code}": ran.code is not None and ran.code not in (1, 2) and not (line.words[0] == "crawl" and ran.code == 8),
        "a traceback": "Traceback" in ran.err or ("Error:" in ran.err and "Error: " in ran.err.splitlines()[-1][:40]),
        f"{len(sentences)} sentences": len(sentences) != (0 if line.answers else 1),
        "something on stdout": bool(ran.out) != line.answers,
        "control characters": bool(_OBEYED.search(ran.out + ran.err)),
        "a long sentence": any(len(text) > _LONGEST for text in sentences),
    }
    return [fault for fault, there in checks.items() if there]


def run_all(lines: Sequence[Line], environment: Mapping[str, str], seconds: float) -> list[Ran | None]:
    """How each line ended; ``None`` for the one that ran out of time and for those after it."""
    with tempfile.TemporaryDirectory(prefix="newsspider-lines-") as folder:
        results = Path(folder) / "results"
        process = _forks.Process(target=_run_each, args=(list(lines), dict(environment), str(results), folder), daemon=True)
        process.start()
        process.join(seconds)
        process.kill()
        process.join()
        outcomes: list[Ran | None] = [Ran(**json.loads(line)) for line in results.read_text("utf-8").splitlines()]
    return outcomes + [None] * (len(lines) - len(outcomes))


def _run_each(lines: list[Line], environment: dict[str, str], results: str, folder: str) -> None:
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(ROOT)
    from newsspider.commands import crawl

    crawl.Command.run = _started  # type: ignore[method-assign]  # a wrong line that is taken for right must ask no host
    crawl.Command.requires_crawler_process = False
    with Path(results).open("a", encoding="utf-8") as file:
        for line in lines:
            file.write(json.dumps(asdict(_ran(line, Path(folder)))) + "\n")
            file.flush()


def _started(self: object, *_: object) -> None:
    raise SystemExit(STARTED)


def _ran(line: Line, folder: Path) -> Ran:
    (folder / "in").write_bytes(line.stdin)
    opened = [(folder / "in").open("rb"), (folder / "out").open("w+b"), (folder / "err").open("w+b")]
    for number, file in enumerate(opened):
        os.dup2(file.fileno(), number)
    sys.stdin, sys.stdout, sys.stderr = (
        os.fdopen(number, mode, encoding="utf-8", errors="surrogateescape", closefd=False)
        for number, mode in ((0, "r"), (1, "w"), (2, "w"))
    )
    code: object = 0
    try:
        execute(["scrapy", *line.words], get_project_settings())
    except SystemExit as ended:
        code = ended.code or 0
    except BaseException:
        import traceback

        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    out, err = ((folder / name).read_text("utf-8", "surrogateescape") for name in ("out", "err"))
    for file in opened:
        file.close()
    return Ran(None if code == STARTED else int(str(code)), out, err)
