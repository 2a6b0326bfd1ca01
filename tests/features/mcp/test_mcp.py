"""An assistant asks over standard input and output, and over HTTP with a token; its figures are those of the API."""

import logging
import re
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from fastapi.testclient import TestClient
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from sqlalchemy import Engine

from newsspider.core.query.query_language import FIELDS, REGION_FIELDS
from newsspider.features.console.app import create_app
from newsspider.features.console.rate_limit import RateLimit
from newsspider.features.mcp.tools import INSTRUCTIONS, LONGEST_TEXT
from newsspider.store.engine.database import reading, writing
from newsspider.store.history import histories_of
from tests.features.console.conftest import HOST, Morning, backend, filled
from tests.features.console.consoles import console_of, send
from tests.features.console.people import peopled, secret_for
from tests.features.console.served import served
from tests.features.mcp.assistants import asked, local
from tests.support.samples import save_article

__all__ = ["backend", "filled", "peopled"]
READING = {
    "search", "article", "news", "counts", "events", "event", "hot", "sources", "health", "status", "explain",
    "attention", "brief",
}  # fmt: skip
CHANGING = {"submit", "label", "alert"}


def over_http(port: int, **headers: str) -> Callable[[], AbstractAsyncContextManager[Client]]:
    """An assistant of the console at this port."""

    class Remote:
        async def __aenter__(self) -> Client:
            self.http = httpx2.AsyncClient(headers=headers)
            self.client = Client(streamable_http_client(f"http://127.0.0.1:{port}/api/mcp", http_client=self.http))
            return await self.client.__aenter__()

        async def __aexit__(self, *error: object) -> None:
            await self.client.__aexit__(*error)
            await self.http.aclose()

    return Remote


@pytest.fixture
def settings() -> Any:
    from scrapy.utils.project import get_project_settings

    return get_project_settings()


def test_every_answer_has_the_figures_of_the_api(filled: Engine, settings: Any) -> None:
    api = TestClient(create_app(filled, hosts=[HOST], clock=Morning()), base_url=f"http://{HOST}")
    search, counts, events, sources, status, news, yesterday, wrong, page = asked(
        local(filled, settings), ("search", {"query": "高考"}), ("counts", {"query": "高考"}), ("events", {}),
        ("sources", {}), ("status", {}), ("news", {}),
        ("news", {"day": "yesterday"}), ("news", {"day": "sometime"}), ("explain", {"url": "http://a.cn/1"}),
    )  # fmt: skip
    found = api.get("/api/v1/articles", params={"q": "高考"}).json()
    assert (search["total"], [hit["id"] for hit in search["hits"]]) == (found["total"], [hit["id"] for hit in found["articles"]])
    assert search["hits"][0]["url"] == "http://a.cn/2"
    assert counts == api.get("/api/v1/facets", params={"q": "高考"}).json()
    assert events == api.get("/api/v1/events").json()
    assert events["events"][0]["pages"] == 2
    assert [site["name"] for site in sources["sites"]] == [site["name"] for site in api.get("/api/v1/sites").json()["sites"]]
    assert status["articles"] == api.get("/api/v1/status").json()["articles"] == 5
    assert news["total"] == api.get("/api/v1/news").json()["total"]
    assert (yesterday["day"], yesterday["total"]) == ("2026-11-24", 1)
    assert "'sometime' is no day: say 2026-11-01" in wrong
    assert not [value for row in page["known"] for value in row.values() if isinstance(value, float)]


def test_attention_and_briefings_are_those_of_the_api(filled: Engine, settings: Any) -> None:
    client = console_of(filled)
    assert asked(local(filled, settings), ("brief", {})) == [{"briefings": []}]
    path = send(client, "/briefings", kind="daily", title="早报").headers["location"]
    given = {"q": ["高考", "火灾"], "since": "2026-11-23"}
    counting = ("attention", {"queries": given["q"], "since": given["since"]})
    counted, latest, none = asked(local(filled, settings), counting, ("brief", {}), ("brief", {"number": 999}))
    assert counted == client.get("/api/v1/attention", params=given).json()
    assert sum(counted["series"][1]["articles"]) == 2
    assert (latest["title"], latest["headlines"]) == ("早报", client.get(f"/api/v1{path}").json()["headlines"])
    assert none.endswith("there is no such briefing")


def test_an_event_is_found_by_one_of_its_articles(filled: Engine, settings: Any) -> None:
    hits = asked(local(filled, settings), ("search", {"query": "火灾", "reprints": True}))[0]["hits"]
    (event,) = asked(local(filled, settings), ("event", {"number": hits[0]["id"]}))
    assert event["pages"] == 2
    assert "edges" not in event


def test_a_long_text_is_read_in_parts(filled: Engine, settings: Any) -> None:
    with writing(filled) as conn:
        save_article(conn, "http://a.cn/long", "校园足球联赛开赛。" * 1000, title="校园足球联赛")
    assistant = local(filled, settings)
    number = asked(assistant, ("search", {"query": "校园足球联赛"}))[0]["hits"][0]["id"]
    text, offset = "", 0
    while offset is not None:
        (part,) = asked(local(filled, settings), ("article", {"number": number, "offset": offset}))
        assert len(part["text"]) <= LONGEST_TEXT
        text, offset = text + part["text"], part["next_offset"]
    assert text == "校园足球联赛开赛。" * 1000


