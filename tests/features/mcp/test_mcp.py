"""An assistant asks over standard input and output, and over HTTP with a token; its figures are those of the API."""

import json
import logging
import re
import signal
import sys
import tomllib
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from importlib.metadata import version
from pathlib import Path
from socket import create_connection
from subprocess import PIPE, Popen
from typing import Any

import anyio
import httpx2
import pytest
from fastapi.testclient import TestClient
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import INVALID_PARAMS
from sqlalchemy import Engine

from newsspider.core.query.query_language import FIELDS, REGION_FIELDS
from newsspider.features.console.app import create_app
from newsspider.features.console.rate_limits import RateLimit
from newsspider.features.mcp import tools
from newsspider.features.mcp.tools import LONGEST_TEXT, QUERY, mcp_of
from newsspider.store.engine.database import reading, writing
from newsspider.store.url_history import histories_of
from tests.features.console.conftest import HOST, Morning, backend, filled
from tests.features.console.consoles import console_of, send
from tests.features.console.people import peopled, secret_for
from tests.features.console.served import served
from tests.features.mcp.assistants import asked, local
from tests.support.samples import save_article

__all__ = ["backend", "filled", "peopled"]
READING = {
    "search", "article", "news", "counts", "events", "event", "hot",
    "sources", "health", "status", "explain", "attention", "brief",
}  # fmt: skip
ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/how-to/ask-by-assistant.md").read_text("utf-8")
CHINA = r"T\d\d:\d\d\+08:00"
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
        local(filled, settings), ("search", {"query": "高考"}), ("counts", {"query": "高考"}),
        ("events", {}), ("sources", {}), ("status", {"wait_for_previous": True}), ("news", {}),
        ("news", {"day": "yesterday"}), ("news", {"day": "sometime"}), ("explain", {"url": "http://a.cn/1"}),
    )  # fmt: skip
    found = api.get("/api/v1/articles", params={"q": "高考"}).json()
    assert (search["total"], [hit["id"] for hit in search["hits"]]) == (found["total"], [hit["id"] for hit in found["articles"]])
    assert search["hits"][0]["url"] == "http://a.cn/2"
    assert all(re.fullmatch(r"2026-11-2\d" + CHINA, hit["published_at"]) for hit in search["hits"])
    assert counts == api.get("/api/v1/facets", params={"q": "高考"}).json()
    assert events == api.get("/api/v1/events").json()
    assert events["events"][0]["pages"] == 2
    assert [site["name"] for site in sources["sites"]] == [site["name"] for site in api.get("/api/v1/sites").json()["sites"]]
    assert status["articles"] == api.get("/api/v1/status").json()["articles"] == 5
    assert news["total"] == api.get("/api/v1/news").json()["total"]
    assert (yesterday["day"], yesterday["total"]) == ("2026-11-24", 1)
    assert "'sometime' is no day: say 2026-11-01" in wrong
    assert not [value for row in page["known"] for value in row.values() if isinstance(value, float)]


