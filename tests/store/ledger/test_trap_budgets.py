"""What the pages of a pattern bring decides whether others of it are fetched; nothing that is refused is lost."""

import itertools
from dataclasses import replace

import pytest
from sqlalchemy import text

from newsspider.core.crawling.visit import PageResult, Settlement
from newsspider.core.fetching.traps import SITE, Budget, idle_of, reason_text
from newsspider.core.model import Link, LinkKind, PageType, Reason, State
from newsspider.core.scheduling.article_revisits import FIRST_SECONDS
from newsspider.core.url import crawl_key, url_key
from newsspider.store import ledger, pages
from newsspider.store.ledger import queues, rechecks, trap_budgets
from newsspider.store.url_history import forget_url
from tests.support.explored import Crawl
from tests.support.samples import NOW, POLLED, STORED, article, claimed, lease_on, links, offer, row

BUDGET = Budget(fetches=3, site_fetches=30, retry_seconds=60)
NONE = Settlement(State.DONE, Reason.NOT_AN_ARTICLE, status=200, fetched_at=NOW)
OFF_TOPIC = Settlement(State.DONE, Reason.OFF_TOPIC, status=200, fetched_at=NOW, topic="education")
PATTERN = "a.cn/news/#.html"
WIDE = "a.cn/find?*"

numbers = itertools.count(1000)  # above those that tests name


def fetched(conn, url, settlement=NONE, record=None, now=NOW, site="站", budget=BUDGET, **values):
    """Save the first fetch of this URL."""
    lease = lease_on(conn, url, now, site=site)
    result = PageResult(lease, replace(settlement, fetched_at=now), record, effects=(budget,) if budget else (), **values)
    return pages.save(conn, result, now)


def wasted(conn, url, n=3, now=NOW):
    return [fetched(conn, url.format(next(numbers)), now=now) for _ in range(n)]


def stored(conn, url, body=None, now=NOW, site="站"):
    return fetched(conn, url, STORED, article(url, body or f"正文第{next(numbers)}篇", site=site), now, site)


def account(conn, pattern=PATTERN, site="站"):
    query = text("SELECT * FROM url_patterns WHERE site = :site AND pattern = :pattern")
    return conn.execute(query, {"site": site, "pattern": pattern}).one()


def refuse(conn, url, now=NOW, pattern=PATTERN):
    """Make known a URL that is refused because of a pattern."""
    ledger.offer(conn, [offer(url, site="站", refused=Reason.TRAP, detail=reason_text(pattern))], now)


def looked_at(conn, now=NOW):
    return trap_budgets.probe_due(conn, {"站"}, BUDGET, now)


def test_a_pattern_that_brings_nothing_is_spent_and_whoever_saves_the_page_is_told(conn):
    saved = wasted(conn, "http://a.cn/news/{}.html")
    assert [page.budgets for page in saved] == [False, False, True]
    record = account(conn)
    assert (record.wasted, record.debt, record.spent_at, record.retry_at, bool(record.yielded)) == (3, 3, NOW, NOW + 60, False)
    assert set(looked_at(conn)["站"]) == {PATTERN}


def test_every_page_counts_for_its_pattern_for_wider_ones_and_for_its_site(conn):
    fetched(conn, "http://a.cn/edu/find/17?area=3&size=2")
    rows = conn.execute(text("SELECT pattern, debt FROM url_patterns")).all()
    assert sorted(map(tuple, rows)) == [("", 1), ("a.cn/edu/**", 1), ("a.cn/edu/find/#?*", 1), ("a.cn/edu/find/#?area&size", 1)]


def test_articles_off_topic_are_worth_their_fetches_but_one_text_under_new_urls_is_not(conn):
    for n in range(9):
        fetched(conn, f"http://a.cn/news/{n}.html", replace(OFF_TOPIC, body_hash=f"body{n}"))
    assert account(conn).wasted == 0
    for n in range(9):
        fetched(conn, f"http://a.cn/read/{n}.html", replace(OFF_TOPIC, body_hash="the same"))
    assert account(conn, "a.cn/read/#.html").wasted == 8


