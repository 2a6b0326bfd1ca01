"""Every page of the console by axe's rules, light and dark."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect
from sqlalchemy import text

from bench.briefings import made_until
from newsspider.features.alerts import deliveries, story_bundling
from newsspider.features.alerts.channels import Outcome
from newsspider.features.alerts.deliveries import Delivery
from newsspider.features.console import accounts, collections
from newsspider.features.console.access import COOKIE
from newsspider.features.workbench.comparison import Comparison, Draft, Side
from newsspider.features.workbench.drafts import FIGURE_NAMES
from newsspider.sites.model import from_home
from newsspider.store import audit_trail
from newsspider.store import sites as registry
from newsspider.store.engine.database import writing
from tests.features.console.browser.conftest import Console, opened_store, serving, visiting
from tests.features.console.browser.portals import portal
from tests.features.console.conftest import TODAY
from tests.features.workbench.topic_drafts import PROFILE as FARMING
from tests.features.workbench.topic_drafts import hold
from tests.support.receiver import alert
from tests.support.samples import save_article
from tests.support.serving import served

pytestmark = pytest.mark.slow
NOW = TODAY.timestamp()
HOOK = "http://127.0.0.1:1/hook"
GRAVE = {"serious", "critical"}
DRAFT = "/topics/farming/draft"
PHONE, DESK = {"width": 390, "height": 844}, {"width": 1280, "height": 900}
SMALL_TARGETS = """() => [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")]
  .filter(one => one.checkVisibility() && (one.closest("details:not([open])") === null || one.matches("summary")))
  .map(one => [one, (["checkbox", "radio"].includes(one.type) && one.closest("label") || one).getBoundingClientRect()])
  .filter(([one, box]) => box.right > 0 && (box.width < 24 || box.height < 24))
  .filter(([one]) => getComputedStyle(one).display !== "inline" || ![...one.parentElement.childNodes].some(
    node => node.nodeType === Node.TEXT_NODE && node.textContent.trim()))
  .map(([one, box]) => `${one.outerHTML.slice(0, 90)} ${box.width} x ${box.height}`)"""  # those within a sentence may be small
PAGES = [
    "/", "/?day=2020-01-01", "/search", "/search?q=火灾", "/search?q=(", "/search?q=nothing", "/articles/1", "/articles/3",
    "/articles/4", "/articles/4/similar", "/board", "/search?mine=star",
    "/events?span=4w", "/events", "/events/4", "/collections", "/collections?q=高考", "/collections/1",
    "/collections/1?by=event", "/attention?q=火灾", "/attention/pictures?kind=map&q=火灾", "/attention/pictures?kind=calendar&q=火灾",
    "/attention/pictures?kind=shares&q=火灾&q=高考", "/attention/pictures?kind=spread&event=4", "/alerts?query=高考",
    "/about?name=育才小学", "/attention?q=火灾&q=高考&q=收费&q=教育&q=学校", "/briefings", "/briefings/1", "/briefings/1?edit=1",
    "/alerts/1", "/alerts/mute/token", "/sites", "/catalogue", "/sites/教育部", "/sites/坏掉的站", "/site-rules/教育部", "/crawl",
    "/crawl/urls?state=done&reason=stored", "/url", "/url?u=http://a.cn/1", "/url?u=junk", "/url?u=http://never.cn/",
    "/submit", "/submit?u=http://a.cn/1", "/submit?u=junk", "/topics", "/topics/education", DRAFT,
    "/settings", "/nothing", "/login", "/?lang=en",
]  # fmt: skip


@pytest.fixture(scope="module")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    """A console whose crawl watches a topic of one's own, which has a draft."""
    folder = tmp_path_factory.mktemp("console")
    draft = Draft(folder / "farming.toml")
    for file in (draft.source, draft.profile):
        file.write_text(FARMING, "utf-8")
    side = Side(0.5, dict.fromkeys(FIGURE_NAMES, 0.875), [dict.fromkeys(("threshold", "precision", "recall"), at / 4) for at in range(5)])
    draft.keep(Comparison(began_from=draft.began_from(), diff=["@@ -1 +1 @@", "-旧" * 60, "+新" * 60], before=side, after=side))
    with opened_store(folder) as (engine, file), serving(engine, TOPIC=str(draft.source)) as base:
        yield Console(base, engine, file)


@pytest.fixture(scope="module")
def lived_in(console: Console) -> Console:
    """A console with something of each kind: an alert that failed, a collection, a borderline article, accounts."""
    made_until(console.engine, TODAY)
    hold(console.engine, "http://held.cn/1", "待定的一篇")
    with writing(console.engine) as conn:
        for body in ("旧的正文，收费二百元。", "新的正文，收费三百元。"):
            save_article(conn, "http://a.cn/revised", body, NOW, title="收费标准")
        number = collections.add(conn, "", "高考改革", "高考", "给周会用", NOW)
        collections.put(conn, number, [1, 2, 3], NOW)
        collections.screen(conn, number, 1, "in", "要跟进")
        alert(conn, HOOK, query="新高考")
        save_article(conn, "http://d.cn/1", "新高考来了", NOW, title="新高考")
        story_bundling.put(conn, story_bundling.due(conn, NOW + 120), "http://console", NOW)
        (waiting,) = deliveries.listed(conn)
        gone = Outcome("HTTP 410 Gone", for_good=True)
        deliveries.failed(conn, Delivery(waiting.key, HOOK, {}, "", 1, (1, 0)), gone, NOW, base=1, chance=0)
        accounts.add(conn, "赵敏", accounts.Role.ADMIN, "", NOW)
        conn.execute(text("UPDATE alerts SET token = 'token'"))
        registry.put(conn, replace(from_home("http://broken.cn/"), name="坏掉的站"), NOW)
        conn.execute(text("UPDATE sites SET toml = 'weight = no' WHERE name = '坏掉的站'"))
        audit_trail.note(conn, "赵敏", "site.add", "教育部", NOW, after={"weight": 9})
    return console


@pytest.fixture(scope="module", params=["light"])
def context(request: pytest.FixtureRequest, browser: Browser, lived_in: Console) -> Iterator[BrowserContext]:
    """An admin who has logged in; a size depends on no colour."""
    with writing(lived_in.engine) as conn:
        secret = accounts.grant(conn, "赵敏", "test", NOW)
    with visiting(browser, lived_in.base, color_scheme=request.param) as context:
        context.add_cookies([{"name": COOKIE, "value": secret, "url": lived_in.base}])
        yield context


@pytest.mark.parametrize("context", ["light", "dark"], indirect=True)
def test_no_page_breaks_an_accessibility_rule(context: BrowserContext) -> None:
    tab, faults = context.new_page(), {}
    is_dark = tab.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    tab.set_viewport_size(PHONE if is_dark else DESK)  # colours do not depend on the width
    for path in PAGES[::3] if is_dark else PAGES:  # which share one style sheet
        tab.goto(path)
        tab.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        faults |= {(path, rule): nodes for rule, nodes in faults_of(tab, GRAVE).items()}
    assert faults == {}


def test_paper_has_the_light_colours_and_no_controls(context: BrowserContext) -> None:
    tab, controls = context.new_page(), "button, select, nav, footer, input:not([name=q]), iframe"
    tab.emulate_media(media="print")
    for path in ("/articles/4", "/search?q=火灾", "/attention?q=火灾", "/about?name=育才小学", "/briefings/1"):
        tab.goto(path)
        shown = f"[...document.querySelectorAll('{controls}')].filter(one => one.checkVisibility()).map(one => one.outerHTML)"
        assert tab.evaluate(shown) == [], path
        assert tab.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
        assert tab.get_by_role("heading", level=1).count() == 1


def test_what_was_read_of_a_site_breaks_no_rule(context: BrowserContext, lived_in: Console) -> None:
    tab = context.new_page()
    with served("127.0.0.1", portal) as (home, _):
        with writing(lived_in.engine) as conn:
            registry.put(conn, replace(from_home(home), name="育才报"), NOW)
        for size in (PHONE, DESK):
            tab.set_viewport_size(size)
            tab.goto("/sites?lang=zh")
            tab.get_by_label("新站点的网址").fill(home)
            tab.get_by_role("button", name="试读").click()
            expect(tab.get_by_text("个文章链接").first).to_be_visible()
            assert faults_of(tab, GRAVE) == {}
            assert tab.evaluate("document.documentElement.scrollWidth") <= size["width"]
            tab.goto("/site-rules/育才报")
            for title, answer in (("//h1[", "不是 XPath"), ("//h1", "个文章链接")):
                tab.get_by_label("标题 XPath").fill(title)
                tab.get_by_role("button", name="预览").click()
                expect(tab.locator("main").get_by_text(answer).first).to_be_visible()
                assert faults_of(tab, GRAVE) == {}
                assert tab.evaluate("document.documentElement.scrollWidth") <= size["width"]


def test_a_draft_is_compared_on_a_phone(context: BrowserContext) -> None:
    tab = context.new_page()
    tab.set_viewport_size(PHONE)
    tab.goto(DRAFT)
    assert faults_of(tab, {*GRAVE, "moderate", "minor"}) == {}
    assert tab.evaluate("[...document.querySelectorAll('.wide')].map(one => one.scrollWidth - one.clientWidth)") == [0]


def test_a_finger_hits_what_it_aims_at(context: BrowserContext) -> None:
    tab, small = context.new_page(), {}
    tab.set_viewport_size(PHONE)
    for path in PAGES:
        tab.goto(path)
        if targets := tab.evaluate(SMALL_TARGETS):
            small[path] = targets
        assert tab.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], path
    assert small == {}


