"""Topics in the API."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import Depends, Request
from pydantic import BaseModel, Field

from newsspider.features.console.access import costly, editors
from newsspider.features.console.api.routing import api_router
from newsspider.features.console.pages.topic_draft import (
    LONGEST_PROFILE,
    LONGEST_TITLE,
    copied,
    decided,
    drafted,
    state_of,
)
from newsspider.features.console.pages.topics import (
    LONGEST_TEXT,
    MOST_BORDERLINE,
    judged,
    labelled_as,
    profile_of,
    sources,
    topic_of,
)
from newsspider.features.console.view import opened
from newsspider.store.articles.held_articles import borderline
from newsspider.topics.listing import score_record, summary

EDITORS = [Depends(editors)]
router = api_router()


class Judged(BaseModel):
    """A text to be judged."""

    title: Annotated[str, Field(max_length=1000)] = ""
    text: Annotated[str, Field(max_length=LONGEST_TEXT)] = ""


class NewTopic(BaseModel):
    """The name of a copy, of a-z, 0-9, _ and -, and its title, the name if empty."""

    name: str
    title: Annotated[str, Field(max_length=LONGEST_TITLE)] = ""


class NewDraft(BaseModel):
    """What changes of a topic."""

    profile: Annotated[str, Field(max_length=LONGEST_PROFILE, description="TOML; empty: as it is")] = ""
    retrain: Annotated[bool, Field(description="learn its weights from the labels")] = False


class Decision(BaseModel):
    """Which draft is meant."""

    version: Annotated[str, Field(max_length=64, description="that of `GET`; empty: the draft that there is")] = ""


class Label(BaseModel):
    """Whether the article of a URL is on the topic: `y`, `n`, or `remove` to take the label back."""

    url: Annotated[str, Field(max_length=2000)]
    verdict: Literal["y", "n", "remove"]


@router.get("/topics", summary="Topics")
def every(request: Request) -> dict[str, Any]:
    """What each is made of, in figures; that of the crawl first."""
    return {"topics": [summary(profile_of(source)) for source in sources(request.app.state.settings).values()]}


@router.get("/topics/{name}", summary="One topic", dependencies=[Depends(costly)])
def one(request: Request, name: str) -> dict[str, Any]:
    """Its figures and terms, the borderline articles that wait for a decision, and its precision and recall on the
    labelled articles of the store, by threshold."""
    topic, model = topic_of(request, name), request.app.state.settings.get("RELEVANCE_MODEL") or None
    with opened(request) as view:
        undecided = [
            {"url": pair.article.url, "title": pair.article.title, "score": pair.article.score}
            for pair in borderline(view.conn, topic.name, MOST_BORDERLINE)
        ]
        measured = request.app.state.measurements.of(view.conn, topic, model)._asdict()
    fields = ("name", "category", "weight", "synonyms")
    terms = [{name: getattr(term, name) for name in fields} for term in topic.terms]
    return summary(topic) | {"term_list": terms, "borderline": undecided, "measured": measured}


@router.post("/topics/{name}/score", summary="Judge a text", dependencies=[Depends(costly)])
def score(request: Request, name: str, body: Judged) -> dict[str, Any]:
    """As of `scrapy score`, with the least score that the text needs; nothing is stored."""
    relevance, least = judged(request, name, body.title.strip(), body.text)
    return score_record(relevance) | {"threshold": least}


@router.get("/topics/{name}/draft", summary="The draft of a topic", dependencies=EDITORS)
def draft(request: Request, name: str) -> dict[str, Any]:
    """Its `state` is `none`, `running`, `ready` or `failed`; the figures of what holds (`before`) and of the draft
    (`after`) on the labels that are held out, the change of the file as `diff`; `version` tells it from another one."""
    state, comparison = state_of(request, name)
    return {"state": state} | (asdict(comparison) | {"version": comparison.version} if comparison else {})


@router.post("/topics/{name}/draft", summary="Change or retrain a topic", status_code=202, dependencies=EDITORS)
def make_draft(request: Request, name: str, body: NewDraft) -> dict[str, str]:
    """Begin to compare the topic with one of this profile, of weights learned from its labels if `retrain` says so.
    Nothing holds before it is accepted. One comparison runs at a time: 429 while another one does; 409 if the folder
    of the profile cannot be written. Takes the scope `edit`."""
    drafted(request, name, body.profile, retrain=body.retrain)
    return {"state": "running"}


@router.post("/topics/{name}/copy", summary="Copy a topic", status_code=201, dependencies=EDITORS)
def copy(request: Request, name: str, body: NewTopic) -> dict[str, str]:
    """The copy has the terms and weights of the topic, and can be changed. Takes the scope `edit`."""
    copied(request, name, body.name, body.title)
    return {"name": body.name}


@router.post("/topics/{name}/draft/accept", summary="Accept a draft of a topic", status_code=204, dependencies=EDITORS)
def accept(request: Request, name: str, body: Decision = Decision()) -> None:  # noqa: B008 -- nobody changes it
    """Crawls that start from now on use it. 409 if profile or weights have changed since the draft began, or if the
    draft is not that of the `version`. Takes the scope `edit`."""
    decided(request, name, body.version, accepted=True)


@router.delete("/topics/{name}/draft", summary="Discard the draft of a topic", status_code=204, dependencies=EDITORS)
def discard(request: Request, name: str) -> None:
    """The topic stays as it is. Takes the scope `edit`."""
    decided(request, name, "", accepted=False)


@router.post("/topics/{name}/labels", summary="Label an article", dependencies=EDITORS)
def label(request: Request, name: str, body: Label) -> dict[str, str]:
    """As `scrapy topics label`: a held article is stored or dropped. Takes the scope `edit`."""
    labelled_as(request, name, body.url, body.verdict)
    return {"url": body.url, "verdict": body.verdict}
