

from datetime import UTC, datetime

import pytest

from newsspider.core.extraction.article import extract_article
from newsspider.core.extraction.body.body import body_of, comments_of
from newsspider.core.extraction.dom.outline import outline_of
from newsspider.core.extraction.dom.page import UnreadablePageError, parse
from newsspider.core.extraction.page_type import page_type_of
from newsspider.core.model import PageType
from tests.core.extraction.bodies import (
    FOOTER,
    FURTHER,
    LINKS,
    LONG,
    NAV,
    PARAGRAPHS,
    RELATED,
    TEXT,
    TOP,
    middle,
    text_of,
)
from tests.support.tables import each

COMMENTS = (
    "<div class='comment-list'>"
    + "".join(f"<p>网友{i}：我觉得这个通知说得很好，希望各地都能认真做到，不要只写在纸上。</p>" for i in range(9))
    + "</div>"
)
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
    "two p": "<td><p>{}<p>{}</td>".format("<br>".join(PARAGRAPHS[:-1]), PARAGRAPHS[-1]),
    "pre": "<pre>{}</pre>".format("\n".join(PARAGRAPHS)),
    "sections": "<article>{}</article>".format(
        "".join(f"<section><section><p>{p}</p></section></section>" for p in PARAGRAPHS)
    ),
    "a wrapper named for something else": "<div class='sidebar-right'><div>{}</div></div>".format(
        "".join(f"<p>{p}</p>" for p in PARAGRAPHS)
    ),
}


@each("layout", LAYOUTS)
def test_every_layout_gives_the_same_paragraphs(layout: str) -> None:
    top = f"{NAV}<h1>新学期的作业怎么写</h1><div>2024-03-05 14:08 来源：某某报</div>"
    assert text_of(f"<body>{top}{LAYOUTS[layout]}<div>{RELATED}</div>{COMMENTS}{FOOTER}</body>") == PARAGRAPHS


@each(
    "line",
    [
        "（责任编辑：王小明）",
        "分享到：",
        "打印本页",
        "相关阅读：",
        "上一篇：另一篇",
        "版权声明：未经许可不得转载",
        "扫一扫在手机打开当前页",
        "关注公众号：某某网教育",
        "语音播报文章，释放双眼",
        "朗读全文",
        "以上内容（包括图片及视频）为创作者平台“某某号”用户上传并发布，本平台仅提供信息存储服务。",
        "正在为您切换到高清 480P,请稍候...",
        "【关闭窗口】",
    ],
)
def test_the_pages_own_business_is_not_the_text(line: str) -> None:
    inside = "".join(f"<p>{p}</p>" for p in PARAGRAPHS) + f"<p>{line}</p>"
    assert text_of(f"<div>{inside}</div>") == PARAGRAPHS


@each("head", ["你可能還想看", "你可能还想看", "其他人也在看", "大家还在搜"])
def test_what_readers_may_want_to_see_next_is_left_out_however_long(head: str) -> None:
    teaser = "<li><div>某某社·{0} 小時前</div><h4><a href=/{0}>另一篇新聞的標題</a></h4><p>{1}</p></li>"
    teasers = "".join(teaser.format(i, FURTHER[i % 2]) for i in range(9))
    short = f"<article>{TOP}<div><p>{PARAGRAPHS[0]}</p><p>{PARAGRAPHS[1]}</p></div></article>"
    stream = f"<div><h2><div>{head}</div></h2><div><ul>{teasers}</ul></div></div>"
    markup = f"<title>新学期的作业怎么写</title><div>{short}{stream}</div>"
    assert text_of(markup) == PARAGRAPHS[:2]


@each(
    "notice",
    [
        "本站使用 cookie 数据以确保网站正常运行，并帮助我们为您提供最佳用户体验。点击“同意”即表示您同意我们使用 cookie。",
        "本網站使用Cookies以便為你提供更優質的使用體驗，若您點選下方「我同意」或繼續瀏覽本網站，即表示您同意我們的Cookies政策。",
        "为了给您更好的体验，我们和我们的伙伴使用 Cookie，您可以随时在设置里改变主意，也可以关闭本提示。",
    ],
)
def test_what_a_page_says_of_its_cookies_is_no_text_of_a_short_article(notice: str) -> None:
    short = f"<h1>新学期的作业怎么写</h1><div><p>{PARAGRAPHS[3]}</p></div>"
    assert text_of(f"<div><div><p>{notice}</p><p>我同意</p></div>{short}</div>") == [PARAGRAPHS[3]]


