"""A topic is changed and trained again in the console: compared on labels that are held out, accepted or discarded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine

from newsspider.core.url import url_key
from newsspider.store import accounts
from newsspider.store.articles import labels
from newsspider.store.engine.database import reading, writing
from newsspider.topics.loader import load_topic
from newsspider.web.topic_comparison import Draft
from tests.events import until
from tests.store.samples import save_article
from tests.web.conftest import TODAY
from tests.web.test_changes import console_of, send

PROFILE = """name = "farming" # 农业
title = "农业"
model = "blend"
[thresholds]
words = { article = 0.6, headline = 0.5 }
[terms.crops]
"水稻" = 0.7
"丰收" = 0.4
"""
CHANGED = PROFILE.replace('"丰收" = 0.4', '"丰收" = 0.4\n"插秧机" = 0.8') + '[subtopics]\n"水稻" = "水稻"\n'
PAGE = "/topics/farming/draft"
API = f"/api/v1{PAGE}"


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    path = tmp_path / "farming.toml"
    path.write_text(PROFILE, "utf-8")
    return path


@pytest.fixture
def farmers(filled: Engine, profile: Path) -> TestClient:
    """A console whose crawl watches a topic of one's own."""
    return console_of(filled, TOPIC=str(profile))


def label_some(store: Engine, count: int) -> None:
    """As many labelled articles on farming, and as many on shares."""
    with writing(store) as conn:
        for number in range(2 * count):
            on = number % 2 == 0
            title = f"第{number}个村水稻插秧机下田，今年丰收" if on else f"第{number}支股票今日大涨，基金跟进"
            url = f"http://labelled.cn/{number}"
            save_article(conn, url, f"{title}。{'农民在田里忙。' if on else '投资者在交易所。'}" * 3, title=title)
            labels.label(conn, "farming", [url_key(url)], TODAY.timestamp(), relevant=on)


def actions(store: Engine) -> list[str]:
    with reading(store) as conn:
        return [row.action for row in accounts.trail(conn, 9)]


def finished(client: TestClient) -> dict[str, object]:
    until(lambda: client.get(API).json()["state"] != "running")
    return dict(client.get(API).json())


@pytest.mark.slow
def test_a_topic_is_trained_again_compared_and_accepted(farmers, filled, profile) -> None:
    label_some(filled, 60)
    assert "相关 60，无关 60" in farmers.get(PAGE).text
    assert send(farmers, PAGE, text=CHANGED, retrain="1").status_code == 303
    compared = finished(farmers)
    assert compared["state"] == "ready", compared
    assert compared["retrained"]
    assert compared["learned_from"] + compared["on_topic"] + compared["off_topic"] == 120
    assert compared["after"]["figures"]["f1"] > 0.9
    assert compared["after"]["points"]
    assert '+"插秧机" = 0.8' in compared["diff"]
    page = farmers.get(PAGE).text
    assert page.count('<svg class="curve"') == 2
    assert "改后的" in page
    assert profile.read_text("utf-8") == PROFILE, "nothing holds before it is accepted"
    assert send(farmers, f"{PAGE}/accept").status_code == 303
    assert profile.read_text("utf-8") == CHANGED
    topic = load_topic(str(profile))
    assert topic.learned is not None
    assert list(topic.subtopics) == ["水稻"]
    assert sorted(path.name for path in profile.parent.iterdir() if path.name.startswith("farming")) == ["farming.bin", "farming.toml"]
    assert "训练过" in farmers.get("/topics/farming").text
    assert actions(filled) == ["topic.accept", "topic.train"]
    with reading(filled) as conn:
        assert json.loads(accounts.trail(conn, 1)[0].after)["retrained"] is True


@pytest.mark.slow
def test_a_draft_is_discarded_and_a_wrong_one_says_why(farmers, filled, profile) -> None:
    assert farmers.post(API, json={"profile": PROFILE.replace("0.7", "7")}).status_code == 202
    wrong = finished(farmers)
    assert wrong["state"] == "failed"
    assert "farming.toml: terms.crops" in wrong["problem"]
    assert "没有比成" in farmers.get(PAGE).text
    assert farmers.post(f"{API}/accept", json={}).status_code == 409
    farmers.post(API, json={"profile": PROFILE.replace('"farming"', '"other"')})
    assert "keeps its name" in finished(farmers)["problem"]
    farmers.post(API, json={"retrain": True})
    assert "at least 20" in finished(farmers)["problem"], "there are no labels"
    farmers.post(API, json={"profile": CHANGED})
    assert finished(farmers)["state"] == "ready"
    assert "留出的标注太少" in farmers.get(PAGE).text
    assert farmers.delete(API).status_code == 204
    assert farmers.get(API).json() == {"state": "none"}
    assert farmers.delete(API).status_code == 404
    assert profile.read_text("utf-8") == PROFILE
    assert not Draft(profile).profile.exists()
    assert actions(filled) == ["topic.discard", "topic.edit", "topic.train", "topic.edit", "topic.edit"]


def test_a_shipped_topic_is_changed_by_nobody(farmers) -> None:
    for path in ("/topics/education/draft", "/api/v1/topics/education/draft"):
        assert farmers.get(path).status_code == 409
    assert farmers.post("/api/v1/topics/education/draft", json={}).status_code == 409
    assert "复制它的文件" in farmers.get("/topics/education").text
    assert PAGE in farmers.get("/topics/farming").text
    assert farmers.get("/topics/nope/draft").status_code == 404
