"""Lists that lead to ever more lists: few fetches are wasted on them, and no large real list loses an article."""

from itertools import pairwise
from pathlib import Path

import pytest

from tests.support.newsroom import Answer, Newsroom, listing, story, watched
from tests.support.portal import rows, scrapy

ARTICLES = tuple(f"/2026/1101/{n}.html" for n in range(101, 105))
MOST_WASTED = 31  # 20, half as many that the first one paid for, and the first one
MANY = 200


def with_frames(links: tuple[str, ...], frames: list[str]) -> Answer:
    status, text, headers = listing(*links)
    return status, text.replace("</body>", "".join(f'<iframe src="{url}"></iframe>' for url in frames) + "</body>"), headers


def sitemap(room: Newsroom, *paths: str, of: str = "url") -> Answer:
    entries = "".join(f"<{of}><loc>{room.base}{path}</loc></{of}>" for path in paths)
    root = "urlset" if of == "url" else "sitemapindex"
    text = f'<?xml version="1.0"?><{root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</{root}>'
    return 200, text, {"Content-Type": "text/xml"}


def frames_of_itself(room: Newsroom) -> None:
    """Every frame shows the same articles and ever new frames."""

    def answer(path: str) -> Answer | None:
        if path.startswith("/list"):
            return with_frames(ARTICLES, [f"/list?view={len(room.hits)}x{n}" for n in range(300)])
        return story(path) if path in ARTICLES else None

    room.out = answer


def frames_all_over(room: Newsroom) -> None:
    """The same, each frame in a folder of its own."""

    def answer(path: str) -> Answer | None:
        if path in ARTICLES:
            return story(path)
        number = str(1000 + len(room.hits))
        names = ["".join(chr(97 + int(digit)) for digit in f"{number}{n}") for n in range(300)]
        return with_frames(ARTICLES, [f"/{name}/list" for name in names])

    room.out = answer


def sitemaps_of_nothing_new(room: Newsroom) -> None:
    def answer(path: str) -> Answer | None:
        if path == "/list":
            return sitemap(room, *(f"/map{n}.xml" for n in range(300)), of="sitemap")
        return story(path) if path in ARTICLES else sitemap(room, *ARTICLES)

    room.out = answer


@pytest.mark.parametrize(
    ("make", "kind", "most"),
    [(frames_of_itself, "list", MOST_WASTED), (frames_all_over, "list", 70), (sitemaps_of_nothing_new, "sitemap", MOST_WASTED)],
)
def test_a_list_that_leads_to_ever_new_lists_wastes_little_and_its_articles_are_read(tmp_path: Path, make, kind: str, most: int) -> None:
    options = ("-s", "TRAP_SITE_FETCHES=30")
    with watched("127.0.0.79", tmp_path, make, *options, channels={"list": kind}) as (room, desk):
        done = desk.round()
        first = len(room.hits)
        desk.round()
    assert done.returncode == 0, done.stderr[-2000:]
    stored = {url.removeprefix(room.base) for (url,) in rows(desk.database, "SELECT url FROM articles")}
    assert stored == set(ARTICLES)
    assert len(ARTICLES) + 1 < first <= len(ARTICLES) + 1 + most
    assert len(room.hits) - first <= 1 + most, "only what was read is asked for again"
    assert rows(desk.database, "SELECT count(*) FROM urls WHERE state IN ('waiting', 'processing')") == [(0,)]
    refused = rows(desk.database, "SELECT url, detail FROM urls WHERE reason = 'trap' AND state = 'done'")
    assert refused
    assert all(detail.startswith("too many lists ") and detail.endswith(" showed nothing new") for _, detail in refused)
    assert f"detail     {refused[0][1]}" in scrapy(desk.database, "explain", refused[0][0]).stdout


def test_an_index_of_hundreds_of_sitemaps_is_read_whole_and_again_with_a_new_one(tmp_path: Path) -> None:
    maps = [f"/map{n}.xml" for n in range(MANY)]

    def fill(room: Newsroom) -> None:
        def answer(path: str) -> Answer | None:
            if path == "/list":
                return sitemap(room, *maps, of="sitemap")
            return sitemap(room, f"/2026/1101/{path[4:-4]}.html") if path.startswith("/map") else story(path)

        room.out = answer

    with watched("127.0.0.79", tmp_path, fill, channels={"list": "sitemap"}) as (room, desk):
        assert desk.round().returncode == 0
        assert rows(desk.database, "SELECT count(*) FROM articles") == [(MANY,)]
        maps.append(f"/map{MANY}.xml")
        hits_before = len(room.hits)
        assert desk.round().returncode == 0
    assert rows(desk.database, "SELECT count(*) FROM articles") == [(MANY + 1,)]
    assert len(room.hits) - hits_before == 1 + MANY + 1 + 1, "the index, all its sitemaps and the new article"


def test_a_list_is_paged_through_for_hundreds_of_pages(tmp_path: Path) -> None:
    pages = ["/list", *(f"/list_{n}.html" for n in range(2, MANY + 1))]
    following = dict(pairwise(pages))

    def fill(room: Newsroom) -> None:
        def answer(path: str) -> Answer | None:
            if path not in pages:
                return story(path)
            status, text, headers = listing(f"/2026/1101/{100 + pages.index(path)}.html")
            further = f'<div class="pages"><a href="{following[path]}">下一页</a></div>' if path in following else ""
            return status, text.replace("</body>", f"{further}</body>"), headers

        room.out = answer

    with watched("127.0.0.79", tmp_path, fill, "-s", "LIST_MAX_PAGES=300") as (_, desk):
        assert desk.round().returncode == 0
    assert rows(desk.database, "SELECT count(*) FROM articles") == [(MANY,)]