@each(
    "sentence",
    ["老师说，浏览器把 Cookie 存在电脑里，下次打开网页时再送回去。", "您可以在浏览器的设置里清除 Cookie，也可以每次打开网页时再选。"],
)
def test_a_sentence_on_cookies_is_one_of_its_text(sentence: str) -> None:
    assert text_of(f"{TOP}<div>{TEXT}<p>{sentence}</p></div>{FOOTER}") == [*PARAGRAPHS, sentence]


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


@each(
    ("markup", "line"),
    [
        ("（1）应届<a name=_GoBack>毕业生（含夜大学的毕业生，下同）</a>", "（1）应届毕业生（含夜大学的毕业生，下同）"),
        ("邮箱：<a href=' Mailto:jwc@example.cn'>jwc@example.cn</a>", "邮箱：jwc@example.cn"),
        ("<xml><w:View>Normal</w:View></xml>孩子们在操场上跑步，家长在场边加油。", "孩子们在操场上跑步，家长在场边加油。"),
    ],
)
def test_bookmarks_addresses_and_unclosed_links_are_no_links_and_settings_of_word_no_text(markup: str, line: str) -> None:
    between = TEXT.replace("</p>", f"</p><p>{markup}</p>", 1)
    assert text_of(f"{TOP}<div class=c>{between}</div>{FOOTER}") == [PARAGRAPHS[0], line, *PARAGRAPHS[1:]]
    assert text_of(f"{TOP}<div class=c><a href=/1.jpg><img src=1.jpg>{TEXT}</div>{FOOTER}") == [*PARAGRAPHS]
    card = "<a href=/1><p>孩子们在跑步</p><p>孩子们跑。家长加油。老师计时。</p><p>3月5日</p></a>"
    assert all(line.linked for line in outline_of(parse(card.encode(), "http://www.example.cn/")).lines)


def test_an_article_of_one_paragraph_is_found() -> None:
    long = "".join(PARAGRAPHS)
    assert text_of(f"{NAV}<h1>短消息</h1><div class='content'><p>{long}</p></div>{RELATED}{FOOTER}")[0] == long


@each(
    "markup",
    ["<frameset><frame src=a.html><frame src=b.html></frameset>", NAV, "<p></p>", "x", "<table><tr><td><table>"],
)
def test_pages_without_running_text_have_no_body(markup: str) -> None:
    assert text_of(markup) in ([], ["x"])


def test_deep_markup_is_read_and_bottomless_markup_is_refused() -> None:
    text = "".join(f"<p>{p}</p>" for p in PARAGRAPHS)
    assert text_of("<div>" * 1_500 + text) == PARAGRAPHS
    with pytest.raises(UnreadablePageError):  # libxml2 reads 2,048 levels
        text_of("<div>" * 50_000 + text)


def test_an_introduction_set_apart_above_the_text_belongs_to_it() -> None:
    lead = "各地中小学本周开学，作业怎么布置、课后服务怎么安排，家长们最关心的几个问题都有了答案。"
    assert text_of(f"{TOP}<p class=chapo>{lead}</p><div class=ad>广告</div><div class=content>{TEXT}</div>") == [lead, *PARAGRAPHS]


def test_an_introduction_that_the_text_repeats_stands_once() -> None:
    lead = f"摘要：{PARAGRAPHS[1]}"
    assert text_of(f"{TOP}<div class=summary>{lead}</div><div class=content>{TEXT}</div>") == PARAGRAPHS


def test_of_several_posts_the_first_is_the_text_and_the_others_follow() -> None:
    posts = "".join(
        f"<div class=floor><p>{n}楼 发表于 2024-03-0{n}</p><div class='t_f' id='m{n}'><p>{p}</p></div></div>"
        for n, p in enumerate(PARAGRAPHS, 1)
    )
    outline = outline_of(parse(f"<h1>开学了</h1>{posts}".encode(), "http://bbs.example.cn/t.html"))
    body = body_of(outline)
    assert [outline.lines[i].text for i in body.lines] == PARAGRAPHS[:1]
    assert comments_of(outline, body) == tuple(PARAGRAPHS[1:])


@each("opening", ["求助！", "请问大家课后服务怎么报名？", "孩子今年上一年级，请问大家怎么报名？谢谢。"])
@each("replies", [1, 3])
def test_the_first_post_opens_a_thread_however_short(opening: str, replies: int) -> None:
    post_texts = [opening, *PARAGRAPHS[:replies]]
    post = "<div><p>发表于 2024-03-0{0}</p><table><tr><td class=t_f id=m{0}>{1}</td></tr></table></div>"
    posts = "".join(post.format(n, p) for n, p in enumerate(post_texts, 1))
    page = parse(f"<title>开学了_某某论坛</title><h1>开学了</h1>{posts}".encode(), "http://bbs.example.cn/thread-1-1-1.html")
    article = extract_article(page, datetime(2024, 6, 15, tzinfo=UTC))
    assert (article.text, article.comments) == (opening, tuple(PARAGRAPHS[:replies]))
    assert page_type_of(page, article, ()) is PageType.FORUM


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


