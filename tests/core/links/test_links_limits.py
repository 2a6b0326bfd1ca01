"""Hostile pages are read in time proportional to their length."""

import time

from newsspider.core.extraction.dom.page import parse
from newsspider.core.extraction.dom.script_data import with_packed_data
from newsspider.core.links.page_links import links_of
from tests.support.tables import each

HOSTILE = {
    "spaces within the words of a button": "下一页 location <span data-href='/2/'>next" + " " * 200_000 + "x</span>",
    "buttons of a pager without a count": '"index" + "_" + nextPage + ".html"; ' * 50 + "currentPage = 1; " * 40_000,
    "digits beside a link": "<a href=/1.html><div>a</div><div>" + "1" * 200_000 + "</div></a>",
    "long names with dots": "".join(f"<a href='/{'a.b-c+' * 330}{n}@'>x</a>" for n in range(300)),
    "assignments of what is no data": "<script>" + "var a={\n" * 100_000 + "</script>",
    "texts of data that never end": "<script>" + "a=JSON.parse('\n" * 50_000 + "</script>",
}


@each("markup", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_list_is_read_in_a_few_seconds(markup: str) -> None:
    page = parse(f"<body>{markup}".encode(), "http://a.cn/list.html", "text/html; charset=utf-8")
    started = time.process_time()
    links_of(page)
    with_packed_data(page)
    assert time.process_time() - started < 4.0  # 0.6 s at most on an idle machine, 10 s to minutes before
