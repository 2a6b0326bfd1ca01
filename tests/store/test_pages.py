"""A page is saved whole or not at all."""

import itertools
import sys
import tracemalloc
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from sqlalchemy import text

from newsspider.core.crawling.visit import NewBoilerplate, PageResult, Settlement
from newsspider.core.fetching.robots import RobotsText
from newsspider.core.model import Layout, LinkKind, PageType, Reason, Standing, State
from newsspider.core.url import url_key
from newsspider.sites.model import from_home
from newsspider.store import ledger, pages, sites, url_history
from newsspider.store.articles import snapshots
from newsspider.store.articles.article_records import export_records
from newsspider.store.articles.revisits import ChangeFilters, recent_changes
from newsspider.store.engine.database import open_store, reading, writing
from newsspider.store.engine.statement import Statement
from newsspider.store.ledger import queues, site_knowledge
from tests.support.samples import (
    NOW,
    POLLED,
    POLLED_AGAIN,
    STORED,
    allow,
    article,
    claimed,
    lease_on,
    links,
    offer,
    save_article,
    stored_links,
)

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

URL = "http://a.cn/1"
LIST = "http://a.cn/list"


def count(conn, table):
    return conn.execute(text(f"SELECT count(*) FROM {table}")).scalar()


def reason(conn, url):
    return conn.execute(text("SELECT reason FROM urls WHERE key = :key"), {"key": url_key(url)}).scalar()


def polled(conn, url, article_urls, offers=(), now=NOW, channel="要闻"):
    """Save a list page that shows these articles."""
    lease = lease_on(conn, url, now, kind=PageType.LIST, site="站", channel=channel)
    result = PageResult(lease, replace(POLLED, fetched_at=now), links=links(article_urls), offers=tuple(offers))
    return pages.save(conn, result, now)


def test_an_article_is_stored_with_all_that_belongs_to_it(conn):
    lease = lease_on(conn, URL)
    record = article(URL, "教育部今天发布通知", attachments=("http://a.cn/1.pdf",))
    saved = pages.save(conn, PageResult(lease, STORED, record, links(["http://a.cn/2"])), NOW)
    assert (saved.settled, saved.new_article, saved.duplicate_of, saved.reason) == (True, True, None, Reason.STORED)
    (stored,) = export_records(conn)
    assert (stored["url"], stored["urls"], stored["title"], stored["author"]) == (URL, [URL], "标题", ["张三"])
    assert (stored["keywords"], stored["terms"], stored["attachments"]) == (["高考", "改革"], ["高考"], ["http://a.cn/1.pdf"])
    assert (stored["published_at"], stored["text"]) == ("2026-11-01T08:30:00+00:00", record.text)
    packed = conn.execute(text("SELECT content FROM snapshots WHERE name = :name"), {"name": record.snapshot}).scalar()
    assert zstd.decompress(packed) == record.content
    (link,) = stored_links(conn)
    assert (link.src, link.dst, link.anchor, link.channel) == (url_key(URL), url_key("http://a.cn/2"), "锚文字", None)
    assert conn.execute(text('SELECT "Title", "Key1", "Key2", "Key3" FROM page_index')).one() == ("标题", "高考", "改革", None)
    assert conn.execute(text('SELECT content, "Priority" FROM page_index')).one() == (record.snapshot, record.link_count)


def test_a_late_page_writes_nothing(conn):
    lease = lease_on(conn, URL)
    ledger.release(conn, lease)
    result = PageResult(lease, STORED, article(URL), links(["http://a.cn/2"]), (offer("http://a.cn/2"),), (RobotsText(200, b"", 9.0),))
    saved = pages.save(conn, result, NOW)
    assert not saved.settled
    assert [count(conn, table) for table in ("articles", "page_links", "snapshots", "urls")] == [0, 0, 0, 1]
    assert ledger.robots_text(conn, "a.cn", NOW).fetched_at == NOW


def test_a_page_that_cannot_be_stored_is_not_settled_either(store, writer):
    with store.begin() as conn:
        lease = lease_on(conn, URL)
    broken = replace(article(URL), title=None)
    future = writer.submit(lambda conn: pages.save(conn, PageResult(lease, STORED, broken), NOW))
    assert future.exception(10) is not None
    with store.connect() as conn:
        assert ledger.counts(conn)[State.PROCESSING] == 1
        assert count(conn, "articles") == 0


