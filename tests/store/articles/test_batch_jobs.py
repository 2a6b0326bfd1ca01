"""Passes through the stored articles."""

from collections import Counter

import pytest

from newsspider.store.articles import batch_jobs
from newsspider.store.articles.article_filters import Filters
from newsspider.store.articles.batch_jobs import OvertakenError
from tests.support.samples import NOW, save_article


@pytest.fixture
def three(conn):
    """Three articles."""
    for n in range(3):
        save_article(conn, f"http://a.cn/{n}", f"第{n}篇", NOW + n, site="甲" if n else "乙")
    return conn


def begun(conn):
    return batch_jobs.begin_pass(conn, "reread", "{}", NOW)


def test_a_pass_goes_through_the_articles_that_there_were_when_it_began(three):
    run = begun(three)
    save_article(three, "http://a.cn/new", "后来的一篇", NOW + 9)
    first, second = batch_jobs.next_rows(three, run, 2)
    assert batch_jobs.remaining_articles(three, run) == 3
    run = batch_jobs.advance_pass(three, run, second["id"], Counter(changed=2))
    (third,) = batch_jobs.next_rows(three, run, 2)
    assert first["id"] < second["id"] < third["id"]
    assert (run.done, batch_jobs.remaining_articles(three, run)) == (2, 1)


def test_a_pass_covers_only_the_articles_that_meet_its_conditions(three):
    run, own = begun(three), Filters(site="甲")
    assert batch_jobs.remaining_articles(three, run, own) == len(batch_jobs.next_rows(three, run, 9, own)) == 2


def test_an_unfinished_pass_is_found_where_it_stopped(three):
    run = batch_jobs.advance_pass(three, begun(three), 2, Counter(changed=1, merged=1))
    assert batch_jobs.unfinished_pass(three, "reread") == batch_jobs.unfinished_pass(three, "reread", "{}") == run
    assert batch_jobs.unfinished_pass(three, "reread", '{"site": "甲"}') is batch_jobs.unfinished_pass(three, "regroup") is None
    batch_jobs.finish_pass(three, run, NOW)
    assert batch_jobs.unfinished_pass(three, "reread") is None


def test_of_two_processes_that_advance_a_pass_the_second_is_overtaken(three):
    run = begun(three)
    after = batch_jobs.advance_pass(three, run, 2, Counter(changed=1))
    for late in (lambda: batch_jobs.advance_pass(three, run, 2, Counter(changed=1)), lambda: batch_jobs.finish_pass(three, run, NOW)):
        with pytest.raises(OvertakenError):
            late()
    batch_jobs.finish_pass(three, after, NOW)
    with pytest.raises(OvertakenError):
        batch_jobs.advance_pass(three, after, 3, Counter(changed=1))
