"""Where a text ends: it continues past boxes and includes a table behind it, but not lines elsewhere."""


from tests.core.extraction.bodies import FURTHER, LINKS, LONG, NAV, PARAGRAPHS, RELATED, TEXT, TOP, middle, text_of
from tests.support.tables import each


def test_a_table_of_figures_right_behind_the_text_belongs_to_it() -> None:
    cells = [[f"专业{row}", f"{row}人", f"{row}00分"] for row in range(1, 7)]
    rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in cells)
    inside = f"<table><tr><td>{TEXT}</td></tr></table><table border=1>{rows}</table>"
    assert text_of(f"{TOP}<div>{inside}</div>{RELATED}") == [*PARAGRAPHS, *(cell for row in cells for cell in row)]


def test_a_table_of_links_behind_the_text_does_not_belong_to_it() -> None:
    rows = "".join(f"<tr>{''.join(f'<td><a href=/{row}{n}>栏目{row}{n}</a></td>' for n in range(4))}</tr>" for row in range(6))
    assert text_of(f"{TOP}<div><table><tr><td>{TEXT}</td></tr></table><table>{rows}</table></div>") == PARAGRAPHS


@each(
    "box",
    [
        f"<div><div>热门阅读</div><ul>{LINKS.format('li')}</ul></div>",
        f"<div><h3><span>为您推荐</span></h3>{LINKS.format('p')}</div>",
        f"<p>相关阅读：</p>{LINKS.format('p')}",
        "<div>推荐阅读</div><ul>" + LINKS.format("li") + "</ul>",
    ],
)
def test_the_text_goes_on_behind_links_in_its_middle(box: str) -> None:
    assert text_of(middle(box)) == [*PARAGRAPHS, *FURTHER]


def test_the_last_paragraph_belongs_to_the_text_behind_a_box_and_to_the_links_behind_a_row_of_links() -> None:
    assert text_of(middle(f"<div><p>热门阅读</p>{LINKS.format('p')}</div>", FURTHER[:1])) == [*PARAGRAPHS, *FURTHER[:1]]
    assert text_of(middle(f"<p>热门阅读</p>{LINKS.format('p')}", FURTHER[:1])) == PARAGRAPHS


@each(
    "notice",
    [
        "声明：本文只代表作者本人的看法，转载的时候，请写明作者和出处，谢谢大家的支持。",
        "未经本报许可，任何网站和个人不得转载、摘编本文，违者将被追究责任，特此说明。",
    ],
)
def test_a_notice_behind_a_box_is_not_the_text_going_on(notice: str) -> None:
    assert text_of(middle(f"<div><p>相关阅读</p>{LINKS.format('p')}</div>", [notice])) == PARAGRAPHS


def test_one_link_in_brackets_between_two_paragraphs_is_a_remark() -> None:
    aside = "<p>（<a href=/1.html>熱門點閱：另一篇新聞的標題在這裡</a>）</p>"
    assert text_of(middle(aside, FURTHER[:1])) == [*PARAGRAPHS, *FURTHER[:1]]
    assert text_of(middle(aside.replace("（", "").replace("）", ""), FURTHER[:1])) == PARAGRAPHS


def test_a_line_that_carries_the_headline_of_another_article_is_the_link_itself() -> None:
    assert text_of(middle("<p>相关阅读：另一篇新闻的标题在这里</p>")) == [*PARAGRAPHS, *FURTHER]
    assert text_of(middle("<p>相关阅读：另一篇新闻的标题在这里</p>", FURTHER[:1])) == PARAGRAPHS
    assert text_of(middle("<p>相关阅读：</p>")) == PARAGRAPHS


def test_nothing_goes_on_behind_a_notice_of_rights() -> None:
    assert text_of(middle(f"<p>免责声明</p>{LINKS.format('p')}")) == PARAGRAPHS


