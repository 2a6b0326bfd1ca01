"""Access to the console: who asks (session cookie or API token), whether their role may do it, and whether a change was
really asked for by a page of ours (CSRF protection). Each route names the role that it takes; ``accounts.py`` says what
a role may do, and when a session ends."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from base64 import b64decode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import parse_qsl, quote, urlsplit

from fastapi import APIRouter, Depends, FastAPI, HTTPException, Request, Response
from sqlalchemy import Connection

from newsspider.core.text.characters import storable_text
from newsspider.features.console import accounts
from newsspider.features.console.accounts import Bearer, Role
from newsspider.store import audit_trail
from newsspider.store.engine.database import reading, writable, writing

COOKIE = "visit"  # a secret of the browser: of its session once somebody has logged in
TOKEN_FIELD = "form_token"
LONGEST_FORM = 1 << 18  # bytes
MOST_FIELDS = 1000
LONGEST_LIST, MOST_LIST_FIELDS = 1 << 23, 20_000  # of a form with fields for each of many things
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
NOBODY = Bearer("", Role.ADMIN, "", "", 0.0)  # somebody at this machine, where there are no accounts
API, FEEDS = "/api/", "/feeds/"

Form = dict[str, str]
# Routers with their routes, by the id of the router: FastAPI analyses routes at the first request, which takes 0.2 s;
# apps that share them have it done once.
_analysed: dict[tuple[int, tuple[Callable[[Request], None], ...], bool], tuple[APIRouter, APIRouter]] = {}


class NotLoggedInError(HTTPException):
    """Nobody has logged in, and there are accounts."""

    def __init__(self) -> None:
        super().__init__(401, "log in, or send an API token: Authorization: Bearer TOKEN")


@dataclass(frozen=True, slots=True)
class AuditedChange:
    """A change on its way: the transaction, the moment, who makes it."""

    conn: Connection
    now: float
    account: str

    def note(self, action: str, subject: str, *, before: object = None, after: object = None) -> None:
        """Write it into the audit trail."""
        audit_trail.note(self.conn, self.account, action, subject, self.now, before=before, after=after)


def add_routes(app: FastAPI, router: APIRouter, *needs: Callable[[Request], None], in_schema: bool = True) -> None:
    """Add the routes of a router to an app, for those whom :func:`require_login` and each of ``needs`` let in."""
    _, holder = _analysed.setdefault((id(router), needs, in_schema), (router, APIRouter()))
    if not holder.routes:
        needed = [Depends(require_login), *map(Depends, needs)]
        holder.include_router(router, include_in_schema=in_schema, dependencies=needed)
    app.router.routes += holder.routes


def require_login(request: Request) -> None:
    """Set ``request.state.bearer``; raise :exc:`NotLoggedInError` if accounts exist and the request names none."""
    if request.app.state.everybody is not None:
        request.state.bearer = request.app.state.everybody
        return
    engine, now = request.app.state.engine, request.app.state.clock.now()
    with reading(engine) as conn:
        tokens = (_header_secret(request), request.cookies.get(COOKIE, ""))  # a proxy may have a header of its own
        bearer = next(filter(None, (accounts.bearer_of(conn, secret, now) for secret in tokens if secret)), None)
        if bearer is None and (request.app.state.accounts_needed or accounts.exist(conn)):
            raise NotLoggedInError
    request.state.bearer = bearer or NOBODY
    if bearer is not None and now - bearer.used_at > accounts.USE_NOTED_SECONDS:
        request.app.state.uses.add(bearer.hash, now)


def bearer_of(request: Request) -> Bearer | None:
    """Who asks, where :func:`require_login` has learned it."""
    return getattr(request.state, "bearer", None)


def account_of(request: Request) -> str:
    """The account that asks; empty without accounts."""
    return require_role(request, Role.READER).account


def asker_of(request: Request) -> str:
    """The account that asks, else its address: what limits count."""
    bearer = bearer_of(request)
    return (bearer.account if bearer else "") or address_of(request)


def address_of(request: Request) -> str:
    """The address that a request comes from."""
    return request.client.host if request.client else ""


def owner_of(request: Request) -> str | None:
    """Whose things one sees, such as alerts: ``None``, everybody's, as an admin."""
    bearer = require_role(request, Role.READER)
    return None if bearer.role is Role.ADMIN else bearer.account


def require_role(request: Request, role: Role) -> Bearer:
    """Who asks, if that is allowed to this role; status 403 if it is not."""
    bearer = bearer_of(request)
    if bearer is None or bearer.role.rank < role.rank:
        raise HTTPException(403, f"this takes the role {role}")
    return bearer


def require_editor(request: Request) -> None:
    """Status 403 for readers, before the answer can tell whether what they ask for exists."""
    require_role(request, Role.EDITOR)


