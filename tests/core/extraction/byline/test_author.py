from datetime import UTC, datetime

from newsspider.core.extraction.article import extract_article
from newsspider.core.extraction.byline.author import is_person
from newsspider.core.extraction.dom.page import parse
from newsspider.core.model import Article
from tests.support.tables import each

NOW = datetime(2024, 6, 15, tzinfo=UTC)
LINKED = 'type="application/ld+json"'
LINE = "教育部今天发布通知，要求各地中小学认真落实课程方案，不得随意增加作业。"


def article(info: str = "", first: str = LINE, last: str = LINE, below: str = "", head: str = "") -> Article:
    middle = f"<p>{LINE}</p>" * 4
    markup = (
        f"<title>新学期作业新规_某网</title>{head}<h1>新学期作业新规</h1><div class=info>{info}</div>"
        f"<div class=content><p>{first}</p>{middle}<p>{last}</p></div>{below}"
    )
    return extract_article(parse(markup.encode(), "http://www.example.cn/a.html"), NOW)


@each(
    ("slot", "text", "names"),
    [
        ("info", "2024-03-05 14:08 作者：王小明", ("王小明",)),
        ("info", "2024-03-05 14:08来源：某某报作者：王小明 编辑：李四光", ("王小明",)),
        ("info", "文/王小明 李红", ("王小明", "李红")),
        ("last", "作者 王小明 李红", ("王小明", "李红")),
        ("info", "作者 王小明 关键词 作业", ("王小明",)),
        ("info", "原创 moyun 最后发布于2024-03-05 14:08:33 阅读数 1133", ("moyun",)),
        ("last", "記者︰脫小明", ("脫小明",)),
        ("last", "法庭記者：王小明", ("王小明",)),
        ("last", "校长说，新的课表已经排好了。" + "家长们都很高兴，" * 5 + "作业也少多了。本报记者王小明", ("王小明",)),
        ("last", "作者：Mary Smith 译者：王小明 来源：medium", ("Mary Smith",)),
        ("last", "作者：Mary Smith，某大学教授", ("Mary Smith",)),
        ("info", "王小明/某某日报", ("王小明",)),
        ("info", "Author: 王小明 | Date: 2024-03-05", ("王小明",)),
        ("info", "王小明 2024-03-05 128", ("王小明",)),
        ("info", "<b>作者</b><i>王小明</i><em>2024-03-05</em>", ("王小明",)),
        ("info", "<dl><dt>作者：</dt><dd>王小明</dd><dt>时间：</dt><dd>2024-03-05</dd></dl>", ("王小明",)),
        ("info", "2024-03-05 14:08 特约撰稿人 王小明", ("王小明",)),
        ("info", "2024-03-05 14:08 文/图 王小明", ("王小明",)),
        ("info", "2024-03-05 14:08 | By Mary Smith", ("Mary Smith",)),
        ("info", "2024-03-05 14:08 作者：王 小 明", ("王小明",)),
        ("last", LINE + "（图/文 王小明）", ("王小明",)),
        ("head", '<meta name="author" content="By Mary Smith">', ("Mary Smith",)),
        ("info", "来源：某某报 作者：阿依古丽·买买提", ("阿依古丽·买买提",)),
        ("info", "来源：某某报 作者：古丽·阿不都 王小明", ("古丽·阿不都", "王小明")),
        ("info", "作者：[美]约翰·史密斯 译者：王小明", ("约翰·史密斯",)),
        ("first", "某某社乌鲁木齐3月5日电（记者古丽·阿不都、李红）" + LINE, ("古丽·阿不都", "李红")),
        ("first", "某某网南京3月5日电 (王小明)" + LINE, ("王小明",)),
        ("first", "工会网讯：（王小明报道）" + LINE, ("王小明",)),
        ("last", LINE + "（某省开放大学工程技术学院 王小明报道）", ("王小明",)),
        ("first", "〔記者王小明、李紅玉／綜合報導〕" + LINE, ("王小明", "李紅玉")),
        ("first", "［記者王小明台北報導］" + LINE, ("王小明",)),
        ("info", "撰文/王小明 摄影/李红", ("王小明",)),
        ("info", "撰稿人：王小明 审核人：李红", ("王小明",)),
        ("info", "供稿：教务处 王小明", ("王小明",)),
        ("last", "供稿：王小明 初审：赵刚", ("王小明",)),
        ("last", "作者: 赵 培：某某物资学院，北京", ("赵培",)),
        ("head", f"<script {LINKED}>" + '{"author":[{"@type":["Person"],"name":"王小明"},"李红"]}</script>', ("王小明", "李红")),
        ("head", '<meta name="author" content="古丽·阿不都">', ("古丽·阿不都",)),
        ("info", "来源：某某报 2024-03-05 记者 王小明", ("王小明",)),
        ("first", "【某某晚報╱記者王小明、李紅玉/台北報導】" + LINE, ("王小明", "李紅玉")),
        ("info", "某某時報 王小明／綜合報導 2024年03月05日 04:09", ("王小明",)),
        ("first", "【華新元記者王小明／台北報導】" + LINE, ("王小明",)),
        ("first", "【TVBS記者王小明／台北報導】" + LINE, ("王小明",)),
        ("info", "生活中心／王小明報導", ("王小明",)),
        ("first", "[某某新聞網／王小明]" + LINE, ("王小明",)),
        ("first", "（某某社記者王小明台北5日專電）" + LINE, ("王小明",)),
        ("info", "王小明 李紅玉 報導 2024-03-05 14:08", ("王小明", "李紅玉")),
        ("info", "王小明 2024-03-05 14:08", ("王小明",)),
        ("head", '<meta name="author" content="王小明／綜合報導">', ("王小明",)),
        ("head", '<meta name="author" content="MARY SMITH, Tom Brown">', ("MARY SMITH", "Tom Brown")),
        ("head", f"<script {LINKED}>" + '{"author": "Mary Smith \u3000and Ann Lee"}</script>', ("Mary Smith", "Ann Lee")),
        ("info", "来源：某某报 2024-03-05 14:08:22 记者 王小明 李红", ("王小明", "李红")),
        ("info", "2024-03-05 来源：某某报 记者 王小明 编辑 李四光", ("王小明",)),
        ("info", "来源：某某报 记者 王小明 2024-03-05 点击：123", ("王小明",)),
        ("info", "某某报 记者 王小明 2024年03月05日", ("王小明",)),
        ("info", "2024-03-05 某某报 记者王小明", ("王小明",)),
        ("info", "来源：某某报 2024-03-05 实习生 王小明 浏览次数 1.2万", ("王小明",)),
        ("info", "2024-03-05 作者：王小明点击：33", ("王小明",)),
        ("info", "来源：宣传部 供稿：王小明 浏览：10", ("王小明",)),
        ("first", "本报讯（记者 王小明 通讯员 李红）" + LINE, ("王小明", "李红")),
        ("first", "（实习记者 王小明 李红 记者赵强）" + LINE, ("王小明", "李红", "赵强")),
        ("first", "某某社北京3月5日电（记者王小明）" + LINE, ("王小明",)),
        ("first", "本报记者 王小明", ("王小明",)),
        ("first", "某某客户端·某某报记者王小明/文", ("王小明",)),
        ("first", "〔記者王小明／台北報導〕" + LINE, ("王小明",)),
        ("first", "【文/某某网专栏作者 王小明】", ("王小明",)),
        ("last", "采写：某某报见习记者 王小明", ("王小明",)),
        ("last", LINE + "（王小明）", ("王小明",)),
        ("last", LINE + "某某时事讯（王小明）", ("王小明",)),
        ("last", LINE + "(文/图 王小明 李红)", ("王小明", "李红")),
        ("below", "<div>作者：王小明</div>", ("王小明",)),
        ("info", "作者：王 明 2024-03-05", ("王明",)),
        ("info", "作者：《某某家》记者 王小明", ("王小明",)),
        ("info", "2024-03-05 文/王小明 分类：随笔", ("王小明",)),
        ("info", "SHIFAN.EXAMPLE.CN 2024年3月5日08:19 [ 王小明 ] 来源：[ 某某报 ]", ("王小明",)),
        ("info", "原创 看云的人 2024-03-05 08:19", ("看云的人",)),
        ("info", "<p class='author-name'>看云的人</p><p>2024-03-05 优质原创作者</p>", ("看云的人",)),
        ("info", "<p>看云的人</p><p>2024-03-05 08:19</p><meta name='author' content='看云的人'>", ("看云的人",)),
        ("first", "执笔/叨叨姐、胡一刀&小飞刀", ("叨叨姐", "胡一刀", "小飞刀")),
        ("last", "采写：南都见习记者 王小明", ("王小明",)),
        ("last", "本文为看云的人授权某某网专栏发布，转载请注明出处。本文仅为作者观点。", ("看云的人",)),
        ("info", "文 | 王小明", ("王小明",)),
        ("info", "作者 | 王小明 来源 | 某某网", ("王小明",)),
        ("info", "某某日报记者 王小明 2024-03-05 14:08", ("王小明",)),
        ("info", "文字：王小明 图片：李红 2024-03-05", ("王小明",)),
        ("first", "文图/王小明", ("王小明",)),
        ("last", "文、图/王小明", ("王小明",)),
        ("last", "本文作者：王小明 李红 赵强 单位：某某大学", ("王小明", "李红", "赵强")),
        ("info", "来源：某某网作者：看云的人责编：看云的人 2024-03-05", ("看云的人",)),
        ("first", "文｜澎湃 王小明", ("王小明",)),
        ("info", "作者：Mary Smith 2024-03-05", ("Mary Smith",)),
        ("first", "王小明/文", ("王小明",)),
        ("first", "□ 王小明", ("王小明",)),
        ("first", "◎王小明 李红", ("王小明", "李红")),
        ("first", "本报评论员 王小明", ("王小明",)),
        ("first", "特约撰稿人 王小明", ("王小明",)),
        ("first", "记者王小明 文/摄", ("王小明",)),
        ("first", "某某新闻·某某报记者王小明/文受访者供图", ("王小明",)),
        ("first", "某青报·某青网记者 王小明 来源：某某青年报", ("王小明",)),
        ("first", "本报讯 记者王小明报道 " + LINE, ("王小明",)),
        ("first", "某某讯 记者王小明 " + LINE, ("王小明",)),
        ("first", "某某新闻记者 王小明 通讯员 李红 " + LINE, ("王小明", "李红")),
        ("first", "每经记者 王小明 每经编辑 李红 " + LINE, ("王小明",)),
        ("last", "安全科 图/文", ()),
        ("last", "温州市 图/文", ()),
        ("last", LINE + "（作者王小明系某某大学教授）", ("王小明",)),
        ("last", LINE + "（王小明 本报记者 李红）", ("王小明", "李红")),
        ("last", LINE + "（安徽 记者 王小明）", ("王小明",)),
        ("last", LINE + "（王小明 编译）", ("王小明",)),
        ("first", "记者 王小明 据视频截图/绘图", ("王小明",)),
        ("below", "<div>（本报记者 王小明 通讯员 李红）</div>", ("王小明", "李红")),
        ("below", "<div>（王小明）</div>", ("王小明",)),
        ("head", '<meta name="author" content="王小明">', ("王小明",)),
        (
            "head",
            '<script type="application/ld+json">{"author":{"@type":"Person","name":"王小明"}}</script>',
            ("王小明",),
        ),
    ],
)
def test_bylines_are_read_where_newspapers_set_them(slot: str, text: str, names: tuple[str, ...]) -> None:
    assert article(**{slot: text}).authors == names


