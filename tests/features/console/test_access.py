"""Accounts, sessions, tokens, forms: who may do what, and what no other page can do in their name."""

import re
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient
from lxml import html
from sqlalchemy import text

import newsspider
from newsspider.features.console import accounts
from newsspider.features.console.access import COOKIE, form_token
from newsspider.features.console.accounts import IDLE_SECONDS, SESSION_SECONDS, Role, hash_password, is_right
from newsspider.features.console.app import STORE_FAILS, create_app
from newsspider.features.console.rate_limits import MOST_FAILURES, MOST_QUERIES
from newsspider.features.console.translation import field_name, name_of
from newsspider.store import audit_trail
from newsspider.store.engine.database import BUSY_SECONDS, open_store, reading, writing
from tests.features.console.conftest import HOST, TODAY
from tests.features.console.people import NAMES, PASSWORD, app, client, clock, log_in, peopled, secret_for, send
from tests.support.receiver import alert
from tests.support.servers import postgres
from tests.support.stores import on_postgresql

__all__ = ["app", "client", "clock", "peopled"]


def every_route(app) -> list[tuple[str, str]]:
    """Each method and path, with its parameters filled in."""
    routes = []
    stack = list(app.routes)
    while stack:
        route = stack.pop()
        stack += getattr(getattr(route, "original_router", None), "routes", None) or []
        if isinstance(route, APIRoute):
            routes += [(method, re.sub(r"\{[^}]*\}", "1", route.path)) for method in route.methods or ()]
    return routes


def test_without_an_account_nothing_is_read_and_nothing_changed(app, client) -> None:
    paths = every_route(app)
    assert len(paths) > 20
    for method, path in paths:
        if path in {"/login", "/logout", "/health", "/favicon.ico"}:
            continue
        answer = client.request(method, path, headers={"Content-Type": "application/json"} if path.startswith("/api/") else {})
        program = path.startswith(("/api/", "/feeds/"))
        assert answer.status_code in ({401} if program else {303, 403}), (method, path)
        assert "幼儿园" not in answer.text
        if method == "GET" and not program:
            assert answer.headers["location"].startswith("/login"), path
    assert client.get("/nothing").headers["location"] == "/login?next=%2Fnothing"
    assert client.get("/health").status_code == 200
    assert "幼儿园" not in client.get("/login").text


def test_strangers_do_not_read_where_the_store_is_while_it_is_away(clock) -> None:
    with postgres() as server:
        engine = open_store(server.create("news"))
        client = TestClient(create_app(engine, hosts=[HOST], clock=clock, accounts_needed=True), base_url=f"http://{HOST}")
        server.stop()
        away = [client.get(path) for path in ("/", "/health", "/nothing", "/api/v1/nothing", "/login", "/feeds/rss?q=x")]
        engine.dispose()
    assert {answer.status_code for answer in away} == {503}
    assert ["数据库现在用不了" in answer.text for answer in away] == [True, False, True, False, True, False]
    assert {answer.json()["detail"] for answer in away[3::2]} == {away[1].text.strip()} == {STORE_FAILS}


def test_logging_in_leads_on_and_logging_out_ends_the_session(client) -> None:
    assert client.get("/search?q=高考").headers["location"] == "/login?next=%2Fsearch%3Fq%3D%25E9%25AB%2598%25E8%2580%2583"
    answer = log_in(client, "王芳", next="/search?q=1")
    assert (answer.status_code, answer.headers["location"]) == (303, "/search?q=1")
    secret, cookie = client.cookies[COOKIE], answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "secure" not in cookie
    page = client.get("/")
    assert page.status_code == 200
    assert "王芳" in page.text
    assert send(client, "/logout").headers["location"] == "/login"
    client.cookies.set(COOKIE, secret)
    assert client.get("/").status_code == 303


def test_a_new_session_has_a_new_secret_and_a_secure_cookie_behind_https(app) -> None:
    client = TestClient(app, base_url=f"https://{HOST}", follow_redirects=False)
    client.get("/login")
    old_cookie = client.cookies[COOKIE]
    answer = log_in(client, "王芳")
    assert "secure" in answer.headers["set-cookie"].lower()
    assert client.cookies[COOKIE] != old_cookie


