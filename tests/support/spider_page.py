"""The examples of docs/how-to/write-a-spider.md and the host that they crawl."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.serving import TEXT, Answer, served

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "write-a-spider.md"
EXAMPLES = re.findall(r"^```(toml|python)\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
HOST = "127.0.0.235"
FAST = "delay_seconds = 0.01\ndelay_reason = \"a test\"\n"


def page(n: int) -> Answer:
    """Its title and its source stand where the general reader does not expect them."""
    text = "".join(TEXT.format(n=f"{n}-{line}") for line in range(12))
    headline = f"<div class=headline>学校教育改革座谈会第{n}场</div><span class=from>教育周刊{n}</span>"
    sidebar = "<div>学校教育通知公告栏目</div>"
    return 200, f"<html><head><meta charset=utf-8><title>学校</title></head><body>{sidebar}{headline}<div>{text}</div></body></html>", {}


def listing(numbers: range, following: str) -> Answer:
    items = "".join(f'<li><a href="/2024/{n}.html">学校教育改革座谈会第{n}场</a></li>' for n in numbers)
    ranks = '<div id="ranks"><li><a href="/2024/99.html">学校教育热门排行第九十九条</a></li></div>'
    further = f'<a class="next" href="{following}">下页</a>' if following else ""
    return 200, f"<html><meta charset=utf-8><title>要闻</title><body><div id=news>{items}</div>{further}{ranks}</body></html>", {}


def play(path: str, _: int) -> Answer:
    if path in ("/list.html", "/news/"):
        return listing(range(1, 4), "/list2.html")
    if path == "/list2.html":
        return listing(range(4, 6), "")
    match = re.fullmatch(r"/2024/(\d+)\.html", path)
    return page(int(match[1])) if match else (404, "", {})


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    with served(HOST, play) as (url, _):
        yield url


def example(kind: str, word: str, base: str) -> str:
    """The example of this kind that holds a word, with its host replaced."""
    (text,) = [text for language, text in EXAMPLES if language == kind and word in text]
    return text.replace("https://www.example.edu.cn", base).replace("www.example.edu.cn", HOST)
