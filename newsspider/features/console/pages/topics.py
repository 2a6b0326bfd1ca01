"""Topics: what each is made of, a box to test a text, articles to decide on, and which threshold brings what."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import Response
from scrapy.settings import BaseSettings
from sqlalchemy import Connection

from newsspider.actions.topic_arguments import load
from newsspider.actions.topic_labels import labelled_texts, say
from newsspider.core.model import Relevance
from newsspider.core.relevance.scoring import Document, Model, score, threshold_of
from newsspider.core.relevance.topic import Term, TopicProfile
from newsspider.core.text.numbers import whole_number
from newsspider.core.url import canonical
from newsspider.features.console.access import Change, Fields, changing, costly
from newsspider.features.console.accounts import Role
from newsspider.features.console.view import opened, redirect
from newsspider.store.articles.held_articles import borderline
from newsspider.store.articles.labels import labelled, newest, unlabel
from newsspider.store.engine.data_folder import data_folder
from newsspider.store.exploring.crawls import keys_of
from newsspider.topics.loader import weights_beside
from newsspider.topics.measure import curve, measured
from newsspider.topics.shipped import topic_names

MOST_BORDERLINE = 20
MOST_MEASURED = 1000  # labels, the latest
FEWEST_MEASURED = 10  # of either kind: fewer make no curve
LONGEST_TEXT = 20_000
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")  # of a copy of a topic: also that of its file
VERDICTS = {"y": True, "n": False}

router = APIRouter()


class Measured(NamedTuple):
    """How good a topic is on the labelled articles of the store."""

    on_topic: int
    off_topic: int
    figures: dict[str, float]
    points: list[dict[str, float]]


@router.get("/topics")
def topics(request: Request) -> Response:
    """All topics, that of the crawl first."""
    rows = [profile_of(source) for source in sources(request.app.state.settings).values()]
    with opened(request) as view:
        undecided = {topic.name: len(borderline(view.conn, topic.name, MOST_BORDERLINE + 1)) for topic in rows}
        return view.page("topics.html", topics=rows, undecided=undecided, most=MOST_BORDERLINE)


@router.get("/topics/{name}", dependencies=[Depends(costly)])
def topic_page(request: Request, name: str) -> Response:
    """One topic."""
    return _page(request, name)


@router.post("/topics/{name}/test")
def test_text(request: Request, name: str, fields: Fields) -> Response:
    """How a title and a text are judged, with every contribution; nothing is stored."""
    costly(request)
    title, text = fields.get("title", "")[:1000].strip(), fields.get("text", "")[:LONGEST_TEXT]
    relevance, least = judged(request, name, title, text)
    return _page(request, name, title=title, text=text, relevance=relevance, least=least)


def judged(request: Request, name: str, title: str, text: str) -> tuple[Relevance, float]:
    """How a text is judged by a topic, and the least score that it needs."""
    topic, model = topic_of(request, name), request.app.state.settings.get("RELEVANCE_MODEL") or None
    document = Document(title=title, text=text)
    relevance = score(topic, document, model)
    return relevance, threshold_of(topic, document, Model(relevance.model))


@router.post("/topics/{name}/label")
def label(request: Request, name: str, fields: Fields) -> Response:
    """Label an article, as ``scrapy topics label`` does; a held one is stored or dropped. ``back`` names the page to
    return to: the id of an article, ``url`` for the page of the URL, or empty for the topic."""
    url, back = fields.get("url", ""), fields.get("back", "")
    name = labelled_as(request, name, url, fields.get("verdict", ""))
    if back == "url":
        return redirect(request, f"/url?{urlencode({'u': url})}#label")
    article = whole_number(back)
    return redirect(request, f"/articles/{article}#label" if article else f"/topics/{name}#borderline")


def labelled_as(request: Request, name: str, address: str, verdict: str) -> str:
    """Label the article of a URL as on or off the topic; returns the name of the topic."""
    topic, url = topic_of(request, name), canonical(address)
    if url is None or (verdict not in VERDICTS and verdict != "remove") or topic.model is Model.ANY:
        raise HTTPException(400, "say of which URL of which topic, and y, n or remove")
    with changing(request, Role.EDITOR) as change:
        if not set_label(request, change, topic, url, verdict):
            raise HTTPException(404, "no article is stored, held or labelled of this URL")
    return topic.name


def set_label(request: Request, change: Change, topic: TopicProfile, url: str, verdict: str) -> int:
    """Label the article of a URL, or take its labels back; returns how many were set."""
    keys, settings = keys_of(change.conn, url), request.app.state.settings
    if verdict == "remove":
        count = unlabel(change.conn, topic.name, keys)
    else:
        count = say(change.conn, settings, topic, keys, change.now, relevant=VERDICTS[verdict])
    if count:
        change.note("topic.label", url, after={"topic": topic.name, "verdict": verdict})
    return count


def sources(settings: BaseSettings) -> dict[str, str]:
    """By name, where the profile of each topic is: that of the crawl, copies made in the console, and those that
    newsspider ships. A request names a topic, never a file."""
    own = settings.get("TOPIC") or "education"
    own_name = profile_of(own).name
    files = {path.stem: str(path) for path in sorted(copies().glob("*.toml")) if NAME.fullmatch(path.stem)}
    others = files | {name: name for name in topic_names()}
    return {own_name: own} | {name: source for name, source in others.items() if name != own_name}


def copies() -> Path:
    """The folder of the copies of topics that are made in the console."""
    return Path(data_folder()) / "topics"


def title_of(settings: BaseSettings, name: str | None) -> str:
    """What people call a topic."""
    source = sources(settings).get(name or "")
    return (profile_of(source).title if source else "") or name or "—"


def topic_of(request: Request, name: str) -> TopicProfile:
    """The topic of this name; status 404 if there is none."""
    source = sources(request.app.state.settings).get(name)
    if source is None:
        raise HTTPException(404, f"there is no topic {name!r}")
    return profile_of(source)


def profile_of(source: str) -> TopicProfile:
    """The topic, which is read again when one of its files changes."""
    changed: tuple[tuple[int, int], ...] = ()
    if source not in topic_names():
        try:
            states = [path.stat() for path in (Path(source), weights_beside(source)) if path.is_file()]
            changed = tuple((state.st_mtime_ns, state.st_size) for state in states)
        except (OSError, ValueError):
            return load(source)  # which says what is wrong
    return _read(source, changed)


@lru_cache(maxsize=32)  # cache: reading one takes a tenth of a second, and every page of an article asks for one
def _read(source: str, _changed: tuple[tuple[int, int], ...]) -> TopicProfile:
    return load(source)


def _page(
    request: Request, name: str, *, title: str = "", text: str = "", relevance: Relevance | None = None,
    least: float = 0.0,
) -> Response:  # fmt: skip
    topic, model = topic_of(request, name), request.app.state.settings.get("RELEVANCE_MODEL") or None
    categories: defaultdict[str, list[Term]] = defaultdict(list)
    for term in sorted(topic.terms, key=lambda term: -term.weight):
        categories[term.category].append(term)
    thresholds = [
        threshold_of(topic, Document(title="x", text=text), Model(model or topic.model)) for text in ("x", "")
    ]
    with opened(request) as view:
        values: dict[str, Any] = {"title": title, "text": text, "relevance": relevance, "least": least}
        return view.page(
            "topic.html", topic=topic, is_own=sources(request.app.state.settings)[name] not in topic_names(),
            categories=categories, threshold=thresholds[0], headline_threshold=thresholds[1], **values,
            held=borderline(view.conn, topic.name, MOST_BORDERLINE),
            measured=request.app.state.measurements.of(view.conn, topic, model),
        )  # fmt: skip


class Measurements:
    """How good each topic is, measured again when it or its labels have changed; one at a time, for it takes long."""

    def __init__(self) -> None:
        self._of: dict[str, tuple[TopicProfile, object, Measured]] = {}
        self._lock = Lock()

    def of(self, conn: Connection, topic: TopicProfile, model: str | None) -> Measured:
        """The figures of this topic by this model."""
        with self._lock:
            state = model, newest(conn, topic.name)
            entry = self._of.get(topic.name)
            if entry is None or entry[0] is not topic or entry[1] != state:
                entry = self._of[topic.name] = topic, state, _measured(conn, topic, model)
            return entry[2]


def _measured(conn: Connection, topic: TopicProfile, model: str | None) -> Measured:
    texts = labelled_texts(labelled(conn, topic.name, MOST_MEASURED))
    truth = [text.relevant for text in texts]
    counts = sum(truth), len(truth) - sum(truth)
    if min(counts) < FEWEST_MEASURED:
        return Measured(*counts, {}, [])
    judged = [score(topic, Document(title=text.headline, text=text.text), model) for text in texts]
    figures = measured([(row.score, row.relevant) for row in judged], truth)
    return Measured(*counts, figures, curve([row.score for row in judged], truth))
