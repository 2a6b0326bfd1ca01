"""What people decide about events holds: in the store, when events are found again, and for articles that come."""

import pytest

from bench.analysis import store as store_pages
from bench.event_stream import stream
from newsspider.core.url import url_key
from newsspider.features.events import decisions
from newsspider.features.events import detection_run as advancing
from newsspider.features.events.detection_run import analyse_new
from newsspider.features.events.events import changes_of, events_by_size, of_article, read_events
from newsspider.features.events.tables import start_again
from newsspider.store.articles import articles_by_body
from newsspider.store.articles.article_filters import Filters
from newsspider.store.engine.database import reading, writing
from newsspider.store.tables import urls
from newsspider.store.url_history import forget_url

PAGES = stream(days=3, noise_a_day=4, seed=5).pages
NOW = max(page.crawled for page in PAGES) + 3600.0


@pytest.fixture
def analysed(store):
    store_pages(store, PAGES)
    assert sum(analyse_new(store)) > 0
    return store


def big(engine):
    """The numbers of the articles of the largest two events."""
    with reading(engine) as conn:
        return [members(event) for event in events_by_size(conn, Filters(), 2)]


def members(event):
    return sorted({page.article_id for page in event.pages})


def events_of(engine, numbers):
    """The members of the events of these articles, each event once."""
    with reading(engine) as conn:
        events = {event.id: event for number in numbers if (event := of_article(conn, number))}
    return sorted(map(members, events.values()))


def rebuild(engine):
    with writing(engine) as conn:
        start_again(conn, 0)
    assert sum(analyse_new(engine)) > 0


def event_id(conn, article):
    return of_article(conn, article).id


def test_a_part_that_is_split_off_stays_apart_through_a_rebuild_and_until_it_is_merged(analysed):
    first, _ = big(analysed)
    apart, rest = first[::2], first[1::2]
    with writing(analysed) as conn:
        assert decisions.split(conn, event_id(conn, first[0]), apart, NOW)
    assert events_of(analysed, first) == sorted([apart, rest])
    rebuild(analysed)
    assert events_of(analysed, first) == sorted([apart, rest])
    with writing(analysed) as conn:
        decisions.merge(conn, {event_id(conn, apart[0]), event_id(conn, rest[0])}, NOW)
    assert events_of(analysed, first) == [first]
    rebuild(analysed)
    assert events_of(analysed, first) == [first]


def test_events_that_are_merged_stay_one_and_a_split_has_its_way_with_them(analysed):
    first, second = big(analysed)
    with writing(analysed) as conn:
        decisions.merge(conn, {event_id(conn, first[0]), event_id(conn, second[0])}, NOW)
    rebuild(analysed)
    assert events_of(analysed, first + second) == [sorted(first + second)]
    with writing(analysed) as conn:
        assert decisions.split(conn, event_id(conn, first[0]), second, NOW)
    rebuild(analysed)
    assert events_of(analysed, first + second) == sorted([first, second])


@pytest.mark.parametrize("rebuilds", [False, True])
def test_a_decision_can_be_taken_back_and_made_again(analysed, rebuilds):
    first, second = big(analysed)
    one, two = [sorted(first + second)], sorted([first, second])
    with writing(analysed) as conn:
        assert not decisions.undo(conn, event_id(conn, first[0]), NOW)
        decisions.merge(conn, {event_id(conn, first[0]), event_id(conn, second[0])}, NOW)
    for expected in (two, one, two):
        with writing(analysed) as conn:
            assert decisions.undo(conn, event_id(conn, first[0]), NOW)
        if rebuilds:
            rebuild(analysed)
        assert events_of(analysed, first + second) == expected


FIRE = "今天上午，杭州实验小学实验楼发生火灾，消防车赶到现场，明火很快被扑灭，过火面积860平方米，疏散1465人。起火原因正在调查。"
CLOSED = "杭州实验小学实验楼发生火灾，过火面积320平方米，2210名学生停课，家长在校门口接走孩子，校车排起长队，志愿者送水。"
BOTH = "杭州实验小学实验楼发生火灾，消防车赶到现场，明火很快被扑灭，学生停课，家长在校门口接走孩子，校车排起长队。"


def store_at(engine, hour, title, text):
    """Store an article and put it with its event; returns its number."""
    page = PAGES[0]
    seconds = int(hour * 3600)
    at = {"published": page.published + seconds, "crawled": page.crawled + seconds}
    new = page._replace(url=f"http://fire.cn/{hour}", title=title, text=text, source=None, **at)
    (number,) = store_pages(engine, [new]).values()
    sum(analyse_new(engine))
    return number


def test_a_decision_is_taken_back_though_events_were_merged_since(store):
    title = "杭州实验小学突发火灾 师生紧急疏散"
    first, second = (store_at(store, hour, title, f"{FIRE}{more}") for hour, more in enumerate(("", "校长在场。")))
    with writing(store) as conn:
        assert decisions.split(conn, event_id(conn, first), [second], NOW)
    third = store_at(store, 2, "杭州实验小学停课，家长接走孩子", CLOSED)
    assert events_of(store, [first, second, third]) == [[first], [second], [third]]
    fourth = store_at(store, 3, "杭州实验小学火灾：师生紧急疏散，家长接走孩子", BOTH)
    with writing(store) as conn:
        (change,) = changes_of(conn, event_id(conn, fourth))
        assert (change["article"], change["other"]) == (fourth, third)
        assert decisions.undo(conn, event_id(conn, first), NOW)
    assert events_of(store, [first]) == [[first, second, third, fourth]]
    with writing(store) as conn:
        assert [change["other"] for change in changes_of(conn, first)] == [second, third]
        assert decisions.split(conn, first, [third], NOW)
        assert [change["other"] for change in changes_of(conn, first)] == [second]
        assert changes_of(conn, third) == []
        assert decisions.split(conn, first, [second], NOW)
        assert changes_of(conn, first) == []


