import json
import random

import pytest
from sqlalchemy import text

from newsspider.core.duplicates.content_hashes import body_md5
from newsspider.core.duplicates.reprints import fingerprints_of
from newsspider.core.text.terminal_columns import column_count
from newsspider.core.text.text_comparison import normalise_text
from newsspider.store.articles import articles_by_body
from newsspider.store.articles.batch_jobs import REGROUP, OvertakenError, unfinished_pass
from newsspider.store.articles.reprints import begin_regrouping, regroup_next
from newsspider.store.engine.database import open_store, reading
from tests.support.commands import FIRST, WAITING, database, scrapy
from tests.support.killing import kill_when
from tests.support.samples import NOW, article, save_article
from tests.support.stories import STORY, day

__all__ = ["database", "scrapy"]

GROUPS = text("SELECT article_id, group_id, is_first, closest_id, containment, resemblance FROM reprints ORDER BY article_id")
ORIGINAL, COPY = "http://c.cn/1", "http://d.cn/1"


@pytest.fixture
def copied(database):
    engine = open_store(database)
    with engine.begin() as conn:
        for url, site, paragraphs, source, at in ((ORIGINAL, "甲报", STORY, None, 1), (COPY, "乙网", STORY[1:], "甲报", 2)):
            body = "\n".join(paragraphs)
            values = {"body_md5": body_md5("", body), "fingerprints": fingerprints_of(normalise_text(body)), "published_at": day(at)}
            save_article(conn, url, body, NOW, title="阳光招生", site=site, source=source, **values)
    engine.dispose()
    return database


def test_a_group_is_told_in_the_order_in_which_it_was_taken(copied, scrapy):
    ran = scrapy("reprints")
    assert (ran.code, ran.err) == (0, "")
    title, first, at_first, second, at_second, origin, *_ = ran.out.splitlines()
    assert title == "阳光招生 (2 pages of 2 sites)"
    assert (first, at_first) == ("  2026-11-01 16:00  甲报", f"    {ORIGINAL}")
    assert second == "  2026-11-02 16:00  乙网, 100% the same"
    assert (at_second, origin) == (f"    {COPY}", f"    from {ORIGINAL}")


def test_word_for_word_copies_on_several_sites_are_groups_too_and_the_most_pages_come_first(copied, scrapy):
    body = "各地公布了新学期的课程安排，家长可以在学校的网站上查看。"
    engine = open_store(copied)
    with engine.begin() as conn:
        for number, site in enumerate(("丙报", "丁网", "戊台")):
            url, title = f"http://{'efg'[number]}.cn/1", "新学期的课程安排" * 6
            save_article(conn, url, body, NOW + number, title=title, site=site, published_at=day(1))
        for number in range(4):
            save_article(conn, f"http://h.cn/{number}", f"{body}本站自己的一篇。", NOW, title="自己的", site="己站")
    engine.dispose()
    ran = scrapy("reprints")
    groups = [group.splitlines() for group in ran.out.split("\n\n")]
    assert [group[0][:4] for group in groups if group] == ["新学期的", "阳光招生"]
    assert groups[0][0].endswith("… (3 pages of 3 sites)")
    assert all(column_count(line) <= 80 for line in ran.out.splitlines())
    assert len(scrapy("reprints", "--limit", "1", "--json").out.splitlines()) == 1


def test_a_near_reprint_and_its_word_for_word_copies_are_one_group(copied, scrapy):
    engine = open_store(copied)
    with engine.begin() as conn:
        body = "\n".join(STORY)
        save_article(conn, "http://e.cn/1", body, NOW + 9, title="阳光招生", site="丙报", body_md5=body_md5("", body), published_at=day(3))
    engine.dispose()
    (group,) = map(json.loads, scrapy("reprints", "--json").out.splitlines())
    assert [step["url"] for step in group["chain"]] == [ORIGINAL, COPY, "http://e.cn/1"]


