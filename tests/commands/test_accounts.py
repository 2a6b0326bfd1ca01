"""``scrapy accounts``."""

import io
import json

import pytest

from newsspider.features.console import accounts
from newsspider.features.console.accounts import Role, is_right
from newsspider.store import audit_trail
from newsspider.store.engine.database import open_store, reading
from tests.support.commands import database, scrapy

__all__ = ["database", "scrapy"]

PASSWORD = "晨读三份报纸，午后写两页笔记"


@pytest.fixture
def typed(monkeypatch):
    """What stands on standard input."""
    return lambda line: monkeypatch.setattr("sys.stdin", io.StringIO(line))


def test_the_first_account_is_an_admin_and_the_next_a_reader(scrapy, typed):
    typed(f"{PASSWORD}\nmore\n")
    assert scrapy("accounts", "add", "王芳").err == "added 王芳, admin\n"
    typed(PASSWORD)
    assert scrapy("accounts", "add", "李伟").err == "added 李伟, reader\n"
    typed(PASSWORD)
    assert scrapy("accounts", "add", "赵敏", "--role", "editor").code == 0
    rows = [json.loads(line) for line in scrapy("accounts", "list", "--json").out.splitlines()]
    assert [(row["name"], row["role"]) for row in rows] == [("李伟", "reader"), ("王芳", "admin"), ("赵敏", "editor")]
    typed(PASSWORD)
    again = scrapy("accounts", "add", "王芳")
    assert (again.code, "there is an account 王芳 already" in again.err) == (2, True)


def test_a_password_is_stored_as_a_hash_and_shown_nowhere(scrapy, typed, database):
    typed(PASSWORD)
    ran = [scrapy("accounts", "add", "王芳")]
    typed(PASSWORD + "！")
    ran += [scrapy("accounts", "password", "王芳"), scrapy("accounts", "list")]
    assert PASSWORD not in "".join(result.out + result.err for result in ran)
    engine = open_store(database)
    with reading(engine) as conn:
        row = accounts.account(conn, "王芳")
        assert row is not None
        assert is_right(PASSWORD + "！", row.password_hash)
        assert [entry.action for entry in audit_trail.trail(conn, 9)] == ["account.password", "account.add"]
    engine.dispose()


@pytest.mark.parametrize("password", ["", "short", "123456789012", "aaaaaaaaaaaaaaaa", "王芳王芳王芳王芳王芳王芳", "x" * 257])
def test_a_weak_password_is_refused(scrapy, typed, password):
    typed(password + "\n")
    ran = scrapy("accounts", "add", "王芳")
    assert (ran.code, ran.out) == (2, "")
    assert scrapy("accounts", "list").out == ""


def test_a_token_is_printed_once_and_ends_with_its_account(scrapy, typed, database):
    typed(PASSWORD)
    scrapy("accounts", "add", "王芳")
    secret = scrapy("accounts", "token", "王芳", "--scope", "edit", "--label", "notebook", "--days", "30").out.strip()
    assert len(secret) == 43
    engine = open_store(database)
    with reading(engine) as conn:
        row = accounts.tokens(conn)[0]
        bearer = accounts.bearer_of(conn, secret, row.made_at + 29 * 86_400)
        assert bearer is not None
        assert (bearer.account, bearer.role) == ("王芳", Role.EDITOR)
        assert accounts.bearer_of(conn, secret, row.made_at + 31 * 86_400) is None
    assert scrapy("accounts", "remove", "王芳").err == "removed 王芳\n"
    with reading(engine) as conn:
        assert accounts.tokens(conn) == []
        assert not accounts.exist(conn)
    engine.dispose()
