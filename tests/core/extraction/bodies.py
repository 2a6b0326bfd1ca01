"""Sample pages for the tests of body extraction, and the text that is extracted from them."""

from newsspider.core.extraction.body.body import body_of
from newsspider.core.extraction.dom.outline import outline_of
from newsspider.core.extraction.dom.page import parse

PARAGRAPHS = [
    "教育部今天发布通知，要求各地中小学在新学期开学后认真落实课程方案。",
    "通知说，学校不得随意增加作业，也不得提前讲授下一学期的内容，家长可以向学校反映情况。",
    "记者在城里的几所小学看到，课后服务的时间延长到了下午六点，孩子们在操场上踢球、下棋。",
    "“作业在学校就写完了。”一位母亲说，“回家以后我们一起读书。”",
]
NAV = "<ul>" + "".join(f"<li><a href='/c{i}'>频道{i}</a></li>" for i in range(20)) + "</ul>"
RELATED = (
    "<ul>" + "".join(f"<li><a href='/{i}.html'>另一篇新闻的标题，写在这里{i}</a></li>" for i in range(12)) + "</ul>"
)
FOOTER = "<div>版权所有 某某网 未经许可，不得转载，违者必究。电话：010-00000000</div>"


def text_of(markup: str) -> list[str]:
    outline = outline_of(parse(markup.encode(), "http://www.example.cn/a.html"))
    return [outline.lines[i].text for i in body_of(outline).lines]


TEXT = "".join(f"<p>{p}</p>" for p in PARAGRAPHS)
TOP = "<h1>新学期的作业怎么写</h1><div class=info>2024-03-05 14:08 来源：某某报</div>"
LINKS = "".join(f"<{{0}}><a href='/{n}.html'>另一篇新闻的标题，写在这里{n}</a></{{0}}>" for n in range(4))
FURTHER = [
    "学校的老师们也在想办法，他们把一周的作业写在同一张表上，谁布置得多，一眼就看得出来。",
    "家长可以在表上签字，也可以写下自己的意见，班主任每个星期五收回去，再同各科老师商量。",
]


def middle(box: str, paragraphs: list[str] = FURTHER) -> str:
    """A text with a box in its middle, in containers whose names say nothing."""
    return f"{TOP}<div><div>{TEXT}{box}{''.join(f'<p>{p}</p>' for p in paragraphs)}</div></div>{FOOTER}"


LONG = TEXT * 2  # so long that the rest behind the box is less than a quarter of it
