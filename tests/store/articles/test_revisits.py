"""What the store makes of visits to stored articles: revisions, absences, and the snapshots of what vanished."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select, text

from newsspider.core.crawling.visit import Missed, PageResult, Settlement
from newsspider.core.duplicates.content_hashes import body_md5
from newsspider.core.model import ArticlePart, Reason, State
from newsspider.core.scheduling.vanished import Absence, ConfirmationThreshold
from newsspider.core.url import url_key
from newsspider.store import pages
from newsspider.store.articles import articles_by_body, revisits
from newsspider.store.articles.article_filters import THERE
from newsspider.store.articles.article_records import export_records
from newsspider.store.ledger import site_knowledge
from newsspider.store.tables import articles
from tests.support.samples import NOW, STORED, URL, article, in_parts, lease_on, named, offer, row, save_article

HOUR, DAY = 3600.0, 86_400.0
BODY = "第一段说了教育改革的安排。\n第二段说了课程与考试。\n第三段是结尾的话。"
OTHER = BODY.replace("课程", "招生")
PATIENCE = ConfirmationThreshold(3, 6 * HOUR)
MISSED = Settlement(State.DONE, Reason.MISSED, None, status=404)


def visit_that_misses(conn, now, url=URL, answers=True, absence=Absence.NOT_FOUND, due_at=None):
    conn.execute(text("UPDATE urls SET due_at = NULL WHERE url <> :url"), {"url": url})
    lease = lease_on(conn, url, now)
    at = now - 1 if answers else None
    conn.execute(text("UPDATE hosts SET page_at = :at, article_at = :at WHERE host = :host"), {"at": at, "host": lease.host})
    settlement = replace(MISSED, fetched_at=now, due_at=due_at)
    return pages.save(conn, PageResult(lease, settlement, effects=(Missed(absence, PATIENCE),)), now)


def save_under(conn, url, title, body="名单见附件。", now=NOW):
    return save_article(conn, url, body, now, title=title, body_md5=body_md5(title, body))


def count(conn, table):
    return conn.execute(text(f"SELECT count(*) FROM {table}")).scalar()


def kept(conn, url=URL):
    return revisits.revisions_of(conn, url_key(url))


# ---- changes


def test_a_text_that_changed_is_kept_as_it_was_with_the_paragraphs_that_differ(conn):
    first_save = save_article(conn, URL, BODY)
    saved = save_article(conn, URL, OTHER, NOW + HOUR)
    assert (saved.article_id, saved.changed, saved.visited) == (first_save.article_id, ("text",), True)
    (revision,) = kept(conn)
    assert (revision["text"], revision["parts"], revision["changed_at"]) == (BODY, ["text"], NOW + HOUR)
    assert revision["edits"] == [[["第二段说了课程与考试。"], ["第二段说了招生与考试。"]]]
    assert conn.execute(text("SELECT count(*) FROM snapshots WHERE name = :name"), {"name": revision["snapshot"]}).scalar() == 1
    (record,) = export_records(conn)
    assert record["text"] == OTHER
    assert record["snapshot"] != revision["snapshot"]


def test_the_same_text_is_no_change_whatever_else_the_page_says(conn):
    save_article(conn, URL, BODY)
    saved = save_article(conn, URL, BODY.replace("。", "！"), NOW + HOUR, link_count=99, meta_description="新")
    assert (saved.reason, saved.changed, saved.visited) == (Reason.UNCHANGED, (), True)
    assert kept(conn) == []


BROKEN = "青河市今年的财政收入同比增长3\n.5%，教育支出占比继续提高"
WHOLE = BROKEN.replace("\n", "")


def test_a_figure_that_is_broken_into_two_lines_no_more_is_no_change(conn):
    assert body_md5("", BROKEN) == body_md5("", WHOLE)
    save_article(conn, URL, BROKEN, body_md5=body_md5("", BROKEN))
    saved = save_article(conn, URL, WHOLE, NOW + HOUR, body_md5=body_md5("", WHOLE))
    assert (saved.changed, saved.reason, kept(conn)) == ((), Reason.UNCHANGED, [])


@pytest.mark.parametrize("page", [URL, "http://b.cn/2"])
def test_an_article_is_no_duplicate_of_itself_when_a_further_page_adds_nothing_to_its_text(conn, page):
    for url in dict.fromkeys((URL, page)):
        save_article(conn, url, BODY, body_md5=body_md5("", BODY))
    joined = article(page, f"{BODY}\n……", body_md5=body_md5("", BODY), parts=(ArticlePart(f"{page}_2", ""),))
    saved = articles_by_body.keep(conn, url_key(page), joined, NOW + HOUR)
    assert (saved.duplicate_of, saved.reason) == ((None, None) if page == URL else (URL, Reason.UNCHANGED))
    (record,) = export_records(conn)
    assert (record["url"], len(record["parts"])) == (URL, int(page == URL))


def test_a_page_that_is_the_same_to_the_byte_and_read_otherwise_has_not_changed(conn):
    page = b"<p>one page</p>"
    save_article(conn, URL, BODY, content=page)
    saved = save_article(conn, URL, OTHER, NOW + HOUR, content=page)
    assert (saved.changed, saved.visited, kept(conn)) == ((), True, [])
    (record,) = export_records(conn)
    assert record["text"] == OTHER, "it is stored as it is read now"
    assert save_article(conn, URL, BODY, NOW + 2 * HOUR, content=b"<p>another</p>").changed == ("text",)


def test_lines_that_were_learned_to_stand_around_the_texts_meanwhile_are_no_change(conn):
    save_article(conn, URL, f"{BODY}\n扫码关注本报")
    site_knowledge.note_boilerplate(conn, "站", ["扫码关注本报"], NOW)
    assert save_article(conn, URL, BODY, NOW + HOUR).changed == ()
    assert kept(conn) == []


def test_a_new_title_and_a_new_time_are_told_apart_from_the_text(conn):
    save_article(conn, URL, BODY, title="旧题")
    saved = save_article(conn, URL, BODY, NOW + HOUR, title="新题", published_at=datetime(2026, 11, 3, tzinfo=UTC))
    assert saved.changed == ("title", "time")
    (record,) = export_records(conn)
    assert (record["title"], record["published_at"][:10]) == ("新题", "2026-11-03")
    assert kept(conn)[0]["title"] == "旧题"
    assert revisits.visits(conn) == {"": (1, 0)}, "neither is a change of the text"


def test_the_clock_of_a_page_without_a_date_is_no_change_and_the_first_time_stays(conn):
    first = datetime(2026, 11, 3, 8, 2, tzinfo=UTC)
    for hours in range(4):
        visit = first + timedelta(hours=hours)
        saved = save_article(conn, URL, BODY, NOW + hours * HOUR, published_at=visit.replace(second=0), crawled_at=visit)
        assert saved.changed == ()
    (record,) = export_records(conn)
    assert record["published_at"] == first.isoformat()


def test_the_title_of_a_reprint_is_its_own(conn):
    save_under(conn, URL, "原题", BODY * 9)
    save_under(conn, "http://b.cn/2", "转载的题", BODY * 9, NOW + 1)
    assert save_under(conn, "http://b.cn/2", "转载的题", BODY * 9, NOW + HOUR).changed == ()
    assert save_under(conn, "http://b.cn/2", "又一个题", BODY * 9, NOW + 2 * HOUR).changed == ("title",)
    (record,) = export_records(conn)
    assert record["title"] == "原题"


def test_a_short_text_whose_title_changes_is_another_body(conn):
    save_under(conn, URL, "教师名单")
    assert save_under(conn, URL, "学生名单", now=NOW + HOUR).changed == ("title",)
    twin = save_under(conn, "http://b.cn/2", "学生名单", now=NOW + 2 * HOUR)
    other = save_under(conn, "http://b.cn/3", "教师名单", now=NOW + 3 * HOUR)
    assert (twin.duplicate_of, other.duplicate_of) == (URL, None)
    assert [(record["title"], len(record["urls"])) for record in export_records(conn)] == [("学生名单", 2), ("教师名单", 1)]


def test_one_of_two_pages_of_a_short_text_that_gets_another_title_is_an_article_of_its_own(conn):
    save_under(conn, URL, "教师名单")
    assert save_under(conn, "http://b.cn/2", "教师名单", now=NOW + 1).duplicate_of == URL
    assert save_under(conn, "http://b.cn/2", "学生名单", now=NOW + HOUR).changed == ("title",)
    assert [(record["url"], record["title"]) for record in export_records(conn)] == [(URL, "教师名单"), ("http://b.cn/2", "学生名单")]
    assert save_under(conn, URL, "学生名单", now=NOW + 2 * HOUR).duplicate_of == "http://b.cn/2"
    assert [record["title"] for record in export_records(conn)] == ["学生名单"]


def test_a_change_and_a_change_back_are_two(conn):
    for n, body in enumerate((BODY, OTHER, BODY)):
        save_article(conn, URL, body, NOW + n * HOUR)
    assert [revision["text"] for revision in kept(conn)] == [BODY, OTHER]


def part_of(url, body, parts):
    first = article(url, "第一页")
    return article(url, body, snapshot=first.snapshot, parts=parts, content=parts[-1].url.encode())


def test_the_first_page_of_an_article_in_several_does_not_cut_it_short_when_it_is_read_again(conn):
    save_article(conn, URL, "第一页。")
    whole = part_of(URL, "第一页。\n第二页。", (ArticlePart(f"{URL}_2", "p2"),))
    lease = lease_on(conn, f"{URL}_2", NOW + 1)
    pages.save(conn, PageResult(lease, replace(STORED, reason=Reason.JOINED), whole), NOW + 1)
    assert kept(conn) == [], "a further page that comes is no change"
    further = offer(f"{URL}_2", part_of="标题", due_at=NOW + HOUR)
    lease = lease_on(conn, URL, NOW + HOUR)
    saved = pages.save(conn, PageResult(lease, STORED, article(URL, "第一页改了。"), offers=(further,)), NOW + HOUR)
    assert saved.changed == ()
    assert next(iter(export_records(conn)))["text"] == "第一页。\n第二页。"
    again = part_of(URL, "第一页改了。\n第二页。", (ArticlePart(f"{URL}_2", "p2"),))
    lease = lease_on(conn, f"{URL}_2", NOW + 2 * HOUR)
    saved = pages.save(conn, PageResult(lease, replace(STORED, reason=Reason.JOINED), again), NOW + 2 * HOUR)
    assert saved.changed == ("text",)
    assert next(iter(export_records(conn)))["text"] == "第一页改了。\n第二页。"


def test_visits_and_changes_are_counted_a_site(conn):
    save_article(conn, URL, BODY)
    save_article(conn, URL, BODY, NOW + HOUR)
    save_article(conn, URL, OTHER, NOW + 2 * HOUR)
    assert revisits.visits(conn) == {"": (2, 1)}


# ---- absences


def test_an_article_that_is_missing_again_and_again_has_vanished_and_its_text_stays(conn):
    save_article(conn, URL, BODY)
    visits = [visit_that_misses(conn, NOW + hours * HOUR) for hours in (1, 4, 7, 10)]
    assert [saved.reason for saved in visits] == [Reason.MISSED, Reason.MISSED, Reason.GONE, Reason.GONE]
    assert [saved.vanished for saved in visits] == [False, False, True, False]
    assert (row(conn).detail, row(conn).due_at) == ("not_found", None)
    (record,) = export_records(conn)
    assert (record["text"], record["absence"], record["vanished_at"]) == (BODY, "not_found", "2027-01-15T15:00:00+00:00")


def test_a_page_that_is_missing_is_looked_at_again_before_its_next_step(conn):
    save_article(conn, URL, BODY)
    visit_that_misses(conn, NOW + HOUR, due_at=NOW + 2 * DAY)
    assert row(conn).due_at == NOW + 4 * HOUR
    visit_that_misses(conn, NOW + 4 * HOUR, due_at=NOW + 5 * HOUR)
    assert row(conn).due_at == NOW + 5 * HOUR


def test_a_site_that_is_out_loses_nothing(conn):
    save_article(conn, URL, BODY)
    visits = [visit_that_misses(conn, NOW + hours * HOUR, answers=False) for hours in (1, 4, 7, 10, 40, 90)]
    assert {saved.reason for saved in visits} == {Reason.MISSED}


def test_an_article_that_comes_back_has_not_vanished_any_more(conn):
    save_article(conn, URL, BODY)
    for hours in (1, 4, 7):
        visit_that_misses(conn, NOW + hours * HOUR)
    saved = save_article(conn, URL, BODY, NOW + 8 * HOUR)
    assert (saved.returned, saved.visited) == (True, True)
    (record,) = export_records(conn)
    assert (record["vanished_at"], record["absence"]) == (None, None)
    row = conn.execute(text("SELECT misses, missing_since, return_count, returned_at FROM missing_articles")).one()
    assert row == (0, None, 1, NOW + 8 * HOUR)
    visits = [visit_that_misses(conn, NOW + (20 + 3 * n) * HOUR) for n in range(6)]
    assert [saved.reason for saved in visits] == [Reason.MISSED] * 5 + [Reason.GONE], "twice as many are needed now"


def test_a_miss_whose_lease_has_ended_is_not_written(conn):
    save_article(conn, URL, BODY)
    late = replace(lease_on(conn, URL, NOW + 1), token=99)
    saved = pages.save(conn, PageResult(late, MISSED, effects=(Missed(Absence.GONE, PATIENCE),)), NOW + 2)
    assert not saved.settled
    assert count(conn, "missing_articles") == 0


def test_a_miss_of_an_article_that_went_meanwhile_is_settled_and_not_kept(conn):
    save_article(conn, URL, BODY)
    lease = lease_on(conn, URL, NOW + 1)
    articles_by_body.drop_url(conn, url_key(URL))
    saved = pages.save(conn, PageResult(lease, replace(MISSED, fetched_at=NOW + 2), effects=(Missed(Absence.GONE, PATIENCE),)), NOW + 2)
    assert saved.settled
    assert count(conn, "missing_articles") == 0


def test_the_snapshots_of_what_vanished_are_removed_once_and_nothing_else(conn):
    save_article(conn, URL, BODY)
    save_article(conn, URL, OTHER, NOW + HOUR)
    save_article(conn, "http://b.cn/2", "另一篇文章。")
    save_article(conn, "http://c.cn/3", "第三篇文章。")
    save_article(conn, "http://d.cn/3", "第三篇文章。", NOW + 1)
    for hours in (2, 5, 8):
        visit_that_misses(conn, NOW + hours * HOUR)
        visit_that_misses(conn, NOW + hours * HOUR, "http://c.cn/3")  # but not that of its reprint
    assert revisits.delete_vanished_snapshots(conn, NOW + 7 * HOUR, NOW + 9 * HOUR, 10) == 0
    assert revisits.delete_vanished_snapshots(conn, NOW + 8 * HOUR, NOW + 9 * HOUR, 10) == 1
    assert revisits.delete_vanished_snapshots(conn, NOW + 8 * HOUR, NOW + 9 * HOUR, 10) == 0
    records = {record["url"]: record for record in export_records(conn)}
    assert (records[URL]["snapshot"], records[URL]["text"]) == ("", OTHER)
    assert kept(conn)[0]["snapshot"] == ""
    assert kept(conn)[0]["text"] == BODY
    assert count(conn, "snapshots") == 2


def test_the_snapshots_of_revisions_are_removed_though_the_last_reading_had_none(conn):
    save_article(conn, URL, BODY)
    save_article(conn, URL, OTHER, NOW + HOUR, snapshot="", content=b"")
    assert (next(iter(export_records(conn)))["snapshot"], count(conn, "snapshots")) == ("", 1)
    for hours in (2, 5, 8):
        visit_that_misses(conn, NOW + hours * HOUR)
    assert revisits.delete_vanished_snapshots(conn, NOW + 8 * HOUR, NOW + 9 * HOUR, 10) == 1
    assert (kept(conn)[0]["snapshot"], count(conn, "snapshots")) == ("", 0)
    assert revisits.delete_vanished_snapshots(conn, NOW + 8 * HOUR, NOW + 9 * HOUR, 10) == 0


def test_the_snapshots_of_further_pages_are_removed_but_for_those_that_another_article_names(conn):
    """And are named no more: what is read of them later is kept and removed like any page."""
    for version in ("旧", "新"):
        in_parts(conn, URL, f"{version}的第一页说了课程", f"{version}的第二页说了招生", "两篇都有的一页")
    in_parts(conn, "http://b.cn/1", "乙的第一页", "两篇都有的一页")
    assert [count(conn, table) for table in ("snapshots", "article_part_snapshots", "revision_part_snapshots")] == [6, 3, 2]
    for hours in (2, 5, 8):
        visit_that_misses(conn, NOW + hours * HOUR)
    assert revisits.delete_vanished_snapshots(conn, NOW + 8 * HOUR, NOW + 9 * HOUR, 10) == 1
    assert set(conn.execute(text("SELECT name FROM snapshots")).scalars()) == {named("乙的第一页"), named("两篇都有的一页")}
    assert [count(conn, table) for table in ("article_part_snapshots", "revision_part_snapshots")] == [1, 0]


def visit_that_leads_elsewhere(conn, url, now):
    settlement = replace(STORED, reason=Reason.REDIRECT, status=301, fetched_at=now)
    pages.save(conn, PageResult(lease_on(conn, url, now), settlement), now)


def shown(conn):
    return [article_id for (article_id,) in conn.execute(select(articles.c.id).where(THERE).order_by(articles.c.id))]


def test_an_article_that_moved_has_vanished_with_the_page_that_it_moved_to(conn):
    stored = save_article(conn, URL, BODY)
    visit_that_leads_elsewhere(conn, URL, NOW + 1)
    assert shown(conn) == [stored.article_id], "where it leads was not read yet"
    assert save_article(conn, "http://a.cn/2", BODY, NOW + 2).article_id == stored.article_id
    for hours in (1, 4, 7):
        assert shown(conn) == [stored.article_id]
        assert next(export_records(conn))["vanished_at"] is None
        assert revisits.delete_vanished_snapshots(conn, NOW + 99 * HOUR, NOW + 99 * HOUR, 10) == 0
        visit_that_misses(conn, NOW + hours * HOUR, "http://a.cn/2")
    assert shown(conn) == []
    (record,) = export_records(conn)
    assert (record["absence"], record["vanished_at"]) == ("not_found", "2027-01-15T15:00:00+00:00")
    assert revisits.delete_vanished_snapshots(conn, NOW + 8 * HOUR, NOW + 8 * HOUR, 10) == 1
    assert count(conn, "snapshots") == 0


def test_an_article_of_which_every_page_leads_elsewhere_is_there_until_the_last_of_them_has_vanished(conn):
    another = save_article(conn, "http://b.cn/3", "另一篇文章。")
    stored = save_article(conn, URL, BODY)
    save_article(conn, "http://a.cn/2", BODY, NOW + 1)
    for hours in (1, 4, 7):
        visit_that_misses(conn, NOW + hours * HOUR)
    for n, url in enumerate((URL, "http://a.cn/2")):
        visit_that_leads_elsewhere(conn, url, NOW + (8 + n) * HOUR)
    assert shown(conn) == [another.article_id, stored.article_id]
    assert [record["vanished_at"] for record in export_records(conn)] == [None, None]
    assert revisits.delete_vanished_snapshots(conn, NOW + 99 * HOUR, NOW + 99 * HOUR, 10) == 0


def test_a_page_that_is_no_article_any_more_adds_no_miss_and_ends_none(conn):
    save_article(conn, URL, BODY)
    visit_that_misses(conn, NOW + HOUR)
    lease = lease_on(conn, URL, NOW + 2 * HOUR)
    pages.save(conn, PageResult(lease, replace(STORED, reason=Reason.NOT_AN_ARTICLE)), NOW + 2 * HOUR)
    assert conn.execute(text("SELECT misses FROM missing_articles WHERE missing_since IS NOT NULL")).scalar() == 1


def test_revisions_are_json_that_other_tools_read(conn):
    save_article(conn, URL, BODY)
    save_article(conn, URL, OTHER, NOW + HOUR)
    edits = conn.execute(text("SELECT edits FROM revisions")).scalar()
    assert json.loads(edits) == [[["第二段说了课程与考试。"], ["第二段说了招生与考试。"]]]
    assert "第二段" in edits


@pytest.mark.parametrize(("table", "rows"), [("missing_articles", 0), ("articles", 0), ("revisions", 2)])
def test_what_is_off_topic_now_is_only_kept_as_what_it_was(conn, table, rows):
    save_article(conn, URL, BODY)
    save_article(conn, URL, OTHER, NOW + HOUR)
    visit_that_misses(conn, NOW + 2 * HOUR)
    lease = lease_on(conn, URL, NOW + 3 * HOUR)
    refused = replace(STORED, reason=Reason.OFF_TOPIC, topic="education")
    pages.save(conn, PageResult(lease, refused), NOW + 3 * HOUR)
    assert count(conn, table) == rows


@pytest.mark.parametrize("text_of_another", [OTHER, "这是另一篇已经存下的文章。\n它有自己的两段话。"])
def test_a_url_whose_text_goes_another_way_than_that_of_its_reprints_keeps_its_past(conn, text_of_another):
    save_article(conn, URL, BODY)
    save_article(conn, "http://b.cn/2", BODY, NOW + 1)
    if text_of_another != OTHER:
        save_article(conn, "http://c.cn/3", text_of_another, NOW + 2)
    visit_that_misses(conn, NOW + HOUR)
    save_article(conn, URL, text_of_another, NOW + 2 * HOUR)
    own = "SELECT u.added_at, m.return_count FROM article_urls u LEFT JOIN missing_articles m ON m.key = u.key WHERE u.url = :url"
    assert conn.execute(text(own), {"url": URL}).one() == (NOW, 1)
    assert sorted(record["url"] for record in export_records(conn)) == sorted(["http://b.cn/2", URL if text_of_another == OTHER else "http://c.cn/3"])