def test_what_other_sites_have_too_is_worth_its_fetch_but_what_the_site_itself_has_is_not(conn):
    stored(conn, "http://b.cn/1", "教育部今天发布通知", site="别站")
    saved = stored(conn, "http://a.cn/news/1.html", "教育部今天发布通知")
    assert saved.reason is Reason.DUPLICATE
    assert account(conn).wasted == 0
    stored(conn, "http://a.cn/news/2.html", "教育部今天发布通知")
    assert account(conn).wasted == 1


def test_of_one_text_under_ever_new_urls_two_are_kept_and_one_of_the_others_is_asked_again(conn):
    for n in range(4):
        due = replace(STORED, due_at=NOW + 3600)
        url = f"http://a.cn/s-{n}ab{n}cd/news/1.html"
        fetched(conn, url, due, article(url, "教育部今天发布通知"), NOW + n)
    fetched(conn, "http://a.cn/edu/9.html", due, article("http://a.cn/edu/9.html", "教育部今天发布通知"))
    rows = conn.execute(text("SELECT url, reason, due_at FROM urls ORDER BY url")).all()  # /edu, then /s-0 to /s-3
    assert [row.due_at for row in rows] == [NOW + 3600, NOW + 3600, NOW + 3600, NOW + 2 + FIRST_SECONDS, None]
    assert [row.reason for row in rows] == ["duplicate", "stored", *["duplicate"] * 3]
    assert conn.execute(text("SELECT count(*) FROM article_urls")).scalar() == 3


def test_a_page_without_a_budget_counts_for_nothing(conn):
    fetched(conn, "http://a.cn/news/1.html", budget=None)
    assert conn.execute(text("SELECT count(*) FROM url_patterns")).scalar() == 0


def test_a_page_that_was_not_asked_for_counts_for_nothing(conn):
    lease = lease_on(conn, "http://a.cn/news/1.html", site="站")
    pages.save(conn, PageResult(lease, Settlement(State.DONE, Reason.TRAP), effects=(BUDGET,)), NOW)
    assert conn.execute(text("SELECT count(*) FROM url_patterns")).scalar() == 0


def test_of_a_spent_pattern_the_newest_refused_url_is_tried_again_alone(conn):
    wasted(conn, "http://a.cn/news/{}.html")
    for n in (71, 72, 73):
        refuse(conn, f"http://a.cn/news/{n}.html", NOW + n)
    assert looked_at(conn, NOW + 59)["站"][PATTERN].probe is None
    assert looked_at(conn, NOW + 61)["站"][PATTERN].probe == url_key("http://a.cn/news/73.html")
    waiting = [row(conn, f"http://a.cn/news/{n}.html").state for n in (71, 72, 73)]
    assert waiting == ["done", "done", "waiting"]
    assert looked_at(conn, NOW + 62)["站"][PATTERN].probe == url_key("http://a.cn/news/73.html")
    assert row(conn, "http://a.cn/news/72.html").state == "done"
    lease = lease_on(conn, "http://a.cn/news/73.html", NOW + 80)
    pages.save(conn, PageResult(lease, replace(NONE, fetched_at=NOW + 80), effects=(BUDGET,)), NOW + 80)
    assert (account(conn).tries, account(conn).retry_at, account(conn).probe) == (1, NOW + 80 + 120, None)


