"""Settings: the password, sessions and tokens of one's own; for admins all accounts, and who changed what. The API
reads them; somebody who has logged in changes them on the page."""

from __future__ import annotations

import json
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Depends, HTTPException, Query, Request
from fastapi.responses import Response

from newsspider.core.text.numbers import whole_number
from newsspider.features.console import accounts
from newsspider.features.console.access import (
    AuditedChange,
    Fields,
    bearer_of,
    begin_change,
    needs_session,
    require_role,
    writing_store,
)
from newsspider.features.console.accounts import SCOPES, Role, hash_password, objection_to
from newsspider.features.console.api.routing import HIGHEST_ID, api_router
from newsspider.features.console.rate_limits import check_password
from newsspider.features.console.translation import field_name, name_of
from newsspider.features.console.view import UNSAID, View, open_view, redirect_to
from newsspider.store import audit_trail

PAGE_CHANGES = 50
MOST_CHANGES = 200
TOKEN_DAYS = (0, 30, 90, 365)  # how long a token may be good; 0: until somebody ends it
CODED = frozenset(("role", "scope", "verdict", "kind"))  # fields whose values are codes
LONGEST_IN_LINE = 200  # characters of a value that stands in the line of its change

router = APIRouter(dependencies=[Depends(needs_session)])
api = api_router()


class FieldChange(NamedTuple):
    """A field that a change is about: what it was and what it is; empty: nothing. One without a name is the subject
    itself, such as the file of a site."""

    name: str
    before: str
    after: str

    @property
    def is_long(self) -> bool:
        """Whether it is shown only on request."""
        text = self.before + self.after
        return len(text) > LONGEST_IN_LINE or "\n" in text


@router.get("/settings")
def settings(request: Request, before: Annotated[int | None, UNSAID, Query(ge=1, le=HIGHEST_ID)] = None) -> Response:
    """The page, with the changes of the audit trail before one of them."""
    return _page(request, before=before)


def _page(
    request: Request, *, status: int = 200, secret: str = "", objection: str = "", before: int | None = None
) -> Response:
    bearer = bearer_of(request)
    assert bearer is not None
    with open_view(request) as view:
        everyone = view.may(Role.ADMIN)
        tokens = [row for row in accounts.tokens(view.conn) if everyone or row.account == bearer.account]
        scopes = [scope for scope, role in SCOPES.items() if role.rank <= bearer.role.rank]
        changes = _changes(view, before) if everyone else []
        return view.page(
            "settings.html",
            status=status,
            secret=secret,
            objection=objection,
            everyone=everyone,
            accounts=accounts.all_accounts(view.conn) if everyone else [],
            tokens=tokens,
            roles=list(Role),
            scopes=scopes,
            days=TOKEN_DAYS,
            changes=changes,
            before=before,
            next=changes[-1][0].id if len(changes) == PAGE_CHANGES else "",
        )


def _changes(view: View, before: int | None) -> list[tuple[Any, list[FieldChange]]]:
    """The last changes of the audit trail before the one of this number, each with what it changed."""
    rows = audit_trail.trail(view.conn, PAGE_CHANGES, before or HIGHEST_ID)
    return [(row, field_changes(row.before, row.after, view.language)) for row in rows]


def field_changes(before: str, after: str, language: str) -> list[FieldChange]:
    """The fields of two JSON texts of the audit trail that differ; those that the change left empty stay out.

    >>> field_changes('{"role": "reader"}', '{"role": "editor"}', "zh")
    [FieldChange(name='角色', before='读者', after='编辑')]
    >>> field_changes("", '{"query": "高考", "kind": "query", "owner": ""}', "en")
    [FieldChange(name='query', before='', after='高考'), FieldChange(name='kind', before='', after='query')]
    >>> field_changes("5", "8", "zh"), field_changes("false", "true", "zh")
    ([FieldChange(name='', before='5', after='8')], [])
    """
    old, new = _fields(before), _fields(after)
    changes = (
        FieldChange(field_name(key, language), *(_words(key, fields.get(key), language) for fields in (old, new)))
        for key in dict.fromkeys((*old, *new))
    )
    return [change for change in changes if change.before != change.after]


