"""The messages of alerts, as JSON for webhooks and as text for people, and why an article is in one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any
from unicodedata import normalize
from urllib.parse import quote

from newsspider.core.query.matching import IndexedText, matches_query
from newsspider.core.query.query_dates import ZONE, publication_text
from newsspider.core.query.query_tree import Node, Value, parts_of_query, wanted_texts
from newsspider.core.query.snippets import find_highlights
from newsspider.features.alerts.chat_robots import chat_link, plain_chat_text
from newsspider.hooks import PROJECT, MessageContent

MOST_STORIES = 100  # of a message; further ones go into the next message
MOST_LINES = 20  # stories that people read
MOST_WORDS = 8
PIECE_CHARACTERS, CHARACTERS_BEFORE = 80, 20  # characters of the text around the first word, and before it


def key_of(token: str, channel: int, subjects: Sequence[str]) -> str:
    """The idempotency key of the message about these subjects on this channel: the same each time it is computed."""
    return "msg_" + sha256("\n".join([token, str(channel), *sorted(subjects)]).encode()).hexdigest()[:40]


def message_about(
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


def story_of(title: str, why: Mapping[str, Any], *, site: str = PROJECT, url: str | None = None) -> dict[str, Any]:
    """A story that no single article tells, of a site or of newsspider itself."""
    return {"title": title, "url": url, "site": site, "source": site, "published_at": None, "why": why}


def trial_message(alert: dict[str, Any], token: str, console: str, now: float) -> dict[str, Any]:
    """A message that shows whether a channel takes one."""
    return message_about(alert, token, [story_of("测试：提醒可以送达", {"sentence": "这是一条测试消息"})], console, now)


def _path(story: Mapping[str, Any]) -> str:
    if story.get("path"):
        return str(story["path"])
    if story.get("event_id"):
        return f"/events/{story['event_id']}"
    return f"/articles/{story['article_id']}" if story.get("article_id") else f"/sites/{quote(story['site'])}"


def subject_line(sent: Mapping[str, Any]) -> str:
    """The subject of a message as people read it."""
    stories = sent["data"]["stories"]
    about = stories[0]["title"] if len(stories) == 1 else f"{len(stories)} 条"
    return f"{sent['data']['alert']['name']}：{about}"


def content_of(sent: Mapping[str, Any]) -> MessageContent:
    """A message about stories as people read it: of each story title, source, time, reason and links; how to mute."""
    stories, mute = sent["data"]["stories"], sent["data"]["mute_url"]
    more = [f"另有 {len(stories) - MOST_LINES} 条，见控制台。"] if len(stories) > MOST_LINES else []
    texts = ["\n".join(_lines(story)) for story in stories[:MOST_LINES]]
    shown = [_markdown(story) for story in stories[:MOST_LINES]]
    markdown = [f"**{plain_chat_text(subject_line(sent))}**", *shown, *more, f"[静音]({chat_link(mute)})"]
    return MessageContent(subject_line(sent), "", "\n\n".join(markdown), "\n\n".join([*texts, *more, f"静音：{mute}"]))


def _lines(story: Mapping[str, Any]) -> list[str]:
    links = dict.fromkeys(filter(None, (story.get("url"), story["console_url"])))
    return [story["title"], *_facts(story), *links]


def _markdown(story: Mapping[str, Any]) -> str:
    first = f"[{plain_chat_text(story['title'])}]({chat_link(story.get('url') or story['console_url'])})"
    there = [f"[在控制台]({chat_link(story['console_url'])})"] if story.get("url") else []
    return "  \n".join([first, *map(plain_chat_text, _facts(story)), *there])


def _facts(story: Mapping[str, Any]) -> tuple[str, str]:
    when = publication_text(datetime.fromisoformat(story["published_at"])) if story.get("published_at") else ""
    origin = " ".join(filter(None, (story.get("source") or story["site"], when)))
    also = f"，同一事件另有 {story['others']} 篇" if story.get("others") else ""
    return origin + also, f"缘由：{reason_sentence(story['why'])}"


def reason_sentence(why: Mapping[str, Any]) -> str:
    """Why a story is in the message, as a sentence.

    >>> reason_sentence({"in_title": ["高考"], "in_text": ["高考", "改革"], "piece": "…高考改革…", "fields": ["site:a.cn"]})
    '标题有“高考”；正文有“高考”“改革”：…高考改革…；site:a.cn'
    """
    if "sentence" in why:
        return str(why["sentence"])
    quoted = {name: "".join(f"“{word}”" for word in why[name]) for name in ("in_title", "in_text")}
    told = [
        f"标题有{quoted['in_title']}" if quoted["in_title"] else "",
        f"正文有{quoted['in_text']}：{why['piece']}" if quoted["in_text"] else "",
        "、".join(why["fields"]),
    ]
    return "；".join(filter(None, told)) or "符合检索式"


def match_reasons(query: Node, title: str, text: str, document: IndexedText) -> dict[str, Any]:
    """The words of the query in title and text, the text around the first of them, and the matching fields."""
    title_places, text_places = find_highlights(title, query), find_highlights(text, query)
    in_title, in_text = _words(title, title_places), _words(text, text_places)
    tokens = [part.token for part in parts_of_query(query) if isinstance(part, Value) and matches_query(part, document)]
    values = [normalize("NFKC", token).replace("=", ":", 1) for token in tokens]
    elsewhere = [part for part in wanted_texts(query) if part.field not in {"", "title", "body"}]
    values += [f"{part.field}:{' '.join(part.units)}" for part in elsewhere if matches_query(part, document)]
    return {"in_title": in_title, "in_text": in_text, "piece": _piece(text, text_places), "fields": values[:MOST_WORDS]}


def _words(text: str, places: Sequence[tuple[int, int]]) -> list[str]:
    return list(dict.fromkeys(text[begin:end] for begin, end in places))[:MOST_WORDS]


def _piece(text: str, places: Sequence[tuple[int, int]]) -> str:
    """The text around the first place, on one line; empty if there is none."""
    if not places:
        return ""
    start = max(places[0][0] - CHARACTERS_BEFORE, 0)
    end = start + PIECE_CHARACTERS
    inside = " ".join(text[start:end].split())
    return f"{'…' if start else ''}{inside}{'…' if end < len(text) else ''}"
