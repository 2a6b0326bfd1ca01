"""The trial of a site by its URL, before it is added: finds its lists, reads the articles whose links are nearest to
the topic, and stores nothing.
The pages are asked for by the crawl's own downloader, with its address guard, robots.txt and delays, in a process of
its own."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field
from heapq import nlargest
from typing import Any

from scrapy.settings import BaseSettings
from scrapy.utils.project import get_project_settings

from newsspider.actions.page_fetcher import Fetch, fetch_pages
from newsspider.actions.topics import topic_named
from newsspider.core.extraction.dom.page import UnreadablePageError, parse
from newsspider.core.links.page_links import listing_of
from newsspider.core.links.script_lists import is_json
from newsspider.core.links.xml_stream import document_kind
from newsspider.core.relevance.scoring import Document, TopicProfile, score
from newsspider.core.url import is_home
from newsspider.features.console.child_process import (
    ChildError,
    arguments_of_parent,
    done_apart,
    own_settings,
    return_result,
)
from newsspider.library.articles import read_list, read_or_error
from newsspider.pages.read_page import content_type_of
from newsspider.pages.site_trial import NoPageError, SiteTrial
from newsspider.sites.model import ChannelKind, from_home

READ_ARTICLES = 5
MOST_LINKS = 40  # that are shown
READING_SECONDS = 120.0  # for everything
SHOWN_TEXT = 160  # characters of an article
TITLE_PARTS = re.compile(r"[-_|｜–—,，:：]+")
HOME = re.compile(r"^(?:网站)?[首主]页|(?:网站)?[首主]页$|^home ?page$|^home$", re.IGNORECASE)
LONGEST_SHOWN_NAME, LONGEST_TITLE = 60, 2_000  # characters: of the field of the form; that are looked at


@dataclass(slots=True)
class SiteReading:
    """A page as it was understood; ``problem`` says why it was not."""

    url: str
    problem: str = ""
    charset: str = ""
    kind: str = ""
    links: list[tuple[str, str, bool]] = field(default_factory=list)  # of articles: URL, text, whether it is on topic
    found: int = 0  # how many there are
    relevant: int = 0  # how many of them have a text on topic
    lists: list[str] = field(default_factory=list)  # XPaths of where they stand
    articles: list[dict[str, Any]] = field(default_factory=list)  # the most relevant, read: fields as texts
    name: str = ""  # what the title of the page calls the site
    list_name: str = ""  # and the list, where the page is no home page
    list_kind: str = ""  # of the channel that it becomes; empty: that of a home page
    topic: str = ""  # to which the articles are judged to belong or not


def site_reading(url: str, settings: BaseSettings) -> SiteReading:
    """What the page at a URL shows, and the articles of the links whose texts are nearest to the topic; a crawl runs
    once a process, so it has one of its own."""
    try:
        return SiteReading(**done_apart(__name__, (url, own_settings(settings)), READING_SECONDS))
    except ChildError as problem:
        return SiteReading(url, str(problem))


def main() -> None:
    """In the process of its own: read what to try, write what was understood."""
    url, values = arguments_of_parent()
    reading = SiteReading(url)
    settings = get_project_settings()
    settings.setdict({**values, "LOG_ENABLED": False}, priority="cmdline")

    async def look(fetch: Fetch) -> None:
        try:
            await _read_page(reading, SiteTrial(from_home(url), fetch, settings), settings)
        except (NoPageError, UnreadablePageError) as problem:
            reading.problem = str(problem)

    fetch_pages(settings, look)
    return_result(asdict(reading))


async def _read_page(reading: SiteReading, trial: SiteTrial, settings: BaseSettings) -> None:
    response = await trial.page(reading.url)
    body, content_type, address = response.body, content_type_of(response), response.url
    document = document_kind(body, content_type)
    if document is not None or is_json(body):
        reading.kind = reading.list_kind = document or "json"
    else:
        page = parse(body, address, content_type, settings["DEFAULT_CHARSET"])
        names = title_parts((page.tree.findtext(".//title") or "")[:LONGEST_TITLE])
        reading.charset, reading.lists = page.charset, list(listing_of(page).layout.paths)
        reading.kind = str(read_or_error(body, address, content_type).get("kind", ""))
        if is_home(reading.url) or is_home(address):
            reading.name = names[0] if names else ""
        else:
            reading.list_kind, reading.list_name = ChannelKind.LIST, names[0] if names else ""
            reading.name = names[-1] if len(names) > 1 else ""
    links = read_list(body, address, content_type).articles
    topic, model = topic_named(settings.get("TOPIC") or "education"), settings.get("RELEVANCE_MODEL") or None
    judged = [(link, score(topic, Document(title=link.text, url=link.url), model)) for link in links]
    reading.topic, reading.found = topic.title or topic.name, len(links)
    reading.relevant = sum(relevance.relevant for _, relevance in judged)
    reading.links = [(link.url, link.text, relevance.relevant) for link, relevance in judged[:MOST_LINKS]]
    for link, _ in nlargest(READ_ARTICLES, judged, key=lambda pair: pair[1].score):
        reading.articles.append(await _read_article(trial, link.url, topic, model))


def title_parts(title: str) -> list[str]:
    """What the title of a page calls itself and what it is part of, the narrowest first; of a home page the site.

    >>> title_parts("江临晨报网"), title_parts("首页 - 育才大学_新闻中心"), title_parts("启明教育网首页")
    (['江临晨报网'], ['育才大学', '新闻中心'], ['启明教育网'])
    """
    parts = (HOME.sub("", part.strip()).strip() for part in TITLE_PARTS.split(" ".join(title.split())))
    return [part[:LONGEST_SHOWN_NAME] for part in parts if part]


async def _read_article(trial: SiteTrial, url: str, topic: TopicProfile, model: str | None) -> dict[str, Any]:
    try:
        response = await trial.page(url)
    except NoPageError as problem:
        return {"url": url, "problem": str(problem)}
    record: dict[str, Any] = dict(read_or_error(response.body, response.url, content_type_of(response)))
    if "error" in record:
        return {"url": url, "problem": record["error"]}
    texts = {name: str(record.get(name) or "") for name in ("title", "published_at", "source", "kind", "charset")}
    text = " ".join((record.get("text") or "").split())
    shown = text if len(text) <= SHOWN_TEXT else f"{text[:SHOWN_TEXT]}…"
    author = "、".join(record.get("author") or ())
    relevance = score(topic, Document(title=texts["title"], text=record.get("text") or "", url=url), model)
    judged = {"score": relevance.score, "relevant": relevance.relevant}
    return {"url": url, "problem": "", **texts, "author": author, "text": shown, **judged}
