"""Markup and odd strings in every text of crawled pages, in names, notes and queries: no script runs, and no page bursts."""

import csv
import io
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, BrowserContext

from newsspider.core.text.characters import storable_text
from newsspider.features.console import collections
from newsspider.store.engine.database import writing
from tests.features.console.browser.conftest import Console, visiting
from tests.features.console.conftest import TODAY
from tests.features.console.naughty import MARKUP, NAUGHTY, name_everything
from tests.support.samples import save_article

pytestmark = pytest.mark.slow
NOW = TODAY.timestamp()
LONG = "https://very.long.example.cn/" + "a" * 600
HANDLERS = [
    "<svg><animate onbegin=alert(1) attributeName=x dur=1s>", "<svg><script>alert(1)</script></svg>",
    "<svg><use href='data:image/svg+xml,<svg onload=alert(1)>'>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;<img src=1 onerror=alert(1)>'>",
    "<template><script>alert(1)</script></template>", "<xmp><script>alert(1)</script>",
    "<plaintext><script>alert(1)</script>", "<select><style></select><img src=x onerror=alert(1)>",
    "<div style=background:url(javascript:alert(1))>", "<link rel=stylesheet href=//evil.cn/x.css>",
    "<img srcset=//evil.cn/1.png>", "<audio src onerror=alert(1)>", "<script src=//evil.cn/x.js></script>",
    "<a href='&#106;avascript:alert(1)'>x</a>", "--><script>alert(1)</script>", "]]><script>alert(1)</script>",
    "*/</script><script>alert(1)</script>", "\"></wbr><wbr onclick=alert(1)>", "`${alert(1)}`",
    "{{constructor.constructor('alert(1)')()}}", "[[${alert(1)}]]", "<%- alert(1) %>", "\u2028alert(1)\u2029",
    "\x1b]8;;http://evil.cn\x07x\x1b]8;;\x07", "\u202e\u2066txt.exe\u2069", "=HYPERLINK(\"http://evil.cn\",\"x\")",
    "\t=1+1", "@SUM(1+1)*cmd|' /C calc'!A0", "長" * 400, "W" * 900, LONG, "\u0301" * 200 + "a",
]  # fmt: skip
TEXTS = [*dict.fromkeys([*HANDLERS, *NAUGHTY])]
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def hostile(console: Console) -> Console:
    """Each text stands in ten fields of an article, with others in the rest."""
    name_everything(console.engine)
    with writing(console.engine) as conn:
        for number, text in enumerate(TEXTS):
            at = [storable_text(TEXTS[(number + step * 7) % len(TEXTS)]) or "x" for step in range(10)]
            save_article(
                conn, f"http://h{number}.cn/1", f"{storable_text(text)}\n{'正文' * 9}{number}", NOW, title=at[0], authors=(at[1],),
                source=at[2], site=at[3], channel=at[4], anchor=at[5], summary=at[6], keywords=(at[7],), subtopics=(at[8],),
                terms=(at[9],), comments=(at[1],), attachments=(f"javascript:alert({number})", LONG), media_class=at[2],
                topic=at[4], published_at=TODAY, crawled_at=TODAY, content=f"<p>{'正文' * 9}{storable_text(text)}</p>".encode(),
            )  # fmt: skip
        number = collections.add(conn, "", "all", "", "", NOW)
        collections.put(conn, number, range(1, 150), NOW)
        for place, text in enumerate(TEXTS):
            collections.screen(conn, number, place + 1, "in", storable_text(text))
    return console


@pytest.fixture(scope="module")
def context(browser: Browser, hostile: Console) -> Iterator[BrowserContext]:
    """A phone whose browser leaves the policy of the pages aside, so that nothing but their markup protects it."""
    with visiting(browser, hostile.base, bypass_csp=True, viewport={"width": 390, "height": 800}) as context:
        yield context


def number_of_all(hostile: Console) -> int:
    with hostile.engine.connect() as conn:
        return max(row.id for row in collections.all_collections(conn))


def assert_harmless(context: BrowserContext, *paths: str) -> None:
    tab = context.new_page()
    wide = {}
    for path in paths:
        answer = tab.goto(path)
        assert answer is not None
        assert answer.status < 500, path
        if (over := tab.evaluate(OVERFLOW)) > 0:
            wide[path] = over
    tab.close()
    assert wide == {}


def test_there_are_a_hundred_and_fifty() -> None:
    assert len(TEXTS) > 150


def test_lists_show_them_as_text(context: BrowserContext, hostile: Console) -> None:
    lists = ["/", "/search?n=100", "/events", "/collections", "/sites", "/settings", "/crawl", "/alerts", "/topics", "/topics/education"]
    assert_harmless(context, *lists, f"/collections/{number_of_all(hostile)}?n=100")


def test_articles_show_them_as_text(context: BrowserContext) -> None:
    numbers = range(6, 6 + len(TEXTS), 4)
    assert_harmless(context, *(f"/articles/{number}" for number in numbers), *(f"/articles/{number}/snapshot" for number in numbers[::4]))


def test_queries_show_them_as_text(context: BrowserContext) -> None:
    ways = ("/search?q=", "/url?u=http://a.cn/", "/submit?u=", "/collections?q=", "/alerts?query=", "/url?u=")
    queries = [*MARKUP, *HANDLERS]
    assert_harmless(context, *(f"{ways[place % len(ways)]}{quote(text)}" for place, text in enumerate(queries)))


def test_no_cell_is_a_formula(context: BrowserContext, hostile: Console) -> None:
    answer = context.request.get(f"/api/v1/collections/{number_of_all(hostile)}/export?form=csv")
    assert answer.ok
    cells = [cell for row in csv.reader(io.StringIO(answer.text().lstrip("\ufeff"))) for cell in row]
    assert len(cells) > 1000
    assert [cell for cell in cells if cell.lstrip()[:1] in {"=", "@", "+", "-"}] == []
