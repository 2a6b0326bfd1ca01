

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from newsspider.core.fetching.traps import (
    FETCHED_ONE_IN,
    SITE,
    Budget,
    PatternAccount,
    account_after_page,
    has_brought,
    has_suffix,
    reason_text,
    refused_by,
    trap_of,
)
from newsspider.core.model import Reason
from tests.support.tables import each

TODAY = date(2024, 5, 17)
A = "http://example.com/"

BUDGET = Budget(fetches=20, site_fetches=200, retry_seconds=900)
NEWS, FIND = "a.cn/news/#.html", "a.cn/find?*"
NOW = 1_000_000.0


@each(
    ("url", "word"),
    [
        (A + "a" * 2000, "characters"),
        (A + "a/b/c/d/e/f/g/h/i/j/k/l/m", "segments"),
        (A + "news/x/news/y/news/z/news/", "repeats"),
        (A + "list?" + "&".join(f"p{i}=1" for i in range(13)), "parameters"),
        (A + "calendar?year=2199&month=1", "calendar"),
        (A + "calendar?date=1901-05-01", "calendar"),
        (A + "cal?ym=203001", "calendar"),
        (A + "?m=20310501", "calendar of the year 2031"),  # WordPress
        (A + "cal?view=month&date=2031-5-1", "calendar of the year 2031"),
        (A + "cal?date=2031%2F05%2F01", "calendar of the year 2031"),
    ],
)
def test_endless_rooms_are_traps_with_a_reason(url: str, word: str) -> None:
    assert word in (trap_of(url, TODAY) or "")


@each(
    "url",
    [
        A,
        A + "jyxw/202405/t20240517_1131.html?from=list",
        A + "2024/2024/2024/1.html",
        A + "calendar?year=2024&month=6",
        A + "calendar?year=2025&month=1",
        A + "book?year=1901&id=7",
        A + "calendar?day=17",
        A + "news.asp?view=1523",  # numbers of articles
        A + "news.asp?view=1985",
        A + "news.asp?d=152345",
        A + "news.asp?D=12345678",
        A + "news.asp?m=17031234",
    ],
)
def test_urls_of_written_pages_are_not_traps(url: str) -> None:
    assert trap_of(url, TODAY) is None


def test_suffixes_are_those_of_the_path_in_any_case() -> None:
    suffixes = frozenset({"jpg", "zip"})
    assert has_suffix(A + "a.JPG?x=1", suffixes)
    assert not has_suffix(A + "a.html?file=b.jpg", suffixes)
    assert not has_suffix(A + "jpg", suffixes)


def account_of(pages: str, pattern: str = NEWS, account: PatternAccount | None = None, now: float = NOW) -> PatternAccount:
    """The account after these pages: ``+`` brought something, ``-`` did not."""
    account = account or PatternAccount()
    for page in pages:
        account = account_after_page(account, pattern, page == "+", now, BUDGET)
    return account


@each(
    ("reason", "status", "repeated", "expected"),
    [
        (Reason.STORED, 200, False, True),
        (Reason.OFF_TOPIC, 200, False, True),  # a list of mostly other articles is no trap
        (Reason.OFF_TOPIC, 200, True, False),
        (Reason.DUPLICATE, 200, False, True),  # a reprint of what another site has
        (Reason.DUPLICATE, 200, True, False),  # one text under ever new URLs
        (Reason.JOINED, 200, False, True),
        (Reason.NOT_AN_ARTICLE, 200, False, False),
        (Reason.CONTENT_TYPE, 200, False, False),
        (Reason.UNREADABLE, 200, False, False),
        (Reason.HTTP_STATUS, 404, False, False),
        (Reason.HTTP_STATUS, 403, False, False),
        (Reason.HTTP_STATUS, 502, False, None),  # the host is at fault and not its URLs
        (Reason.TIMEOUT, None, False, None),
        (Reason.RETRY, 200, False, None),
        (Reason.REDIRECT, 301, False, None),  # its targets have patterns of their own
        (Reason.ROBOTS, None, False, None),
        (Reason.DROPPED, 200, False, None),
    ],
)
def test_what_a_page_brought(reason, status, repeated, expected):
    assert has_brought(reason, status, repeated=repeated) is expected


def test_a_redirect_that_is_not_followed_brought_nothing():
    assert has_brought(Reason.REDIRECT, 302, leads=False) is False


def test_a_pattern_that_brings_nothing_is_spent_after_its_budget_and_a_wider_one_after_twice_as_much():
    assert account_of("-" * 19).spent_at is None
    assert account_of("-" * 20).spent_at == NOW
    assert account_of("-" * 39, FIND).spent_at is None
    assert account_of("-" * 40, FIND).spent_at == NOW
    assert account_of("-" * 200, SITE).spent_at == NOW


