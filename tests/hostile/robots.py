"""Hosts whose robots.txt is the trouble."""

import gzip
import re
from collections.abc import Callable
from functools import partial

from tests.hostile.behaviour import Behaviour, Call, Play, drops, moved, nothing, page, raw
from tests.hostile.cut import JUNK, bomb

Robots = partial(Behaviour, group="robots", path="/robots.txt", state="done", reason="robots_read")
Closed = partial(Behaviour, group="robots", path="/robots.txt", state="error", neighbours=0)
TEXT = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
CLOSING = "User-agent: *\nDisallow: /admin\n"


def rules(text: str | Callable[[], str | bytes], *headers: str) -> Play:
    """A robots.txt with this text."""
    return page(lambda call: text() if callable(text) else text, "200 OK", *headers, kind="text/plain")


def agents_and_rules() -> str:
    """15,000 agents, then 15,000 rules that all of them have."""
    agents = "".join(f"User-agent: agent{n}\n" for n in range(15_000))
    return agents + "User-agent: *\n" + "".join(f"Disallow: /x{n}\n" for n in range(15_000))


def groups() -> str:
    return "".join(f"User-agent: newsspider\nDisallow: /x{n}\nCrawl-delay: 0.01\n" for n in range(9000))


def wildcards() -> str:
    return "User-agent: *\n" + f"Disallow: /{'*a' * 900}b\n" * 200 + f"Disallow: {'/*' * 1000}$\n" * 100


async def elsewhere(call: Call) -> None:
    await moved(re.sub(r"\d*$", lambda found: str(int(found[0] or 0) + 1), call.path))(call)


ROWS = (
    Robots("robots-quadratic", does="15,000 agents with 15,000 rules", play=rules(agents_and_rules)),
    Robots("robots-of-groups", does="9,000 groups for us, each with a Crawl-delay", play=rules(groups)),
    Robots("robots-of-wildcards", does="rules of a thousand wildcards", play=rules(wildcards)),
    Robots("robots-one-line", does="one line of 600,000 letters", play=rules("User-agent: *\nDisallow: /" + "x" * 600_000)),
    Robots("robots-endless", does="a file without end", play=drops(TEXT + b"\r\n" + CLOSING.encode(), again=b"Disallow: /x\n" * 5000)),
    Robots("robots-bomb", does="a file that unpacks to 300 MB", play=page(lambda call: bomb("gzip"), "200 OK", "Content-Encoding: gzip", kind="text/plain")),
    Robots("robots-binary", does="bytes without sense", play=page(JUNK, kind="text/plain")),
    Robots("robots-nul", does="NULs between the letters", play=rules("U\0s\0e\0r\0-agent: *\0\nDisallow: /\0admin\n" * 1000)),
    Robots("robots-utf-16", does="UTF-16", play=page(CLOSING.encode("utf-16"), kind="text/plain")),
    Robots("robots-html", does="a page of HTML", play=page("<!DOCTYPE html><html><body>User-agent: *<br>Disallow: /</body></html>")),
    Robots("robots-image", does="a picture", play=page(JUNK, kind="image/png")),
    Robots("robots-delay-nan", does="Crawl-delay: nan", play=rules(CLOSING + "Crawl-delay: nan\nCrawl-delay: -1\nCrawl-delay: \n")),
    Robots("robots-delay-figures", does="Crawl-delay of 5,000 figures behind the point", play=rules(CLOSING + f"Crawl-delay: 0.{'0' * 5000}1\n")),
    Robots("robots-missing", does="404 with 2 MB of page", play=page("<p>" + "a" * 2_000_000, "404 Not Found")),
    Robots("robots-forbidden", does="403", play=page("", "403 Forbidden")),
    Robots("robots-empty", does="an empty file", play=page("")),
    Robots("robots-to-itself", does="a redirect to itself", play=moved("/robots.txt")),
    Robots("robots-ever-elsewhere", does="each redirect leads to another one", play=elsewhere),
    Robots("robots-no-location", does="302 without Location", play=page("", "302 Found")),
    Robots("robots-gzip-plain", does="packed once more than told", play=page(gzip.compress(CLOSING.encode()), kind="text/plain")),
    Closed("robots-500", does="500, always", play=page("", "500 Internal Server Error"), reason="http_status"),
    Closed("robots-503", does="503, always", play=page("", "503 Service Unavailable"), reason="http_status"),
    Closed("robots-silent", does="takes the request and says nothing", play=nothing, reason="timeout"),
    Closed("robots-trickles", does="a byte each 0.2 s", play=drops(TEXT + b"\r\n", again=b"#", every=0.2), reason="timeout"),
    Closed("robots-cut", does="announces more than it sends", play=raw(TEXT + b"Content-Length: 5000\r\n\r\n" + CLOSING.encode()), reason="truncated"),
    Closed("robots-no-http", does="no HTTP", play=raw(b"\x00\x01\x02\x03\r\n\r\n"), reason="bad_answer"),
    Closed("robots-closed", does="the connection ends without an answer", play=raw(b""), reason="connection"),
    Closed("robots-private", does="a redirect to 10.0.0.1", play=moved("http://10.0.0.1/robots.txt"), state="done", reason="address"),
)  # fmt: skip