def test_a_pattern_that_yields_again_gets_its_refused_urls_back_as_it_can_afford_them(conn):
    wasted(conn, "http://a.cn/news/{}.html")
    refused = [f"http://a.cn/news/{n}.html" for n in range(101, 109)]
    for n, url in enumerate(refused):
        refuse(conn, url, NOW + n)
    looked_at(conn, NOW + 61)
    states = []
    for n in range(len(refused)):
        states.append(sum(row(conn, address).state == "waiting" for address in refused))
        conn.execute(text("UPDATE hosts SET next_at = 0"))
        (lease,) = claimed(conn, 1, NOW + 70 + n)
        record = article(lease.url, f"回来的第{n}篇")
        pages.save(conn, PageResult(lease, replace(STORED, fetched_at=NOW + 70 + n), record, effects=(BUDGET,)), NOW + 70 + n)
    assert states[:4] == [1, 3, 5, 5]
    assert {row(conn, url).state for url in refused} == {"done"}
    spent = account(conn)
    assert (spent.spent_at, bool(spent.holds), bool(spent.yielded)) == (None, False, True)
    assert {row(conn, url).reason for url in refused} == {"stored"}


def test_a_url_that_comes_back_is_claimed(conn):
    wasted(conn, "http://a.cn/news/{}.html")
    refuse(conn, "http://a.cn/news/73.html")
    looked_at(conn, NOW + 61)
    conn.execute(text("UPDATE hosts SET next_at = 0"))
    queues.refresh(conn, ["a.cn"])
    assert [lease.url for lease in claimed(conn, now=NOW + 62)] == ["http://a.cn/news/73.html"]


def test_a_site_that_wastes_all_over_is_throttled_then_quarantined_and_can_be_released(conn):
    for n in range(60):
        fetched(conn, f"http://a.cn/{chr(97 + n % 20)}xx/{n}.html")
        if n == 29:
            assert (account(conn, SITE).spent_at, bool(account(conn, SITE).quarantined)) == (NOW, False)
    assert account(conn, SITE).quarantined
    refuse(conn, "http://a.cn/yyy/99.html", pattern=SITE)
    (whole, *others) = trap_budgets.spent(conn, "站")
    assert (whole["pattern"], bool(whole["quarantined"]), whole["wasted"]) == (SITE, True, 60)
    assert len(others) == 20
    assert trap_budgets.spent(conn, "别站") == []
    assert len(trap_budgets.spent(conn, most=5)) == 5
    assert trap_budgets.forget(conn, "站", NOW + 5) == 1
    assert (row(conn, "http://a.cn/yyy/99.html").state, row(conn, "http://a.cn/yyy/99.html").due_at) == ("waiting", NOW + 5)
    assert trap_budgets.spent(conn) == []


def test_what_a_narrow_pattern_yields_is_told_beside_the_spent_ones(conn):
    stored(conn, "http://a.cn/show?id=1")
    for n in range(80):
        fetched(conn, f"http://a.cn/show?{'ab'[n % 2]}{n % 7}x=1&{'cd'[n % 2]}={n}")
    accounts = looked_at(conn)["站"]
    assert accounts["a.cn/show?id"].yielded
    assert accounts["a.cn/show?*"].spent_at is not None


def test_what_was_refused_for_a_wide_pattern_comes_back_when_its_own_yields(conn):
    for n in range(6):
        fetched(conn, f"http://a.cn/find?{'abcdef'[n]}=1")
    for url in ("http://a.cn/find?id=7", "http://a.cn/find?id=8", "http://a.cn/find?z=8"):
        refuse(conn, url, pattern=WIDE)
    for n in range(6):  # it owes more than one article pays for
        fetched(conn, f"http://a.cn/find?{'ghijkl'[n]}=1")
    stored(conn, "http://a.cn/find?id=1", now=NOW + 1)
    assert account(conn, WIDE).spent_at is not None
    assert [row(conn, f"http://a.cn/find?{query}").state for query in ("id=7", "id=8", "z=8")] == ["waiting", "waiting", "done"]


