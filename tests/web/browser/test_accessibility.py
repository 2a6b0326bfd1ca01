"""Every page of the console by axe's rules, light and dark."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext

from newsspider.store import accounts, collections
from newsspider.store.alerts import bundles, deliveries
from newsspider.store.alerts.deliveries import Delivery
from newsspider.store.engine.database import writing
from newsspider.web.access import COOKIE
from tests.alerts.receiver import alert
from tests.store.samples import save_article
from tests.web.browser.conftest import Console, visiting
from tests.web.conftest import TODAY
from tests.web.test_topics import hold

pytestmark = pytest.mark.slow
NOW = TODAY.timestamp()
HOOK = "http://127.0.0.1:1/hook"
GRAVE = {"serious", "critical"}
PAGES = [
    "/", "/?day=2020-01-01", "/search", "/search?q=火灾", "/search?q=(", "/search?q=nothing", "/articles/1", "/articles/3",
    "/articles/4", "/events?span=4w", "/events", "/events/4", "/collections", "/collections?q=高考", "/collections/1",
    "/collections/1?by=event", "/alerts?query=高考",
    "/alerts/1", "/sites", "/sites/教育部", "/site-rules/教育部", "/crawl", "/url", "/url?u=http://a.cn/1", "/url?u=junk", "/url?u=http://never.cn/",
    "/submit", "/submit?u=http://a.cn/1", "/submit?u=junk", "/topics", "/topics/education", "/settings", "/nothing", "/login", "/?lang=en",
]  # fmt: skip


@pytest.fixture(scope="module")
def lived_in(console: Console) -> Console:
    """A console with something of each kind: an alert that failed, a collection, a borderline article, accounts."""
    hold(console.engine, "http://held.cn/1", "待定的一篇")
    with writing(console.engine) as conn:
        for text in ("旧的正文，收费二百元。", "新的正文，收费三百元。"):
            save_article(conn, "http://a.cn/revised", text, NOW, title="收费标准")
        number = collections.add(conn, "", "高考改革", "高考", "给周会用", NOW)
        collections.put(conn, number, [1, 2, 3], NOW)
        collections.screen(conn, number, 1, "in", "要跟进")
        alert(conn, HOOK, query="新高考")
        save_article(conn, "http://d.cn/1", "新高考来了", NOW, title="新高考")
        bundles.put(conn, bundles.due(conn, NOW + 120), "http://console", NOW)
        (waiting,) = deliveries.listed(conn)
        deliveries.failed(conn, Delivery(waiting.key, HOOK, {}, "", 1, (1, 0)), "HTTP 410 Gone", NOW, base=1, chance=0, for_good=True)
        accounts.add(conn, "赵敏", accounts.Role.ADMIN, "", NOW)
        accounts.note(conn, "赵敏", "site.add", "教育部", NOW, after={"weight": 9})
    return console


@pytest.fixture(scope="module", params=["light", "dark"])
def context(request: pytest.FixtureRequest, browser: Browser, lived_in: Console) -> Iterator[BrowserContext]:
    """An admin who has logged in."""
    with writing(lived_in.engine) as conn:
        secret = accounts.grant(conn, "赵敏", "test", NOW)
    with visiting(browser, lived_in.base, color_scheme=request.param) as context:
        context.add_cookies([{"name": COOKIE, "value": secret, "url": lived_in.base}])
        yield context


def test_no_page_shuts_anybody_out(context: BrowserContext) -> None:
    axe, faults = Axe(), {}
    tab = context.new_page()
    for path in PAGES:
        tab.goto(path)
        tab.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        found = [fault for fault in axe.run(tab).response["violations"] if fault["impact"] in GRAVE]
        faults |= {(path, fault["id"]): [node["html"][:160] for node in fault["nodes"][:3]] for fault in found}
    assert faults == {}
