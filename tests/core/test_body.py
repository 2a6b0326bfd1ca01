import pytest

from newsspider.core.body import body_of, comments_of
from newsspider.core.outline import outline_of
from newsspider.core.page import UnreadablePage, parse

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
COMMENTS = (
    "<div class='comment-list'>"
    + "".join(f"<p>网友{i}：我觉得这个通知说得很好，希望各地都能认真做到，不要只写在纸上。</p>" for i in range(9))
    + "</div>"
)
FOOTER = "<div>版权所有 某某网 未经许可，不得转载，违者必究。电话：010-00000000</div>"
LAYOUTS = {
    "paragraphs": "<div class='content'>{}</div>".format("".join(f"<p>　　{p}</p>" for p in PARAGRAPHS)),
    "nested div": "<div><div><div>{}</div></div></div>".format(
        "".join(f"<div><span>{p}</span></div>" for p in PARAGRAPHS)
    ),
    "br": "<div>{}</div>".format("<br><br>　　".join(PARAGRAPHS)),
    "old table": "<table><tr><td><table><tr><td width=120>{}</td><td><font size=3>{}</font></td></tr></table></td></tr></table>".format(
        NAV, "<br>".join(PARAGRAPHS)
    ),
    "rows": "<table>{}</table>".format("".join(f"<tr><td>{p}</td></tr>" for p in PARAGRAPHS)),
    "pre": "<pre>{}</pre>".format("\n".join(PARAGRAPHS)),
    "sections": "<article>{}</article>".format(
        "".join(f"<section><section><p>{p}</p></section></section>" for p in PARAGRAPHS)
    ),
    "a wrapper named for something else": "<div class='sidebar-right'><div>{}</div></div>".format(
        "".join(f"<p>{p}</p>" for p in PARAGRAPHS)
    ),
}


def text_of(markup: str) -> list[str]:
    outline = outline_of(parse(markup.encode(), "http://www.example.cn/a.html"))
    return [outline.lines[i].text for i in body_of(outline).lines]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_gives_the_same_paragraphs(layout: str) -> None:
    top = f"{NAV}<h1>新学期的作业怎么写</h1><div>2024-03-05 14:08 来源：某某报</div>"
    assert text_of(f"<body>{top}{LAYOUTS[layout]}<div>{RELATED}</div>{COMMENTS}{FOOTER}</body>") == PARAGRAPHS


@pytest.mark.parametrize(
    "line",
    [
        "（责任编辑：王小明）",
        "分享到：",
        "打印本页",
        "相关阅读：",
        "上一篇：另一篇",
        "版权声明：未经许可不得转载",
        "扫一扫在手机打开当前页",
        "【关闭窗口】",
    ],
)
def test_the_pages_own_business_is_not_the_text(line: str) -> None:
    inside = "".join(f"<p>{p}</p>" for p in PARAGRAPHS) + f"<p>{line}</p>"
    assert text_of(f"<div>{inside}</div>") == PARAGRAPHS


def test_what_follows_related_news_is_left_out() -> None:
    inside = "".join(f"<p>{p}</p>" for p in PARAGRAPHS)
    assert text_of(f"<div>{inside}<p>相关新闻</p><p>别处的一篇文章，说的是另一件事情。</p></div>") == PARAGRAPHS


def test_hidden_text_is_not_the_text_however_long() -> None:
    hidden = f"<div style='display:none'>{'<p>藏起来的文字，谁也看不见，但是很长很长。</p>' * 60}</div>"
    assert text_of(LAYOUTS["paragraphs"] + hidden) == PARAGRAPHS


def test_a_heading_that_is_never_closed_does_not_swallow_the_text() -> None:
    assert text_of(f"<h1>新学期的作业怎么写<div>{''.join(f'<p>{p}</p>' for p in PARAGRAPHS)}</div>") == PARAGRAPHS


def test_links_inside_a_paragraph_stay() -> None:
    linked = PARAGRAPHS[1].replace("通知", "<a href='/n'>通知</a>", 1)
    assert text_of(f"<div><p>{PARAGRAPHS[0]}</p><p>{linked}</p><p>{PARAGRAPHS[2]}</p></div>")[1] == PARAGRAPHS[1]


