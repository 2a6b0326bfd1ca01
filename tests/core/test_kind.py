from datetime import UTC, datetime

import pytest

from newsspider.core.article import read
from newsspider.core.kind import kind_of
from newsspider.core.model import Kind
from newsspider.core.page import parse

NOW = datetime(2024, 6, 15, tzinfo=UTC)
TEXT = "<p>教育部今天发布通知，要求各地中小学认真落实课程方案，不得随意增加作业，家长可以反映情况。</p>"
HEADLINES = (
    "<ul>"
    + "".join(f"<li><a href='/{i}.html'>某地学校的新闻标题写在这里第{i}条</a> 03-{i:02}</li>" for i in range(1, 31))
    + "</ul>"
)
ARTICLE = f"<title>新学期的作业怎么写_某某网</title><h1>新学期的作业怎么写</h1><div>2024-03-05 14:08</div><div>{TEXT * 6}</div>"


def kind(markup: str, url: str = "http://www.example.cn/a/1.html") -> Kind:
    page = parse(markup.encode(), url)
    return kind_of(page, read(page, NOW), ())


@pytest.mark.parametrize(
    ("markup", "url", "expected"),
    [
        (ARTICLE, "http://www.example.cn/a/1.html", Kind.ARTICLE),
        (ARTICLE + HEADLINES, "http://www.example.cn/a/1.html", Kind.ARTICLE),
        (ARTICLE.replace(TEXT * 6, TEXT) + HEADLINES, "http://www.example.cn/a/1.html", Kind.ARTICLE),
        (ARTICLE, "http://blog.example.cn/u/1.html", Kind.BLOG),
        (ARTICLE, "http://bbs.example.cn/thread-12-1-1.html", Kind.FORUM),
        ('<meta name="generator" content="Discuz! X3.4">' + ARTICLE, "http://www.example.cn/a.html", Kind.FORUM),
        ("<title>教育新闻_某某网</title>" + HEADLINES, "http://www.example.cn/jy/", Kind.LIST),
        ("<title>某某网</title>" + HEADLINES + f"<div>{TEXT * 2}</div>", "http://www.example.cn/", Kind.LIST),
        ("<title>404 Not Found</title><h1>404 Not Found</h1>", "http://www.example.cn/a.html", Kind.ERROR),
        ("<title>提示信息</title><p>抱歉，您访问的页面不存在或已被删除。</p>", "http://www.example.cn/a", Kind.ERROR),
        ("<title>用户登录</title><form><input name=u><input type=password></form>", "http://www.example.cn/l", Kind.LOGIN),
        ("<title>高清图集：开学第一天</title>" + "<img src=a.jpg>" * 8 + TEXT, "http://photo.example.cn/p/1.html", Kind.GALLERY),
        ("<title>某某</title><p>短</p>", "http://www.example.cn/a", Kind.OTHER),
        (f"<div>{TEXT * 3}</div>", "http://www.example.cn/a", Kind.ARTICLE),  # a text speaks for itself without a title
        (f"<div>{TEXT * 2}</div>", "http://www.example.cn/a", Kind.OTHER),
        ("<frameset><frame src=a.html></frameset>", "http://www.example.cn/f.html", Kind.OTHER),
    ],
)  # fmt: skip
def test_a_page_is_what_its_shape_and_words_say(markup: str, url: str, expected: Kind) -> None:
    assert kind(markup, url) is expected


def test_an_article_about_vanished_pages_is_no_error() -> None:
    assert kind(ARTICLE.replace("作业怎么写", "页面不存在")) is Kind.ARTICLE


def test_an_article_with_a_login_box_is_no_login() -> None:
    assert kind("<form><input type=password>登录</form>" + ARTICLE) is Kind.ARTICLE


def test_the_opening_post_is_the_body_of_a_thread() -> None:
    posts = "".join(
        f"<div class=reply><p>回复{i}：说得对，我们学校也是这样做的，大家都很满意。</p></div>" for i in range(8)
    )
    opening = f"<h1>作业怎么写</h1><div>楼主 发表于 2024-3-5 14:08</div><div class=t_f>{TEXT * 3}</div>"
    markup = f"<title>作业怎么写 - 论坛</title>{opening}{posts}"
    page = parse(markup.encode(), "http://bbs.example.cn/thread-1-1-1.html")
    article = read(page, NOW)
    assert kind_of(page, article, ()) is Kind.FORUM
    assert "回复" not in article.text
    assert article.text.count("教育部今天发布通知") == 3


@pytest.mark.parametrize("title", ["关于我们", "会员5的空间", "版权声明"])
def test_a_page_about_the_site_is_no_article(title: str) -> None:
    markup = f"<title>{title}_某某网</title><h1>{title}</h1><p>某某网{title}。如需帮助，请与我们联系。</p>"
    assert kind(markup) is Kind.OTHER


def test_a_long_page_about_the_site_is_no_article_either_and_a_dated_one_is() -> None:
    text = "<p>某某网是一家教育新闻网站，二十年来一直报道学校和老师的故事，欢迎来信来电。</p>" * 6
    assert kind(f"<title>关于我们_某某网</title><h1>关于我们</h1><div class=content>{text}</div>") is Kind.OTHER
    dated = f"<title>关于我们这一代_某某网</title><h1>关于我们这一代</h1><div>2024-03-05 10:00</div><div class=content>{text}</div>"
    assert kind(dated) is Kind.ARTICLE
