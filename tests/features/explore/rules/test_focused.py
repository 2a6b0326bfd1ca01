"""The focused strategy: it learns where links stand, trusts lists, crosses poor pages while its energy lasts, and starves no host."""

from dataclasses import replace

import pytest

from bench.walk import GraphPage, Shown, Walk
from newsspider.features.explore.rules.focused import Focused
from newsspider.features.explore.rules.link_probability import Pair
from newsspider.features.explore.rules.strategy import (
    Counts,
    FrontierPosition,
    LinkSeen,
    StrategyState,
    VisitedPage,
    if_better,
)
from newsspider.features.explore.rules.strategy_names import make_strategy
from tests.support.tables import each

SILENT, TELLING = "详细", 0.97


def page(relevance: float, *links: Shown, hub: bool = False) -> GraphPage:
    return GraphPage(relevance, links, hub)


def order(pages: dict[str, GraphPage], count: int | None = None, **options: str) -> list[str]:
    walk = Walk(pages, make_strategy("focused", options))
    walk.seed(["http://s.example/"])
    return list(walk.visits(count))


def listed(folder: str, good: int, others: int, telling: int) -> tuple[dict[str, GraphPage], str]:
    """A list of articles: some on topic have informative anchors, all others say nothing."""
    articles = [f"http://s.example/{folder}/{number}.html" for number in range(good + others)]
    pages = {url: page(1.0 if number < good else 0.0) for number, url in enumerate(articles)}
    links = [
        Shown(url, TELLING, text="招生考试") if number < telling else Shown(url, text=SILENT) for number, url in enumerate(articles)
    ]
    home = f"http://s.example/{folder}/"
    return pages | {home: page(0.0, *links, hub=True)}, home


def test_silent_links_beside_telling_ones_go_before_silent_links_elsewhere():
    rich, rich_home = listed("rich", 20, 0, telling=8)
    poor, poor_home = listed("poor", 0, 20, telling=0)
    seeds = page(0.0, Shown(poor_home, hub=True, text="体育"), Shown(rich_home, hub=True, text="科教"), hub=True)
    visits = order(rich | poor | {"http://s.example/": seeds})
    places = {url: place for place, url in enumerate(visits)}
    silent = [places[f"http://s.example/rich/{n}.html"] for n in range(8, 20)]
    elsewhere = [places[f"http://s.example/poor/{n}.html"] for n in range(20)]
    assert sum(place < min(elsewhere[3:]) for place in silent) >= 10


def test_a_list_that_promised_too_much_is_left_alone_after_a_few_pages():
    decoys, decoy_home = listed("ad", 0, 30, telling=30)
    rich, rich_home = listed("rich", 20, 0, telling=4)
    seeds = page(0.0, Shown(decoy_home, 0.97, 0.0, True, "招生"), Shown(rich_home, hub=True, text="科教"), hub=True)
    first = order(decoys | rich | {"http://s.example/": seeds}, 26)
    assert sum("/ad/" in url for url in first) <= 9
    assert sum("/rich/" in url for url in first) >= 15


@each(("energy", "reached"), [("3", True), ("1", False)])
def test_poor_pages_are_passed_as_long_as_the_energy_lasts(energy, reached):
    way = [f"http://far.example/{name}.html" for name in ("a", "b", "c")]
    pages = {
        "http://s.example/": page(1.0, Shown(way[0])),
        way[0]: page(0.0, Shown(way[1])),
        way[1]: page(0.0, Shown(way[2])),
        way[2]: page(1.0),
    }
    assert (way[2] in order(pages, energy=energy)) is reached


def test_one_way_through_poor_pages_is_tried_to_its_end_before_the_next_and_no_more_once_something_is_found():
    door, end = "http://far.example/", "http://far.example/b/c.html"
    others = [f"http://far.example/{name}.html" for name in ("x", "y")]
    pages = {
        "http://s.example/": page(1.0, Shown(door, text="来源")),
        door: page(0.0, Shown("http://far.example/b/", text="进入"), *(Shown(url, text="服务") for url in others)),
        "http://far.example/b/": page(0.0, Shown(end, text="详细")),
        end: page(1.0, *(Shown(f"http://far.example/b/{n}.html", TELLING, text="高考报名") for n in range(10))),
        **{f"http://far.example/b/{n}.html": page(1.0) for n in range(10)},
        **{url: page(0.0) for url in others},
    }
    visits = order(pages)
    assert visits.index(end) == 3
    assert set(visits[-2:]) == set(others)


def rich_list_and(**of_article: tuple[Shown, ...]) -> dict[str, GraphPage]:
    """A list of a hundred articles on topic, the first five with informative anchors; ``of_article`` gives links of some by number."""
    articles = [f"http://s.example/edu/{number}.html" for number in range(100)]
    links = [Shown(url, TELLING, text="招生考试") if n < 5 else Shown(url, text=SILENT) for n, url in enumerate(articles)]
    pages = {url: page(1.0, *of_article.get(f"n{number}", ())) for number, url in enumerate(articles)}
    return pages | {"http://s.example/": page(0.0, *links, hub=True)}


