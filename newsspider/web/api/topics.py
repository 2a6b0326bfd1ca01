"""Topics in the API."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Depends, Request
from pydantic import BaseModel, Field

from newsspider.cli.topic_arguments import score_record
from newsspider.cli.topic_views import summary
from newsspider.store.articles.held_articles import borderline
from newsspider.web.access import costly
from newsspider.web.api.routing import api_router
from newsspider.web.pages.topics import (
    LONGEST_TEXT,
    MOST_BORDERLINE,
    judged,
    labelled_as,
    profile_of,
    sources,
    topic_of,
)
from newsspider.web.view import opened

router = api_router()


class Judged(BaseModel):
    """A text to be judged."""

    title: Annotated[str, Field(max_length=1000)] = ""
    text: Annotated[str, Field(max_length=LONGEST_TEXT)] = ""


class Label(BaseModel):
    """Whether the article of a URL is on the topic: `y`, `n`, or `remove` for what was said before."""

    url: Annotated[str, Field(max_length=2000)]
    verdict: Literal["y", "n", "remove"]


@router.get("/topics", summary="Topics")
def every(request: Request) -> dict[str, Any]:
    """What each is made of, in figures; that of the crawl first."""
    return {"topics": [summary(profile_of(source)) for source in sources(request.app.state.settings).values()]}


@router.get("/topics/{name}", summary="One topic", dependencies=[Depends(costly)])
def one(request: Request, name: str) -> dict[str, Any]:
    """Its figures, its terms, the borderline articles on which somebody is to decide, and how good it is on
    the labelled articles of the store, by threshold."""
    topic, model = topic_of(request, name), request.app.state.settings.get("RELEVANCE_MODEL") or None
    with opened(request) as view:
        held = [
            {"url": one.article.url, "title": one.article.title, "score": one.article.score}
            for one in borderline(view.conn, topic.name, MOST_BORDERLINE)
        ]
        measured = request.app.state.measurements.of(view.conn, topic, model)._asdict()
    shown = ("name", "category", "weight", "synonyms")
    terms = [{name: getattr(term, name) for name in shown} for term in topic.terms]
    return summary(topic) | {"term_list": terms, "borderline": held, "measured": measured}


@router.post("/topics/{name}/score", summary="Judge a text", dependencies=[Depends(costly)])
def score(request: Request, name: str, wanted: Judged) -> dict[str, Any]:
    """As of `scrapy score`, with the least score that the text needs; nothing is stored."""
    relevance, least = judged(request, name, wanted.title.strip(), wanted.text)
    return score_record(relevance) | {"threshold": least}


@router.post("/topics/{name}/labels", summary="Label an article")
def label(request: Request, name: str, wanted: Label) -> dict[str, str]:
    """As `scrapy topics label`: a held article is stored or dropped. Takes the scope `edit`."""
    labelled_as(request, name, wanted.url, wanted.verdict)
    return {"url": wanted.url, "verdict": wanted.verdict}