def test_hot_events_stand_before_the_articles_of_a_phone(context: BrowserContext) -> None:
    tab = context.new_page()
    for size, is_before in ((PHONE, True), (DESK, False)):
        tab.set_viewport_size(size)
        tab.goto("/")
        places = (".happening >> nth=0", ".entries h3 >> nth=0", "aside section >> nth=-1")
        hot, first, last = (tab.locator(place).bounding_box() for place in places)
        assert hot
        assert first
        assert last
        assert (hot["y"] < first["y"] and hot["x"] < PHONE["width"] / 2) == is_before
        assert (last["y"] > first["y"] and last["x"] < PHONE["width"] / 2) == is_before


def test_a_phone_shows_the_whole_navigation_and_tables_as_cards(context: BrowserContext) -> None:
    tab = context.new_page()
    tab.set_viewport_size(PHONE)
    for path in ("/", "/sites", "/?lang=en"):
        tab.goto(path)
        boxes = [link.bounding_box() for link in tab.locator("nav a").all()]
        assert len(boxes) == 13
        assert all(box and box["x"] >= 0 and box["x"] + box["width"] <= PHONE["width"] for box in boxes), path
    for path in ("/sites?lang=zh", "/sites/教育部", "/crawl"):
        tab.goto(path)
        assert set(tab.evaluate("[...document.querySelectorAll('.wide')].map(one => one.scrollWidth - one.clientWidth)")) == {0}
    tab.goto("/sites")
    weight = tab.locator(".data td").nth(1)
    assert weight.evaluate("one => getComputedStyle(one, '::before').content").startswith('"权重')
    tab.set_viewport_size(DESK)
    assert weight.evaluate("one => getComputedStyle(one, '::before').content") == "none"
    assert tab.locator(".wide").first.evaluate("one => getComputedStyle(one).backgroundAttachment").startswith("local")


def faults_of(tab: Page, impacts: set[str]) -> dict[str, list[str]]:
    """What axe finds of these impacts on the page, by its rules."""
    faults = [fault for fault in Axe().run(tab).response["violations"] if fault["impact"] in impacts]
    return {fault["id"]: [node["html"][:160] for node in fault["nodes"][:3]] for fault in faults}
