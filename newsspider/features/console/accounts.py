"""The accounts of the console, their passwords (rules, Argon2id hashes), sessions (when they end) and API tokens."""

from __future__ import annotations

import hashlib
import secrets
import threading
from enum import StrEnum
from itertools import pairwise
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Connection, Engine

from newsspider.features.console import reading_marks, saved_searches
from newsspider.hooks import plugins
from newsspider.store.engine.database import writing
from newsspider.store.engine.statement import Statement

if TYPE_CHECKING:
    from argon2 import PasswordHasher

DAY = 86_400.0
SESSION_SECONDS = 30 * DAY  # after which a session ends, however much it is used
IDLE_SECONDS = 7 * DAY  # after which an unused session ends
USE_NOTED_SECONDS = 600.0  # the precision of the last use, so that not every request writes
LONGEST_NAME = 64
LONGEST_LABEL = 200

_COUNT = Statement("SELECT count(*) FROM accounts")
_ALL = Statement(
    """
    SELECT a.name, a.role, a.added_at, a.changed_at,
           (SELECT count(*) FROM account_tokens t WHERE t.account = a.name AND t.scope = '') AS sessions,
           (SELECT count(*) FROM account_tokens t WHERE t.account = a.name AND t.scope <> '') AS tokens
    FROM accounts a ORDER BY a.name
    """
)
_ONE = Statement("SELECT name, role, password_hash FROM accounts WHERE name = :name")
_MARKED = Statement("SELECT name, role, password_hash FROM accounts WHERE password_hash = :mark")
_ADMINS = Statement("SELECT count(*) FROM accounts WHERE role = 'admin' AND name <> :name")
_ADD = Statement(
    """
    INSERT INTO accounts (name, role, password_hash, added_at, changed_at)
    VALUES (:name, :role, :password_hash, :now, :now) ON CONFLICT (name) DO NOTHING
    """
)
_REMOVE = Statement("DELETE FROM accounts WHERE name = :name")
_SET_ROLE = Statement("UPDATE accounts SET role = :role, changed_at = :now WHERE name = :name")
_SET_PASSWORD = Statement("UPDATE accounts SET password_hash = :password_hash, changed_at = :now WHERE name = :name")
_GRANT = Statement(
    """
    INSERT INTO account_tokens (hash, account, scope, label, made_at, used_at, ends_at)
    VALUES (:hash, :account, :scope, :label, :now, :now, :ends_at)
    """
)
_BEARER = Statement(
    """
    SELECT t.hash, t.account, t.scope, t.used_at, a.role FROM account_tokens t JOIN accounts a ON a.name = t.account
    WHERE t.hash = :hash AND (t.ends_at IS NULL OR t.ends_at > :now) AND (t.scope <> '' OR t.used_at > :idle_since)
    """
)
_USED = Statement("UPDATE account_tokens SET used_at = :now WHERE hash = :hash")
_TOKENS = Statement("SELECT * FROM account_tokens ORDER BY account, scope, made_at DESC")
_END = Statement("DELETE FROM account_tokens WHERE hash = :hash")
_END_SESSIONS = Statement("DELETE FROM account_tokens WHERE account = :name AND scope = ''")
_END_ALL = Statement("DELETE FROM account_tokens WHERE account = :name")
_END_OLD = Statement("DELETE FROM account_tokens WHERE ends_at <= :now OR (scope = '' AND used_at <= :idle_since)")

SHORTEST_PASSWORD, LONGEST_PASSWORD = 12, 256  # characters
FEWEST_DISTINCT = 5
# OWASP's lowest recommendation for Argon2id. With more memory, a few simultaneous log-ins would take that of the crawl.
TIME_COST, MEMORY_KIB, LANES = 2, 19_456, 1

_one_at_a_time = threading.Lock()


