"""The rule of the house: what stands left never imports what stands right."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "newsspider"

# Each layer may import itself and the layers before it. What is named nowhere is the Scrapy side, the last layer.
LAYERS = (("core",), ("files", "sites", "topics"), ("store", "frontier", "search"))
# The same of the packages of core, each of them a layer.
CORE_LAYERS = ("text", "fetching", "reading", "listing", "judging", "matching", "revisiting", "exploring", "strategies", "crawling")
CORE_MUST_NOT_KNOW = {"scrapy", "twisted", "sqlalchemy", "redis", "asyncio", "time", "random", "socket", "logging", "sqlite3"}

WRITES = re.compile(r"print|pprint|(?:sys\.)?std(?:out|err)(?:\.buffer)?\.write(?:lines)?|os\.write")


def imported(module: Path) -> set[str]:
    """What a module imports when it runs: not what only its types name."""
    tree = ast.parse(module.read_text("utf-8"))
    tree.body = [node for node in tree.body if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")]
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    return names | {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}


def layer_of(dotted: str) -> int:
    part = dotted.split(".")[1] if "." in dotted else ""
    return next((number for number, layer in enumerate(LAYERS) if part in layer), len(LAYERS))


MODULES = sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_imports_only_from_its_own_layer_or_further_left(module: Path) -> None:
    own = layer_of(".".join(("newsspider", *module.relative_to(PACKAGE).with_suffix("").parts)))
    right = {name for name in imported(module) if name.startswith("newsspider.") and layer_of(name) > own}
    assert not right


@pytest.mark.parametrize("module", sorted((PACKAGE / "core").rglob("*.py")), ids=lambda path: path.name)
def test_core_knows_no_scrapy_no_database_no_network_and_no_clock(module: Path) -> None:
    assert not {name.split(".")[0] for name in imported(module)} & CORE_MUST_NOT_KNOW


def core_layer_of(dotted: str) -> int:
    part = [*dotted.split("."), "", ""][2]
    return CORE_LAYERS.index(part) if part in CORE_LAYERS else -1  # url, model and caching, which serve all


@pytest.mark.parametrize("module", sorted((PACKAGE / "core").rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE / "core")))
def test_a_package_of_core_imports_only_from_itself_or_further_left(module: Path) -> None:
    own = core_layer_of(".".join(("newsspider", *module.relative_to(PACKAGE).with_suffix("").parts)))
    assert not {name for name in imported(module) if name.startswith("newsspider.core.") and core_layer_of(name) > own}


def test_every_package_of_core_has_its_place_among_the_layers() -> None:
    assert {path.parent.name for path in (PACKAGE / "core").glob("*/__init__.py")} == set(CORE_LAYERS)
    assert {path.stem for path in (PACKAGE / "core").glob("*.py")} == {"__init__", "url", "model", "caching"}


def test_nothing_in_the_package_knows_the_sample_portal() -> None:
    assert not [path for path in MODULES if any(name.split(".")[0] == "demo" for name in imported(path))]
    assert not [path for path in MODULES if "__truth__" in path.read_text("utf-8")]


def test_everything_is_printed_through_the_functions_that_escape_it() -> None:
    """What else writes to a stream that people see writes figures only: the progress bar and the progress line."""
    writing = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}"
        for path in MODULES
        if path.name != "commandline.py"
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and WRITES.fullmatch(ast.unparse(node.func))
    ]
    assert not writing