def test_events_that_are_placed_again_are_as_old_as_their_articles(analysed):
    first, _ = big(analysed)
    with writing(analysed) as conn:
        crawled = dict(conn.exec_driver_sql("SELECT id, crawled_ts FROM articles").all())
        assert decisions.split(conn, event_id(conn, first[0]), first[:1], NOW)
        for part in (first[:1], first[1:]):
            seen = conn.exec_driver_sql(f"SELECT seen_ts FROM events WHERE id = {event_id(conn, part[0])}").scalar()
            assert seen == max(crawled[article] for article in part)


def test_words_that_were_read_before_are_not_worked_out_again_while_nobody_can_write(analysed, monkeypatch):
    first, second = big(analysed)
    with reading(analysed) as conn:
        decisions.prepare_events(conn, {event_id(conn, first[0]), event_id(conn, second[0])})
    monkeypatch.setattr(advancing, "article_terms", None)  # whoever calls it fails
    with writing(analysed) as conn:
        decisions.merge(conn, {event_id(conn, first[0]), event_id(conn, second[0])}, NOW)
        assert decisions.undo(conn, event_id(conn, first[0]), NOW)
    assert events_of(analysed, first + second) == sorted([first, second])


def test_none_or_all_of_the_articles_are_no_part(analysed):
    first, second = big(analysed)
    with writing(analysed) as conn:
        number = event_id(conn, first[0])
        assert [decisions.split(conn, number, chosen, NOW) for chosen in ([], first, second)] == [False] * 3
        assert not decisions.last_decision(conn, number)


def test_articles_that_come_join_one_part_and_make_them_no_event_again(analysed):
    first, _ = big(analysed)
    apart, rest = first[:1], first[1:]
    running = analyse_new(analysed)  # it holds the recent events in memory
    store_pages(analysed, [PAGES[-1]._replace(url="http://a.cn/x", title="另一件事", text="无关的消息。")])
    assert next(running) == 1
    with writing(analysed) as conn:
        assert decisions.split(conn, event_id(conn, first[0]), apart, NOW)
        urls = {page.copy.url for number in first for page in of_article(conn, number).pages}
    copies = [page for page in PAGES if page.url in urls]
    new = [page._replace(url=f"{page.url}?later", text=f"{page.text}编者按：本报将继续关注。") for page in copies]
    later = set(store_pages(analysed, new).values()) - set(first)
    assert sum(running) == len(later) > 0
    for again in (False, True):
        if again:
            rebuild(analysed)
        parts = events_of(analysed, first)
        assert sorted(sorted(set(part) - later) for part in parts) == sorted([apart, rest])
        assert later & {number for part in parts for number in part}


def test_a_decision_is_about_pages_and_outlives_their_articles(analysed):
    first, _ = big(analysed)
    apart, rest = first[:1], first[1:]
    with writing(analysed) as conn:
        event = of_article(conn, first[0])
        decisions.split(conn, event.id, apart, NOW)
        decisions.rename(conn, of_article(conn, apart[0]), "另一件事")
        urls = [page.copy.url for page in event.pages if page.article_id in apart]
        for url in urls:
            articles_by_body.drop_url(conn, url_key(url))
    changed = [page._replace(text=f"{page.text}更正：数字有误。") for page in PAGES if page.url in urls]
    anew = set(store_pages(analysed, changed).values())
    for again in (False, True):
        rebuild(analysed) if again else sum(analyse_new(analysed))
        assert events_of(analysed, [*rest, *anew]) == sorted([sorted(anew), rest])
        with reading(analysed) as conn:
            assert of_article(conn, min(anew)).title == "另一件事"


def test_a_title_stays_until_it_is_taken_away(analysed):
    first, second = big(analysed)
    with writing(analysed) as conn:
        event = of_article(conn, first[0])
        own = event.title
        for title in ("旧名", "新名"):
            decisions.rename(conn, of_article(conn, first[0]), title)
    rebuild(analysed)
    with writing(analysed) as conn:
        assert of_article(conn, first[0]).title == "新名"
        assert of_article(conn, second[0]).title != "新名"
        decisions.merge(conn, {event_id(conn, first[0]), event_id(conn, second[0])}, NOW)
        assert of_article(conn, second[0]).title == "新名"
        decisions.rename(conn, of_article(conn, first[0]), "")
        assert decisions.undo(conn, event_id(conn, first[0]), NOW)
        assert of_article(conn, first[0]).title == own


def test_nothing_is_left_of_a_decision_on_a_page_that_is_forgotten(analysed):
    first, _ = big(analysed)
    with writing(analysed) as conn:
        event = of_article(conn, first[0])
        decisions.rename(conn, event, "新名")
        url = event.first.copy.url
        known = {"key": url_key(url), "url": url, "host": "a.cn", "kind": "article", "state": "done", "reason": "stored", "found_at": 0.0}
        conn.execute(urls.insert().values(known))
        assert forget_url(conn, url_key(url))
        assert conn.exec_driver_sql("SELECT count(*) FROM event_decisions").scalar() == 0
        assert read_events(conn, [event.id])[event.id].title != "新名"
