"""What stands behind the table below a text is found as if there were no table."""

from datetime import UTC, datetime

from newsspider.core.extraction.article import extract_article
from newsspider.core.extraction.dom.page import parse
from newsspider.core.model import Article
from tests.core.extraction.bodies import FOOTER, NAV, TEXT
from tests.support.tables import each

ROWS = [
    ("某某一中", "120", "甲组"),
    ("某某二中", "110", "乙组"),
    ("某某三中", "95", "甲组"),
    ("某某四中", "90", "丙组"),
]
TABLE = "<table>{}</table>".format(
    "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in ROWS)
)
SIGNS = [
    ("（王小明）", ("王小明",), None),
    ("作者：王小明", ("王小明",), None),
    ("文/王小明", ("王小明",), None),
    ("来源：某某日报", (), "某某日报"),
    ("（来源：某某日报）", (), "某某日报"),
    ("供稿单位：教务处", (), "教务处"),
]
LAYOUTS = [
    "<div class=c>{text}{table}<p>{sign}</p></div>",
    "<div class=c>{text}{table}</div><p>{sign}</p>",
    "<div class=c>{text}</div>{table}<p>{sign}</p>",
    "<div class=w><div class=c>{text}</div>{table}<div><p>{sign}</p></div></div>",
    "<div class=w><div class=c>{text}</div><div>{table}</div><div>{sign}</div></div>",
]


def read_with(layout: str, table: str, sign: str) -> Article:
    main = layout.format(text=TEXT, table=table, sign=sign)
    markup = f"{NAV}<h1>新学期的作业怎么写</h1><div>2024-03-05 14:08</div>{main}{FOOTER}"
    return extract_article(parse(markup.encode(), "http://www.example.cn/a.html"), datetime(2024, 3, 6, tzinfo=UTC))


@each("layout", LAYOUTS)
@each(("sign", "authors", "source"), SIGNS)
@each("table", ["", TABLE])
def test_a_sign_off_is_read(layout: str, table: str, sign: str, authors: tuple[str, ...], source: str | None) -> None:
    article = read_with(layout, table, sign)
    assert (article.authors, article.source) == (authors, source)


@each("layout", LAYOUTS)
def test_the_labels_in_a_table_are_read(layout: str) -> None:
    cells = ("来源", "某某日报"), ("作者", "王小明"), ("编辑", "李红玉"), ("浏览", "120")
    table = "<table>" + "".join(f"<tr><td>{label}：{value}</td></tr>" for label, value in cells) + "</table>"
    article = read_with(layout, table, "")
    assert (article.source, article.editors) == ("某某日报", ("李红玉",))