def test_a_reprint_is_one_more_url_of_the_article(conn):
    first = save_article(conn, URL, "同文")
    second = save_article(conn, "http://b.cn/2", "同文")
    assert (second.article_id, second.new_article, second.duplicate_of) == (first.article_id, False, URL)
    assert reason(conn, "http://b.cn/2") == second.reason == Reason.DUPLICATE
    (record,) = export_records(conn)
    assert (record["url"], record["urls"]) == (URL, [URL, "http://b.cn/2"])


@pytest.mark.parametrize("order", [*itertools.permutations(["http://a.cn/1", "http://b.cn/longer", "http://c.cn/2"])])
def test_canonical_urls_and_bodies_do_not_depend_on_the_order_of_crawling(conn, order):
    for number, url in enumerate(order):
        save_article(conn, url, "同文", NOW + number)
    (record,) = export_records(conn)
    assert record["canonical_url"] == "http://a.cn/1"
    assert record["url"] == order[0]


def test_the_same_text_again_changes_nothing_but_the_ledger(conn):
    first = save_article(conn, URL, "原文")
    again = save_article(conn, URL, "原文", NOW + 60)
    assert (again.article_id, again.new_article, again.reason) == (first.article_id, False, Reason.UNCHANGED)
    assert count(conn, "articles") == count(conn, "article_urls") == 1


def test_a_changed_text_replaces_the_old_one_never_doubles_it(conn):
    first = save_article(conn, URL, "原文")
    changed = save_article(conn, URL, "更正的文", NOW + 60, keywords=("更正",))
    assert (changed.article_id, changed.new_article, changed.duplicate_of) == (first.article_id, False, None)
    (record,) = export_records(conn)
    assert (record["text"], record["keywords"]) == ("更正的文", ["更正"])
    assert (count(conn, "snapshots"), count(conn, "revisions")) == (2, 1)
    assert save_article(conn, "http://b.cn/2", "原文").new_article


def test_a_reprint_that_changes_becomes_an_article_of_its_own(conn):
    save_article(conn, URL, "同文")
    save_article(conn, "http://b.cn/2", "同文")
    changed = save_article(conn, URL, "不同的文", NOW + 60)
    assert changed.new_article
    assert {record["text"]: (record["url"], record["urls"]) for record in export_records(conn)} == {
        "同文": ("http://b.cn/2", ["http://b.cn/2"]),
        "不同的文": (URL, [URL]),
    }


@pytest.mark.parametrize("text_changes", [False, True], ids=["forgotten", "another text"])
def test_an_article_without_its_main_url_says_what_the_page_of_the_next_one_says(conn, text_changes):
    later = datetime(2026, 11, 1, 9, tzinfo=UTC)
    save_article(conn, URL, "同文", title="甲题", content=b"<p>A", editors=("李四",))
    save_article(conn, "http://b.cn/2", "同文", NOW + 1, title="乙题", source="乙报", published_at=later, content=b"<p>B")
    if text_changes:
        save_article(conn, URL, "不同的文", NOW + 60, title="甲题")
    else:
        url_history.forget_url(conn, url_key(URL))
    (exported,) = [record for record in export_records(conn) if record["text"] == "同文"]
    assert (exported["url"], exported["title"], exported["source"]) == ("http://b.cn/2", "乙题", "乙报")
    assert datetime.fromisoformat(exported["published_at"]) == later
    assert [exported[name] for name in ("author", "editors", "snapshot")] == [[], [], ""]
    assert snapshots.pages_of(conn, "http://b.cn/2") == []
    assert (count(conn, "snapshots"), count(conn, "revisions")) == ((2, 1) if text_changes else (0, 0))
    again = save_article(conn, "http://b.cn/2", "同文", NOW + 120, title="乙题", source="乙报", published_at=later)
    assert (again.changed, again.reason) == ((), Reason.UNCHANGED)