@each(
    ("slot", "text"),
    [
        ("info", "2024-03-05 来源：某某日报 编辑：王小明"),
        ("info", "作者：本站编辑"),
        ("info", "作者：New York 时报"),
        ("info", "作者：South China 早报 2024-03-05"),
        ("last", "文：工会"),
        ("first", "会议时间：2024年3月7日（周四）"),
        ("info", "供稿：某某省民间学会 2024-03-05"),
        ("last", "文/搜狐IT"),
        ("info", "文：学生会 2024-03-05"),
        ("head", '<meta name="author" content="Light Forum"><meta name="application-name" content="Light Forum">'),
        ("info", "来源：某某报 2024-03-05 记者站 王小明"),
        ("info", "2024-03-05 记者从教育部获悉"),
        ("info", "生活中心／綜合報導 2024-03-05"),
        ("info", "某某報／台北報導 2024-03-05"),
        ("info", "2024-03-05 14:08 某某報 教育"),
        ("info", "2024-03-05 14:08 李紅玉/編譯"),
        ("last", "王小明 攝影"),
        ("last", "（王小明 編輯）"),
        ("first", "【教育部／國教署】" + LINE),
        ("first", "王小明／" + "這樣的作業太多了，孩子每天寫到深夜，" * 4 + "／台北報導"),
        ("info", "来源：某某报 2024-03-05 编辑 王小明"),
        ("info", "2024-03-05 供稿：点击：12"),
        ("first", "记者从教育部获悉，新学期的课程方案已经公布。"),
        ("first", "图为学生在上课。（王小明摄）"),
        ("last", LINE + "（德清县发改局）"),
        ("last", "某市教育快讯（章程）"),
        ("last", LINE + "（王小明 摄）"),
        ("last", "记者 王小明 摄"),
        ("last", "王小明/图"),
        ("info", "作者：教务处"),
        ("info", "作者：实验小学 2024-03-05"),
        ("info", "作者：第一中学"),
        ("info", "作者：手机版"),
        ("info", "教育</div><div>2024-03-05 14:08"),
        ("info", "王小明</div><div>某某中文</div><div>专题</div><div>2024-03-05 14:08"),
        ("info", "供稿：机电系"),
        ("info", "作者：人事科 点击：12"),
        ("head", '<meta name="author" content="中国·某县">'),
        ("head", '<meta name="author" content="编辑：王小明">'),
        ("last", LINE + "（图书馆）"),
        ("last", LINE + "（王小明 译）"),
        ("first", "● 获奖名单"),
        ("first", "■解读"),
        ("first", "●高考"),
        ("first", "▲王 小明"),
        ("first", "某视记者全程报道了这一次比赛的全部经过和结果。"),
        ("below", "<div>（全文完）</div>"),
        ("below", "<div>（安徽）</div>"),
        ("first", "记者 从教育部获悉，新学期的课程方案已经公布。"),
        ("last", "责任编辑：王小明"),
        ("below", "<div>（责任编辑：王小明）</div>"),
        ("head", '<meta name="author" content="某某新闻网">'),
        ("head", '<meta name="author" content="admin">'),
        ("head", '<meta name="author" content="Moumou Inc.">'),
        ("head", '<meta name="author" content="看云的人">'),
        ("info", "原创 某某日报 2024-03-05 08:19"),
        ("last", "本文为某某网授权发布，转载请注明出处。"),
        ("info", "<p class='author-name'>某某之家</p><p>2024-03-05</p>"),
        ("info", 'size="20" 作者： size="20" 2024-03-05'),
    ],
)
def test_no_author_is_named_where_the_page_names_none(slot: str, text: str) -> None:
    assert article(**{slot: text}).authors == ()


