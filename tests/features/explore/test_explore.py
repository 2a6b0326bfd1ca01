"""Explore crawls of small webs on the loopback address, as processes of their own."""

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.walk import Walk
from newsspider.features.explore.rules.strategy_names import STRATEGIES, make_strategy
from tests.support.events import until
from tests.support.explore_crawls import HOST, LINKED, QUICK, explore
from tests.support.portal import exported, rows, scrapy, start
from tests.support.webs import Visits, Web

BY_LINKS = sorted(set(STRATEGIES) - {"query"})


@pytest.fixture(scope="module")
def linked() -> Iterator[tuple[str, Visits]]:
    with LINKED.served(HOST) as served:
        yield served


@pytest.fixture
def web(linked: tuple[str, Visits]) -> tuple[str, Visits]:
    """The web of links, before any request."""
    linked[1].paths.clear()
    return linked


def walked(base: str, name: str, seed: str = "a") -> str:
    """The order of the walk in memory on the same graph."""
    walk = Walk(LINKED.graph(base), make_strategy(name))
    walk.seed([f"{base}/{seed}"])
    return " ".join(url[len(base) + 1 :] for url in walk.visits())


@pytest.mark.parametrize("name", BY_LINKS)
def test_a_crawl_visits_the_pages_in_the_order_of_the_walk_in_memory(
    tmp_path: Path, web: tuple[str, Visits], name: str
) -> None:
    base, visits = web
    assert explore(tmp_path / "n.db", name, f"{base}/a") == 0
    assert visits.names() == walked(base, name)
    assert len(visits.paths) > 3


def test_the_store_of_an_explore_crawl_that_stored_articles_is_sound(tmp_path: Path, web: tuple[str, Visits]) -> None:
    assert explore(tmp_path / "n.db", "best-first", f"{web[0]}/a") == 0
    assert rows(tmp_path / "n.db", "SELECT count(*) FROM articles") != [(0,)]
    checked = scrapy(tmp_path / "n.db", "store", "check")
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.parametrize("name", ["depth-first", "fish", "webcrawler", "page-weight"])
def test_a_crawl_that_stopped_at_its_limit_goes_on_exactly_there(
    tmp_path: Path, web: tuple[str, Visits], name: str
) -> None:
    base, visits = web
    codes = [explore(tmp_path / "n.db", name, f"{base}/a", "-a", f"pages={pages}") for pages in (3, 4)]
    assert codes == [4, 4]
    assert len(visits.paths) == 7
    assert explore(tmp_path / "n.db", name, f"{base}/a") == 0
    assert visits.names() == walked(base, name)


def test_a_crawl_that_was_killed_goes_on_exactly_there(tmp_path: Path) -> None:
    slow = ("-s", "DELAY_MIN_SECONDS=0.2")
    with LINKED.served("127.0.0.88") as (base, visits):
        arguments = ("crawl", "explore", "-a", "strategy=depth-first", "-a", f"seeds={base}/a", *QUICK, *slow)
        for pages in (3, 8):
            process = start(tmp_path / "n.db", *arguments, log=tmp_path / "log")
            until(lambda: len(visits.paths) >= pages, process, 30)  # noqa: B023 -- called at once
            process.send_signal(signal.SIGKILL)
            process.wait()
        assert explore(tmp_path / "n.db", "depth-first", f"{base}/a") == 0
        assert len(visits.twice()) <= 2  # what was under way when the crawl was killed
        assert " ".join(dict.fromkeys(path[1:] for path in visits.paths)) == walked(base, "depth-first")


