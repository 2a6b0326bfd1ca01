"""Links that read like articles that were off topic, in the same crawl and in the next one."""

from pathlib import Path

from newsspider.core.url import url_key
from newsspider.crawl.link_filter import TRIED_ONE_IN
from tests.support.newsroom import ALONE, Answer, Newsroom, story, watched
from tests.support.portal import rows, scrapy

TRIPS = "暑期“学生潮”来袭，{}市酒店涨价{}%"
SENTENCE = "<p>第{}家旅行社说，今年夏天海岛和古城的酒店订满了，游客比去年多，机票也涨了价，景区延长了开放时间。</p>"
BODY = "".join(map(SENTENCE.format, range(6)))


def trip(path: str, title: str) -> Answer:
    head, date = f"<head><title>{title}</title></head>", "<div>2026-11-01 08:00</div>"
    return 200, f"<html>{head}<body><h1>{title}</h1>{date}{BODY}<p>{path}</p></body></html>", {}


def test_what_reads_like_an_article_off_topic_is_not_asked_for_and_what_reads_like_others_is(tmp_path: Path) -> None:
    titles = {f"/2026/1101/{n}.html": TRIPS.format(place, n / 10) for n, place in enumerate(("青河", "安丰", "白沙", "长桥"), 311)}
    lessons = [f"/2026/1101/{n}.html" for n in range(101, 105)]
    listed: list[str] = []

    def make(room: Newsroom) -> None:
        def page() -> Answer:
            items = "".join(f"<li><a href='{path}'>{titles.get(path, '学校教育改革座谈会' + path[-8:])}</a></li>" for path in listed)
            return 200, f"<html><head><title>教育新闻</title></head><body><ul>{items}</ul></body></html>", {}

        room.pages["/list"] = page
        room.pages.update({path: lambda path=path, title=title: trip(path, title) for path, title in titles.items()})
        room.pages.update({path: lambda path=path: story(path) for path in lessons})

    with watched("127.0.0.81", tmp_path, make) as (room, desk):
        listed += [*lessons[:3], next(iter(titles))]
        scrapy(desk.database, "crawl", "education", "-a", f"sites={desk.sites}", *ALONE)
        assert {hit.path for hit in room.hits} >= set(listed)
        desk.later(3600)
        listed[:] = [*titles, *lessons]
        scrapy(desk.database, "crawl", "education", "-a", f"sites={desk.sites}", *ALONE)
        requested = {hit.path for hit in room.hits}
        refused = [path for path in titles if path not in requested]
        explained = scrapy(desk.database, "explain", room.base + refused[-1])
    assert refused == [path for path in list(titles)[1:] if url_key(room.base + path) % TRIED_ONE_IN]
    assert set(lessons) <= requested
    assert "暑期“学生潮”来袭，青河市酒店涨价31.1%" in explained.stdout
    stored = {url.removeprefix(room.base) for (url,) in rows(desk.database, "SELECT url FROM articles")}
    assert stored == set(lessons)


def test_vague_words_are_not_followed_on_a_front_page(tmp_path: Path) -> None:
    vague, clear = "/2026/1101/500.html", "/2026/1101/501.html"
    other = ("两市成交额双双回落 券商股领跌", "主队加时赛逆转取胜 晋级八强", "新款手机发布 续航提升三成")
    titles = {vague: "这个夏天，他们一起去了海边", clear: "教育部公布高考招生改革方案"}
    titles |= {f"/2026/1101/{n}.html": f"{other[n % 3]}{n}" for n in range(600, 616)}

    def make(room: Newsroom) -> None:
        items = "".join(f"<li><a href='{path}'>{words}</a><span>2026-11-01</span></li>" for path, words in titles.items())
        room.pages["/list"] = lambda: (200, f"<html><head><title>要闻</title></head><body><ul>{items}</ul></body></html>", {})
        room.pages.update({path: lambda path=path: story(path, title=titles[path]) for path in titles})

    with watched("127.0.0.81", tmp_path, make) as (room, desk):
        scrapy(desk.database, "crawl", "education", "-a", f"sites={desk.sites}", *ALONE)
        requested = {hit.path for hit in room.hits}
        explained = scrapy(desk.database, "explain", room.base + vague)
    assert requested & titles.keys() == {clear}
    assert "in a list of which" in explained.stdout