def test_what_is_wrong_is_said_in_one_sentence(filled: Engine, settings: Any) -> None:
    bad_query, no_article, no_event, no_site = asked(
        local(filled, settings), ("search", {"query": "(("}), ("article", {"number": 999}), ("event", {"number": 999}),
        ("sources", {"name": ".."}),
    )  # fmt: skip
    assert no_site.endswith("nothing is called ..")
    assert bad_query.endswith("the query, at character 3: a word is missing at the end")
    assert no_article.endswith("no article has the id 999")
    assert "999" in no_event


def test_only_with_write_an_assistant_changes_something(filled: Engine, settings: Any) -> None:
    url = "http://www.moe.gov.cn/new.html"
    (refused,) = asked(local(filled, settings), ("submit", {"url": url}))
    assert "submit" in refused
    with reading(filled) as conn:
        assert histories_of(conn, url) == []
    (submitted,) = asked(local(filled, settings, may_write=True), ("submit", {"url": url}))
    assert isinstance(submitted, dict), submitted
    with reading(filled) as conn:
        assert len(histories_of(conn, url)) == 1


def test_tools_say_whether_they_change_anything(filled: Engine, settings: Any) -> None:
    async def listed(may_write: bool) -> dict[str, bool]:
        async with local(filled, settings, may_write=may_write) as client:
            return {tool.name: tool.annotations.read_only_hint for tool in (await client.list_tools()).tools}

    assert anyio.run(listed, False) == dict.fromkeys(READING, True)
    assert anyio.run(listed, True) == dict.fromkeys(READING, True) | dict.fromkeys(CHANGING, False)


def test_an_article_is_a_resource_and_the_morning_question_a_prompt(filled: Engine, settings: Any) -> None:
    async def read() -> tuple[str, str]:
        async with local(filled, settings) as client:
            resource = await client.read_resource("newsspider://articles/2")
            prompt = await client.get_prompt("today")
            return resource.contents[0].text, prompt.messages[0].content.text

    article, question = anyio.run(read)
    assert article.splitlines()[0] == "高考改革"
    assert "http://a.cn/2" in article
    assert "events" in question


def test_over_http_a_token_decides(peopled: Engine) -> None:
    reader, editor = secret_for(peopled, "王芳", "read"), secret_for(peopled, "李伟", "edit")
    url = "http://www.moe.gov.cn/new.html"
    with served(peopled, clock=Morning()) as (_, port):
        search, refused = asked(over_http(port, **reader), ("search", {"query": "高考"}), ("submit", {"url": url}))
        (done,) = asked(over_http(port, **editor), ("submit", {"url": url}))
        address = f"http://127.0.0.1:{port}/api/mcp"
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        stream = httpx2.get(address, headers={**reader, "Accept": "text/event-stream"})
        nobody = httpx2.post(address, json=message, headers={"Accept": "application/json, text/event-stream"})
    assert stream.status_code == 405
    assert search["total"] == 1
    assert "submit" in refused
    assert isinstance(done, dict)
    assert (nobody.status_code, nobody.json()) == (401, {"detail": "log in, or send an API token: Authorization: Bearer TOKEN"})


def test_the_command_answers_over_standard_input_and_output(filled: Engine, tmp_path: Path) -> None:
    words = ["-m", "scrapy", "mcp", "-s", f"DATABASE_URL={filled.url.render_as_string()}", "-s", f"DATA_DIR={tmp_path}"]
    server = StdioServerParameters(command=sys.executable, args=words, cwd=Path(__file__).parents[3])
    search, refused = asked(Client(server), ("search", {"query": "高考"}), ("submit", {"url": "http://a.cn/9"}))
    assert search["hits"][0]["title"] == "高考改革"
    assert "submit" in refused


def test_the_instructions_name_fields_that_queries_have() -> None:
    named = set(re.findall(r"([a-z]+):", INSTRUCTIONS.partition("Queries: ")[2]))
    assert {*REGION_FIELDS, "site", "since"} <= named <= set(FIELDS)


def test_the_log_of_the_process_stays_as_it_is(filled: Engine, settings: Any) -> None:
    root = logging.getLogger()
    before = root.level, list(root.handlers)
    local(filled, settings)
    assert (root.level, root.handlers) == before


def test_too_many_questions_are_refused(peopled: Engine) -> None:
    reader = secret_for(peopled, "王芳", "read")
    with served(peopled, clock=Morning()) as (app, port):
        app.state.queries = RateLimit(1, 60.0)
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        headers = {**reader, "Accept": "application/json, text/event-stream"}
        answers = [httpx2.post(f"http://127.0.0.1:{port}/api/mcp", json=message, headers=headers) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 429]
