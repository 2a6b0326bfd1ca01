"""Small webs of one host: the same pages as a server and as a graph for the walk in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from bench.walk import GraphPage, Shown
from newsspider.core.extraction.article import extract_article
from newsspider.core.extraction.dom.page import parse
from newsspider.core.links.page_links import links_of, page_links, texts_around
from newsspider.core.relevance.document import Document
from newsspider.core.relevance.scoring import score
from newsspider.features.explore.explored_page import leads_to_list
from newsspider.topics.loader import load_topic
from tests.support.serving import Answer, served

ABOUT = "第{n}所学校的教师和学生参加了今年的教育改革座谈会，会上讨论了课程、招生与考试的安排，家长也谈了看法。"
ELSE = "第{n}场足球比赛昨晚结束，主队以三比一取胜，球迷在体育场外庆祝到深夜，教练对防守仍不满意。"
ANCHORS = {"+": "中小学教育改革", "-": "足球比赛", "~": "更多"}  # what a link says: on topic, off topic, nothing


class Web:
    """Pages of one host, drawn by hand: ``a*: b+ d/c-`` is a page on topic that links to b and d/c, whose anchors say
    something about the topic, or something else; ``~`` (or no sign) says nothing."""

    def __init__(self, *lines: str) -> None:
        self.pages: dict[str, str] = {}
        for number, line in enumerate(lines):
            name, _, links = line.partition(":")
            self.pages["/" + name.rstrip("*")] = _page(name, number, links.split())

    def add(self, path: str, html: str) -> None:
        """A page as it is."""
        self.pages[path] = html

    def play(self, path: str, _: int) -> Answer:
        """What the server answers."""
        html = self.pages.get(path)
        return (404, "no such page", {}) if html is None else (200, html, {})

    def graph(self, base: str) -> dict[str, GraphPage]:
        """The pages as the walk has them, with the scores of the topic that is shipped."""
        topic, pages = load_topic("education"), {}
        for path, html in self.pages.items():
            page = parse(html.encode(), base + path, "text/html")
            article = extract_article(page, datetime.now(UTC))
            around, placed = texts_around(page), {link.url: link for link in links_of(page)}
            links = [
                Shown(
                    link.url, score(topic, Document(anchor=link.text)).score, score(topic, Document(anchor=around[link.url])).score,
                    leads_to_list(placed[link.url]), link.text, str(placed[link.url].region),
                )
                for link in page_links(page)
            ]  # fmt: skip
            document = Document(article.title or "", article.text, article.meta_title or "", article.headings)
            pages[base + path] = GraphPage(score(topic, document).score, tuple(links))
        return pages

    @contextmanager
    def served(self, host: str) -> Iterator[tuple[str, Visits]]:
        """The server's base URL, and what it was asked for."""
        visits = Visits()

        def play(path: str, times: int) -> Answer:
            visits.note(path)
            return self.play(path, times)

        with served(host, play) as (base, _):
            yield base, visits


class Visits:
    """The pages that a server was asked for, in their order."""

    def __init__(self) -> None:
        self.paths: list[str] = []

    def note(self, path: str) -> None:
        """One more request."""
        if path != "/robots.txt":
            self.paths.append(path)

    def names(self) -> str:
        """The names of the pages."""
        return " ".join(path[1:] for path in self.paths)

    def twice(self) -> list[str]:
        """What was asked for more than once."""
        return [path for path, times in Counter(self.paths).items() if times > 1]


def _page(name: str, number: int, links: list[str]) -> str:
    text = "".join(f"<p>{(ABOUT if name.endswith('*') else ELSE).format(n=f'{number}之{line}')}</p>" for line in range(8))
    title = f"学校教育改革座谈会第{number}场举行" if name.endswith("*") else f"足球比赛第{number}场的结果"
    items = "".join(_link(link) for link in links)
    return f"<html><head><meta charset=utf-8><title>{title}</title></head><body><h1>{title}</h1>{text}<ul>{items}</ul></body></html>"


def _link(link: str) -> str:
    sign = link[-1] if link[-1] in ANCHORS else "~"
    return f'<li><a href="/{link.rstrip("+-~")}">{ANCHORS[sign]}</a></li>'
