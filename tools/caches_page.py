"""The reference page of the caches, from the comments where they are made.

``# cache: what it holds`` stands behind the decorator, or the call, that makes a cache of a function; ``# memory: what it holds:
how much of it`` behind the attribute that is another one, or ``# memory NAME: ...`` above it. Constants of the module stand for
their values.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from newsspider.core.caching import SHORT_TEXT
from newsspider.core.fetching import traps
from newsspider.core.url import LONGEST_URL
from tools.markdown import NOTE, table

ROOT = Path(__file__).parents[1]
MAKERS = ("lru_cache", "cache", "bounded_cache")
HOLDS = re.compile(r"# cache: (.+)$")
BEHIND = re.compile(r"^ +(?:self\.)?(\w+)\b.* = .*# memory: (.+?): ([^:\n]+)$", re.MULTILINE)
ABOVE = re.compile(r"^ *# memory (\w+): (.+?): ([^:\n]+(?:\n *#   .+)*)", re.MULTILINE)
CONSTANT = re.compile(r"(?<![`\w])[A-Z][A-Z_]{2,}(?![`\w])")
INTRO = """
What a crawl keeps in memory for longer than one page, and how much of it. A page may hold anything of any length, so each of these
has a bound in entries and a bound on the size of one entry. A URL of more than {url} characters, as it is written or in its
canonical form, is none: wherever it comes from (a link, a redirect, a refresh, a frame, a feed, a sitemap, `scrapy submit`, Redis,
seeds), it is neither offered nor stored. One of more than {fetched} characters is stored as a `trap` and never fetched. What the
libraries keep is told in [how to bound the memory of a worker](../how-to/bound-memory.md#what-the-libraries-keep).
"""
FUNCTIONS = """## Functions that remember their results

They are made with `newsspider.core.caching.bounded_cache`: a call whose strings have more characters together is worked
out each time and leaves nothing behind. Where no length is given, the arguments are not of pages: they are addresses, or come from
settings, topics, site files and the source code. A character takes one byte in a URL and two in Chinese text, so 512 characters
with their result are about 1 to 2 KiB.
"""


class Cache(NamedTuple):
    """A cache of a function; ``entries`` is ``None`` where it is read once and is always of the same size."""

    module: str
    name: str
    holds: str
    entries: int | None
    characters: int | None


@cache
def caches() -> tuple[Cache, ...]:
    """Every cache of a function of the package."""
    paths = sorted((ROOT / "newsspider").rglob("*.py"))
    return tuple(cache for path in paths if path.name != "caching.py" for cache in _Source(path).caches())


def memories() -> list[tuple[str, str, str, str]]:
    """Every other memory: its name, its module, what it holds and how much of it."""
    rows = []
    for path in sorted((ROOT / "newsspider").rglob("*.py")):
        source = _Source(path)
        for name, holds, bound in (*BEHIND.findall(source.text), *ABOVE.findall(source.text)):
            rows.append(
                (
                    name,
                    source.module,
                    *(source.valued(" ".join(re.sub(r"\n *#", "", text).split())) for text in (holds, bound)),
                )
            )
    return rows


class _Source:
    """The text of a module."""

    def __init__(self, path: Path) -> None:
        self.module = ".".join(path.relative_to(ROOT / "newsspider").with_suffix("").parts).removesuffix(".__init__")
        self.text = path.read_text("utf-8")

    def caches(self) -> Iterator[Cache]:
        if not any(maker in self.text for maker in MAKERS):
            return
        for node in ast.walk(ast.parse(self.text)):
            if isinstance(node, ast.FunctionDef):
                named_calls = [(node.name, call) for decorator in node.decorator_list if (call := _made(decorator))]
            elif isinstance(node, ast.Assign) and (call := _made(node.value)):
                named_calls = [
                    (
                        node.targets[0].attr
                        if isinstance(node.targets[0], ast.Attribute)
                        else ast.unparse(node.targets[0]),
                        call,
                    )
                ]
            else:
                continue
            yield from (self._cache(name, call) for name, call in named_calls)

    def _cache(self, name: str, call: ast.Call) -> Cache:
        maker = ast.unparse(call.func)
        numbers = [self._number(node) for node in (*call.args, *(keyword.value for keyword in call.keywords))]
        holds = HOLDS.search(self.text.splitlines()[call.lineno - 1])
        entries = None if maker == "cache" else numbers[0] or 128
        longest = (numbers[1] if len(numbers) > 1 else SHORT_TEXT) if maker == "bounded_cache" else None
        return Cache(self.module, name, holds[1] if holds else "", entries, longest)

    def _number(self, node: ast.expr) -> int | None:
        """The value of an argument; ``None`` for a function, which is cached with the default of ``lru_cache``."""
        if isinstance(node, ast.Name):
            return int(self._constants[node.id])
        return None if isinstance(node, ast.Lambda) else int(ast.literal_eval(node))

    @cached_property
    def _constants(self) -> dict[str, int]:
        module = import_module(f"newsspider.{self.module}")
        return {name: value for name, value in vars(module).items() if name.isupper() and isinstance(value, int)}

    def valued(self, text: str) -> str:
        """A text with the values of the constants that it names."""
        return CONSTANT.sub(
            lambda name: f"{self._constants[name[0]]:,}" if name[0] in self._constants else name[0], text
        )


def _made(node: ast.expr) -> ast.Call | None:
    """The call that makes a cache, if an expression is one."""
    if isinstance(node, ast.Name) and node.id in MAKERS:
        return ast.Call(node, [], [], lineno=node.lineno)
    while isinstance(node, ast.Call):
        if isinstance(node.func, ast.Name) and node.func.id in MAKERS:
            return node
        node = node.func
    return None


def caches_page() -> str:
    """Every cache with its bounds, those of functions first."""
    intro = INTRO.format(url=f"{LONGEST_URL:,}", fetched=f"{traps.LONGEST_URL:,}")
    bounded = [cache for cache in caches() if cache.entries is not None]
    whole = ", ".join(f"`{cache.name}` (`{cache.module}`)" for cache in caches() if cache.entries is None)
    rows = [
        (
            f"`{cache.name}`",
            f"`{cache.module}`",
            cache.holds,
            f"{cache.entries:,}",
            f"{cache.characters:,}" if cache.characters else "",
        )
        for cache in bounded
    ]
    others = [(f"`{name}`", f"`{module}`", holds, bound) for name, module, holds, bound in memories()]
    return "\n".join(
        [
            NOTE,
            f"# Caches\n{intro}\n{FUNCTIONS}",
            *table(("function", "module", "holds", "entries", "characters of one"), rows),
            f"Read once a process, and always of the same size: {whole}.\n",
            "## Other memories\n",
            *table(("memory", "module", "holds", "bound"), others),
        ]
    )
