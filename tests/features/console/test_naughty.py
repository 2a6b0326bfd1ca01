"""Odd strings and markup through names, notes, queries and titles: nothing breaks, and nothing of it becomes a tag."""

import pytest
from sqlalchemy import Engine

from newsspider.features.console.pages.urls import bookmarklet
from tests.features.console.consoles import client, send
from tests.features.console.naughty import NAUGHTY, name_everything
from tests.features.console.page_parts import OUR_SCRIPTS, _Page

__all__ = ["client"]

OUR_BOOKMARK = bookmarklet("http://localhost/")
FORBIDDEN = {"script", "object", "embed", "style", "base", "img", "video", "math", "marquee", "isindex"}


def assert_harmless(html: str) -> None:
    """Nothing of a stranger became a tag, a handler, or a link that runs."""
    for tag, attributes in _Page(html).tags:
        assert tag not in FORBIDDEN or (tag, attributes) in OUR_SCRIPTS
        assert not [name for name in attributes if name.startswith("on") or name == "style"]
        if attributes.get("href") == OUR_BOOKMARK:
            continue
        for name in ("href", "src", "action"):
            assert not (attributes.get(name) or "/").lower().lstrip().startswith(("javascript:", "data:", "//"))
    assert ">49<" not in html


def test_there_are_more_than_a_hundred() -> None:
    assert len(set(NAUGHTY)) > 100


@pytest.mark.slow
def test_names_notes_and_the_trail_show_them_as_text(client, filled: Engine) -> None:
    numbers = name_everything(filled)
    for path in ("/collections", "/settings", "/sites", "/alerts", "/crawl", "/topics"):
        answer = client.get(path)
        assert answer.status_code == 200, path
        assert_harmless(answer.text)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in client.get("/collections").text
    for number in numbers[:: len(numbers) // 20]:
        assert_harmless(client.get(f"/collections/{number}").text)


@pytest.mark.slow
def test_queries_titles_and_urls_show_them_as_text(client) -> None:
    for place, text in enumerate(NAUGHTY):
        answers = [
            client.get("/search", params={"q": text}), client.get("/url", params={"u": text}), client.get("/submit", params={"u": text}),
            client.get("/collections", params={"q": text, "verdict": text}),
        ]  # fmt: skip
        if place % 5 == 0:
            answers.append(send(client, "/topics/education/test", title=text, text=text))
            answers.append(send(client, "/login", name=text, password=text, next=text))
            answers.append(send(client, "/sites/add", url=text, name=text, weight=text))
        for answer in answers:
            assert answer.status_code < 500, text
            assert_harmless(answer.text)
            assert "set-cookie: a=b" not in str(answer.headers).lower()