def test_a_list_of_which_all_links_are_refused_is_paged_no_further(conn):
    urls = ["http://a.cn/x/1.html", "http://a.cn/x/2.html"]
    traps = [offer(url, refused=Reason.TRAP, detail=reason_text("a.cn/x/#.html")) for url in urls]
    lease = lease_on(conn, "http://a.cn/list", kind=PageType.LIST, site="站", channel="要闻")
    further = offer("http://a.cn/list2", kind=PageType.LIST, fresh_only=True)
    saved = pages.save(conn, PageResult(lease, POLLED, links=links(urls), offers=(*traps, further)), NOW)
    assert saved.offered == 0
    assert conn.execute(text("SELECT count(*) FROM urls WHERE url = 'http://a.cn/list2'")).scalar() == 0
    good = Link("http://a.cn/y/1.html", "教育新闻一则", LinkKind.ARTICLE)
    lease = lease_on(conn, "http://a.cn/list", NOW + 9, kind=PageType.LIST, site="站", channel="要闻")
    result = PageResult(lease, replace(POLLED, fetched_at=NOW + 9), links=(*links(urls), good), offers=(*traps, offer(good.url), further))
    assert pages.save(conn, result, NOW + 9).offered == 2


def test_articles_of_a_pattern_that_yields_change_no_account_of_it(conn):
    stored(conn, "http://a.cn/news/1.html")
    old_account = account(conn)
    stored(conn, "http://a.cn/news/77.html")
    assert account(conn) == old_account


def test_all_that_showed_one_text_are_asked_again_once_one_of_them_shows_another(conn):
    urls = [f"http://a.cn/s-{n}ab{n}cd/news/1.html" for n in range(5)]
    for n, url in enumerate(urls):
        fetched(conn, url, STORED, article(url, "网站今天升级"), NOW + n)
    lease = lease_on(conn, urls[2], NOW + 2000, site="站")
    assert lease.revisit
    result = PageResult(lease, replace(STORED, fetched_at=NOW + 2000), article(urls[2], "教育部今天发布通知"))
    pages.save(conn, result, NOW + 2000)
    due = conn.execute(text("SELECT url FROM urls WHERE due_at <= :now"), {"now": NOW + 2000}).scalars().all()
    assert sorted(due) == urls[3:]
    rechecks.cancel_rechecks(conn, lease)
    assert not rechecks.crowded(conn, lease, urls[0])


SESSIONS = "a.cn/s/{}/#.html"


def sessions(conn, *numbers, address="http://a.cn/s/id{}/{}.html", settled=None, now=NOW):
    """Fetch these pages, which one list shows, each under its own session id; they are stored as articles unless ``settled`` is given."""
    urls = [address.format(next(session_ids), n) for n in numbers]
    shows = lease_on(conn, "http://a.cn/list", now, kind=PageType.LIST, site="站")
    offers = tuple(offer(url, site="站", parent=shows.key) for url in urls)
    list_links = tuple(Link(url, "题", LinkKind.ARTICLE) for url in urls)
    pages.save(conn, PageResult(shows, POLLED, links=list_links, offers=offers), now)
    for n, url in zip(numbers, urls, strict=True):
        if settled is None:
            stored(conn, url, f"正文{n}", now=now)
        else:
            fetched(conn, url, replace(settled, body_hash=f"body{n}"), now=now)


session_ids = itertools.count(100)


def refused_at(conn, url):
    """The pattern with a place because of which this URL would not be fetched."""
    accounts = looked_at(conn).get("站", {})
    questions = [(url_key(url), "站", name, bare) for name, bare in idle_of(url, accounts, url_key(url))]
    return trap_budgets.read_before(conn, questions).get(url_key(url))


def test_a_part_of_no_matter_is_found_by_texts_that_were_read_under_urls_without_it(conn):
    sessions(conn, *range(10))
    assert conn.execute(text("SELECT count(*) FROM url_equivalences")).scalar() == 0
    sessions(conn, 1, 2)
    assert refused_at(conn, "http://a.cn/s/id9/1.html") is None
    sessions(conn, 3)
    assert (account(conn, SESSIONS).wasted, account(conn, SESSIONS).spent_at) == (3, NOW)
    assert account(conn, "a.cn/s/id#/#.html").spent_at is None, "the others are read"
    refused = [refused_at(conn, f"http://a.cn/s/id9/{n}.html") for n in (1, 3, 7, 99)]
    assert refused == [SESSIONS] * 3 + [None], "the seventh was read before anything was known of the place"
    assert refused_at(conn, "http://a.cn/x/id9/1.html") is None
    sessions(conn, 99)
    assert refused_at(conn, "http://a.cn/s/id9/99.html") == SESSIONS, "it was read once"


