"""Counts what keeps the code readable: layers, import circles, sizes. ``python tools/house.py`` prints one line a count and its limit.

Exits 1 if a count is over its limit. ``tests/test_house.py`` holds each limit.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # the script's own folder comes first otherwise

from newsspider.hooks import FEATURES  # noqa: E402 -- found by the line above
from tools.way import follow  # noqa: E402

PACKAGE = ROOT / "newsspider"

# A module imports from its own layer and from those above it in this table, never from one below.
LAYERS = (
    ("hooks",),
    ("core",),
    ("sites", "topics"),
    ("store",),
    ("frontier", "search"),
    ("download",),
    ("setting_types", "settings"),
    ("crawl",),
    ("pages",),
    ("spiders", "downloadermiddlewares", "pipelines", "extensions"),
    ("logformatter",),
    ("actions",),
    ("library",),
    ("cli",),
    ("commands",),
    ("features",),  # what the base never imports
)
CORE_LAYERS = ("text", "query", "fetching", "extraction", "links", "relevance", "duplicates", "scheduling", "crawling")
# The folders and modules of store; "" stands for those that no row names.
STORE_LAYERS = (("tables",), ("engine",), ("",), ("url_history",), ("pages", "maintenance", "overview"))
EXTRACTION_LAYERS = (
    "dom",
    "lines",
    "body",
    "title",
    "byline",
)  # the modules of core/extraction itself stand above them
CORE_FOREIGN = {"scrapy", "twisted", "sqlalchemy", "redis", "asyncio", "time", "random", "socket", "logging", "sqlite3"}
ENTRY_POINTS = re.compile(r"(features/\w+/)?commands/|store/engine/clock\.py")  # may read the system clock
WITH_CONSOLE = frozenset(
    f"newsspider.features.{module}"
    for module in (
        "attention",
        "attention.pages",
        "attention.picture_pages",
        "attention.pictures",
        "briefing",
        "briefing.pages",
        "events",
        "events.pages",
        "events.counted_hot_words",
    )
)
CLOCK_CALL = re.compile(r"time\.time|(?:\w+\.)?datetime\.(?:now|utcnow)")
WRITES_DUE = re.compile(r"INSERT INTO urls\b|UPDATE urls\b(?:(?!\bWHERE\b).)*\bdue_at =", re.DOTALL)
PATTERN_FUNCTIONS = {"compile", "search", "match", "fullmatch", "sub", "findall", "finditer", "split"}


class Count(NamedTuple):
    """One count: its name, its value, the largest value allowed, and where it comes from, worst first."""

    name: str
    value: int
    limit: int
    places: tuple[str, ...] = ()


@cache
def modules() -> dict[str, ast.Module]:
    """The package's modules by dotted name."""
    paths = (path for path in sorted(PACKAGE.rglob("*.py")) if "migrations" not in path.parts)
    return {_dotted(path): ast.parse(path.read_text("utf-8")) for path in paths}


@cache
def nodes(tree: ast.AST) -> tuple[ast.AST, ...]:
    """All parts of a tree, which several counts look at."""
    return tuple(ast.walk(tree))