@each(
    "line",
    ["（原标题：作业怎么写）", "第1页/共1页 << 上一页 | 下一页 >>", "正在加载...", "關鍵字： 作業 開學", "(本文已被阅读178次)", "點閱"],
)
def test_more_lines_of_the_page_frame_are_not_the_text(line: str) -> None:
    inside = f"<p>{line}</p>{TEXT}" if line.startswith("（") else f"{TEXT}<p>{line}</p>"
    body_lines = text_of(f"{TOP}<div class=content>{inside}</div>")
    assert (body_lines == PARAGRAPHS) == (line != "點閱")


def test_a_programme_of_short_lines_keeps_its_hours() -> None:
    lines = ["会议议程", "上午 开幕式", "地点：报告厅", "主持人：校长", "第一项 来宾介绍", "8:30－8:50 致辞", "9:00－9:50 演讲"]
    inside = "".join(f"<p>{line}</p>" for line in lines)
    assert text_of(f"{TOP}<div class=content>{inside}{TEXT}</div>")[: len(lines)] == lines


def test_an_article_of_named_blocks_is_no_thread_because_of_its_comments() -> None:
    blocks = "".join(f"<div class='text'><p>{p}</p></div>" for p in PARAGRAPHS)
    comments = "".join(f"<div class='pl'><p>{n}楼 网友 发表于 2024-03-0{n}</p><p>说得好。</p></div>" for n in range(1, 6))
    assert text_of(f"{TOP}<div class='article'>{blocks}</div><div>{comments}</div>") == PARAGRAPHS


def test_a_short_text_is_the_one_below_the_title_and_not_what_a_site_says_of_itself() -> None:
    about = (
        "本站由某某报社主办，内容包括新闻、评论、图片和视频，每天有几十万读者，"
        "在各地都有记者，欢迎读者来信来电提供线索，我们的地址在一号楼二层。"
    )
    short = PARAGRAPHS[0] + PARAGRAPHS[3]
    assert len(about) > len(short)
    title, footer = "<title>新学期的作业怎么写_某某网</title>", f"{RELATED}<div><p>{about}</p><p>电话：010-00000000</p></div>"
    assert text_of(f"{title}{NAV}<div>{TOP}<p>{short}</p></div>{footer}") == [short]


def test_an_advertisement_between_paragraphs_is_not_the_text() -> None:
    inside = "".join(f"<div><p>{p}</p><div>广告</div></div>" for p in PARAGRAPHS)
    assert text_of(f"{TOP}<div>{inside}</div>") == PARAGRAPHS


def test_what_is_advertised_in_a_table_of_subjects_is_no_advertisement() -> None:
    cells = "".join(f"<tr><td>{name}</td><td>{n}0人</td><td>四年</td></tr>" for n, name in enumerate(["广告", "会计", "推广", "历史"], 1))
    body_lines = text_of(f"{TOP}<div class=content>{TEXT}<table>{cells}</table></div>")
    assert {"广告", "推广"} <= set(body_lines)


@each("label", ["附件：", "相关附件", "附件下载:", "文件下载：", "关联文件："])
def test_a_label_of_files_with_nothing_behind_it_ends_no_text(label: str) -> None:
    assert text_of(f"{TOP}<div>{TEXT}<p>{label}</p></div>{FOOTER}") == PARAGRAPHS
    assert label in text_of(f"{TOP}<div>{TEXT}<p>{label}</p><p>1.某某省中小学作业管理办法，自本学期起施行。</p></div>{FOOTER}")


def test_the_blanks_of_a_form_below_a_text_stay() -> None:
    blanks = ["单位名称（盖章）：", "日 期："]
    assert text_of(f"{TOP}<div>{TEXT}{''.join(f'<p>{line}</p>' for line in blanks)}</div>") == [*PARAGRAPHS, *blanks]


def test_a_label_of_links_between_two_paragraphs_is_left_out_with_them() -> None:
    links = "<p>相关新闻：</p><p><a href=/2>另一所学校今天开学</a></p><p><a href=/3>作业怎样写才好</a></p>"
    first, *further = PARAGRAPHS
    rest = "".join(f"<p>{p}</p>" for p in further * 2)
    assert text_of(f"{TOP}<div><p>{first}</p>{links}{rest}</div>") == [first, *further, *further]


