from datetime import UTC, datetime

from newsspider.core.extraction.article import extract_article
from newsspider.core.extraction.dom.page import parse
from newsspider.core.model import Article
from tests.support.tables import each

NOW = datetime(2024, 6, 15, tzinfo=UTC)
LINE = "教育部今天发布通知，要求各地中小学认真落实课程方案，不得随意增加作业。"
LINKS = "".join(f"<p><a href=/{i}.html>某地今天又下了一场大雪</a></p>" for i in range(12))


def article(info: str = "2024-03-05 14:08", last: str = LINE, below: str = "", head: str = "") -> Article:
    markup = (
        f"<title>新学期作业新规_某网</title>{head}<h1>新学期作业新规</h1><div>{info}</div>"
        f"<div class=content>{f'<p>{LINE}</p>' * 4}<p>{last}</p></div>{below}"
    )
    return extract_article(parse(markup.encode(), "http://www.example.cn/a.html"), NOW)


@each(
    ("slot", "text", "editors"),
    [
        ("below", "<div>编辑 王小明</div>", ("王小明",)),
        ("last", "见习编辑 王小明", ("王小明",)),
        ("below", "<div>责任编辑：<a href=/u>王小明</a> <a href=/>某某网首页</a></div>", ("王小明",)),
        ("below", "<div><a href=/>某某网</a> <a href=/>www.example.cn</a> 责任编辑：王小明</div>", ("王小明",)),
        ("below", "<div><a href=/b.html>编辑：一个人的新学期</a></div>", ()),
        ("below", "<div>编辑/李红</div><div>（责任编辑：王小明）</div>", ("王小明",)),
        ("below", "<div>编辑：实习生王小明</div>", ("王小明",)),
        ("below", "<div>责任编辑：古丽·阿不都</div>", ("古丽·阿不都",)),
        ("below", "<div>责编 | 王小明</div>", ("王小明",)),
        ("last", "編輯︰王小明", ("王小明",)),
        ("below", "<div>（编辑 王小明）</div>", ("王小明",)),
        ("below", "<div>某出版社编辑 王小明</div>", ()),
        ("below", "<div>编辑 部主任</div>", ()),
        ("below", "<div>责任编辑：王小明</div>", ("王小明",)),
        ("below", "<div>责任编辑：王 明</div>", ("王明",)),
        ("below", "<div>编辑：（王小明）</div>", ("王小明",)),
        ("below", "<div>责任编辑：王 明 李 红</div>", ("王明", "李红")),
        ("below", "<div>【责编 王小明】</div>", ("王小明",)),
        ("below", "<div>（责编：王小明、李红）</div>", ("王小明", "李红")),
        ("below", "<div>【责任编辑:王小明 】</div>", ("王小明",)),
        ("below", "<div>[责任编辑：王小明 PN054]</div>", ("王小明",)),
        ("below", "<div>责任编辑：王小明_NBJ11143</div>", ("王小明",)),
        ("below", "<div>编辑：王小明 责任编辑：李红</div>", ("李红", "王小明")),
        ("info", "2024-03-05 14:08 来源：某某报 选稿：王小明", ("王小明",)),
        ("below", "<div>编辑：王小明 校对：李红 审核：赵强</div>", ("王小明",)),
        ("below", "<div>来源：某某报 编辑：王小明</div>", ("王小明",)),
        ("below", "<div>责编：Demi Xia</div>", ("Demi Xia",)),
        ("below", "<div>[责任编辑：xiaoming]</div>", ("xiaoming",)),
        ("last", LINE + "（編輯：王小明）1130305", ("王小明",)),
        ("info", "2024-03-05 14:08 来源：某某报 责任编辑：王小明", ("王小明",)),
        ("below", "<div>责任编辑：</div>", ()),
        ("below", "<div>总编辑：王小明</div>", ()),
        ("below", f"{LINKS}<div>[责任编辑:王小明]</div>", ("王小明",)),
        ("below", f"{LINKS}<div>编辑：王小明</div>", ()),
        ("below", "", ()),
    ],
)
def test_the_duty_editor_is_neither_author_nor_source(slot: str, text: str, editors: tuple[str, ...]) -> None:
    read = article(**{slot: text})
    assert (read.editors, read.authors) == (editors, ())
    assert read.source in (None, "某某报")


@each("label", ["发稿时间", "更新日期", "录入时间"])
def test_the_label_of_a_date_right_behind_the_source_ends_it(label: str) -> None:
    info = "<span>来源： {}</span><span>{}：2024-03-05 14:08</span>"
    assert article(info=info.format("某大学新闻网", label)).source == "某大学新闻网"
    assert article(info=info.format("", label)).source is None