def _dotted(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _path(dotted: str) -> Path:
    path = ROOT.joinpath(*dotted.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def imports(tree: ast.Module, known_modules: frozenset[str], *, at_import: bool = False) -> set[str]:
    """The dotted names that a module imports; not those that only its types name.

    With ``at_import`` only those that it imports as it is imported itself, not those inside functions.
    """
    names: set[str] = set()
    for node in _import_nodes(tree, at_import=at_import):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif node.module:
            names |= {
                name if (name := f"{node.module}.{alias.name}") in known_modules else node.module
                for alias in node.names
            }
    return names


def _import_nodes(tree: ast.AST, *, at_import: bool) -> Iterator[ast.Import | ast.ImportFrom]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif not (at_import and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)):
            yield from _import_nodes(node, at_import=at_import)


@cache
def edges(*, at_import: bool = False) -> dict[str, frozenset[str]]:
    """Which modules of the package each one imports."""
    known_modules = frozenset(modules())
    return {
        name: frozenset(imports(tree, known_modules, at_import=at_import) & known_modules - {name})
        for name, tree in modules().items()
    }


def layer(dotted: str) -> tuple[int, int, int] | None:
    """The place of a module: its layer, that within ``core`` or ``store``, that within ``core.extraction``; ``None``: none."""
    parts = [*dotted.split("."), "", "", ""][1:4]
    outer = next((number for number, names in enumerate(LAYERS) if parts[0] in names), None)
    if outer is None:
        return None
    if parts[0] == "store":
        return (
            outer,
            next((number for number, names in enumerate(STORE_LAYERS) if parts[1] in names), STORE_LAYERS.index(("",))),
            0,
        )
    if parts[0] != "core":
        return outer, 0, 0
    within = CORE_LAYERS.index(parts[1]) if parts[1] in CORE_LAYERS else -1  # url, model and caching, which serve all
    field = EXTRACTION_LAYERS.index(parts[2]) if parts[2] in EXTRACTION_LAYERS else len(EXTRACTION_LAYERS)
    return outer, within, field if parts[1] == "extraction" else 0


def upward_imports() -> list[str]:
    """Imports from a layer further up, and modules that have no layer."""
    places = [f"{name} has no layer" for name in modules() if "." in name and layer(name) is None]
    for name, targets in edges().items():
        own = layer(name)
        places += [f"{name} -> {target}" for target in sorted(targets) if own and (of := layer(target)) and of > own]
    return places


def circles() -> list[str]:
    """Groups of modules that import each other, at import or later."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    circles_found: list[str] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for target in edges()[name]:
            if target not in index:
                visit(target)
            if target in stack:
                low[name] = min(low[name], low[target])
        if low[name] == index[name]:
            group = stack[stack.index(name) :]
            del stack[stack.index(name) :]
            if len(group) > 1:
                circles_found.append(" <-> ".join(sorted(group)))

    for name in edges():
        if name not in index:
            visit(name)
    return circles_found


def functions() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Every function with the place where it stands."""
    for name, tree in modules().items():
        for node in nodes(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{name}.{node.name}", node


def function_lines() -> list[tuple[int, str]]:
    """The lines of each function, the longest first."""
    return sorted(((node.end_lineno or node.lineno) - node.lineno + 1, place) for place, node in functions())[::-1]


BRANCHES = (
    ast.If,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.ExceptHandler,
    ast.comprehension,
    ast.match_case,
)  # as ruff counts (C901)


def complexity() -> list[tuple[int, str]]:
    """McCabe's cyclomatic complexity of each function, the highest first."""

    def of(node: ast.AST) -> int:
        return 1 + sum(isinstance(part, BRANCHES) for part in ast.walk(node))

    return sorted((of(node), place) for place, node in functions())[::-1]


def pattern_lengths() -> list[tuple[int, str]]:
    """The characters written in each regular expression, the longest first."""
    lengths = []
    for name, tree in modules().items():
        for node in nodes(tree):
            if (
                isinstance(node, ast.Call)
                and ast.unparse(node.func).partition("re.")[2] in PATTERN_FUNCTIONS
                and node.args
            ):
                constants = (part.value for part in ast.walk(node.args[0]) if isinstance(part, ast.Constant))
                lengths.append(
                    (sum(len(value) for value in constants if isinstance(value, str)), f"{name}:{node.lineno}")
                )
    return sorted(lengths)[::-1]


def long_lines() -> list[str]:
    """Lines over 120 columns."""
    return [
        f"{path.relative_to(ROOT)}:{number}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if len(line) > 120
    ]


def long_files() -> list[str]:
    """Modules of more than 450 lines."""
    sizes = {name: len(_path(name).read_text("utf-8").splitlines()) for name in modules()}
    return [f"{name}: {lines}" for name, lines in sorted(sizes.items(), key=lambda item: -item[1]) if lines > 450]


def clock_reads() -> list[str]:
    """Places that read the system clock outside the entry points."""
    places = []
    for name, tree in modules().items():
        if ENTRY_POINTS.match(str(_path(name).relative_to(PACKAGE))):
            continue
        calls = (node for node in nodes(tree) if isinstance(node, ast.Call))
        places += [f"{name}:{node.lineno}" for node in calls if CLOCK_CALL.fullmatch(ast.unparse(node.func))]
    return places


def due_writers() -> list[str]:
    """Modules with SQL that writes ``urls.due_at``."""
    return [name for name, tree in modules().items() if any(WRITES_DUE.search(text) for text in _texts(tree))]


def _texts(tree: ast.Module) -> Iterator[str]:
    """The texts written in a module; what an f-string fills in is left out."""
    for node in nodes(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def features_in_types_of_the_base() -> list[str]:
    """Imports of a feature by the base that only types need."""
    return [
        f"{name}:{node.lineno}"
        for name, tree in modules().items()
        if not name.startswith("newsspider.features")
        for node in nodes(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("newsspider.features")
    ]


def foreign_features() -> list[str]:
    """Imports of a feature from one that does not build on it. The pages of a feature build on the console."""
    places = []
    for name, targets in edges().items():
        own = name.split(".")[2] if name.startswith("newsspider.features.") else ""
        for target in sorted(targets) if own else ():
            other = target.split(".")[2] if target.startswith("newsspider.features.") else own
            of_pages = other == "console" and name in WITH_CONSOLE
            if other != own and other not in FEATURES[own] and not of_pages:
                places.append(f"{name} -> {target}")
    return places


def foreign_imports_of_core() -> list[str]:
    """Imports of a network, a database, a clock or a framework in ``core``."""
    return [
        f"{name} imports {foreign}"
        for name, tree in modules().items()
        if name.startswith("newsspider.core") or ".rules." in name
        for foreign in sorted({module.split(".")[0] for module in imports(tree, frozenset())} & CORE_FOREIGN)
    ]


def public_members(package: str) -> list[tuple[int, str]]:
    """How many public attributes and methods each class of a package has of its own, the largest first."""
    return sorted(
        (len({name for name in _members(node) if not name.startswith("_")}), f"{module}.{node.name}")
        for module, tree in modules().items()
        if module.startswith(f"newsspider.{package}.")
        for node in nodes(tree)
        if isinstance(node, ast.ClassDef)
    )[::-1]


def _members(node: ast.ClassDef) -> Iterator[str]:
    for part in node.body:
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
            yield part.name
        elif isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
            yield part.target.id
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store) and ast.unparse(part.value) == "self":
            yield part.attr


def exceptions_of_other_names() -> list[str]:
    """Exceptions of the package whose names do not end in ``Error``."""
    classes = [
        (name, node) for name, tree in modules().items() for node in nodes(tree) if isinstance(node, ast.ClassDef)
    ]
    raised = {
        ast.unparse(raising.exc).partition("(")[0]
        for tree in modules().values()
        for raising in nodes(tree)
        if isinstance(raising, ast.Raise) and raising.exc
    }
    return [f"{name}.{node.name}" for name, node in classes if node.name in raised and not node.name.endswith("Error")]


def bare_numbers() -> list[str]:
    """Constants that are numbers and do not say of what: ``MOST`` in place of ``MOST_REDIRECTS``."""
    places = []
    for name, tree in modules().items():
        for node in tree.body:
            value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
            if value is None or not re.fullmatch(r"[-\d_.,()*/+e ]+", ast.unparse(value)):
                continue
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            constants = re.findall(r"\w+", " ".join(map(ast.unparse, targets)))
            places += [f"{name}.{word}" for word in constants if re.fullmatch(r"_?[A-Z][A-Z\d]*", word)]
    return places


def repeated_class_names() -> list[str]:
    """Public classes whose names stand in several modules; each Scrapy command has a ``Command``."""
    modules_of: dict[str, list[str]] = {}
    for name, tree in modules().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and node.name != "Command":
                modules_of.setdefault(node.name, []).append(name)
    return [f"{name}: {', '.join(places)}" for name, places in modules_of.items() if len(places) > 1]


def stumbling_words() -> list[str]:
    """Lines with words by which a native reader stumbles: "at most so many", "a site that there is not"."""
    pattern = re.compile(r"\bso many\b(?! \w+ [^.]*\bthat\b)|that there (?:is|are) not\b|\banymore\b")
    return [
        f"{path.relative_to(ROOT)}:{number}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if pattern.search(line)
    ]


def hand_kept_pages() -> list[str]:
    """Reference pages that are not written by ``make docs``."""
    pages = sorted((ROOT / "docs" / "reference").glob("*.md"))
    return [page.name for page in pages if "Written by `make docs`" not in page.read_text("utf-8").partition("\n")[0]]


def lines_of(folder: Path) -> int:
    """Lines of the Python files of a folder and those in it."""
    return sum(len(path.read_text("utf-8").splitlines()) for path in folder.rglob("*.py"))


def unformatted() -> list[str]:
    """Statements that the formatter must leave alone."""
    texts = {path: path.read_text("utf-8").count("# fmt: skip") for path in sorted(PACKAGE.rglob("*.py"))}
    return [f"{path.relative_to(ROOT)}" for path, times in texts.items() for _ in range(times)]


def imports_of_test_files() -> list[str]:
    """Where a test imports a helper from a file of tests; what tests share lies in ``tests/support``. To run tests of another file
    again with their fixtures, on another database, is no such import."""
    pattern = re.compile(r"^ *from (tests\.[\w.]*\btest_\w+) import (?!\([^)]*\btest_|test_)", re.MULTILINE)
    return [
        f"{path.relative_to(ROOT)}: {match[1]}"
        for path in sorted((ROOT / "tests").rglob("*.py"))
        for match in pattern.finditer(path.read_text("utf-8"))
    ]


def extraction_edges() -> list[str]:
    """Which folder of ``core.extraction`` uses which module of another one."""
    inside = "newsspider.core.extraction."

    def folder(name: str) -> str:
        return name.removeprefix(inside).rpartition(".")[0]

    pairs = ((name, target) for name, targets in edges().items() for target in targets if name.startswith(inside))
    between = {
        (folder(name), target) for name, target in pairs if target.startswith(inside) and folder(name) != folder(target)
    }
    return sorted(f"{of or 'core.extraction'} -> {target.removeprefix(inside)}" for of, target in between)


def counts() -> list[Count]:
    """Every count with its limit."""
    longest, hardest, widest, members = function_lines(), complexity(), pattern_lengths(), public_members("crawl")
    migrations = [path.name for path in (PACKAGE / "store/migrations/versions").glob("[0-9]*.py")]
    return [
        Count(
            "modules in the root of the package",
            len(root := [str(path.name) for path in PACKAGE.glob("*.py")]),
            6,
            tuple(root),
        ),
        _listed("imports from a layer above", upward_imports(), 0),
        _listed("import circles", circles(), 0),
        _listed("imports of a feature by the base, types included", features_in_types_of_the_base(), 0),
        _listed("imports of a feature from one that does not build on it", foreign_features(), 0),
        _listed("foreign imports in core", foreign_imports_of_core(), 0),
        _listed("imports between the folders of core/extraction", extraction_edges(), 41),
        Count(
            "lines of the longest function",
            longest[0][0],
            65,
            tuple(f"{place}: {lines}" for lines, place in longest[:10]),
        ),
        Count(
            "highest complexity of a function",
            hardest[0][0],
            20,
            tuple(f"{place}: {value}" for value, place in hardest[:10]),
        ),
        Count(
            "characters of the longest regular expression",
            widest[0][0],
            200,
            tuple(f"{place}: {size}" for size, place in widest[:40]),
        ),
        _listed("lines over 120 columns", long_lines(), 60),
        _listed("modules over 450 lines", long_files(), 0),
        _listed("reads of the system clock outside entry points", clock_reads(), 0),
        _listed("modules that write urls.due_at", due_writers(), 1),
        Count(
            "public members of the largest class of crawl",
            members[0][0],
            13,
            tuple(f"{place}: {size}" for size, place in members[:5]),
        ),
        Count("migrations", len(migrations), 1, tuple(sorted(migrations))),
        _listed("exceptions whose names do not end in Error", exceptions_of_other_names(), 0),
        _listed("numbers named by one bare word", bare_numbers(), 50),
        _listed("public classes that share their name", repeated_class_names(), 0),
        _listed("lines with words by which readers stumble", stumbling_words(), 0),
        _listed("hand-kept reference pages", hand_kept_pages(), 0),
        _listed("statements that the formatter skips", unformatted(), 10),
        Count("lines of the package", all_lines := lines_of(PACKAGE), 85_000),
        Count("lines of the package without its features", all_lines - lines_of(PACKAGE / "features"), 53_500),
        Count("lines of the tests", lines_of(ROOT / "tests"), 74_600),
        _listed("helpers imported from a file of tests", imports_of_test_files(), 0),
    ]


def way_counts() -> list[Count]:
    """What five crawled articles meet, by ``tools/way.py``; the crawl takes seconds, so :func:`counts` is without it."""
    way = follow()
    files = tuple(f"{name}: {functions}" for name, functions in way.functions_by_file.items())
    of_articles = tuple(f"{name}: {functions}" for name, functions in way.functions_by_article_file.items())
    return [
        Count("files of the package that a crawl of five articles runs", way.files, 171, files),
        Count("functions that it runs", way.functions, 1185),
        Count("calls of them an article", way.calls, 3530),
        Count("switches between files an article", way.switches, 1625),
        Count("files that an article meets from claim to commit", way.article_files, 117, of_articles),
        Count("functions that it meets there", way.article_functions, 690),
    ]


def _listed(name: str, places: list[str], limit: int) -> Count:
    return Count(name, len(places), limit, tuple(places))


def main() -> int:
    all_counts = counts() + way_counts()
    for count in all_counts:
        over = count.value > count.limit
        print(f"{'over' if over else 'ok':5} {count.value:6} of at most {count.limit:6}  {count.name}")
        if over or "-v" in sys.argv:
            most_places = len(count.places) if "-v" in sys.argv else 10
            print(*(f"                {place}" for place in count.places[:most_places]), sep="\n")
    return any(count.value > count.limit for count in all_counts)


if __name__ == "__main__":
    sys.exit(main())