def test_a_name_with_blanks_without_end_is_read_in_the_time_of_any_other() -> None:
    head = f"<script {LINKED}>" + '{"author": "Mary' + " " * 200_000 + '?"}</script>'
    assert article(head=head).authors == ()


def test_an_editor_in_the_author_meta_is_no_author() -> None:
    head = '<meta name="author" content="王小明">'
    assert article(head=head, below="<div>责任编辑：王小明</div>").authors == ()


@each(
    ("slot", "text", "source"),
    [
        ("info", "2024-03-05 14:08 来源：某某日报 作者：王小明", "某某日报"),
        ("info", "稿源：某某教育网 | 2024-03-05", "某某教育网"),
        ("info", "2024-03-05 14:08来源：某某日报作者：王小明", "某某日报"),
        ("info", "2024-03-05 14:08 京华晚报", "京华晚报"),
        ("info", "來源：[ 中時新聞 ]", "中時新聞"),
        ("below", "<div>来源：某某日报 编辑：李四光</div>", "某某日报"),
        ("below", "<div>来源：<a href=/s>某某日报</a></div>", "某某日报"),
        ("head", '<meta name="source" content="某某通讯社">', "某某通讯社"),
        ("info", "2024-03-05 14:08", None),
        ("info", "来源:来源：某某网－某某日报", "某某网－某某日报"),
        ("info", "来源：某某日报 点击：123", "某某日报"),
        ("info", "来源：某某日报点击：123", "某某日报"),
        ("info", "来源：某某日报浏览次数：33", "某某日报"),
        ("info", "来源：某某日报阅读量 1.2万", "某某日报"),
        ("info", "来源：某某日报阅读123次", "某某日报"),
        ("info", "来源：某某日报[点击数 55]", "某某日报"),
        ("info", "来源：某某日报人气：99", "某某日报"),
        ("info", "来源：某某日报2024-03-05 14:08", "某某日报"),
        ("info", "来源：大众阅读报 点击：3", "大众阅读报"),
        ("info", "来源：阅读与写作网", "阅读与写作网"),
        ("info", "来源：点击 123", None),
        ("info", "2024-03-05 14:08 来源: 21世纪某某报(广州)", "21世纪某某报"),
        ("info", "来源：36某 2024-03-05", "36某"),
        ("info", "来源：12 作者：王小明", None),
        ("info", "来源：5月3日的家长会", None),
        ("info", "来源：数学学院/文 宣传部/图 2024-03-05", "数学学院"),
        ("info", "2024-03-05 04:28</div><div>某某日报 2024年3月4日", "某某日报"),
        ("first", "《某某青年报》（2024年3月4日 第3版）", "某某青年报"),
        ("last", "某某教育网2024年3月4日", "某某教育网"),
        ("last", "某校教育新闻 2024年3月4日开始", None),
        ("info", "发布机构：某某省教育厅 生成日期：2024-03-05</div><div>2024-03-05 来源：某某日报", "某某日报"),
        ("info", "发布机构：某某省教育厅 生成日期：2024-03-05", "某某省教育厅"),
        ("info", "发布单位：教务处 来源：某某日报 2024-03-05", "某某日报"),
        ("info", "2024-03-05 23:59聯合報 記者王小明／桃園機場報導", "聯合報"),
        ("info", "来源：点击数", None),
        ("info", "来源：浏览：33 次", None),
        ("info", "来源 | 某某日报", "某某日报"),
        ("first", "【某某晚報╱記者王小明/台北報導】" + LINE, "某某晚報"),
        ("first", "（某某社台北5日電）" + LINE, "某某社"),
        ("first", "某某晚报讯 （记者王小明）" + LINE, "某某晚报"),
        ("first", "【本報訊】" + LINE, None),
        ("first", "【即時新聞／綜合報導】" + LINE, None),
        ("info", "来源丨某某日报 2024-03-05", "某某日报"),
        ("info", "发布者：教务处发布时间：2024-03-05浏览次数：33", "教务处"),
        ("info", "发布者：王小明 2024-03-05", None),
        ("info", "发布部门：学生工作部 2024-03-05", "学生工作部"),
        ("info", "[2024-03-05] 教务处", "教务处"),
        ("info", "2024-03-05 星期二", None),
        ("info", "由 教务处 发布于 2024-03-05 14:08", "教务处"),
        ("info", "来源：本站 2024-03-05", None),
        ("last", "供稿：教务处 王小明", "教务处"),
        ("info", "2024-03-05 14:08·<a href=/c/user/7/>山里云</a>", "山里云"),
        ("info", "2024-03-05 14:08·<a href=/edu/>山里云</a>", None),
        ("info", "来自：某某日报", "某某日报"),
        ("last", "转载自某某日报", "某某日报"),
        ("last", "转自家长会上的一段录音", None),
    ],
)
def test_the_source_is_what_the_page_calls_so(slot: str, text: str, source: str | None) -> None:
    assert article(**{slot: text}).source == source


