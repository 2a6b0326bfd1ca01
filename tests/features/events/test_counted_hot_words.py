"""Hot words on the front page and in the API, counted once for many readers."""

import threading
from concurrent.futures import ThreadPoolExecutor, as_completed
from datetime import timedelta
from itertools import islice

import pytest

from newsspider.features.console.child_process import ChildError
from newsspider.features.events import counted_hot_words, pages
from newsspider.features.events.detection_run import analyse_new
from newsspider.store.engine.database import writing
from tests.features.console.conftest import TODAY, Morning, _warm_child_processes, new_child_processes
from tests.features.console.consoles import client
from tests.support.samples import save_article
from tests.support.stores import on_postgresql

__all__ = ["_warm_child_processes", "client", "new_child_processes"]

PLACES = ["东河县", "西江市", "北山区", "南湖镇", "清溪县", "云台市", "长桥区", "石门县"]
ENDS = ["食堂停业", "操场封闭", "家长自愿接回", "校车停开", "口罩到货", "宿舍消杀", "课程改到网上", "专家进校"]


@pytest.fixture
def outbreak(filled, monkeypatch):
    """Two weeks of other news, and a morning on which many write of one thing; a busy machine takes its time to count."""
    monkeypatch.setattr(pages, "WORDS_SECONDS", 60.0)
    with writing(filled) as conn:
        for day in range(1, 14):
            for number in range(4):
                moment = TODAY - timedelta(days=day, hours=number)
                text = f"{PLACES[number]}小学今天举行运动会，{day}个班的学生参加了接力赛跑。"
                dates = {"published_at": moment, "crawled_at": moment}
                save_article(conn, f"http://old.cn/{day}/{number}", text, title=f"{PLACES[number]}小学运动会第{day}天", **dates)
        for number, place in enumerate(PLACES):
            moment = TODAY - timedelta(hours=2, minutes=number)
            text = f"{place}诺如病毒感染，{ENDS[number]}。"
            dates = {"published_at": moment, "crawled_at": moment}
            save_article(conn, f"http://new.cn/{number}", text, title=f"诺如病毒：{ENDS[number]}", site=f"站{number}", **dates)
    for _ in analyse_new(filled):
        pass
    return filled


@on_postgresql
def test_hot_words_are_counted_once_and_lead_to_their_articles(outbreak, client, monkeypatch) -> None:
    counted = []
    count = counted_hot_words.counted_apart
    monkeypatch.setattr(counted_hot_words, "counted_apart", lambda *values: counted.append(values) or count(*values))
    words = client.get("/api/v1/hot-words", params={"limit": 3}).json()["words"]
    hot = next(word for word in words if "诺如" in word["word"])
    assert hot["articles"] == len(PLACES)
    assert hot["expected"] < 1
    assert "诺如" in hot["why"][0]["title"]
    page = client.get("/").text
    assert "热词" in page
    assert f">{hot['word']} <small>{len(PLACES)}</small></a>" in page
    assert "8 篇，平时" in page
    assert len(counted) == 1
    assert client.get("/?day=2026-11-24").status_code == 200
    assert client.get("/api/v1/hot-words?hours=1").json() == {"words": []}


def test_hot_words_of_a_past_day_lead_to_articles_of_that_day(outbreak, client, monkeypatch) -> None:
    monkeypatch.setattr(pages, "SHOWN_WORDS_SECONDS", 60.0)
    clock = Morning()
    clock.now = lambda: TODAY.timestamp() + 2 * 86_400
    client.app.state.clock = clock
    page = client.get("/?day=2026-11-25").text
    assert "%22+since%3A2026-11-25+until%3A2026-11-25" in page
    assert "/api/v1/hot-words?day=2026-11-25" in page
    words = client.get("/api/v1/hot-words?day=2026-11-25").json()["words"]
    assert any("诺如" in word["word"] for word in words)
    assert client.get("/api/v1/hot-words?day=2026-11-01").json() == {"words": []}
    assert client.get("/api/v1/hot-words?day=9999-12-31").status_code == 400


def test_a_front_page_without_hot_words_says_nothing_of_them(client) -> None:
    assert "热词" not in client.get("/?day=2020-01-01").text


def test_one_time_is_counted_at_once_and_others_wait_for_their_turn(outbreak, client, monkeypatch) -> None:
    begun, go_on = threading.Event(), threading.Event()
    other_threads = set(threading.enumerate())  # those of other tests may still count

    def slow(*values):
        begun.set()
        go_on.wait(60)
        return []

    monkeypatch.setattr(counted_hot_words, "counted_apart", slow)
    monkeypatch.setattr(pages, "WORDS_SECONDS", 0.01)
    assert client.get("/api/v1/hot-words?hours=24").status_code == 503
    assert begun.wait(60)
    answers = [client.get(f"/api/v1/hot-words?hours={hours}") for hours in range(30, 40)]
    assert {answer.status_code for answer in answers} == {503}
    assert answers[0].headers["Retry-After"] == "5"
    assert sum(thread.name == "newsspider-hot-words" for thread in set(threading.enumerate()) - other_threads) == 1
    go_on.set()


def test_most_requests_do_not_wait_for_a_count(outbreak, client, monkeypatch) -> None:
    go_on = threading.Event()
    monkeypatch.setattr(counted_hot_words, "counted_apart", lambda *values: go_on.wait(60) and [])
    monkeypatch.setattr(pages, "WORDS_SECONDS", 60.0)
    with ThreadPoolExecutor(5) as pool:
        requests = [pool.submit(client.get, f"/api/v1/hot-words?hours={hours}") for hours in range(30, 35)]
        refused = [answer.result().status_code for answer in islice(as_completed(requests, 30), 3)]
        go_on.set()
        assert refused == [503, 503, 503]
        assert sorted(request.result().status_code for request in requests) == [200, 200, 503, 503, 503]


@pytest.mark.usefixtures("new_child_processes")
def test_a_count_that_failed_is_not_kept(outbreak, client, monkeypatch) -> None:
    def failing(*values):
        raise ChildError("the disk is away")

    count = counted_hot_words.counted_apart
    monkeypatch.setattr(counted_hot_words, "counted_apart", failing)
    assert client.get("/api/v1/hot-words").status_code == 503
    monkeypatch.setattr(counted_hot_words, "counted_apart", count)
    assert client.get("/api/v1/hot-words").json()["words"]