def test_the_limits_have_the_exit_codes_of_the_topic_spider(tmp_path: Path, web: tuple[str, Visits]) -> None:
    base, visits = web
    assert explore(tmp_path / "n.db", "breadth-first", f"{base}/a", "-a", "articles=2") == 3
    assert len(exported(tmp_path / "n.db")) == 2
    assert explore(tmp_path / "n.db", "breadth-first", f"{base}/a", "-a", "minutes=0.0001") == 5
    assert explore(tmp_path / "n.db", "breadth-first", f"{base}/a") == 0
    visits_before = len(visits.paths)
    assert explore(tmp_path / "n.db", "breadth-first", f"{base}/a") == 0
    assert len(visits.paths) == visits_before, "a crawl that is finished asks for nothing"
    assert explore(tmp_path / "n.db", "breadth-first", f"{base}/nowhere") == 7
    assert explore(tmp_path / "n.db", "breadth-first", f"{base}/a", "-a", "depth=1", "-a", "name=shallow") == 0
    assert visits.names().endswith(" nowhere a b c d")


def test_only_articles_on_topic_are_stored(tmp_path: Path, web: tuple[str, Visits]) -> None:
    base, _ = web
    assert explore(tmp_path / "n.db", "best-first", f"{base}/a") == 0
    stored = {article["url"][len(base) :]: article for article in exported(tmp_path / "n.db")}
    assert set(stored) == {"/b", "/d", "/e", "/g/x", "/k"}
    assert {article["site"].split("-")[0] for article in stored.values()} == {"explore:best"}


def test_robots_nofollow_traps_and_suffixes_hold_as_for_the_topic_spider(tmp_path: Path) -> None:
    web = Web("a: closed/x b quiet", "closed/x: c", "b*: d", "quiet: e", "d", "e", "c", "f", "g")
    web.add("/robots.txt", "User-agent: *\nDisallow: /closed/\n")
    web.add("/quiet", web.pages["/quiet"].replace("<head>", "<head><meta name=robots content=nofollow>"))
    links = '<a href="/f" rel="nofollow">f</a><a href="/g.pdf">g</a><a href="/g/g/g/g/g">g</a><a href="http://10.0.0.1/">h</a>'
    web.add("/b", web.pages["/b"].replace("</ul>", f"</ul>{links}"))
    with web.served("127.0.0.89") as (base, visits):
        assert explore(tmp_path / "n.db", "breadth-first", f"{base}/a") == 0
        assert visits.names() == "a b quiet d"
        reasons = dict(rows(tmp_path / "n.db", f"SELECT replace(url, '{base}', ''), reason FROM urls"))
    assert reasons["/closed/x"] == "robots"
    assert (reasons["/g.pdf"], reasons["/g/g/g/g/g"], reasons["http://10.0.0.1/"]) == ("suffix", "trap", "address")
    assert "/f" not in reasons
    assert "/e" not in reasons


def test_rbse_discovers_without_an_article_and_indexes_what_it_discovered_later(
    tmp_path: Path, web: tuple[str, Visits]
) -> None:
    base, visits = web
    database = tmp_path / "n.db"
    assert explore(database, "rbse", f"{base}/a", "-a", "stage=discover", "-a", "pages=6") == 4
    assert exported(database) == []
    assert rows(database, "SELECT count(*) FROM discovered_pages") == [(6,)], "kept until they are indexed"
    titles = dict(rows(database, f"SELECT replace(url, '{base}/', ''), title FROM explore_pages JOIN urls USING (key)"))
    assert titles.keys() == {"a", "b", "c", "d", "e", "f"}
    assert titles["b"] == "学校教育改革座谈会第1场举行"
    assert rows(database, "SELECT count(*) FROM list_links")[0][0] > 12

    visits.paths.clear()
    assert explore(database, "rbse", f"{base}/a", "-a", "stage=index") == 0
    assert visits.names() == "", "what was discovered is not fetched again"
    index = "SELECT url FROM urls WHERE site LIKE '%/index' AND state = 'done' AND kind <> 'robots'"
    assert sorted(url[-1] for (url,) in rows(database, index)) == ["a", "b", "c", "d", "e", "f"]
    assert {article["url"][len(base) :] for article in exported(database)} == {"/b", "/d", "/e"}
    assert rows(database, "SELECT count(*) FROM discovered_pages") == [(0,)]
    assert rows(database, "SELECT count(*) FROM snapshots") == [(3,)], "those of the articles"

    visits.paths.clear()
    assert explore(database, "rbse", f"{base}/a", "-a", "start=unvisited", "-a", "depth=1") == 0
    assert visits.names().startswith("g/x h g/y i j k")
    assert explore(database, "rbse", f"{base}/a", "-a", "stage=index") == 0, "nothing new was discovered without indexing"


