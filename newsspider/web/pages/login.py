"""Logging in and out."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import RedirectResponse, Response
from sqlalchemy import Connection

from newsspider.store import accounts
from newsspider.store.accounts import SESSION_SECONDS, hash_of
from newsspider.store.engine.database import writable, writing
from newsspider.web import oidc
from newsspider.web.access import COOKIE, Fields, proves, set_cookie
from newsspider.web.view import opened

VISIT = "oidc"  # the cookie
MOST_FAILURES, FAILURE_SECONDS = 5, 300.0  # of a name, and of an address

logger = logging.getLogger(__name__)
router = APIRouter()


@router.get("/login")
def login_page(request: Request) -> Response:
    """The form."""
    with opened(request) as view:
        onward = _onward(request.query_params.get("next", ""))
        return view.page("login.html", onward=onward, objection=False, name="", oidc=bool(_options(request)))


@router.post("/login")
def login(request: Request, fields: Fields) -> Response:
    """Begin a session."""
    now = request.app.state.clock.now()
    name, password, onward = fields.get("name", ""), fields.get("password", ""), _onward(fields.get("next", ""))
    if not proves(request, name, password):
        with opened(request) as view:
            shown = {"onward": onward, "objection": True, "name": name[:64], "oidc": bool(_options(request))}
            return view.page("login.html", status=403, **shown)
    with _writing(request) as conn:
        secret = accounts.grant(conn, name, request.headers.get("user-agent", ""), now)
    return _begun(request, secret, onward)


@router.get("/login/oidc")
def leave_for_provider(request: Request) -> Response:
    """Go to the provider of ``OIDC`` to log in there."""
    options = _options(request)
    if not options:
        raise HTTPException(404, "OIDC is not set")
    try:
        url, visit = oidc.leave(options, _back(request), _onward(request.query_params.get("next", "")))
    except Exception as error:  # a provider that is away or talks nonsense
        logger.warning("log-in by OIDC fails: %s", error)
        raise HTTPException(502, str(error) if isinstance(error, oidc.NotProven) else "the provider is away") from None
    answer = RedirectResponse(url, 303)
    answer.set_cookie(
        VISIT, visit.written(), max_age=int(oidc.SECONDS), path=_path(request), httponly=True, samesite="lax",
        secure=request.url.scheme == "https",
    )  # fmt: skip
    return answer


@router.get("/login/oidc/callback")
def arrive_from_provider(request: Request, state: str = "", code: str = "") -> Response:
    """Begin the session of who has logged in at the provider; the account is made if there is none."""
    options, now = _options(request), request.app.state.clock.now()
    visit = oidc.visit_of(request.cookies.get(VISIT, ""))
    if not options:
        raise HTTPException(404, "OIDC is not set")
    try:
        person = oidc.arrive(options, _back(request), visit, state, code, now)
    except oidc.NotProven as refusal:
        logger.warning("log-in by OIDC fails: %s", refusal.__cause__ or refusal)
        raise HTTPException(403, str(refusal)) from None
    with _writing(request) as conn:
        row = accounts.account(conn, person.name)
        if row is None:
            accounts.add(conn, person.name, person.role, person.mark, now)
            accounts.note(conn, person.name, "account.add", person.name, now, after={"role": person.role, "by": "OIDC"})
        elif row.password_hash != person.mark:
            raise HTTPException(403, f"{person.name} is an account of somebody else here; ask an admin")
        elif row.role != person.role:
            accounts.set_role(conn, person.name, person.role, now)
            change = {"before": {"role": row.role}, "after": {"role": person.role, "by": "OIDC"}}
            accounts.note(conn, person.name, "account.role", person.name, now, **change)
        secret = accounts.grant(conn, person.name, request.headers.get("user-agent", ""), now)
    answer = _begun(request, secret, visit.onward if visit else "/")
    answer.delete_cookie(VISIT, path=_path(request))
    return answer


def _begun(request: Request, secret: str, onward: str) -> Response:
    answer = RedirectResponse(request.scope.get("root_path", "") + onward, 303)
    set_cookie(request, answer, secret, SESSION_SECONDS)  # a new one: whoever knew the old one knows nothing
    return answer


@contextmanager
def _writing(request: Request) -> Iterator[Connection]:
    if not writable(request.app.state.engine):
        raise HTTPException(409, "the store may only be read, so no session can be kept")
    with writing(request.app.state.engine) as conn:
        yield conn


def _options(request: Request) -> dict[str, Any]:
    return dict(request.app.state.settings.getdict("OIDC"))


def _back(request: Request) -> str:
    return str(request.base_url).rstrip("/") + "/login/oidc/callback"


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


def _onward(wanted: str) -> str:
    """A page of ours to go on to, never one of another site.

    >>> _onward("/search?q=1"), _onward("//evil.cn"), _onward("https://evil.cn"), _onward("/\\\\\\\\evil.cn")
    ('/search?q=1', '/', '/', '/')
    """
    inside = wanted.startswith("/") and not wanted.startswith("//") and "\\" not in wanted and wanted.isprintable()
    return wanted if inside else "/"
