"""What the ledger makes of offers."""

from dataclasses import replace
from functools import partial

import pytest

from newsspider.core.crawling.visit import Settlement
from newsspider.core.model import PageType, Reason, State
from newsspider.core.url import url_key
from newsspider.store import ledger
from newsspider.store.ledger import offers
from newsspider.store.pages import keep_unleased
from newsspider.store.url_history import histories_of as explained
from tests.support.samples import NOW, STORED, URL, allow, article, claimed, lease_on, offer, row, save_article

TWINS = ("http://a.cn/n/eiedef-1000", "http://a.cn/n/bhfhdhj-1000")  # found by hashing millions of URLs
CHANNEL = offer(URL, kind=PageType.LIST, site="站", channel="一", update_cycle=60.0)


def test_an_offer_is_new_once(conn):
    offers = [offer(URL), offer("http://a.cn/2"), offer(URL)]
    assert ledger.offer(conn, offers, NOW) == 2
    assert ledger.offer(conn, iter(offers), NOW + 1) == 0
    assert ledger.offer(conn, [], NOW) == 0
    assert ledger.counts(conn) == {State.WAITING: 2, State.PROCESSING: 0, State.ERROR: 0, State.DONE: 0}


def test_the_second_of_two_urls_with_one_key_is_refused_with_a_warning(conn, caplog):
    offers._warn.cache_clear()
    assert url_key(TWINS[0]) == url_key(TWINS[1])
    assert ledger.offer(conn, [offer(TWINS[0])], NOW) == 1
    for again in (False, True):
        changes = {"again_before": NOW + 9, "due_at": NOW} if again else {}
        assert ledger.offer(conn, [offer(TWINS[1], **changes)], NOW) == 0
    assert row(conn, TWINS[0]).url == TWINS[0]
    assert caplog.messages == [f"{TWINS[1]} is not watched: it has the key of {TWINS[0]}, which was found first"]
    assert explained(conn, TWINS[1]) == []
    with pytest.raises(ValueError, match="cannot be stored: it has the key of"):
        keep_unleased(conn, article(TWINS[1], "今年高考时间公布"), NOW)


@pytest.mark.parametrize("pages", [[TWINS], [TWINS[:1], TWINS[1:]]])
def test_two_urls_with_one_key_are_told_apart_on_one_page_and_by_what_the_writer_remembers(writer, caplog, pages):
    offers._warn.cache_clear()
    offered = [[offer(url) for url in page] for page in pages]
    assert sum(writer.submit(partial(ledger.offer, offers=page, now=NOW)).result(60) for page in offered) == 1
    assert TWINS[1] in caplog.text


def test_a_sitemap_of_thousands_of_urls_is_offered_at_once(conn):
    offers = [offer(f"http://a.cn/{n}") for n in range(3000)]
    assert ledger.offer(conn, offers[:1500], NOW) == 1500
    assert ledger.offer(conn, offers, NOW) == 1500


def test_a_new_row_holds_all_that_the_offer_says(conn):
    offered = offer(URL, kind=PageType.LIST, site="站", channel="要闻", depth=1, parent=7, anchor="锚", priority=3, due_at=NOW + 9, hops=2)
    ledger.offer(conn, [offered], NOW)
    entry = row(conn)
    assert (entry.url, entry.host, entry.kind, entry.site, entry.channel) == (URL, "a.cn", "list", "站", "要闻")
    assert (entry.depth, entry.parent, entry.anchor, entry.priority, entry.hops) == (1, 7, "锚", 3, 2)
    assert (entry.state, entry.reason, entry.due_at, entry.found_at) == ("waiting", "found", NOW + 9, NOW)


def test_a_known_url_is_left_alone_by_a_plain_offer(conn):
    ledger.settle(conn, lease_on(conn, URL), STORED)
    old_row = row(conn)
    assert ledger.offer(conn, [offer(URL, site="other", anchor="other", due_at=NOW)], NOW + 1) == 0
    assert row(conn) == old_row