def test_a_portals_link_behind_the_last_sentence_is_not_of_the_text() -> None:
    last = f"{LINE}<a href=https://www.example.com/>返回搜狐，查看更多</a>"
    assert (article(last=last).text or "").endswith(LINE)


@each("text", ['作者： size="20" 来源： size="20" 发布日期： 2024-03-05', "来源：<?php echo $a; ?> 2024-03-05"])
def test_broken_markup_in_the_masthead_is_no_source(text: str) -> None:
    assert article(info=text.replace("<", "&lt;")).source is None


@each(
    ("info", "head", "moment"),
    [
        ("2024-03-05 14:08 更新时间：2024-03-06 09:30", "", "2024-03-06T09:30+08:00"),
        ("2024/3/5 14:08（2024/3/5 22:08 更新）", "", "2024-03-05T22:08+08:00"),
        (
            "2024-03-05 14:08",
            '<meta property="article:modified_time" content="2024-03-07T08:00:00+08:00">',
            "2024-03-07T08:00+08:00",
        ),
        (
            "2024-03-05 14:08",
            '<script type="application/ld+json">{"dateModified":"2024-03-08T08:00:00+08:00"}</script>',
            "2024-03-08T08:00+08:00",
        ),
        ("2024-03-05 14:08", '<meta property="article:modified_time" content="2024-03-05T14:08:00+08:00">', None),
        ("2024-03-05 14:08 更新时间：2024-03-05 14:08", "", None),
        ("2024-03-05 14:08", "", None),
    ],
)
def test_a_later_change_is_distinguished_from_the_publication(info: str, head: str, moment: str | None) -> None:
    read = article(info=info, head=head)
    assert read.published_at is not None
    assert read.published_at.isoformat(timespec="minutes") == "2024-03-05T14:08+08:00"
    assert (read.modified_at.isoformat(timespec="minutes") if read.modified_at else None) == moment


@each(
    "account",
    [
        "<a id='js_name'> 某某教育 </a>",
        "<strong class='profile_nickname'>某某教育</strong>",
        "<div class='wx_follow_nickname '>某某教育</div>",
    ],
)
def test_the_account_of_a_wechat_article_is_its_source_where_it_names_no_other(account: str) -> None:
    assert article(info=f"原创 2024-03-05 {account}").source == "某某教育"
    assert article(info=f"原创 2024-03-05 {account}", below="<div>来源：某某日报</div>").source == "某某日报"
    assert article(info="原创 2024-03-05 <a id='name'>某某教育</a>").source is None


@each(
    ("info", "source"),
    [
        ("2024-03-05 14:08·某某社", "某某社"),
        ("2024-03-05 14:08<i class=where>某某之家</i><i>王小明</i> <b class=source>分享</b>", "某某之家"),
        ("原创：某某教育网2024-03-05 14:08:33", "某某教育网"),
        ("本文来源于网络 2024-03-05 14:08", None),
        ("本文来源于某某商报 2024-03-05 14:08", "某某商报"),
        ("本文来源于<a href=/>《某某网》</a> 2024-03-05 14:08 我要评论", "某某网"),
        ("<a href=/2>摘自某某在线-某某日报</a></div><div>2024-03-05 14:08", "某某在线-某某日报"),
        ("2024-03-05 14:08 来源：资料图", None),
        ("2024-03-05 14:08 <a href=//my.example.cn/user/index.do>用户之家</a>", None),
        ("本文来源于省统计局 2024-03-05 14:08", "省统计局"),
        ("本文来源于互联网整理 2024-03-05 14:08", None),
        ("来源：某某网-《某某日报》2024-03-05 14:08", "某某网-《某某日报》"),
        ("2024-03-05 14:08:33某某观察 来自某某市", "某某观察"),
        ("2024-03-05 14:08:33 来自某某市", None),
        ("<a href=/m>某某观察</a></div><div>下载客户端</div><div>2024-03-05 14:08:33 来自某某市", "某某观察"),
        ("某某观察</div><div>下载客户端</div><div>2024-03-05 14:08:33 来自某某市", None),
        ("<a href=/m>某某观察</a></div><div>下载客户端</div><div>2024-03-05 14:08:33", None),
        ("作者<a href=/u/1>山里看花</a>发表于 2024-03-05 14:08", "山里看花"),
        ("山里看花<a href=/u/1>看花</a>的路 2024-03-05 14:08", None),
        ("<a href=/member/login.html>登录</a> 2024-03-05 14:08", None),
        ("新华社</div><div>2024-03-05 14:08", "新华社"),
        ("2024年3月5日週二 下午2:08</div><div>某某電台-財經", "某某電台"),
        ("<a href=/m>某某日报</a></div><div>2024-03-05 14:08发布于北京", "某某日报"),
        ("<a href=/m>校园新闻</a></div><div>2024-03-05 14:08", None),
        ("某某日报</div><div>第三版</div><div>2024-03-05 14:08", None),
        ("某某旅行社</div><div>2024-03-05 14:08", None),
        ("信息快报</div><div>2024-03-05 14:08", None),
        ("某某電視台 2024-03-05 14:08", "某某電視台"),
        ("某某新聞網【王小明】 2024-03-05 14:08", "某某新聞網"),
        ("某某网-某某日报 2024-03-05 14:08", "某某网-某某日报"),
        ("某某傳媒 3小時前", "某某傳媒"),
    ],
)
def test_the_outlet_next_to_the_date_is_the_source(info: str, source: str | None) -> None:
    assert article(info=info).source == source