def test_summaries_of_successive_links_do_not_continue_the_text() -> None:
    teasers = "".join(f"<p><a href='/{n}.html'>另一篇新闻的标题{n}</a></p><p>{text}</p>" for n, text in enumerate(FURTHER))
    assert text_of(middle(f"<p>相关新闻</p>{teasers}", [])) == PARAGRAPHS


def test_short_lines_in_other_containers_than_the_paragraphs_are_not_the_text() -> None:
    other_article = "<div><div>另一位作者的文章写在这里</div><div>2024-03-01</div></div>"
    assert text_of(f"{NAV}<div>{TOP}<div><p>{''.join(PARAGRAPHS)}</p></div>{other_article}</div>") == ["".join(PARAGRAPHS)]
    assert text_of(f"{NAV}<div>{TOP}<div>{TEXT}<p>（完）</p></div>{other_article}</div>") == [*PARAGRAPHS, "（完）"]


def test_a_table_that_is_much_of_the_text_is_no_edge_of_it() -> None:
    rows = "".join(f"<tr><td><div>第{n}中学高一年级新生</div></td><td><div>{n}号楼二层东侧报到处</div></td></tr>" for n in range(8))
    body_lines = text_of(f"{TOP}<div>{PARAGRAPHS[0]}<br>{PARAGRAPHS[1]}<br>报到的地点如下：<table>{rows}</table></div>")
    assert body_lines[:2] == PARAGRAPHS[:2]
    assert len(body_lines) == 3 + 16


@each(
    "container",
    [
        "<div><p>某某大学教务处</p><p>2024年3月1日</p></div>",
        "<ul><li>报名时间：3月10日至15日</li><li>联系电话：010-12345678</li></ul>",
        "<div><div>附件：</div><div>报名表格样式一</div></div>",
        "<blockquote>春眠不觉晓<br>处处闻啼鸟</blockquote>",
        "<table><tr><td>一等奖</td><td>王小明</td></tr><tr><td>二等奖</td><td>李红</td></tr></table>",
    ],
)
def test_a_nested_container_at_the_end_of_the_text_container_belongs_to_the_text(container: str) -> None:
    line_count = len(text_of(f"{TOP}<div class=content>{LONG}</div>"))
    assert len(text_of(f"{TOP}<div class=content>{LONG}{container}</div>")) >= line_count + 2


def test_a_signature_above_the_text_that_names_the_speaker_stays() -> None:
    above = "<div><p>主讲人：某某中学校长</p><p>地点：某某图书馆二层</p></div>"
    assert text_of(f"{TOP}<div class=content>{above}{LONG}</div>")[0] == "主讲人：某某中学校长"


@each("subhead", ["他的最新作品《远山》", "小编推荐三个赏花好去处", "编辑推荐", "关于我们"])
def test_words_that_head_boxes_end_no_text_among_its_paragraphs(subhead: str) -> None:
    assert text_of(middle(f"<p>{subhead}</p>")) == [*PARAGRAPHS, subhead, *FURTHER]


@each(
    "disclaimer",
    ["文章内容仅供参考，不构成投资建议，投资者据此操作，风险自担。", "部分图片来源于网络，如有侵权，请联系我们删除，谢谢大家的支持。"],
)
def test_disclaimers_behind_related_links_do_not_continue_the_text(disclaimer: str) -> None:
    assert text_of(middle(f"<div><p>相关阅读</p>{LINKS.format('p')}</div>", [disclaimer])) == PARAGRAPHS


def test_days_that_a_text_lists_and_its_own_at_its_end_stay() -> None:
    days = ["报名从这一天开始", "2024-03-05", "笔试在各地的考点举行", "2024-03-15"]
    assert text_of(f"{TOP}<div>{TEXT}{''.join(f'<p>{line}</p>' for line in days)}</div>") == [*PARAGRAPHS, *days]
    rows = "".join(f"<tr><td>第{n}场考试</td><td>2024-03-{n + 10}</td></tr>" for n in range(5))
    assert "2024-03-14" in text_of(f"{TOP}<div>{TEXT}<table>{rows}</table></div>")
