"""A topic that is changed or trained again: the draft is compared with what holds, then accepted or discarded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field

from newsspider.core.relevance.topic import Term
from newsspider.core.text.characters import storable_text
from newsspider.features.console.access import Fields, begin_change, require_editor
from newsspider.features.console.accounts import Role
from newsspider.features.console.api.routing import api_router
from newsspider.features.console.pages.labelling import TOPIC_NAME, copies_folder, topic_of, topic_profiles
from newsspider.features.console.rate_limits import limit_costly
from newsspider.features.console.view import open_view, redirect_to
from newsspider.features.workbench.comparison import NEEDS_MORE, Comparison, Draft, OutdatedError, compare_draft
from newsspider.sites.atomic_files import write_whole
from newsspider.store.articles.labels import count_labels
from newsspider.store.engine.watched_threads import start_thread
from newsspider.topics.loader import TopicError, read_topic, rename_topic, weights_beside
from newsspider.topics.shipped import topic_names

LONGEST_PROFILE, LONGEST_TITLE = 200_000, 60  # characters
SHIPPED = Path(str(files("newsspider.topics")))
REFRESH_SECONDS = 3
FIGURE_NAMES = ("precision", "recall", "f1", "average_precision")

router = APIRouter(dependencies=[Depends(require_editor)])
api = api_router()


class NewTopic(BaseModel):
    """The name of a copy, of a-z, 0-9, _ and -, and its title, the name if empty."""

    name: str
    title: Annotated[str, Field(max_length=LONGEST_TITLE)] = ""


class NewDraft(BaseModel):
    """What changes of a topic."""

    profile: Annotated[str, Field(max_length=LONGEST_PROFILE, description="TOML; empty: as it is")] = ""
    retrain: Annotated[bool, Field(description="learn its weights from the labels")] = False


class DraftChoice(BaseModel):
    """Which draft is meant."""

    version: Annotated[str, Field(max_length=64, description="that of `GET`; empty: the draft that there is")] = ""


@router.get("/topics/{name}/draft")
def draft_page(request: Request, name: str) -> Response:
    """The profile to be changed; or what a draft would change."""
    return _page(request, name)


@router.post("/topics/{name}/draft")
def send_draft(request: Request, name: str, fields: Fields) -> Response:
    """Compare a changed profile, or one that is trained again, with what holds."""
    text = fields.get("text", "")
    if fields.get("base", "") not in {"", draft_of(request, name).began_from()[0]}:
        return _page(request, name, fields)
    drafted(request, name, text, retrain=bool(fields.get("retrain")))
    return redirect_to(request, f"/topics/{name}/draft")


@router.post("/topics/{name}/copy")
def copy_topic(request: Request, name: str, fields: Fields) -> Response:
    """Make a copy of a topic, with its weights, that can be changed here."""
    title = fields.get("title", "")[:LONGEST_TITLE]
    new_name = copy(request, name, NewTopic(name=fields.get("name", ""), title=title))["name"]
    return redirect_to(request, f"/topics/{new_name}/draft")


@router.post("/topics/{name}/draft/accept")
def accept_draft(request: Request, name: str, fields: Fields) -> Response:
    """Let the draft that the page showed hold."""
    decided(request, name, fields.get("version", ""), accepted=True)
    return redirect_to(request, f"/topics/{name}")


@router.post("/topics/{name}/draft/discard")
def discard_draft(request: Request, name: str, fields: Fields) -> Response:
    """Drop the draft that the page showed."""
    decided(request, name, fields.get("version", ""), accepted=False)
    return redirect_to(request, f"/topics/{name}/draft")


def draft_of(request: Request, name: str) -> Draft:
    """The draft of a topic; status 409 if its profile is not people's own."""
    topic = topic_of(request, name)
    source = topic_profiles(request.app.state.settings)[topic.name]
    if source in topic_names():
        raise HTTPException(409, f"{name} is shipped with newsspider: copy it, and change the copy")
    return Draft(Path(source))


def drafted(request: Request, name: str, text: str, *, retrain: bool) -> None:
    """Begin to compare a topic with this text as its profile (empty: the one that it has), trained again or not; one
    comparison runs at a time, in a process of its own."""
    limit_costly(request)
    draft, text = draft_of(request, name), text.replace("\r\n", "\n")
    if len(text) > LONGEST_PROFILE:
        raise HTTPException(
            413,
            f"{draft.source.name} would have {len(text)} characters; at most {LONGEST_PROFILE} are taken here;"
            " change the file itself",
        )
    with _written(draft):
        turn = draft.acquire_turn()
    if turn is None:
        raise HTTPException(429, "this topic is being compared; try again in a minute", {"Retry-After": "60"})
    try:
        with begin_change(request, Role.EDITOR) as change, _written(draft):
            change.note("topic.train" if retrain else "topic.edit", name)
            whole = text if text.strip() else _text(draft.source)
            draft.begin()
    except BaseException:
        turn.close()
        raise
    store = request.app.state.engine.url.render_as_string(hide_password=False)
    model = request.app.state.settings.get("RELEVANCE_MODEL") or None

    def work() -> None:
        with turn:
            compare_draft(draft, turn, whole, store, model, retrain=retrain)

    start_thread("newsspider-topic-draft", work)


