"""The title on which the list page and the article page agree."""

from newsspider.core.extraction.dom.page import parse
from newsspider.core.extraction.title.title import choose_headline
from tests.support.tables import each

PAGE = parse(
    """<html><head><title>云川招考</title></head><body><a href="/1">别处的一篇文章标题</a>
    <div class="bt">三所学校今秋开学，新增学位三千个</div>
    <h2>主题：四个年级下周放假，通知已经发出</h2><p>正文。</p></body></html>""".encode(),
    "http://a.example/1.htm",
)


@each(
    ("title", "anchor", "expected"),
    [
        ("云川招考", "三所学校今秋开学，新增学位三千个", "三所学校今秋开学，新增学位三千个"),
        ("云川招考", "三所学校今秋开学，新增…", "三所学校今秋开学，新增学位三千个"),
        ("云川招考", "主题: 三所学校今秋开学，新增…", "三所学校今秋开学，新增学位三千个"),
        ("云川招考", "四个年级下周放假，通知已经发出", "四个年级下周放假，通知已经发出"),  # behind a label there
        ("云川招考", "三所学校今秋开学，新增", "云川招考"),  # not cut, and no line of the page
        ("云川招考", "别处的一篇文章标题", "云川招考"),  # only as a link
        ("三所学校今秋开学，新增学位三千个", "三所学校今秋开学", "三所学校今秋开学，新增学位三千个"),
        ("云川招考", "更多", "云川招考"),
        (None, "三所学校今秋开学", "三所学校今秋开学"),
        (None, "http://a.example/1.htm", None),
        (None, "", None),
    ],
)
def test_the_page_keeps_its_title_unless_the_list_names_another_line_of_it(
    title: str | None, anchor: str, expected: str | None
) -> None:
    assert choose_headline(PAGE, title, anchor) == expected
