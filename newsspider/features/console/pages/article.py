"""An article to read, and beside it why it is here, who had it first, and what it said before."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import Response

from newsspider.analysis.events import of_article
from newsspider.core.duplicates.first_source import Step, shown_moment
from newsspider.core.model import Region
from newsspider.core.query.highlights import places_of
from newsspider.core.text.numbers import whole_number
from newsspider.core.url import url_key
from newsspider.features.console.display import Changes, marked
from newsspider.features.console.pages.labelling import sources, title_of
from newsspider.features.console.view import opened
from newsspider.store.articles import labels, revisions
from newsspider.store.articles.export import article_of
from newsspider.store.articles.reprints_report import of_url
from newsspider.store.articles.snapshots import has_pages
from newsspider.store.exploring.crawls import keys_of
from newsspider.store.ledger.history import histories_of
from newsspider.store.ledger.stored_links import links_from

MOST_TERMS = 12
MOST_LINKS = 200
MOST_STEPS = 12  # of the chain of reprints

router = APIRouter()


@router.get("/articles/{number}")
def article(request: Request, number: str) -> Response:
    """The article with this id."""
    with opened(request) as view:
        article_id = whole_number(number)
        record = None if article_id is None else article_of(view.conn, article_id)
        if record is None:
            raise HTTPException(404, f"no article has the id {number}")
        keys = keys_of(view.conn, record["url"])
        history = next(iter(histories_of(view.conn, record["url"])), None)
        group = of_url(view.conn, record["url"])
        terms = record["terms"][:MOST_TERMS]
        steps = group.steps if group is not None else ()
        event, links = of_article(view.conn, record["id"]), links_from(view.conn, keys, MOST_LINKS)
        return view.page(
            "article.html",
            record=record,
            terms=terms,
            paragraphs=[marked(line, places_of(line, terms)) for line in record["text"].split("\n") if line.strip()],
            replies=[[line for line in reply.split("\n") if line.strip()] for reply in record["comments"]],
            steps=steps[:MOST_STEPS],
            more_steps=max(len(steps) - MOST_STEPS, 0),
            time_of=_time_of,
            likeness=group.likeness if group is not None else {},
            sites={step.copy.url: step.copy.site for step in steps},
            history=history,
            links_in_text=[link for link in links if link.region == Region.BODY],
            other_links=[link for link in links if link.region != Region.BODY],
            has_snapshot=has_pages(view.conn, record["url"]),
            verdict=labels.of_article(view.conn, record["topic"], record["id"]),
            topics=sources(request.app.state.settings),
            topic_title=title_of(request.app.state.settings, record["topic"]),
            event=event if event is not None and len(event.pages) > 1 else None,
            revisions=list(reversed(revisions.of_url(view.conn, url_key(record["url"])))),
            changed=Changes().of,
        )


def _time_of(step: Step) -> float:
    return shown_moment(step.copy)
