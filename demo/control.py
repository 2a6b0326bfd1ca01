"""The endpoints for tests: the truth, what was asked for, the clock. No page links to them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from demo import truth

if TYPE_CHECKING:
    from demo.server import Server


def answer(server: Server, method: str, target: str, body: bytes) -> tuple[int, Any]:
    """Status and JSON answer to a control request."""
    try:
        command = json.loads(body) if body.strip() else {}
    except ValueError:
        return 400, {"error": "the body is not JSON"}
    match method, target.rstrip("/"):
        case "GET", "/__truth__":
            return 200, truth.tell(server.portal, server.routes)
        case "GET", "/__hits__":
            names = ("t", "host", "path", "status", "user_agent")
            return 200, [dict(zip(names, hit, strict=True)) for hit in server.hits]
        case "GET", "/__clock__":
            return 200, _clock(server)
        case "POST", "/__clock__":
            return _set_clock(server, command)
        case "POST", "/__reset__":
            server.hits.clear()
            server.failed.clear()
            return 200, {"hits": 0}
    return 404, {"error": f"no such control: {method} {target}"}


def _set_clock(server: Server, command: Any) -> tuple[int, Any]:
    fields = {"advance", "hold", "run"}
    if not isinstance(command, dict) or not command or set(command) - fields:
        return 400, {"error": 'the clock takes {"advance": seconds}, {"hold": true} or {"run": true}'}
    clock = server.portal.clock
    if command.get("hold"):
        clock.hold()
    if command.get("run"):
        clock.run()
    if "advance" in command:
        if not isinstance(command["advance"], int | float) or command["advance"] < 0:
            return 400, {"error": "advance takes seconds"}
        clock.advance(float(command["advance"]))
    return 200, _clock(server)


def _clock(server: Server) -> dict[str, Any]:
    clock = server.portal.clock
    rolling = [post for post in server.portal.posts if post.appears_at > 0]
    return {
        "now": clock.now.isoformat(),
        "seconds": clock.seconds,
        "held": clock.held,
        "edition": server.portal.edition,
        "published": sum(post.appears_at <= clock.seconds for post in rolling),
        "to_come": sorted(post.appears_at for post in rolling if post.appears_at > clock.seconds)[:5],
    }