def test_attention_and_briefings_are_those_of_the_api(
    filled: Engine, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    assert "subtopics" not in latest  # a whole briefing is too long for one answer
    counts = client.get(f"/api/v1{path}").json()["attention"]
    monkeypatch.setattr("newsspider.features.mcp.tools.MOST_LINES", len(counts) - 1)
    parts = [("brief", {"part": "attention", "offset": offset}) for offset in (0, len(counts) - 1)]
    first, rest = asked(local(filled, settings), *parts)
    assert [first["next_offset"], rest["next_offset"]] == [first["lines"]["attention"] - 1, None] == [len(counts) - 1, None]
    assert first["attention"] + rest["attention"] == counts
    monkeypatch.setattr("newsspider.features.briefing.pages.MOST_HEADLINES", 0)
    path = send(client, "/briefings", kind="special", days="30").headers["location"]
    (group,) = client.get(f"/api/v1{path}").json()["subtopics"]
    (grouped,) = asked(local(filled, settings), ("brief", {"part": "subtopics"}))
    assert grouped["subtopics"] == [{"group": "中小学", **item} for item in group["items"][: len(counts) - 1]]
    assert grouped["lines"]["subtopics"] == len(group["items"]) > len(grouped["subtopics"])


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
    bad_query, no_article, no_event, no_site, long, no_argument, bad_limit, no_arguments, no_day, huge = asked(
        local(filled, settings), ("search", {"query": "(("}), ("article", {"number": 999}),
        ("event", {"number": 999}), ("sources", {"name": ".."}),
        ("search", {"query": "高考" * 99_999}), ("search", {"q": "高考"}),
        ("search", {"limit": 500, "sort": "x"}), ("status", {"site": ""}),
        ("news", {"day": "0001-01-01"}), ("article", {"number": 10**30}),
    )  # fmt: skip
    assert no_day.startswith("'0001-01-01' is no day: say 2026-11-01")
    assert huge == "number: Input should be less than or equal to 9223372036854775807"
    assert no_site == "nothing is called .."
    assert bad_query == "the query, at character 3: a word is missing at the end"
    assert no_article == "no article has the id 999"
    assert long == "an argument is too long"
    assert no_argument == "search has no argument q: its arguments are query, limit, sort, cursor, reprints"
    assert bad_limit == "limit: Input should be less than or equal to 50; sort: Input should be 'time' or 'relevance'"
    assert no_arguments == "status has no argument site: it takes none"
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


def test_tools_and_their_arguments_are_described_before_there_is_a_console() -> None:
    async def listed() -> list[Any]:
        async with Client(mcp_of(pytest.fail, may_write=True)) as client:  # type: ignore[arg-type]
            assert client.server_info.version == version("newsspider")
            return (await client.list_tools()).tools

    for tool in anyio.run(listed):
        assert "  " not in tool.description
        for name, schema in tool.input_schema["properties"].items():
            described = schema.get("description", "")
            assert described or "enum" in schema, (tool.name, name)
            assert str(schema.get("maximum", "")) in described, (tool.name, name)  # some clients drop it


def test_many_sources_are_listed_in_parts(filled: Engine, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (whole,) = asked(local(filled, settings), ("sources", {}))
    monkeypatch.setattr(tools, "MOST_SITES", 40)
    first, last = asked(local(filled, settings), ("sources", {}), ("sources", {"offset": 40}))
    assert first["sites"] + last["sites"] == whole["sites"]
    assert (first["next_offset"], last["next_offset"], last["total"]) == (40, None, len(whole["sites"]))


def test_the_text_is_the_structured_answer_in_few_letters(filled: Engine, settings: Any) -> None:
    async def call() -> Any:
        async with local(filled, settings) as client:
            return await client.call_tool("search", {"query": "高考"})

    result = anyio.run(call)
    assert result.content[0].text == json.dumps(result.structured_content, ensure_ascii=False, separators=(",", ":"))


def test_tools_say_whether_they_change_anything(filled: Engine, settings: Any) -> None:
    async def listed(may_write: bool) -> dict[str, bool]:
        async with local(filled, settings, may_write=may_write) as client:
            return {tool.name: tool.annotations.read_only_hint for tool in (await client.list_tools()).tools}

    assert anyio.run(listed, False) == dict.fromkeys(READING, True)
    assert anyio.run(listed, True) == dict.fromkeys(READING, True) | dict.fromkeys(CHANGING, False)


def test_an_article_is_a_resource_and_the_morning_question_a_prompt(filled: Engine, settings: Any) -> None:
    async def read() -> tuple[str, str]:
        async with local(filled, settings) as client:
            with pytest.raises(MCPError, match="no article has the id 999") as refused:
                await client.read_resource("newsspider://articles/999")
            assert refused.value.code == INVALID_PARAMS
            resource = await client.read_resource("newsspider://articles/2")
            prompt = await client.get_prompt("today")
            return resource.contents[0].text, prompt.messages[0].content.text

    article, question = anyio.run(read)
    assert article.splitlines()[0] == "高考改革"
    assert "http://a.cn/2" in article
    assert "events" in question


def test_over_http_a_token_decides(peopled: Engine) -> None:
    reader, editor = secret_for(peopled, "王芳", "read"), secret_for(peopled, "李伟", "edit")
    pretender, admin = secret_for(peopled, "王芳", "edit"), secret_for(peopled, "李伟", "admin")
    url = "http://www.moe.gov.cn/new.html"
    with served(peopled, clock=Morning()) as (_, port):
        search, refused = asked(over_http(port, **reader), ("search", {"query": "高考"}), ("submit", {"url": url}))
        (denied,) = asked(over_http(port, **pretender), ("submit", {"url": url}))
        (done,) = asked(over_http(port, **editor), ("submit", {"url": url}))
        (done_too,) = asked(over_http(port, **admin), ("submit", {"url": f"{url}?2"}))
        address = f"http://127.0.0.1:{port}/api/mcp"
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        stream = httpx2.get(address, headers={**reader, "Accept": "text/event-stream"})
        logins = [httpx2.post(f"http://127.0.0.1:{port}/register"), httpx2.get(f"http://127.0.0.1:{port}/.well-known/oauth-x/api")]
        nobody = httpx2.post(address, json=message, headers={"Accept": "application/json, text/event-stream"})
    assert stream.status_code == 405
    assert [(login.status_code, login.json()["error"]) for login in logins] == [(404, "invalid_request")] * 2
    assert search["total"] == 1
    assert refused == denied == "Unknown tool: submit"
    assert isinstance(done, dict)
    assert isinstance(done_too, dict)
    assert (nobody.status_code, nobody.json()) == (401, {"detail": "log in, or send an API token: Authorization: Bearer TOKEN"})


def test_the_command_answers_over_standard_input_and_output(filled: Engine, tmp_path: Path) -> None:
    """As the page for users says to start it."""
    told = json.loads(re.search(r'{"mcpServers".*', PAGE)[0])["mcpServers"]["newsspider"]  # type: ignore[index]
    line = told["args"][1].replace("/srv/news", str(ROOT)).replace(".venv/bin/scrapy", f"{sys.executable} -m scrapy")
    line += f" -s DATABASE_URL={filled.url.render_as_string()} -s DATA_DIR={tmp_path}"
    server = StdioServerParameters(command=told["command"], args=["-c", line])
    search, refused = asked(Client(server), ("search", {"query": "高考"}), ("submit", {"url": "http://a.cn/9"}))
    assert search["hits"][0]["title"] == "高考改革"
    assert "submit" in refused


def test_the_command_ends_at_once_when_it_is_interrupted(filled: Engine, tmp_path: Path) -> None:
    words = [sys.executable, "-m", "scrapy", "mcp", "-s", f"DATABASE_URL={filled.url.render_as_string()}"]
    with Popen([*words, "-s", f"DATA_DIR={tmp_path}"], stdin=PIPE, stdout=PIPE, stderr=PIPE, text=True) as server:
        assert server.stdin
        assert server.stdout
        print('{"jsonrpc": "2.0", "id": 1, "method": "ping"}', file=server.stdin, flush=True)
        assert json.loads(server.stdout.readline())["id"] == 1
        server.send_signal(signal.SIGINT)
        assert server.wait(10) == -signal.SIGINT


def test_the_page_for_users_names_each_tool_and_its_snippets_can_be_read() -> None:
    rows = re.findall(r"^\| (`.*?) \|", PAGE, re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", " ".join(rows))) == READING | CHANGING
    servers = [json.loads(text) for text in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)]
    assert {name for server in servers for name in server} == {"mcpServers", "servers", "mcp"}
    assert tomllib.loads(re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)[0])["mcp_servers"]["newsspider"]["args"] == ["mcp"]


def test_the_description_of_queries_names_fields_that_they_have() -> None:
    named = set(re.findall(r"([a-z]+):", QUERY))
    assert {*REGION_FIELDS, "site", "since"} <= named <= set(FIELDS)


def test_the_log_of_the_process_stays_as_it_is(filled: Engine, settings: Any) -> None:
    root = logging.getLogger()
    before = root.level, list(root.handlers)
    local(filled, settings)
    assert (root.level, root.handlers) == before


def test_a_client_that_is_gone_is_not_logged_as_an_error(peopled: Engine, caplog: pytest.LogCaptureFixture) -> None:
    (name, value), *_ = secret_for(peopled, "王芳", "read").items()
    kind = "Content-Type: application/json\r\nAccept: application/json\r\nContent-Length: 99"
    head = f"POST /api/mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n{name}: {value}\r\n{kind}"
    with served(peopled, clock=Morning()) as (_, port):
        with create_connection(("127.0.0.1", port)) as client:
            client.sendall(head.encode() + b"\r\n\r\n{")
        asked(over_http(port, **{name: value}), ("status", {}))
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []


def test_too_many_questions_are_refused(peopled: Engine) -> None:
    reader = secret_for(peopled, "王芳", "read")
    with served(peopled, clock=Morning()) as (app, port):
        app.state.queries = RateLimit(1, 60.0)
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        headers = {**reader, "Accept": "application/json, text/event-stream"}
        answers = [httpx2.post(f"http://127.0.0.1:{port}/api/mcp", json=message, headers=headers) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 429]