@pytest.mark.parametrize("onward", ["//evil.cn", "https://evil.cn/", "/\\evil.cn", "javascript:alert(1)", "/a\r\nX: y"])
def test_logging_in_leads_to_no_other_site(client, onward: str) -> None:
    assert log_in(client, "王芳", next=onward).headers["location"] == "/"


def test_guessing_a_password_is_slow_and_says_nothing_of_names(client, clock) -> None:
    wrong = [send(client, "/login", name=name, password="x" * 12) for name in ("王芳", "nobody") for _ in range(2)]
    texts = [re.sub(r'value="[^"]*"', "", answer.text) for answer in wrong]
    assert {answer.status_code for answer in wrong} == {403}
    assert len(set(texts)) == 1
    for _ in range(MOST_FAILURES - 4):
        send(client, "/login", name="王芳", password="x")
    answer = log_in(client, "王芳")
    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) > 200
    clock.moment += 301
    assert log_in(client, "王芳").status_code == 303


def test_many_guesses_at_once_are_no_more_than_one_after_the_other(client) -> None:
    client.get("/login")
    with ThreadPoolExecutor(2 * MOST_FAILURES) as pool:
        guesses = [pool.submit(send, client, "/login", name="王芳", password="x" * 12) for _ in range(2 * MOST_FAILURES)]
        statuses = Counter(guess.result().status_code for guess in guesses)
    assert statuses == {403: MOST_FAILURES, 429: MOST_FAILURES}


def test_a_right_password_counts_for_nothing(client) -> None:
    for _ in range(MOST_FAILURES + 1):
        assert log_in(client, "王芳").status_code == 303


def test_the_old_password_is_not_guessed_on_the_settings_either(client, clock) -> None:
    log_in(client, "王芳")
    for _ in range(MOST_FAILURES):
        assert send(client, "/settings/password", old="x", new=PASSWORD + "！").status_code == 403
    assert send(client, "/settings/password", old=PASSWORD, new=PASSWORD + "！").status_code == 429
    clock.moment += 301
    assert send(client, "/settings/password", old=PASSWORD, new=PASSWORD + "！").status_code == 303


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"},
        {"Origin": f"http://{HOST}:9999"}, {"Origin": "http://["},
    ],
)  # fmt: skip
def test_a_page_of_another_site_changes_nothing(client, headers) -> None:
    log_in(client, "赵敏")
    fields = {"name": "王芳", "form_token": form_token(client.cookies[COOKIE])}
    assert client.post("/settings/accounts/remove", data=fields, headers=headers).status_code == 403
    assert client.post("/settings/accounts/remove", data=fields, headers={"Origin": f"http://{HOST}"}).status_code == 303


def test_a_form_without_the_token_of_its_browser_changes_nothing(client, peopled) -> None:
    log_in(client, "赵敏")
    for token in ("", "0" * 64, form_token("another"), "高考"):
        assert client.post("/settings/accounts/remove", data={"name": "王芳", "form_token": token}).status_code == 403
    client.cookies.clear()
    assert client.post("/settings/accounts/remove", data={"name": "王芳", "form_token": form_token("")}).status_code == 303
    assert client.post("/logout", data={"form_token": form_token("")}).status_code == 403
    with reading(peopled) as conn:
        assert len(accounts.all_accounts(conn)) == 3


def test_without_accounts_a_form_needs_its_token_too(filled) -> None:
    client = TestClient(create_app(filled, hosts=[HOST]), base_url=f"http://{HOST}", follow_redirects=False)
    fields = {"name": "赵敏", "role": "admin", "password": PASSWORD}
    assert client.post("/settings/accounts", data=fields).status_code == 403
    assert client.get("/settings").status_code == 200
    assert send(client, "/settings/accounts", **fields | {"role": "reader"}).status_code == 400
    assert send(client, "/settings/accounts", **fields).status_code == 303
    assert client.get("/settings").status_code == 303


def test_off_loopback_nobody_is_answered_even_when_the_last_account_is_gone(filled) -> None:
    client = TestClient(create_app(filled, hosts=[HOST], accounts_needed=True), base_url=f"http://{HOST}", follow_redirects=False)
    assert client.get("/").status_code == 303
    assert client.get("/api/v1/articles").status_code == 401


