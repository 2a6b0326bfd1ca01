"""Log-in by OpenID Connect against a provider on loopback: who is let in, in which role, and what proves nothing."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit
from urllib.request import HTTPRedirectHandler, build_opener

import pytest
from fastapi.testclient import TestClient
from joserfc.jwk import RSAKey

from newsspider.features.console import accounts
from newsspider.features.console.access import COOKIE
from newsspider.features.console.accounts import Role, hash_password
from newsspider.features.console.oidc import (
    FAILURE_SECONDS,
    METADATA_SECONDS,
    VISIT_SECONDS,
    Provider,
    ProviderAwayError,
    visit_of,
)
from newsspider.features.console.pages.login import VISIT
from newsspider.features.console.rate_limits import MOST_OIDC_VISITS
from newsspider.store import audit_trail
from newsspider.store.engine.database import reading, writing
from tests.features.console.conftest import TODAY
from tests.features.console.consoles import console_of, send
from tests.features.console.oidc_server import CLIENT, NAMES_OF_A_KEY, SECRET, provider
from tests.features.console.people import PASSWORD

ROLES = {"news-editors": "editor", "news-admins": "admin"}


class _Stay(HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        return None


@pytest.fixture(autouse=True)
def loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Providers on loopback need no certificate."""
    monkeypatch.setenv("AUTHLIB_INSECURE_TRANSPORT", "1")


@pytest.fixture
def house():
    with provider() as served:
        yield served


@pytest.fixture
def client(filled, house) -> TestClient:
    """A console with one admin who has a password."""
    with writing(filled) as conn:
        accounts.add(conn, "赵敏", Role.ADMIN, hash_password(PASSWORD), TODAY.timestamp())
    return another(filled, house)


def another(engine, house, **roles: str) -> TestClient:
    options = {"issuer": house.url, "client_id": CLIENT, "client_secret": SECRET, "roles": ROLES | roles}
    return console_of(engine, OIDC=options)


def sent_back(client: TestClient, onward: str = "/sites") -> str:
    """The address of ours that the provider redirects to after the log-in."""
    away = client.get("/login/oidc", params={"next": onward})
    assert away.status_code == 303, away.text
    try:
        build_opener(_Stay).open(away.headers["location"])
    except OSError as answer:
        back = answer.headers["Location"]  # type: ignore[attr-defined]
    parts = urlsplit(back)
    return f"{parts.path}?{parts.query}"


def account(engine, name: str):
    with reading(engine) as conn:
        return accounts.account(conn, name)


def test_somebody_logs_in_and_has_the_role_of_their_group(client, filled, house) -> None:
    page = client.get("/login?next=/sites").text
    assert "/login/oidc?next=%2Fsites" in page
    back = sent_back(client)
    answer = client.get(back)
    assert (answer.status_code, answer.headers["location"]) == (303, "/sites")
    assert "试读" in client.get("/sites").text, "an editor adds sites"
    assert account(filled, "王芳").role == Role.EDITOR
    house.claims["groups"] = "news-admins"
    client.get(sent_back(client))
    assert account(filled, "王芳").role == Role.ADMIN
    with reading(filled) as conn:
        assert [row.action for row in audit_trail.trail(conn, 9)] == ["account.role", "account.add"]
    assert send(client, "/login", name="王芳", password="oidc").status_code == 403, "no password is theirs"


def test_a_state_is_good_once_and_in_its_browser(client, filled, house) -> None:
    back = sent_back(client)
    stranger = another(filled, house)
    assert stranger.get(back).status_code == 403
    assert client.get(back).status_code == 303
    for again in (back, "/login/oidc/callback", "/login/oidc/callback?code=x&state="):
        assert client.get(again).status_code == 403
    client.cookies.set(VISIT, "junk")
    assert client.get(back).status_code == 403
    back = sent_back(stranger)
    state = parse_qs(urlsplit(back).query)["state"][0]
    assert stranger.get(back.replace(state, state[:-1] + ("a" if state[-1] != "a" else "b"))).status_code == 403
    assert COOKIE not in stranger.cookies


