"""Topics, as pages and in the API: what each is made of, how a text is judged, which articles wait for a decision, and
which threshold brings what."""

from __future__ import annotations

from collections import defaultdict
from threading import Lock
from typing import Annotated, Any, Literal, NamedTuple

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field
from sqlalchemy import Connection

from newsspider.core.model import Relevance
from newsspider.core.relevance.scoring import Document, Model, threshold_of
from newsspider.core.relevance.scoring import score as judge
from newsspider.core.relevance.topic import Term, TopicProfile
from newsspider.features.console.access import Fields, require_editor
from newsspider.features.console.api.routing import api_router
from newsspider.features.console.pages.labelling import labelled_as, profile_of, topic_of, topic_profiles
from newsspider.features.console.rate_limits import limit_costly
from newsspider.features.console.view import open_view
from newsspider.features.workbench.labelled_texts import labelled_texts
from newsspider.features.workbench.precision_and_recall import measured_on
from newsspider.features.workbench.topic_records import profile_summary, score_record
from newsspider.store.articles.held_articles import borderline_articles
from newsspider.store.articles.labels import labelled_articles, newest_label
from newsspider.topics.shipped import topic_names

MOST_BORDERLINE = 20
MOST_MEASURED = 1000  # labels, the latest
FEWEST_MEASURED = 10  # of either kind: fewer make no curve
LONGEST_TEXT = 20_000

router = APIRouter()
api = api_router()


class Measured(NamedTuple):
    """How good a topic is on the labelled articles of the store."""

    on_topic: int
    off_topic: int
    figures: dict[str, float]
    points: list[dict[str, float]]


class TextToJudge(BaseModel):
    """A text to be judged."""

    title: Annotated[str, Field(max_length=1000)] = ""
    text: Annotated[str, Field(max_length=LONGEST_TEXT)] = ""


class LabelRequest(BaseModel):
    """Whether the article of a URL is on the topic: `y`, `n`, or `remove` to take the label back."""

    url: Annotated[str, Field(max_length=2000)]
    verdict: Literal["y", "n", "remove"]


@router.get("/topics")
def topics(request: Request) -> Response:
    """All topics, that of the crawl first."""
    rows = [profile_of(source) for source in topic_profiles(request.app.state.settings).values()]
    with open_view(request) as view:
        undecided = {topic.name: len(borderline_articles(view.conn, topic.name, MOST_BORDERLINE + 1)) for topic in rows}
        return view.page("topics.html", topics=rows, undecided=undecided, most=MOST_BORDERLINE)


@router.get("/topics/{name}", dependencies=[Depends(limit_costly)])
def topic_page(request: Request, name: str) -> Response:
    """One topic."""
    return _page(request, name)


@router.post("/topics/{name}/test")
def test_text(request: Request, name: str, fields: Fields) -> Response:
    """How a title and a text are judged, with every contribution; nothing is stored."""
    limit_costly(request)
    title, text = fields.get("title", "")[:1000].strip(), fields.get("text", "")[:LONGEST_TEXT]
    relevance, least = judged(request, name, title, text)
    return _page(request, name, title=title, text=text, relevance=relevance, least=least)


def judged(request: Request, name: str, title: str, text: str) -> tuple[Relevance, float]:
    """How a text is judged by a topic, and the least score that it needs."""
    topic, model = topic_of(request, name), _model_of(request)
    document = Document(title=title, text=text)
    relevance = judge(topic, document, model)
    return relevance, threshold_of(topic, document, Model(relevance.model))


def _model_of(request: Request) -> str | None:
    """The model that the crawl uses for every topic; ``None``: each topic's own."""
    return request.app.state.settings.get("RELEVANCE_MODEL") or None


