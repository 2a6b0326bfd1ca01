"""Caches: each is bounded, each is in the reference, and URLs of any length leave nothing behind."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "newsspider"
PAGE = (ROOT / "docs" / "reference" / "caches.md").read_text("utf-8")
ROW = re.compile(r"^\| `(\w+)` \| `([\w.]+)` \| [^|]+ \| ([\d,]+) \| ([\d,]*) \|$", re.MULTILINE)
MAKERS = ("lru_cache", "cache", "bounded_cache")
SHORT = 512


def made(node: ast.expr) -> ast.Call | None:
    """The call that makes a cache, if an expression is one."""
    if isinstance(node, ast.Name) and node.id in MAKERS:
        return ast.Call(node, [], [])
    while isinstance(node, ast.Call):
        if isinstance(node.func, ast.Name) and node.func.id in MAKERS:
            return node
        node = node.func
    return None


@cache
def caches() -> list[tuple[str, str, ast.Call, dict[str, int]]]:
    return list(_caches())


def _caches() -> Iterator[tuple[str, str, ast.Call, dict[str, int]]]:
    """Module, name and making of each cache of a function, and the numbers that its module names."""
    for path in sorted(PACKAGE.rglob("*.py")):
        module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        tree = ast.parse(path.read_text("utf-8"))
        numbers = {
            target.id: node.value.value
            for node in tree.body
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                for decorator in node.decorator_list:
                    if (call := made(decorator)) is not None:
                        yield module, node.name, call, numbers
            elif isinstance(node, ast.Assign) and (call := made(node.value)) is not None and module != "core.caching":
                target = node.targets[0]
                yield module, target.attr if isinstance(target, ast.Attribute) else ast.unparse(target), call, numbers


def number(node: ast.expr, names: dict[str, int]) -> int:
    return names[node.id] if isinstance(node, ast.Name) else int(ast.literal_eval(node))


def test_each_cache_is_in_the_reference_with_its_bounds() -> None:
    rows = {(row[1], row[0]): row[2:] for row in ROW.findall(PAGE)}
    for module, name, call, names in caches():
        assert isinstance(call.func, ast.Name)
        arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
        if call.func.id == "cache":
            assert f"`{name}`" in PAGE, (module, name)
        elif call.func.id == "bounded_cache":
            longest = number(arguments[1], names) if len(arguments) > 1 else SHORT
            assert rows[module, name] == (f"{number(arguments[0], names):,}", f"{longest:,}"), (module, name)
        elif isinstance(arguments[0], ast.Constant):
            assert rows[module, name] == (f"{arguments[0].value:,}", ""), (module, name)
        else:
            assert (module, name) in rows


def test_the_reference_names_no_cache_that_is_gone() -> None:
    assert {(row[1], row[0]) for row in ROW.findall(PAGE)} == {
        (module, name) for module, name, call, _ in caches() if ast.unparse(call.func) != "cache"
    }


def test_every_memory_of_a_library_or_a_class_is_in_the_reference() -> None:
    named = {
        (node.target.attr if isinstance(node.target, ast.Attribute) else ast.unparse(node.target))
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Call)
        if ast.unparse(node.value.func) in ("OrderedDict", "LocalCache", "WeakKeyDictionary")
    }
    assert not {name for name in named if f"`{name}`" not in PAGE}


LONG = """
import gc, resource, sys
from datetime import UTC, datetime
from pathlib import Path
from newsspider.core.fetching.url_patterns import patterns_of
from newsspider.core.links.feeds import read_feed, read_sitemap
from newsspider.core.links.page_links import links_of, page_links
from newsspider.core.links.url_shape import is_article_url
from newsspider.core.extraction.article import read
from newsspider.core.extraction.dom.frames import moved_to
from newsspider.core.extraction.dom.page import parse
from newsspider.core.url import canonical, host_of, suffix_of
from newsspider.store.pages import _key

def resident():
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 2**20

def page(number, length, links):
    urls = [f"/{number}/{n}/" + "x" * length + ".html" for n in range(links)]
    anchors = "".join(
        f'<li><a href="{url}" class="c{url[:length // 40]}" style="{url[:3000]}">{n} {url[:600]}</a></li>' for n, url in enumerate(urls)
    )
    head = f"<link rel=canonical href='{urls[0]}'><meta http-equiv=refresh content='0;url={urls[0]}'>"
    html = parse(f"<html><head>{head}</head><body><ul>{anchors}</ul></body></html>".encode(), f"http://a.cn{urls[1]}", "text/html")
    found = [link.url for link in (*links_of(html), *page_links(html))]
    read(html, datetime.now(UTC))
    items = "".join(f"<item><title>t</title><link>http://a.cn{url}</link></item>" for url in urls)
    found += [link.url for link in read_feed(f"<rss><channel>{items}</channel></rss>".encode(), "http://a.cn/")]
    locs = "".join(f"<url><loc>http://a.cn{url}</loc></url>" for url in urls)
    found += [link.url for link in read_sitemap(f"<urlset>{locs}</urlset>".encode(), "http://a.cn/").urls]
    for url in [*found, *moved_to(html), *(f"http://a.cn{url}" for url in urls)]:
        canonical(url), canonical(url, html.url), host_of(url), suffix_of(url), is_article_url(url), patterns_of(url), _key(url)
    return [url for url in found if canonical(url)]

for number in range(3):
    page(number, 60, 60), page(number, 90_000, 18)
before = resident()
kept = sum(len(page(number, 90_000, 18)) for number in range(60))
print(kept, resident() - before)
"""


def test_a_thousand_urls_of_90_kb_leave_nothing_behind() -> None:
    done = subprocess.run([sys.executable, "-c", LONG], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    kept, mib = done.stdout.split()
    assert int(kept) == 0
    assert float(mib) < 16  # 181 for half as many, where each leaves its copies behind
