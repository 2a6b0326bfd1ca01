"""What an explore crawl reads on a page: links of all kinds with their scores, and an article if it is one."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from scrapy.crawler import Crawler

from newsspider.core.crawling.visit import PageResult
from newsspider.core.model import PageType, Reason, Relevance
from newsspider.core.relevance.document import Document
from newsspider.core.relevance.rule_language import RuleVerdict, TopicRule
from newsspider.core.relevance.scoring import score
from newsspider.core.url import crawl_key
from newsspider.crawl.crawl import Crawl
from newsspider.features.explore.effects import DiscoveredPage, Explored
from newsspider.features.explore.explored_page import ExploreReader, explore_link_offers, explore_reader
from newsspider.features.explore.rules.strategy import Strategy
from newsspider.features.explore.rules.strategy_names import make_strategy
from tests.support.crawler import URL, crawler, lease_of_kind, request_of, response_of
from tests.support.serving import article

__all__ = ["crawler"]

SITE = "explore:test"
TEXT = str(article(1)[1])
LINKS = (
    '<ul><li><a href="/x">教育部发布高考招生改革方案</a></li>'
    '<li>教育部发布高考招生改革方案的更多消息：<a href="/y">更多</a></li><li><a href="/x#2">again</a></li>'
    '<li><a href="/z.pdf">附件</a></li><li><a href="/n" rel=nofollow>n</a></li></ul><a href="http://other.test/">他站</a>'
)
PAGE = TEXT.replace("</body>", f"{LINKS}</body>")

Read = Callable[..., PageResult]


def reader_of(crawler: Crawler, chosen: Strategy, within: Callable[[str], bool]) -> ExploreReader:
    """Builds the reader as the spider does."""

    def judge(document: Document) -> Relevance:
        return score(Crawl.of(crawler).claims.link_filter.topic, document)

    return explore_reader(crawler, chosen, explore_link_offers(crawler, SITE, within), judge)


@pytest.fixture
def read(crawler: Crawler) -> Read:
    """A function that reads a page with a strategy."""

    def read(
        body: str, chosen: Strategy | None = None, within: Callable[[str], bool] = lambda url: True, kind: PageType = PageType.ARTICLE,
        **headers: str,
    ) -> PageResult:  # fmt: skip
        reader = reader_of(crawler, chosen or make_strategy("best-first"), within)
        lease = lease_of_kind(kind, strategy_state='{"energy":2}')
        return reader.result(response_of(request_of(lease), body.encode(), **headers))

    return read


def links_of(result: PageResult) -> list[str]:
    assert result.effect(Explored) is not None
    return [candidate.offer.url for candidate in result.effect(Explored).links]


def test_the_links_of_an_article_are_told_once_in_page_order(read: Read) -> None:
    result = read(PAGE)
    assert result.article is not None
    assert result.article.priority == 0
    assert links_of(result) == ["http://a.example/x", "http://a.example/y", "http://other.test/"]
    assert [(offer.url, offer.refused) for offer in result.offers] == [("http://a.example/z.pdf", Reason.SUFFIX)]
    offer = result.effect(Explored).links[0].offer  # type: ignore[union-attr]
    assert (offer.key, offer.site, offer.channel) == (crawl_key(SITE, "http://a.example/x"), SITE, "explore")


def test_page_anchor_and_context_have_the_scores_of_the_topic(read: Read) -> None:
    explored = read(PAGE).effect(Explored)
    assert explored is not None
    assert explored.relevant
    assert explored.relevance > 0.5
    on_topic, silent, other = explored.links
    assert on_topic.anchor > 0.5
    assert silent.anchor < 0.1
    assert silent.context > 0.3
    assert max(other.anchor, other.context) < 0.1


def test_rules_on_authors_are_asked_of_the_page_too(read: Read, crawler: Crawler) -> None:
    crawl = Crawl.of(crawler)
    plain = read(PAGE.replace("<p>", "<p>记者 李明远 报道</p><p>", 1))
    assert plain.article is not None
    assert plain.article.authors == ("李明远",)
    crawl.claims.link_filter.topic = replace(crawl.claims.link_filter.topic, rules=(TopicRule("author:李明远", RuleVerdict.DROP),))
    dropped = read(PAGE.replace("<p>", "<p>记者 李明远 报道</p><p>", 1)).effect(Explored)
    assert dropped is not None
    assert not dropped.relevant


def test_what_no_strategy_asks_for_is_not_scored(read: Read) -> None:
    explored = read(PAGE, make_strategy("breadth-first")).effect(Explored)
    assert explored is not None
    assert (explored.relevance, explored.relevant) == (0.0, False)
    assert {(candidate.anchor, candidate.context) for candidate in explored.links} == {(0.0, 0.0)}


def test_discovery_keeps_title_and_graph_and_no_article(read: Read) -> None:
    result = read(PAGE, make_strategy("rbse", {"stage": "discover"}))
    assert (result.article, result.settlement.reason, result.settlement.kind) == (None, Reason.POLLED, PageType.ARTICLE)
    assert result.effect(Explored) is not None
    assert result.effect(Explored).title == "学校教育改革座谈会第1场举行"
    assert [link.nofollow for link in result.links].count(True) == 1
    assert len(result.links) == 6
    discovered = result.effect(DiscoveredPage)
    assert discovered is not None
    assert discovered.content.decode(discovered.charset) == PAGE
    private = read(PAGE.replace("<title>", "<meta name=robots content=noarchive><title>"), make_strategy("rbse", {"stage": "discover"}))
    assert private.effect(DiscoveredPage) is None
    assert read(PAGE).effect(DiscoveredPage) is None, "which stores the article itself"


def test_faults_are_recorded_where_the_strategy_wants_them(read: Read) -> None:
    broken = PAGE.replace("</h1>", "")
    worm, other = read(broken, make_strategy("worm")).effect(Explored), read(broken).effect(Explored)
    assert worm is not None
    assert other is not None
    assert [fault.split()[:2] for fault in worm.faults] == [["not_ended", "h1"]]
    assert other.faults == ()


def test_links_outside_are_kept_for_the_graph_only(read: Read, crawler: Crawler) -> None:
    result = read(PAGE, within=lambda url: "a.example" in url)
    assert links_of(result) == ["http://a.example/x", "http://a.example/y"]
    assert "http://other.test/" in {link.url for link in result.links}
    assert crawler.stats is not None
    assert crawler.stats.get_value("links/offsite") == 1


@pytest.mark.parametrize("headers", [{}, {"X_Robots_Tag": "nofollow"}])
def test_feeds_and_sitemaps_are_pages_of_links(read: Read, headers: dict[str, str]) -> None:
    feed = "<rss version='2.0'><channel><title>t</title><item><title>教育</title><link>http://a.example/1</link></item></channel></rss>"
    sitemap = (
        '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>http://a.example/s.xml</loc></sitemap></sitemapindex>'
    )
    for body, kind, link in ((feed, PageType.FEED, "http://a.example/1"), (sitemap, PageType.SITEMAP, "http://a.example/s.xml")):
        result = read(body, **headers)
        assert (result.settlement.reason, result.settlement.kind) == (Reason.POLLED, kind)
        assert links_of(result) == ([] if headers else [link])


def test_a_redirect_stands_where_its_page_stood(read: Read, crawler: Crawler) -> None:
    reader = reader_of(crawler, make_strategy("fish"), lambda url: "closed" not in url)
    lease = lease_of_kind(update_cycle=60.0, strategy_state='{"energy":2}')
    for target, followed in (("http://other.test/", True), ("http://closed.test/", False), (URL, False)):
        result = reader.result(response_of(request_of(lease), status=302, Location=target))
        assert result.settlement.reason is Reason.REDIRECT
        offers = [(offer.url, offer.depth, offer.priority, offer.strategy_state, offer.hops) for offer in result.offers]
        assert offers == ([(target, 2, 50, '{"energy":2}', 1)] if followed else [])


@pytest.mark.parametrize("name", ["breadth-first", "focused"])
def test_the_graph_knows_which_links_of_a_list_are_its_articles(read: Read, name: str) -> None:
    items = "".join(f'<li><a href="/2024/0501/1000{n}.html">学校教育改革座谈会第{n}场举行</a></li>' for n in range(8))
    more = '<a href="/edu/">教育</a><div class="page"><a href="/list_2.html">下一页</a></div>'
    result = read(f"<html><head><title>教育新闻列表</title></head><body><ul>{items}</ul>{more}</body></html>", make_strategy(name))
    assert result.settlement.kind is PageType.LIST
    kinds = {link.url.removeprefix("http://a.example/"): str(link.kind) for link in result.links}
    assert kinds == {**{f"2024/0501/1000{n}.html": "article" for n in range(8)}, "edu/": "list", "list_2.html": "next"}
    assert links_of(result) == [link.url for link in result.links], "what is followed is the same"


def test_the_links_of_an_article_page_stay_what_they_were(read: Read) -> None:
    assert {str(link.kind) for link in read(PAGE).links} == {"other", "attachment"}
