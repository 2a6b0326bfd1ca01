"""A console whose readers, editors and admins log in."""

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine

from newsspider.features.console import accounts
from newsspider.features.console.access import COOKIE, form_token
from newsspider.features.console.accounts import Role, hash_password
from newsspider.features.console.app import create_app
from newsspider.store.engine.clock import Clock
from newsspider.store.engine.database import writing
from tests.features.console.conftest import HOST, TODAY

PASSWORD = "晨读三份报纸，午后写两页笔记"
NAMES = {"王芳": Role.READER, "李伟": Role.EDITOR, "赵敏": Role.ADMIN}


class Watch(Clock):
    """A clock that tests move."""

    moment = TODAY.timestamp()

    def now(self) -> float:
        return self.moment


@pytest.fixture
def clock() -> Watch:
    return Watch()


@pytest.fixture
def peopled(filled: Engine) -> Engine:
    password_hash = hash_password(PASSWORD)
    with writing(filled) as conn:
        for name, role in NAMES.items():
            accounts.add(conn, name, role, password_hash, TODAY.timestamp())
    return filled


@pytest.fixture
def app(peopled: Engine, clock: Watch):
    return create_app(peopled, hosts=[HOST], clock=clock)


@pytest.fixture
def client(app) -> TestClient:
    return TestClient(app, base_url=f"http://{HOST}", follow_redirects=False)


def send(client: TestClient, path: str, **fields: str):
    """Send a form as its page would."""
    if COOKIE not in client.cookies:
        client.get("/login")
    return client.post(path, data=fields | {"form_token": form_token(client.cookies[COOKIE])})


def log_in(client: TestClient, name: str, **fields: str):
    return send(client, "/login", name=name, password=PASSWORD, **fields)


def secret_for(engine: Engine, name: str, scope: str) -> dict[str, str]:
    with writing(engine) as conn:
        return {"Authorization": f"Bearer {accounts.grant(conn, name, 'test', TODAY.timestamp(), scope)}"}
