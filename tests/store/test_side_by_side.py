"""Writers of PostgreSQL at work at once: what each sees of the other, and what they do when they meet."""

import threading
from contextlib import suppress
from dataclasses import replace
from functools import partial

import pytest
from sqlalchemy import text

from newsspider.core.crawling.visit import PageResult
from newsspider.core.duplicates.reprints import fingerprints_of
from newsspider.core.model import PageType, Reason
from newsspider.core.text.text_comparison import normalise_text
from newsspider.core.url import url_key
from newsspider.features.explore.query_answers import find_answers
from newsspider.sites.model import from_home
from newsspider.store import ledger, pages, sites
from newsspider.store.articles import revisits
from newsspider.store.articles.article_records import export_records
from newsspider.store.engine.batch import deferred_steps
from newsspider.store.engine.postgresql import take_turn
from newsspider.store.engine.writer import Writer
from newsspider.store.engine.writer_caches import mark_of
from newsspider.store.url_history import forget_url
from tests.support.events import until
from tests.support.receiver import alert
from tests.support.samples import NOW, STORED, URL, allow, article, claimed, lease_on, offer, save_article
from tests.support.stores import on_postgresql

pytestmark = on_postgresql

LONG = "全国高考改革方案今天公布，各地要认真执行，考生和家长可以在网上查询。"
LONG += "教育部有关负责人回答了记者的提问，介绍了方案的主要内容和时间安排。"


