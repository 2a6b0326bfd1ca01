"""Keys move in a list, open, label, save, search and show their help."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.features.console.browser.conftest import Console, visiting
from tests.features.workbench.topic_drafts import hold

pytestmark = pytest.mark.slow


@pytest.fixture
def tab(browser: Browser, console: Console) -> Iterator[Page]:
    with visiting(browser, console.base) as context:
        yield context.new_page()


def press(tab: Page, *keys: str) -> None:
    for key in keys:
        tab.keyboard.press(key)


def title(tab: Page, number: int) -> Locator:
    return tab.locator(".entries > li h3 a").nth(number)


def test_keys_move_open_search_and_help(tab: Page) -> None:
    tab.goto("/search")
    tab.locator("main [type=search]").blur()
    press(tab, "j", "j", "j", "k")
    expect(title(tab, 1)).to_be_focused()
    press(tab, "?")
    expect(tab.get_by_role("dialog")).to_contain_text("下一条、上一条")
    press(tab, "j", "Escape")
    expect(tab.get_by_role("dialog")).to_have_count(0)
    press(tab, "/", "j", "?")
    expect(tab.locator("main [type=search]")).to_have_value("j?")
    title(tab, 1).focus()
    name = title(tab, 1).inner_text()
    press(tab, "o")
    expect(tab.get_by_role("heading", level=1)).to_have_text(name)


def test_keys_label_the_selected_entry_and_go_on_with_the_next(tab: Page) -> None:
    tab.goto("/search?q=火灾")
    press(tab, "j", "y")
    expect(tab.get_by_role("status").filter(has_text="1 篇已标为相关。")).to_be_visible()
    expect(tab.locator(".entries > li").first).to_contain_text("已标为相关")
    expect(title(tab, 1)).to_be_focused()
    press(tab, "n")
    expect(tab.locator(".entries > li").nth(1)).to_contain_text("已标为无关")
    tab.get_by_role("button", name="撤回").click()
    expect(tab.locator(".entries > li").first).to_contain_text("已标为相关")
    expect(tab.locator(".entries")).not_to_contain_text("已标为无关")


def test_keys_label_and_save_all_that_are_checked(tab: Page) -> None:
    tab.goto("/search?q=火灾 OR 高考")
    press(tab, "j", "x", "j", "x", "j", "n")
    expect(tab.get_by_text("2 篇已标为无关。")).to_be_visible()
    expect(tab.locator(".entries .tag", has_text="已标为无关")).to_have_count(2)
    tab.get_by_role("button", name="撤回").click()
    expect(tab.get_by_text("2 篇已标为无关。")).to_have_count(0)
    press(tab, "j", "s")
    expect(tab.get_by_text("1 篇已在文集里：收藏")).to_be_visible()
    tab.get_by_role("link", name="收藏", exact=True).click()
    expect(tab.locator(".rows > li")).to_have_count(1)
    press(tab, "j", "y")
    expect(tab.locator(".rows > li .tag")).to_have_text("收")


def test_keys_decide_on_borderline_articles(tab: Page, console: Console) -> None:
    for number, name in enumerate(("幼儿园秋季招生网上登记", "校车新路线本周试运行")):
        hold(console.engine, f"http://held{number}.cn/1", name, f"{name}，老师和家长都说好。" * 9)
    tab.goto("/topics/education")
    rows = tab.locator("#borderline .rows > li")
    expect(rows).to_have_count(2)
    left = rows.nth(1).inner_text().splitlines()[0]
    press(tab, "n", "y")  # of nothing
    expect(rows).to_have_count(2)
    expect(tab).to_have_url(re.compile("/topics/education$"))
    press(tab, "j", "n")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text(left)
    expect(rows.first).to_be_focused()
    press(tab, "y")
    expect(rows).to_have_count(0)


def test_keys_check_the_pages_of_an_event(tab: Page) -> None:
    tab.goto("/events/4")
    press(tab, "j", "j", "x")
    expect(tab.locator(".chain > li").nth(1).get_by_role("checkbox")).to_be_checked()
    expect(tab.locator(".chain > li").first.get_by_role("checkbox")).not_to_be_checked()


def test_keys_can_be_switched_off(tab: Page) -> None:
    tab.goto("/search?q=火灾")
    tab.get_by_role("button", name="快捷键").click()
    tab.get_by_label("用快捷键").uncheck()
    tab.get_by_role("button", name="关闭").click()
    press(tab, "j")
    expect(title(tab, 0)).not_to_be_focused()
    press(tab, "?")
    tab.get_by_label("用快捷键").check()
    press(tab, "Escape", "j")
    expect(title(tab, 0)).to_be_focused()
