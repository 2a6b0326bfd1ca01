"""A synthetic web of news sites: impure channels, tags, pagination, off-site links, islands behind tunnels, and traps.

It is drawn from a seed: the same seed, the same graph. Its shape follows what is known of real news sites (list pages carry the
links; a channel holds mostly, never only, what its name promises; names differ from site to site; many anchors are cut short or say
nothing; pages on topic link to pages on topic), but the figures are set by hand: they order crawlers on such graphs and foretell nothing of
one real site. Anchors are headlines (``bench/phrases.py``); nothing here knows which scorer will read them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random

from bench.phrases import Phrases, own_phrases
from bench.walk import GraphPage, Shown
from newsspider.core.model import Region

SHARES = (0.02, 0.15)  # articles on topic among all pages, least and most
HOSTS = 60
CHANNELS = (5, 12)  # of a host
PURE = (0.85, 0.98)  # share on topic of a channel of the topic
IMPURE = (0.001, 0.006)  # of any other
LIST_LINKS = 20  # articles on one list page
TAG_LINKS = 20
TAGGED = 0.6  # of the articles on topic carry a tag of the topic
RELATED, STAYS = 3, 0.5  # links from an article to others, and the share of them inside its channel
DECOYS = (
    1.5  # pages that sound like the topic and are not (advertisements, services, videos), for each article on topic
)
DECOY_LINKS = (1, 3)  # of them beside an article
DECOY_MAKES = ("ad/{}.html", "promo/{}", "v/{}.html", "fuwu/{}.html", "app/{}", "zt/{}/")  # a host has one make
FRIENDS = 5  # links from a home page to other home pages
OFF_SITE = 0.04  # of the articles link to the home page of some other host
ISLANDS, ISLAND_PAGES, TUNNEL = 12, 20, (1, 3)  # small hosts of the topic behind so many poor pages
ENTRANCES = 3  # articles on topic that link to an island
TRAPS, TRAP_PAGES, TRAP_LINKS = 10, 150, 12  # calendars, sessions, facets
SEEDS, KNOWN = 8, 3  # homes where a crawl starts, and how many of them are the richest ones, which people know
SILENT, CUT = 0.3, 0.45  # shares of the anchors that say nothing, and that are cut short
CUT_TO = (3, 6)  # characters
MISJUDGED = 0.02  # of the pages, once read
TOPIC_NAMES = ["科教", "校园", "升学", "人才", "青年", "学堂", "新知", "书院", "成长", "教育", "招考", "园丁"]
OTHER_NAMES = (
    *[
        "财经",
        "体育",
        "社会",
        "国际",
        "娱乐",
        "汽车",
        "房产",
        "科技",
        "健康",
        "旅游",
        "文化",
        "评论",
        "视频",
        "图片",
        "生活",
        "法治",
    ],
    *["青年", "人才", "新知", "成长"],  # names that channels of the topic bear elsewhere
)
TOPIC_TAGS = ["高考", "考研", "中考", "双减", "职教", "幼儿园", "留学", "招生"]
OTHER_TAGS = ["楼市", "股市", "车展", "世界杯", "台风", "春运", "电影", "理财", "手机", "旅游"]
NOTHING_SAID = ("", "详细", "[图]", "更多", "点击查看", "全文")
MOST_PAGES_OF_LIST = 12

NAVIGATION = Region.NAVIGATION

Judge = Callable[[str], float]


@dataclass(frozen=True, slots=True)
class SitePage:
    """A page: whether it is about the topic, whether it is a list, and its links as (URL, anchor, region)."""

    on_topic: bool
    hub: bool
    links: tuple[tuple[str, str, str], ...]


@dataclass(slots=True)
class SiteGraph:
    """The pages by URL; ``on_topic`` are the articles that a crawl is after, ``islands`` the pages of each island."""

    pages: dict[str, SitePage] = field(default_factory=dict)
    on_topic: frozenset[str] = frozenset()
    traps: frozenset[str] = frozenset()
    islands: tuple[frozenset[str], ...] = ()
    seeds: tuple[str, ...] = ()
    origin: str = ""

    @property
    def share(self) -> float:
        """The share of the articles on topic among all pages."""
        return len(self.on_topic) / len(self.pages)

    def judged(self, judge: Judge, seed: int = 0) -> dict[str, GraphPage]:
        """The graph as a crawler sees it whose ``judge`` scores a text (0-1). What a page is about it knows from the page, mostly."""
        random, scores = Random(seed), {}
        pages: dict[str, GraphPage] = {}
        for url, page in self.pages.items():
            right = random.random() >= MISJUDGED
            for _, text, _ in page.links:
                if text not in scores:
                    scores[text] = judge(text) if text else 0.0
            links = tuple(
                Shown(target, scores[text], 0.0, self.pages[target].hub, text, region)
                for target, text, region in page.links
            )
            pages[url] = GraphPage(0.9 if page.on_topic is right and not page.hub else 0.1, links, page.hub)
        return pages


@dataclass(slots=True)
class _Channel:
    host: int
    url: str
    name: str
    topical: bool
    articles: list[str]


class _Drawing:
    def __init__(self, size: int, seed: int, share: float, phrases: Phrases) -> None:
        self.random = Random(seed)
        self.size, self.share, self.phrases = size, share, phrases
        self.links: dict[str, list[tuple[str, str, str]]] = {}
        self.hubs: set[str] = set()
        self.good: set[str] = set()
        self.title: dict[str, str] = {}
        self.channels: list[_Channel] = []
        self.traps: set[str] = set()
        self.islands: list[frozenset[str]] = []
        self.topical_pages = 0
        self.articles = 0
        self.decoy_lists: dict[int, list[str]] = {}

    def draw(self) -> SiteGraph:
        room = self.size * (1 - self.share * DECOYS) - ISLANDS * (ISLAND_PAGES + 4) - TRAPS * TRAP_PAGES
        sizes = [self.random.paretovariate(2) for _ in range(HOSTS)]
        order = list(range(HOSTS))
        self.random.shuffle(order)
        for host in order:
            self._host(host, max(60, round(room * sizes[host] / sum(sizes))))
        self._link_articles()
        self._decoys()
        self._tags()
        for host in range(HOSTS):
            self._home_page(host)
        for number in range(ISLANDS):
            self._island(number)
        for number in range(TRAPS):
            self._trap(number)
        pages = {
            url: SitePage(
                url in self.good, url in self.hubs, tuple(dict.fromkeys(link for link in links if link[0] != url))
            )
            for url, links in self.links.items()
        }
        rich = Counter(channel.host for channel in self.channels if channel.topical for _ in channel.articles)
        known_hosts = [host for host, _ in sorted(rich.items(), key=lambda each: (-each[1], each[0]))[:KNOWN]]
        others = [host for host in range(HOSTS) if host not in known_hosts]
        seeds = tuple(map(_home, (*known_hosts, *self.random.sample(others, SEEDS - len(known_hosts)))))
        return SiteGraph(
            pages, frozenset(self.good), frozenset(self.traps), tuple(self.islands), seeds, self.phrases.origin
        )

    def _host(self, host: int, pages: int) -> None:
        count = self.random.randint(*CHANNELS)
        flat = self.random.random() < 0.4  # its URLs do not name the channel
        parts = [self.random.uniform(0.5, 1.5) for _ in range(count)]
        articles = [max(4, round(0.9 * pages * part / sum(parts))) for part in parts]
        topical_share, own, topical = 0.95 * self.share * self.size, 0, set()
        for number in self.random.sample(range(count), count):
            if (
                self.topical_pages < topical_share and own <= topical_share / HOSTS
            ):  # spread over the hosts, as far as it goes
                topical.add(number)
                own += articles[number]
                self.topical_pages += articles[number]
        channels = [
            self._channel(host, number, articles[number], topical=number in topical, flat=flat)
            for number in range(count)
        ]
        self.channels += channels
        self.articles += sum(len(channel.articles) for channel in channels)

    def _channel(self, host: int, number: int, pages: int, *, topical: bool, flat: bool) -> _Channel:
        home = _home(host)
        url = f"{home}{'node' if flat else 'c'}{number}/"
        where = f"{home}a/{number}" if flat else f"{url}2026/"
        articles = [f"{where}{page:05}.html" for page in range(pages)]
        purity = self.random.uniform(*(PURE if topical else IMPURE))
        for article in articles:
            self._article(article, good=self.random.random() < purity)
        lists = [
            url,
            *(f"{url}list_{page}.html" for page in range(2, 2 + min(MOST_PAGES_OF_LIST, (pages - 1) // LIST_LINKS))),
        ]
        for page, following in zip(lists, [*lists[1:], None], strict=True):
            first = lists.index(page) * LIST_LINKS
            listed = articles[first : first + LIST_LINKS]
            self.links[page] = [(home, "首页", NAVIGATION), *self._listed(listed)]
            if following:
                self.links[page].append((following, "下一页", NAVIGATION))
        self.hubs.update(lists)
        name = self.random.choice(TOPIC_NAMES if topical else OTHER_NAMES)
        return _Channel(host, url, name, topical, articles)

    def _article(self, url: str, *, good: bool) -> None:
        self.title[url] = self.random.choice(self.phrases.on if good else self.phrases.off)
        if good:
            self.good.add(url)

    def _listed(self, articles: Sequence[str]) -> list[tuple[str, str, str]]:
        return [(article, self._anchor(article), Region.MAIN) for article in articles]

    def _anchor(self, url: str) -> str:
        chance = self.random.random()
        if chance < SILENT:
            return self.random.choice(NOTHING_SAID)
        return self.title[url][: self.random.randint(*CUT_TO)] if chance < SILENT + CUT else self.title[url]

    def _link_articles(self) -> None:
        of_kind = {kind: [channel for channel in self.channels if channel.topical is kind] for kind in (True, False)}
        for channel in self.channels:
            of_host = [sibling for sibling in self.channels if sibling.host == channel.host]
            for place, article in enumerate(channel.articles):
                near = [channel.articles[at] for at in (place - 1, place + 1) if 0 <= at < len(channel.articles)]
                related = []
                for _ in range(RELATED):
                    inside = self.random.random() < STAYS
                    related.append(self.random.choice((channel if inside else self.random.choice(of_host)).articles))
                links: list[tuple[str, str, str]] = [
                    (_home(channel.host), "首页", NAVIGATION),
                    (channel.url, channel.name, NAVIGATION),
                ]
                links += [(linked, self._anchor(linked), Region.BODY) for linked in near]
                links += [(linked, self._anchor(linked), Region.SIDE) for linked in related]
                if self.random.random() < OFF_SITE:
                    other = self.random.choice(
                        of_kind[channel.topical] if self.random.random() < 0.5 else self.channels
                    )
                    links.append((_home(other.host), "相关网站", Region.BODY))
                self.links[article] = links

    def _decoys(self) -> None:
        """What sounds like the topic and is not: beside articles, and in a list of its own on each host."""
        decoy_count = DECOYS * len(self.good)
        for host in range(HOSTS):
            own = [article for channel in self.channels if channel.host == host for article in channel.articles]
            make = self.random.choice(DECOY_MAKES)
            decoys = [
                _home(host) + make.format(1000 + n)
                for n in range(max(2, round(decoy_count * len(own) / self.articles)))
            ]
            for decoy in decoys:
                self.title[decoy] = self.random.choice(self.phrases.on)
                self.links[decoy] = [(_home(host), "首页", NAVIGATION)]
            for article in own:
                for decoy in self.random.sample(decoys, self.random.randint(*DECOY_LINKS) if len(decoys) > 2 else 1):
                    self.links[article].append((decoy, self._anchor(decoy), Region.SIDE))
            for first in range(0, len(decoys), LIST_LINKS):
                url = _home(host) + make.format(f"list{first // LIST_LINKS}")
                self.links[url] = [(_home(host), "首页", NAVIGATION), *self._listed(decoys[first : first + LIST_LINKS])]
                self.hubs.add(url)
                self.decoy_lists.setdefault(host, []).append(url)
            for page, following in pairwise(self.decoy_lists[host]):
                self.links[page].append((following, "下一页", NAVIGATION))

    def _tags(self) -> None:
        for host in range(HOSTS):
            articles = [article for channel in self.channels if channel.host == host for article in channel.articles]
            for good, names in ((True, TOPIC_TAGS), (False, OTHER_TAGS)):
                tagged = [
                    article for article in articles if (article in self.good) is good and self.random.random() < TAGGED
                ]
                for name in self.random.sample(names, 3):
                    self._tag(host, name, self.random.sample(tagged, min(len(tagged), 3 * TAG_LINKS)))

    def _tag(self, host: int, name: str, articles: Sequence[str]) -> None:
        pages = [articles[first : first + TAG_LINKS] for first in range(0, len(articles), TAG_LINKS)]
        urls = [f"{_home(host)}tag/{name}/{number}" for number in range(len(pages))]
        for number, (url, listed) in enumerate(zip(urls, pages, strict=True)):
            self.links[url] = [(_home(host), "首页", NAVIGATION), *self._listed(listed)]
            self.links[url] += [(following, "下一页", NAVIGATION) for following in urls[number + 1 : number + 2]]
            for article in listed:
                self.links[article].append((urls[0], name, Region.BODY))
        self.hubs.update(urls)

    def _home_page(self, host: int) -> None:
        own = [channel for channel in self.channels if channel.host == host]
        friends = [friend for friend in self.random.sample(range(HOSTS), FRIENDS) if friend != host]
        self.links[_home(host)] = [
            *((channel.url, channel.name, NAVIGATION) for channel in own),
            *self._listed([article for channel in own for article in channel.articles[:3]]),
            (self.decoy_lists[host][0], self.random.choice(("培训", "招生", "服务", "报名", "推广")), NAVIGATION),
            *((_home(friend), "友情链接", Region.FOOTER) for friend in friends),
        ]
        self.hubs.add(_home(host))

    def _island(self, number: int) -> None:
        """A small host of the topic, which articles on topic name; behind its door poor pages, then what is good."""
        home = f"http://island{number}.example/"
        length = self.random.randint(*TUNNEL)
        way = [home, f"{home}about.html", f"{home}notice/"][:length]
        nest = [f"{home}notice/{page}.html" for page in range(ISLAND_PAGES)]
        for page in nest:
            self._article(page, good=True)
        for page, following in zip(way, [*way[1:], nest[0]], strict=True):
            self.links[page] = [(following, self.random.choice(("进入", "栏目", "详细", "")), Region.MAIN)]
            self.links[page] += [(f"{home}other{other}.html", "服务", Region.MAIN) for other in range(2)]
        for other in range(2):
            self.links[f"{home}other{other}.html"] = [(home, "首页", NAVIGATION)]
        for place, page in enumerate(nest):
            near = [*self.random.sample(nest, 4), *nest[place + 1 : place + 3]]
            self.links[page] = [
                (home, "首页", NAVIGATION),
                *((other, self._anchor(other), Region.SIDE) for other in near if other != page),
            ]
        linking = [article for channel in self.channels if channel.topical for article in channel.articles]
        for article in self.random.sample([other for other in linking if other in self.good], ENTRANCES):
            self.links[article].append((home, self.random.choice(("官方网站", "相关网站", "来源")), Region.BODY))
        self.islands.append(frozenset(nest))

    def _trap(self, number: int) -> None:
        """A calendar, a shop of sessions, a row of facets: every page leads to the next ones, and a channel leads in."""
        channel = self.random.choice(self.channels)
        make = ("calendar/2026-{:03}", "view?sid={:06x}", "list?sort={}&page=1")[number % 3]
        pages = [
            channel.url + f"{number}" + make.format(page * (7919 if number % 3 == 1 else 1))
            for page in range(TRAP_PAGES)
        ]
        self.links[channel.url].insert(1, (pages[0], ("日历", "查看", "排序")[number % 3], Region.SIDE))
        for place, page in enumerate(pages):
            following = pages[place + 1 : place + 1 + TRAP_LINKS]
            self.links[page] = [(successor, f"{place + n:03}", Region.MAIN) for n, successor in enumerate(following)]
        self.traps.update(pages)


def _home(host: int) -> str:
    return f"http://www{host}.example/"


def share_of(seed: int, seeds: int = 20) -> float:
    """The topic's share of the graph with this seed: they are spread evenly over :data:`SHARES`."""
    least, most = SHARES
    return least + (most - least) * ((seed - 1) % seeds) / (seeds - 1)


def site_graph(size: int, seed: int, share: float | None = None, phrases: Phrases | None = None) -> SiteGraph:
    """A graph of about so many pages, of which about such a share are articles on topic."""
    return _Drawing(size, seed, share_of(seed) if share is None else share, phrases or own_phrases()).draw()