class Role(StrEnum):
    """What an account may do: read; also change sites, topics and collections; also manage accounts."""

    READER = "reader"
    EDITOR = "editor"
    ADMIN = "admin"

    @property
    def rank(self) -> int:
        """The higher it is, the more is allowed."""
        return list(Role).index(self)


SCOPES = {"read": Role.READER, "edit": Role.EDITOR, "admin": Role.ADMIN}  # the highest role that a token gives


class Account(NamedTuple):
    """An account."""

    name: str
    role: Role
    password_hash: str


class Bearer(NamedTuple):
    """The account behind a session or token, whose ``hash`` is empty if nobody logged in; only a token has a
    ``scope``."""

    account: str
    role: Role
    scope: str
    hash: str
    used_at: float


def is_valid_name(name: str) -> bool:
    """Whether an account may have this name: letters of any script, figures and ``.-_@``, up to 64.

    >>> [is_valid_name(name) for name in ("王芳", "li.wei@edu.cn", "", " a", "a b", "<b>", "x" * 65)]
    [True, True, False, False, False, False, False]
    """
    return 0 < len(name) <= LONGEST_NAME and all(letter.isalnum() or letter in ".-_@" for letter in name)


def hash_of(secret: str) -> str:
    """The stored hash of a secret of 256 random bits, which needs no salt."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def exist(conn: Connection) -> bool:
    """Whether there are any accounts."""
    return bool(_COUNT.run(conn, {}).scalar())


def all_accounts(conn: Connection) -> list[Any]:
    """Every account by name, with the numbers of its sessions and tokens."""
    return _ALL.run(conn, {}).all()


def account(conn: Connection, name: str) -> Account | None:
    """The account of this name."""
    return _account(_ONE.run(conn, {"name": name}).first())


def marked(conn: Connection, mark: str) -> Account | None:
    """The account that has this mark of a provider in place of the hash of a password."""
    return _account(_MARKED.run(conn, {"mark": mark}).first())


def _account(row: Any) -> Account | None:
    return None if row is None else Account(row.name, Role(row.role), row.password_hash)


def add(conn: Connection, name: str, role: Role, password_hash: str, now: float) -> bool:
    """Add an account; ``False`` if there is one of that name. The first one takes over what was marked and saved before
    there were accounts."""
    is_first = not exist(conn)
    is_added = bool(_ADD.change(conn, {"name": name, "role": role.value, "password_hash": password_hash, "now": now}))
    if is_first and is_added:
        reading_marks.take_over(conn, name)
        saved_searches.take_over(conn, name)
    return is_added


def is_last_admin(conn: Connection, name: str) -> bool:
    """Whether this is the only account that may manage accounts."""
    row = account(conn, name)
    return row is not None and row.role == Role.ADMIN and not _ADMINS.run(conn, {"name": name}).scalar()


def remove(conn: Connection, name: str) -> bool:
    """Remove an account with its sessions and tokens, and what plug-ins keep for it; ``False`` if there is none."""
    plugins().hook.account_removed(conn=conn, name=name)
    return bool(_REMOVE.change(conn, {"name": name}))


def set_role(conn: Connection, name: str, role: Role, now: float) -> bool:
    """Give an account another role; ``False`` if there is none."""
    return bool(_SET_ROLE.change(conn, {"name": name, "role": role.value, "now": now}))


def set_password(conn: Connection, name: str, password_hash: str, now: float) -> bool:
    """Give an account another password and end its sessions; ``False`` if there is none."""
    _END_SESSIONS.change(conn, {"name": name})
    return bool(_SET_PASSWORD.change(conn, {"name": name, "password_hash": password_hash, "now": now}))


def grant(conn: Connection, name: str, label: str, now: float, scope: str = "", ends_at: float | None = None) -> str:
    """The secret of a new API token; without a ``scope``, of a new session. It cannot be read again later."""
    _END_OLD.change(conn, {"now": now, "idle_since": now - IDLE_SECONDS})
    secret = secrets.token_urlsafe(32)
    if not scope:
        ends_at = now + SESSION_SECONDS
    values = {"hash": hash_of(secret), "account": name, "scope": scope, "label": label[:LONGEST_LABEL]}
    _GRANT.change(conn, values | {"now": now, "ends_at": ends_at})
    return secret


def bearer_of(conn: Connection, secret: str, now: float) -> Bearer | None:
    """The bearer of this secret, with the lower of the account's role and the token's scope."""
    row = _BEARER.run(conn, {"hash": hash_of(secret), "now": now, "idle_since": now - IDLE_SECONDS}).first()
    if row is None:
        return None
    role = Role(row.role)
    effective = min(role, SCOPES.get(row.scope, role), key=lambda candidate: candidate.rank)
    return Bearer(row.account, effective, row.scope, row.hash, row.used_at)


def note_use(conn: Connection, token_hash: str, now: float) -> None:
    """Note the use of a session or token."""
    _USED.change(conn, {"hash": token_hash, "now": now})


def tokens(conn: Connection) -> list[Any]:
    """All sessions and tokens, by account."""
    return _TOKENS.run(conn, {}).all()


def end(conn: Connection, token_hash: str) -> bool:
    """End a session or token; ``False`` if there is none."""
    return bool(_END.change(conn, {"hash": token_hash}))


def end_all(conn: Connection, name: str) -> bool:
    """End the sessions and tokens of an account; ``False`` if it has none."""
    return bool(_END_ALL.change(conn, {"name": name}))


class Uses:
    """Keeps the time of the last use of each session or token until it is stored, so that a request that only reads
    never waits for a writer."""

    def __init__(self) -> None:
        self._moments: dict[str, float] = {}
        self._lock = Lock()

    def add(self, token_hash: str, now: float) -> None:
        """A session or token is used."""
        with self._lock:
            self._moments[token_hash] = now

    def store(self, engine: Engine) -> None:
        """Write down what was used since the last time; what cannot be written is forgotten."""
        with self._lock:
            moments, self._moments = self._moments, {}
        if moments:
            with writing(engine) as conn:
                for token_hash, moment in sorted(moments.items()):
                    note_use(conn, token_hash, moment)


def objection_to(password: str, name: str = "") -> str | None:
    """The code of the reason why a password is refused; ``None`` if it is good enough.

    >>> objection_to("高考改革与我们的新生活一起来"), objection_to("short"), objection_to("aaaaaaaaaaaaaa")
    (None, 'shorter_than_12_characters', 'too_easy_to_guess')
    """
    if len(password) < SHORTEST_PASSWORD:
        return "shorter_than_12_characters"
    if len(password) > LONGEST_PASSWORD:
        return "longer_than_256_characters"
    rest = password.casefold().replace(name.casefold(), "") if name else password.casefold()
    steps = {ord(next_character) - ord(character) for character, next_character in pairwise(rest)}
    if len(set(rest)) < FEWEST_DISTINCT or len(steps) <= 2 or rest.isdecimal():
        return "too_easy_to_guess"
    return None


def hash_password(password: str) -> str:
    """The hash to store."""
    return _hasher().hash(password.encode("utf-8", "surrogatepass"))


def is_right(password: str, stored: str | None) -> bool:
    """Whether this is the password of a stored hash; without a hash ``False``, after the same work.

    Passwords are checked one at a time, so that many log-ins at once take no more memory than one.
    """
    from argon2.exceptions import InvalidHashError, VerificationError

    with _one_at_a_time:
        if stored is None:
            hash_password(password)
            return False
        try:
            return _hasher().verify(stored, password.encode("utf-8", "surrogatepass"))
        except (VerificationError, InvalidHashError):
            return False


def _hasher() -> PasswordHasher:
    from argon2 import PasswordHasher

    return PasswordHasher(time_cost=TIME_COST, memory_cost=MEMORY_KIB, parallelism=LANES)