def _fields(text: str) -> dict[str, Any]:
    """The fields of a JSON object; any other value is a field without a name, but the action says what was switched."""
    value = json.loads(text) if text else {}
    if isinstance(value, dict):
        return value
    return {} if isinstance(value, bool) else {"": value}


def _words(key: str, value: Any, language: str) -> str:
    """A value as people read it."""
    match value:
        case None:
            return ""
        case bool():
            return name_of("yes" if value else "no", language)
        case float():
            return f"{value:.3f}".rstrip("0").rstrip(".")
        case list():
            return "\n".join(_words(key, part, language) for part in value)
        case dict():
            pairs = (f"{field_name(name, language)} {_words(name, part, language)}" for name, part in value.items())
            return "\n".join(pairs)
    return name_of(str(value), language) if key in CODED else str(value)


@router.post("/settings/password")
def change_password(request: Request, fields: Fields) -> Response:
    """Another password for oneself; all of one's sessions end."""
    bearer = require_role(request, Role.READER)
    if not check_password(request, bearer.account, fields.get("old", "")):
        return _page(request, status=403, objection="wrong_old_password")
    if objection := objection_to(fields.get("new", ""), bearer.account):
        return _page(request, status=400, objection=objection)
    password_hash = hash_password(fields["new"])
    with begin_change(request, Role.READER) as change:
        accounts.set_password(change.conn, bearer.account, password_hash, change.now)
        change.note("account.password", bearer.account)
    return redirect_to(request, "/login")


@router.post("/settings/tokens")
def make_token(request: Request, fields: Fields) -> Response:
    """A token of the API for oneself, which this answer alone shows."""
    bearer, scope, label = require_role(request, Role.READER), fields.get("scope", ""), fields.get("label", "").strip()
    days = whole_number(fields.get("days", "0"))
    if not bearer.account or not label or days not in TOKEN_DAYS:
        raise HTTPException(400, "a token belongs to an account, and has a purpose and a time")
    require_role(request, _scope(scope))
    with begin_change(request, Role.READER) as change:
        ends_at = change.now + days * accounts.DAY if days else None
        secret = accounts.grant(change.conn, bearer.account, label, change.now, scope, ends_at)
        change.note("token.add", label, after={"scope": scope, "days": days})
    return _page(request, secret=secret)


@router.post("/settings/tokens/end")
def end_token(request: Request, fields: Fields) -> Response:
    """End a session or token: one's own, or, as an admin, anybody's."""
    bearer, token_hash = require_role(request, Role.READER), fields.get("hash", "")
    with begin_change(request, Role.READER) as change:
        row = next((row for row in accounts.tokens(change.conn) if row.hash == token_hash), None)
        if row is not None and row.account != bearer.account:
            require_role(request, Role.ADMIN)
        if row is not None:
            accounts.end(change.conn, token_hash)
            change.note("token.end" if row.scope else "session.end", row.account, before={"label": row.label})
    return redirect_to(request, "/settings")


@router.post("/settings/accounts")
def add_account(request: Request, fields: Fields) -> Response:
    """A new account; the first one is an admin."""
    require_role(request, Role.ADMIN)
    name, password = fields.get("name", "").strip(), fields.get("password", "")
    role = _role(fields.get("role", ""))
    if not accounts.is_valid_name(name):
        return _page(request, status=400, objection="invalid_name")
    if objection := objection_to(password, name):
        return _page(request, status=400, objection=objection)
    password_hash = hash_password(password)
    with begin_change(request, Role.ADMIN) as change:
        if role is not Role.ADMIN and not accounts.exist(change.conn):
            raise HTTPException(400, "the first account is an admin, or nobody could add others here")
        if not accounts.add(change.conn, name, role, password_hash, change.now):
            raise HTTPException(409, f"there is an account {name} already")
        change.note("account.add", name, after={"role": role})
    return redirect_to(request, "/settings")


