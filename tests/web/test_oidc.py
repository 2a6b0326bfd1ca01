"""Log-in by OpenID Connect against a provider on loopback: who is let in, in which role, and what proves nothing."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit
from urllib.request import HTTPRedirectHandler, build_opener

import pytest
from fastapi.testclient import TestClient
from joserfc.jwk import RSAKey

from newsspider.store import accounts
from newsspider.store.accounts import Role
from newsspider.store.engine.database import reading, writing
from newsspider.store.passwords import hashed
from newsspider.web.access import COOKIE
from newsspider.web.pages.login import VISIT
from tests.web.conftest import TODAY
from tests.web.oidc_server import CLIENT, SECRET, provider
from tests.web.test_access import PASSWORD
from tests.web.test_changes import console_of, send

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
        accounts.add(conn, "赵敏", Role.ADMIN, hashed(PASSWORD), TODAY.timestamp())
    return another(filled, house)


def another(engine, house, **roles: str) -> TestClient:
    options = {"issuer": house.url, "client_id": CLIENT, "client_secret": SECRET, "roles": ROLES | roles}
    return console_of(engine, OIDC=options)


def sent_back(client: TestClient, onward: str = "/sites") -> str:
    """The address of ours that the provider leads to, after the way there."""
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
        assert [row.action for row in accounts.trail(conn, 9)] == ["account.role", "account.add"]
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
        {"exp": int(TODAY.timestamp()) - 3600}, {"exp": None},
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
    written = bytes.fromhex(client.cookies[VISIT]).decode()
    spoiled = written.replace('"verifier":"', '"verifier":"x')
    client.cookies.clear()
    client.cookies.set(VISIT, spoiled.encode().hex())
    assert client.get(back).status_code == 403
    assert account(filled, "王芳") is None


def test_nobody_becomes_who_has_a_password_and_nobody_comes_in_without_a_role(client, filled, house) -> None:
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


def test_a_provider_that_is_away_and_one_that_is_not_set(filled) -> None:
    away = console_of(filled, OIDC={"issuer": "http://127.0.0.1:1", "client_id": "a", "client_secret": "b", "roles": {"*": "reader"}})
    assert away.get("/login/oidc").status_code == 502
    none = console_of(filled)
    assert none.get("/login/oidc").status_code == 404
    assert none.get("/login/oidc/callback?code=a&state=b").status_code == 404
    assert "/login/oidc" not in none.get("/login").text