@pytest.mark.parametrize(
    "spoiled",
    [
        {"nonce": "another"}, {"nonce": None}, {"aud": "somebody"}, {"iss": "http://evil.cn"}, {"sub": None},
        {"exp": int(TODAY.timestamp()) - 3600}, {"exp": None}, {"azp": "somebody"}, {"aud": [CLIENT, "somebody"]},
    ],
)  # fmt: skip
def test_a_token_for_somebody_else_or_another_time_proves_nothing(client, filled, house, spoiled) -> None:
    house.spoiled = spoiled
    answer = client.get(sent_back(client))
    assert answer.status_code == 403
    assert "Traceback" not in answer.text
    assert account(filled, "王芳") is None


def test_a_token_that_another_key_signed_proves_nothing(client, filled, house) -> None:
    house.signing = RSAKey.generate_key(2048, {"kid": "1"})
    assert client.get(sent_back(client)).status_code == 403
    assert account(filled, "王芳") is None


def test_a_code_is_worth_nothing_without_the_verifier(client, filled, house) -> None:
    back = sent_back(client)
    visit = visit_of(client.cookies[VISIT], SECRET, TODAY.timestamp())
    client.cookies.clear()
    client.cookies.set(VISIT, replace(visit, verifier="x" * 64).written(SECRET))
    assert "OAuthError" in client.get(back).text
    assert account(filled, "王芳") is None


def test_a_log_in_takes_over_no_other_account_and_needs_a_role(client, filled, house) -> None:
    house.claims["preferred_username"] = "赵敏"
    assert client.get(sent_back(client)).status_code == 403
    house.claims |= {"preferred_username": "李伟", "groups": ["others"]}
    assert client.get(sent_back(client)).status_code == 403
    assert account(filled, "李伟") is None
    everybody = another(filled, house, **{"*": "reader"})
    assert everybody.get(sent_back(everybody)).status_code == 303
    assert account(filled, "李伟").role == Role.READER
    house.claims["sub"] = "8"
    assert everybody.get(sent_back(everybody)).status_code == 403, "another subject of the same name"


def test_the_way_back_leads_to_a_page_of_ours(client) -> None:
    assert client.get(sent_back(client, "https://evil.cn/")).headers["location"] == "/"
    back = sent_back(client)
    visit, begun = visit_of(client.cookies[VISIT], SECRET, TODAY.timestamp()), TODAY.timestamp() - VISIT_SECONDS - 1
    assert visit_of(replace(visit, begun=begun).written(SECRET), SECRET, TODAY.timestamp()) is None, "too old"
    for forged in (replace(visit, onward="//evil.cn").written("another secret"), "é.é", ".", "7b7d"):
        assert visit_of(forged, SECRET, TODAY.timestamp()) is None
    client.cookies.clear()
    client.cookies.set(VISIT, replace(visit, onward="//evil.cn/").written(SECRET))
    assert client.get(back).headers["location"] == "/", "though we had written it"


def test_where_oidc_is_set_nobody_is_an_admin_without_an_account(filled, house) -> None:
    client = another(filled, house)
    assert client.get("/settings").headers["location"] == "/login?next=%2Fsettings"
    assert client.get("/api/v1/status").status_code == 401


def test_an_address_asks_the_provider_only_so_often(client) -> None:
    answers = [client.get(path).status_code for path in ("/login/oidc", "/login/oidc/callback") * (MOST_OIDC_VISITS // 2)]
    assert set(answers) == {303, 403}
    for path in ("/login/oidc", "/login/oidc/callback"):
        answer = client.get(path)
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "60")


def test_metadata_are_asked_for_once_an_hour_and_a_failure_is_remembered(house) -> None:
    path = "/.well-known/openid-configuration"
    house_provider = Provider({"issuer": house.url, "client_id": CLIENT, "client_secret": SECRET, "roles": ROLES})
    house.fails = {path}
    for now, times in ((0.0, 1), (FAILURE_SECONDS - 1, 1), (FAILURE_SECONDS, 2)):
        with pytest.raises(ProviderAwayError, match="away"):
            house_provider.leave("http://localhost", "/", now)
        assert house.asked.count(path) == times
    house.fails = set()
    for now, times in ((100.0, 3), (99.0 + METADATA_SECONDS, 3), (100.0 + METADATA_SECONDS, 4), (7.0, 5)):
        house_provider.leave("http://localhost", "/", now)
        assert house.asked.count(path) == times, now


def test_concurrent_log_ins_request_the_metadata_once(house) -> None:
    house_provider = Provider({"issuer": house.url, "client_id": CLIENT, "client_secret": SECRET, "roles": ROLES})
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: house_provider.leave("http://localhost", "/", 0.0), range(4)))
    assert len(house.asked) == 1