def test_a_short_text_ends_at_the_statement_of_its_site() -> None:
    statement = "<p>声明：</p><p>• 凡注明为其他媒体来源的信息，均为转载，并不代表本网赞同其观点。</p><p>请您打分</p>"
    assert text_of(f"{TOP}<div><p>{PARAGRAPHS[0]}</p>{statement}</div>") == PARAGRAPHS[:1]


def test_a_sentence_that_begins_like_advice_to_readers_stays() -> None:
    line = "还想看更多这样的学校，就要走进大山深处，看看孩子们的日常。"
    assert text_of(f"{TOP}<div>{TEXT}<p>{line}</p></div>{FOOTER}") == [*PARAGRAPHS, line]


def test_a_table_that_lists_documents_is_no_record_of_one() -> None:
    head = "<tr><th>序号</th><th>信息名称</th><th>发文字号</th><th>发布机关</th><th>成文日期</th></tr>"
    row = "<tr><td>{0}</td><td>中小学作业管理办法</td><td>某教〔2019〕{0}号</td><td>某某局</td><td>2019年5月{0}日</td></tr>"
    table = f"<table>{head}{''.join(map(row.format, range(1, 9)))}</table>"
    assert "某教〔2019〕8号" in text_of(f"{TOP}<div>{TEXT}{table}<p>特此公告，请各单位遵照执行。</p></div>{FOOTER}")


@each("line", ["分享让更多人看到", "还想看更多新闻吗？欢迎下载某某新闻APP：", "相关热门推荐", "电梯直达"])
def test_buttons_and_advice_to_readers_behind_a_text_are_not_the_text(line: str) -> None:
    assert text_of(f"{TOP}<div>{TEXT}<p>{line}</p></div>{FOOTER}") == PARAGRAPHS


@each(
    "line",
    ["【审核：王小明、李红】", "审定发布：王小明", "初审：王小明 复审：李红 终审：赵强", "一审一校：王小明 二审二校：李红"],
)
def test_the_names_of_proofreaders_are_not_part_of_the_text(line: str) -> None:
    assert text_of(f"{TOP}<div>{TEXT}<p>{line}</p></div>{FOOTER}") == PARAGRAPHS


@each(
    "lines",
    [
        ["[作者: 王小明 责任编辑: 李红 ]"],
        ["编辑/李红"],
        ["编辑 李红 ｜ 排版 赵强"],
        ["总监制：赵 强", "监 制：李红", "审 读：王小明"],
        ["文/王小明 图/李红 编辑/赵强"],
        ["文/王小明", "编辑/李红"],
        ["作者 王小明 李红", "编辑 赵强 ｜ 排版 钱明"],
        ["撰稿：王小明", "审稿：李红 赵强"],
        ["記者︰王小明", "編輯︰李紅", "美術︰趙強", "攝影︰陳明"],
    ],
)
def test_staff_credits_below_the_text_are_not_part_of_it(lines: list[str]) -> None:
    markup = f"<div>{TEXT}{''.join(f'<p>{line}</p>' for line in lines)}</div>"
    assert text_of(f"{TOP}{markup}{FOOTER}") == PARAGRAPHS


def test_what_stands_behind_the_last_word_of_a_platform_is_not_the_text() -> None:
    last = "平台声明：该文观点仅代表作者本人，某某号系信息发布平台，本平台仅提供信息存储空间服务。"
    platform_lines = "<p>不喜欢</p><p>已标记为不喜欢内容，系统将减少此类推荐</p>"
    assert text_of(f"{TOP}<div>{TEXT}<p>{last}</p>{platform_lines}</div>{FOOTER}") == PARAGRAPHS


def test_staff_credits_between_paragraphs_stay_in_the_text() -> None:
    inside = f"<p>{PARAGRAPHS[0]}</p><p>排版|赵强</p><p>{PARAGRAPHS[1]}</p>"
    assert text_of(f"{TOP}<div>{inside}</div>{FOOTER}") == [PARAGRAPHS[0], "排版|赵强", PARAGRAPHS[1]]


@each(
    "line", ["编辑 部门的王小明在会上这样说", "设计 方针", "编辑 王小明 校对 李红", "统筹：王小明说要先看全局", "文/王小明"]
)
def test_a_line_that_names_no_such_persons_is_one_of_the_text(line: str) -> None:
    assert text_of(f"{TOP}<div>{TEXT}<p>{line}</p></div>{FOOTER}") == [*PARAGRAPHS, line]


