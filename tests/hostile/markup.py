"""Pages that are whole and true, but made to keep a reader busy or to fill its memory."""

from functools import partial

from tests.hostile.articles import HOSTILE, article, listing, title_of
from tests.hostile.behaviour import Behaviour, Call, Play, page
from tests.hostile.server import GOOD

Shape = partial(Behaviour, group="markup", state="done", reason="stored")
TooMuch = partial(Behaviour, group="markup", state="error", reason="unreadable")
Pages = partial(Behaviour, group="markup", state="done", reason="polled", path="/hostile/", kind="list", most=40)
FIGURES = "9" * 5000


def behind(markup: str, head: str = "") -> Play:
    """The article, and this behind its text."""
    return page(lambda call: article(call.number, HOSTILE, head=head, after=markup))


def list_page(markup: str) -> Play:
    """A list of the real articles, and this behind it."""
    return page(lambda call: listing({path: title_of(call.number, n) for path, n in GOOD.items()}, after=markup))


def numbered(piece: str, count: int) -> str:
    """``piece`` so many times, ``{}`` in it a number that goes up."""
    return "".join(piece.replace("{}", str(number)) for number in range(count))


def long_paragraph(call: Call) -> str:
    text = article(call.number, HOSTILE)
    first, last = text.index("<p>") + 3, text.rindex("</p>")
    words = text[first:last].replace("</p>\n<p>", "")
    return text[:first] + words * (7_000_000 // len(words.encode())) + text[last:]


def many_paragraphs(call: Call) -> str:
    return article(call.number, HOSTILE).replace("</div>", numbered("<p>第{}所学校的教师讨论了课程改革与招生安排。</p>\n", 35_000) + "</div>")


ROWS = (
    Shape("line-breaks", does="200,000 <br> behind the text", play=behind("<br>" * 200_000)),
    TooMuch("nested-boxes", does="50,000 boxes within each other behind the text", play=behind("<div>" * 50_000), detail="nested"),
    TooMuch("attributes", does="a tag with 25,000 attributes", play=behind("<b " + numbered("a{}=1 ", 25_000) + ">a</b>"), detail="limit"),
    TooMuch("long-attribute", does="an attribute of 6 MB", play=behind(f'<b style="{"a:b;" * 1_500_000}">a</b>'), detail="limit"),
    TooMuch("long-paragraph", does="a text of 7 MB in one paragraph", play=page(long_paragraph), detail="limit"),
    Shape("many-paragraphs", does="35,000 paragraphs", play=page(many_paragraphs)),
    TooMuch("many-links", does="100,000 links behind the text", play=behind(numbered("<a href=/x/{}.htm>学校教育</a>", 100_000)), detail="limit"),
    TooMuch("many-ampersands", does="6 million & behind the text", play=behind("&" * 6_000_000), detail="limit"),
    TooMuch("comment-of-megabytes", does="a comment of 6 MB that never ends", play=behind("<!--" + "- " * 3_000_000), detail="limit"),
    Shape("script-of-megabytes", does="a script of 6 MB that never ends", play=behind("<script>" + "var a = 1;" * 600_000)),
    Shape("many-metas", does="50,000 <meta>", play=behind("", numbered("<meta name=n{} content=学校>", 50_000))),
    Shape("deep-json", does="JSON-LD of 100,000 lists within each other", play=behind("", "<script type='application/ld+json'>" + "[" * 100_000 + "</script>")),
    Shape("image-in-the-page", does="a picture of 1.5 MB within the markup", play=behind(f'<img src="data:image/png;base64,{"iVBORw0KGgo" * 140_000}">')),
    TooMuch("long-links", does="2,000 links of 3,000 letters", play=behind(numbered(f"<a href='/x/{{}}/{'a' * 3000}'>学校</a>", 2000)), detail="limit"),
    Shape("ten-thousand-links", does="10,000 links behind the text", play=behind(numbered("<a href=/x/{}.htm>学校教育</a>", 10_000))),
    Shape("long-anchors", does="a link whose text has 2 million letters", play=behind(f"<a href=/x/1.htm>{'学校' * 1_000_000}</a>"), most=20),
    Shape("long-title", does="a title of 600,000 letters", play=page(lambda call: article(call.number, HOSTILE, title=title_of(call.number, HOSTILE) + "学校教育" * 150_000)), title=None),
    Pages("pager-of-figures", does="a pager that counts 5,000 figures of pages", play=list_page(f"<script>createPageHTML({FIGURES}, 0, 'index', 'html');</script>")),
    Pages("page-number-of-figures", does="a next page of 5,000 figures", play=list_page(f"<div class=page><span>{FIGURES}</span><a href='/hostile/{FIGURES}'>下一页</a></div>")),
    Pages("list-of-links", does="a list of 100,000 links to nowhere", play=list_page(numbered("<a href='http://10.0.0.1/{}.html'>学校教育新闻报道</a>", 100_000)), state="error", reason="unreadable", detail="limit"),
    Pages("list-of-breaks", does="a list with 200,000 <br>", play=list_page("<br>" * 200_000)),
    Pages("list-with-base-loops", does="a list whose links climb 2,000 folders", play=list_page(f"<a href='{'../' * 2000}{'a/' * 900}'>学校教育新闻报道</a>" * 100)),
)  # fmt: skip
