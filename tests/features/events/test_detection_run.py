"""The analysis of a store, step by step."""

import os
from threading import Event

import pytest
from sqlalchemy import text

from bench.analysis import article_of
from bench.analysis import store as store_pages
from bench.event_stream import stream
from newsspider.core.url import url_key
from newsspider.features.events import detection_run as advancing
from newsspider.features.events.detection_run import analyse_new, count_unanalysed
from newsspider.features.events.events import changes_of, events_by_size, of_article
from newsspider.features.events.rules.terms import article_terms
from newsspider.features.events.tables import start_again
from newsspider.store.articles import articles_by_body
from newsspider.store.articles.article_filters import Filters
from newsspider.store.engine.database import open_store, writing
from newsspider.store.engine.postgresql import take_turn
from tests.support.events import until
from tests.support.process import Process
from tests.support.samples import save_article
from tests.support.stores import on_postgresql

TABLES = {"events": "id", "event_articles": "article_id", "event_changes": "article_id, event_id, other_id"}
PAGES = stream(days=4, noise_a_day=8, seed=5).pages


def tables(engine):
    """All that the analysis wrote, and how far it is."""
    with engine.connect() as conn:
        contents = {name: conn.execute(text(f"SELECT * FROM {name} ORDER BY {key}")).all() for name, key in TABLES.items()}
        done = conn.execute(text("SELECT last_done_id FROM batch_jobs WHERE kind = 'analyse'")).scalar_one()
    return {**contents, "done": done}


def rebuilt(engine):
    """The same, made again from the articles."""
    with writing(engine) as conn:
        start_again(conn, 0)
    assert sum(analyse_new(engine)) > 0
    return tables(engine)


@pytest.fixture
def analysed(store):
    """A store that was analysed after every tenth page."""
    for start in range(0, len(PAGES), 10):
        store_pages(store, PAGES[start : start + 10])
        assert sum(analyse_new(store)) > 0
    return store


def test_many_steps_lead_to_the_same_as_one(analysed):
    assert sum(analyse_new(analysed)) == 0
    stepwise = tables(analysed)
    assert len(stepwise["event_articles"]) == stepwise["done"] > 100
    assert 1 < len(stepwise["events"]) < len(stepwise["event_articles"])
    assert stepwise == rebuilt(analysed)


def analyse(urls):
    """Say so after each step of a few articles."""
    advancing.ARTICLES_AT_ONCE = 15
    for _ in analyse_new(open_store(urls[0])):
        os.write(1, b"step\n")


def test_a_killed_analysis_goes_on_where_it_was(store, url, tmp_path):
    store_pages(store, PAGES)
    for steps in (1, 3, 2):
        out = tmp_path / f"{steps}"
        process = Process([url], os.environ, tmp_path / "log", out, program=analyse)
        until(lambda out=out, steps=steps: out.exists() and out.read_text("utf-8").count("step") >= steps, process)
        process.kill()
    with store.connect() as conn:
        assert count_unanalysed(conn) > 0
    sum(analyse_new(store))
    assert tables(store) == rebuilt(store)


def test_two_that_analyse_at_once_share_the_work(store, monkeypatch):
    monkeypatch.setattr(advancing, "ARTICLES_AT_ONCE", 20)
    store_pages(store, PAGES)
    first, second = analyse_new(store), analyse_new(store)
    steps = [next(turn, 0) for _ in range(len(PAGES)) for turn in (first, second)]
    assert sum(steps) == len(tables(store)["event_articles"])
    assert tables(store) == rebuilt(store)


@on_postgresql
def test_an_article_that_a_slower_writer_commits_while_others_are_read_gets_its_event(store, monkeypatch):
    slow = store.connect()
    take_turn(slow)
    articles_by_body.keep(slow, url_key(PAGES[0].url), article_of(PAGES[0]), PAGES[0].crawled)  # it has the lower number
    with store.begin() as quick:
        take_turn(quick)
        articles_by_body.keep(quick, url_key(PAGES[1].url), article_of(PAGES[1]), PAGES[1].crawled)

    def committing(title, lead):
        slow.commit()
        return article_terms(title, lead)

    monkeypatch.setattr(advancing, "article_terms", committing)
    assert sum(analyse_new(store)) == 2
    slow.close()
    assert len(tables(store)["event_articles"]) == 2
    assert tables(store) == rebuilt(store)


def test_articles_that_are_dropped_leave_their_events(analysed):
    with analysed.connect() as conn:
        event = events_by_size(conn, Filters(), 1)[0]
    dropped_url = event.pages[0].copy.url
    with writing(analysed) as conn:
        articles_by_body.drop_url(conn, conn.execute(text("SELECT key FROM article_urls WHERE url = :url"), {"url": dropped_url}).scalar())
    with analysed.connect() as conn:
        assert dropped_url not in {page.copy.url for page in events_by_size(conn, Filters(), 1)[0].pages}


def test_an_event_has_its_first_page_and_is_had_by_any_of_its_articles(analysed):
    with analysed.connect() as conn:
        event = events_by_size(conn, Filters(), 1)[0]
        assert event.first.moment == min(page.moment for page in event.pages if not page.is_post)
        assert {of_article(conn, page.article_id).id for page in event.pages} == {event.id}
        assert {change["event"] for change in changes_of(conn, event.id)} <= {event.id}
        assert event.title in {page.title for page in event.pages}
        assert sum(event.timeline().values()) == len(event.pages) == sum(event.counts("site").values())


def test_an_error_of_ours_does_not_end_the_analysis(store, monkeypatch, caplog) -> None:
    ended, calls = Event(), []

    def fails_once(engine):
        calls.append(engine)
        if len(calls) == 1:
            raise ZeroDivisionError
        ended.set()
        return ()

    with store.begin() as conn:
        save_article(conn, "http://a.cn/1", "高考改革方案公布")
    monkeypatch.setattr(advancing, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(advancing, "analyse_new", fails_once)
    advancing.keep_events(store, ended)
    assert len(calls) == 2
    assert "events are not brought up to date: an error of newsspider" in caplog.text