def test_a_token_lends_its_scope_and_no_more_than_the_role(client, peopled, clock) -> None:
    with writing(peopled) as conn:
        secrets = {(name, scope): accounts.grant(conn, name, "t", clock.now(), scope) for name in NAMES for scope in accounts.SCOPES}
        roles = {key: accounts.bearer_of(conn, secret, clock.now()).role for key, secret in secrets.items()}
        assert roles[("王芳", "admin")] is Role.READER
        assert roles[("李伟", "admin")] is Role.EDITOR
        assert roles[("赵敏", "read")] is Role.READER
        assert roles[("赵敏", "admin")] is Role.ADMIN
        stored = "".join(map(str, conn.execute(text("SELECT * FROM account_tokens")).all()))
    assert not [secret for secret in secrets.values() if secret in stored]
    bearer = {"Authorization": f"Bearer {secrets['王芳', 'read']}"}
    assert client.get("/api/v1/articles", headers=bearer).status_code == 200
    assert client.get("/feeds/rss", auth=("王芳", secrets["王芳", "read"])).status_code == 200
    assert client.get("/feeds/rss", auth=("王芳", PASSWORD)).status_code == 401
    assert client.get("/api/v1/articles", headers={"Authorization": "Bearer x"}).headers["www-authenticate"].startswith("Basic")


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/settings/tokens", {"label": "x", "scope": "read", "days": "0"}),
        ("/settings/tokens/end", {"hash": "x"}),
        ("/settings/password", {"old": PASSWORD, "new": PASSWORD + "！"}),
        ("/settings/accounts", {"name": "孙丽", "role": "admin", "password": PASSWORD}),
        ("/settings/accounts/role", {"name": "王芳", "role": "admin"}),
        ("/settings/accounts/remove", {"name": "王芳"}),
    ],
)
@pytest.mark.parametrize("scope", ["read", "admin"])
def test_no_token_changes_passwords_tokens_or_accounts(client, peopled, path: str, fields: dict[str, str], scope: str) -> None:
    client.get("/login")
    form = fields | {"form_token": form_token(client.cookies[COOKIE])}
    assert client.post(path, data=form, headers=secret_for(peopled, "赵敏", scope)).status_code == 403


def test_a_token_for_reading_keeps_no_alerts(client, peopled) -> None:
    client.get("/login")
    headers, form = secret_for(peopled, "赵敏", "read"), {"form_token": form_token(client.cookies[COOKIE])}
    with writing(peopled) as conn:
        number = alert(conn, "https://hooks.example/1", owner="赵敏").id
    channel = {"name": "高考", "query": "高考", "channel": f"{number}-0"}
    for path, fields in (("", channel), ("/mute", {"id": str(number), "days": "all"}), ("/remove", {"id": str(number)}), ("/resend", {})):
        assert client.post(f"/alerts{path}", data=fields | form, headers=headers).status_code == 403, path


def test_a_header_of_a_proxy_hides_no_session(client) -> None:
    log_in(client, "李伟")
    assert client.get("/", auth=("proxy", "its password")).status_code == 200
    assert client.get("/", headers={"Authorization": "Bearer x"}).status_code == 200


def test_a_token_and_a_session_end(client, peopled, clock) -> None:
    with writing(peopled) as conn:
        secret = accounts.grant(conn, "李伟", "t", clock.now(), "read", clock.now() + 60)
    headers = {"Authorization": f"Bearer {secret}"}
    assert client.get("/api/v1/status", headers=headers).status_code == 200
    clock.moment += 61
    assert client.get("/api/v1/status", headers=headers).status_code == 401
    log_in(client, "李伟")
    for _ in range(5):
        client.app.state.uses.store(peopled)
        clock.moment += IDLE_SECONDS - 60
        used = client.get("/").status_code
    assert used == 303, "used or not, it ends after thirty days"
    assert clock.moment - TODAY.timestamp() > SESSION_SECONDS
    log_in(client, "李伟")
    clock.moment += IDLE_SECONDS + 1
    assert client.get("/").status_code == 303


def test_a_request_with_a_token_does_not_wait_for_a_writer(client, peopled, clock) -> None:
    headers = secret_for(peopled, "李伟", "read")
    clock.moment += 2 * accounts.USE_NOTED_SECONDS
    with writing(peopled):
        began = time.monotonic()
        assert client.get("/api/v1/status", headers=headers).status_code == 200
        assert time.monotonic() - began < BUSY_SECONDS / 2
    client.app.state.uses.store(peopled)
    with reading(peopled) as conn:
        assert [token.used_at for token in accounts.tokens(conn)] == [clock.now()]