def test_a_script_may_call_the_source_the_media() -> None:
    record = '<script>window.DATA = {"title": "新学期作业新规", "media": "某某新闻"}</script>'
    assert article(head=record).source == "某某新闻"


def test_a_channel_is_no_account_because_a_line_has_its_word() -> None:
    head = "<a href=/p?uid=1>课堂</a>" + "<p>登录</p>" * 5
    assert article("2024-03-05 14:08</div><div>课堂内外都要减负", head=head).source is None
    assert article("2024-03-05 14:08</div><div>作者 课堂", head=head).source == "课堂"


@each("name", ["admin", "公告", "管理员"])
def test_an_account_of_the_site_or_a_channel_is_no_source(name: str) -> None:
    assert article(info=f"发布时间：2024-03-05 文章来源：{name}").source is None


@each("next_label", ["报名时间：3月10日", "联系人：王小明"])
def test_an_empty_label_in_front_of_another_one_names_no_source(next_label: str) -> None:
    info = f"<li>发布时间：2024-03-05</li><li>发布单位：</li><li>{next_label}</li>"
    assert article(info=f"<ul>{info}</ul>").source is None
    assert article(info=f"<ul>{info.replace(next_label, '市教育局')}</ul>").source == "市教育局"


def test_the_next_label_is_no_editor() -> None:
    assert article(info="编辑：编辑 关键字：").editors == ()


def test_the_editor_may_sign_below_the_writer_at_the_beginning_of_the_text() -> None:
    lines = f"<p>{LINE}</p><p>文｜李红</p><p>编辑｜王小明</p>" + f"<p>{LINE}</p>" * 6
    page = parse(f"<title>新学期作业新规_某网</title><h1>新学期作业新规</h1><div class=content>{lines}</div>".encode(), "http://www.example.cn/a.html")
    assert (extract_article(page, NOW).editors, extract_article(page, NOW).authors) == (("王小明",), ("李红",))


def test_when_and_where_a_text_was_posted_may_stand_below_it() -> None:
    posted = article(info="", last="2024-03-05 14:08:33 某某新闻网")
    assert (posted.source, posted.text.endswith(LINE)) == ("某某新闻网", True)
    assert article(info="", last="2024年3月5日").text.endswith("2024年3月5日")  # the signature of a document


@each("below", ["", "<h3>热门图集</h3>", "<div>（责任编辑：王小明）</div>"])
def test_the_line_of_moment_and_outlet_below_the_captions_of_an_album_gives_both(below: str) -> None:
    before, behind = (below, "") if "编辑" in below else ("", below)
    markup = (
        f"<title>新学期作业新规_某网</title><h1>新学期作业新规</h1><div class=content><p>{LINE}{LINE}</p></div>"
        f"{before}<div class=info>2024-03-05 14:08 某某在线</div>{behind}<p><a href=/1.html>某地今天又下了一场大雪</a></p>"
    )
    read = extract_article(parse(markup.encode(), "http://www.example.cn/a.html"), NOW)
    assert read.published_at is not None
    assert (f"{read.published_at:%Y-%m-%d %H:%M}", read.source) == ("2024-03-05 14:08", "某某在线")
    assert read.text.endswith(LINE)


