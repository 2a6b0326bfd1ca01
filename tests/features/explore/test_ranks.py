"""The ranks of the pages of a store."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from sqlalchemy import text

from newsspider.core.crawling.visit import PageResult
from newsspider.core.links.page_weight import page_weight
from newsspider.core.model import Link, LinkKind, PageType, Region
from newsspider.core.url import url_key
from newsspider.features.explore import graph, ranks, stored_ranks
from newsspider.sites.model import Channel, ChannelKind, from_home
from newsspider.store import ledger, pages, sites, url_history
from newsspider.store.engine import postgresql, statement
from newsspider.store.engine.database import reading
from newsspider.store.ledger import stored_links
from tests.support.samples import NOW, POLLED, STORED, article, lease_on, offer, save_article
from tests.support.stores import on_postgresql

A, B, C = "http://a.cn/list", "http://www.b.cn/news/", "http://c.cn/"


def a_list(conn, url, urls, *, region=Region.MAIN, site="站", channel="要闻"):
    """A list page that shows these URLs, all of which are offered."""
    lease = lease_on(conn, url, kind=PageType.LIST, site=site, channel=channel)
    links = tuple(Link(target, "锚", LinkKind.ARTICLE, region) for target in urls)
    pages.save(conn, PageResult(lease, POLLED, links=links, offers=tuple(map(offer, urls))), NOW)


def all_ranks(store, now=NOW):
    """Rank the store; the rows by URL."""
    result = ranks.rank(store)
    written = []
    ranks.keep(store, result, now, written.append)
    assert sum(written) == len(result.keys)
    with reading(store) as conn:
        rows = conn.execute(text("SELECT u.url, r.* FROM ranks r JOIN urls u ON u.key = r.key")).mappings().all()
    return {row["url"]: row for row in rows}


def test_ranks_of_an_earlier_moment_do_not_replace_later_ones(store):
    with store.begin() as conn:
        a_list(conn, A, ["http://x.cn/1"])
    all_ranks(store, NOW + 60)
    ranks.keep(store, replace(ranks.rank(store), pagerank=np.zeros(2)), NOW)
    with reading(store) as conn:
        assert conn.execute(text("SELECT sum(pagerank) FROM ranks")).scalar() == pytest.approx(1)


def test_what_lists_of_several_sites_show_ranks_highest(store):
    with store.begin() as conn:
        a_list(conn, A, ["http://x.cn/1", "http://x.cn/2"])
        a_list(conn, B, ["http://x.cn/1"])
    by_url = all_ranks(store)
    assert set(by_url) == {A, B, "http://x.cn/1", "http://x.cn/2"}
    first, second = by_url["http://x.cn/1"], by_url["http://x.cn/2"]
    assert first["pagerank"] > second["pagerank"] > by_url[A]["pagerank"]
    assert first["authority"] > second["authority"] > by_url[A]["authority"] == 0
    assert by_url[A]["hub"] > by_url[B]["hub"] > first["hub"] == 0
    for figure in ("pagerank", "hub", "authority"):
        assert sum(row[figure] for row in by_url.values()) == pytest.approx(1)
    assert (first["indegree"], first["parent_indegree"], first["mirrors"]) == (2, 0, 0)
    assert first["weight"] == pytest.approx(page_weight(2, 0, 0, 1))


def test_navigation_footers_links_to_itself_and_links_to_what_was_never_offered_do_not_count(store):
    with store.begin() as conn:
        a_list(conn, A, ["http://x.cn/1", A])
        a_list(conn, B, ["http://y.cn/2"], region=Region.NAVIGATION)
        a_list(conn, C, ["http://y.cn/2"], region=Region.FOOTER)
        lease = lease_on(conn, "http://x.cn/1")
        read = PageResult(lease, STORED, article(lease.url), links=(Link("http://unknown.cn/", "锚", LinkKind.OTHER),))
        pages.save(conn, read, NOW)
    assert set(all_ranks(store)) == {A, "http://x.cn/1"}


def test_what_most_pages_of_a_site_show_does_not_count_wherever_it_stands(store):
    with store.begin() as conn:
        for number in range(12):
            a_list(conn, f"http://a.cn/list{number}", ["http://x.cn/menu", f"http://y.cn/{number}"])
        a_list(conn, B, ["http://x.cn/menu"])
    by_url = all_ranks(store)
    assert by_url["http://x.cn/menu"]["indegree"] == by_url["http://y.cn/3"]["indegree"] == 1


def test_links_of_articles_are_votes_but_make_no_hubs(store):
    with store.begin() as conn:
        a_list(conn, A, ["http://x.cn/1", "http://y.cn/2"])
        lease = lease_on(conn, "http://x.cn/1")
        links = (Link("http://y.cn/2", "锚", LinkKind.ARTICLE, Region.BODY),)
        pages.save(conn, PageResult(lease, STORED, article(lease.url), links=links), NOW)
    by_url = all_ranks(store)
    first, second = by_url["http://x.cn/1"], by_url["http://y.cn/2"]
    assert (second["indegree"], second["parent_indegree"], first["hub"]) == (2, 1, 0)
    assert second["pagerank"] > first["pagerank"]
    assert second["authority"] == pytest.approx(first["authority"])


def test_mirrors_are_the_other_hosts_that_show_the_same_article_or_a_reprint(store):
    with store.begin() as conn:
        urls = ["http://x.cn/1", "http://www.x.cn/1", "http://x.cn/copy", "http://y.cn/2", "http://z.cn/3"]
        for copy in urls[:4]:
            save_article(conn, copy, "同一正文")
        save_article(conn, urls[4], "别的正文")
        a_list(conn, A, urls)
        ids = conn.execute(text("SELECT id FROM articles ORDER BY id")).scalars().all()
        assert len(ids) == 2
    assert [all_ranks(store)[url]["mirrors"] for url in urls] == [2, 2, 2, 2, 0]
    with store.begin() as conn:
        for number, first in zip(ids, (True, False), strict=True):
            conn.execute(
                text("INSERT INTO reprints (article_id, group_id, is_first) VALUES (:id, :group, :first)"),
                {"id": number, "group": ids[0], "first": first},
            )
    assert [all_ranks(store)[url]["mirrors"] for url in urls] == [3, 3, 3, 3, 3]


def test_a_store_without_links_has_no_ranks(store):
    assert all_ranks(store) == {}
    with store.begin() as conn:
        ledger.offer(conn, [offer("http://x.cn/1")], NOW)
    assert all_ranks(store) == {}


def test_a_page_that_no_link_joins_any_more_and_a_forgotten_one_lose_their_ranks(store):
    with store.begin() as conn:
        a_list(conn, A, ["http://x.cn/1", "http://x.cn/2"])
    assert len(all_ranks(store)) == 3
    with store.begin() as conn:
        url_history.forget_url(conn, url_key("http://x.cn/2"))
        assert list(stored_ranks.facts_of(conn, url_key("http://x.cn/2"))) == []
        remaining = stored_ranks.top_pages(conn, "authority", 9)
        assert [row["url"] for row in remaining] == ["http://x.cn/1"]
        stored_links.forget(conn, url_key(A))
    assert all_ranks(store, NOW + 1) == {}


def test_the_top_is_that_of_a_site_or_of_all(store):
    with store.begin() as conn:
        assert not stored_ranks.are_known(conn)
        a_list(conn, A, ["http://x.cn/1", "http://x.cn/2"])
        a_list(conn, B, ["http://x.cn/1"], site="乙")
    all_ranks(store)
    with reading(store) as conn:
        assert [row["url"] for row in stored_ranks.top_pages(conn, "pagerank", 2)] == ["http://x.cn/1", "http://x.cn/2"]
        assert [row["url"] for row in stored_ranks.top_pages(conn, "hub", 5)] == [A, B]
        assert [row["url"] for row in stored_ranks.top_pages(conn, "hub", 5, "乙")] == [B]
        assert stored_ranks.top_pages(conn, "weight", 9)[0]["url"] == "http://x.cn/1"
        assert len(stored_ranks.top_pages(conn, "weight", 9)) == 4
        assert stored_ranks.are_known(conn)
        assert "times the mean" in dict(stored_ranks.facts_of(conn, url_key(A)))["ranks"]


def test_an_exception_of_the_progress_callback_ends_the_ranking(store):
    class EnoughError(Exception):
        pass

    def told(links):
        raise EnoughError(links)

    with store.begin() as conn:
        a_list(conn, A, ["http://x.cn/1"])
    with pytest.raises(EnoughError, match="1"):
        ranks.rank(store, told)


@on_postgresql
def test_another_writer_goes_on_while_ranks_are_stored(store):
    with store.begin() as conn:
        a_list(conn, A, ["http://x.cn/1", "http://x.cn/2"])
    ranked = ranks.rank(store)
    with ThreadPoolExecutor(1) as pool, store.begin() as conn:
        postgresql.take_turn(conn)
        pool.submit(ranks.keep, store, ranked, NOW).result(60)


def test_keys_are_found_among_others():
    keys = np.array([-5, 0, 7])
    assert graph.places(keys, np.array([7, 8, -6, -5])).tolist() == [2, -1, -1, 0]
    assert graph.places(keys[:0], keys).tolist() == [-1, -1, -1]


def test_much_is_read_in_several_parts(store, monkeypatch):
    with store.begin() as conn:
        a_list(conn, A, [f"http://x.cn/{n}" for n in range(9)])
        a_list(conn, B, [f"http://x.cn/{n}" for n in range(5)])
    whole = ranks.rank(store)
    monkeypatch.setattr(statement, "READ_AT_ONCE", 2)
    monkeypatch.setattr(graph, "READ_AT_ONCE", 2)
    assert ranks.rank(store).pagerank == pytest.approx(whole.pagerank)
    assert whole.links == whole.shown == 14
    assert replace(whole).rows(0, 2, NOW)[1]["key"] == whole.keys[1]


def test_the_hub_scores_of_the_channels_are_those_of_their_lists(store):
    site = from_home("http://a.cn/")
    channels = tuple(Channel(name, url, 5, ChannelKind.LIST) for name, url in (("要闻", A), ("教育", B), ("未读", C)))
    with store.begin() as conn:
        sites.put(conn, replace(site, name="站", channels=channels), NOW)
        a_list(conn, A, ["http://x.cn/1", "http://x.cn/2"])
        a_list(conn, B, ["http://x.cn/1"], channel="教育")
        assert stored_ranks.hub_scores(conn) == {}
    by_url = all_ranks(store)
    with store.begin() as conn:
        assert stored_ranks.hub_scores(conn) == {("站", "要闻"): by_url[A]["hub"], ("站", "教育"): by_url[B]["hub"]}
