"""Articles in several pages: a whole crawl joins them exactly, whatever the site's way to number them, and follows no other pager."""

import json
import sys
from pathlib import Path

import pytest

from tests.support.portal import rows, scrapy
from tests.support.serving import QUICK, Answer, served, site

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

LINE = "第{n}篇第{part}页第{line}段：学校的教师和学生参加了今年的教育改革座谈会，会上讨论了课程、招生与考试的安排。"
# How the page of a part is called, by its number from 1; the first page has no number, or 0 comes first.
WAYS = {
    "name": lambda n, part: f"/a/{n}.html" if part == 1 else f"/a/{n}_{part}.html",
    "from one": lambda n, part: f"/b/t2024_{n}.html" if part == 1 else f"/b/t2024_{n}_{part - 1}.html",
    "query": lambda n, part: f"/c/view?id={n}" if part == 1 else f"/c/view?id={n}&page={part}",
    "folder": lambda n, part: f"/d/2024050{n}" if part == 1 else f"/d/2024050{n}/{part}",
}
PARTS = {1: 3, 2: 2, 3: 4}  # article: pages
ARTICLES = [(way, n) for way in WAYS for n in PARTS]


def lines(way: str, n: int, part: int) -> list[str]:
    return [LINE.format(n=f"{way}{n}", part=part, line=line) for line in range(1, 5)]


def page(way: str, n: int, part: int) -> Answer:
    path, title = WAYS[way], f"教育改革座谈会纪要之{way}{n}"
    links = "".join(f'<a href="{path(n, other)}">[{other}]</a>' for other in range(1, PARTS[n] + 1) if other != part)
    following = path(n, part + 1) if part < PARTS[n] else f"/a/9{n}.html"  # behind the last part another article
    body = "".join(f"<p>{line}</p>" for line in lines(way, n, part))
    return 200, (
        f"<html><head><meta charset=utf-8><title>{title}</title></head><body><h1>{title}</h1><div>2024-05-01 10:00 来源：某某日报</div>"
        f'<div class=content>{body}</div><div class=pages>{links}<a href="{following}">下一页</a></div></body></html>'
    ), {}


def play(path: str, _: int) -> Answer:
    if path == "/list.html":
        items = "".join(f'<li><a href="{WAYS[way](n, 1)}">教育改革座谈会纪要之{way}{n}</a> 2024-05-01</li>' for way, n in ARTICLES)
        return 200, f"<html><head><meta charset=utf-8><title>教育新闻列表</title></head><body><ul>{items}</ul></body></html>", {}
    for way, n in ARTICLES:
        for part in range(1, PARTS[n] + 1):
            if path == WAYS[way](n, part):
                return page(way, n, part)
    return 404, "", {}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, dict[str, int]]:
    folder = tmp_path_factory.mktemp("parts")
    with served("127.0.0.115", play) as (base, requests):
        sites = site(folder, base, {"/list.html": 5})
        done = scrapy(folder / "parts.db", "crawl", "education", "-a", f"sites={sites}", "-a", "topic=any", *QUICK)
        assert done.returncode == 0, done.stderr[-2000:]
    return folder / "parts.db", base, dict(requests)


def test_every_article_is_joined_exactly_and_stands_under_its_first_page(crawled: tuple[Path, str, dict[str, int]]) -> None:
    database, base, _ = crawled
    stored = dict(rows(database, "SELECT url, text FROM articles"))
    expected = {
        base + WAYS[way](n, 1): "\n".join(line for part in range(1, PARTS[n] + 1) for line in lines(way, n, part)) for way, n in ARTICLES
    }
    assert stored == expected


def test_a_further_page_is_settled_as_joined_to_the_article_and_asked_for_once(crawled: tuple[Path, str, dict[str, int]]) -> None:
    database, base, requests = crawled
    further = {base + WAYS[way](n, part): base + WAYS[way](n, 1) for way, n in ARTICLES for part in range(2, PARTS[n] + 1)}
    assert dict(rows(database, "SELECT url, detail FROM urls WHERE reason = 'joined'")) == further
    assert {requests[url.removeprefix(base)] for url in further} == {1}


def test_every_further_page_has_its_snapshot(crawled: tuple[Path, str, dict[str, int]]) -> None:
    database, base, _ = crawled
    named = {str(url): json.loads(str(parts)) for url, parts in rows(database, "SELECT url, parts FROM articles")}
    expected = {base + WAYS[way](n, 1): [base + WAYS[way](n, part) for part in range(2, PARTS[n] + 1)] for way, n in ARTICLES}
    assert {url: [part["url"] for part in parts] for url, parts in named.items()} == expected
    content = {str(name): zstd.decompress(bytes(packed)) for name, packed in rows(database, "SELECT name, content FROM snapshots")}
    assert len(content) == sum(PARTS[n] for _, n in ARTICLES), "a snapshot a page, none besides"
    for way, n in ARTICLES:
        for number, part in enumerate(named[base + WAYS[way](n, 1)], 2):
            assert lines(way, n, number)[0].encode() in content[part["snapshot"]]


def test_the_next_article_is_no_page_of_this_one(crawled: tuple[Path, str, dict[str, int]]) -> None:
    assert not [path for path in crawled[2] if path.startswith("/a/9")]


def test_the_joined_article_has_its_keywords_fingerprint_and_the_snapshot_of_its_first_page(
    crawled: tuple[Path, str, dict[str, int]],
) -> None:
    database, _, _ = crawled
    counts = rows(
        database,
        "SELECT count(DISTINCT k.article_id), count(DISTINCT f.article_id), count(DISTINCT s.name), count(DISTINCT a.id) FROM articles a"
        " LEFT JOIN keywords k ON k.article_id = a.id LEFT JOIN fingerprints f ON f.article_id = a.id"
        " LEFT JOIN snapshots s ON s.name = a.snapshot",
    )
    assert counts == [(len(ARTICLES),) * 4]
    assert json.loads(str(rows(database, "SELECT authors FROM articles LIMIT 1")[0][0])) == []