@each("line", ["审核：由学校在三天之内完成", "校对：仔细，再仔细", "审核：现场确认"])
def test_a_step_of_a_procedure_that_reads_like_a_credit_stays_in_the_text(line: str) -> None:
    assert text_of(f"{TOP}<div>{TEXT}<p>{line}</p></div>{FOOTER}")[-1] == line


def test_where_the_original_stands_and_how_often_a_text_was_liked_is_not_the_text() -> None:
    likes = "<p>原文链接：</p><p><a href=/a/1.html>https://www.example.cn/a/1.html</a></p><div>6</div><div><a href=/up>顶一下</a></div>"
    assert text_of(f"{TOP}<div>{TEXT}{likes}</div>{FOOTER}") == PARAGRAPHS


def test_a_text_ends_where_only_subscribers_read_on() -> None:
    first, second, *_ = PARAGRAPHS
    text = f"<div class=content><div class=text><p>{first}</p><p>{second}</p></div></div>"
    wall = "<div><div>本文共计1561字 <a href=/pay>订阅后继续阅读</a></div><div>某某通会员</div></div>"
    advice = "<div class=end><p>推荐进入某某数据库，可随时查阅各地的课程方案、作业时间等信息。</p></div>"
    assert text_of(f"{TOP}<div class=article>{text}{wall}{advice}</div>{FOOTER}") == [first, second]


@each("head", ["“书香校园”阅读节", "班主任读书分享会", "请关注孩子们的视力", "一次关于作业的评论与思考"])
def test_a_subheading_above_the_text_is_no_row_of_buttons(head: str) -> None:
    assert text_of(f"{TOP}<div class=content><p>{head}</p>{TEXT}</div>{FOOTER}") == [head, *PARAGRAPHS]


@each(
    "row",
    [
        "阅读 1234",
        "首页 > 教育新闻",
        "我要评论",
        "分享到微信",
        "大 中 小 打印",
        "收藏 邀请",
        "浏览次数：12",
        "2024-03-05作者：学位办浏览次数：",
    ],
)
def test_a_row_of_buttons_above_the_text_is_not_part_of_it(row: str) -> None:
    assert text_of(f"{TOP}<div class=content><p>{row}</p>{TEXT}</div>{FOOTER}") == PARAGRAPHS


@each("first", ["各位老师：", "一、基本情况"])
def test_an_addressee_or_a_counted_part_belongs_to_the_text_even_as_a_heading(first: str) -> None:
    assert text_of(f"{TOP}<div class=content><h1>{first}</h1>{TEXT}</div>{FOOTER}") == [first, *PARAGRAPHS]


@each("box", ["重点推荐", "本期推荐："])
def test_what_heads_recommendations_ends_a_text(box: str) -> None:
    links = "".join(f"<p><a href=/{i}.html>另一篇新闻的标题，写在这里{i}</a></p>" for i in range(3))
    assert text_of(f"{TOP}<div>{TEXT}<p>{box}</p>{links}</div>{FOOTER}") == PARAGRAPHS


@each(
    "note", ["（2004年1月6日某某省第十届人民代表大会常务委员会第七次会议通过）", "（某某部2000年4月12日印发）"]
)
def test_when_a_law_was_adopted_stands_above_its_articles(note: str) -> None:
    assert text_of(f"{TOP}<div class=content><p>{note}</p>{TEXT}</div>{FOOTER}") == [note, *PARAGRAPHS]


def test_the_masthead_of_a_page_of_pictures_is_no_text_though_its_title_reads_like_one() -> None:
    whole = "首批学校签约入驻，某区打造教育新高地，家长拍手称快"
    info = "<div>日期：2024-03-05 14:08 来源：某某报 字号：大 中 小</div>"
    markup = f"<title>{whole}-某某网</title><div class=content><div>{whole}</div>{info}<div><img src=a.jpg></div><div>附件:</div></div>"
    assert text_of(markup) == [whole]


def test_a_headline_that_reads_like_a_sentence_is_no_text_with_its_date_below_it() -> None:
    head = "<p align=center>上有老，下有小，帮帮这位“无助”的母亲！</p><div align=center>时间：2024-03-05 14:08:14 来源：</div>"
    assert text_of(f"<title>某某信息网-某某组织信息网</title><div>{head}{TEXT}</div>{FOOTER}") == PARAGRAPHS
    head = "<p>山里看花，春天的课</p><p>文：校办 王小明 时间：2024-03-05</p>"
    assert text_of(f"<title>某某有限公司</title><div>{head}{TEXT}</div>{FOOTER}") == PARAGRAPHS


