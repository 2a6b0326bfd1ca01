"""Moments that only a script shows."""

from datetime import UTC, datetime

from newsspider.core.extraction.article import extract_article
from newsspider.core.extraction.dom.page import parse
from tests.support.tables import each


@each(
    "shown",
    [
        '<span class="time" data-val="1709618880000"></span>',
        '<span id="news-time" data-time="1709618880">加载中</span>',
        "<em class='publish-date' data-timestamp='1709618880'></em>",
        "<div class=date data-value=1709618880></div>",
        '<div>发布时间：<script>document.write("2024-03-05 14:08:00".substring(0,16))</script></div>',
        "<p>日期: <b><script>document.write('2024-03-05 14:08')</script></b></p>",
        "<p>2024-03-05</p><!--enpproperty <url>a</url><date>2024-03-05 14:08:33.0</date><author></author> /enpproperty-->",
    ],
)
def test_a_moment_that_a_script_shows_is_read(shown: str) -> None:
    text = "".join(f"<p>学校不得随意增加作业，也不得提前讲授下一学期的内容，这是第{n}段。</p>" for n in "一二三")
    page = parse(f"<h1>新学期的作业怎么写</h1>{shown}<div>{text}</div>".encode(), "http://www.example.cn/a.html")
    published = extract_article(page, datetime(2024, 6, 15, tzinfo=UTC)).published_at
    assert published is not None
    assert f"{published:%Y-%m-%d %H:%M}" == "2024-03-05 14:08"
