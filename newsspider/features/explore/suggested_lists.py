"""The list pages that explore crawls found: the articles that they show, which of these are on topic, and which are
original."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from functools import lru_cache
from math import inf
from typing import Any

from sqlalchemy import Connection

from newsspider.core.duplicates.first_source import Copy
from newsspider.core.model import PageType
from newsspider.core.url import canonical, crawl_key, host_of, site_domain, url_key
from newsspider.features.explore.rules.list_value import OnTopicArticle, ReadList, names_itself, original_of
from newsspider.features.explore.rules.strategy import Need
from newsspider.features.explore.rules.strategy_names import STRATEGIES
from newsspider.features.explore.rules.suggestions import Had, Suggested, Thresholds, may_do, suggest_lists
from newsspider.sites.model import Site
from newsspider.store.engine.statement import Statement, rows_among
from newsspider.store.ledger.crawls import crawl_names

PREFIX = "explore:"  # of the crawls that are evaluated if none is named
ON_TOPIC = 1
# a strategy with one of these needs reads the most promising pages first
JUDGING = frozenset({Need.RELEVANCE, Need.ANCHORS})

# 1: on topic; 0: off topic; 2: unchanged, so on topic if it is stored; NULL: not read, or no article.
_VERDICT = """
    CASE WHEN a.reason = 'off_topic' THEN 0 WHEN a.reason IN ('stored', 'duplicate') THEN 1
         WHEN a.reason = 'unchanged' AND a.kind IN ('article', 'blog', 'forum') THEN 2 END
    """
_OF_CRAWL = "p.site = :site AND p.channel = 'explore' AND p.kind IN ('list', 'feed') AND p.last_fetched_at IS NOT NULL"
_LISTS = Statement(
    f"""
    SELECT p.key, p.site, p.url, p.host, p.kind, p.anchor, p.last_fetched_at, COALESCE(e.title, '') AS title
    FROM urls p LEFT JOIN explore_pages e ON e.key = p.key WHERE {_OF_CRAWL}
    """
)
_COUNTS = Statement(
    f"""
    SELECT l.src, count({_VERDICT}) AS read, count(NULLIF({_VERDICT}, 0)) AS kept
    FROM urls p JOIN links_of_lists l ON l.src = p.key JOIN urls a ON a.key = l.dst
    WHERE {_OF_CRAWL} AND l.kind = 'article' AND NOT l.nofollow GROUP BY l.src
    """
)
_SHOWN = "SELECT src, dst, found_at FROM links_of_lists WHERE src IN ({keys}) AND kind = 'article' AND NOT nofollow"
_READ = f"SELECT a.key, a.url, a.host, {_VERDICT} AS verdict FROM urls a WHERE a.key IN ({{keys}})"
_STRATEGIES = Statement("SELECT site, strategy FROM explore_crawls")
_FURTHER = "SELECT DISTINCT dst FROM links_of_lists WHERE dst IN ({keys}) AND NOT nofollow AND kind = 'next'"
_WATCHED = "SELECT DISTINCT dst FROM list_links WHERE dst IN ({keys}) AND NOT nofollow"
_ARTICLES = """
    SELECT u.key, u.article_id, u.url, u.published_ts, a.kind
    FROM article_urls u JOIN articles a ON a.id = u.article_id WHERE u.key IN ({keys})
    """
_URLS_OF = "SELECT key, article_id, url FROM article_urls WHERE article_id IN ({keys})"
_GROUPS = "SELECT group_id FROM reprints WHERE article_id IN ({keys})"
_MEMBERS = "SELECT article_id FROM reprints WHERE group_id IN ({keys})"
_COPIES = """
    SELECT u.url, u.site, u.source, u.published_ts, u.added_at, u.priority, COALESCE(r.group_id, -u.article_id) AS text
    FROM article_urls u LEFT JOIN reprints r ON r.article_id = u.article_id WHERE u.article_id IN ({keys})
    """
_TITLES = "SELECT key, title FROM explore_pages WHERE key IN ({keys})"


def crawls_of(conn: Connection, name: str | None = None) -> list[str]:
    """The explore crawl with this name, or all; query crawls only by name."""
    sites = crawl_names(conn)
    return [site for site in sites if (site.startswith(PREFIX) if name is None else site in (name, PREFIX + name))]


def worth_watching(
    conn: Connection, crawls: Iterable[str], watched_sites: Iterable[Site], at_least: Thresholds, today: date
) -> Suggested:
    """What these crawls found that is worth watching beside the channels of ``watched_sites``."""
    list_pages = lists(conn, crawls, at_least)
    watched = {canonical(channel.url) or channel.url for site in watched_sites for channel in site.channels}
    return suggest_lists(list_pages, today, watched, watched_articles(conn, list_pages), at_least)


def lists(conn: Connection, crawls: Iterable[str], at_least: Thresholds) -> list[ReadList]:
    """The list pages and feeds that these crawls read, each once; those that show too few articles to be suggested come
    without articles."""
    row_of_url: dict[str, Any] = {}
    choosing = {
        row.site
        for row in _STRATEGIES.run(conn, {})
        if row.strategy in STRATEGIES and STRATEGIES[row.strategy].needs & JUDGING
    }
    counts: dict[int, Any] = {}
    for crawl in crawls:
        counts |= {row.src: row for row in _COUNTS.run(conn, {"site": crawl})}
        for row in _LISTS.run(conn, {"site": crawl}):
            if row.url not in row_of_url or _read(counts, row) > _read(counts, row_of_url[row.url]):
                row_of_url[row.url] = row
    usable = [
        row
        for row in row_of_url.values()
        if _read(counts, row) >= at_least.articles and may_do(counts[row.key].kept, at_least)
    ]
    further = {row.dst for row in rows_among(conn, _FURTHER, [row.key for row in usable])}
    articles_of_list = _shown(conn, usable)
    stored = _kept(conn, {key for list_articles in articles_of_list.values() for key in list_articles.kept}, usable)
    nothing = _Shown()
    return [
        _listed(row, articles_of_list.get(row.key, nothing), stored, row.key in further, row.site in choosing)
        for row in row_of_url.values()
    ]


def watched_articles(conn: Connection, list_pages: Collection[ReadList]) -> Had:
    """Which articles of these lists a watched list has shown, too, at the same URL or at another one of the same
    site."""
    texts = {article.text for listed in list_pages for article in listed.kept.values() if article.text is not None}
    urls = rows_among(conn, _URLS_OF, texts)
    keys = {key for listed in list_pages for key in listed.shown}
    watched = {row.dst for row in rows_among(conn, _WATCHED, keys | {row.key for row in urls})}
    return Had(watched & keys, {(site_domain(host_of(row.url)), row.article_id) for row in urls if row.key in watched})


def _read(counts: Mapping[int, Any], row: Any) -> int:
    return counts[row.key].read if row.key in counts else 0


class _Shown:
    """The articles of one list, by the keys of their URLs outside of crawls."""

    def __init__(self) -> None:
        self.all: set[int] = set()
        self.kept: dict[int, float] = {}  # with the moment at which each was found
        self.sure: set[int] = set()  # those of them that are on topic, still stored or not
        self.refused: set[int] = set()
        self.since = inf  # when its first article was found


def _shown(conn: Connection, pages: Collection[Any]) -> dict[int, _Shown]:
    domains = {row.key: site_domain(row.host) for row in pages}
    articles_of_list = {row.key: _Shown() for row in pages}
    links = rows_among(conn, _SHOWN, domains)
    read = {
        row.key: (url_key(row.url), site_domain(row.host), row.verdict)
        for row in rows_among(conn, _READ, {row.dst for row in links})
    }
    for src, dst, found_at in links:
        key, domain, verdict = read.get(dst, (dst, None, None))
        if domain != domains[src]:
            continue  # only articles of its own site count
        of_list = articles_of_list[src]
        of_list.since = min(of_list.since, found_at)
        of_list.all.add(key)
        if verdict:
            of_list.kept[key] = found_at
            if verdict == ON_TOPIC:
                of_list.sure.add(key)
        elif verdict == 0:
            of_list.refused.add(key)
    return articles_of_list


def _listed(row: Any, of_list: _Shown, stored: Mapping[int, OnTopicArticle], further: bool, choosing: bool) -> ReadList:
    articles = {key: stored.get(key, OnTopicArticle()) for key in of_list.kept if key in of_list.sure or key in stored}
    later = sum(of_list.kept[key] > of_list.since for key in articles)
    refused = of_list.refused | (of_list.kept.keys() - articles.keys())
    return ReadList(
        row.url,
        PageType(row.kind),
        row.last_fetched_at,
        frozenset(of_list.all),
        articles,
        frozenset(refused),
        row.title,
        row.anchor,
        further,
        of_list.since if of_list.all else None,
        later,
        choosing,
    )


def _kept(conn: Connection, keys: Iterable[int], pages: Sequence[Any]) -> dict[int, OnTopicArticle]:
    """The stored ones of the articles with these keys."""
    rows = rows_among(conn, _ARTICLES, keys)
    own = _originals(conn, {row.article_id for row in rows}, pages)
    return {
        row.key: OnTopicArticle(row.published_ts, row.url in own, PageType(row.kind), row.article_id) for row in rows
    }


def _originals(conn: Connection, articles: set[int], pages: Sequence[Any]) -> set[str]:
    """Those URLs of these articles, and of all their reprints, that are the original page of the text."""
    groups = {row.group_id for row in rows_among(conn, _GROUPS, articles)}
    rows = rows_among(conn, _COPIES, articles | {row.article_id for row in rows_among(conn, _MEMBERS, groups)})
    names: defaultdict[str, str] = defaultdict(str)
    for page in pages:
        names[site_domain(page.host)] += f"\n{page.title}"
    of_domain = lru_cache(  # cache: names of sources; lives as long as one question
        lambda source, domain: names_itself(source, names[domain])
    )
    keys = {row.url: crawl_key(row.site, row.url) for row in rows}
    titles = {row.key: row.title for row in rows_among(conn, _TITLES, keys.values())}
    copies: defaultdict[int, list[Copy]] = defaultdict(list)
    for row in rows:
        own = names_itself(row.source, titles.get(keys[row.url], "")) or of_domain(
            row.source, site_domain(host_of(row.url))
        )
        source = None if own else row.source
        copies[row.text].append(Copy(row.url, row.site, source, row.published_ts, row.added_at, row.priority))
    return {url for of_text in copies.values() if (url := original_of(of_text)) is not None}