def needs_session(request: Request) -> None:
    """Status 403 if a token asks for a change that takes somebody who has logged in."""
    bearer = bearer_of(request)
    if request.method not in SAFE and bearer is not None and bearer.scope:
        raise HTTPException(403, "no API token may do this; log in")


@contextmanager
def writing_store(request: Request) -> Iterator[Connection]:
    """A transaction on the store; status 409 if that may only be read."""
    if not writable(request.app.state.engine):
        raise HTTPException(409, "the store may only be read")
    with writing(request.app.state.engine) as conn:
        yield conn


@contextmanager
def begin_change(request: Request, role: Role) -> Iterator[AuditedChange]:
    """A transaction for a change that this role may make, and no token for reading."""
    bearer = require_role(request, role)
    if bearer.scope == "read":
        raise HTTPException(403, "this token is for reading")
    with writing_store(request) as conn:
        yield AuditedChange(conn, request.app.state.clock.now(), bearer.account)


@contextmanager
def run_alone(request: Request, what: str) -> Iterator[None]:
    """Do something slow; status 409 while this console does the same for somebody else, or for a second press."""
    running: dict[str, object] = request.app.state.running
    mine = object()
    if running.setdefault(what, mine) is not mine:
        raise HTTPException(409, "this is being written; wait for it")
    try:
        yield
    finally:
        del running[what]


def _header_secret(request: Request) -> str:
    """The API token of the request: as a bearer's, or, for feed readers, as the password of Basic authentication."""
    kind, _, value = request.headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        return value.strip()
    if kind.lower() == "basic" and request.method in SAFE:
        try:
            return b64decode(value.strip(), validate=True).decode().partition(":")[2]
        except ValueError:
            return ""
    return ""


def cookie_of(request: Request) -> str:
    """The secret of the browser; a new one, which :func:`set_cookie` gives it, if it has none."""
    if not hasattr(request.state, "cookie"):
        request.state.cookie = request.cookies.get(COOKIE) or secrets.token_urlsafe(32)
    return str(request.state.cookie)


def set_cookie(request: Request, answer: Response, secret: str, seconds: float | None = None) -> None:
    """Give the browser its secret, as a cookie that scripts cannot read and that forms of other sites do not send; over
    https as a secure one."""
    path = request.scope.get("root_path", "") or "/"
    age = None if seconds is None else int(seconds)
    is_https = request.url.scheme == "https"
    answer.set_cookie(COOKIE, secret, max_age=age, path=path, httponly=True, samesite="lax", secure=is_https)


def form_token(secret: str) -> str:
    """The CSRF token of the forms of a browser with this secret, which no page of another site can know."""
    return hmac.new(secret.encode("utf-8", "surrogatepass"), b"form", hashlib.sha256).hexdigest()


async def form_of(request: Request, longest: int = LONGEST_FORM, most: int = MOST_FIELDS) -> Form:
    """The fields of a form of ours; status 403 if its CSRF token is not that of the browser."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > longest:
            raise HTTPException(413, f"a form has at most {longest} bytes")
    try:
        pairs = parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=most)
    except ValueError:
        raise HTTPException(400, "the form has too many fields") from None
    fields = {name: storable_text(value) for name, value in pairs}
    token, cookie = fields.pop(TOKEN_FIELD, ""), request.cookies.get(COOKIE, "")
    if not cookie or not hmac.compare_digest(token.encode(), form_token(cookie).encode()):
        raise HTTPException(403, "this form is too old, or not of this page: go back, load it again, and send it again")
    return fields


async def _fields(request: Request) -> Form:
    return await form_of(request)


async def _long_fields(request: Request) -> Form:
    require_role(request, Role.EDITOR)  # before the form is read
    return await form_of(request, LONGEST_LIST, MOST_LIST_FIELDS)


Fields = Annotated[Form, Depends(_fields)]
ManyFields = Annotated[Form, Depends(_long_fields)]


def is_foreign(method: str, headers: Any) -> bool:
    """Whether a browser says that a page of another site asks for a change, or a page that hides where it is from."""
    if method in SAFE:
        return False
    if headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
        return True
    origin = headers.get("origin")
    try:
        return origin is not None and urlsplit(origin).netloc.lower() != headers.get("host", "").lower()
    except ValueError:  # `http://[` is no origin
        return True


def is_program(request: Request) -> bool:
    """Whether the answer is for a program: of the API, or a feed."""
    path = request.url.path.removeprefix(request.scope.get("root_path", ""))
    return path.startswith((API, FEEDS))


def way_to_log_in(request: Request) -> str:
    """The log-in page, which leads back to where the request wanted to go."""
    root = request.scope.get("root_path", "")
    path = request.url.path.removeprefix(root) + (f"?{request.url.query}" if request.url.query else "")
    return f"{root}/login" + (f"?next={quote(path, safe='')}" if path != "/" and request.method in SAFE else "")
