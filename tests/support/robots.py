"""What a robots.txt allows."""

from newsspider.core.fetching.robots import Robots, RobotsText

AGENT = "newsspider/1.0 (+https://example.org/bot)"


def read(text: str | bytes, status: int | None = 200) -> Robots:
    body = text if isinstance(text, bytes) else text.encode()
    return Robots.read(RobotsText(status, body, fetched_at=0.0))


def allowed(text: str | bytes, path: str, agent: str = AGENT) -> bool:
    return read(text).allowed(f"http://example.cn{path}", agent)