def test_an_article_keeps_its_main_url_whichever_other_one_leaves_it(conn):
    save_article(conn, "http://c.cn/3", "别的文", NOW)
    save_article(conn, URL, "同文", NOW + 1, title="甲题", content=b"<p>A")
    save_article(conn, "http://b.cn/2", "同文", NOW + 2)
    save_article(conn, "http://c.cn/3", "同文", NOW + 3)  # known for longer than the article
    url_history.forget_url(conn, url_key("http://b.cn/2"))
    (record,) = export_records(conn)
    assert (record["url"], record["title"]) == (URL, "甲题")
    assert [page.content for page in snapshots.pages_of(conn, URL)] == [b"<p>A"]


def test_an_article_that_becomes_a_reprint_is_no_article_of_its_own_any_more(conn):
    save_article(conn, URL, "同文")
    save_article(conn, "http://b.cn/2", "不同的文")
    again = save_article(conn, "http://b.cn/2", "同文", NOW + 60)
    assert again.duplicate_of == URL
    (record,) = export_records(conn)
    assert record["urls"] == [URL, "http://b.cn/2"]
    assert (count(conn, "snapshots"), count(conn, "revisions")) == (2, 1)


def test_offers_of_a_page_are_made_with_it(conn):
    saved = polled(conn, LIST, [URL], [offer(URL), offer("http://a.cn/2")])
    assert saved.offered == 2
    assert ledger.counts(conn)[State.WAITING] == 2


def test_what_pages_of_a_transaction_need_is_asked_once_for_all_of_them(conn, monkeypatch):
    executed = []
    compiled = Statement._compiled_for
    monkeypatch.setattr(Statement, "_compiled_for", lambda *args: executed.append(args) or compiled(*args))

    def statements_for(hosts):
        urls = [f"http://{host}.cn/1" for host in hosts]
        read = [PageResult(lease_on(conn, url), STORED, article(url, url), links([url, LIST])) for url in urls]
        executed.clear()
        assert all(page.new_article for page in pages.save_all(conn, [(result, NOW) for result in read]))
        return len(executed)

    statements_for("zy")
    a_page = 6 if conn.dialect.name == "sqlite" else 0  # of its settlement, article and entry in the index: two each
    assert statements_for("abcdefgh") - statements_for("ij") <= 6 * a_page


@pytest.mark.long
def test_the_urls_of_a_whole_sitemap_are_saved_in_little_memory(conn):
    urls = [f"http://a.cn/{n}" for n in range(20_000)]
    offers = [offer(url) for url in urls]
    tracemalloc.start()
    try:
        saved = polled(conn, LIST, urls, offers)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (saved.offered, count(conn, "list_links")) == (20_000, 20_000)
    assert peak / len(urls) < 1_100  # bytes; 1,640 on SQLite where all rows are made before the first is written


def test_a_next_page_is_offered_only_while_its_channel_shows_new_articles(conn):
    following = offer("http://a.cn/list2", kind=PageType.LIST, fresh_only=True)
    assert polled(conn, LIST, [URL], [following]).offered == 1
    assert polled(conn, LIST, [URL], [replace(following, key=2)], NOW + 60).offered == 0
    assert polled(conn, LIST, [URL, "http://a.cn/2"], [replace(following, key=3)], NOW + 120).offered == 1
    assert polled(conn, LIST, [], [replace(following, key=4)], NOW + 180).offered == 0


def test_what_another_channel_or_an_article_showed_is_new_to_this_channel(conn):
    following = offer("http://a.cn/list2", kind=PageType.LIST, fresh_only=True)
    polled(conn, "http://a.cn/other", [URL], channel="其他")
    lease = lease_on(conn, "http://a.cn/article", site="站", channel="要闻")
    pages.save(conn, PageResult(lease, STORED, links=links([URL])), NOW)
    assert polled(conn, LIST, [URL], [following]).offered == 1


def test_only_article_links_count_as_new(conn):
    following = offer("http://a.cn/list2", kind=PageType.LIST, fresh_only=True)
    lease = lease_on(conn, LIST, kind=PageType.LIST)
    result = PageResult(lease, POLLED, links=links([URL], LinkKind.OTHER), offers=(following,))
    assert pages.save(conn, result, NOW).offered == 0


def test_the_rules_of_a_host_come_with_its_robots_txt(conn):
    ledger.offer(conn, [offer(URL)], NOW)
    (lease,) = claimed(conn)
    settlement = Settlement(State.DONE, Reason.ROBOTS_READ, status=200, fetched_at=NOW)
    pages.save(conn, PageResult(lease, settlement, effects=(RobotsText(200, b"Disallow:", NOW),)), NOW)
    assert ledger.robots_text(conn, "a.cn", NOW) == RobotsText(200, b"Disallow:", NOW)


