"""Logging in and out."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from newsspider.store import accounts
from newsspider.store.accounts import SESSION_SECONDS, hash_of
from newsspider.store.engine.database import writable, writing
from newsspider.web.access import COOKIE, Fields, proves, set_cookie
from newsspider.web.view import opened

MOST_FAILURES, FAILURE_SECONDS = 5, 300.0  # of a name, and of an address

router = APIRouter()


@router.get("/login")
def login_page(request: Request) -> Response:
    """The form."""
    with opened(request) as view:
        return view.page("login.html", onward=_onward(request.query_params.get("next", "")), objection=False, name="")


@router.post("/login")
def login(request: Request, fields: Fields) -> Response:
    """Begin a session."""
    engine, now = request.app.state.engine, request.app.state.clock.now()
    name, password, onward = fields.get("name", ""), fields.get("password", ""), _onward(fields.get("next", ""))
    if not proves(request, name, password):
        with opened(request) as view:
            return view.page("login.html", status=403, onward=onward, objection=True, name=name[:64])
    if not writable(engine):
        raise HTTPException(409, "the store may only be read, so no session can be kept")
    with writing(engine) as conn:
        secret = accounts.grant(conn, name, request.headers.get("user-agent", ""), now)
    answer = RedirectResponse(request.scope.get("root_path", "") + onward, 303)
    set_cookie(request, answer, secret, SESSION_SECONDS)  # a new one: whoever knew the old one knows nothing
    return answer


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
