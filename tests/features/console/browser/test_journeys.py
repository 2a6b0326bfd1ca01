"""What people come for, done in a browser with and without JavaScript."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest
from playwright.sync_api import Browser, Page, expect

from newsspider.features.alerts.delivery_loop import Deliverer
from newsspider.features.console import accounts
from newsspider.features.console.accounts import hash_password
from newsspider.sites.model import from_home
from newsspider.store import sites as registry
from newsspider.store.engine.database import writing
from newsspider.topics.loader import load_topic, read_topic
from tests.features.console.browser.conftest import Console, opened_store, serving, visiting
from tests.features.console.browser.portals import NEWS, portal
from tests.features.console.conftest import TODAY, Morning
from tests.features.console.people import NAMES, PASSWORD
from tests.features.workbench.topic_drafts import PROFILE as FARMING
from tests.features.workbench.topic_drafts import hold, label_some
from tests.support.portal import scrapy
from tests.support.receiver import Receiver
from tests.support.samples import save_article
from tests.support.serving import QUICK, served

pytestmark = pytest.mark.slow
MODES = {"scripts": True, "no-scripts": False}
NOW = TODAY.timestamp()
CRAWL = ("-s", "DELAY_MIN_SECONDS=0", "-s", "DELAY_FACTOR=0", "-s", "LOG_LEVEL=WARNING", *QUICK)


BORDERLINE = {
    "scripts": ("幼儿园秋季招生网上登记", "登记只看户籍和住址，不分先后，结果八月初用短信告诉每个家庭。"),
    "no-scripts": ("校车新路线本周试运行", "司机每天早晨六点半出发，经过三个村子，最后一站就在校门对面。"),
}


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def tab(browser: Browser, console: Console, mode: str) -> Iterator[Page]:
    with visiting(browser, console.base, scripts=MODES[mode]) as context:
        yield context.new_page()


def test_search_and_read(tab: Page) -> None:
    tab.goto("/")
    expect(tab.get_by_role("heading", name="幼儿园延时服务")).to_be_visible()
    find = tab.get_by_role("search").get_by_role("searchbox")
    find.fill("延时服务 收费")
    find.press("Enter")
    expect(tab.get_by_role("status")).to_contain_text("1 篇")
    expect(tab.locator("mark", has_text="收费").first).to_be_visible()
    tab.get_by_role("link", name="幼儿园延时服务").click()
    expect(tab.get_by_role("heading", level=1)).to_have_text("幼儿园延时服务")
    expect(tab.get_by_text("家长自愿选择，按月结算。")).to_be_visible()
    expect(tab.get_by_text("为什么收录：")).to_be_visible()
    tab.get_by_role("link", name="完整经过").click()
    expect(tab.get_by_role("heading", level=1)).to_have_text("http://a.cn/1")


def test_follow_an_event(tab: Page) -> None:
    tab.goto("/")
    tab.get_by_role("complementary").get_by_role("link", name="河东县育才小学食堂火灾").click()
    expect(tab.get_by_role("heading", level=1)).to_have_text("河东县育才小学食堂火灾")
    pages = tab.locator("ol.chain > li")
    expect(pages).to_have_count(2)
    expect(pages.first).to_contain_text("首发")
    expect(pages.first).to_contain_text("站4")
    pages.nth(1).get_by_role("link").click()
    expect(tab.get_by_text("消防员到场扑救").first).to_be_visible()


def test_add_a_site_and_see_its_first_articles(tab: Page, console: Console, mode: str, tmp_path: Path) -> None:
    name = f"育才报 {mode}"
    with served("127.0.0.1", portal) as (home, _):
        tab.goto("/sites")
        tab.get_by_label("新站点的网址").fill(home)
        tab.get_by_role("button", name="试读").click()
        expect(tab.get_by_text(f"找到 {len(NEWS)} 个文章链接")).to_be_visible()
        expect(tab.get_by_role("heading", name=NEWS[0][0])).to_be_visible()
        expect(tab.get_by_text("还什么都没存。")).to_be_visible()
        tab.get_by_label("名称").fill(name)
        tab.get_by_role("button", name="存为站点").click()
        expect(tab.get_by_role("heading", level=1)).to_have_text(name)
        if not MODES[mode]:
            return  # a crawl knows nothing of browsers
        file = tmp_path / "site.toml"
        file.write_text(tab.locator("pre").inner_text(), "utf-8")
        crawled = scrapy(console.file, "crawl", "education", "-a", f"sites={file}", "-a", "topic=any", *CRAWL)
        assert crawled.returncode == 0, crawled.stderr
    tab.get_by_role("link", name="它的文章").click()
    expect(tab.get_by_role("status")).to_contain_text(f"{len(NEWS)} 篇")
    tab.get_by_role("link", name=NEWS[2][0]).click()
    expect(tab.get_by_text(NEWS[2][1]).first).to_be_visible()


def test_change_the_rules_of_a_site(tab: Page, console: Console, mode: str) -> None:
    with served("127.0.0.1", portal) as (home, _):
        with writing(console.engine) as conn:
            registry.put(conn, replace(from_home(home), name=f"规则 {mode}"), NOW)
        tab.goto(f"/sites/规则 {mode}")
        tab.get_by_role("link", name="抽取规则").click()
        tab.get_by_label("文章链接所在的区域").fill("//ul[@class='list']\n//ul[@id='no']")
        tab.get_by_label("标题 XPath").fill("//h1[")
        tab.get_by_label("试读哪一篇").fill(f"{home}/2026/1120/2.html")
        tab.get_by_role("button", name="预览").click()
        expect(tab.get_by_text("不是 XPath").first).to_be_visible()
        tab.get_by_label("标题 XPath").fill("//h1")
        tab.get_by_role("button", name="预览").click()
        preview = tab.locator("#preview")
        expect(preview).to_contain_text(f"{len(NEWS)} 个文章链接")
        expect(preview).to_contain_text("//ul[@id='no'] 什么也没选中")
        expect(preview.get_by_role("heading", name=NEWS[2][0])).to_be_visible()
        refusals = [429] if MODES[mode] else []
        wait = {"Retry-After": "1"}
        tab.route("**/site-rules/**", lambda way: way.fulfill(status=refusals.pop(), headers=wait) if refusals else way.continue_())
        tab.get_by_label("标题 XPath").fill("//h5")
        tab.get_by_label("标题 XPath").press("Tab")
        if not MODES[mode]:
            tab.get_by_role("button", name="预览").click()
        expect(preview).to_contain_text("//h5 什么也没选中")
        tab.get_by_label("标题 XPath").fill("//h1")
        tab.get_by_role("button", name="存下规则").click()
    expect(tab.get_by_role("status")).to_contain_text("已存下")
    tab.goto(f"/sites/规则 {mode}")
    expect(tab.locator("pre")).to_contain_text('title = "//h1"')


def test_submit_a_url(tab: Page, mode: str) -> None:
    address = f"http://submitted.example.cn/2026/{mode}.html"
    tab.goto("/submit")
    tab.get_by_label("一篇文章、一个列表或一个首页的网址").fill(address)
    tab.get_by_role("button", name="提交").click()
    expect(tab.get_by_text("没有采集在运行：下次采集时抓取。")).to_be_visible()
    tab.get_by_role("link", name="完整经过").click()
    expect(tab.get_by_role("heading", level=1)).to_have_text(address)
    expect(tab.get_by_text("还没有抓取过")).to_be_visible()


def test_save_a_query_and_get_its_alert_once(tab: Page, console: Console, mode: str) -> None:
    word = {"scripts": "研学旅行", "no-scripts": "课后服务"}[mode]
    tab.goto(f"/search?q={word}")
    tab.get_by_role("link", name="设为提醒").click()
    expect(tab.get_by_label("检索式")).to_have_value(word)
    with Receiver() as receiver:
        tab.get_by_text("发到别处").click()
        tab.locator("select[name=service]").select_option("webhook")
        tab.locator("input[name=hook_url]").fill(receiver.url)
        tab.get_by_role("button", name="看上周会提醒什么").click()
        expect(tab.get_by_text("上周会提醒 0 次")).to_be_visible()
        tab.get_by_role("button", name="保存").click()
        expect(tab.get_by_text("whsec_")).to_be_visible()
        with writing(console.engine) as conn:
            for number in range(2):
                text = f"{word}新规公布，家长和学校都要遵守。"
                save_article(conn, f"http://{mode}.cn/{number}", text, NOW, title=f"{word}新规", published_at=TODAY, crawled_at=TODAY)
        for _ in range(2):
            deliverer = Deliverer(console.engine, console.base, 1.0, clock=Morning(), chance=lambda: 0.0)
            deliverer.run(Event(), once=True)
        assert receiver.titles() == [f"{word}新规"]
    tab.goto("/alerts")
    tab.get_by_role("link", name=word, exact=True).first.click()
    expect(tab.get_by_text("已发 1 条")).to_be_visible()
    expect(tab.get_by_text("上周会提醒什么")).to_be_visible()


def test_label_an_article_and_see_it(tab: Page, console: Console, mode: str) -> None:
    title, text = BORDERLINE[mode]
    hold(console.engine, f"http://held-{mode}.cn/1", title, text * 9)
    tab.goto("/topics")
    tab.get_by_role("link", name="待定 1 篇").click()
    row = tab.locator("#borderline li")
    expect(row).to_contain_text(title)
    row.get_by_role("button", name="相关").click()
    expect(tab.get_by_text("没有待定的。").or_(tab.get_by_text("这个主题不留待定的文章"))).to_be_visible()
    tab.goto(f"/search?q=title:{title[:6]}")
    tab.get_by_role("link", name=title).click()
    expect(tab.get_by_text("与“教育”的相关度")).to_be_visible()


def test_label_and_retrain(browser: Browser, tmp_path: Path, mode: str) -> None:
    profile = tmp_path / "farming.toml"
    profile.write_text(FARMING, "utf-8")
    with opened_store(tmp_path / "store") as (engine, _):
        label_some(engine, 60)
        hold(engine, "http://held.cn/1", "水稻插秧机下田", "农民在田里忙着插秧，今年丰收在望。" * 9, topic="farming")
        with serving(engine, TOPIC=str(profile)) as base, visiting(browser, base, scripts=MODES[mode]) as context:
            tab = context.new_page()
            tab.goto("/topics/farming")
            tab.locator("#borderline li").get_by_role("button", name="相关").click()
            tab.get_by_role("link", name="改主题、重新训练").click()
            file = tab.get_by_label("主题文件")
            file.fill(file.input_value() + '\n[subtopics]\n"水稻" = "水稻"\n')
            tab.get_by_label("用标注重新训练（相关 61 条标注，无关 60 条标注").check()
            tab.get_by_role("button", name="比较").click()
            expect(tab.get_by_role("heading", name="新旧相比")).to_be_visible()
            expect(tab.locator("svg.curve")).to_have_count(2)
            expect(tab.locator("pre")).to_contain_text("[subtopics]")
            tab.get_by_role("button", name="采用").click()
            expect(tab.get_by_text("训练过", exact=True)).to_be_visible()
            expect(tab.get_by_role("link", name="水稻", exact=True)).to_be_visible()


def test_compare_revisions(tab: Page, console: Console, mode: str) -> None:
    title = f"收费标准公示 {mode}"
    with writing(console.engine) as conn:
        for place, fee in enumerate(("二百元", "三百元")):
            text = f"{mode}小学的延时服务每月收费{fee}，由家长自愿选择。"
            save_article(conn, f"http://{mode}.cn/revised", text, NOW - 900 + 60 * place, title=title)
    tab.goto(f"/search?q=\"{title}\"")
    tab.get_by_role("link", name=title).click()
    tab.locator("details.revision summary").click()
    expect(tab.locator("details.revision del")).to_have_text("二")
    expect(tab.locator("details.revision ins")).to_have_text("三")


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A console with accounts."""
    with opened_store(tmp_path_factory.mktemp("guarded")) as (engine, _):
        with writing(engine) as conn:
            for name, role in NAMES.items():
                accounts.add(conn, name, role, hash_password(PASSWORD), NOW)
        with serving(engine) as base:
            yield base


