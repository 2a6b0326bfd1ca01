"""Labels an article, or several of a list at once, or saves them in a collection; the list that follows says so, and
offers to take that back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import Response
from scrapy.settings import BaseSettings
from sqlalchemy import Connection

from newsspider.actions.topics import label_and_decide, topic_named
from newsspider.core.relevance.scoring import Model
from newsspider.core.relevance.topic import TopicProfile
from newsspider.core.text.numbers import whole_number
from newsspider.core.url import canonical
from newsspider.features.console import collections
from newsspider.features.console.access import AuditedChange, Fields, begin_change, require_role
from newsspider.features.console.accounts import Role
from newsspider.features.console.pages.collections import existing_collection
from newsspider.features.console.view import View, redirect_to
from newsspider.store.articles import labels
from newsspider.store.articles.article_records import articles_of
from newsspider.store.engine.data_folder import data_folder
from newsspider.store.ledger.crawls import keys_of
from newsspider.topics.loader import weights_beside
from newsspider.topics.shipped import topic_names

MOST_PICKED = 200
DONE_FIELDS = {"done", "marked"}  # of the address of a list: what was done with articles picked from it
LISTS = {"/", "/search"}  # the pages that have lists to pick from
DONE = re.compile(
    rf"([yn]|s\d{{1,18}})((?:-\d{{1,18}}[yn]?){{1,{MOST_PICKED}}})"
)  # what was done with which articles, each with its old label, or `y` if the collection had it before
LETTERS = {True: "y", False: "n", None: ""}
TOPIC_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")  # of a copy of a topic: also that of its file
VERDICT_KEYS = {"y": True, "n": False}
SAVED = "收藏"  # the collection of one's own that articles are saved in where no other is chosen

router = APIRouter()


@router.post("/labels")
def label_picked(request: Request, fields: Fields) -> Response:
    """Label the articles with a field ``aID``, each for its own topic; ``s`` saves them in a collection. ``undo`` gives
    each the label that the field names, or takes those without a letter out of the collection."""
    verdict, page = fields.get("verdict", ""), fields.get("page", "")
    picked = {whole_number(name[1:]) or 0: value for name, value in fields.items() if re.fullmatch(r"a\d{1,18}", name)}
    if verdict not in {*VERDICT_KEYS, "undo", "s"} or page not in LISTS or len(picked) > MOST_PICKED:
        raise HTTPException(400, f"say y, n, undo or s of at most {MOST_PICKED} articles of a list")
    with begin_change(request, Role.EDITOR) as change:
        if verdict == "s":
            done = _saved(change, picked, fields)
        elif number := verdict == "undo" and fields.get("collection", ""):
            done = _taken_out(change, picked, number)
        else:
            done = _labelled(request, change, picked, verdict)
    query = [(name, value) for name, value in parse_qsl(fields.get("query", "")[:4000]) if name not in DONE_FIELDS]
    return redirect_to(request, f"{page}?{urlencode([*query, *([('done', done)] if done else [])])}")


def _labelled(request: Request, change: AuditedChange, picked: Mapping[int, str], verdict: str) -> str:
    """Label the articles; how that is written in the address of the list, empty for what was undone."""
    known, old = topic_profiles(request.app.state.settings), labels.of_articles(change.conn, list(picked))
    written = ""
    for record in articles_of(change.conn, list(picked)):
        number, topic = record["id"], record["topic"]
        if topic not in known or (profile := profile_of(known[topic])).model is Model.ANY:
            continue
        wanted = (picked[number] if picked[number] in VERDICT_KEYS else "remove") if verdict == "undo" else verdict
        if set_label(request, change, profile, record["url"], wanted):
            written += f"-{number}{LETTERS[old.get((number, topic))]}"
    return "" if verdict == "undo" else f"{verdict}{written}" if written else "none"


def _saved(change: AuditedChange, picked: Mapping[int, str], fields: Mapping[str, str]) -> str:
    """Save the articles in a collection: the one that was chosen, or :data:`SAVED`, which is added if there is none."""
    if not picked:
        return "none"
    number = fields.get("collection", "")
    if not number and (own := _own(collections.all_collections(change.conn), change.account)):
        number = str(own.id)
    if not number:
        number = str(collections.add(change.conn, change.account, SAVED, "", "", change.now))
        change.note("collection.add", SAVED, after={"query": "", "articles": 0})
    row = existing_collection(change.conn, number)
    there = [record["id"] for record in articles_of(change.conn, list(picked))]
    old = {one.article_id for one in collections.articles(change.conn, row.id)}
    count = collections.put(change.conn, row.id, there, change.now)
    change.note("collection.extend", row.name, after={"articles": count})
    return f"s{row.id}" + "".join(f"-{one}{'y' if one in old else ''}" for one in there) if there else "none"


def _taken_out(change: AuditedChange, picked: Mapping[int, str], number: str) -> str:
    """Take the articles that were saved just now out of the collection again; nothing is written of it in the address
    of the list."""
    row = existing_collection(change.conn, number)
    count = collections.take_out(change.conn, row.id, [article for article, letter in picked.items() if not letter])
    change.note("collection.reduce", row.name, after={"articles": count})
    return ""


def _own(rows: list[Any], account: str) -> Any | None:
    """The collection of an account that its articles are saved in; ``None`` if it has none."""
    return next((row for row in rows if row.name == SAVED and row.owner == account), None)


def list_values(view: View, records: list[dict[str, Any]]) -> dict[str, Any]:
    """What an editor needs beside the marks of readers to pick from a list: labels by article, collections, what was
    done just now."""
    if not view.may(Role.EDITOR):
        return {"picks": None}
    known = labels.of_articles(view.conn, [record["id"] for record in records])
    own = {record["id"]: known.get((record["id"], record["topic"])) for record in records}
    done = _done(view.conn, view.request.query_params.get("done", ""))
    rows = collections.all_collections(view.conn)
    saved = _own(rows, require_role(view.request, Role.EDITOR).account)
    others = [row for row in rows if row is not saved]
    return {"picks": {"labels": own, "saved": SAVED, "collections": others, "done": done}}


def _done(conn: Connection, written: str) -> dict[str, Any] | None:
    """What was done with articles picked from the list: their labels before, or the collection that has them now. The
    address says it, which may be old or made up: ``None`` if nothing of it is so."""
    match = DONE.fullmatch(written)
    if match is None:
        return {"before": {}} if written == "none" else None
    before = {int(number): letter for number, letter in re.findall(r"-(\d+)([yn]?)", match[2])}
    verdict, collection = match[1][0], int(match[1][1:] or 0)
    if verdict == "s":
        there = {row.article_id for row in collections.articles(conn, collection)}
    else:
        known, records = labels.of_articles(conn, before), articles_of(conn, list(before))
        there = {one["id"] for one in records if known.get((one["id"], one["topic"])) is VERDICT_KEYS[verdict]}
    before = {number: letter for number, letter in before.items() if number in there}
    done = {"verdict": verdict, "before": before, "collection": collections.collection(conn, collection)}
    return done if before else None


@router.post("/topics/{name}/label")
def label(request: Request, name: str, fields: Fields) -> Response:
    """Label an article, as ``scrapy topics label`` does; a held one is stored or dropped. ``back`` names the page to
    return to: the id of an article, ``url`` for the page of the URL, or empty for the topic."""
    url, back = fields.get("url", ""), fields.get("back", "")
    name = labelled_as(request, name, url, fields.get("verdict", ""))
    if back == "url":
        return redirect_to(request, f"/url?{urlencode({'u': url})}#label")
    article = whole_number(back)
    return redirect_to(request, f"/articles/{article}#label" if article else f"/topics/{name}#borderline")


def labelled_as(request: Request, name: str, address: str, verdict: str) -> str:
    """Label the article of a URL as on or off the topic; returns the name of the topic."""
    topic, url = topic_of(request, name), canonical(address)
    if url is None or (verdict not in VERDICT_KEYS and verdict != "remove") or topic.model is Model.ANY:
        raise HTTPException(400, "say of which URL of which topic, and y, n or remove")
    with begin_change(request, Role.EDITOR) as change:
        if not set_label(request, change, topic, url, verdict):
            raise HTTPException(404, "no article is stored, held or labelled of this URL")
    return topic.name


def set_label(request: Request, change: AuditedChange, topic: TopicProfile, url: str, verdict: str) -> int:
    """Label the article of a URL, or take its labels back; returns how many were set."""
    keys, settings = keys_of(change.conn, url), request.app.state.settings
    if verdict == "remove":
        count = labels.remove_labels(change.conn, topic.name, keys)
    else:
        count = label_and_decide(change.conn, settings, topic, keys, change.now, relevant=VERDICT_KEYS[verdict])
    if count:
        change.note("topic.label", url, after={"topic": topic.name, "verdict": verdict})
    return count


def topic_profiles(settings: BaseSettings) -> dict[str, str]:
    """By name, where the profile of each topic is: that of the crawl, copies made in the console, and those that
    newsspider ships. A request names a topic, never a file."""
    own = settings.get("TOPIC") or "education"
    own_name = profile_of(own).name
    files = {path.stem: str(path) for path in sorted(copies_folder().glob("*.toml")) if TOPIC_NAME.fullmatch(path.stem)}
    others = files | {name: name for name in topic_names()}
    return {own_name: own} | {name: source for name, source in others.items() if name != own_name}


def copies_folder() -> Path:
    """The folder of the copies of topics that are made in the console."""
    return Path(data_folder()) / "topics"


def title_of(settings: BaseSettings, name: str | None) -> str:
    """What people call a topic."""
    source = topic_profiles(settings).get(name or "")
    return (profile_of(source).title if source else "") or name or "—"


def topic_of(request: Request, name: str) -> TopicProfile:
    """The topic of this name; status 404 if there is none."""
    source = topic_profiles(request.app.state.settings).get(name)
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
            return topic_named(source)  # which says what is wrong
    return _read(source, changed)


@lru_cache(maxsize=32)  # cache: reading one takes a tenth of a second, and every page of an article asks for one
def _read(source: str, _changed: tuple[tuple[int, int], ...]) -> TopicProfile:
    return topic_named(source)