@each("rows", [[["1", "某某学校", "".join(PARAGRAPHS)]], [[f"{i}", f"王小{i}", "语文教学"] for i in range(90)]])
def test_a_table_is_no_text_without_what_stands_around_it(rows: list[list[str]]) -> None:
    cells = [["序号", "姓名", "需求概况"], *rows]
    table = "".join(f"<tr>{''.join(f'<td><p>{cell}</p></td>' for cell in row)}</tr>" for row in cells)
    ends = ["现将有关情况公开如下：", "本次公开的是初步安排，以采购公告为准。", "某某学校", "2024年3月5日"]
    first, *last = (f"<div><p>{line}</p></div>" for line in ends)
    top = "<title>某某大学</title><div>某某公示</div><div>2024-03-05</div>"
    whole = f"<div>{first}<table><tbody>{table}</tbody></table>{''.join(last)}</div>"
    assert text_of(top + whole + FOOTER) == [ends[0], *(cell for row in cells for cell in row), *ends[1:]]


def test_the_dates_of_a_form_of_procurement_are_text() -> None:
    lines = ["一、项目基本情况", "首次公告日期：2024年3月5日", "更正内容：评审专家名单"]
    assert text_of(f"{TOP}<div>{''.join(f'<p>{line}</p>' for line in lines)}{TEXT}</div>{FOOTER}") == [*lines, *PARAGRAPHS]


def test_paragraphs_around_a_nested_box_of_text_belong_to_it() -> None:
    first = "为进一步做好服务，现对部分产品延续责任期间，具体方案如下："
    nested = f"<p>客户：</p><div><p>{first}</p><p>一、责任说明</p><div>（一）范围</div><div>{TEXT * 3}</div></div>"
    body_lines = text_of(f"<title>某某人寿</title><h3>关于责任的公告</h3><div>{nested}</div>{FOOTER}")
    assert body_lines[:2] == ["客户：", first]


def test_a_date_in_a_list_of_terms_behind_an_introduction_that_links_stays() -> None:
    link = "<a href=/a>请密切关注我校招生信息网的通知，录取通知书审核以后再行发放，请耐心等待</a>"
    start = f"<p>祝贺你考入某某大学！现将入学有关事宜通知如下，{link}。</p>"
    terms = ["报到时间：2024年9月8日上午08:20～17:40；", "报到地点：各学院指定地点；"]
    body_lines = text_of(f"{TOP}<div>{start}{''.join(f'<p>{term}</p>' for term in terms)}{TEXT}</div>{FOOTER}")
    assert [line for line in body_lines if line in terms] == terms


@each("name", ["_135editor", "135editor", "article135editor"])
def test_sections_with_the_class_of_a_layout_editor_stay_in_the_text(name: str) -> None:
    heading = f"<section class='{name}'><p>放学以后的操场</p></section>"
    assert "放学以后的操场" in text_of(f"{TOP}<div>{TEXT}{heading}{TEXT}</div>{FOOTER}")


def test_an_introduction_above_the_text_is_found_below_a_title_that_is_no_heading() -> None:
    first = "近日，由某市教委组织的教育专家团队抵达某县，正式启动对口支援的行动，旨在通过调研和辅导，助力当地的学校。"
    top = "<title>新学期的作业怎么写-某某网</title><div>新学期的作业怎么写</div><div>2024-03-05 来源：某某报</div><div>分享：</div>"
    body_lines = text_of(f"{top}<section><section><p>{first}</p></section><section>{TEXT * 2}</section></section>{FOOTER}")
    assert body_lines == [first, *PARAGRAPHS, *PARAGRAPHS]


def test_an_introduction_stands_above_the_text_though_a_subheading_is_between_them() -> None:
    first = "【某报讯】市教委的专家团队抵达某县，启动对口支援的行动，旨在通过调研和辅导，助力当地的学校，明天开始听课。"
    top = "<title>新学期的作业怎么写-某某网</title><h1>新学期的作业怎么写</h1><div>2024-03-05 来源：某某报</div>"
    text = f"<div><p>{first}</p></div><div><h2>先听三天课</h2></div><div>{TEXT * 2}</div>"
    assert text_of(f"{top}<div>{text}</div>{FOOTER}") == [first, *PARAGRAPHS, *PARAGRAPHS]
    logo = "<title>新学期的作业怎么写以及怎么批改-某某教育新闻网</title><h1>某某教育新闻网</h1>"
    assert first not in text_of(f"{logo}<p>{first}</p><div><h2>通知</h2></div><div>{TEXT * 2}</div>{FOOTER}")