@given(st.lists(st.integers(0, 19), min_size=1, max_size=60))
def test_a_pattern_of_which_every_twentieth_page_is_an_article_is_never_spent(gaps):
    account = PatternAccount()
    for gap in gaps:
        account = account_of("-" * gap + "+", account=account)
        assert account.spent_at is None


@given(st.text("+-", max_size=300))
def test_what_is_wasted_is_in_proportion_to_what_was_brought(pages):
    account = PatternAccount()
    fetched = ""
    for page in pages:
        if account.spent_at is not None:
            break
        account, fetched = account_of(page, account=account), fetched + page
    assert account.wasted == fetched.count("-") <= BUDGET.fetches * (1 + fetched.count("+"))
    assert len(fetched) - len(fetched.rstrip("-")) <= 1.5 * BUDGET.fetches


def test_a_spent_pattern_is_tried_again_after_ever_longer_and_is_whole_when_that_brings_something():
    account = account_of("-" * 20)
    waits = []
    for _ in range(12):
        assert account.retry_at is not None
        now = account.retry_at
        account = account_of("-", account=account, now=now)
        assert account.retry_at is not None
        waits.append(account.retry_at - now)
    assert waits[:3] == [1800, 3600, 7200]
    assert waits[-1] == 86_400
    account = account_of("+" * 2, account=account)
    assert (account.spent_at, account.retry_at, account.tries, account.holds) == (None, None, 0, True)


def test_a_trap_costs_one_fetch_a_day_in_the_end():
    account, now = account_of("-" * 20), NOW
    while account.retry_at is not None and account.retry_at < NOW + 14 * 86_400:
        now = account.retry_at
        account = account_of("-", account=account, now=now)
    assert account.wasted <= 20 + 7 + 14


def spent(pattern: str) -> PatternAccount:
    return account_of("-" * BUDGET.allowed(pattern), pattern)


def refused(url: str, accounts: dict[str, PatternAccount], key: int = 1) -> str | None:
    return refused_by(BUDGET.accounts_of(url), accounts, key)


def test_the_url_of_a_spent_pattern_is_refused_and_others_are_not():
    accounts = {NEWS: spent(NEWS)}
    assert refused("http://a.cn/news/17.html", accounts) == NEWS
    assert refused("http://a.cn/edu/17.html", accounts) is None
    assert refused("http://a.cn/news/17.html", {}) is None


def test_the_page_that_a_spent_pattern_is_tried_with_is_fetched():
    accounts = {NEWS: PatternAccount(20, 20, spent_at=NOW, probe=7)}
    assert refused("http://a.cn/news/17.html", accounts, key=7) is None
    assert refused("http://a.cn/news/17.html", accounts, key=8) == NEWS


def test_a_wide_pattern_refuses_new_facets_but_no_url_of_a_pattern_that_yields():
    accounts = {FIND: spent(FIND), "a.cn/find?id": account_of("+-")}
    assert refused("http://a.cn/find?color=red&size=2", accounts) == FIND
    assert refused("http://a.cn/find?id=17", accounts) is None


def test_of_a_throttled_site_only_what_yields_is_fetched_and_a_share_of_the_rest():
    accounts = {SITE: account_of("-" * 200, SITE), NEWS: account_of("+")}
    assert not accounts[SITE].quarantined
    assert refused("http://a.cn/news/17.html", accounts) is None
    verdicts = [refused("http://a.cn/x/17.html", accounts, key) for key in range(-80, 80)]
    assert verdicts.count(None) == 160 // FETCHED_ONE_IN
    assert set(verdicts) == {None, SITE}


def test_of_a_quarantined_site_nothing_is_fetched_but_the_page_that_it_is_tried_with():
    accounts = {SITE: account_of("-" * 400, SITE), NEWS: account_of("+")}
    assert accounts[SITE].quarantined
    assert {refused("http://a.cn/news/17.html", accounts, key) for key in range(16)} == {SITE}
    accounts = {SITE: PatternAccount(400, 400, spent_at=NOW, probe=3, quarantined=True)}
    assert refused("http://a.cn/news/17.html", accounts, 3) is None


def test_a_site_that_yields_one_page_in_ten_is_never_throttled():
    assert account_of(("-" * 10 + "+") * 300, SITE).spent_at is None


def test_one_more_article_changes_nothing_of_an_account_that_paid_in_advance():
    once = account_of("+")
    assert account_of("+", account=once) == once
    assert account_of("-", account=once) != once


def test_people_are_told_the_pattern():
    assert NEWS in reason_text(NEWS)
    assert "site" in reason_text(SITE)