def test_settings_show_each_what_is_theirs(client, peopled) -> None:
    secret_for(peopled, "赵敏", "read")
    log_in(client, "王芳")
    page = client.get("/settings").text
    assert "赵敏" not in page
    assert "谁改了什么" not in page
    for path in ("/settings/accounts", "/settings/accounts/role", "/settings/accounts/remove"):
        assert send(client, path, name="李伟", role="admin", password=PASSWORD).status_code == 403
    with reading(peopled) as conn:
        other = next(row.hash for row in accounts.tokens(conn) if row.account == "赵敏")
    assert send(client, "/settings/tokens/end", hash=other).status_code == 403
    assert send(client, "/settings/tokens", label="x", scope="edit", days="0").status_code == 403


def test_an_admin_keeps_accounts_and_the_trail_says_who_did_what(client, peopled) -> None:
    log_in(client, "赵敏")
    assert send(client, "/settings/accounts", name="孙丽", role="reader", password=PASSWORD).status_code == 303
    assert send(client, "/settings/accounts", name="孙丽", role="reader", password=PASSWORD).status_code == 409
    assert send(client, "/settings/accounts/role", name="孙丽", role="editor").status_code == 303
    assert send(client, "/settings/accounts/remove", name="孙丽").status_code == 303
    assert send(client, "/settings/accounts/remove", name="赵敏").status_code == 409
    assert send(client, "/settings/accounts/role", name="赵敏", role="reader").status_code == 409
    assert send(client, "/settings/accounts", name="<b>", role="reader", password=PASSWORD).status_code == 400
    assert "密码太容易猜到" in send(client, "/settings/accounts", name="孙丽", role="reader", password="123456789012").text
    with reading(peopled) as conn:
        trail = [(row.account, row.action, row.subject, row.before, row.after) for row in audit_trail.trail(conn, 3)]
    assert trail == [
        ("赵敏", "account.remove", "孙丽", '{"role": "editor"}', ""),
        ("赵敏", "account.role", "孙丽", '{"role": "reader"}', '{"role": "editor"}'),
        ("赵敏", "account.add", "孙丽", "", '{"role": "reader"}'),
    ]
    page = client.get("/settings").text
    assert "<b>赵敏</b> 删除账号 孙丽" in page
    assert "角色：读者 → 编辑" in page
    assert "role&#34;" not in page
    assert PASSWORD not in page
    assert "role: reader → editor" in client.get("/settings?lang=en").text.replace("：", ": ")


ACTION = re.compile(r'"((?:account|token|session|site|url|alert|topic|collection)\.(?!html)[a-z]+)"')
NOTED, FIELD = re.compile(r"(?:before|after)=(\{[^}]*\})"), re.compile(r'"(\w+)":')


def test_the_trail_is_paged(client, peopled) -> None:
    log_in(client, "赵敏")
    with writing(peopled) as conn:
        for number in range(120):
            audit_trail.note(conn, "赵敏", "site.add", f"站{number:03}", 1.0)
    seen, path = [], "/settings"
    while path:
        page = html.fromstring(client.get(path).text)
        seen.append(re.findall(r"站\d{3}", page.get_element_by_id("changes").text_content()))
        path = next((link.get("href") for link in page.cssselect("#changes a") if link.text == "更早的"), "")
    assert [len(names) for names in seen] == [50, 50, 20]
    assert [name for names in seen for name in names] == [f"站{number:03}" for number in reversed(range(120))]
    for before in ("x", "-1", "0", "9" * 40):
        assert client.get(f"/settings?before={before}").status_code == 422


def test_every_action_and_field_of_the_trail_has_its_chinese() -> None:
    package = Path(newsspider.__file__).parent
    source = "".join(file.read_text("utf-8") for folder in ("features/console", "cli") for file in (package / folder).rglob("*.py"))
    actions, fields = set(ACTION.findall(source)), set(FIELD.findall("".join(NOTED.findall(source))))
    assert len(actions) > 20
    assert [action for action in sorted(actions) if name_of(action, "zh") == action] == []
    assert len(fields) > 8
    assert [field for field in sorted(fields) if field_name(field, "zh") == field] == []