def test_the_table_in_which_an_office_records_a_document_is_not_its_text() -> None:
    labels = ("索取号", "发布时间", "发布机构", "文件编号", "备注")
    values = ("0000000Q/2024-00112", "2024-03-05", "某某市卫生健康委员会", "某卫基层〔2024〕5号")
    table = "<table>{}</table>".format("".join(f"<tr>{''.join(f'<td>{c}</td>' for c in row)}</tr>" for row in (labels, values)))
    body_lines = text_of(f"<h2>新学期的作业怎么写</h2><div class=content>{table}<p>各区教育局:</p>{TEXT}</div>{FOOTER}")
    assert body_lines == ["各区教育局:", *PARAGRAPHS]
    subjects = "<table><tr><td>语文</td><td>数学</td></tr><tr><td>三节</td><td>四节</td></tr></table>"
    assert "三节" in text_of(f"<h2>新学期的作业怎么写</h2><div class=content>{subjects}{TEXT}</div>{FOOTER}")


def test_paragraphs_that_are_written_as_headings_are_text() -> None:
    items = [f"● {number}月清明小长假首日，出行的人很多，大半天堵在路上。" + PARAGRAPHS[number] for number in range(4)]
    large = [f"<h1>{item}</h1>" for item in items]
    poem = "".join(f"<p>{p}</p>" for p in PARAGRAPHS[:2])
    body_lines = text_of(f"{TOP}<div id=js_content>{large[0]}<section>{poem}</section>{''.join(large[1:])}</div>{FOOTER}")
    assert body_lines == [items[0], *PARAGRAPHS[:2], *items[1:]]


def test_an_article_of_wechat_is_all_that_stands_in_its_container() -> None:
    greeting = ["早上好~", "不要总呆在自己的舒适圈里，", "走出去，看一看外面的世界，"]
    parts = [greeting, PARAGRAPHS * 3, FURTHER, FURTHER[::-1]]
    sections = "".join(f"<section class='newsArticle'>{''.join(f'<p>{line}</p>' for line in part)}</section>" for part in parts)
    markup = f"<h2>新学期的作业怎么写</h2><div>原创 2024-03-05 某报</div><div id=js_content>{sections}</div><div>阅读 赞</div>"
    assert text_of(markup) == [line for part in parts for line in part]


BELOW = [
    "— END —", "▼", "阅读原文", "往期推荐", "点击下方名片关注我们", "点赞 在看 分享", "编辑 | 李红", "未经授权不得转载",
    "版权归原作者所有", "打印本页 关闭窗口", "本文仅代表作者个人观点。", "登录后可阅读全文", "打开客户端阅读全文",
    "免責聲明：本文所載資料僅供參考，某某網對使用該資料所導致的結果概不承擔任何責任。",
    "【免责声明】本文仅代表作者本人观点，与某某网无关。请读者仅作参考。",
    "(內容由某某網提供。未經授權，不得轉載。)", "本網站之文字、圖片及影音，非經授權，不得轉載、公開播送或公開傳輸。",
    "會員登入", "分享工具",
    "【作者：某某综合报道 】 (责任编辑：李红)", "[作者：王小明]", "教育专栏投稿信箱：tougao@example.com", "天天看新聞 點我下載APP 看更多",
    "◆ 追蹤更多某視影音及圖文新聞：", "1.用Twitter追蹤某視影音及圖文新聞：追蹤", "某網現已開設專頁，與朋友分享！快來加入我們！[按此 Like]",
    "建立時間16:41", "更新時間17:24", "■某報報料熱線﹕news@example.com/ 0000 0000", "（節錄）", "2024-03-05 14:08:33 某某新闻网",
    "图集", "欢迎关注某某小学", "【编辑：王小明 QQ：000000000；TEL：00000000000】",
    "本篇新闻热门关键词:", "附表：", "某某网编辑：王小明", "還想看更多新聞嗎？歡迎下載某報APP，現在看新聞還能抽獎，共九萬個機會等著你：",
    "※你可能還想看：", "Previous in this Category: 昨天 Next in this Category: 明天",
]  # fmt: skip


@each("line", BELOW)
def test_lines_of_the_site_below_the_text_are_not_part_of_it(line: str) -> None:
    paragraphs = "".join(f"<p>{p}</p>" for p in PARAGRAPHS)
    assert text_of(f"{TOP}<div id='js_content' class=content>{paragraphs}<p>{line}</p></div>") == PARAGRAPHS