@pytest.mark.parametrize(
    ("due_at", "again_before", "becomes"),
    [
        (None, NOW + 1, NOW + 5),  # fetched before that moment
        (None, NOW, None),  # fetched at that moment, so in this round already
        (NOW + 99, NOW + 1, NOW + 5),  # due, but later
        (NOW + 2, NOW + 1, NOW + 2),  # due earlier anyway
    ],
)
def test_a_done_url_is_due_again_if_it_was_fetched_before_the_moment_given(conn, due_at, again_before, becomes):
    ledger.settle(conn, lease_on(conn, URL), replace(STORED, due_at=due_at))
    ledger.offer(conn, [offer(URL, due_at=NOW + 5, again_before=again_before)], NOW)
    assert (row(conn).state, row(conn).due_at) == ("done", becomes)
    assert len(claimed(conn, now=NOW + 6)) == (1 if becomes is not None else 0)


def test_an_url_that_was_never_fetched_is_due_again_whatever_the_moment(conn):
    ledger.settle(conn, lease_on(conn, URL), Settlement(State.DONE, Reason.ROBOTS))
    ledger.offer(conn, [offer(URL, due_at=NOW + 5, again_before=1.0)], NOW)
    assert row(conn).due_at == NOW + 5


def test_waiting_and_leased_urls_keep_their_moment(conn):
    ledger.offer(conn, [offer(URL, due_at=NOW + 50)], NOW)
    ledger.offer(conn, [offer(URL, due_at=NOW, again_before=NOW)], NOW)
    assert (row(conn).state, row(conn).due_at) == ("waiting", NOW + 50)
    allow(conn, "a.cn")
    (lease,) = claimed(conn, now=NOW + 50)
    ledger.offer(conn, [offer(URL, due_at=NOW + 60, again_before=NOW + 60)], NOW)
    assert ledger.settle(conn, lease, STORED)
    assert row(conn).due_at is None


def test_a_channel_owns_its_row(conn):
    ledger.offer(conn, [offer(URL, site="old", channel="found", priority=1)], NOW)
    channel = offer(URL, kind=PageType.FEED, site="new", channel="要闻", depth=1, priority=9, update_cycle=60.0, again_before=NOW)
    assert ledger.offer(conn, [channel], NOW) == 0
    entry = row(conn)
    assert (entry.kind, entry.site, entry.channel, entry.depth, entry.priority, entry.update_cycle) == (
        "feed", "new", "要闻", 1, 9, 60.0,
    )  # fmt: skip
    allow(conn, "a.cn")
    assert [lease.site for lease in claimed(conn, sites={"new"})] == ["new"]


def test_a_page_that_becomes_a_channel_is_polled_at_once(conn):
    ledger.settle(conn, lease_on(conn, URL), STORED)
    ledger.offer(conn, [CHANNEL], NOW + 9)
    assert row(conn).due_at == NOW + 9


def test_what_several_pages_offer_counts_for_the_first_of_them(conn):
    results = ledger.offer_all(
        conn, [([offer(URL)], NOW), ([], NOW), ([offer(URL), offer("http://a.cn/2")], NOW + 1), ([offer(URL)], NOW + 2)]
    )
    assert [result.wanted for result in results] == [1, 0, 1, 0]
    assert (row(conn).found_at, row(conn, "http://a.cn/2").found_at) == (NOW, pytest.approx(NOW + 1, abs=1e-3))


def test_what_is_refused_is_counted_apart_and_keeps_why(conn):
    trap = offer("http://a.cn/2", refused=Reason.TRAP, detail="too many pages like a.cn/# brought nothing")
    (result,) = ledger.offer_all(conn, [([offer(URL), trap], NOW)])
    assert (result.wanted, result.refused) == (1, 1)
    assert (row(conn, trap.url).state, row(conn, trap.url).detail) == ("done", trap.detail)


def test_a_channel_among_the_offers_of_several_pages_changes_what_a_page_before_it_offered(conn):
    results = ledger.offer_all(conn, [([offer(URL)], NOW), ([CHANNEL], NOW), ([offer(URL, site="other")], NOW)])
    assert [result.wanted for result in results] == [1, 0, 0]
    assert (row(conn).site, row(conn).update_cycle) == ("站", 60.0)