def decided(request: Request, name: str, version: str, *, accepted: bool) -> None:
    """Let the draft of a topic hold, or drop it; status 404 if there is none, 409 if it cannot hold, or is not that of
    the ``version``, if one is given."""
    draft = draft_of(request, name)
    if draft.comparison() is None:
        raise HTTPException(404, "there is no draft of this topic")
    with _written(draft):
        turn = draft.acquire_turn()
    if turn is None:
        raise HTTPException(409, "this topic is being compared; wait for the end of that")
    with turn, begin_change(request, Role.EDITOR) as change, _written(draft):
        comparison = draft.comparison()
        if comparison is None:
            raise HTTPException(404, "there is no draft of this topic")
        if version not in {"", comparison.version}:
            raise HTTPException(409, "another draft was made since you looked; look at that one first")
        if accepted and comparison.problem:
            raise HTTPException(409, comparison.problem)
        try:
            draft.accept(comparison) if accepted else draft.discard()
        except OutdatedError as problem:
            raise HTTPException(409, str(problem)) from None
        after = comparison.after.figures | {"diff": comparison.diff, "retrained": comparison.retrained}
        action = "topic.accept" if accepted else "topic.discard"
        change.note(action, name, before=comparison.before.figures, after=after)


def state_of(request: Request, name: str) -> tuple[str, Comparison | None]:
    """``running``, ``ready``, ``failed`` or ``none``, and what was found."""
    draft = draft_of(request, name)
    if draft.is_running():
        return "running", None
    comparison = draft.comparison()
    return ("none" if comparison is None else "failed" if comparison.problem else "ready"), comparison


def _page(request: Request, name: str, outdated: Mapping[str, str] | None = None) -> Response:
    """The draft; with what was typed and ticked in an ``outdated`` form, of a profile that has changed since."""
    topic, draft = topic_of(request, name), draft_of(request, name)
    state, comparison = state_of(request, name)
    word = request.query_params.get("term", "")
    is_outdated = state == "ready" and comparison is not None and draft.is_outdated(comparison)
    with open_view(request) as view:
        return view.page(
            "topic_draft.html",
            status=200 if outdated is None else 409,
            topic=topic,
            comparison=comparison,
            running=state == "running",
            refresh=REFRESH_SECONDS,
            is_outdated=is_outdated,
            outdated=outdated,
            path=draft.source,
            term=next((one for one in topic.terms if one.name == word), Term(word, 0.5)),
            text=(outdated or {}).get("text") or _text(draft.profile if draft.profile.exists() else draft.source),
            figures=FIGURE_NAMES,
            file=draft.source.name,
            base=draft.began_from()[0],
            labels=count_labels(view.conn, topic.name),
            can_train=find_spec("sklearn") is not None,
            needs_more=NEEDS_MORE if draft.needs_more() else "",
        )


@contextmanager
def _written(draft: Draft) -> Iterator[None]:
    """Status 409 where the files of a draft cannot be written."""
    try:
        yield
    except OSError as error:
        sentence = f"the console cannot write beside {draft.source.name}: {error.strerror}"
        raise HTTPException(409, sentence) from None


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8-sig")
    except OSError as error:
        raise HTTPException(409, f"{file.name}: {error.strerror}") from None


@api.get("/topics/{name}/draft", summary="The draft of a topic")
def draft(request: Request, name: str) -> dict[str, Any]:
    """Its `state` is `none`, `running`, `ready` or `failed`; the figures of what holds (`before`) and of the draft
    (`after`) on the labels that are held out, the change of the file as `diff`; `version` tells it from another one."""
    state, comparison = state_of(request, name)
    return {"state": state} | (asdict(comparison) | {"version": comparison.version} if comparison else {})


@api.post("/topics/{name}/draft", summary="Change or retrain a topic", status_code=202)
def make_draft(request: Request, name: str, body: NewDraft) -> dict[str, str]:
    """Begin to compare the topic with one of this profile, of weights learned from its labels if `retrain` says so.
    Nothing holds before it is accepted. One comparison runs at a time: 429 while another one does; 409 if the folder
    of the profile cannot be written. Takes the scope `edit`."""
    drafted(request, name, body.profile, retrain=body.retrain)
    return {"state": "running"}


@api.post("/topics/{name}/copy", summary="Copy a topic", status_code=201)
def copy(request: Request, name: str, body: NewTopic) -> dict[str, str]:
    """The copy has the terms and weights of the topic, and can be changed. Takes the scope `edit`."""
    known, new_name = topic_profiles(request.app.state.settings), body.name
    if not TOPIC_NAME.fullmatch(new_name) or new_name in known:
        raise HTTPException(400, "the copy of a topic takes a name of its own, of a-z, 0-9, _ and -, as my-education")
    source = known[topic_of(request, name).name]
    file = SHIPPED / f"{source}.toml" if source in topic_names() else Path(source)
    text, weights, copied = _text(file), weights_beside(str(file)), copies_folder() / f"{new_name}.toml"
    text = rename_topic(text, new_name, storable_text(body.title) or new_name)
    try:
        read_topic(text.encode(), copied.name)
    except TopicError as error:
        raise HTTPException(400, str(error)) from None
    with begin_change(request, Role.EDITOR) as change, _written(Draft(copied)):
        copied.parent.mkdir(parents=True, exist_ok=True)
        if weights.is_file():
            write_whole(weights_beside(str(copied)), weights.read_bytes())
        write_whole(copied, text.encode())
        change.note("topic.copy", new_name, after={"topic": name})
    return {"name": new_name}


@api.post("/topics/{name}/draft/accept", summary="Accept a draft of a topic", status_code=204)
def accept(request: Request, name: str, body: DraftChoice = DraftChoice()) -> None:  # noqa: B008 -- nobody changes it
    """Crawls that start from now on use it. 409 if profile or weights have changed since the draft began, or if the
    draft is not that of the `version`. Takes the scope `edit`."""
    decided(request, name, body.version, accepted=True)


@api.delete("/topics/{name}/draft", summary="Discard the draft of a topic", status_code=204)
def discard(request: Request, name: str) -> None:
    """The topic stays as it is. Takes the scope `edit`."""
    decided(request, name, "", accepted=False)
