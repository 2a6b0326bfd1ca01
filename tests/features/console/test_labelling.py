"""Several articles of a list are labelled or saved at once, and that is undone."""

import re
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine

from newsspider.core.url import url_key
from newsspider.features.console import collections
from newsspider.store import audit_trail
from newsspider.store.articles import labels
from newsspider.store.engine.database import reading, writing
from tests.features.console.conftest import TODAY
from tests.features.console.consoles import console_of, send
from tests.features.console.people import log_in, peopled

__all__ = ["peopled"]


@pytest.fixture
def editors(filled: Engine) -> TestClient:
    """A console whose editors label."""
    return console_of(filled)


def picked(client: TestClient, verdict: str, *numbers: int, **fields: str) -> Any:
    """Do something with these articles of a list."""
    chosen = {f"a{number}": "on" for number in numbers}
    return send(client, "/labels", **{"verdict": verdict, "page": "/search", "query": "q=&sort=priority", **chosen, **fields})


def known(store: Engine) -> dict[int, bool]:
    with reading(store) as conn:
        return {number: relevant for (number, _), relevant in labels.of_articles(conn, range(9)).items()}


def test_a_batch_is_labelled_and_undone(editors: TestClient, filled: Engine) -> None:
    with writing(filled) as conn:
        labels.label_articles(conn, "education", [url_key("http://a.cn/2")], TODAY.timestamp() - 9, relevant=False)
    answer = picked(editors, "y", 1, 2)
    assert answer.status_code == 303
    assert known(filled) == {1: True, 2: True}
    page = editors.get(answer.headers["location"]).text
    assert "2 篇已标为相关。" in page
    assert page.count(">已标为相关</span>") == 2
    assert dict(parse_qsl(urlsplit(answer.headers["location"]).query)) == {"sort": "priority", "done": "y-1-2n"}
    undone = send(editors, "/labels", verdict="undo", page="/search", query="", a1="", a2="n")
    assert known(filled) == {2: False}
    assert "done" not in undone.headers["location"]


def test_articles_of_no_known_topic_and_those_that_are_gone_are_left_out(editors: TestClient, filled: Engine) -> None:
    assert picked(editors, "n", 1, 3, 99).headers["location"].endswith("done=n-1")
    assert known(filled) == {1: False}
    nobody = picked(editors, "y")
    assert "没有选中能标的文章。" in editors.get(nobody.headers["location"]).text


def test_a_batch_is_saved_in_a_collection(editors: TestClient, filled: Engine) -> None:
    answer = picked(editors, "s", 1, 2, page="/", query="day=2026-11-25")
    assert "2 篇已在文集里：" in editors.get(answer.headers["location"]).text
    with reading(filled) as conn:
        (row,) = collections.all_collections(conn)
    assert (row.name, row.articles) == ("收藏", 2)
    picked(editors, "s", 2, 4, collection=str(row.id))
    with reading(filled) as conn:
        assert [one.articles for one in collections.all_collections(conn)] == [3]
    assert picked(editors, "s", 1, collection="99").status_code == 404


def test_what_was_saved_just_now_is_taken_out_again(editors: TestClient, filled: Engine) -> None:
    picked(editors, "s", 1)
    page = editors.get(picked(editors, "s", 1, 2, 4).headers["location"]).text
    form = page.partition('class="done"')[2].partition("</form>")[0]
    fields = dict(re.findall('name="(a[0-9]+|collection)" value="([^"]*)"', form))
    assert fields == {"a1": "y", "a2": "", "a4": "", "collection": "1"}
    with writing(filled) as conn:
        collections.screen(conn, 1, 4, "in", "")
    assert "done" not in send(editors, "/labels", verdict="undo", page="/search", query="", **fields).headers["location"]
    with reading(filled) as conn:
        assert {row.article_id for row in collections.articles(conn, 1)} == {1, 4}
    again = editors.get(picked(editors, "s", 1).headers["location"]).text
    assert 'value="undo"' not in again, "it had been there before"


def test_each_saves_in_a_collection_of_their_own(peopled: Engine) -> None:
    with writing(peopled) as conn:
        other = collections.add(conn, "王芳", "收藏", "", "", 5.0)
    client = console_of(peopled)
    log_in(client, "李伟")
    for article in (1, 2):
        assert picked(client, "s", article, collection="").status_code == 303
        options = re.findall('<option value="([0-9]*)">([^<]*)', client.get("/search").text)
        assert options == [("", "收藏"), (str(other), "收藏")]
    with reading(peopled) as conn:
        rows = [(row.owner, row.articles) for row in collections.all_collections(conn)]
        trail = [row.action for row in audit_trail.trail(conn, 9)]
    assert rows == [("李伟", 2), ("王芳", 0)]
    assert [action for action in trail if action.startswith("collection")] == ["collection.extend"] * 2 + ["collection.add"]


def test_what_was_changed_since_is_not_offered_to_be_undone(editors: TestClient, filled: Engine) -> None:
    address = picked(editors, "y", 1, 2).headers["location"]
    with writing(filled) as conn:
        labels.label_articles(conn, "education", [url_key("http://a.cn/2")], TODAY.timestamp() + 9, relevant=False)
    form = editors.get(address).text.partition('class="done"')[2].partition("</form>")[0]
    assert "1 篇已标为相关。" in form
    assert re.findall('name="a([0-9]+)"', form) == ["1"]
    with writing(filled) as conn:
        labels.label_articles(conn, "education", [url_key("http://a.cn/1")], TODAY.timestamp() + 9, relevant=False)
    assert 'class="done"' not in editors.get(address).text


@pytest.mark.parametrize("wrong", [{"verdict": "maybe"}, {"page": "//evil.cn/"}, {"page": "/sites"}])
def test_what_is_no_list_and_no_verdict_is_refused(editors: TestClient, filled: Engine, wrong: dict[str, str]) -> None:
    fields = {"verdict": "y", "page": "/search", "a1": "on", **wrong}
    assert send(editors, "/labels", **fields).status_code == 400
    assert known(filled) == {}


@pytest.mark.parametrize(
    "done", ["y", "y-x", "y-1x", "s-1", "s1-1", "s9-1", "z-1", "y-1", "n-2y-4", "y-" + "9" * 30, "y" + "-1" * 201, "<b>"]
)  # fmt: skip
def test_an_address_that_somebody_wrote_is_harmless(editors: TestClient, done: str) -> None:
    with writing(editors.app.state.engine) as conn:  # type: ignore[attr-defined]
        assert collections.add(conn, "", "要闻", "", "", 5.0) == 1
    answer = editors.get("/search", params={"done": done})
    assert (answer.status_code, 'class="done"' in answer.text) == (200, False)


def test_readers_label_nothing(peopled: Engine) -> None:
    client = console_of(peopled)
    log_in(client, "王芳")
    page = client.get("/search").text
    assert 'name="verdict"' not in page
    assert picked(client, "y", 1).status_code == 403