def test_the_worm_keeps_titles_anchors_and_faults_and_tries_a_failed_first_page_again(tmp_path: Path) -> None:
    web = Web("b*: c+", "c")
    with web.served("127.0.0.90") as (base, visits):
        assert explore(tmp_path / "n.db", "worm", f"{base}/a") == 7
        web.add("/a", Web("a*: b+").pages["/a"].replace("</h1>", ""))
        assert explore(tmp_path / "n.db", "worm", f"{base}/a") == 0
        assert explore(tmp_path / "n.db", "worm", f"{base}/a") == 0
        assert visits.names() == "a a b c", "the archive is carried over: nothing is read twice"
        explained = scrapy(tmp_path / "n.db", "explain", f"{base}/a").stdout
        assert "not_ended h1 line 1" in explained
        assert "中小学教育改革" in scrapy(tmp_path / "n.db", "explain", f"{base}/b").stdout


def test_pages_are_visited_again_after_their_update_cycle(tmp_path: Path) -> None:
    with Web("a: b", "b*: c", "c: a").served("127.0.0.91") as (base, visits):
        cycle = ("-a", "cycle_seconds=1")
        assert explore(tmp_path / "n.db", "breadth-first", f"{base}/a", *cycle) == 0
        until(lambda: rows(tmp_path / "n.db", "SELECT max(due_at) FROM urls WHERE kind <> 'robots'")[0][0] <= time.time())
        assert explore(tmp_path / "n.db", "breadth-first", f"{base}/a", *cycle) == 0
        assert sorted(visits.names().split()) == ["a", "a", "b", "b", "c", "c"]


def test_crawls_do_not_disturb_each_other(tmp_path: Path, web: tuple[str, Visits]) -> None:
    base, visits = web
    database = tmp_path / "n.db"
    assert explore(database, "depth-first", f"{base}/a", "-a", "pages=4") == 4
    assert explore(database, "breadth-first", f"{base}/a", "-a", "pages=5") == 4
    assert explore(database, "depth-first", f"{base}/a", "-a", "pages=3") == 4
    depth, breadth = walked(base, "depth-first").split(), walked(base, "breadth-first").split()
    assert visits.names().split() == depth[:4] + breadth[:5] + depth[4:7]
    by_crawl = dict(rows(database, "SELECT site, visits FROM explore_crawls"))
    assert sorted(by_crawl.values()) == [5, 7]


def test_the_same_seeds_are_another_crawl_for_another_topic(tmp_path: Path, web: tuple[str, Visits]) -> None:
    base, visits = web
    for topic in ("topic=education", "topic=flood", None):
        arguments = [] if topic is None else ["-a", topic]
        assert explore(tmp_path / "n.db", "breadth-first", f"{base}/a", "-a", "depth=1", *arguments) == 0
    assert visits.names() == "a b c d a b c d", "the last run, whose topic is that of the settings, had nothing left to do"


def test_a_crawl_stays_on_its_host_or_within_the_given_domain(tmp_path: Path) -> None:
    with Web("x").served("127.0.0.92") as (other, others):
        near = Web("a: b", "b*: c", "c")
        near.add("/b", near.pages["/b"].replace("</ul>", f'</ul><a href="{other}/x">x</a>'))
        with near.served("127.0.0.93") as (base, visits):
            assert explore(tmp_path / "n.db", "breadth-first", f"{base}/a", "-a", "stay=1") == 0
            assert explore(tmp_path / "w.db", "breadth-first", f"{base}/a", "-a", "within=127.0.0.93") == 0
            assert others.paths == []
            assert explore(tmp_path / "o.db", "breadth-first", f"{base}/a") == 0
            assert others.names() == "x"
            assert visits.names() == "a b c a b c a b c"