@router.post("/settings/accounts/role")
def change_role(request: Request, fields: Fields) -> Response:
    """Another role for an account; one admin stays."""
    name, role = fields.get("name", ""), _role(fields.get("role", ""))
    with begin_change(request, Role.ADMIN) as change:
        row = _existing(change, name, stays_admin=role is Role.ADMIN)
        accounts.set_role(change.conn, name, role, change.now)
        change.note("account.role", name, before={"role": row.role}, after={"role": role})
    return redirect_to(request, "/settings")


@router.post("/settings/accounts/remove")
def remove_account(request: Request, fields: Fields) -> Response:
    """Remove an account with its sessions and tokens; one admin stays."""
    name = fields.get("name", "")
    with begin_change(request, Role.ADMIN) as change:
        row = _existing(change, name)
        accounts.remove(change.conn, name)
        change.note("account.remove", name, before={"role": row.role})
    return redirect_to(request, "/settings")


def _existing(change: AuditedChange, name: str, *, stays_admin: bool = False) -> accounts.Account:
    row = accounts.account(change.conn, name)
    if row is None:
        raise HTTPException(404, f"there is no account {name!r}")
    if not stays_admin and accounts.is_last_admin(change.conn, name):
        raise HTTPException(409, f"{name} is the only admin; make another one first")
    return row


def _role(word: str) -> Role:
    if word not in list(Role):
        raise HTTPException(400, f"a role is one of {', '.join(Role)}")
    return Role(word)


def _scope(word: str) -> Role:
    if word not in SCOPES:
        raise HTTPException(400, f"a scope is one of {', '.join(SCOPES)}")
    return SCOPES[word]


@api.get("/account", summary="The own account")
def own(request: Request) -> dict[str, Any]:
    """The account, the scope of this token, and the account's tokens and sessions without their secrets. Where there
    are no accounts, the name is empty."""
    bearer = require_role(request, Role.READER)
    with open_view(request) as view:
        fields = ("label", "scope", "made_at", "used_at", "ends_at")
        tokens = [
            {name: getattr(row, name) for name in fields} | {"current": row.hash == bearer.hash}
            for row in accounts.tokens(view.conn)
            if row.account == bearer.account
        ]
    return {"account": bearer.account, "role": bearer.role, "scope": bearer.scope, "tokens": tokens}


@api.delete("/account/token", summary="End the token of this request", status_code=204)
def end_own(request: Request) -> None:
    """For a program that no longer needs its token; every scope may do so."""
    bearer = require_role(request, Role.READER)
    if not bearer.scope:
        raise HTTPException(409, "this request has no token")
    with writing_store(request) as conn:
        accounts.end(conn, bearer.hash)
        audit_trail.note(conn, bearer.account, "token.end", bearer.account, request.app.state.clock.now())


@api.get("/accounts", summary="Accounts")
def every(request: Request) -> dict[str, Any]:
    """All accounts, with how many sessions and tokens each has. Takes the scope `admin`."""
    require_role(request, Role.ADMIN)
    with open_view(request) as view:
        return {"accounts": [row._asdict() for row in accounts.all_accounts(view.conn)]}


@api.get("/changes", summary="The audit trail")
def trail(
    request: Request,
    limit: Annotated[int, Query(ge=1, le=MOST_CHANGES)] = 50,
    before: Annotated[int, Query(ge=1, le=HIGHEST_ID, description="the `next` of the answer before")] = HIGHEST_ID,
) -> dict[str, Any]:
    """Who changed what, the latest change first. Takes the scope `admin`."""
    require_role(request, Role.ADMIN)
    with open_view(request) as view:
        rows = [row._asdict() for row in audit_trail.trail(view.conn, limit, before)]
        return {"changes": rows, "next": rows[-1]["id"] if len(rows) == limit else None}