@each("name", ["王小明", "欧阳修文", "羅森", "李红"])
def test_names_begin_with_a_surname(name: str) -> None:
    assert is_person(name)


@each("name", ["发改局", "小编", "教务处办", "本报", "A", "王小明同志们", ""])
def test_offices_are_no_persons(name: str) -> None:
    assert not is_person(name)


def test_a_title_that_begins_like_a_byline_names_nobody() -> None:
    markup = f"<title>图文：校园樱花盛开_某网</title><h1>图文：校园樱花盛开</h1><div>{f'<p>{LINE}</p>' * 5}</div>"
    assert extract_article(parse(markup.encode(), "http://www.example.cn/a.html"), NOW).authors == ()


QUESTION = "记者：今后一周，语文、数学和英语的书面作业应该怎样布置，学校又会采取哪些具体的措施来检查它们？"


@each("question", ["记者：请谈谈《规划》编制的背景。", "记者：《规划》的基本框架和目标是什么？", QUESTION])
def test_what_a_reporter_asks_in_an_interview_is_nobodys_name(question: str) -> None:
    paragraphs = "".join(f"<p>{text}</p>" for text in (LINE, question, LINE, LINE))
    page = parse(f"<h1>答记者问</h1><div>2024-03-05</div><div>{paragraphs}</div>".encode(), "http://www.example.cn/a.html")
    assert extract_article(page, NOW).authors == ()