def test_texts_off_topic_tell_of_a_part_of_no_matter_too(conn):
    for numbers in (range(6), (1, 2, 3)):
        sessions(conn, *numbers, settled=OFF_TOPIC)
    assert refused_at(conn, "http://a.cn/s/id9/4.html") == SESSIONS


def test_a_part_that_matters_after_all_lets_what_was_refused_wait_again(conn):
    sessions(conn, *range(6))
    sessions(conn, 1, 2, 3)
    url = "http://a.cn/s/id9/4.html"
    refuse(conn, url, pattern=SESSIONS)
    stored(conn, "http://a.cn/s/id8/5.html", "另一篇正文", now=NOW + 1)
    assert account(conn, SESSIONS).spent_at is None
    assert (row(conn, url).state, row(conn, url).reason) == (State.WAITING, Reason.FOUND)


def test_one_page_of_a_place_that_was_spent_is_tried_again(conn):
    sessions(conn, *range(6))
    sessions(conn, 1, 2, 3)
    url = "http://a.cn/s/id9/4.html"
    refuse(conn, url, pattern=SESSIONS)
    assert refused_at(conn, url) == SESSIONS
    looked_at(conn, NOW + 60)
    assert refused_at(conn, url) is None
    assert row(conn, url).state == State.WAITING


def test_a_part_of_no_matter_is_found_in_an_explore_crawl_too_and_one_page_is_tried_again(conn):
    crawl, budget = Crawl(conn, "explore:x"), replace(BUDGET, by_domain=True)
    for numbers in (range(6), (1, 2, 3)):
        pages = {f"http://a.cn/s/id{next(session_ids)}/{n}.html": n for n in numbers}
        crawl.page("http://a.cn/list", links=links(pages))
        for url, n in pages.items():
            new_offer = offer(url, site="explore:x", parent=crawl_key("explore:x", "http://a.cn/list"))
            ledger.offer(conn, [replace(new_offer, key=crawl_key("explore:x", url))], NOW)
            crawl.page(url, replace(STORED, kind=PageType.ARTICLE), article=article(url, f"正文{n}"), effects=(budget,))
    assert trap_budgets.probe_due(conn, {"explore:x"}, budget, NOW)["explore:x"][SESSIONS].spent_at == NOW
    url = "http://a.cn/s/id9/4.html"
    refused = replace(offer(url, site="explore:x", refused=Reason.TRAP, detail=reason_text(SESSIONS)), key=crawl_key("explore:x", url))
    ledger.offer(conn, [refused], NOW)
    accounts = trap_budgets.probe_due(conn, {"explore:x"}, budget, NOW + 60)["explore:x"]
    assert accounts[SESSIONS].probe == refused.key
    claimed = [(7, "explore:x", name, bare) for name, bare in idle_of("http://a.cn/s/id99/3.html", accounts, 7)]
    assert trap_budgets.read_before(conn, claimed) == {7: SESSIONS}


@pytest.mark.parametrize("listed", [True, False])
def test_urls_of_one_folder_are_not_taken_for_one_page_because_some_of_them_show_one_text(conn, listed):
    for n in range(30):
        if listed:
            sessions(conn, n % 25, address="http://a.cn/2024/{0}.html")
        else:
            stored(conn, f"http://a.cn/2024/{n}.html", f"正文{n % 25}")
    assert refused_at(conn, "http://a.cn/2024/9999.html") is None