def test_an_article_of_one_paragraph_is_found() -> None:
    long = "".join(PARAGRAPHS)
    assert text_of(f"{NAV}<h1>短消息</h1><div class='content'><p>{long}</p></div>{RELATED}{FOOTER}")[0] == long


@pytest.mark.parametrize(
    "markup",
    ["<frameset><frame src=a.html><frame src=b.html></frameset>", NAV, "<p></p>", "x", "<table><tr><td><table>"],
)
def test_pages_without_running_text_have_no_body(markup: str) -> None:
    assert text_of(markup) in ([], ["x"])


def test_deep_markup_is_read_and_bottomless_markup_is_refused() -> None:
    text = "".join(f"<p>{p}</p>" for p in PARAGRAPHS)
    assert text_of("<div>" * 1_500 + text) == PARAGRAPHS
    with pytest.raises(UnreadablePage):  # libxml2 reads 2,048 levels
        text_of("<div>" * 50_000 + text)


TEXT = "".join(f"<p>{p}</p>" for p in PARAGRAPHS)
TOP = "<h1>新学期的作业怎么写</h1><div class=info>2024-03-05 14:08 来源：某某报</div>"


def test_an_introduction_set_apart_above_the_text_belongs_to_it() -> None:
    lead = "各地中小学本周开学，作业怎么布置、课后服务怎么安排，家长们最关心的几个问题都有了答案。"
    assert text_of(f"{TOP}<p class=chapo>{lead}</p><div class=ad>广告</div><div class=content>{TEXT}</div>") == [lead, *PARAGRAPHS]


def test_an_introduction_that_the_text_repeats_stands_once() -> None:
    lead = f"摘要：{PARAGRAPHS[1]}"
    assert text_of(f"{TOP}<div class=summary>{lead}</div><div class=content>{TEXT}</div>") == PARAGRAPHS


def test_a_table_of_figures_right_behind_the_text_belongs_to_it() -> None:
    cells = [[f"专业{row}", f"{row}人", f"{row}00分"] for row in range(1, 7)]
    rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in cells)
    inside = f"<table><tr><td>{TEXT}</td></tr></table><table border=1>{rows}</table>"
    assert text_of(f"{TOP}<div>{inside}</div>{RELATED}") == [*PARAGRAPHS, *(cell for row in cells for cell in row)]


def test_a_table_of_links_behind_the_text_does_not_belong_to_it() -> None:
    rows = "".join(f"<tr>{''.join(f'<td><a href=/{row}{n}>栏目{row}{n}</a></td>' for n in range(4))}</tr>" for row in range(6))
    assert text_of(f"{TOP}<div><table><tr><td>{TEXT}</td></tr></table><table>{rows}</table></div>") == PARAGRAPHS


def test_of_several_posts_the_first_is_the_text_and_the_others_follow() -> None:
    posts = "".join(
        f"<div class=floor><p>{n}楼 发表于 2024-03-0{n}</p><div class='t_f' id='m{n}'><p>{p}</p></div></div>"
        for n, p in enumerate(PARAGRAPHS, 1)
    )
    outline = outline_of(parse(f"<h1>开学了</h1>{posts}".encode(), "http://bbs.example.cn/t.html"))
    body = body_of(outline)
    assert [outline.lines[i].text for i in body.lines] == PARAGRAPHS[:1]
    assert comments_of(outline, body) == tuple(PARAGRAPHS[1:])


def test_paragraphs_in_blocks_of_one_name_are_no_posts() -> None:
    blocks = "".join(f"<div class='text'>{p}</div>" for p in PARAGRAPHS)
    assert text_of(f"{TOP}<div class='article'>{blocks}</div>") == PARAGRAPHS


def test_a_sentence_about_rights_is_no_notice_of_them() -> None:
    sentence = "使用别人的音乐时，一定要获得版权所有者的许可，否则要承担责任。"
    inside = f"<p>{PARAGRAPHS[0]}</p><p>{sentence}</p><p>{PARAGRAPHS[1]}</p>"
    assert text_of(f"{TOP}<div class=content>{inside}</div>")[1] == sentence


def test_headings_whose_style_is_named_for_a_side_stay_in_the_text() -> None:
    first, second, third, _ = PARAGRAPHS
    inside = f"<p>{first}</p><h2 class='arrow-right'>作业写多久？</h2><p class='text-right'>{second}</p><p>{third}</p>"
    assert text_of(f"{TOP}<div class=content>{inside}</div>") == [first, "作业写多久？", second, third]


