"""Routes that know their parameters, and whose answers carry an ETag: what has not changed is not sent again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.dependencies.models import Dependant
from fastapi.responses import Response
from fastapi.routing import APIRoute

API_PREFIX = "/api/v1"
HIGHEST_ID = 2**63 - 1


def only_known_parameters(request: Request) -> None:
    """Status 400 for a query parameter that the route does not have: it would change nothing, in silence."""
    known = list(dict.fromkeys(_parameters_of(request.scope["route"].dependant)))
    if unknown := [name for name in dict.fromkeys(request.query_params) if name not in known]:
        names = ", ".join(name[:40] for name in unknown[:10])
        raise HTTPException(400, f"unknown query parameters: {names}; known are: {', '.join(known) or 'none'}")


def _parameters_of(dependant: Dependant) -> Iterator[str]:
    yield from (parameter.alias for parameter in dependant.query_params)
    for other in dependant.dependencies:
        yield from _parameters_of(other)


class Tagged(APIRoute):
    """Answers a GET with 304 if the reader has this answer already, by its ETag."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def tagged(request: Request) -> Response:
            answer = await handle(request)
            body = getattr(answer, "body", None)
            if request.method != "GET" or answer.status_code != 200 or body is None:
                return answer
            tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
            known = request.headers.get("if-none-match", "").split(",")
            if tag in (part.strip().removeprefix("W/") for part in known):
                answer = Response(status_code=304)
            answer.headers["ETag"] = tag
            answer.headers["Cache-Control"] = "private, no-cache"
            return answer

        return tagged


def api_router() -> APIRouter:
    """A router of the API."""
    return APIRouter(prefix=API_PREFIX, route_class=Tagged, dependencies=[Depends(only_known_parameters)])