def test_a_page_that_was_not_there_is_read_under_another_session_id(conn):
    sessions(conn, *range(6))
    sessions(conn, 1, 2, 3)
    fetched(conn, "http://a.cn/s/id8/77.html", replace(NONE, reason=Reason.HTTP_STATUS, status=404))
    assert refused_at(conn, "http://a.cn/s/id9/77.html") is None


def test_a_forgotten_article_is_read_again_whatever_its_session_id(conn):
    sessions(conn, *range(6))
    sessions(conn, 1, 2, 3)
    first = conn.execute(text("SELECT url FROM urls WHERE url LIKE '%/4.html'")).scalar()
    assert refused_at(conn, "http://a.cn/s/id9/4.html") == SESSIONS
    assert forget_url(conn, url_key(first))
    assert refused_at(conn, "http://a.cn/s/id9/4.html") is None


LISTS_LIKE = "lists a.cn/map#.xml"


def listed(conn, url, targets=(), now=NOW):
    """Save the first fetch of a page to which a list led in its stead, and which shows these links."""
    lease = lease_on(conn, url, now, kind=PageType.SITEMAP, site="站", channel="要闻")
    targets = tuple(Link(target, "题", LinkKind.ARTICLE) for target in targets)
    return pages.save(conn, PageResult(lease, replace(POLLED, fetched_at=now), links=targets, effects=(BUDGET,)), now)


def test_lists_that_show_nothing_new_are_spent_and_cost_no_article(conn):
    saved = [listed(conn, f"http://a.cn/map{n}.xml", ["http://a.cn/map9.xml"]) for n in range(4)]
    assert [page.budgets for page in saved] == [True, False, False, False], "the first one yields"
    for n in range(4, 7):
        listed(conn, f"http://a.cn/map{n}.xml", ["http://a.cn/map9.xml"])
    assert (account(conn, LISTS_LIKE).wasted, account(conn, LISTS_LIKE).spent_at, account(conn, "lists ").wasted) == (6, NOW, 6)
    assert conn.execute(text("SELECT count(*) FROM url_patterns WHERE pattern NOT LIKE 'lists %'")).scalar() == 0


def test_lists_that_were_refused_come_back_once_one_of_them_shows_something_new(conn):
    for n in range(3):
        listed(conn, f"http://a.cn/map{n}.xml")
    assert account(conn, LISTS_LIKE).spent_at == NOW
    ledger.offer(
        conn,
        [
            offer(
                "http://a.cn/map77.xml", site="站", kind=PageType.SITEMAP, refused=Reason.TRAP, detail=reason_text(LISTS_LIKE)
            )
        ],
        NOW,
    )
    assert looked_at(conn, NOW + 61)["站"][LISTS_LIKE].probe == url_key("http://a.cn/map77.xml")
    assert row(conn, "http://a.cn/map77.xml").state == "waiting"


def test_a_list_that_was_refused_is_not_due_again_when_it_is_shown_again(conn):
    child = offer("http://a.cn/map7.xml", site="站", kind=PageType.SITEMAP, refused=Reason.TRAP, detail=reason_text(LISTS_LIKE))
    ledger.offer(conn, [child], NOW)
    ledger.offer(conn, [replace(child, refused=None, detail="", due_at=NOW + 9, again_before=NOW + 9)], NOW + 9)
    assert (row(conn, child.url).reason, row(conn, child.url).due_at) == ("trap", None)


def test_framesets_of_framesets_bring_nothing(conn):
    led = tuple(offer(f"http://a.cn/f/{n}", site="站") for n in range(3))
    for hops, expected in ((0, 0), (1, 0), (2, 1)):
        lease = replace(lease_on(conn, f"http://a.cn/f{hops}/x.html", site="站"), hops=hops)
        moved = Settlement(State.DONE, Reason.REDIRECT, status=200, fetched_at=NOW)
        pages.save(conn, PageResult(lease, moved, offers=led, effects=(BUDGET,)), NOW)
        assert conn.execute(text("SELECT COALESCE(sum(wasted), 0) FROM url_patterns WHERE pattern = ''")).scalar() == expected