@each(
    ("info", "source"),
    [
        ("来源：某市发布", "某市发布"),
        ("来源：某市教育发布 发布时间：2024-03-05", "某市教育发布"),
        ("来源：某市教育发布发布时间：2024-03-05", "某市教育发布"),
        ("来源：某某晚报发布时间：2024-03-05", "某某晚报"),
        ("来源：教务处发布：2024-03-05", "教务处"),
        ("来源：某某晚报20240304", "某某晚报"),
        ("来源：某某教育网16.10", "某某教育网"),
        ("来源[某某晚报] 2024-03-05", "某某晚报"),
        ("2024-03-05 14:08 [来源：某某晚报]", "某某晚报"),
        ("2024-03-05 14:08 【来源 某某晚报】", "某某晚报"),
        ("（来源 某某晚报）", "某某晚报"),
        ("2024-03-05 14:08 来源 某某晚报 浏览 12", "某某晚报"),
        ("2024-03-05 14:08 | 来源某某周刊 | 作者王小明", "某某周刊"),
        ("2024-03-05</div><div>来源</div><div>某某晚报", "某某晚报"),
        ("<table><tr><td>来源：</td><td>某某晚报</td></tr></table>", "某某晚报"),
        ("來源</span><p>某某晚報</p>", "某某晚報"),
        ("来源网站：某某教育网", "某某教育网"),
        ("来源单位：第二中学", "第二中学"),
        ("来稿单位：第二中学", "第二中学"),
        ("图文来源：第二中学", "第二中学"),
        ("来源科室：基础教育科", "基础教育科"),
        ("文章来源：转自网络", None),
        ("供稿单位：第二中学", "第二中学"),
        ("信息来源：教务处", "教务处"),
        ("稿件来源：某某晚报", "某某晚报"),
        ("文章来源：某某晚报", "某某晚报"),
        ("转自：某某晚报", "某某晚报"),
        ("轉載自：某某晚報", "某某晚報"),
        ("原载：某某晚报", "某某晚报"),
        ("原载《某某晚报》", "某某晚报"),
        ("出處：某某晚報", "某某晚報"),
        ("来源：《某某教育》2024年第3期", "《某某教育》2024年第3期"),
        ("来源：《某某教育》杂志2024年第12期", "《某某教育》杂志2024年第12期"),
        ("原载《某某教育》2024年第3期", "《某某教育》2024年第3期"),
        ("来源：《某某教育》", "某某教育"),
        ("来源：某市一中 高三年级组", "某市一中 高三年级组"),
        ("来源：第二小学 教导处 浏览：12", "第二小学 教导处"),
        ("来源：某市一中 点击：12", "某市一中"),
        ("来源：某某晚报 教育部", "某某晚报"),
        ("来源 | 某某日报及某华社、某某晚报等", "某某日报"),
        ("From：某某晚报", "某某晚报"),
        ("Source: 某某晚报 2024-03-05", "某某晚报"),
        ("2024-03-05 14:08 来源/某某晚报", "某某晚报"),
        ("稿源／某某晚报", "某某晚报"),
        ("来源：“某某教育”微信公众号", "某某教育"),
        ("“某某教育”微信公众号 2024-03-05", None),
        ("2024-03-05</div><div>“某某教育”微信公众号", "某某教育"),
        ("2024-03-05</div><div>“某某教育”公众号：", None),
        ("Source: https://www.example.cn", None),
        ("来源/链接：", None),
        ("来源</div><div>打印</div><div>字号", None),
        ("信息来源：本网 2024-03-05", None),
        ("发布机构</div><div>文件编号</div><div>备注", None),
        ("2024-03-05</div><div>来源：</div><div>各位同学：", None),
        ("2024-03-05</div><div>来源：</div><div>新学期作业", None),
        ("来源：</span><span>收藏", None),
        ("来源于网络", None),
        *((f"来源：{word}", None) for word in ("转载", "综合", "其他", "网络整理", "不详", "暂无")),
        ("信息提供：教务处", "教务处"),
        ("转载来源：某某晚报", "某某晚报"),
        ("综合自：某某晚报、某某网", "某某晚报、某某网"),
        ("来源：微信公众号 某某教育", "某某教育"),
        ("来源：某某晚报分享到：", "某某晚报"),
        ("图片来源：某图库", None),
        ("图片来源</div><div>某图库", None),
    ],
)
def test_a_source_stands_behind_many_labels_with_a_colon_or_without(info: str, source: str | None) -> None:
    assert article(info).source == source