@pytest.mark.parametrize(
    "line",
    ["（原标题：作业怎么写）", "第1页/共1页 << 上一页 | 下一页 >>", "正在加载...", "關鍵字： 作業 開學", "(本文已被阅读178次)", "點閱"],
)
def test_more_of_the_pages_own_business(line: str) -> None:
    inside = f"<p>{line}</p>{TEXT}" if line.startswith("（") else f"{TEXT}<p>{line}</p>"
    found = text_of(f"{TOP}<div class=content>{inside}</div>")
    assert (found == PARAGRAPHS) == (line != "點閱")


def test_a_programme_of_short_lines_keeps_its_hours() -> None:
    lines = ["会议议程", "上午 开幕式", "地点：报告厅", "主持人：校长", "第一项 来宾介绍", "8:30－8:50 致辞", "9:00－9:50 演讲"]
    inside = "".join(f"<p>{line}</p>" for line in lines)
    assert text_of(f"{TOP}<div class=content>{inside}{TEXT}</div>")[: len(lines)] == lines


def test_an_article_of_named_blocks_is_no_thread_because_of_its_comments() -> None:
    blocks = "".join(f"<div class='text'><p>{p}</p></div>" for p in PARAGRAPHS)
    comments = "".join(f"<div class='pl'><p>{n}楼 网友 发表于 2024-03-0{n}</p><p>说得好。</p></div>" for n in range(1, 6))
    assert text_of(f"{TOP}<div class='article'>{blocks}</div><div>{comments}</div>") == PARAGRAPHS


LINKS = "".join(f"<{{0}}><a href='/{n}.html'>另一篇新闻的标题，写在这里{n}</a></{{0}}>" for n in range(4))
FURTHER = [
    "学校的老师们也在想办法，他们把一周的作业写在同一张表上，谁布置得多，一眼就看得出来。",
    "家长可以在表上签字，也可以写下自己的意见，班主任每个星期五收回去，再同各科老师商量。",
]


def middle(box: str, behind: list[str] = FURTHER) -> str:
    """A text with a box in its middle, in containers that are named for nothing."""
    return f"{TOP}<div><div>{TEXT}{box}{''.join(f'<p>{p}</p>' for p in behind)}</div></div>{FOOTER}"