@each("text", ["高端班", "修改稿"])
def test_classes_and_drafts_are_no_persons(text: str) -> None:
    assert not is_person(text)


@each("credit", ["作者：老师", "作者：《某某》杂志评论员", "供稿/某某职教集团", "供稿/各党总支", "作者：某某银行"])
def test_institutions_and_generic_words_are_not_authors(credit: str) -> None:
    assert article(info=credit).authors == ()
    assert article(first=f"【{credit}】{LINE}").authors == ()


@each(
    ("info", "declared", "names"),
    [
        ("原创 山里云 某某书房 2024-03-05", "山里云", ("山里云",)),
        ("以下文章来源于某某书房 ，作者山里云", "山里云", ("山里云",)),
        ("某某书房 2024-03-05 14:08", "某某书房", ()),  # the source is nobody
        ("来源：某某书房 2024-03-05", "山里云", ()),
        ("moyun 某某书房 2024-03-05", "moyun", ()),
        ("<p>moyun</p><p>2024-03-05 14:08</p>", "moyun", ("moyun",)),
        ("<p>example</p><p>2024-03-05 14:08</p>", "example", ()),  # the host is nobody
        ("编辑 毛小明 2024-03-05 14:08", "毛小明", ()),
    ],
)
def test_a_declared_pen_name_is_the_author_if_a_line_above_the_text_shows_it(
    info: str, declared: str, names: tuple[str, ...]
) -> None:
    account = "<a id=js_name>某某书房</a>" if "书房" in info else ""
    assert article(info=info, head=f"<meta name=author content={declared}>{account}").authors == names


