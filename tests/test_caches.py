"""Caches: each is bounded, each is in the reference, and URLs of any length leave nothing behind."""

import ast
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from tools.caches_page import caches, memories

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "newsspider"


def test_each_cache_of_a_function_says_what_it_holds() -> None:
    """The reference is made of what they say."""
    assert len(caches()) > 40
    assert not [cache for cache in caches() if cache.entries is not None and not cache.holds]


def test_each_cache_of_functools_has_the_entries_that_the_reference_names() -> None:
    pairs = [(cache, vars(import_module(f"newsspider.{cache.module}")).get(cache.name)) for cache in caches()]
    sizes = {cache: of.cache_parameters()["maxsize"] for cache, of in pairs if hasattr(of, "cache_parameters")}
    assert len(sizes) > 10
    assert not {cache: size for cache, size in sizes.items() if size != cache.entries}


def test_every_memory_of_a_library_or_a_class_is_in_the_reference() -> None:
    named = {
        (node.target.attr if isinstance(node.target, ast.Attribute) else ast.unparse(node.target))
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Call)
        if ast.unparse(node.value.func) in ("OrderedDict", "LocalCache", "WeakKeyDictionary")
    }
    assert named
    assert not named - {name for name, *_ in memories()}
    # a name in capitals that is no setting is that of a constant which the module no longer has
    assert not [row for row in memories() if re.search(r"(?<![`A-Z])[A-Z][A-Z_]{3,}\b(?!`)", " ".join(row))]


LONG = """
import gc, resource, sys
from datetime import UTC, datetime
from pathlib import Path
from newsspider.core.fetching.traps import patterns_of
from newsspider.core.links.feeds import read_feed, read_sitemap
from newsspider.core.links.page_links import links_of, page_links
from newsspider.core.links.url_shape import is_article_url
from newsspider.core.extraction.article import extract_article
from newsspider.core.links.link_targets import moved_to
from newsspider.core.extraction.dom.page import parse
from newsspider.core.url import canonical, host_of, suffix_of
from newsspider.store.ledger.links import key_of

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
    extract_article(html, datetime.now(UTC))
    items = "".join(f"<item><title>t</title><link>http://a.cn{url}</link></item>" for url in urls)
    found += [link.url for link in read_feed(f"<rss><channel>{items}</channel></rss>".encode(), "http://a.cn/")]
    locs = "".join(f"<url><loc>http://a.cn{url}</loc></url>" for url in urls)
    found += [link.url for link in read_sitemap(f"<urlset>{locs}</urlset>".encode(), "http://a.cn/").urls]
    for url in [*found, *moved_to(html), *(f"http://a.cn{url}" for url in urls)]:
        canonical(url), canonical(url, html.url), host_of(url), suffix_of(url), is_article_url(url), patterns_of(url), key_of(url)
    return [url for url in found if canonical(url)]

for number in range(3):
    page(number, 60, 60), page(number, 90_000, 18)
before = resident()
kept = sum(len(page(number, 90_000, 18)) for number in range(60))
print(kept, resident() - before)
"""


@pytest.mark.long
def test_a_thousand_urls_of_90_kb_leave_nothing_behind() -> None:
    done = subprocess.run([sys.executable, "-c", LONG], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    entries, mib = done.stdout.split()
    assert int(entries) == 0
    assert float(mib) < 16  # 181 for half as many, where each leaves its copies behind
