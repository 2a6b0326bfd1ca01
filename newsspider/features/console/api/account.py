"""The account of the request, its tokens, and the audit trail. Tokens, accounts and passwords are changed on the page
alone, by somebody who has logged in."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import HTTPException, Query, Request

from newsspider.features.console import accounts
from newsspider.features.console.access import needs, writing_store
from newsspider.features.console.accounts import Role
from newsspider.features.console.api.routing import HIGHEST_ID, api_router
from newsspider.features.console.view import opened
from newsspider.store import audit_trail

MOST_CHANGES = 200

router = api_router()


@router.get("/account", summary="The own account")
def own(request: Request) -> dict[str, Any]:
    """The account, the scope of this token, and the account's tokens and sessions without their secrets. Where there
    are no accounts, the name is empty."""
    bearer = needs(request, Role.READER)
    with opened(request) as view:
        fields = ("label", "scope", "made_at", "used_at", "ends_at")
        tokens = [
            {name: getattr(row, name) for name in fields} | {"current": row.hash == bearer.hash}
            for row in accounts.tokens(view.conn)
            if row.account == bearer.account
        ]
    return {"account": bearer.account, "role": bearer.role, "scope": bearer.scope, "tokens": tokens}


@router.delete("/account/token", summary="End the token of this request", status_code=204)
def end_own(request: Request) -> None:
    """For a program that no longer needs its token; every scope may do so."""
    bearer = needs(request, Role.READER)
    if not bearer.scope:
        raise HTTPException(409, "this request has no token")
    with writing_store(request) as conn:
        accounts.end(conn, bearer.hash)
        audit_trail.note(conn, bearer.account, "token.end", bearer.account, request.app.state.clock.now())


@router.get("/accounts", summary="Accounts")
def every(request: Request) -> dict[str, Any]:
    """All accounts, with how many sessions and tokens each has. Takes the scope `admin`."""
    needs(request, Role.ADMIN)
    with opened(request) as view:
        return {"accounts": [row._asdict() for row in accounts.all_accounts(view.conn)]}


@router.get("/changes", summary="The audit trail")
def trail(
    request: Request,
    limit: Annotated[int, Query(ge=1, le=MOST_CHANGES)] = 50,
    before: Annotated[int, Query(ge=1, le=HIGHEST_ID, description="the `next` of the answer before")] = HIGHEST_ID,
) -> dict[str, Any]:
    """Who changed what, the latest change first. Takes the scope `admin`."""
    needs(request, Role.ADMIN)
    with opened(request) as view:
        rows = [row._asdict() for row in audit_trail.trail(view.conn, limit, before)]
        return {"changes": rows, "next": rows[-1]["id"] if len(rows) == limit else None}