def test_log_in_and_be_refused(browser: Browser, guarded: str, mode: str) -> None:
    with visiting(browser, guarded, scripts=MODES[mode]) as context:
        tab = context.new_page()
        tab.goto("/articles/1")
        expect(tab).to_have_url(re.compile("/login"))
        log_in(tab, "王芳", "一个不对的密码，长够了")
        expect(tab.get_by_role("alert")).to_have_text("名称或密码不对。")
        log_in(tab, "王芳", PASSWORD)
        expect(tab.get_by_role("heading", level=1)).to_have_text("幼儿园延时服务")
        tab.goto("/sites")
        expect(tab.get_by_role("button", name="试读")).to_have_count(0)
        tab.goto("/topics/education")
        assert tab.goto("/settings/accounts/nobody")
        expect(tab.get_by_role("heading", level=1)).to_have_text("没有这一页")
        tab.get_by_role("button", name="退出").click()
        tab.goto("/")
        expect(tab).to_have_url(re.compile("/login"))
        log_in(tab, "李伟", PASSWORD)
        tab.goto("/sites")
        expect(tab.get_by_role("button", name="试读")).to_be_visible()
        tab.goto("/submit")
        tab.get_by_label("一篇文章、一个列表或一个首页的网址").fill("http://10.0.0.1/")
        tab.get_by_role("button", name="提交").click()
        expect(tab.get_by_role("heading", level=1)).to_have_text("填得不对")


