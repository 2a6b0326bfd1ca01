"""The hooks of newsspider: where its features, and plug-ins of other packages, take part.

A plug-in is a module with functions of these names, each marked with :data:`hookimpl`. The features that ``FEATURES``
names are such modules under ``newsspider.features``; a package of its own names its module in the entry point group
``newsspider``. A hook that a plug-in does not have is skipped; a marked function with any other name is an error.
Beside its hooks, a plug-in that is a package may have the folders ``commands`` (a module a command, with a class
``Command``, as in ``newsspider/commands``), ``templates`` (Jinja templates of pages, which extend ``base.html`` of the
console) and ``texts`` (tables of the texts of its pages, as in ``newsspider/features/console/texts``); and a module
``settings``, whose settings have defaults, types and comments as in ``newsspider/settings.py``.

Arguments may be left out. The import of a submodule replaces a function of the same name in its package: give
the function another name and mark it with ``@hookimpl(specname="tables")``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, NamedTuple

import pluggy

if TYPE_CHECKING:
    from fastapi import FastAPI
    from markupsafe import Markup
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings, Settings
    from sqlalchemy import Connection, Engine, Table

    from newsspider.cli.command_group import CommandGroup
    from newsspider.cli.doctor_checks import CheckFinding
    from newsspider.core.crawling.visit import Saved
    from newsspider.frontier.sql_frontier import SqlFrontier
    from newsspider.sites.holidays import Holidays
    from newsspider.spiders.leased_components import LeaseScheduler
    from newsspider.store.articles.article_filters import Filters
    from newsspider.store.engine.writer import Writer
    from newsspider.store.pages import PageStep

PROJECT = "newsspider"  # the entry point group, too
FEATURES_SETTING = "FEATURES"
FEATURES: Mapping[str, tuple[str, ...]] = {  # those of newsspider itself, each with the features that it builds on
    "alerts": ("console", "events", "health"),
    "archive": (),
    "attention": ("events",),
    "briefing": ("alerts", "attention", "events", "health"),
    "console": ("health",),
    "events": (),
    "explore": (),
    "fleet": (),
    "health": (),
    "llm": ("console", "events"),
    "mcp": ("console", "events"),
    "schedule": (),
    "workbench": ("console",),
}


class Derived(NamedTuple):
    """What a plug-in derives from the articles: what that is called; the kind of its batch job, whose arguments are the
    version of its rules; whether a store has it by the present rules; and what empties it, to begin again with the
    first article."""

    name: str
    job: str
    version: int
    is_current: Callable[[Connection], bool]
    start_again: Callable[[Connection, float], None]


class ListHealth(NamedTuple):
    """How many lists of the watched sites are in each state of health, and what people are told of: site and state."""

    counts: Mapping[str, int]
    alarms: Sequence[tuple[str, str]]


class BarrenSource(NamedTuple):
    """A source that never brought anything: its site, the state of its lists in a word, the evidence."""

    site: str
    state: str
    evidence: str


class EventSummary(NamedTuple):
    """An event in short: the path of its page, its title, which articles tell of it, on how many pages of how many
    sites; which source had it first, and when."""

    path: str
    title: str
    articles: frozenset[int]
    pages: int
    sites: int
    source: str
    at: float


class Passage(NamedTuple):
    """A title or a sentence of an article, as a briefing or an event shows it."""

    article: int
    text: str


class WrittenText(NamedTuple):
    """What a model made of passages: a title, empty for none, and sentences, each of the article on which it rests.
    Each text says itself that a model wrote it."""

    title: str
    sentences: Sequence[Passage]

    def left_of(self, article: int) -> bool:
        """Whether the passages of an article stay as they are, because no sentence rests on it."""
        return all(sentence.article != article for sentence in self.sentences)


class Wording(NamedTuple):
    """What a model made of each of several subjects, and in a Chinese sentence how much of it was kept."""

    subjects: Sequence[WrittenText]
    report: str


class MessageContent(NamedTuple):
    """What people read of a message: of mail the ``html``, the same as ``text``, and the ``files`` (name, type and
    bytes of each); elsewhere as many paragraphs of the ``markdown`` as the service takes, and then the ``link`` to all
    of it. Without a link all paragraphs are sent, in several messages if need be."""

    title: str
    link: str
    markdown: str
    text: str = ""
    html: str = ""
    files: Sequence[tuple[str, str, bytes]] = ()


class PluginError(Exception):
    """A plug-in does not fit the hooks; the text is one sentence for people."""


hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def tables() -> Sequence[Table]:
    """The tables of the plug-in, made with the functions of ``newsspider.store.tables.columns``. A store that lacks one
    gets it when it is opened; a plug-in changes its own tables itself later on."""


@hookspec
def effects() -> Sequence[PageStep]:
    """The steps that save effects of pages: values of own types that a reader adds to the result of a page."""


@hookspec
def spiders() -> str:
    """The dotted name of a package with spiders, which ``scrapy crawl`` finds."""


@hookspec
def page_steps(conn: Connection, pages: Sequence[Saved]) -> None:
    """Save more of these pages, in their transaction and after all that the base saves of them: rows that a plug-in
    locks are locked last."""


@hookspec
def articles_changed(conn: Connection, changed: Sequence[int], seen_again: Sequence[int], now: float) -> None:
    """Articles are new or were ``changed``, or one more page shows them (``seen_again``); in the same transaction. Not
    called for what ``scrapy reread`` rewrites, nor for articles that come back from an archive: they are no news."""


@hookspec
def articles_dropped(conn: Connection, successors: Mapping[int, int | None]) -> None:
    """These articles are about to be deleted, each with the article that it is merged into, or ``None``."""


@hookspec
def derived() -> Derived:
    """What the plug-in derives from all articles; it is built again when its rules have another version."""


@hookspec
def url_forgotten(conn: Connection, url: str) -> None:
    """``scrapy forget`` removes a URL, and with it what people said of it."""


@hookspec
def channels_dropped(conn: Connection, site: str, names: Sequence[str]) -> None:
    """These channels of a site are about to be deleted."""


@hookspec(firstresult=True)
def list_health(conn: Connection, holidays: Holidays, now: float) -> ListHealth | None:
    """The health of the lists at this moment, which ``scrapy status`` and the metrics show."""


@hookspec(firstresult=True)
def barren_sources(conn: Connection, sites: Set[str], now: float) -> Sequence[BarrenSource] | None:
    """Which of these sites never brought anything, by name, and why: a crawl says so after its round."""


@hookspec(firstresult=True)
def hub_scores(conn: Connection) -> Mapping[tuple[str, str], float] | None:
    """How good a hub each list is, by the names of site and channel: new articles on the better half of the lists go
    first within their weight."""


@hookspec
def url_facts(conn: Connection, key: int) -> Iterable[tuple[str, str]]:
    """What ``scrapy explain`` says of the URL with this key: lines, each with a word in front."""


@hookspec(firstresult=True)
def frontier(settings: BaseSettings, writer: Writer, worker: str, clock: Callable[[], float]) -> SqlFrontier | None:
    """The frontier of a worker, if the plug-in has one for these settings."""


@hookspec(firstresult=True)
def scheduler(crawler: Crawler) -> LeaseScheduler | None:
    """The scheduler that goes with it."""


@hookspec
def checks(settings: Settings, now: float) -> Iterable[CheckFinding]:
    """What ``scrapy doctor`` finds out beside its own checks."""


@hookspec
def account_removed(conn: Connection, name: str) -> None:
    """An account of the console is about to be deleted."""


@hookspec
def actions(group: CommandGroup) -> None:
    """Add sub-commands to a command that has some, as ``scrapy store`` (its ``name`` is ``store``)."""


@hookspec
def routes(app: FastAPI) -> None:
    """Add pages and routes to the console, by ``add_page`` and ``add_link`` of ``newsspider.features.console.view``, or
    as FastAPI does; called once, when it is put together."""


@hookspec
def page_part(view: Any, place: str, shown: Mapping[str, Any]) -> Markup | None:
    """What the plug-in adds to a page of the console (``view`` is that of ``add_page``), at a place that the page's
    template names by ``parts``, where these values are shown: the side of the ``front`` page and of an ``article``; the
    line above the hits of a ``search``, an ``event`` and a ``briefing``; what to do about a page that was found
    ``off_topic``; the form of a ``new_briefing``; the side of an event (``beside_event``)."""


@hookspec(firstresult=True)
def largest_events(conn: Connection, filters: Filters, limit: int) -> Sequence[EventSummary]:
    """The events that most of these articles tell of, the largest first; the first of them may lead the front page."""


@hookspec(firstresult=True)
def events_of(conn: Connection, articles: Sequence[int]) -> Mapping[int, int]:
    """The number of the event of each of these articles that has one."""


@hookspec(firstresult=True)
def worded(engine: Engine, settings: BaseSettings, subjects: Sequence[Sequence[Passage]], now: float) -> Wording | None:
    """Shorter sentences, and a title, for each of these subjects, whose first passage is its title; called
    with no transaction open, and only if somebody asked for it. ``None``: no model is set up."""


@hookspec
def background(engine: Engine, settings: BaseSettings) -> Mapping[str, Callable[[Event], None]]:
    """What runs beside the console, in its second process: a function for each name of a thread, called with the event
    that ends it."""


@hookspec
def followed_queries(conn: Connection, account: str | None) -> Mapping[str, str]:
    """Queries that an account follows, each with a name; its feed readers may take them over. ``None``: all."""


@hookspec
def hubs(conn: Connection, query: str, now: float) -> Sequence[str]:
    """The WebSub hubs that hear of new articles of this query."""


@hookspec
def put_messages(engine: Engine, console: str, holidays: Holidays, now: float) -> None:
    """Put the messages of the plug-in that are due into the outbox of the alerts, by ``put_message``. Called every
    second by each process that delivers; ``console`` is the address that links lead to."""


@hookspec(firstresult=True)
def message_content(engine: Engine, message: Mapping[str, Any], is_mail: bool) -> MessageContent | None:
    """How a message that the plug-in has put there reads, the same in each try; without the parts for mail unless they
    are wanted. An exception is noted as the reason why the message could not be sent."""


class SwitchedOff:
    """A feature that ``FEATURES`` does not name. What people did with it stays right in a store that has its tables:
    its rows follow articles that are merged or deleted, and URLs, channels and accounts that are removed."""

    def __init__(self, name: str) -> None:
        self._module = f"newsspider.features.{name}"

    @hookimpl
    def articles_dropped(self, conn: Connection, successors: Mapping[int, int | None]) -> None:
        self._pass_on(conn, "articles_dropped", successors=successors)

    @hookimpl
    def url_forgotten(self, conn: Connection, url: str) -> None:
        self._pass_on(conn, "url_forgotten", url=url)

    @hookimpl
    def channels_dropped(self, conn: Connection, site: str, names: Sequence[str]) -> None:
        self._pass_on(conn, "channels_dropped", site=site, names=names)

    @hookimpl
    def account_removed(self, conn: Connection, name: str) -> None:
        self._pass_on(conn, "account_removed", name=name)

    def _pass_on(self, conn: Connection, hook: str, **arguments: Any) -> None:
        feature = import_module(self._module)
        implementation = getattr(feature, hook, None)
        if implementation and all(conn.dialect.has_table(conn, table.name) for table in feature._tables()):
            implementation(conn, **arguments)


def folders(name: str) -> list[Path]:
    """The paths of the folders of this name of all plug-ins, in the order of their registration: those of features come
    first. A plug-in may lack the folder; in an egg the path leads into a zip file."""
    packages = (getattr(plugin, "__path__", ()) for _, plugin in plugins().list_name_plugin())
    return [Path(path) / name for paths in packages for path in paths]


def add_settings(settings: dict[str, Any], features: Sequence[str]) -> None:
    """Add the defaults of these features and of plug-ins to those of a project, which may then change them. Of the
    settings that it has already, only those with components can be added to."""
    installed = [entry_point.module for entry_point in entry_points(group=PROJECT)]
    for package in [*(f"newsspider.features.{name}" for name in features if name in FEATURES), *installed]:
        try:
            module = _settings_of(package)
        except Exception:  # a plug-in that cannot be loaded; `plugins` says why
            continue
        for name, value in module.items():
            if not name.isupper() or name == "TYPE_CHECKING":
                continue
            if isinstance(settings.get(name), dict) and isinstance(value, dict):
                settings[name] = settings[name] | value
            settings.setdefault(name, value)
        settings["__annotations__"].update(module.get("__annotations__", {}))


def _settings_of(package: str) -> dict[str, Any]:
    """What the module ``settings`` of a feature or plug-in defines, if it has one."""
    has_modules = hasattr(import_module(package), "__path__")
    return vars(import_module(f"{package}.settings")) if has_modules and find_spec(f"{package}.settings") else {}


def check_command(name: str = "") -> None:
    """Raise :exc:`PluginError` for a command of a feature that is switched off."""
    for feature in FEATURES:
        file = Path(__file__).parent / "features" / feature / "commands" / f"{name}.py"
        if not plugins().has_plugin(feature) and file.is_file():
            raise PluginError(f"scrapy {name} is a command of the feature {feature}: name it in {FEATURES_SETTING}")


@cache
def plugins() -> pluggy.PluginManager:
    """The features that ``FEATURES`` of the project's settings names, and the plug-ins that are installed.

    Raises :exc:`PluginError` if one of them has an unknown hook, or a hook with unknown arguments.
    """
    from scrapy.utils.project import get_project_settings

    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(import_module(__name__))
    switched_on = set(get_project_settings().getlist(FEATURES_SETTING, list(FEATURES)))
    for name in FEATURES:  # the check of the settings refuses others
        if name in switched_on:
            manager.register(import_module(f"newsspider.features.{name}"), name)
        else:
            manager.register(SwitchedOff(name), f"{name}, switched off")
    for entry_point in entry_points(group=PROJECT):
        if entry_point.name in FEATURES:
            name, module = entry_point.name, entry_point.value
            raise PluginError(f"the plug-in {module} is called {name}, like a feature: rename it")
    try:
        manager.load_setuptools_entrypoints(PROJECT)
        manager.check_pending()
        for entry_point in entry_points(group=PROJECT):
            _settings_of(entry_point.module)  # a fault that `add_settings` passed over
    except pluggy.PluginValidationError as error:
        sentence = " ".join(str(error).split())
        raise PluginError(f"{sentence}; newsspider/hooks.py has all hooks with their arguments") from None
    except Exception as error:  # whatever the code of a plug-in raises when it is imported
        raise PluginError(f"a plug-in cannot be loaded: {error!r}") from error
    return manager
