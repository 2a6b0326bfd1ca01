"""Attention in the console and its API: a chart, the same as a table, and the events of its peaks."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, HTTPException, Query, Request
from fastapi.responses import JSONResponse, Response
from markupsafe import Markup

from newsspider.core.query.parser import RuleError
from newsspider.features.attention.attention_arguments import queries_of, span_asked
from newsspider.features.attention.attention_lines import HEADS, table_rows, table_text
from newsspider.features.attention.charts import draw_chart, legend_swatch
from newsspider.features.attention.counting import MOST_QUERIES, Attention, Split, count_attention
from newsspider.features.attention.name_report import about_name
from newsspider.features.attention.rules.names_in_texts import is_named, kind_of, names_in
from newsspider.features.attention.rules.periods import PeriodLength, Span
from newsspider.features.attention.word_use import WordUse, word_use
from newsspider.features.console.api.routing import api_router
from newsspider.features.console.rate_limits import limit_costly
from newsspider.features.console.translation import translate_text
from newsspider.features.console.view import UNSAID, View, open_view
from newsspider.store.articles.article_records import articles_of

LONGEST_NAME = 40  # characters
MOST_CRITICAL = 50  # articles that criticise, the newest, which are listed

router = APIRouter()
api = api_router()

Typed = Annotated[
    list[str], Query(max_length=3 * MOST_QUERIES, description="a query, as of `scrapy search`; repeatable")
]
Queries = Annotated[list[str], Query()]
Day = Annotated[date | None, UNSAID]


def costly_each(request: Request) -> None:
    """As :func:`limit_costly`, once for each query."""
    queries = {text.strip() for text in request.query_params.getlist("q")} - {""}
    for _ in range(min(len(queries), MOST_QUERIES) or 1):
        limit_costly(request)


@router.get("/attention", dependencies=[Depends(costly_each)])
def show_attention(
    request: Request,
    q: Queries = [],  # noqa: B006
    by: Annotated[PeriodLength | None, UNSAID] = None,
    split: Annotated[Split | None, UNSAID] = None,
    since: Day = None,
    until: Day = None,
    normalised: str = "",
    compare: str = "",
) -> Response:
    """The chart of the queries that the form asks for; without one, the form."""
    step = by or PeriodLength.DAY
    with open_view(request) as view:
        counted = _counted(view, q, step, split, since, until)
        typed = list(dict.fromkeys(series.query for series in counted.series)) or q
        asked = {"q": typed, "by": step, "split": split or "", "since": since or "", "until": until or ""}
        asked |= {"normalised": "1" if normalised else ""}
        label = "、".join(series.name for series in counted.series)
        picture = draw_chart(counted, label, normalised=bool(normalised)) if counted.series else ""
        critical = [number for series in counted.series for number in series.ids][:MOST_CRITICAL]
        records = {record["id"]: record for record in articles_of(view.conn, critical)}
        use = _words(view, typed, counted.span) if compare and len(typed) == 2 else None
        return view.page(
            "attention.html",
            counted=counted,
            typed=typed[:MOST_QUERIES],
            most=MOST_QUERIES,
            by=step,
            steps=list(PeriodLength),
            split=split,
            splits=list(Split),
            normalised=normalised,
            since=since,
            until=until,
            swatch=legend_swatch,
            address=urlencode({name: value for name, value in asked.items() if value}, doseq=True),
            pictured=urlencode({name: asked[name] for name in ("q", "since", "until") if asked[name]}, doseq=True),
            shares=[counted.shares(series) for series in counted.series],
            picture=picture,
            use=use,
            critical=[records[number] for number in critical],
        )


@router.get("/about", dependencies=[Depends(limit_costly)])
def show_about(request: Request, name: str = "") -> Response:
    """All that was written about a school, an office or a person."""
    name = " ".join(name.split())[:LONGEST_NAME].strip('"“”')
    with open_view(request) as view:
        about = about_name(view.conn, name, view.now) if name else None
        picture = draw_chart(about.attention, name, normalised=False) if about else ""
        kind = kind_of(name) if is_named(name) else None
        return view.page("about.html", name=name, kind=kind, about=about, picture=picture)


def search_part(view: View, question: str) -> Markup:
    """The link from a search to its attention, and to the page of the name that it asks for."""
    links = [view.anchor("/attention", "看关注度", q=question)]
    if is_named(question):
        name = question.strip().strip('"“”')
        text = translate_text("关于 {name}", view.language).format(name=name)
        links.append(view.anchor("/about", text, name=name))
    return Markup(" ").join(links)


def article_part(view: View, title: str, text: str) -> Markup | None:
    """The names that an article has, each with its page."""
    names = names_in(title, text)
    return view.part("article_names.html", names=names) if names else None


@api.get("/attention", summary="Attention over time", dependencies=[Depends(costly_each)])
def attention_of(
    request: Request,
    q: Typed,
    by: PeriodLength = PeriodLength.DAY,
    split: Annotated[Split | None, Query(description="count one query apart by this")] = None,
    since: Annotated[date | None, Query(description="in China; default: 30 days, 26 weeks or 12 months")] = None,
    until: Annotated[date | None, Query(description="in China, to its end; default: today")] = None,
    normalised: Annotated[bool, Query(description="the picture shows shares in all articles")] = False,
    form: Annotated[Literal["json", "csv", "svg"], Query(description="`svg`: a picture")] = "json",
) -> Response:
    """As of `scrapy attention --json`: how many `articles` and `stories` (reprints once) up to five queries find in
    each of the `periods`, their `shares` in `all` articles, and the `peaks` with the event that made them. Where not all
    were counted, `counted_since` is the day from which on they were. By `tendency`, `ids` has those that criticise."""
    with open_view(request) as view:
        counted = _counted(view, q, by, split, since, until)
    if form == "csv":
        return file_of(table_text([HEADS, *table_rows(counted)]), "text/csv; charset=utf-8", "attention.csv")
    if form == "svg":
        label = ", ".join(series.name for series in counted.series)
        return file_of(draw_chart(counted, label, normalised=normalised, named=True), "image/svg+xml", "attention.svg")
    return JSONResponse(counted.record())


@api.get("/attention/words", summary="Words that two queries use differently", dependencies=[Depends(costly_each)])
def words(
    request: Request,
    q: Typed,
    by: PeriodLength = PeriodLength.DAY,
    since: Annotated[date | None, Query(description="in China; default: 30 days, 26 weeks or 12 months")] = None,
    until: Annotated[date | None, Query(description="in China, to its end; default: today")] = None,
) -> dict[str, Any]:
    """As of `scrapy attention --compare`: the words of titles and leads that the `first` of two queries finds more, and
    those of the `second`; `z` is the difference of their log-odds in standard deviations, beside the stories of each
    that have the word. Name two times or groups of sources in the queries: `双减 media:central`, `双减 media:local`."""
    with open_view(request) as view:
        try:
            span = span_asked(view.conn, since, until, by, view.now)
        except ValueError as error:
            raise HTTPException(400, str(error)) from None
        return _words(view, q, span).record()


def _words(view: View, typed: list[str], span: Span) -> WordUse:
    queries = list(queries_of(typed[:MOST_QUERIES], None, view.now).values())
    if len(queries) != 2:
        raise HTTPException(400, "words are compared of two queries")
    first, second = queries
    return word_use(view.conn, first, second, span)


def _counted(
    view: View, typed: list[str], step: PeriodLength, split: Split | None, since: date | None, until: date | None
) -> Attention:
    try:
        queries = queries_of(typed, split, view.now)
        span = span_asked(view.conn, since, until, step, view.now)
    except RuleError:  # which has an answer of its own
        raise
    except ValueError as error:
        raise HTTPException(400, str(error)) from None
    return count_attention(view.conn, queries, span, split)


def file_of(text: str, kind: str, name: str) -> Response:
    """An answer that the browser saves as a file."""
    return Response(text, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})
