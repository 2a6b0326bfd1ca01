"""What goes wrong: a page in Chinese that leads back for people, JSON for programs."""

import pytest
from fastapi.testclient import TestClient

from newsspider.features.console import export_answers
from newsspider.features.console.access import LONGEST_FORM
from newsspider.features.console.security_headers import HEADERS
from newsspider.library import export_formats
from tests.features.console.conftest import HOST
from tests.features.console.consoles import client, send

__all__ = ["client"]

FOREIGN = {"Origin": "http://evil.example"}


@pytest.mark.parametrize(
    ("method", "path", "options", "status", "sentence"),
    [
        ("GET", "/nothing", {}, 404, "没有这个地址"),
        ("GET", "/articles/99999", {}, 404, "没有编号为 99999 的文章"),
        ("GET", "/articles/x", {}, 404, "没有编号为 x 的文章"),
        ("GET", "/events/99999", {}, 404, "没有编号为 99999 的事件"),
        ("GET", "/sites/nobody", {}, 404, "没有站点“nobody”"),
        ("GET", "/crawl/urls?state=x&reason=y", {}, 404, "没有这种状态或原因"),
        ("GET", "/?day=x", {}, 404, "这一天没有文章"),
        ("DELETE", "/sites", {}, 405, "这个地址不能这样用"),
        ("POST", "/submit", {"data": {"url": "http://a.cn/"}}, 403, "这张表单过期了"),
        ("POST", "/submit", {"headers": FOREIGN}, 403, "这是别的网站要求的"),
        ("POST", "/submit", {"content": b"a=" + b"x" * (LONGEST_FORM + 1)}, 413, f"表单最多 {LONGEST_FORM} 字节"),
        ("POST", "/submit", {"content": b"a=1&" * 2000}, 400, "表单的项太多"),
    ],
)
def test_an_error_of_a_page_is_a_page_in_chinese_that_leads_back(client, method, path, options, status, sentence) -> None:
    headers = {"Referer": f"http://{HOST}/sites?q=1"} | options.pop("headers", {})
    answer = client.request(method, path, headers=headers, **options)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "text/html; charset=utf-8")
    assert sentence in answer.text
    assert 'href="/sites?q=1">返回上一页' in answer.text
    assert 'href="/static/console.css"' in answer.text
    assert answer.headers["content-security-policy"] == HEADERS["Content-Security-Policy"]


UNREADABLE = (
    "/attention?by /attention?split /attention?since /attention?until /attention/pictures?kind /attention/pictures?measure"
    " /attention/pictures?split /attention/pictures?by /attention/pictures?since /attention/pictures?until /search?sort /search?n"
    " /search?mine /events?span /catalogue?level /catalogue?media_class /catalogue?verdict /settings?before"
    " /collections/1?verdict /collections/1?n /collections/1?by"
)


def test_a_page_names_the_value_in_its_address_that_cannot_be_read(client) -> None:
    for address in UNREADABLE.split():
        answer = client.get(f"{address}=<abc")
        sentence = f"地址里的 {address.partition('?')[2]} 看不懂：“&lt;abc”"
        assert (answer.status_code, sentence in answer.text) == (422, True), address
    for n in ("0", "-1", "9" * 5000):
        assert client.get("/search", params={"n": n}).status_code == 422
    assert "region：“月球”不是省市" in client.get("/catalogue?region=月球").text
    assert "“abc”不是日期" in client.get(client.get("/search?since=abc").headers["location"]).text


def test_a_page_of_another_site_is_no_way_back(client) -> None:
    for referer in ("http://evil.example/x", "http://[evil", f"http://{HOST}//evil.example", f"http://{HOST}/\\evil.example", "", "x"):
        assert "返回上一页" not in client.get("/nothing", headers={"Referer": referer}).text, referer


@pytest.mark.parametrize(
    ("method", "path", "options", "status"),
    [
        ("GET", "/api/v1/nothing", {}, 404), ("GET", "/api/v1/articles/99999", {}, 404), ("GET", "/api/v1/articles/x", {}, 422),
        ("GET", "/api/v1/articles?q=(", {}, 400), ("POST", "/api/v1/urls", {"json": {}, "headers": FOREIGN}, 403),
        ("POST", "/api/v1/urls", {"data": {"url": "x"}}, 415), ("PUT", "/api/v1/urls", {}, 405),
        ("POST", "/api/v1/urls", {"content": b"x" * (LONGEST_FORM + 1), "headers": {"Content-Type": "application/json"}}, 413),
        ("GET", "/feeds/none", {}, 404),
    ],
)  # fmt: skip
def test_a_program_reads_errors_as_json(client, method, path, options, status) -> None:
    answer = client.request(method, path, **options)
    assert (answer.status_code, bool(answer.json()["detail"])) == (status, True)


def test_an_error_of_the_program_is_a_page_or_json_without_its_cause(client, caplog) -> None:
    def fail() -> None:
        raise ZeroDivisionError("secret")

    for path in ("/broken", "/api/v1/broken"):
        client.app.add_api_route(path, fail)
    asked = TestClient(client.app, base_url=f"http://{HOST}", raise_server_exceptions=False)
    page, record = asked.get("/broken"), asked.get("/api/v1/broken")
    assert (page.status_code, record.status_code) == (500, 500)
    assert "程序出错了" in page.text
    assert page.headers["content-security-policy"] == HEADERS["Content-Security-Policy"]
    assert "log" in record.json()["detail"]
    assert "secret" not in page.text + record.text


def test_pages_offer_only_formats_that_can_be_made(client, monkeypatch) -> None:
    for path in ("/search?q=高考", "/collections/1"):
        send(client, "/collections", name="高考", query="", note="")
        assert "form=xlsx" in client.get(path).text
    monkeypatch.setitem(export_formats.NEEDS, "xlsx", ("no_such_module", "xlsx"))
    assert export_answers.offered_formats() == ["jsonl", "csv", "md", "parquet"]
    for path in ("/search?q=高考", "/collections/1"):
        page = client.get(path).text
        assert "form=parquet" in page
        assert "form=xlsx" not in page