@each(
    "text",
    [
        "图片来源：某图库",
        "（图片来源：某图库）",
        "数据来源：某市统计局",
        "资金来源：市财政拨款",
        "经费来源：市财政局",
        "报名材料来源：市教育考试院",
        "视频来源：某市电视台",
        "生源：第二中学",
        "题目来源：某省考试院",
        "食材来源：某某公司",
        "2. 经费来源：市财政局",
        "学员来源：各区教师进修学校",
        "来源于生活的题目，学生最喜欢做。",
        "来源 多样的课后服务项目",
        "来源广泛的图书，由某某出版社捐赠。",
        "新闻来源的核实，是记者的第一课。",
        "From: 学生的一封信",
        "Source code: 三种写法都可以。",
        "关注“某某教育”微信公众号，回复“报名”即可。",
        "学校开通了“某某教育”微信公众号。",
        "据某某社某市3月5日电，教育部今天发布通知。",
        "本报某市3月5日电，教育部今天发布通知。",
    ],
)
def test_the_origin_of_something_else_is_no_source(text: str) -> None:
    assert article(last=text).source is None


@each(
    ("text", "source"),
    [
        ("某新网3月5日电 ", "某新网"),
        ("某华社北京3月5日电（记者王小明）", "某华社"),
        ("某某日报某市5日电 ", "某某日报"),
        ("某广网北京3月5日消息（记者王小明）", "某广网"),
        ("某广网3月5日消息，", "某广网"),
        ("某明网讯（记者王小明）", "某明网"),
        ("某某网某市3月5日讯 ", "某某网"),
        ("某某日报客户端讯 ", "某某日报客户端"),
        ("某某客户端3月5日电 ", "某某客户端"),
        ("某某新闻讯（记者 王小明）", "某某新闻"),
        ("某某电视台讯（记者 王小明）", "某某电视台"),
        ("本网讯（记者 王小明）", None),
        ("据某广网3月5日消息，", None),
        ("校园网讯 ", None),
        ("某市教育局3月5日消息，", None),
        ("互联网3月5日消息不断，", None),
        ("某华社记者北京报道，", None),
    ],
)
def test_who_wired_a_text_is_its_source_where_no_label_names_one(text: str, source: str | None) -> None:
    markup = f"<title>新学期作业新规</title><h1>新学期作业新规</h1><p>2024-03-05</p><div><p>{text}{LINE}</p>{f'<p>{LINE}</p>' * 4}</div>"
    assert extract_article(parse(markup.encode(), "http://www.example.cn/a.html"), NOW).source == source


@each(
    ("line", "author"),
    [
        ("[宣传部 李红玉]", "李红玉"),
        ("【宣传部 李红玉】", "李红玉"),
        ("[图书馆 李红]", "李红"),
        (f"{LINE}[高三年级 李红]", "李红"),
        ("(校团委 李红)", "李红"),
        ("（机关党委 李红玉）", "李红玉"),
        (f"{LINE}（院工会 李红玉）", "李红玉"),
        ("【招生计划】", None),
        ("[注 释]", None),
        ("【教育部 发布】", None),
        ("[工会 活动]", None),
        ("校团委 李红玉老师到场祝贺。", None),
    ],
)
def test_an_office_and_a_person_in_brackets_at_the_end_are_the_author(line: str, author: str | None) -> None:
    assert article(last=line).authors == ((author,) if author else ())


@each("origin", ["水源", "教师", "生源", "统计", "经费主要", "样本", "名额", "捐赠"])
def test_the_origin_of_something_else_is_no_source_in_any_line(origin: str) -> None:
    lines = [f"{origin}来源：市财政局", "全市中小学本学期起每天安排一节体育课，课间延长到十五分钟，操场上的笑声多了起来。"]
    markup = "".join(f"<p>{line}</p>" for line in (*lines, *lines[1:] * 3))
    page = parse(f"<title>每天一节体育课</title><h1>每天一节体育课</h1><p>2026-06-10</p>{markup}".encode(), "http://www.example.cn/a.html")
    assert extract_article(page, datetime(2026, 6, 11, tzinfo=UTC)).source is None


@each(
    "line", ["本文转载自永平晚报", "本文转载自“永平晚报”微信公众号", "本文来自永平晚报", "（来源于永平晚报）", "原载《永平晚报》"]
)
def test_a_sentence_that_names_where_a_text_was_taken_from_gives_the_source(line: str) -> None:
    text = "<p>全市中小学本学期起每天安排一节体育课，课间延长到十五分钟，操场上的笑声多了起来。</p>" * 4
    markup = f"<title>每天一节体育课</title><h1>每天一节体育课</h1><p>2026-06-10</p>{text}<p>{line}</p>"
    page = parse(markup.encode(), "http://www.example.cn/a.html")
    source = extract_article(page, datetime(2026, 6, 11, tzinfo=UTC)).source
    assert source == "永平晚报"