def test_json_has_the_same_with_all_figures(copied, scrapy):
    group = json.loads(scrapy("reprints", COPY, "--json").out)
    assert [(step["url"], step["taken_from"]) for step in group["chain"]] == [(ORIGINAL, None), (COPY, ORIGINAL)]
    assert group["chain"][1]["containment"] > 0.9
    assert group["chain"][1]["resemblance"] < 0.9


def test_an_article_alone_is_a_chain_of_one_and_no_article_is_none(copied, scrapy):
    assert len(json.loads(scrapy("reprints", FIRST, "--json").out)["chain"]) == 1
    ran = scrapy("reprints", WAITING)
    assert (ran.code, ran.out, ran.err) == (1, "", f"no article is stored of {WAITING}\n")


def test_a_rebuild_finds_the_same_groups(copied, scrapy):
    engine = open_store(copied)
    with engine.begin() as conn:
        old_rows = conn.execute(text("SELECT article_id, group_id, is_first FROM reprints ORDER BY article_id")).all()
        conn.execute(text("DELETE FROM reprints"))
        conn.execute(text("DELETE FROM fingerprints"))
    ran = scrapy("reprints", "--rebuild")
    assert (ran.code, ran.err.splitlines()[-1]) == (0, "4 articles grouped again")
    assert "4/4 100%" in ran.err
    with engine.begin() as conn:
        assert conn.execute(text("SELECT article_id, group_id, is_first FROM reprints ORDER BY article_id")).all() == old_rows
    engine.dispose()
    assert len(old_rows) == 2


COUNT = 1000


@pytest.mark.slow
def test_a_rebuild_that_was_killed_resumes_and_finds_the_same_groups(database, scrapy):
    engine = open_store(database)
    with engine.begin() as conn:
        for n in range(COUNT):
            letters = random.Random(n // 3)
            story = ["".join(chr(0x4E00 + letters.randrange(3000)) for _ in range(40)) + "。" for _ in range(6)]
            body = "\n".join(story[n % 3 :])
            prints = fingerprints_of(normalise_text(body))
            articles_by_body.keep(conn, n + 1, article(f"http://c.cn/{n}", body, body_md5=body_md5("", body), fingerprints=prints), NOW + n)
    scrapy("reprints", "--rebuild")
    with engine.begin() as conn:
        undisturbed = conn.execute(GROUPS).all()
    assert len(undisturbed) > COUNT / 3
    kill_when(lambda: 0 < placed(engine) < COUNT, database, "reprints", "--rebuild")
    middle = placed(engine)
    assert 0 < middle < COUNT
    with engine.begin() as conn:
        assert conn.execute(GROUPS).all() != undisturbed
    assert json.loads(scrapy("status", "--json").out)["regrouping"]["placed"] == middle
    for command in ("reprints", "status"):
        ran = scrapy(command)
        assert "scrapy reprints --rebuild was not finished" in ran.out + ran.err
    again = scrapy("reprints", "--rebuild")
    assert f"resuming after {middle} articles" in again.err
    with engine.begin() as conn:
        assert conn.execute(GROUPS).all() == undisturbed
    engine.dispose()
    assert "not finished" not in scrapy("reprints").err + scrapy("status").out


def placed(engine):
    """How many articles the run that is not finished has placed."""
    with reading(engine) as conn:
        run = unfinished_pass(conn, REGROUP)
        return run.done if run is not None else 0


def test_a_rebuild_that_another_process_goes_on_with_stops(copied):
    engine = open_store(copied)
    with engine.begin() as conn:
        begun = begin_regrouping(conn, NOW)
        assert regroup_next(conn, begun, 200).done == 4
        with pytest.raises(OvertakenError):
            regroup_next(conn, begun, 200)
    engine.dispose()


@pytest.mark.parametrize(
    "words",
    [("--rebuild", FIRST), ("--rebuild", "--limit", "3"), ("--rebuild", "--json"), ("--limit", "0"), ("no address",)],
)
def test_wrong_use_is_refused_and_changes_nothing(copied, scrapy, words):
    ran = scrapy("reprints", *words)
    assert (ran.code, ran.out, "Traceback" in ran.err) == (2, "", False)
