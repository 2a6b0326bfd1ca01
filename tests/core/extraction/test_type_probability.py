"""The more signs of a type a page has, the higher is the probability of that type."""

from datetime import UTC, datetime

from newsspider.core.extraction.article import read
from newsspider.core.extraction.dom.page import parse
from newsspider.core.extraction.page_type import page_type_of
from newsspider.core.extraction.type_probability import OF_ARTICLES, OF_LISTS, OF_OTHERS, probability_of
from newsspider.core.links.page_links import links_of
from newsspider.core.model import PageType
from tests.support.tables import each

NOW = datetime(2024, 6, 1, tzinfo=UTC)
SENTENCE = "教育部门今天召开座谈会，各地学校的教师和学生参加了会议，会上讨论了课程与考试的安排。"
INFO = "<div>2024-05-05 10:00 来源：某某日报</div>"


def judged(markup: str, url: str = "http://www.a.cn/a/1.html") -> tuple[PageType, float]:
    page = parse(markup.encode(), url, "text/html; charset=utf-8")
    article, links = read(page, NOW), links_of(page)
    kind = page_type_of(page, article, links)
    return kind, probability_of(kind, page, article, links)


def article(paragraphs: int, *, info: str = INFO, link_count: int = 0) -> str:
    text = "".join(f"<p>{n}、{SENTENCE}</p>" for n in range(paragraphs))
    links = "".join(f"<li><a href='/a/{n}.html'>另外一篇文章的标题说的是别的事情之{n}</a></li>" for n in range(100, 100 + link_count))
    title = "各地学校举行教育改革座谈会"
    return f"<title>{title}_某某网</title><h1>{title}</h1>{info}<div class=content>{text}</div><div class=side><ul>{links}</ul></div>"


def listing(items: int, *, title: str = "教育新闻频道_某某网") -> str:
    headlines = [f"<a href='/a/{n}.html'>各地学校举行教育改革座谈会第{n}场</a><span>05-0{n % 9 + 1}</span>" for n in range(items)]
    links = "".join(f"<li>{headline}</li>" for headline in headlines)
    return f"<title>{title}</title><ul>{links}</ul>"


def test_a_long_dated_article_is_surer_than_a_short_one_among_many_links() -> None:
    whole, short = judged(article(12)), judged(article(2, link_count=12))
    assert whole == (PageType.ARTICLE, OF_ARTICLES[5])
    assert short[0] is PageType.ARTICLE
    assert short[1] < whole[1]
    assert judged(article(12, info=""))[1] < whole[1]


def test_a_long_list_that_is_named_one_is_surer_than_a_short_one_of_another_name() -> None:
    whole, short = judged(listing(30), "http://www.a.cn/list/"), judged(listing(7, title="各地学校举行教育改革座谈会"))
    assert whole == (PageType.LIST, OF_LISTS[5])
    assert short[0] is PageType.LIST
    assert short[1] < whole[1]


@each(
    ("markup", "kind"),
    [
        ("<title>404 Not Found</title><h1>404</h1>", PageType.ERROR),
        ("<title>用户登录</title><form><input name=u><input type=password></form>", PageType.LOGIN),
        ("<title>关于我们_某某网</title><h1>关于我们</h1><p>某某网关于我们。如需帮助，请与我们联系。</p>", PageType.OTHER),
    ],
)
def test_kinds_of_which_few_pages_were_judged_have_one_probability_each(markup: str, kind: PageType) -> None:
    assert judged(markup) == (kind, OF_OTHERS[kind])


def test_more_signs_are_never_less_probable() -> None:
    assert list(OF_ARTICLES) == sorted(OF_ARTICLES)
    assert list(OF_LISTS) == sorted(OF_LISTS)
    assert 0 < min(*OF_ARTICLES, *OF_LISTS, *OF_OTHERS.values()) <= max(*OF_ARTICLES, *OF_LISTS) < 1