@pytest.mark.parametrize(
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


def test_a_last_paragraph_behind_a_box_is_of_the_text_and_behind_links_among_paragraphs_it_is_what_is_told_of_them() -> None:
    assert text_of(middle(f"<div><p>热门阅读</p>{LINKS.format('p')}</div>", FURTHER[:1])) == [*PARAGRAPHS, *FURTHER[:1]]
    assert text_of(middle(f"<p>热门阅读</p>{LINKS.format('p')}", FURTHER[:1])) == PARAGRAPHS


@pytest.mark.parametrize(
    "behind",
    [
        "声明：本文只代表作者本人的看法，转载的时候，请写明作者和出处，谢谢大家的支持。",
        "未经本报许可，任何网站和个人不得转载、摘编本文，违者将被追究责任，特此说明。",
    ],
)
def test_a_notice_behind_a_box_is_not_the_text_going_on(behind: str) -> None:
    assert text_of(middle(f"<div><p>相关阅读</p>{LINKS.format('p')}</div>", [behind])) == PARAGRAPHS


def test_nothing_goes_on_behind_a_notice_of_rights() -> None:
    assert text_of(middle(f"<p>免责声明</p>{LINKS.format('p')}")) == PARAGRAPHS


def test_what_is_told_of_one_link_after_the_other_is_not_the_text_going_on() -> None:
    told = "".join(f"<p><a href='/{n}.html'>另一篇新闻的标题{n}</a></p><p>{text}</p>" for n, text in enumerate(FURTHER))
    assert text_of(middle(f"<p>相关新闻</p>{told}", [])) == PARAGRAPHS


@pytest.mark.parametrize("heading", ["网友评论", "热门评论 10条", "评论（12）", "全部评论", "已有23条评论", "讀者留言(9)", "3 Comments"])
def test_what_readers_say_is_known_by_its_heading_however_much_it_is(heading: str) -> None:
    said = "".join(f"<li><div>网友{n}</div><div>我觉得{p}</div><div>3小时前</div></li>" for n, p in enumerate(PARAGRAPHS * 6))
    comments = f"<div><div><h3>{heading}</h3></div><ul>{said}</ul></div>"
    assert text_of(f"{TOP}<div><div>{TEXT}</div>{comments}</div>") == PARAGRAPHS


@pytest.mark.parametrize("heading", ["《作业怎么写》已有3件评论", "网友评论", "# re: 作业怎么写 2024-03-05 12:55 小明"])
def test_what_readers_say_is_known_by_a_heading_in_the_container_of_the_text_too(heading: str) -> None:
    said = "".join(f"<li><p>网友{n}</p><p>我觉得{p}</p></li>" for n, p in enumerate(PARAGRAPHS * 6))
    assert text_of(f"{TOP}<div>{TEXT}<h3>{heading}</h3><ol>{said}</ol></div>") == PARAGRAPHS


@pytest.mark.parametrize("heading", ["为你推荐", "作者最近文章", "猜你喜欢", "关于我们"])
def test_a_box_is_known_by_its_heading(heading: str) -> None:
    told = "".join(f"<dl><dt>另一篇文章{n}</dt><dd>{text}</dd></dl>" for n, text in enumerate(FURTHER))
    assert text_of(f"{TOP}<div><div>{TEXT}</div><div><h4>{heading}</h4><div>{told}</div></div></div>") == PARAGRAPHS


def test_a_container_is_not_known_by_the_heading_of_the_box_that_it_begins_with() -> None:
    box = f"<div><h4>热点推荐</h4>{LINKS.format('p')}</div>"
    assert text_of(f"<div>{box}{TOP}<div>{TEXT}</div></div>{RELATED}") == PARAGRAPHS


def test_a_short_text_is_the_one_below_the_title_and_not_what_a_site_says_of_itself() -> None:
    about = (
        "本站由某某报社主办，内容包括新闻、评论、图片和视频，每天有几十万读者，"
        "在各地都有记者，欢迎读者来信来电提供线索，我们的地址在一号楼二层。"
    )
    short = PARAGRAPHS[0] + PARAGRAPHS[3]
    assert len(about) > len(short)
    title, behind = "<title>新学期的作业怎么写_某某网</title>", f"{RELATED}<div><p>{about}</p><p>电话：010-00000000</p></div>"
    assert text_of(f"{title}{NAV}<div>{TOP}<p>{short}</p></div>{behind}") == [short]


def test_short_lines_in_other_containers_than_the_paragraphs_are_not_the_text() -> None:
    beside = "<div><div>另一位作者的文章写在这里</div><div>2024-03-01</div></div>"
    assert text_of(f"{NAV}<div>{TOP}<div><p>{''.join(PARAGRAPHS)}</p></div>{beside}</div>") == ["".join(PARAGRAPHS)]
    assert text_of(f"{NAV}<div>{TOP}<div>{TEXT}<p>（完）</p></div>{beside}</div>") == [*PARAGRAPHS, "（完）"]


def test_a_table_that_is_much_of_the_text_is_no_edge_of_it() -> None:
    rows = "".join(f"<tr><td><div>第{n}中学高一年级新生</div></td><td><div>{n}号楼二层东侧报到处</div></td></tr>" for n in range(8))
    found = text_of(f"{TOP}<div>{PARAGRAPHS[0]}<br>{PARAGRAPHS[1]}<br>报到的地点如下：<table>{rows}</table></div>")
    assert found[:2] == PARAGRAPHS[:2]
    assert len(found) == 3 + 16


def test_the_container_of_a_well_known_editor_is_not_that_of_the_editors_name() -> None:
    editor = f"<div class='TRS_Editor'>{''.join(f'<p>{p}</p>' for p in PARAGRAPHS)}</div>"
    others = "".join(f"<div><div>{text}</div></div>" for text in FURTHER * 2)
    assert text_of(f"{NAV}{TOP}<table><tr><td>{editor}</td></tr></table>{RELATED}{others}") == PARAGRAPHS
    assert text_of(f"{TOP}<div class=content>{TEXT}<div class='editor'>孙晓，{PARAGRAPHS[0]}</div></div>") == PARAGRAPHS


def test_an_advertisement_between_paragraphs_is_not_the_text() -> None:
    inside = "".join(f"<div><p>{p}</p><div>广告</div></div>" for p in PARAGRAPHS)
    assert text_of(f"{TOP}<div>{inside}</div>") == PARAGRAPHS


LONG = TEXT * 2  # so that what stands behind it is less than a quarter of it


@pytest.mark.parametrize(
    "behind",
    [
        "<div><p>某某大学教务处</p><p>2024年3月1日</p></div>",
        "<ul><li>报名时间：3月10日至15日</li><li>联系电话：010-12345678</li></ul>",
        "<div><div>附件：</div><div>报名表格样式一</div></div>",
        "<blockquote>春眠不觉晓<br>处处闻啼鸟</blockquote>",
        "<table><tr><td>一等奖</td><td>王小明</td></tr><tr><td>二等奖</td><td>李红</td></tr></table>",
    ],
)
def test_what_stands_in_the_container_of_the_text_in_a_container_of_its_own_is_of_the_text(behind: str) -> None:
    plain = len(text_of(f"{TOP}<div class=content>{LONG}</div>"))
    assert len(text_of(f"{TOP}<div class=content>{LONG}{behind}</div>")) >= plain + 2


def test_a_signature_above_tells_who_speaks_and_stays() -> None:
    above = "<div><p>主讲人：某某中学校长</p><p>地点：某某图书馆二层</p></div>"
    assert text_of(f"{TOP}<div class=content>{above}{LONG}</div>")[0] == "主讲人：某某中学校长"


@pytest.mark.parametrize("heading", ["网友留言：", "网友回应", "读者留言", "最新回应", "留言1"])
def test_questions_and_answers_in_one_container_are_all_of_the_text(heading: str) -> None:
    inside = f"<p>{heading}</p>".join(f"<p>{p}</p>" for p in PARAGRAPHS)
    found = text_of(f"{TOP}<div class=content>{inside}</div>")
    assert [line for line in found if line in PARAGRAPHS] == PARAGRAPHS


@pytest.mark.parametrize(
    "head",
    [
        "<h1>推荐阅读｜十本好书伴你过暑假</h1>",
        "<p>相关报道您怎么看？</p>",
        "<h4>推荐阅读1：《某某的夏天》</h4>",
        "<p>版权声明制度改革启动</p>",
    ],
)
def test_a_container_is_headed_by_a_whole_line_only(head: str) -> None:
    title = "<title>推荐阅读｜十本好书伴你过暑假_某某报</title>"
    teasers = "".join(f"<div><a href='/{n}.html'>另一篇新闻的标题{n}</a><p>{p}</p></div>" for n, p in enumerate(FURTHER * 2))
    found = text_of(f"{title}<div><div>{head}{TEXT}</div></div><div>{RELATED}{teasers}</div>")
    assert [line for line in found if line in PARAGRAPHS] == PARAGRAPHS


@pytest.mark.parametrize("subhead", ["他的最新作品《远山》", "小编推荐三个赏花好去处", "编辑推荐", "关于我们"])
def test_words_that_head_boxes_end_no_text_among_its_paragraphs(subhead: str) -> None:
    assert text_of(middle(f"<p>{subhead}</p>")) == [*PARAGRAPHS, subhead, *FURTHER]


def test_what_is_advertised_in_a_table_of_subjects_is_no_advertisement() -> None:
    cells = "".join(f"<tr><td>{name}</td><td>{n}0人</td><td>四年</td></tr>" for n, name in enumerate(["广告", "会计", "推广", "历史"], 1))
    found = text_of(f"{TOP}<div class=content>{TEXT}<table>{cells}</table></div>")
    assert {"广告", "推广"} <= set(found)


@pytest.mark.parametrize(
    "behind",
    ["文章内容仅供参考，不构成投资建议，投资者据此操作，风险自担。", "部分图片来源于网络，如有侵权，请联系我们删除，谢谢大家的支持。"],
)
def test_notices_whose_words_stand_within_are_not_the_text_going_on(behind: str) -> None:
    assert text_of(middle(f"<div><p>相关阅读</p>{LINKS.format('p')}</div>", [behind])) == PARAGRAPHS