def _page(
    request: Request,
    name: str,
    *,
    title: str = "",
    text: str = "",
    relevance: Relevance | None = None,
    least: float = 0.0,
) -> Response:
    topic, model = topic_of(request, name), _model_of(request)
    categories: defaultdict[str, list[Term]] = defaultdict(list)
    for term in sorted(topic.terms, key=lambda term: -term.weight):
        categories[term.category].append(term)
    thresholds = [
        threshold_of(topic, Document(title="x", text=text), Model(model or topic.model)) for text in ("x", "")
    ]
    with open_view(request) as view:
        values: dict[str, Any] = {"title": title, "text": text, "relevance": relevance, "least": least}
        return view.page(
            "topic.html",
            topic=topic,
            is_own=topic_profiles(request.app.state.settings)[name] not in topic_names(),
            categories=categories,
            threshold=thresholds[0],
            headline_threshold=thresholds[1],
            **values,
            held=borderline_articles(view.conn, topic.name, MOST_BORDERLINE),
            measured=request.app.state.measurements.of(view.conn, topic, model),
        )


class Measurements:
    """How good each topic is, measured again when it or its labels have changed; one at a time, for it takes long."""

    def __init__(self) -> None:
        self._of: dict[str, tuple[TopicProfile, object, Measured]] = {}
        self._lock = Lock()

    def of(self, conn: Connection, topic: TopicProfile, model: str | None) -> Measured:
        """The figures of this topic by this model."""
        with self._lock:
            state = model, newest_label(conn, topic.name)
            entry = self._of.get(topic.name)
            if entry is None or entry[0] is not topic or entry[1] != state:
                entry = self._of[topic.name] = topic, state, _measured(conn, topic, model)
            return entry[2]


def _measured(conn: Connection, topic: TopicProfile, model: str | None) -> Measured:
    texts = labelled_texts(labelled_articles(conn, topic.name, MOST_MEASURED))
    truth = [text.relevant for text in texts]
    counts = sum(truth), len(truth) - sum(truth)
    if min(counts) < FEWEST_MEASURED:
        return Measured(*counts, {}, [])
    return Measured(*counts, *measured_on(topic, texts, model))


@api.get("/topics", summary="Topics")
def every(request: Request) -> dict[str, Any]:
    """What each is made of, in figures; that of the crawl first."""
    return {
        "topics": [
            profile_summary(profile_of(source)) for source in topic_profiles(request.app.state.settings).values()
        ]
    }


@api.get("/topics/{name}", summary="One topic", dependencies=[Depends(limit_costly)])
def one(request: Request, name: str) -> dict[str, Any]:
    """Its figures and terms, the borderline articles that wait for a decision, and its precision and recall on the
    labelled articles of the store, by threshold."""
    topic, model = topic_of(request, name), _model_of(request)
    with open_view(request) as view:
        undecided = [
            {"url": pair.article.url, "title": pair.article.title, "score": pair.article.score}
            for pair in borderline_articles(view.conn, topic.name, MOST_BORDERLINE)
        ]
        measured = request.app.state.measurements.of(view.conn, topic, model)._asdict()
    fields = ("name", "category", "weight", "synonyms")
    terms = [{name: getattr(term, name) for name in fields} for term in topic.terms]
    return profile_summary(topic) | {"term_list": terms, "borderline": undecided, "measured": measured}


@api.post("/topics/{name}/score", summary="Judge a text", dependencies=[Depends(limit_costly)])
def score(request: Request, name: str, body: TextToJudge) -> dict[str, Any]:
    """As of `scrapy score`, with the least score that the text needs; nothing is stored."""
    relevance, least = judged(request, name, body.title.strip(), body.text)
    return score_record(relevance) | {"threshold": least}


@api.post("/topics/{name}/labels", summary="Label an article", dependencies=[Depends(require_editor)])
def label(request: Request, name: str, body: LabelRequest) -> dict[str, str]:
    """As `scrapy topics label`: a held article is stored or dropped. Takes the scope `edit`."""
    labelled_as(request, name, body.url, body.verdict)
    return {"url": body.url, "verdict": body.verdict}
