"""The rules of the house: where a module stands and what it imports, how large it may be, and who prints."""

import ast
import re
import subprocess
from pathlib import Path

from tools.house import counts, edges, layer, modules

PACKAGE = Path(__file__).parents[1] / "newsspider"
WRITES = re.compile(r"print|pprint|(?:sys\.)?std(?:out|err)(?:\.buffer)?\.write(?:lines)?|os\.write")

TOP_LEVEL = {
    ".ci", ".github", ".gitignore", ".pre-commit-config.yaml", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "MANIFEST.in",
    "Makefile", "README.md", "README.zh-CN.md", "bench", "demo", "deploy", "docs", "newsspider", "pyproject.toml",
    "requirements.txt", "scrapy.cfg", "setup.py", "tests", "tools",
}  # fmt: skip


def test_every_count_of_the_house_is_within_its_limit() -> None:
    over = [count for count in counts() if count.value > count.limit]
    assert not over, "\n".join(line for count in over for line in (f"{count.name}: {count.value}", *count.places))


def test_the_top_level_holds_what_it_should_and_nothing_else() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=PACKAGE.parent, capture_output=True, text=True, check=True).stdout
    assert {line.split("/")[0] for line in listed.splitlines()} == TOP_LEVEL


def test_every_module_has_a_layer() -> None:
    assert not [name for name in modules() if "." in name and layer(name) is None]
    assert (
        layer("newsspider.core.extraction.dom.page")
        < layer("newsspider.core.extraction.body.body")
        < layer("newsspider.core.extraction.article")
    )


def test_an_import_inside_a_function_counts() -> None:
    assert (
        "newsspider.store.engine.database" in edges()["newsspider.commands.status"] | edges()["newsspider.cli.command"]
    )


def test_nothing_in_the_package_knows_the_sample_portal() -> None:
    texts = {path: path.read_text("utf-8") for path in PACKAGE.rglob("*.py")}
    assert not [path for path, text in texts.items() if re.search(r"^\s*(?:from|import) demo\b", text, re.MULTILINE)]
    assert not [path for path, text in texts.items() if "__truth__" in text]


def test_everything_is_printed_through_the_functions_that_escape_it() -> None:
    """What else writes to a stream that people see writes figures only: the progress bar and the progress line."""
    writing = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if path.name != "command.py"
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and WRITES.fullmatch(ast.unparse(node.func))
    ]
    assert not writing


def test_every_thread_is_started_by_the_function_that_notices_its_death() -> None:
    starts = re.compile(r"\bThread\(")
    texts = {path.relative_to(PACKAGE).as_posix(): path.read_text("utf-8") for path in PACKAGE.rglob("*.py")}
    assert [path for path, text in texts.items() if starts.search(text)] == ["store/engine/watched_threads.py"]