def test_keys_that_cannot_be_got_are_the_fault_of_the_provider(client, house) -> None:
    back, house.fails = sent_back(client), {"/keys"}
    assert client.get(back).status_code == 502


@pytest.mark.parametrize("header", [{"alg": "PS512"}, {"alg": "RS384", "kid": "9"}])
def test_the_only_key_needs_no_name(client, house, header) -> None:
    house.header, house.has_key_names = header, False
    key = house.key.as_dict(private=True)
    house.signing = RSAKey.import_key({name: value for name, value in key.items() if name not in NAMES_OF_A_KEY})
    assert client.get(sent_back(client)).status_code == 303


def test_what_the_provider_refuses_is_named(client) -> None:
    state = parse_qs(urlsplit(sent_back(client)).query)["state"][0]
    answer = client.get("/login/oidc/callback", params={"state": state, "error": "access_denied"})
    assert answer.status_code == 403
    assert "access_denied" in answer.text
    assert "<hr>" not in client.get("/login/oidc/callback", params={"state": state, "error": "<hr>"}).text


def test_the_provider_leads_back_to_the_address_of_the_console(filled, house) -> None:
    options = {"issuer": house.url, "client_id": CLIENT, "client_secret": SECRET, "roles": ROLES}
    client = console_of(filled, OIDC=options, CONSOLE_URL="https://news.example.cn/n/")
    away = parse_qs(urlsplit(client.get("/login/oidc").headers["location"]).query)
    assert away["redirect_uri"] == ["https://news.example.cn/n/login/oidc/callback"]


def test_an_address_names_an_account_only_if_the_provider_has_verified_it(client, filled, house) -> None:
    house.claims = {"sub": "9", "email": "li@example.cn", "groups": ["news-editors"]}
    client.get(sent_back(client))
    assert account(filled, "li@example.cn") is None
    assert account(filled, "9")
    house.claims |= {"sub": "10", "email_verified": True}
    client.get(sent_back(client))
    assert account(filled, "li@example.cn")


def test_a_renamed_person_keeps_the_account_and_gets_the_current_role(client, filled, house) -> None:
    house.claims["groups"] = ["news-admins"]
    client.get(sent_back(client))
    house.claims |= {"preferred_username": "王芳芳", "groups": ["news-editors"]}
    client.get(sent_back(client))
    assert account(filled, "王芳芳") is None
    assert account(filled, "王芳").role == Role.EDITOR


def test_a_person_who_lost_all_roles_keeps_neither_sessions_nor_tokens(client, filled, house) -> None:
    house.claims["groups"] = ["news-admins"]
    client.get(sent_back(client))
    with writing(filled) as conn:
        token = accounts.grant(conn, "王芳", "t", TODAY.timestamp(), "edit")
    house.claims["groups"] = ["*", "others"]
    back = sent_back(client)
    assert client.get("/settings").status_code == 200
    assert client.get(back).status_code == 403
    assert client.get("/settings").status_code == 303
    assert another(filled, house).get("/api/v1/status", headers={"Authorization": f"Bearer {token}"}).status_code == 401
    assert account(filled, "王芳").role == Role.READER


def test_the_last_admin_is_not_demoted_but_refused(client, filled, house) -> None:
    house.claims["groups"] = ["news-admins"]
    client.get(sent_back(client))
    with writing(filled) as conn:
        accounts.remove(conn, "赵敏")
    house.claims["groups"] = ["news-editors"]
    answer = client.get(sent_back(client))
    assert (answer.status_code, account(filled, "王芳").role) == (403, Role.ADMIN)
    assert "唯一的管理员" in answer.text
    assert client.get("/settings").status_code == 303, "the session has ended"


def test_a_provider_that_is_away_and_one_that_is_not_set(filled) -> None:
    away = console_of(filled, OIDC={"issuer": "http://127.0.0.1:1", "client_id": "a", "client_secret": "b", "roles": {"*": "reader"}})
    assert away.get("/login/oidc").status_code == 502
    none = console_of(filled)
    assert none.get("/login/oidc").status_code == 404
    assert none.get("/login/oidc/callback?code=a&state=b").status_code == 404
    assert "/login/oidc" not in none.get("/login").text