def test_a_host_that_a_footer_named_is_unknown_until_something_was_read_there():
    far, other = "http://far.example/", "http://ball.example/"
    matches = (Shown(f"{other}{number}.html", text=HEADLINE) for number in range(20))
    footer = page(0.0, Shown(far, text="友情链接", region="footer"), *matches, hub=True)
    pages = rich_list_and(n3=(Shown(far, text="来源"),)) | {other: footer, far: page(0.0)}
    walk = Walk(pages, make_strategy("focused"))
    walk.seed([other, "http://s.example/"])
    visits = list(walk.visits(60))
    assert visits.index(far) - visits.index("http://s.example/edu/3.html") < 30


def test_many_links_to_an_unknown_host_that_has_nothing_take_few_visits():
    junk = tuple(Shown(f"http://far.example/{number}.html", text="相关") for number in range(60))
    pages = rich_list_and(n1=junk) | {link.url: page(0.0) for link in junk}
    assert 0 < sum("far.example" in url for url in order(pages, 100)) <= 10


def test_an_unknown_host_is_worth_less_with_each_of_its_poor_pages_and_nothing_once_something_is_found():
    (waits,) = Focused().links(ON_TOPIC, [LinkSeen("http://far.example/7.html", "far.example", text=SILENT)])
    link = LinkSeen("http://far.example/7.html", "far.example", waits=waits)
    counts = [Counts(learned={"read far.example/": Pair(read, relevant)}) for read, relevant in ((0, 0), (1, 0), (8, 0), (8, 1))]
    priorities = [replaced.priority for host_counts in counts for replaced in Focused().replaced([link], host_counts)]
    assert priorities == sorted(set(priorities), reverse=True)
    assert priorities[0] == waits.priority
    assert priorities[3] < waits.priority / 4


def test_a_host_of_which_something_was_read_is_unknown_no_more():
    link = LinkSeen("http://far.example/7.html", "far.example", text=SILENT)
    read = Counts(learned={"read far.example/": Pair(1, 0)})
    assert "read far.example/" in Focused().asks(ON_TOPIC, [link])
    (unread_host,), (read_host,) = Focused().links(ON_TOPIC, [link]), Focused().links(ON_TOPIC, [link], read)
    assert unread_host.carried.inherited > 0.5
    assert read_host.carried.inherited == 0
    assert read_host.priority < unread_host.priority


def test_lists_that_a_seed_shows_go_before_lists_elsewhere():
    link = LinkSeen("http://s.example/x/", "s.example", text=SILENT, hub=True, region="navigation")
    places = (FrontierPosition(0, 0, StrategyState(energy=3, page=key)) for key in (0, 7))
    visits = (VisitedPage("s.example", place, url="http://s.example/", key=1, hub=True) for place in places)
    of_seed, of_later = (Focused().links(visit, [link])[0] for visit in visits)
    assert of_seed.priority > of_later.priority


def test_a_link_that_is_seen_again_on_a_better_way_keeps_what_is_known_of_it():
    waits = FrontierPosition(900_000, 2, StrategyState(energy=1, band=7, share=0.4, page=5, region="main"))
    link = LinkSeen("http://s.example/x/1.html", "s.example", waits=waits)
    moved = if_better(link, FrontierPosition(1000, 3, StrategyState(energy=3, band=1, share=0.1, page=9)))
    assert moved == FrontierPosition(900_000, 2, StrategyState(energy=3, band=7, share=0.4, page=5, region="main"))


ON_TOPIC = VisitedPage("s.example", FrontierPosition(0, 2), relevant=True, url="http://s.example/edu/2026/5.html", key=9)
HEADLINE = "两市成交额双双回落"


def shown(text: str, anchor: float = 0.0, waits: FrontierPosition | None = None, **options: str | bool) -> FrontierPosition | None:
    """The placement that an article on topic gives to a link in its own folder."""
    link = LinkSeen("http://s.example/edu/2026/6.html", "s.example", anchor, text=text, waits=waits, region="body")
    return Focused().links(ON_TOPIC, [replace(link, **options)])[0]


def test_the_longest_words_of_a_link_count_wherever_they_were_seen():
    silent, explicit = shown(SILENT), shown(HEADLINE)
    assert silent.priority > 3 * explicit.priority
    moved = shown(HEADLINE, waits=silent)
    assert silent.priority > 3 * moved.priority
    assert moved.carried.said == len(HEADLINE)
    assert shown(SILENT, waits=moved) is None
    assert shown("高考报名", TELLING, waits=silent).priority > silent.priority


def test_words_around_a_link_without_words_count():
    assert shown("", context=TELLING).priority > shown("").priority


def test_links_to_the_folder_of_an_article_on_topic_and_to_its_list_go_before_links_elsewhere():
    same_folder, elsewhere = shown(SILENT), shown(SILENT, url="http://s.example/stock/2026/6.html")
    assert same_folder.priority > 2 * elsewhere.priority
    own, other, home = (shown(SILENT, url=f"http://s.example/{path}", hub=True) for path in ("edu/", "stock/", ""))
    assert own.priority > other.priority
    assert own.priority > home.priority


def test_every_page_is_placed_within_the_priorities_and_none_is_lost():
    rich, home = listed("rich", 5, 15, telling=5)
    pages = rich | {"http://s.example/": page(0.0, Shown(home, hub=True), hub=True)}
    assert sorted(order(pages)) == sorted(pages)


def test_a_decay_that_is_no_share_is_refused():
    with pytest.raises(ValueError, match="decay lies between 0 and 1"):
        Focused(decay=1.5)
