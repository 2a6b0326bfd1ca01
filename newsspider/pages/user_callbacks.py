"""Replaces the result of the page readers by what the callbacks of a user's spider yield; the lease of the page, and
the effect of the visit on its host, stay as they are."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Sequence
from inspect import isawaitable
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter
from scrapy import Request
from scrapy.http import TextResponse
from scrapy.utils.misc import arg_to_iter

from newsspider.core.crawling.visit import Missed, Moved
from newsspider.core.links.followable import followed_links
from newsspider.core.model import CORRECTABLE_FIELDS, Layout, Link, LinkKind, PageType, Reason, StoredArticle
from newsspider.pages.list_page import shown_hash
from newsspider.pages.read_page import article_item

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from newsspider.core.crawling.visit import PageResult
    from newsspider.pages.link_offers import LinkOffers

PAGE = "page_result"  # meta key: what the readers read
PLACE = {"site", "channel", "media_class", "region"}  # fields that follow from the lease
LIST_CALLBACK, ARTICLE_CALLBACK = "parse_list", "parse_article"
_ARTICLE_REASONS = (Reason.STORED, Reason.NOT_AN_ARTICLE, Reason.MISSED)


def callback_for(page: PageResult) -> str:
    """The name of the callback for a page; empty if it has none."""
    lease, settlement = page.lease, page.settlement
    if settlement.status != 200 or page.effect(Moved) is not None or lease.kind is PageType.ROBOTS:
        return ""
    if lease.kind.polled:
        return LIST_CALLBACK if settlement.kind is PageType.LIST else ""
    read = settlement.reason in _ARTICLE_REASONS and settlement.kind not in (PageType.FEED, PageType.SITEMAP)
    return ARTICLE_CALLBACK if read and not lease.partial_article else ""


async def callback_results(output: Any) -> list[Any]:
    """The output of a callback, asynchronous or not, as a list."""
    if hasattr(output, "__aiter__"):
        return [result async for result in output]
    return list(arg_to_iter(await output if isawaitable(output) else output))


async def page_objects(crawler: Crawler, callback: Callable[..., Any], response: Response) -> dict[str, Any]:
    """The arguments that scrapy-poet gives a callback, such as page objects; none without its add-on."""
    poet = sys.modules.get("scrapy_poet")  # imported by the add-on
    middleware = crawler.get_downloader_middleware(poet.InjectionMiddleware) if poet else None
    if middleware is None or response.request is None:
        return {}
    request, injector = response.request.replace(callback=callback), middleware.injector
    plan = injector.build_plan(request)
    if any(getattr(kind, "__name__", "") == "HttpClient" for kind, _ in plan):
        raise ValueError("a page object asks for HttpClient; one lease is one request")
    kind = f"text/html; charset={response.encoding}" if isinstance(response, TextResponse) else ""  # by the bytes
    response = response.replace(headers={**response.headers, "Content-Type": kind}) if kind else response
    return dict(plan.final_kwargs(await injector.build_instances(request, response, plan)))


def put_links(page: PageResult, results: Sequence[Any], offers: LinkOffers) -> None:
    """The links of a list are those that were yielded as requests; one with ``parse_list`` as its callback is the next
    page."""
    if wrong := next((result for result in results if not isinstance(result, Request)), None):
        raise ValueError(f"parse_list yields requests, not {type(wrong).__name__}")
    page.links, page.offers = _sorted_out(page, results, offers)
    page.drop(Layout)
    page.settlement = dataclasses.replace(page.settlement, body_hash=shown_hash(followed_links(page.links)))


def put_article(
    page: PageResult, results: Sequence[Any], response: Response, offers: LinkOffers, settings: BaseSettings
) -> None:
    """The article of a page is the item that was yielded; requests are links to further articles."""
    items = [result for result in results if not isinstance(result, Request)]
    if len(items) > 1:
        raise ValueError(f"parse_article yields one article a page, not {len(items)}")
    _, page.offers = _sorted_out(page, [result for result in results if isinstance(result, Request)], offers)
    page.article = _placed(page, _article(items[0], response, settings), offers) if items else None
    if page.article is not None:
        page.drop(Missed)
    elif page.effect(Missed) is not None:
        return
    reason, kind = (Reason.STORED, page.article.kind) if page.article else (Reason.NOT_AN_ARTICLE, page.settlement.kind)
    page.settlement = dataclasses.replace(page.settlement, reason=reason, kind=kind, detail="")


def _article(item: Any, response: Response, settings: BaseSettings) -> StoredArticle:
    if isinstance(item, StoredArticle):
        return item
    return article_item(response, settings, **ItemAdapter(item).asdict())


def _placed(page: PageResult, article: StoredArticle, offers: LinkOffers) -> StoredArticle:
    """The article under the URL, and with the site, of its lease. Its named fields are those that differ from what the
    reader read, too."""
    lease, (site, _) = page.lease, offers.sites.place(page.lease)
    read = page.article
    changed = {
        name for name in CORRECTABLE_FIELDS if read is not None and getattr(article, name) != getattr(read, name)
    }
    return dataclasses.replace(
        article,
        url=lease.url,
        site=lease.site,
        channel=lease.channel,
        anchor=lease.anchor,
        priority=lease.priority,
        media_class=str(site.media_class) if site else "",
        region=site.region if site else "",
        named=(article.named | changed) - PLACE,
        one_page=True,
    )


def _sorted_out(page: PageResult, requests: Sequence[Request], offers: LinkOffers) -> tuple[Any, Any]:
    texts = {link.url: link.text for link in page.links}  # as the page has them
    links = [
        Link(
            request.url,
            request.meta.get("link_text") or texts.get(request.url, ""),
            LinkKind.NEXT if getattr(request.callback, "__name__", "") == LIST_CALLBACK else LinkKind.ARTICLE,
        )
        for request in requests
    ]
    graph, offered = offers.sorted_out(page.lease, links)
    return graph, tuple(offered)
