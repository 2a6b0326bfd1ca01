"""The messages of alerts: as JSON for webhooks, as text for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any
from urllib.parse import quote

from newsspider.core.query.moments import ZONE, publication_text

MOST_STORIES = 100  # of a message; further ones go into the next message
MOST_LINES = 20  # stories of a text


def key_of(token: str, channel: int, subjects: Sequence[str]) -> str:
    """The idempotency key of the message about these subjects on this channel: the same each time it is computed."""
    return "msg_" + sha256("\n".join([token, str(channel), *sorted(subjects)]).encode()).hexdigest()[:40]


def message(
    alert: dict[str, Any], token: str, stories: Sequence[dict[str, Any]], console: str, now: float
) -> dict[str, Any]:
    """A message about these stories; ``console`` is the address of the console, for the links to it."""
    base = console.rstrip("/")
    return {
        "type": "alert.stories",
        "timestamp": datetime.fromtimestamp(now, ZONE).isoformat(timespec="seconds"),
        "data": {
            "alert": alert,
            "stories": [{**story, "console_url": base + _path(story)} for story in stories],
            "console_url": base,
            "mute_url": f"{base}/alerts/mute/{token}",
        },
    }


def _path(story: Mapping[str, Any]) -> str:
    if story.get("event_id"):
        return f"/events/{story['event_id']}"
    return f"/articles/{story['article_id']}" if story.get("article_id") else f"/sites/{quote(story['site'])}"


def title(sent: Mapping[str, Any]) -> str:
    """The subject of a message as people read it."""
    stories = sent["data"]["stories"]
    about = stories[0]["title"] if len(stories) == 1 else f"{len(stories)} 条"
    return f"{sent['data']['alert']['name']}：{about}"


def text(sent: Mapping[str, Any]) -> str:
    """The message as people read it: of each story title, source, time, reason and links; how to mute."""
    stories = sent["data"]["stories"]
    lines = [line for story in stories[:MOST_LINES] for line in (*_lines(story), "")]
    if len(stories) > MOST_LINES:
        lines += [f"另有 {len(stories) - MOST_LINES} 条，见控制台。", ""]
    return "\n".join([*lines, f"静音：{sent['data']['mute_url']}"])


def _lines(story: Mapping[str, Any]) -> list[str]:
    when = publication_text(datetime.fromisoformat(story["published_at"])) if story.get("published_at") else ""
    origin = " ".join(filter(None, (story.get("source") or story["site"], when)))
    also = f"，同一事件另有 {story['others']} 篇" if story.get("others") else ""
    links = dict.fromkeys(filter(None, (story.get("url"), story["console_url"])))
    return [story["title"], origin + also, f"缘由：{reason(story['why'])}", *links]


def reason(why: Mapping[str, Any]) -> str:
    """Why a story is in the message, as a sentence.

    >>> reason({"in_title": ["高考"], "in_text": ["高考", "改革"], "piece": "…高考改革…", "fields": ["site:a.cn"]})
    '标题有“高考”；正文有“高考”“改革”：…高考改革…；site:a.cn'
    """
    if "sentence" in why:
        return str(why["sentence"])
    quoted = {name: "".join(f"“{word}”" for word in why[name]) for name in ("in_title", "in_text")}
    parts = [
        f"标题有{quoted['in_title']}" if quoted["in_title"] else "",
        f"正文有{quoted['in_text']}：{why['piece']}" if quoted["in_text"] else "",
        "、".join(why["fields"]),
    ]
    return "；".join(filter(None, parts)) or "符合检索式"
