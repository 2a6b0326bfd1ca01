"""Passes through the stored articles."""

from __future__ import annotations

import runpy
from collections import Counter
from importlib.resources import files

import pytest
from alembic.migration import MigrationContext
from alembic.operations import Operations
from sqlalchemy import text

from newsspider.store.articles import batch_jobs, regroupings, rereads
from newsspider.store.articles.batch_jobs import Overtaken
from newsspider.store.articles.export import Filters
from tests.store.samples import NOW, save_article


@pytest.fixture
def three(conn):
    """Three articles."""
    for n in range(3):
        save_article(conn, f"http://a.cn/{n}", f"第{n}篇", NOW + n, site="甲" if n else "乙")
    return conn


def begun(conn):
    return batch_jobs.begin(conn, "reread", "{}", NOW)


def test_a_pass_goes_through_the_articles_that_there_were_when_it_began(three):
    run = begun(three)
    save_article(three, "http://a.cn/new", "后来的一篇", NOW + 9)
    first, second = batch_jobs.following(three, run, 2)
    assert batch_jobs.left(three, run) == 3
    run = batch_jobs.went_on(three, run, second["id"], Counter(changed=2))
    (third,) = batch_jobs.following(three, run, 2)
    assert first["id"] < second["id"] < third["id"]
    assert (run.done, batch_jobs.left(three, run)) == (2, 1)


def test_only_articles_that_meet_the_conditions_are_before_it(three):
    run, own = begun(three), Filters(site="甲")
    assert batch_jobs.left(three, run, own) == len(batch_jobs.following(three, run, 9, own)) == 2


def test_one_that_was_not_finished_is_found_as_it_stood(three):
    run = batch_jobs.went_on(three, begun(three), 2, Counter(changed=1, merged=1))
    assert batch_jobs.unfinished(three, "reread") == batch_jobs.unfinished(three, "reread", "{}") == run
    assert batch_jobs.unfinished(three, "reread", '{"site": "甲"}') is batch_jobs.unfinished(three, "regroup") is None
    batch_jobs.finish(three, run, NOW)
    assert batch_jobs.unfinished(three, "reread") is None


def test_of_two_that_go_on_with_it_the_second_is_told(three):
    run = begun(three)
    after = batch_jobs.went_on(three, run, 2, Counter(changed=1))
    for late in (lambda: batch_jobs.went_on(three, run, 2, Counter(changed=1)), lambda: batch_jobs.finish(three, run, NOW)):
        with pytest.raises(Overtaken):
            late()
    batch_jobs.finish(three, after, NOW)
    with pytest.raises(Overtaken):
        batch_jobs.went_on(three, after, 3, Counter(changed=1))


def test_the_migration_carries_over_what_was_not_finished(store):
    both = "id INTEGER, after_id INTEGER, last_id INTEGER, began_at FLOAT, finished_at FLOAT"
    old = (
        f"CREATE TABLE rereads ({both}, filters TEXT, figures TEXT)",
        f"CREATE TABLE regroupings ({both}, method TEXT, placed BIGINT)",
        """INSERT INTO rereads VALUES (1, 9, 9, 1, 2, '{}', '{"changed": 9}')""",
        """INSERT INTO rereads VALUES (2, 5, 9, 1, NULL, '{"site": "甲"}', '{"changed": 4, "newer": 1}')""",
        "INSERT INTO regroupings VALUES (1, 9, 9, 1, 2, '{}', 9)",
        """INSERT INTO regroupings VALUES (2, 7, 9, 1, NULL, '{"k": 5}', 6)""",
    )
    with store.begin() as conn:
        for statement in ("DROP TABLE passes", *old):
            conn.execute(text(statement))
    with store.begin() as conn, Operations.context(MigrationContext.configure(conn)):
        runpy.run_path(str(files("newsspider.store.migrations").joinpath("versions/0013_passes.py")))["upgrade"]()
    with store.begin() as conn:
        reread, regrouping = rereads.begin(conn, Filters(site="甲"), NOW), regroupings.unfinished(conn)
        assert (reread.after_id, reread.last_id, reread.figures) == (5, 9, Counter(changed=4, newer=1))
        assert (regrouping.after_id, regrouping.done, regrouping.asked) == (7, 6, '{"k": 5}')
        assert conn.execute(text("SELECT count(*) FROM passes")).scalar() == 2
