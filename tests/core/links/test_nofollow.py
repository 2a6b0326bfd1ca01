"""Links that their page asks not to follow."""

from newsspider.core.extraction.dom.page import parse
from newsspider.core.links.page_links import links_of, page_links
from tests.support.tables import each

URL = "http://example.cn/news/"


@each("read", [links_of, page_links])
@each(
    ("rel", "nofollow"),
    [("nofollow", True), ("NoFollow", True), ("noopener nofollow", True), ("ugc\nnofollow", True), ("", False),
     ("noopener", False), ("nofollow-not", False)],
)  # fmt: skip
def test_rel_nofollow_is_reported(read, rel, nofollow):
    page = parse(f'<p>第一条新闻<a href="1.html" rel="{rel}">学校开学</a>'.encode(), URL)
    assert [link.nofollow for link in read(page)] == [nofollow]


@each("read", [links_of, page_links])
@each("order", [("nofollow", ""), ("", "nofollow")])
def test_a_url_that_is_linked_twice_may_be_followed_if_one_link_may(read, order):
    anchors = "".join(f'<p><a href="1.html" rel="{rel}">{"学校开学" * (n + 1)}</a>' for n, rel in enumerate(order))
    assert [link.nofollow for link in read(parse(anchors.encode(), URL))] == [False]
