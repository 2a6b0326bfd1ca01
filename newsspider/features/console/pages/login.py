"""Login and logout: begin and end a session."""

from __future__ import annotations

import logging
from typing import Any
from urllib.parse import urlsplit

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import RedirectResponse, Response
from sqlalchemy import Connection

from newsspider.features.console import accounts, oidc
from newsspider.features.console.access import COOKIE, Fields, address_of, set_cookie, writing_store
from newsspider.features.console.accounts import SESSION_SECONDS, Role, hash_of
from newsspider.features.console.rate_limits import check_password
from newsspider.features.console.view import open_view, redirect_to
from newsspider.store import audit_trail
from newsspider.store.engine.database import writable, writing

VISIT = "oidc"  # the cookie
LOOPBACK = ("127.0.0.1", "localhost", "::1")
NO_ROLE = "your account at the provider has no role here; ask an admin"

logger = logging.getLogger(__name__)
router = APIRouter()


@router.get("/login")
def login_page(request: Request) -> Response:
    """The form."""
    with open_view(request) as view:
        onward = _onward(request.query_params.get("next", ""))
        return view.page("login.html", onward=onward, objection=False, name="", oidc=bool(_options(request)))


@router.post("/login")
def login(request: Request, fields: Fields) -> Response:
    """Begin a session."""
    now = request.app.state.clock.now()
    name, password, onward = fields.get("name", ""), fields.get("password", ""), _onward(fields.get("next", ""))
    if not check_password(request, name, password):
        with open_view(request) as view:
            values = {"onward": onward, "objection": True, "name": name[:64], "oidc": bool(_options(request))}
            return view.page("login.html", status=403, **values)
    with writing_store(request) as conn:
        secret = accounts.grant(conn, name, request.headers.get("user-agent", ""), now)
    return _begun(request, secret, onward)


@router.get("/login/oidc")
def leave_for_provider(request: Request) -> Response:
    """Go to the provider of ``OIDC`` to log in there."""
    provider, now = _provider(request), request.app.state.clock.now()
    try:
        url, visit = provider.leave(_back(request), _onward(request.query_params.get("next", "")), now)
    except Exception as error:  # a provider that is away, or whose answer is wrong
        logger.warning("log-in by OIDC fails: %s", error)
        raise HTTPException(502, str(error) if isinstance(error, oidc.LoginError) else "the provider is away") from None
    answer = RedirectResponse(url, 303)
    answer.set_cookie(
        VISIT,
        visit.written(provider.options["client_secret"]),
        max_age=int(oidc.VISIT_SECONDS),
        path=_path(request),
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )
    return answer


@router.get("/login/oidc/callback")
def arrive_from_provider(request: Request) -> Response:
    """Begin the session of somebody who has logged in at the provider; a first log-in creates the account."""
    provider, now = _provider(request), request.app.state.clock.now()
    visit = oidc.visit_of(request.cookies.get(VISIT, ""), provider.options["client_secret"], now)
    try:
        person = provider.arrive(_back(request), visit, request.query_params, now)
    except oidc.LoginError as error:
        logger.warning("log-in by OIDC fails: %s", error.__cause__ or error)
        raise HTTPException(error.status, str(error)) from None
    with writing_store(request) as conn:
        name, refusal = _account_of(conn, person, now)
        secret = "" if refusal else accounts.grant(conn, name, request.headers.get("user-agent", ""), now)
    if refusal:
        raise HTTPException(403, refusal)
    answer = _begun(request, secret, _onward(visit.onward if visit else ""))
    answer.delete_cookie(VISIT, path=_path(request))
    return answer


def _account_of(conn: Connection, person: oidc.Person, now: float) -> tuple[str, str]:
    """The name of the person's account, with their present role, and why they may not log in, if so. An account keeps
    its name, whatever the person is called later; without a role nothing of it is good any longer."""
    row = accounts.marked(conn, person.mark)
    if row is None:
        if not person.name or person.role is None:
            return "", NO_ROLE
        if not accounts.add(conn, person.name, person.role, person.mark, now):
            return "", f"{person.name} is an account of somebody else here; ask an admin"
        audit_trail.note(conn, person.name, "account.add", person.name, now, after={"role": person.role, "by": "OIDC"})
        return person.name, ""
    refusal, role = "" if person.role else NO_ROLE, person.role or Role.READER
    if role is not Role.ADMIN and accounts.is_last_admin(conn, row.name):
        refusal = f"{row.name} is the only admin, and no longer one at the provider; make another one first"
        role = row.role
    if refusal and accounts.end_all(conn, row.name):
        audit_trail.note(conn, row.name, "session.end", row.name, now, before={"by": "OIDC"})
    if role is not row.role:
        accounts.set_role(conn, row.name, role, now)
        change = {"before": {"role": row.role}, "after": {"role": role, "by": "OIDC"}}
        audit_trail.note(conn, row.name, "account.role", row.name, now, **change)
    return row.name, refusal


def _begun(request: Request, secret: str, onward: str) -> Response:
    answer = redirect_to(request, onward)
    set_cookie(request, answer, secret, SESSION_SECONDS)  # a new secret: that from before the log-in is worthless
    return answer


def _options(request: Request) -> Any:
    return request.app.state.oidc.options


def _provider(request: Request) -> oidc.Provider:
    """The provider, if there is one, and if this address has not asked for it too often."""
    provider: oidc.Provider = request.app.state.oidc
    if not provider.options:
        raise HTTPException(404, "OIDC is not set")
    limit, now = request.app.state.oidc_visits, request.app.state.clock.now()
    if wait := limit.wait(now, address_of(request)):
        raise HTTPException(429, f"too many log-ins; try again in {wait} s", {"Retry-After": str(wait)})
    return provider


def _back(request: Request) -> str:
    """Where the provider leads back to; ``CONSOLE_URL``, unless that is this machine, as it is where nobody set it."""
    console = request.app.state.settings["CONSOLE_URL"] or ""
    base = str(request.base_url) if urlsplit(console).hostname in (None, *LOOPBACK) else console
    return base.rstrip("/") + "/login/oidc/callback"


def _path(request: Request) -> str:
    return f"{request.scope.get('root_path', '')}/login/oidc"


@router.post("/logout")
def logout(request: Request, fields: Fields) -> Response:
    """End the session."""
    engine = request.app.state.engine
    if writable(engine):
        with writing(engine) as conn:
            accounts.end(conn, hash_of(request.cookies.get(COOKIE, "")))
    root = request.scope.get("root_path", "")
    answer = RedirectResponse(f"{root}/login", 303)
    answer.delete_cookie(COOKIE, path=root or "/")
    answer.headers["Clear-Site-Data"] = '"cache"'
    return answer


def _onward(path: str) -> str:
    """A page of ours to go on to, never one of another site.

    >>> _onward("/search?q=1"), _onward("//evil.cn"), _onward("https://evil.cn"), _onward("/\\\\\\\\evil.cn")
    ('/search?q=1', '/', '/', '/')
    """
    inside = path.startswith("/") and not path.startswith("//") and "\\" not in path and path.isprintable()
    return path if inside else "/"
