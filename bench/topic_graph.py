"""A synthetic web: hosts of unequal size with home pages, channels, lists and articles, a topic, tunnels and traps.

It is drawn from a seed, so two runs measure on the same graph. Its shape follows what is known of real news sites (links
stay near, pages on topic link to pages on topic, list pages carry the links, many anchors say nothing), but the
figures are set by hand: they order strategies on such graphs and say nothing about one real site.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from bench.walk import GraphPage, Shown

HOSTS = 100
TOPIC_HOSTS = 0.1  # share of the hosts that are about the topic
MIXED_HOSTS = 0.2  # share of those with one channel about it
CHANNELS = (4, 12)  # of a host
LIST_LINKS = 20  # articles on one list page
ON_TOPIC = {True: 0.8, False: 0.02}  # share of the articles on topic in a channel of the topic, and elsewhere
RELATED = 6  # links from an article to others
STAYS, SAME_TOPIC = 0.7, 0.2  # shares of these that stay in the channel, or go to the same topic elsewhere
FRIENDS = 6  # links from a home page to other home pages
BIRDS_OF_A_FEATHER = 0.6  # share of these of a topic host that go to topic hosts
TUNNELS, TUNNEL_LENGTH, TUNNEL_PAGES = 20, 3, 12  # rows of poor pages with a nest of good ones behind
TRAPS, TRAP_PAGES, TRAP_LINKS = 10, 150, 12  # calendars
SILENT = 0.35  # share of the anchors that say nothing ("more", a picture)
ANCHORS = {True: (0.5, 0.25), False: (0.2, 0.18)}  # mean and deviation of an anchor's score
TEXTS = {True: (0.8, 0.12), False: (0.15, 0.12)}  # those of a page's


@dataclass(slots=True)
class TopicGraph:
    """The pages by URL, the URLs of the articles on topic, and where a crawl starts."""

    pages: dict[str, GraphPage] = field(default_factory=dict)
    on_topic: frozenset[str] = frozenset()
    seeds: tuple[str, ...] = ()


@dataclass(slots=True)
class _Channel:
    host: int
    url: str
    topical: bool
    articles: list[str]


class _Drawing:
    """The graph while it is drawn: who links to whom first, then the scores."""

    def __init__(self, size: int, seed: int) -> None:
        self.random = Random(seed)
        self.size = size
        self.links: dict[str, list[str]] = {}
        self.good: set[str] = set()  # pages whose text is on topic
        self.articles: set[str] = set()
        self.channels: list[_Channel] = []

    def draw(self) -> TopicGraph:
        room = self.size - TUNNELS * (TUNNEL_LENGTH + TUNNEL_PAGES) - TRAPS * TRAP_PAGES
        shares = [self.random.paretovariate(1.2) for _ in range(HOSTS)]
        for host, share in enumerate(shares):
            self._host(host, max(30, round(room * share / sum(shares))))
        for channel in self.channels:
            self._related(channel)
        self._friends()
        for number in range(TUNNELS):
            self._tunnel(number)
        for number in range(TRAPS):
            self._trap(number)
        pages = {url: self._page(url, links) for url, links in self.links.items()}
        return TopicGraph(pages, frozenset(self.good & self.articles), self._seeds())

    def _host(self, host: int, pages: int) -> None:
        home, count = _home(host), self.random.randint(*CHANNELS)
        topics = count // 2 if _is_topic(host) else int(_is_mixed(host))
        made = [
            self._channel(host, f"{home}c{number}/", number < topics, max(4, pages // count)) for number in range(count)
        ]
        self.links[home] = [url for channel in made for url in (channel.url, *channel.articles[:3])]

    def _channel(self, host: int, url: str, topical: bool, pages: int) -> _Channel:
        """The lists of a channel, one leading to the next, and its articles."""
        articles = [f"{url}{number}.html" for number in range(pages)]
        self.good.update(article for article in articles if self.random.random() < ON_TOPIC[topical])
        self.articles.update(articles)
        lists = [url, *(f"{url}list_{number}.html" for number in range(2, 2 + (pages - 1) // LIST_LINKS))]
        for number, page in enumerate(lists):
            shown = articles[number * LIST_LINKS : (number + 1) * LIST_LINKS]
            self.links[page] = [_home(host), *shown, *lists[number + 1 : number + 2]]
        if topical:
            self.good.update(lists)
        self.channels.append(_Channel(host, url, topical, articles))
        return self.channels[-1]

    def _related(self, channel: _Channel) -> None:
        alike = [other for other in self.channels if other.topical == channel.topical]
        for article in channel.articles:
            near = [self._other(channel, alike) for _ in range(RELATED)]
            self.links[article] = [url for url in (_home(channel.host), channel.url, *near) if url != article]

    def _other(self, channel: _Channel, alike: Sequence[_Channel]) -> str:
        chance = self.random.random()
        where = channel if chance < STAYS else self.random.choice(alike if chance < STAYS + SAME_TOPIC else self.channels)
        return self.random.choice(where.articles)

    def _friends(self) -> None:
        topic = [host for host in range(HOSTS) if _is_topic(host)]
        for host in range(HOSTS):
            kin = topic if _is_topic(host) else range(HOSTS)
            friends = (
                self.random.choice(kin if self.random.random() < BIRDS_OF_A_FEATHER else range(HOSTS)) for _ in range(FRIENDS)
            )
            self.links[_home(host)] += [_home(friend) for friend in friends if friend != host]

    def _tunnel(self, number: int) -> None:
        """From an article on topic over poor pages to a nest of good ones that nothing else links to."""
        home = _home(self.random.randrange(HOSTS))
        way = [f"{home}t{number}/way{step}.html" for step in range(TUNNEL_LENGTH)]
        nest = [f"{home}t{number}/{page}.html" for page in range(TUNNEL_PAGES)]
        start = self.random.choice(sorted(self.good & self.articles))
        for page, following in zip([start, *way], [*way, nest[0]], strict=True):
            self.links[page] = [*self.links.get(page, [home]), following]
        for page in nest:
            self.links[page] = self.random.sample(nest, 5) + nest[1:3]
        self.good.update(nest)
        self.articles.update(nest)

    def _trap(self, number: int) -> None:
        """A calendar: every day links to the next days, and a channel links into it."""
        channel = self.random.choice(self.channels)
        days = [f"{channel.url}calendar/{number}/{day}" for day in range(TRAP_PAGES)]
        self.links[channel.url].insert(1, days[0])
        for day, page in enumerate(days):
            self.links[page] = days[day + 1 : day + 1 + TRAP_LINKS]

    def _page(self, url: str, links: Sequence[str]) -> GraphPage:
        shown = tuple(self._shown(target) for target in dict.fromkeys(links))
        return GraphPage(self._score(*TEXTS[url in self.good]), shown)

    def _shown(self, target: str) -> Shown:
        anchor = 0.0 if self.random.random() < SILENT else self._score(*ANCHORS[target in self.good])
        return Shown(target, anchor, self._score(*ANCHORS[target in self.good]) / 2)

    def _score(self, mean: float, deviation: float) -> float:
        return min(1.0, max(0.0, self.random.gauss(mean, deviation)))

    def _seeds(self) -> tuple[str, ...]:
        """The home pages of a topic host, a mixed one and three others."""
        return tuple(map(_home, (0, round(HOSTS * TOPIC_HOSTS), HOSTS - 3, HOSTS - 2, HOSTS - 1)))


def _home(host: int) -> str:
    return f"http://www{host}.example/"


def _is_topic(host: int) -> bool:
    return host < HOSTS * TOPIC_HOSTS


def _is_mixed(host: int) -> bool:
    return not _is_topic(host) and host < HOSTS * (TOPIC_HOSTS + MIXED_HOSTS)


def topic_graph(size: int, seed: int) -> TopicGraph:
    """A graph of about so many pages; the same for the same seed."""
    return _Drawing(size, seed).draw()
