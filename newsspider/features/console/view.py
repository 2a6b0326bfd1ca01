"""What a page of the console works with: one state of the store, the present moment, the language, the templates."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from pydantic import BeforeValidator
from sqlalchemy import Connection

from newsspider.core.query.query_language import conjunction, quoted_phrase, value_test
from newsspider.core.url import canonical
from newsspider.features.console import access, display
from newsspider.features.console.access import TOKEN_FIELD, bearer_of, cookie_of, form_token, set_cookie
from newsspider.features.console.accounts import Role
from newsspider.features.console.translation import LANGUAGES, localise_message, name_of, translate_text
from newsspider.hooks import folders, plugins
from newsspider.store import workers
from newsspider.store.engine.database import reading

COOKIE = "language"
YEAR_SECONDS = 365 * 86_400
WITHOUT_SCHEME = re.compile(r"(?:localhost|[\w-]+(?:\.[\w-]+)+\.?)(?::\d+)?(?:[/?#].*)?")  # a name may be Chinese

COLLECTIONS = "/collections"
UNSAID = BeforeValidator(lambda text: text or None)  # of a field that a form may leave empty
TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=StrictUndefined,
)
TEMPLATES.filters |= {"broken": display.breakable_title}
TEMPLATES.globals |= {"bars": display.bars, "sparkline": display.sparkline}
TEMPLATES.globals["precision_recall"] = display.precision_recall
TEMPLATES.globals |= {"conjunction": conjunction, "value_test": value_test, "phrase": quoted_phrase}


def take_up_plugins(app: FastAPI) -> None:
    """Let pages use the templates of plug-ins, which replace none of the console's own, and the console have their
    pages, parts and links; not at import, for plug-ins import this module."""
    places = [str(place) for place in (Path(__file__).parent / "templates", *folders("templates"))]
    if not isinstance(TEMPLATES.loader, FileSystemLoader) or TEMPLATES.loader.searchpath != places:
        TEMPLATES.loader = FileSystemLoader(places)  # all templates are compiled again
    app.state.navigation = [
        [("/", "今日"), ("/search", "检索"), (COLLECTIONS, "文集")],
        [("/sites", "站点"), ("/crawl", "采集"), ("/url", "经过"), ("/submit", "提交"), ("/settings", "设置")],
    ]
    plugins().hook.routes(app=app)


def add_link(app: FastAPI, path: str, name: str, behind: str = COLLECTIONS) -> None:
    """Have the head of every page show a link of this path and Chinese name, behind that of another path."""
    for row in app.state.navigation:
        if place := next((number for number, (other, _) in enumerate(row, 1) if other == behind), 0):
            row.insert(place, (path, name))


def add_page(app: FastAPI, path: str, name: str, show: Callable[[View], Response]) -> None:
    """Add a page of this path to the console, with a link of this Chinese name; ``show`` returns it, mostly by
    :meth:`Visitor.page`."""

    def page(request: Request) -> Response:
        with open_view(request) as view:
            return show(view)

    app.add_api_route(path, page, include_in_schema=False, dependencies=[Depends(access.require_login)])
    add_link(app, path, name)


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who asks for a page, when, and in which language: all that a page without the store needs."""

    request: Request
    now: datetime
    language: str

    def page(self, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
        """The template as an answer, with these values."""
        text = self.part(template, **values)
        answer = HTMLResponse(text, status_code=status)
        answer.headers["Cache-Control"] = "no-store"
        answer.headers["Vary"] = "Cookie"
        if self.request.query_params.get("lang") == self.language:
            path = self.request.scope.get("root_path", "") or "/"
            answer.set_cookie(COOKIE, self.language, max_age=YEAR_SECONDS, path=path, httponly=True, samesite="lax")
        if TOKEN_FIELD in text and access.COOKIE not in self.request.cookies:
            set_cookie(self.request, answer, cookie_of(self.request))
        return answer

    def part(self, template: str, **values: Any) -> Markup:
        """The text of the template with these values."""
        text = TEMPLATES.get_template(template).render(
            **values,
            t=partial(translate_text, language=self.language),
            name_of=partial(name_of, language=self.language),
            moment=partial(display.moment, now=self.now, language=self.language),
            say=partial(localise_message, language=self.language),
            ground=partial(display.ground, language=self.language),
            link=self.link,
            language=self.language,
            other_language=next(code for code in LANGUAGES if code != self.language),
            languages=LANGUAGES,
            here=self.request.url.path.removeprefix(self.request.scope.get("root_path", "")),
            question=next(iter(self.request.query_params.getlist("q")), ""),  # attention has several
            query_string=self.request.url.query,
            now=self.now,
            with_language=self._with_language,
            bearer=bearer_of(self.request),
            may=self.may,
            navigation=self.request.app.state.navigation,
            crawl_runs=getattr(self, "crawl_runs", None),  # only a view of the store knows
            parts=getattr(self, "parts", None),
            token_field=self._token_field,
        )
        return Markup(text)

    def anchor(self, path: str, text: str, **query: Any) -> Markup:
        """A link to a page of the console with this Chinese text."""
        return Markup('<a href="{}">{}</a>').format(self.link(path, **query), translate_text(text, self.language))

    def may(self, role: str) -> bool:
        """Whether the reader may do what takes this role."""
        bearer = bearer_of(self.request)
        return bearer is not None and bearer.role.rank >= Role(role).rank

    def _token_field(self) -> Markup:
        """What makes a form ours."""
        field = Markup('<input type="hidden" name="{}" value="{}">')
        return field.format(TOKEN_FIELD, form_token(cookie_of(self.request)))

    def link(self, path: str, **query: Any) -> str:
        """The address of a page of the console; parameters that are empty are left out."""
        parameters = {name: value for name, value in query.items() if value not in (None, "")}
        return f"{self.request.scope.get('root_path', '')}{path}" + (f"?{urlencode(parameters)}" if parameters else "")

    def _with_language(self, language: str) -> str:
        """This page in a language; empty for the answer to a form, which cannot be asked for again."""
        if self.request.method not in access.SAFE:
            return ""
        query = dict(self.request.query_params) | {"lang": language}
        return "?" + urlencode(query)

    def back(self) -> str:
        """The page of the console that led to this one; empty if none did."""
        host, _, path = self.request.headers.get("referer", "").partition("://")[2].partition("/")
        return f"/{path}" if host == self.request.url.netloc and not path.startswith(("/", "\\")) else ""


@dataclass(frozen=True, slots=True)
class View(Visitor):
    """One request of a reader, on one state of the store."""

    conn: Connection

    def crawl_runs(self) -> bool:
        """Whether a crawl runs, or did a moment ago."""
        return bool(workers.names(self.conn))

    def parts(self, place: str, **shown: Any) -> Markup:
        """What plug-ins add at a place of the page."""
        return Markup().join(reversed(plugins().hook.page_part(view=self, place=place, shown=shown)))


def typed_url(text: str) -> str | None:
    """The canonical URL of what somebody typed, who may leave out ``http://``; ``None`` if it is none.

    >>> typed_url(" example.com/a "), typed_url("https://example.com/"), typed_url("高考 改革"), typed_url("ftp://a.cn/")
    ('http://example.com/a', 'https://example.com/', None, None)
    >>> typed_url("例子.com") == typed_url("http://例子.com/")
    True
    """
    text = text.strip()
    return canonical(f"http://{text}" if WITHOUT_SCHEME.fullmatch(text) else text)


def required_url(text: str) -> str:
    """As :func:`typed_url`; status 400 if it is no URL."""
    url = typed_url(text)
    if url is None:
        raise HTTPException(400, f"{text.strip()[:200]!r} is not an http or https URL")
    return url


def form_sentence(message: str) -> str:
    """The message of a command about an option, as one about a field of a form.

    >>> form_sentence("--source is empty: say a site, or all")
    'source is empty: say a site, or all'
    """
    return re.sub(r"(?<![\w-])--(?=[a-z])", "", message)


@contextmanager
def open_view(request: Request) -> Iterator[View]:
    """The view of a request, on one state of the store, which keeps no crawl waiting."""
    state = request.app.state
    with reading(state.engine) as conn:
        yield View(request, state.clock.utc(), _language_of(request), conn)


def refusal_of(request: Request, status: int, reason: str, headers: Mapping[str, str] | None = None) -> Response:
    """What went wrong: for a program as JSON; for a person as a page that leads back and reads no store."""
    if access.is_program(request):
        return JSONResponse({"detail": reason}, status_code=status, headers=dict(headers or {}))
    reader = Visitor(request, request.app.state.clock.utc(), _language_of(request))
    answer = reader.page("error.html", status=status, code=status, reason=reason, back=reader.back())
    answer.headers.update(headers or {})
    return answer


def _language_of(request: Request) -> str:
    for code in (request.query_params.get("lang"), request.cookies.get(COOKIE)):
        if code in LANGUAGES:
            return code
    return next(iter(LANGUAGES))


def redirect_to(request: Request, path: str) -> RedirectResponse:
    """An answer that leads the browser to this path of the console."""
    return RedirectResponse(request.scope.get("root_path", "") + path, 303)