def log_in(tab: Page, name: str, password: str) -> None:
    tab.get_by_label("名称").fill(name)
    tab.get_by_label("密码").fill(password)
    tab.get_by_role("button", name="登录").click()


def test_the_page_of_the_crawl_moves_by_itself(tab: Page, console: Console, mode: str) -> None:
    tab.goto("/crawl")
    new = tab.locator("[data-live='articles.hour']")
    old_count = int(new.inner_text())
    with writing(console.engine) as conn:
        text = f"这一页自己会动，{mode} 时如此。校长说，钟声改到早晨八点。"
        save_article(conn, f"http://live-{mode}.cn/1", text, NOW, title="上课钟声改时", published_at=TODAY, crawled_at=TODAY)
    if mode == "no-scripts":
        expect(new).to_have_text(str(old_count))
        tab.reload()
    expect(new).to_have_text(str(old_count + 1))


def test_copy_a_shipped_topic_and_edit_its_terms(
    browser: Browser, console: Console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEWSSPIDER_DATA_DIR", str(tmp_path))
    with visiting(browser, console.base) as context:
        tab = context.new_page()
        tab.goto("/topics/flood")
        tab.get_by_text("复制一份来改").click()
        tab.get_by_label("标识").fill("river")
        tab.get_by_role("button", name="复制").click()
        text, before = tab.get_by_label("主题文件"), load_topic("flood")
        write_term(tab, "堤坝加固", "0.45", "工 程", "加固堤坝、护坡")
        write_term(tab, "洪水", "0.33", "工 程", "")
        write_term(tab, "新险情", "0.2", before.terms[-1].category, "")
        tab.get_by_label("词", exact=True).fill("暴雨")
        tab.get_by_role("button", name="去掉这个词").click()
        changed = read_topic(text.input_value().encode(), "river.toml")
        assert (changed.name, changed.title) == ("river", before.title)
        new = {"堤坝加固": (0.45, "工 程", ("加固堤坝", "护坡")), "洪水": (0.33, "工 程", ())}
        new["新险情"] = (0.2, before.terms[-1].category, ())
        old = {term.name: (term.weight, term.category, term.synonyms) for term in before.terms if term.name != "暴雨"}
        assert {term.name: (term.weight, term.category, term.synonyms) for term in changed.terms} == old | new
        assert len(old) < len(before.terms)
        tab.get_by_role("button", name="比较").click()
        expect(tab.get_by_role("button", name="采用")).to_be_visible()
        tab.get_by_role("button", name="采用").click()
        tab.get_by_text("工 程").click()
        tab.get_by_role("link", name="堤坝加固").click()
        expect(tab.get_by_label("同义的写法")).to_have_value("加固堤坝、护坡")


def write_term(tab: Page, word: str, weight: str, category: str, synonyms: str) -> None:
    fields = {"词": word, "权重，大于 0，至多 1": weight, "类别": category, "同义的写法，用顿号隔开": synonyms}
    for label, value in fields.items():
        tab.get_by_label(label, exact=True).fill(value)
    tab.get_by_role("button", name="写进去").click()
