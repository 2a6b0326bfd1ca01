"""Which pages have a budget: those that a watched site makes known, at their first fetch."""

from dataclasses import replace

import pytest
from scrapy.settings import Settings

from newsspider.core.crawling.visit import Lease
from newsspider.core.fetching.traps import Budget, PatternAccount
from newsspider.core.model import PageType, Reason, State
from newsspider.crawl.crawl_sites import CrawlSites, SiteKnowledge, WatchedScope
from newsspider.crawl.trap_budgets import TrapBudgets
from newsspider.features.explore.rules.strategy_names import make_strategy
from newsspider.features.explore.scope import ExploreScope
from newsspider.store.engine.clock import Clock

LEASE = Lease(1, "http://a.cn/news/17.html", "a.cn", PageType.ARTICLE, "站", "要闻", 2, "", 0, 1, 60.0, 0.0)
VALUES = {"TRAP_FETCHES": 3, "TRAP_SITE_FETCHES": 30, "TRAP_RETRY_SECONDS": 60, "LEDGER_WATCH_SECONDS": 5}
SPENT = {"站": {"a.cn/news/#.html": PatternAccount(3, 3, spent_at=1.0)}}


def budgets(**values: object) -> TrapBudgets:
    """The budgets of two watched sites, one of which has spent a pattern."""
    sites = CrawlSites(WatchedScope(None), SiteKnowledge(learns_boilerplate=True))
    sites.replace(dict.fromkeys(("站", "别站")))  # type: ignore[arg-type]
    trap_budgets = TrapBudgets(Settings({**VALUES, **values}), None, sites, Clock())  # type: ignore[arg-type]
    trap_budgets.accounts = SPENT
    return trap_budgets


def test_a_page_of_a_watched_site_has_the_budget_of_the_settings() -> None:
    assert budgets().of(LEASE) == Budget(3, 30, 60.0)


@pytest.mark.parametrize(
    "change",
    [
        {"kind": PageType.LIST}, {"kind": PageType.ROBOTS}, {"update_cycle": 60.0}, {"fetch_count": 1}, {"stored_at": 0.0},
        {"channel": "submitted"}, {"site": ""},
    ],
    ids=str,
)  # fmt: skip
def test_lists_known_pages_and_submitted_pages_have_no_budget_and_are_fetched(change: dict[str, object]) -> None:
    lease = replace(LEASE, **change)  # type: ignore[arg-type]
    assert budgets().of(lease) is None
    assert budgets().skip(lease) is None


def test_a_page_of_a_spent_pattern_is_set_aside_and_others_are_not() -> None:
    result = budgets().skip(LEASE)
    assert result is not None
    settled = result.settlement
    assert (settled.state, settled.reason, settled.fetched_at, settled.due_at) == (State.DONE, Reason.TRAP, None, None)
    assert settled.detail == "too many pages like a.cn/news/#.html brought nothing"
    assert budgets().skip(replace(LEASE, url="http://a.cn/edu/17.html")) is None
    assert budgets().skip(replace(LEASE, site="别站")) is None


def test_without_budgets_nothing_is_set_aside() -> None:
    assert budgets(TRAP_FETCHES=0).of(LEASE) is None
    assert budgets(TRAP_FETCHES=0).skip(LEASE) is None


LED_TO = replace(LEASE, url="http://a.cn/map7.xml", kind=PageType.SITEMAP, hops=1)


def test_lists_to_which_a_list_led_have_a_budget_until_they_were_read() -> None:
    trap_budgets = budgets()
    trap_budgets.accounts = {"站": {"lists a.cn/map#.xml": PatternAccount(3, 3, spent_at=1.0)}}
    result = trap_budgets.skip(LED_TO)
    assert result is not None
    assert result.settlement.detail == "too many lists like a.cn/map#.xml showed nothing new"
    assert trap_budgets.skip(replace(LED_TO, fetch_count=1)) is None
    assert trap_budgets.skip(replace(LED_TO, update_cycle=60.0)) is None
    assert trap_budgets.skip(replace(LED_TO, kind=PageType.ARTICLE)) is None


def test_an_explore_crawl_has_the_budgets_of_its_domains_and_always_asks_for_its_seeds() -> None:
    scope = ExploreScope("explore:x", make_strategy("fish"))
    sites = CrawlSites(scope, SiteKnowledge(learns_boilerplate=True))
    trap_budgets = TrapBudgets(Settings(VALUES), None, sites, Clock())  # type: ignore[arg-type]
    lease = replace(LEASE, url="http://www.a.cn/news/17.html", site="explore:x", channel="explore", update_cycle=60.0)
    trap_budgets.accounts = {"explore:x a.cn": {"www.a.cn/news/#.html": PatternAccount(3, 3, spent_at=1.0)}}
    assert trap_budgets.skip(lease) is not None
    assert trap_budgets.skip(replace(lease, depth=0)) is None
    assert trap_budgets.skip(replace(lease, url="http://www.b.cn/news/17.html")) is None