def test_every_domain_of_an_explore_crawl_has_accounts_of_its_own(conn):
    budget = replace(BUDGET, by_domain=True)
    for url in ("http://a.cn/x/1.html", "http://www.a.cn/x/1.html", "http://b.cn/x/1.html"):
        fetched(conn, url, site="explore:x", budget=budget)
    rows = conn.execute(text("SELECT site, pattern, debt FROM url_patterns")).all()
    assert {row for row in map(tuple, rows) if "/" not in row[1]} == {("explore:x a.cn", "a.cn", 2), ("explore:x b.cn", "b.cn", 1)}
    for n in (2, 3):
        fetched(conn, f"http://a.cn/x/{n}.html", site="explore:x", budget=budget)
    assert set(trap_budgets.probe_due(conn, {"explore:x"}, budget, NOW)) == {"explore:x a.cn"}
    assert trap_budgets.probe_due(conn, {"站"}, BUDGET, NOW) == {}
    refused = offer("http://a.cn/x/77.html", site="explore:x", refused=Reason.TRAP, detail=reason_text("a.cn/x/#.html"))
    ledger.offer(conn, [refused], NOW)
    trap_budgets.probe_due(conn, {"explore:x"}, budget, NOW + 61)
    assert row(conn, refused.url).state == "waiting"


def test_what_waits_is_refused_at_once_when_its_pattern_is_spent(conn):
    kinds = {
        "http://a.cn/news/77.html": PageType.ARTICLE,
        "http://a.cn/edu/77.html": PageType.ARTICLE,
        "http://a.cn/news/78.html": PageType.LIST,
    }
    ledger.offer(conn, [offer(url, site="站", kind=kind) for url, kind in kinds.items()], NOW)
    asked_for = offer("http://a.cn/news/79.html", site="站", channel="submitted")
    ledger.offer(conn, [asked_for], NOW)
    conn.execute(text("UPDATE urls SET due_at = due_at + 3600"))
    wasted(conn, "http://a.cn/news/{}.html")
    assert {url: row(conn, url).state for url in (*kinds, asked_for.url)} == {
        "http://a.cn/news/77.html": "done", "http://a.cn/edu/77.html": "waiting", "http://a.cn/news/78.html": "waiting",
        asked_for.url: "waiting",
    }  # fmt: skip
    assert row(conn, "http://a.cn/news/77.html").detail == reason_text(PATTERN)


def test_pages_of_an_explore_crawl_are_worth_what_is_found_on_them_once_each(conn):
    budget = replace(BUDGET, by_domain=True)

    def found(url, parent, settlement=NONE, body=""):
        ledger.offer(conn, [offer(url, site="explore:x", parent=parent)], NOW)
        lease = lease_on(conn, url, NOW, site="explore:x")
        result = PageResult(lease, replace(settlement, body_hash=body or None), effects=(budget,) if budget else ())
        pages.save(conn, result, NOW)
        return lease.key

    home = found("http://a.cn/", None)
    lists = [found(f"http://a.cn/c/{n}.html", home) for n in range(3)]
    of_lists = "a.cn/c/#.html"
    assert account(conn, of_lists, "explore:x a.cn").spent_at == NOW
    found("http://b.cn/news/1.html", lists[0], OFF_TOPIC, "one")
    once = account(conn, of_lists, "explore:x a.cn")
    assert (once.debt, once.spent_at, bool(once.yielded)) == (0, None, True)
    found("http://b.cn/news/2.html", lists[0], OFF_TOPIC, "two")
    assert account(conn, of_lists, "explore:x a.cn").debt == 0, "the page has been paid for"
    found("http://b.cn/news/3.html", lists[1], OFF_TOPIC, "three")
    assert account(conn, of_lists, "explore:x a.cn").debt == -1
