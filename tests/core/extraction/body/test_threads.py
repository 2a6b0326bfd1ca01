"""The first post of a thread is its text, its date and its author, however short it is beside the replies."""

from datetime import UTC, datetime

from newsspider.core.extraction.article import extract_article
from newsspider.core.extraction.dom.page import parse
from newsspider.core.model import Article
from tests.support.tables import each

NOW = datetime(2024, 6, 15, tzinfo=UTC)
ASKED = "孩子一年级不肯写拼音，怎么办？"
ANSWER = "别着急，我家孩子也是这样，后来每天只写两行，写完就下楼踢球，一个多月以后自己就肯拿笔了。"
REPLIES = [("江边柳", "2024-03-05 16:08"), ("小石头", "2024-03-06 09:01")]


def thread(first: str, reply: str) -> Article:
    """A forum page with one post for each piece of markup, filled with author, time and text."""
    posts = "".join(reply.format(f"<a href=/user/{at}/>{name}</a>", moment, ANSWER) for at, (name, moment) in enumerate(REPLIES))
    opening = first.format("<a href=/user/7/>北岸听风</a>", "2024-03-05 14:08", ASKED)
    markup = f"<title>不肯写拼音怎么办</title><body><h1>不肯写拼音怎么办</h1>{opening}<div class=all>{posts}</div></body>"
    return extract_article(parse(markup.encode(), "http://bbs.example.cn/thread-12-1-1.html"), NOW)


@each(
    ("first", "reply"),
    [
        ("<div class=post><p>{} {}</p><div>{}</div></div>", "<div class=post><p>{} {}</p><div>{}</div></div>"),
        ("<div><p>{} {}</p><div class=message>{}</div></div>", "<li><p>{} {}</p><div class=message>{}</div></li>"),
        ("<table><tr><td>{}<td>发表于 {}<p>{}</table>", "<table><tr><td>{}<td>发表于 {}<p>{}</table>"),
        ("<article><p>{} {}</p>{}</article>", "<article><p>{} {}</p>{}</article>"),
    ],
)
def test_the_first_post_is_the_text_whatever_the_replies_weigh(first: str, reply: str) -> None:
    article = thread(first, reply)
    assert article.text == ASKED
    assert article.published_at is not None
    assert f"{article.published_at:%Y-%m-%d %H:%M}" == "2024-03-05 14:08"
    assert article.authors == ("北岸听风",)


def test_a_page_without_a_row_of_posts_keeps_its_text() -> None:
    assert thread("<div>{} {}<p>{}</p></div>", "").text == ASKED


@each(("byline", "names"), [("楼主 北岸听风 发表于", ("北岸听风",)), ("楼主 发表于", ())])
def test_who_began_a_thread_stands_behind_the_word_for_it(byline: str, names: tuple[str, ...]) -> None:
    markup = f"<title>不肯写拼音怎么办</title><body><h1>不肯写拼音怎么办</h1><div>{byline} 2024-03-05 14:08</div><p>{ASKED}{ANSWER}</p>"
    assert extract_article(parse(markup.encode(), "http://bbs.example.cn/thread-12-1-1.html"), NOW).authors == names