def waits_for_a_lock(store):
    with store.connect() as conn:
        waiting = text("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
        return conn.execute(waiting).scalar() > 0


@pytest.fixture
def writers(store):
    """Two writers on one store."""
    both = Writer(store, 64, 60.0), Writer(store, 64, 60.0)
    yield both
    for writer in both:
        writer.close()


def in_turn(store, first, second):
    """Begin ``first``, let ``second`` run into it, end the first; both results."""
    results = []
    with store.connect() as first_conn:
        begun = first_conn.begin()
        with deferred_steps(first_conn):
            results.append(first(first_conn))

        def run():
            with store.begin() as second_conn, deferred_steps(second_conn):
                results.append(second(second_conn))

        thread = threading.Thread(target=run)
        thread.start()
        until(lambda: not thread.is_alive() or waits_for_a_lock(store), seconds=60)
        begun.commit()
    thread.join(60)
    return results


def test_if_two_writers_offer_one_url_at_once_only_one_adds_it(store):
    offers = [offer(URL), offer("http://a.cn/2")]
    channel = [offer(URL, kind=PageType.LIST, site="站", update_cycle=60.0)]
    assert in_turn(store, lambda conn: ledger.offer(conn, offers, NOW), lambda conn: ledger.offer(conn, channel, NOW)) == [2, 0]
    with store.begin() as conn:
        assert conn.execute(text("SELECT site, update_cycle FROM urls WHERE key = :key"), {"key": url_key(URL)}).one() == ("站", 60.0)
        allow(conn, "a.cn")
        assert [lease.site for lease in claimed(conn, sites={"站"})] == ["站"]


def test_a_url_that_is_found_while_its_queue_is_worked_out_is_not_overlooked(store):
    with store.begin() as conn:
        lease = lease_on(conn, URL)
    offers = [offer("http://a.cn/2", due_at=NOW)]
    assert in_turn(store, lambda conn: ledger.offer(conn, offers, NOW), lambda conn: ledger.settle(conn, lease, STORED)) == [1, True]
    with store.begin() as conn:
        assert ledger.remaining(conn, "", revisit_before=0.0).due_at == NOW
        assert [lease.url for lease in claimed(conn)] == ["http://a.cn/2"]


def test_a_claim_passes_over_the_hosts_that_another_one_looks_at(store):
    with store.begin() as conn:
        allow(conn, "a.cn", "b.cn", "c.cn")
        ledger.offer(conn, [offer(f"http://{host}.cn/1", priority=9) for host in "abc"], NOW)
    with store.begin() as first_conn, store.begin() as second_conn:
        first, second = claimed(first_conn, 2, worker="one"), claimed(second_conn, 2, worker="two")
    assert (len(first), len(second)) == (2, 1)
    assert len({lease.host for lease in first + second}) == 3


def test_if_two_writers_store_one_body_at_once_only_one_creates_the_article(store):
    with store.begin() as conn:
        leases = [lease_on(conn, url) for url in (URL, "http://b.cn/longer")]

    def save(lease):
        return lambda conn: pages.save(conn, PageResult(lease, STORED, article(lease.url, "同文")), NOW)

    first, second = in_turn(store, save(leases[0]), save(leases[1]))
    assert (first.new_article, second.new_article, second.duplicate_of) == (True, False, URL)
    with store.begin() as conn:
        (record,) = export_records(conn)
        assert record["urls"] == [URL, "http://b.cn/longer"]


def reprint_of(lease, number):
    body = f"{LONG}本报记者{number}号综合报道。"
    return PageResult(lease, STORED, article(lease.url, body, fingerprints=fingerprints_of(normalise_text(body), "标题")))


def test_of_two_that_store_near_reprints_at_once_the_second_finds_the_first_and_one_is_told(store):
    with store.begin() as conn:
        alert(conn, query="高考")
        leases = [lease_on(conn, f"http://{host}.cn/1") for host in "ab"]

    def save(number):
        return lambda conn: pages.save(conn, reprint_of(leases[number], number), NOW)

    first, second = in_turn(store, save(0), save(1))
    assert (first.new_article, second.new_article) == (True, True)
    with store.begin() as conn:
        assert conn.execute(text("SELECT count(*), count(DISTINCT group_id) FROM reprints")).one() == (2, 1)
        assert conn.execute(text("SELECT count(*) FROM alert_stories")).scalar() == 1


def test_a_reprint_does_not_wait_for_what_another_writer_does_beside_its_own(store, writers):
    """Only the end of a transaction is shared, however many jobs come after the page."""
    with store.begin() as conn:
        leases = [lease_on(conn, f"http://{host}.cn/1") for host in "ab"]
    first, second = writers
    gathered, stands, ends = threading.Event(), threading.Event(), threading.Event()

    def save(conn, number):
        return pages.save(conn, reprint_of(leases[number], number), NOW)

    first.submit(lambda conn: gathered.wait(60))
    slow = [first.submit(partial(save, number=0)), first.submit(lambda conn: stands.set() or ends.wait(60))]
    gathered.set()
    assert stands.wait(60)
    assert second.submit(partial(save, number=1)).result(60).new_article
    ends.set()
    assert slow[0].result(60).new_article
    with store.begin() as conn:
        assert conn.execute(text("SELECT count(*), count(DISTINCT group_id) FROM reprints")).one() == (2, 1)


def test_who_asks_again_for_what_is_new_misses_no_article_that_was_committed_late(store):
    """The number of an article says when it was begun to be stored, not when that was committed."""
    with store.begin() as conn:
        leases = [lease_on(conn, f"http://{host}.cn/1") for host in "ab"]

    def save(conn, lease):
        take_turn(conn)
        pages.save(conn, PageResult(lease, STORED, article(lease.url, f"高考新闻 {lease.url}", site=lease.host)), NOW)

    def asked(after):
        with store.begin() as conn:
            take_turn(conn)
            asked_now = find_answers(conn, "高考", after)
        return {answer.record["url"] for answer in asked_now.answers}, asked_now.last

    with store.begin() as slow:
        save(slow, leases[0])
        with store.begin() as quick:
            save(quick, leases[1])
        first, last = asked(0)
    again, last = asked(last)
    assert (first, again) == ({leases[1].url}, {lease.url for lease in leases})
    assert asked(last) == (set(), last)


def test_a_reprint_that_joins_an_article_while_that_is_dropped_is_kept(store):
    with store.begin() as conn:
        save_article(conn, URL, "同文")
        lease = lease_on(conn, "http://b.cn/2")
    result = PageResult(lease, STORED, article(lease.url, "同文"))
    in_turn(store, lambda conn: pages.save(conn, result, NOW), lambda conn: forget_url(conn, url_key(URL)))
    with store.begin() as conn:
        (record,) = export_records(conn)
        assert (record["url"], record["urls"]) == (lease.url, [lease.url])
        assert conn.execute(text("SELECT count(*) FROM snapshots")).scalar() == 0  # the page was that of the forgotten URL


def test_visits_are_counted_in_the_order_of_the_sites_whatever_that_of_the_pages(store):
    """So two writers with the same sites in another order do not stop each other."""
    with store.begin() as conn:
        leases = []
        for host in "abc":
            save_article(conn, f"http://{host}.cn/1", f"正文{host}")
            leases.append(lease_on(conn, f"http://{host}.cn/1", NOW + 3600))
        conn.execute(text("INSERT INTO revisit_counters (site, visits, changes) VALUES ('s1', 10, 1), ('s2', 20, 2)"))
    visits = [
        (PageResult(replace(lease, site=site), STORED, article(lease.url, body)), NOW + 3601)
        for lease, site, body in zip(leases, ("s2", "s1", "s2"), ("正文a", "正文b", "别的文章"), strict=True)
    ]

    def run():
        with store.begin() as conn:
            pages.save_all(conn, visits)

    thread = threading.Thread(target=run)
    with store.begin() as other, store.begin() as third:
        other.execute(text("SELECT 1 FROM revisit_counters WHERE site = 's1' FOR UPDATE"))
        thread.start()
        until(lambda: waits_for_a_lock(store), seconds=60)
        third.execute(text("SELECT 1 FROM revisit_counters WHERE site = 's2' FOR UPDATE NOWAIT"))
    thread.join(60)
    with store.begin() as conn:
        assert revisits.visits(conn) == {"s1": (11, 1), "s2": (22, 3)}


def test_an_article_whose_text_changes_while_it_is_reprinted_keeps_the_reprint_apart(store):
    with store.begin() as conn:
        save_article(conn, URL, "同文")
        leases = [lease_on(conn, url, NOW + 60) for url in (URL, "http://b.cn/2")]
    changed = PageResult(leases[0], STORED, article(URL, "更正的文"))
    reprint = PageResult(leases[1], STORED, article("http://b.cn/2", "同文"))
    in_turn(store, lambda conn: pages.save(conn, reprint, NOW), lambda conn: pages.save(conn, changed, NOW))
    with store.begin() as conn:
        assert {record["text"]: record["urls"] for record in export_records(conn)} == {"更正的文": [URL], "同文": ["http://b.cn/2"]}


def test_every_change_of_the_registry_has_a_version_of_its_own(store):
    first, second = from_home("http://a.cn/"), from_home("http://b.cn/")
    in_turn(store, lambda conn: sites.put(conn, first, NOW), lambda conn: sites.put(conn, second, NOW))
    with store.begin() as conn:
        assert sites.version(conn) == 2


def test_writers_that_stop_each_other_both_come_to_an_end(store, writers):
    with store.begin() as conn:
        conn.execute(text("INSERT INTO hosts (host) VALUES ('a'), ('b')"))
    barrier = threading.Barrier(2, timeout=60)

    def visit(conn, hosts):
        for host in hosts:
            conn.execute(text("UPDATE hosts SET pages = pages + 1 WHERE host = :host"), {"host": host})
            with suppress(threading.BrokenBarrierError):
                barrier.wait()
                barrier.abort()  # nobody waits a second time

    futures = [writer.submit(partial(visit, hosts=hosts)) for writer, hosts in zip(writers, ("ab", "ba"), strict=True)]
    assert [future.exception(240) for future in futures] == [None, None]
    assert sum(writer.figures.retries for writer in writers) >= 1
    with store.connect() as conn:
        assert conn.execute(text("SELECT pages FROM hosts")).scalars().all() == [2, 2]


def test_what_a_batch_lost_to_another_writer_is_done_again(store, writers):
    """A body that two pages change to at once: the second finds the row of the first only when it tries again."""
    with store.begin() as conn:
        for host in "ab":
            save_article(conn, f"http://{host}.cn/1", f"原文{host}")
        leases = [lease_on(conn, f"http://{host}.cn/1", NOW + 60) for host in "ab"]
    first_saved = threading.Event()

    def save(conn, lease):
        result = pages.save(conn, PageResult(lease, STORED, article(lease.url, "同文")), NOW)
        if not first_saved.is_set():
            first_saved.set()
            until(lambda: waits_for_a_lock(store), seconds=60)
        return result

    futures = [writer.submit(partial(save, lease=lease)) for writer, lease in zip(writers, leases, strict=True)]
    saved = [future.result(240) for future in futures]
    assert sorted(page.duplicate_of or "" for page in saved)[1] in {lease.url for lease in leases}
    with store.connect() as conn:
        (record,) = export_records(conn)
        assert (record["text"], len(record["urls"])) == ("同文", 2)


def test_keys_are_remembered_though_others_write_and_doubted_when_others_forget(store, writers):
    writer, other = writers
    offered = [offer(URL)]
    other.submit(partial(save_article, url=URL)).result(60)
    assert writer.submit(partial(ledger.offer, offers=offered, now=NOW)).result(60) == 0
    other.submit(partial(ledger.offer, offers=[offer("http://b.cn/1")], now=NOW)).result(60)
    writer.submit(lambda conn: None).result(60)
    assert mark_of(offered[0]) in writer._memory.recent
    assert other.submit(partial(forget_url, key=offered[0].key)).result(60)
    assert writer.submit(partial(ledger.offer, offers=offered, now=NOW)).result(60) == 1


def test_a_key_seen_while_another_forgets_it_is_doubted_afterwards(store, writer):
    with store.begin() as conn:
        save_article(conn, URL)
    with store.connect() as conn, conn.begin() as forgetting:
        forget_url(conn, url_key(URL))
        assert writer.submit(partial(ledger.offer, offers=[offer(URL)], now=NOW)).result(60) == 0  # not yet forgotten
        forgetting.commit()
    assert writer.submit(partial(ledger.offer, offers=[offer(URL)], now=NOW)).result(60) == 1


def saving(*visits):
    return partial(pages.save_all, pages=[(result, NOW) for result in visits])


def lists_that_offer_each_other(leases):
    first, second = leases
    return tuple(
        saving(PageResult(lease, STORED, offers=(offer(other.url, again_before=NOW - 1),)))
        for lease, other in ((first, second), (second, first))
    )


def pages_of_a_worker_that_is_given_up(leases):
    backwards = sorted(leases, key=lambda lease: -lease.key)
    return saving(*(PageResult(lease, STORED) for lease in backwards)), partial(ledger.release_worker, worker="w", died=True)


def pages_after_which_the_same_others_are_read_again(leases):
    first, second, third, fourth = (
        PageResult(replace(lease, again=True), replace(STORED, reason=Reason.OFF_TOPIC)) for lease in leases
    )
    return saving(first, second), saving(fourth, third)


@pytest.mark.parametrize(
    ("hosts", "jobs"),
    [
        ("ab", lists_that_offer_each_other),
        ("abcdef", pages_of_a_worker_that_is_given_up),
        ("abcd", pages_after_which_the_same_others_are_read_again),
    ],
)
def test_writers_that_change_the_same_urls_in_any_order_never_stop_each_other(store, writers, hosts, jobs):
    for turn in range(10):
        with store.begin() as conn:
            leases = [lease_on(conn, f"http://{host}{turn}.cn/1") for host in hosts]
            others = [offer(f"http://z.cn/{turn}/{number}", refused=Reason.TRAP) for number in range(40)]
            ledger.offer(conn, others, NOW)
            keys = [one.key for one in (*leases, *others)]
            for shown, some in (("http://x.cn/", keys[::2]), ("http://y.cn/", keys[1::2])):
                change = "UPDATE urls SET reason = 'duplicate', detail = :shown, last_fetched_at = :now WHERE key = ANY(:keys)"
                conn.execute(text(change), {"shown": shown, "now": NOW, "keys": some})
        futures = [writer.submit(job) for writer, job in zip(writers, jobs(leases), strict=True)]
        assert [future.exception(60) for future in futures] == [None, None]
    assert [writer.figures.retries for writer in writers] == [0, 0]