def test_where_the_list_of_a_channel_stands_is_written_with_its_page(conn):
    site = from_home("http://a.cn/")
    sites.put(conn, site, NOW)
    for moment, layout in enumerate((Layout(Standing.LEARNED, ("//ul/li/a",)), None, Layout(Standing.MOVED, ("//dl/dd/a",)))):
        lease = lease_on(conn, "http://a.cn/", NOW + 60 * moment, kind=PageType.LIST, site=site.name, channel=site.channels[0].name)
        assert pages.save(conn, PageResult(lease, POLLED_AGAIN, effects=(layout,)), NOW + moment).settled
    (row,) = site_knowledge.list_positions_of(conn, site.name)
    assert (row["list_paths"], row["list_learned_at"], row["list_moves"]) == (["//dl/dd/a"], NOW + 2, 1)


def test_lines_around_the_articles_of_a_site_are_written_with_its_page_once(conn):
    for moment in (0, 1):
        lease = lease_on(conn, "http://a.cn/", NOW + 60 * moment, kind=PageType.LIST, site="a.cn")
        assert pages.save(conn, PageResult(lease, POLLED_AGAIN, effects=(NewBoilerplate(("关注本报", "版权所有")),)), NOW + moment).settled
    assert site_knowledge.known_boilerplate(conn) == {"a.cn": ["关注本报", "版权所有"]}
    assert conn.execute(text("SELECT max(learned_at) FROM boilerplate_lines")).scalar() == NOW
    assert site_knowledge.forget_boilerplate(conn, "b.cn") == 0
    assert site_knowledge.forget_boilerplate(conn, "a.cn") == 2
    assert site_knowledge.known_boilerplate(conn) == {}


def refused(conn, url, topic, now=NOW + 60):
    """Visit a URL again for a topic that refuses what stands there now."""
    lease = lease_on(conn, url, now)
    settlement = Settlement(State.DONE, Reason.OFF_TOPIC, status=200, fetched_at=now, topic=topic)
    return pages.save(conn, PageResult(lease, settlement), now)


def test_a_page_that_left_the_topic_of_its_article_takes_the_article_along(conn):
    save_article(conn, URL)
    refused(conn, URL, "education")
    assert (reason(conn, URL), list(export_records(conn)), count(conn, "articles")) == (Reason.OFF_TOPIC, [], 0)


def test_what_an_article_was_that_left_its_topic_is_kept_as_its_last_revision(conn):
    save_article(conn, URL)
    refused(conn, URL, "education")
    (change,) = recent_changes(conn, ChangeFilters())
    assert (change["parts"], change["url"], bool(change["before"]["text"])) == (["topic"], URL, True)
    assert count(conn, "snapshots") == 1
    url_history.forget_url(conn, url_key(URL))
    assert (count(conn, "revisions"), count(conn, "snapshots")) == (0, 0)


def test_a_reprint_that_left_the_topic_leaves_the_article_to_the_others(conn):
    save_article(conn, URL)
    save_article(conn, "http://b.cn/2", now=NOW + 1)
    refused(conn, URL, "education")
    (record,) = export_records(conn)
    assert record["urls"] == ["http://b.cn/2"]


def test_an_article_of_one_topic_stays_when_another_topic_refuses_its_page(conn):
    save_article(conn, URL)
    refused(conn, URL, "sports")
    (record,) = export_records(conn)
    assert (record["url"], record["topic"]) == (URL, "education")
    assert ledger.refused_by_other_topic(conn, "education", NOW + 61) == 1


def leases_on_hosts(conn, *hosts, **values):
    """A lease on a page of each."""
    for host in hosts:
        allow(conn, host)
        ledger.offer(conn, [offer(f"http://{host}/", **values)], NOW)
    return sorted(claimed(conn, len(hosts)), key=lambda lease: lease.host)


