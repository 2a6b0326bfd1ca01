"""Briefings and events in the words of a model, in each format and in the console."""

import json
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from lxml import html
from sqlalchemy import Engine, text

from bench.analysis import store
from bench.event_stream import stream
from bench.words import StandIn, behave
from newsspider.store.engine.database import open_store, writing
from tests.features.console.conftest import backend, filled
from tests.features.console.consoles import console_of, send
from tests.support.commands import database, scrapy

__all__ = ["backend", "database", "filled", "scrapy"]

MARK = "【机器撰写"


def lengthen(engine: Engine) -> None:
    """Give each sentence a clause that may be cut off, and none that forbids it."""
    with writing(engine) as conn:
        conn.execute(text("UPDATE articles SET text = replace(replace(text || '。', '，无人受伤', ''), '。', '，现场恢复秩序。')"))


def test_a_briefing_says_in_each_format_what_a_model_wrote(scrapy, database: str, tmp_path: Path) -> None:
    docx = pytest.importorskip("docx")
    store(open_store(database), stream(days=2, noise_a_day=5, seed=2).pages)
    lengthen(open_store(database))
    files = [str(tmp_path / f"b.{suffix}") for suffix in ("json", "html", "md", "txt", "docx")]
    output = [word for name in files for word in ("-o", name)]
    assert scrapy("brief", "--words", "--until", "2026-09-03", *output).code == 2  # no model is set up
    with StandIn(behave) as server:
        assert scrapy("brief", "--words", "--until", "2026-09-03", *output, **server.settings).code == 0
    record, *texts = (Path(name).read_text("utf-8") for name in files[:-1])
    briefing = json.loads(record)
    written = [quote for item in briefing["headlines"] for quote in item["quotes"] if MARK in quote["sentence"]]
    assert len(written) >= 2
    assert all(quote["sentence"].endswith(f"据编号 {quote['article']}】") for quote in written)
    texts.append("\n".join(paragraph.text for paragraph in docx.Document(files[-1]).paragraphs))
    assert all(text.count(MARK) >= len(written) and "机器撰写" in text[:4000] for text in texts)
    assert "机器撰写" in briefing["words"]


def test_an_event_is_shown_in_the_words_of_a_model(scrapy, database: str) -> None:
    store(open_store(database), stream(days=2, noise_a_day=5, seed=2).pages)
    lengthen(open_store(database))
    event = scrapy("hot", "events", "--until", "2026-09-03", "--json").out.partition('"id": ')[2].partition(",")[0]
    assert scrapy("event", event, "--words").code == 2
    with StandIn(behave) as server:
        ran = scrapy("event", event, "--words", **server.settings)
    assert (ran.code, "【机器撰写，据" in ran.out.replace("\n", ""), "机器撰写 0 句" in ran.out) == (0, True, False)


def test_the_console_offers_it_only_with_a_model_and_says_where_sentences_go(filled) -> None:
    def form(client: TestClient) -> list:
        return html.fromstring(client.get("/briefings").text).cssselect("input[name=words]")

    lengthen(filled)
    without = console_of(filled)
    assert form(without) == []
    assert send(without, "/events/4/words").status_code == 404
    with StandIn(behave) as server:
        client = console_of(filled, **server.settings)
        assert len(form(client)) == 1
        assert "127.0.0.1" in client.get("/briefings").text
        second = []

        def press_again(passages: list[str]) -> str:
            second.append(send(client, "/briefings", kind="daily", words="on"))
            return behave(passages)

        server.play = press_again
        path = send(client, "/briefings", kind="daily", words="on").headers["location"]
        server.play = behave
        assert {answer.status_code for answer in second} == {409}
        assert "正在写" in second[0].text
        assert MARK in client.get(path).text
        page = html.fromstring(client.get(f"{path}?edit=1").text)
        fields = {field.get("name"): field.value or "" for field in page.cssselect("form input, form textarea") if field.get("name")}
        del fields["change"], fields["plain"]
        send(client, path, **fields)
        assert MARK in client.get(path).text
        send(client, path, **fields | {"edits": "1", "plain": "on"})
        assert MARK not in client.get(path).text
        assert MARK in send(client, "/events/4/words").text
        assert "发给 127.0.0.1" in client.get("/events/4").text
        assert MARK not in client.get(send(client, "/briefings", kind="special", days="7").headers["location"]).text