@each(
    ("path", "link", "names"),
    [
        ("/shanli/article/details/1", "/shanli", ("山里云",)),
        ("/shanli/p/1.html", "http://blog.example.cn/shanli/", ("山里云",)),
        ("/shanli/article/details/1", "/shanli/tags/2", ()),  # a tag of the blog
        ("/2024/article/1.html", "/2024/", ()),  # the year
        ("/study/1.html", "/study/", ()),  # a channel
        ("/blog/posts/1.html", "/blog/", ()),  # the blog itself
    ],
)
def test_the_owner_of_a_blog_is_linked_by_the_first_part_of_its_path(path: str, link: str, names: tuple[str]) -> None:
    markup = (
        f"<title>新学期作业新规_某网</title><h1>新学期作业新规</h1><p><a href={link}>山里云</a> 已于 2024-03-05 14:08 修改</p>"
        f"<div class=content>{f'<p>{LINE}</p>' * 5}</div>"
    )
    assert extract_article(parse(markup.encode(), f"http://blog.example.cn{path}"), NOW).authors == names


@each(
    ("first", "names"),
    [
        ("王小明 李红", ("王小明", "李红")),
        ("王小明、李红玉、赵强", ("王小明", "李红玉", "赵强")),
        ("王小明", ()),  # one name may be of whom the text is about
        ("王小明 课程", ()),
        ("高中 白领", ()),
        ("王小明 李红</p><p>赵强 周海", ()),  # a list of names
    ],
)
def test_names_that_make_up_the_first_line_of_the_text_are_its_writers(first: str, names: tuple[str, ...]) -> None:
    assert article(info="2024-03-05 14:08", first=first).authors == names