def test_what_a_change_replaced_is_shown_on_request(client, peopled) -> None:
    with writing(peopled) as conn:
        before, after = "name = \"a\"\nweight = 5\n", "name = \"a\"\nweight = 6\n"
        audit_trail.note(conn, "赵敏", "site.replace", "站", TODAY.timestamp(), before=before, after=after)
        audit_trail.note(conn, "赵敏", "site.weight", "站", TODAY.timestamp(), before=5, after=8)
        audit_trail.note(conn, "赵敏", "site.enable", "站", TODAY.timestamp(), before=False, after=True)
    log_in(client, "赵敏")
    page = client.get("/settings").text
    assert "<summary>内容</summary><h3>之前</h3><pre" in page
    assert "5 → 8" in page
    assert "True" not in page


def test_a_token_is_shown_once(client) -> None:
    log_in(client, "李伟")
    page = send(client, "/settings/tokens", label="笔记本", scope="edit", days="90").text
    secret = re.search(r"<code>([\w-]{43})</code>", page)
    assert secret
    assert secret[1] not in client.get("/settings").text
    assert client.get("/api/v1/status", headers={"Authorization": f"Bearer {secret[1]}"}).status_code == 200


def test_a_new_password_ends_every_session(client, app) -> None:
    other = TestClient(app, base_url=f"http://{HOST}", follow_redirects=False)
    log_in(client, "王芳")
    log_in(other, "王芳")
    assert send(client, "/settings/password", old="x", new=PASSWORD + "！").status_code == 403
    assert send(client, "/settings/password", old=PASSWORD, new="short").status_code == 400
    assert send(client, "/settings/password", old=PASSWORD, new=PASSWORD + "！").status_code == 303
    assert {client.get("/").status_code, other.get("/").status_code} == {303}
    assert log_in(client, "王芳").status_code == 403


def test_too_many_queries_wait(client, peopled, clock) -> None:
    headers = secret_for(peopled, "王芳", "read")
    for _ in range(MOST_QUERIES):
        assert client.get("/api/v1/facets", headers=headers).status_code == 200
    answer = client.get("/api/v1/facets", headers=headers)
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "60")
    for path in ("/api/v1/health", "/api/v1/sites"):
        assert client.get(path, headers=headers).status_code == 429
    assert client.get("/api/v1/facets", headers=secret_for(peopled, "李伟", "read")).status_code == 200
    clock.moment += 61
    assert client.get("/api/v1/facets", headers=headers).status_code == 200


def test_a_form_has_its_limits(client) -> None:
    client.get("/login")
    token = form_token(client.cookies[COOKIE])
    assert client.post("/login", content=b"a=" + b"x" * 300_000).status_code == 413
    assert client.post("/login", content=b"a=1&" * 2000).status_code == 400
    answer = client.post("/login", content=f"form_token={token}&name=%00%ff%ed%a0%80&password=%00".encode())
    assert answer.status_code == 403


def test_the_api_takes_changes_as_json_alone(client) -> None:
    assert client.post("/api/v1/articles", data={"a": "1"}).status_code == 415


def test_hashes_are_salted_and_broken_ones_open_nothing() -> None:
    stored = hash_password(PASSWORD)
    assert stored.startswith("$argon2id$")
    assert stored != hash_password(PASSWORD)
    assert is_right(PASSWORD, stored)
    assert not is_right(PASSWORD + " ", stored)
    assert not is_right(PASSWORD, "")
    assert not is_right(PASSWORD, None)


def test_nothing_of_the_console_reads_or_writes_passwords_into_logs() -> None:
    package = Path(accounts.__file__).parents[1]
    for path in (package / "features/console").rglob("*.py"):
        assert not re.search(r"logger\.\w+\(.*(password|secret|token)", path.read_text("utf-8")), path


@on_postgresql
def test_accounts_work_on_postgresql(client, peopled) -> None:
    assert log_in(client, "赵敏").status_code == 303
    assert send(client, "/settings/accounts", name="孙丽", role="reader", password=PASSWORD).status_code == 303
    assert "孙丽" in client.get("/settings").text
    assert client.get("/api/v1/status", headers=secret_for(peopled, "孙丽", "read")).status_code == 200
    assert send(client, "/settings/accounts/remove", name="孙丽").status_code == 303
