"""A topic that is changed or trained again: the draft is compared with what holds, then accepted or discarded."""

from __future__ import annotations

import threading
from pathlib import Path

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from newsspider.cli.topic_labels import labelled_texts
from newsspider.store.accounts import Role
from newsspider.store.articles.labels import labelled
from newsspider.store.engine.database import reading
from newsspider.topics.shipped import topic_names
from newsspider.web.access import Fields, changing, costly, needs
from newsspider.web.pages.topics import sources, topic_of
from newsspider.web.topic_comparison import Comparison, Draft, compare
from newsspider.web.view import opened

LONGEST_PROFILE = 200_000  # characters
MOST_LABELS = 20_000  # the latest
REFRESH_SECONDS = 3
FIGURES = ("precision", "recall", "f1", "average_precision")

router = APIRouter()


@router.get("/topics/{name}/draft")
def draft_page(request: Request, name: str) -> Response:
    """The profile to be changed; or what a draft would change."""
    needs(request, Role.EDITOR)
    topic, draft = topic_of(request, name), draft_of(request, name)
    comparison, is_running = draft.comparison(), _is_running(request, name)
    with opened(request) as view:
        labels = labelled(view.conn, topic.name, MOST_LABELS)
        on_topic = sum(row.relevant for row in labels)
        return view.page(
            "topic_draft.html", topic=topic, comparison=comparison, running=is_running, refresh=REFRESH_SECONDS,
            text=_text(draft.profile if draft.profile.exists() else draft.source), figures=FIGURES,
            on_topic=on_topic, off_topic=len(labels) - on_topic, file=draft.source.name,
        )  # fmt: skip


@router.post("/topics/{name}/draft")
def make_draft(request: Request, name: str, fields: Fields) -> Response:
    """Compare a changed profile, or one that is trained again, with what holds."""
    drafted(request, name, fields.get("text", ""), retrain=bool(fields.get("retrain")))
    return _to(request, f"/topics/{name}/draft")


@router.post("/topics/{name}/draft/accept")
def accept_draft(request: Request, name: str, fields: Fields) -> Response:
    """Let the draft hold."""
    decided(request, name, accepted=True)
    return _to(request, f"/topics/{name}")


@router.post("/topics/{name}/draft/discard")
def discard_draft(request: Request, name: str, fields: Fields) -> Response:
    """Drop the draft."""
    decided(request, name, accepted=False)
    return _to(request, f"/topics/{name}/draft")


def draft_of(request: Request, name: str) -> Draft:
    """The draft of a topic; status 409 if its profile is not people's own."""
    topic = topic_of(request, name)
    source = sources(request.app.state.settings)[topic.name]
    if source in topic_names():
        raise HTTPException(409, f"{name} is shipped with newsspider: copy its file, and name the copy in TOPIC")
    return Draft(Path(source))


def drafted(request: Request, name: str, text: str, *, retrain: bool) -> None:
    """Begin to compare a topic with this text as its profile (empty: the one that it has), trained again or not; one
    comparison runs at a time, in a process of its own."""
    costly(request)
    draft, text = draft_of(request, name), text.replace("\r\n", "\n")[:LONGEST_PROFILE]
    running: threading.Lock = request.app.state.comparing
    if not running.acquire(blocking=False):
        raise HTTPException(429, "another topic is being compared; try again in a minute", {"Retry-After": "60"})
    request.app.state.compared = name
    try:
        with changing(request, Role.EDITOR) as change:
            change.note("topic.train" if retrain else "topic.edit", name)
        with reading(request.app.state.engine) as conn:
            labels = labelled_texts(labelled(conn, name, MOST_LABELS))
        model = request.app.state.settings.get("RELEVANCE_MODEL") or None
        whole = text if text.strip() else _text(draft.source)
        draft.discard()
    except BaseException:
        running.release()
        raise

    def work() -> None:
        try:
            compare(draft.source, whole, labels, model, retrain=retrain)
        finally:
            running.release()

    threading.Thread(target=work, daemon=True).start()


def decided(request: Request, name: str, *, accepted: bool) -> None:
    """Let the draft of a topic hold, or drop it; status 404 if there is none."""
    draft = draft_of(request, name)
    with changing(request, Role.EDITOR) as change:
        comparison = draft.comparison()
        if comparison is None or _is_running(request, name):
            raise HTTPException(404, "there is no draft of this topic")
        try:
            if accepted and not comparison.problem:
                draft.accept()
            elif accepted:
                raise HTTPException(409, comparison.problem)
            else:
                draft.discard()
        except OSError as error:
            raise HTTPException(409, f"{draft.source.name}: {error.strerror}") from None
        after = comparison.after.figures | {"diff": comparison.diff, "retrained": comparison.retrained}
        action = "topic.accept" if accepted else "topic.discard"
        change.note(action, name, before=comparison.before.figures, after=after)


def state_of(request: Request, name: str) -> tuple[str, Comparison | None]:
    """``running``, ``ready``, ``failed`` or ``none``, and what was found."""
    comparison = draft_of(request, name).comparison()
    if _is_running(request, name):
        return "running", None
    return ("none" if comparison is None else "failed" if comparison.problem else "ready"), comparison


def _is_running(request: Request, name: str) -> bool:
    return bool(request.app.state.comparing.locked()) and request.app.state.compared == name


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8-sig")
    except OSError as error:
        raise HTTPException(409, f"{file.name}: {error.strerror}") from None


def _to(request: Request, path: str) -> Response:
    return RedirectResponse(request.scope.get("root_path", "") + path, 303)