@pytest.mark.parametrize(("state", "then"), [("second", "second"), ("", "first")])
def test_a_page_that_is_due_again_has_the_strategy_state_of_its_latest_offer(conn, state, then):
    ledger.settle(conn, lease_on(conn, URL, strategy_state="first"), STORED)
    ledger.offer(conn, [offer(URL, due_at=NOW + 9, again_before=NOW + 9, strategy_state=state)], NOW + 9)
    (lease,) = claimed(conn, now=NOW + 10)
    assert lease.strategy_state == then


TITLE = "高考改革方案全文公布"
PART = offer("http://a.cn/1_2", due_at=NOW + 5, part_of=TITLE, partial_article="told")


def test_a_further_page_that_waits_takes_over_what_was_read_so_far(conn):
    ledger.offer(conn, [offer(PART.url, anchor="锚")], NOW)
    assert ledger.offer(conn, [PART], NOW + 5) == 0
    assert (row(conn, PART.url).state, row(conn, PART.url).anchor, row(conn, PART.url).partial_article) == ("waiting", "锚", "told")
    allow(conn, "a.cn")
    (lease,) = claimed(conn, now=NOW + 6)
    assert lease.partial_article == "told"


@pytest.mark.parametrize("title", [TITLE, f"{TITLE}（2）"])
def test_a_further_page_that_is_stored_as_an_article_of_the_same_title_is_fetched_again(conn, title):
    save_article(conn, PART.url, title=title)
    ledger.offer(conn, [PART], NOW + 5)
    entry = row(conn, PART.url)
    assert (entry.state, entry.due_at, entry.partial_article, entry.body_hash) == ("waiting", NOW + 5, "told", None)
    allow(conn, "a.cn", now=NOW + 9)
    (lease,) = claimed(conn, now=NOW + 9)
    assert (lease.url, lease.partial_article, lease.had_article) == (PART.url, "told", True)


def test_a_stored_article_of_another_title_is_no_further_page(conn):
    save_article(conn, PART.url, title="另一篇文章的标题")
    old_row = row(conn, PART.url)
    ledger.offer(conn, [PART], NOW + 5)
    assert row(conn, PART.url) == old_row
    allow(conn, "a.cn", now=NOW + 9)
    assert claimed(conn, now=NOW + 9) == []


@pytest.mark.parametrize(
    ("reason", "partial", "state"),
    [
        (Reason.JOINED, "told", "waiting"),  # the article was stored anew without it
        (Reason.OFF_TOPIC, "told", "done"),  # it was judged with this very text before it
        (Reason.OFF_TOPIC, "told before", "waiting"),
        (Reason.NOT_AN_ARTICLE, "", "waiting"),  # it was judged alone
    ],
)
def test_a_further_page_that_is_no_article_is_fetched_again_where_its_article_is_another(conn, reason, partial, state):
    ledger.settle(conn, lease_on(conn, PART.url, partial_article=partial), replace(STORED, reason=reason))
    ledger.offer(conn, [PART], NOW + 5)
    assert (row(conn, PART.url).state, row(conn, PART.url).due_at) == (state, NOW + 5 if state == "waiting" else None)


def test_a_further_page_that_failed_is_tried_again_with_its_article(conn):
    ledger.settle(conn, lease_on(conn, PART.url, partial_article="told"), Settlement(State.ERROR, Reason.TIMEOUT, fetched_at=NOW))
    ledger.offer(conn, [PART], NOW + 5)
    assert (row(conn, PART.url).state, row(conn, PART.url).due_at) == ("waiting", NOW + 5)


def test_a_further_page_that_is_refused_stays_so(conn):
    refused = replace(PART, refused=Reason.TRAP)
    for _ in range(2):
        ledger.offer(conn, [refused], NOW)
        assert (row(conn, PART.url).state, row(conn, PART.url).due_at) == ("done", None)
