from datetime import UTC, datetime

import pytest

from newsspider.core.extraction.article import read
from newsspider.core.extraction.dom.page import parse
from newsspider.core.model import Article

NOW = datetime(2024, 6, 15, tzinfo=UTC)
LINE = "教育部今天发布通知，要求各地中小学认真落实课程方案，不得随意增加作业。"
LINKS = "".join(f"<p><a href=/{i}.html>某地今天又下了一场大雪</a></p>" for i in range(12))


def article(info: str = "2024-03-05 14:08", last: str = LINE, below: str = "", head: str = "") -> Article:
    markup = (
        f"<title>新学期作业新规_某网</title>{head}<h1>新学期作业新规</h1><div>{info}</div>"
        f"<div class=content>{f'<p>{LINE}</p>' * 4}<p>{last}</p></div>{below}"
    )
    return read(parse(markup.encode(), "http://www.example.cn/a.html"), NOW)


@pytest.mark.parametrize(
    ("slot", "text", "editors"),
    [
        ("below", "<div>编辑 王小明</div>", ("王小明",)),
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


@pytest.mark.parametrize("text", ['作者： size="20" 来源： size="20" 发布日期： 2024-03-05', "来源：<?php echo $a; ?> 2024-03-05"])
def test_broken_markup_in_the_masthead_is_no_source(text: str) -> None:
    assert article(info=text.replace("<", "&lt;")).source is None


@pytest.mark.parametrize(
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


@pytest.mark.parametrize("account", ["<a id='js_name'> 某某教育 </a>", "<strong class='profile_nickname'>某某教育</strong>"])
def test_the_account_of_a_wechat_article_is_its_source_where_it_names_no_other(account: str) -> None:
    assert article(info=f"原创 2024-03-05 {account}").source == "某某教育"
    assert article(info=f"原创 2024-03-05 {account}", below="<div>来源：某某日报</div>").source == "某某日报"
    assert article(info="原创 2024-03-05 <a id='name'>某某教育</a>").source is None


@pytest.mark.parametrize(
    ("info", "source"),
    [
        ("2024-03-05 14:08·某某社", "某某社"),
        ("原创：某某教育网2024-03-05 14:08:33", "某某教育网"),
        ("本文来源于网络 2024-03-05 14:08", None),
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


@pytest.mark.parametrize("name", ["admin", "公告", "管理员"])
def test_an_account_of_the_site_or_a_channel_is_no_source(name: str) -> None:
    assert article(info=f"发布时间：2024-03-05 文章来源：{name}").source is None


def test_the_next_label_is_no_editor() -> None:
    assert article(info="编辑：编辑 关键字：").editors == ()


def test_the_editor_may_sign_below_the_writer_at_the_beginning_of_the_text() -> None:
    lines = f"<p>{LINE}</p><p>文｜李红</p><p>编辑｜王小明</p>" + f"<p>{LINE}</p>" * 6
    page = parse(f"<title>新学期作业新规_某网</title><h1>新学期作业新规</h1><div class=content>{lines}</div>".encode(), "http://www.example.cn/a.html")
    assert (read(page, NOW).editors, read(page, NOW).authors) == (("王小明",), ("李红",))


def test_when_and_where_a_text_was_posted_may_stand_below_it() -> None:
    posted = article(info="", last="2024-03-05 14:08:33 某某新闻网")
    assert (posted.source, posted.text.endswith(LINE)) == ("某某新闻网", True)
    assert article(info="", last="2024年3月5日").text.endswith("2024年3月5日")  # the signature of a document
