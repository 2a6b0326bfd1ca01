"""What ``scrapy doctor`` says of Redis. Settings of scrapy-redis are checked by ``crawl/setting_checks.py``."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from newsspider.cli.doctor_checks import ANSWER_SECONDS, MOST_APART_SECONDS, CheckFinding, CheckVerdict
from newsspider.cli.server_advice import advice_in
from newsspider.features.fleet.redis_connections import redis_of
from newsspider.store.engine.password_file import OPTION

if TYPE_CHECKING:
    from scrapy.settings import Settings

# Each line: what the message holds, and what to do; {user}, {place} and {password}, its file, are those of the URL.
REDIS = (
    ("password file .* No such file", "write the password into {password}, or correct password_file= in REDIS_URL"),
    ("password file", "write the password into {password}, in UTF-8, readable to the user that crawls"),
    ("WRONGPASS|invalid username-password", "correct the password in REDIS_URL: redis://host?password_file=FILE"),
    (
        "NOAUTH|Authentication required|HELLO must be called",
        "put the password into REDIS_URL: redis://host?password_file=FILE",
    ),
    ("called without any password", "leave the password out of REDIS_URL, or set `requirepass` on the server"),
    ("DB index", "name a database from 0 to 15 at the end of REDIS_URL"),
    ("NOPERM", "allow this user the commands and keys: `ACL SETUSER {user} allkeys allcommands`"),
    ("loading the dataset", "wait: it reads its file"),
    (
        "Name or service|not known|resolve|name resolution",
        "correct the host in REDIS_URL; `getent hosts {place}` must find it",
    ),
    (
        "refused|[Cc]onnect call failed",
        "start it, `systemctl start redis-server`, or correct REDIS_URL; a crawl goes on without it, more slowly",
    ),
    ("^Timeout", "see whether it hangs or a firewall keeps it from being reached: `redis-cli -u REDIS_URL ping`"),
    (
        "ResponseError|unknown command|Protocol|InvalidResponse",
        "correct the port in REDIS_URL: what answers there is no Redis",
    ),
)
REDIS_ELSE = "start it, or correct REDIS_URL; a crawl goes on without it, more slowly"


def redis_findings(settings: Settings, now: float) -> Iterator[CheckFinding]:
    """Whether Redis answers, and by a clock like ours."""

    async def moment() -> float:
        client = redis_of(settings)
        try:
            seconds, micros = await asyncio.wait_for(client.time(), ANSWER_SECONDS)
            return float(seconds) + micros / 1e6
        finally:
            await client.aclose()

    try:
        apart = abs(asyncio.run(moment()) - now)
    except Exception as error:  # of redis, of the network, or a password that is refused
        problem = str(error) or type(error).__name__
        yield CheckFinding(
            "redis",
            CheckVerdict.FAIL,
            f"no answer: {problem}",
            advice_in(REDIS, REDIS_ELSE, problem, _redis_names(settings)),
        )
        return
    if apart > MOST_APART_SECONDS:
        yield CheckFinding(
            "redis", CheckVerdict.FAIL, f"its clock is {apart:.0f} seconds apart from ours", "set both by NTP"
        )
    else:
        yield CheckFinding("redis", CheckVerdict.OK, "it answers")


def _redis_names(settings: Settings) -> dict[str, str]:
    """What the URL of Redis names, for advice."""
    url = urlsplit(settings["REDIS_URL"] or "")
    (password,) = parse_qs(url.query).get(OPTION, [""])[:1]
    return {"user": url.username or "", "place": url.hostname or "", "password": password}