ENDINGS = [
    "联系人：王老师，电话：0510-88888888", "特此通知。", "某某市教育局", "报名网址：http://bm.example.cn", "谢谢大家的关注。",
    "请相信我们的孩子。", "让我们为他们点赞！", "给老师们点个赞！", "家长纷纷点赞。", "老师对家长说，请稍等。", "点赞" * 40 + "好",
    "欢迎大家关注这个问题，并来信告诉我们。",
    "免责声明不能免除平台的责任。", "他說，加入粉絲團的家長更多了。", "（王小明作于2024年春）", "投稿信箱已经开放，欢迎同学们来信。",
    "會員登入的人數增加了一倍。", "2024年3月5日", "更新于2024年3月", "更新时间由学校另行通知",
]  # fmt: skip


@each("line", ENDINGS)
def test_closing_lines_of_the_text_belong_to_it(line: str) -> None:
    paragraphs = "".join(f"<p>{p}</p>" for p in PARAGRAPHS)
    assert text_of(f"{TOP}<div class=content>{paragraphs}<p>{line}</p></div>") == [*PARAGRAPHS, line]


@each(
    "line",
    [
        "本文约1500字，阅读需4分钟", "听新闻", "字級設定：", "字型大小： 小 中 大", "圖像來源，某某圖片社", "（某社） – 11 小時前",
        "March 5, 2024", "記者：王小明 台北報導",
    ],
)  # fmt: skip
def test_remarks_above_a_text_are_not_part_of_it(line: str) -> None:
    paragraphs = "".join(f"<p>{p}</p>" for p in PARAGRAPHS)
    assert text_of(f"{TOP}<div class=content><p>{line}</p>{paragraphs}</div>") == PARAGRAPHS


def test_both_halves_of_a_text_split_into_two_boxes_are_kept() -> None:
    box = "<div class=box><p>{}</p></div>".format
    first, second = box("<br>".join(PARAGRAPHS)), box("<br>".join(FURTHER * 2))
    assert text_of(f"{TOP}<div><div>{first}{second}</div></div>") == [*PARAGRAPHS, *FURTHER, *FURTHER]


def test_who_is_named_between_headline_and_date_is_none_of_the_text() -> None:
    paragraphs = "".join(f"<p>{p}</p>" for p in PARAGRAPHS)
    name_lines = "<div><div>王小明</div><div>某某中文</div></div>"
    assert text_of(f"<main><h1>新学期的作业怎么写</h1>{name_lines}<div>2024年3月5日</div>{paragraphs}</main>") == PARAGRAPHS
    for text_lines in (["各位家长，你们好"], ["九月新生", "十月初雪", "冬月长夜", "腊月归乡"]):
        lines = "".join(f"<div>{line}</div>" for line in text_lines)
        assert text_of(f"{TOP}<div class=content>{lines}<div>2024年3月5日</div>{paragraphs}</div>")[: len(text_lines)] == text_lines
    table = "<table><tr><td>新生报到</td><td>2024年3月5日</td></tr></table>"
    assert text_of(f"{TOP}<div class=content>{table}{paragraphs}</div>")[:1] == ["新生报到"]


def test_a_long_line_of_date_and_source_is_not_the_text_even_of_a_short_article() -> None:
    house = "某某省教育厅科学技术与信息化处某某省教育服务公共平台网站"
    top = f"<h1>离退休人员工作处</h1><div><a href=/>[{house}]</a> 发布时间：2020-01-03 15:56 来源:{house} 分享：</div>"
    duty = "主要职责：负责机关离退休人员工作，指导直属单位和高校的离退休人员工作。"
    page = parse(f"{NAV}<div class=detail>{top}<p>{duty}</p></div>{FOOTER}".encode(), "http://www.example.cn/a.html")
    article = extract_article(page, datetime(2024, 6, 15, tzinfo=UTC))
    assert article.text == duty
    assert article.published_at == datetime(2020, 1, 3, 7, 56, tzinfo=UTC)


def test_how_often_a_text_was_read_is_none_of_it() -> None:
    paragraphs = "".join(f"<p>{p}</p>" for p in PARAGRAPHS)
    markup = f"{NAV}<h1>新学期的作业怎么写</h1><div>{paragraphs}<p>核发：0 点击数：20 【收藏本页】</p></div>{FOOTER}"
    page = parse(markup.encode(), "http://www.example.cn/a.html")
    assert extract_article(page, datetime(2024, 6, 15, tzinfo=UTC)).text.split("\n")[-1] == PARAGRAPHS[-1]


def test_a_text_whose_letters_are_set_apart_is_a_text() -> None:
    spaced_text = " ".join("教育部今天发布通知，要求各地、各校落实课程方案，不得随意增加作业，切实减轻负担，让孩子有更多时间。")
    assert text_of(f"<h1>新学期的作业</h1><div><p>{spaced_text}</p><p>{spaced_text}</p></div>") == [spaced_text, spaced_text]


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

