from datetime import UTC, datetime

from newsspider.core.extraction.article import extract_article
from newsspider.core.extraction.dom.page import parse
from newsspider.core.model import Image
from tests.support.tables import each

NOW = datetime(2024, 6, 15, tzinfo=UTC)
LINE = "教育部今天发布通知，要求各地中小学认真落实课程方案，不得随意增加作业。"
BASE = "http://www.example.cn/2024/"


def images(inside: str, around: str = "") -> tuple[Image, ...]:
    text = f"<p>{LINE}</p>" * 3
    markup = f"<title>新学期作业新规_某网</title><h1>新学期作业新规</h1><div class=content>{text}{inside}{text}</div>{around}"
    return extract_article(parse(markup.encode(), BASE + "a.html"), NOW).images


@each(
    ("markup", "image"),
    [
        ("<p><img src='1.jpg'></p>", Image(BASE + "1.jpg")),
        ("<p><img src='/blank.gif' data-src='/p/1.jpg'></p>", Image("http://www.example.cn/p/1.jpg")),
        ("<p><img src='1.jpg'></p><p>图为学生在上课。</p>", Image(BASE + "1.jpg", "图为学生在上课。")),
        ("<p><img src='1.jpg'></p><p>学生在上课。王小明 摄</p>", Image(BASE + "1.jpg", "学生在上课。王小明 摄")),
        ("<figure><img src='1.jpg'><figcaption>操场上的孩子们</figcaption></figure>", Image(BASE + "1.jpg", "操场上的孩子们")),
        ("<div><img src='1.jpg'><p class='pictext'>操场上的孩子们</p></div>", Image(BASE + "1.jpg", "操场上的孩子们")),
        ("<p><img src='1.jpg' alt='操场上的孩子们'></p>", Image(BASE + "1.jpg", "操场上的孩子们")),
        ("<p><img src='1.jpg' alt='新学期作业新规'></p>", Image(BASE + "1.jpg")),
        ("<p><img src='1.jpg' alt='DSC_0012.JPG'></p>", Image(BASE + "1.jpg")),
        ("<p><img src='1.jpg'></p>" + f"<p>{LINE}</p>", Image(BASE + "1.jpg")),
    ],
)
def test_a_picture_of_the_text_has_its_caption(markup: str, image: Image) -> None:
    assert images(markup) == (image,)


@each(
    "markup",
    [
        "<img src='/images/logo.png'>",
        "<img src='1.jpg' width=16 height=16>",
        "<img src='data:image/gif;base64,R0lGODlhAQABAAAAACw='>",
        "<img>",
        "<div class='share'><img src='weibo.jpg'></div>",
    ],
)
def test_what_decorates_the_page_is_no_picture_of_the_text(markup: str) -> None:
    assert images(markup) == ()


def test_pictures_of_other_blocks_are_not_those_of_the_text() -> None:
    others = "<ul>" + "".join(f"<li><a href='/{n}.html'><img src='{n}.jpg'>另一篇新闻的标题{n}</a></li>" for n in range(9)) + "</ul>"
    assert images("<img src='x.jpg'><img src='x.jpg'>", others) == (Image(BASE + "x.jpg"),)