def test_a_redirect_is_followed_in_the_place_of_its_page(tmp_path: Path) -> None:
    web = Web("a: old z", "new*: y", "y", "z")
    web.add("/old", '<html><head><meta http-equiv=refresh content="0; url=/new"></head><body>moved</body></html>')
    with web.served("127.0.0.94") as (base, visits):
        assert explore(tmp_path / "n.db", "depth-first", f"{base}/a") == 0
        assert visits.names() == "a old new y z"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("strategy=magic", "seeds=http://a.cn/"), "there are polling, breadth-first"),
        (("strategy=query", "seeds=http://a.cn/"), "scrapy crawl query"),
        (("strategy=fish",), "-a seeds=FILE|URL,..."),
        (("strategy=fish", "name=unknown"), "no such crawl was begun"),
        (("strategy=fish", "seeds=http://a.cn/", "widht=3"), "fish has width, energy, depth"),
        (("strategy=fish", "seeds=http://a.cn/", "width=many"), "-a width=many: say a whole number from 0 to 32767"),
        (("strategy=rbse", "seeds=http://a.cn/", "order=random"), "order is breadth-first or depth-first"),
        (("strategy=fish", "seeds=/nowhere"), "No such file"),
        (("strategy=fish", "seeds=bad.txt"), "bad.txt, line 4: 'ftp://b.cn/' is not an http or https URL"),
        (("strategy=fish", "seeds=http://169.254.1.1/"), "not public"),
        (("strategy=fish", "seeds=http://a.cn/x.pdf"), "no page by its suffix"),
        (("strategy=fish", "seeds=http://a.cn/", "pages=0"), "-a pages=0: say a whole number from 1 to 1000000000"),
        (("strategy=fish", "seeds=http://a.cn/", "name=a b"), "name=a b"),
        (("strategy=fish", "name=x", "stay=1"), "stay=1: say the seeds"),
        (("strategy=fish", "seeds=http://a.cn/", "within=a b"), "no domain"),
        (("strategy=fish", "seeds=http://a.cn/", "topic=nothing"), "nothing"),
        (("strategy=rbse", "start=unvisited"), "-a seeds=FILE|URL,..."),
    ],
)
def test_wrong_use_is_refused_with_one_sentence(tmp_path: Path, arguments: tuple[str, ...], expected: str) -> None:
    file = tmp_path / "bad.txt"
    file.write_text("# seeds\n\nhttp://a.cn/ 5  # a good one\nftp://b.cn/\n", encoding="utf-8")
    options = [word for argument in arguments for word in ("-a", argument.replace("bad.txt", str(file)))]
    done = scrapy(tmp_path / "n.db", "crawl", "explore", *options)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    usage, sentence = done.stderr.splitlines()
    assert usage == "usage: scrapy crawl [options] <spider>"
    assert expected in sentence


def test_the_bloom_memory_serves_strategies_that_move_nothing(tmp_path: Path, web: tuple[str, Visits]) -> None:
    base, visits = web
    bloom = ("-s", "SEEN_FILTER=bloom", "-s", "SEEN_ERROR_RATE=0.000001")
    assert explore(tmp_path / "n.db", "breadth-first", f"{base}/a", "-a", "pages=6", *bloom) == 4
    assert explore(tmp_path / "n.db", "breadth-first", f"{base}/a", *bloom) == 0
    assert visits.names() == walked(base, "breadth-first")


def test_the_topic_spider_refuses_a_memory_that_loses_pages(tmp_path: Path) -> None:
    done = scrapy(tmp_path / "n.db", "crawl", "education", "-s", "SEEN_FILTER=bloom")
    assert done.returncode == 2
    assert "it loses pages" in done.stderr