def test_pages_saved_in_one_go_are_saved_as_one_after_the_other(conn):
    first, second, third = leases_on_hosts(conn, "a.cn", "b.cn", "c.cn")
    shared, own = offer("http://a.cn/shared", priority=7), offer("http://d.cn/own", due_at=NOW + 9)
    results = [
        PageResult(first, STORED, article(first.url, "甲"), links(["http://a.cn/shared"]), (shared,)),
        PageResult(second, replace(STORED, due_at=NOW + 60), article(second.url, "甲"), links(["http://a.cn/shared"]), (shared, own)),
        PageResult(third, replace(STORED, host_next_at=NOW + 5), article(third.url, "乙"), offers=(own,)),
    ]
    saved = pages.save_all(conn, [(result, NOW) for result in results])
    assert [(page.settled, page.offered, page.reason) for page in saved] == [
        (True, 1, Reason.STORED), (True, 1, Reason.DUPLICATE), (True, 0, Reason.STORED),
    ]  # fmt: skip
    assert ledger.counts(conn) == {State.WAITING: 2, State.PROCESSING: 0, State.ERROR: 0, State.DONE: 3}
    assert (count(conn, "page_links"), count(conn, "articles"), count(conn, "article_urls")) == (2, 2, 3)


def test_the_queues_are_true_after_pages_were_saved_in_one_go(conn):
    first, second = leases_on_hosts(conn, "a.cn", "b.cn")
    again, elsewhere = replace(STORED, due_at=NOW + 60, host_next_at=NOW + 5), offer("http://b.cn/2", priority=3, due_at=NOW - 1)
    pages.save_all(conn, [(PageResult(first, again, offers=(elsewhere,)), NOW), (PageResult(second, STORED), NOW)])
    by_queue = {(row.host, row.queue): (row.due_at, row.top_priority, row.host_ready_at) for row in queues.rows(conn)}
    assert by_queue == {
        ("a.cn", 0): (None, 0, NOW + 5), ("a.cn", 3): (NOW + 60, -queues.REVISITS_LOWERED, NOW + 5), ("b.cn", 0): (NOW - 1, 3, 0.0),
    }  # fmt: skip


def test_articles_saved_in_one_go_are_one_segment_of_the_index(tmp_path):
    engine = open_store(f"sqlite:///{tmp_path}/news.db")
    with writing(engine) as conn:
        leases = leases_on_hosts(conn, *(f"{name}.cn" for name in "abcdef"))
        results = [PageResult(lease, STORED, article(lease.url, f"第{number}篇")) for number, lease in enumerate(leases)]
        pages.save_all(conn, [(result, NOW) for result in results])
        assert count(conn, "search_entries") == 6
    with reading(engine) as conn:
        assert conn.execute(text("SELECT count(DISTINCT segid) FROM search_index_idx")).scalar() == 1
    engine.dispose()


def test_a_page_whose_lease_is_not_in_force_leaves_its_neighbours_alone(conn):
    first, second = leases_on_hosts(conn, "a.cn", "b.cn")
    ledger.release(conn, first)
    results = [PageResult(lease, STORED, links=links([f"{lease.url}2"]), offers=(offer(f"{lease.url}2"),)) for lease in (first, second)]
    assert [page.settled for page in pages.save_all(conn, [(result, NOW) for result in results])] == [False, True]
    assert (reason(conn, "http://a.cn/2"), reason(conn, "http://b.cn/2")) == (None, "found")
    assert len(stored_links(conn)) == 1


def test_two_pages_of_one_host_in_one_go_are_settled_one_after_the_other(conn):
    first = lease_on(conn, URL)
    late = PageResult(first, STORED, offers=(offer("http://a.cn/2"),))
    saved = pages.save_all(conn, [(late, NOW), (late, NOW)])
    assert [(page.settled, page.offered) for page in saved] == [(True, 1), (False, 0)]


def test_of_two_lists_of_a_channel_saved_in_one_go_the_second_brings_nothing_new(conn):
    leases = leases_on_hosts(conn, "a.cn", "b.cn", kind=PageType.LIST, site="站", channel="要闻")
    more = [offer(f"{lease.url}more", fresh_only=True) for lease in leases]
    list_links = links(["http://a.cn/1"])
    results = [PageResult(lease, POLLED, links=list_links, offers=(next_page,)) for lease, next_page in zip(leases, more, strict=True)]
    assert [page.offered for page in pages.save_all(conn, [(result, NOW) for result in results])] == [1, 0]