def test_those_who_helped_are_no_authors_where_the_page_names_the_writers() -> None:
    helped = "（参与记者：李红）"
    assert article(first="新华社记者王小明、赵强", last=LINE + helped).authors == ("王小明", "赵强")
    assert article(last=LINE + helped).authors == ("李红",)


def test_the_author_of_microdata_is_one_where_the_page_shows_the_name() -> None:
    marked = "<div itemprop=author><meta itemprop=url content=/u/1><meta itemprop=name content=山里云></div>"
    assert article(info="<p>山里云</p><p>2024-03-05 14:08</p>", below=marked).authors == ("山里云",)
    assert article(info="2024-03-05 14:08", below=marked).authors == ()


@each(
    ("above", "text", "names"),
    [
        ("<p>王小明</p>", f"{LINE}</p><p>{LINE}（王小明）", ("王小明",)),
        ("<p>王小明</p>", LINE, ()),
        ("<p>王小明</p>", "三十年来，王小明没有离开过这所学校。", ()),
        ("<p class=author>温州市</p>", LINE, ()),
        ("<p class=author>毕业季了</p>", LINE, ()),
        ("<p class=author>王小明</p>", "王小明是这所学校的老师。" + LINE + "王小明说，孩子们都很高兴。", ()),
        ("<p>王小明</p><p>某某市第一小学</p>", LINE, ()),
        ("<p><a href=/x>王小明</a></p>", LINE, ()),
        ("<p>教务处</p>", LINE, ()),
        ("<p>说作业</p>", LINE, ()),
    ],
)
def test_a_lone_name_between_title_and_text_may_be_of_another(
    above: str, text: str, names: tuple[str, ...]
) -> None:
    rows = ("新学期的作业应该怎么写", above, f"<p>{LINE}</p><p>{text}</p>")
    markup = f"<title>{rows[0]}</title><table>{''.join(f'<tr><td>{row}</td></tr>' for row in rows)}</table>"
    assert extract_article(parse(markup.encode(), "http://www.example.cn/a.html"), NOW).authors == names


@each(
    ("slot", "text", "names"),
    [
        ("info", "作者：某某大学历史学院王小明", ("王小明",)),
        ("info", "2024-03-05 作者：某某师范大学教育学部李红 浏览：12", ("李红",)),
        ("info", "作者：某市第二中学王小明", ("王小明",)),
        ("info", "撰稿：宣传处王小明", ("王小明",)),
        ("info", "作者：某省教育科学研究院王小明、李红玉", ("王小明", "李红玉")),
        ("info", "作者：某某大学历史学院 王小明", ("王小明",)),
        ("info", "作者：某某大学历史学院", ()),
        ("info", "作者：某某大学高等教育研究所", ()),
        ("info", "作者：某市第二中学", ()),
        ("last", LINE + "（图书馆 王小明）", ("王小明",)),
        ("last", LINE + "（后勤处 李红玉）", ("李红玉",)),
        ("last", LINE + "（某某大学历史学院 王小明）", ("王小明",)),
        ("last", "（团委 王小明）", ("王小明",)),
        ("last", LINE + "（王小明/文 李红/图）", ("王小明",)),
        ("last", LINE + "（李红/图 王小明/文）", ("王小明",)),
        ("last", "（王小明／文，李红／摄）", ("王小明",)),
        ("last", LINE + "（王小明 李红玉/文）", ("王小明", "李红玉")),
        ("last", LINE + "（李红/图）", ()),
        ("last", LINE + "（图书馆 阅览室）", ()),
        ("last", "书名：《某书》 作者：王小明 出版社：某出版社", ()),
        ("last", "书名：某书 作者：王小明", ()),
        ("last", "《某书》，作者：王小明，某出版社。", ()),
        ("last", "一等奖作品一件，为《某某的春天》作者：王小明 某市书法家协会会员。", ()),
        ("first", "《某书》（作者：王小明）是老师推荐的第一本书。", ()),
        ("last", "作者：王小明 单位：某市第二中学", ("王小明",)),
    ],
)
def test_an_office_stands_before_the_writer_and_the_writer_of_another_work_is_none(
    slot: str, text: str, names: tuple[str, ...]
) -> None:
    assert article(**{slot: text}).authors == names
