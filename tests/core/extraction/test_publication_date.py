import time
from datetime import UTC, datetime

from newsspider.core.dates.date_reader import machine_stamp, stamp_in, url_date
from newsspider.core.extraction.article import extract_article
from newsspider.core.extraction.dom.page import parse
from tests.support.tables import each

NOW = datetime(2024, 6, 15, 4, 30, tzinfo=UTC)  # 12:30 in Shanghai
TEXT = "<p>教育部今天发布通知，要求各地中小学认真落实课程方案，不得随意增加作业。</p>" * 5


@each(
    ("text", "iso"),
    [
        ("2024-03-05 14:08", "2024-03-05T14:08+08:00"),
        ("发布时间：2024年3月5日14时08分", "2024-03-05T14:08+08:00"),
        ("2024/3/5 下午2:08", "2024-03-05T14:08+08:00"),
        ("2024.03.05 02:08 PM", "2024-03-05T14:08+08:00"),
        ("２０２４年３月５日", "2024-03-05T00:00+08:00"),
        ("2024-03-0514:08来源：某报", "2024-03-05T14:08+08:00"),
        ("2024-03-05T14:08:33Z", "2024-03-05T22:08+08:00"),
        ("2024-03-05T14:08:33+09:00", "2024-03-05T14:08+09:00"),
        ("2024年03月05日 （星期二） 14:08", "2024-03-05T14:08+08:00"),
        ("中華民國113年3月5日", "2024-03-05T00:00+08:00"),
        ("二〇二四年三月十五日", "2024-03-15T00:00+08:00"),
        ("二〇二四年三月五日 14:08", "2024-03-05T14:08+08:00"),
        ("二○二四年三月五日14时08分", "2024-03-05T14:08+08:00"),
        ("2024年三月五日", "2024-03-05T00:00+08:00"),
        ("民國一一三年三月五日", "2024-03-05T00:00+08:00"),
        ("中華民國一百一十三年三月五日 下午2:08", "2024-03-05T14:08+08:00"),
        ("民国一百年十二月三十一日", "2011-12-31T00:00+08:00"),
        ("24-03-05 14:08", "2024-03-05T14:08+08:00"),
        ("24-3-5 14:08", "2024-03-05T14:08+08:00"),
        ("24-3-15 9:08", "2024-03-15T09:08+08:00"),
        ("24-03-0514:08", "2024-03-05T14:08+08:00"),
        ("2024-03-05 02:08:11 下午", "2024-03-05T14:08+08:00"),
        ("2024-03-05 at 14:08", "2024-03-05T14:08+08:00"),
        ("2024-03-05 HKT 14:08", "2024-03-05T14:08+08:00"),
        ("2024年3月5日 北京时间14:08", "2024-03-05T14:08+08:00"),
        ("2024年3月5日（星期二）香港時間14時08分", "2024-03-05T14:08+08:00"),
        ("14:08 2024-03-05", "2024-03-05T14:08+08:00"),
        ("13:00-14:08 2024-03-05", "2024-03-05T00:00+08:00"),
        ("14:08 2024-03-05 15:30", "2024-03-05T15:30+08:00"),
        ("2024-03-05T14:08:33 JST+0900", "2024-03-05T14:08+09:00"),
        ("Tue Mar 05 2024 14:08:00 GMT+0800", "2024-03-05T14:08+08:00"),
        ("2024-03-05 14:08 UTC+8", "2024-03-05T14:08+08:00"),
        ("2024-03-05 14:08:33-05:00", "2024-03-05T14:08-05:00"),
        ("2024-03-05 14:08-16:30", "2024-03-05T14:08+08:00"),
        ("2024-03-05 14∶08", "2024-03-05T14:08+08:00"),
        ("03-05 14:08", "2024-03-05T14:08+08:00"),
        ("12月31日 23:10", "2023-12-31T23:10+08:00"),
        ("今天 08:15", "2024-06-15T08:15+08:00"),
        ("昨天 23:40", "2024-06-14T23:40+08:00"),
        ("昨天 11:40pm", "2024-06-14T23:40+08:00"),
        ("周四 18:35", "2024-06-13T18:35+08:00"),
        ("发布于 星期六 18:35", "2024-06-08T18:35+08:00"),
        ("3小时前", "2024-06-15T09:30+08:00"),
        ("25分鐘前", "2024-06-15T12:05+08:00"),
        ("刚刚", "2024-06-15T12:30+08:00"),
        ("2天前", "2024-06-13T12:30+08:00"),
        ("两小时前", "2024-06-15T10:30+08:00"),
        ("两三小时前", "2024-06-15T09:30+08:00"),
        ("十十小时前", "2024-06-15T02:30+08:00"),
        ("十分钟前", "2024-06-15T12:20+08:00"),
        ("3 hours ago", "2024-06-15T09:30+08:00"),
        ("发布日期：昨天", "2024-06-14T00:00+08:00"),
        ("Mar 5, 2024 2:08 PM", "2024-03-05T14:08+08:00"),
        ("三月 5th, 2024", "2024-03-05T00:00+08:00"),
        ("十十月 5th, 2023", "2023-10-05T00:00+08:00"),
        ("3月 5, 2024 下午 2:08", "2024-03-05T14:08+08:00"),
        ("十二月 31日, 2023", "2023-12-31T00:00+08:00"),
        ("2024年3月5日（二）14:08", "2024-03-05T14:08+08:00"),
        ("2024年3月5日【星期二】14:08", "2024-03-05T14:08+08:00"),
        ("2024-03-05 [周二] 14:08", "2024-03-05T14:08+08:00"),
        ("2024年3月5日〔週二〕下午2:08", "2024-03-05T14:08+08:00"),
        ("2024-03-05「礼拜二」14:08", "2024-03-05T14:08+08:00"),
        ("2024-03-05 (Tue) 14:08", "2024-03-05T14:08+08:00"),
        ("2024/03/05 Tuesday, 14:08", "2024-03-05T14:08+08:00"),
        ("2024年3月5日22时", "2024-03-05T22:00+08:00"),
        ("2024年3月5日 22点", "2024-03-05T22:00+08:00"),
        ("2024年3月5日晚10点 来源：某报", "2024-03-05T22:00+08:00"),
        ("2024年3月5日下午3時", "2024-03-05T15:00+08:00"),
        ("2024年3月5日22时许", "2024-03-05T22:00+08:00"),
        ("2024年3月5日上午9点半", "2024-03-05T09:30+08:00"),
        ("2024年3月5日 AM10:05", "2024-03-05T10:05+08:00"),
        ("2024-03-05 PM 2:08", "2024-03-05T14:08+08:00"),
        ("2024-03-05 p.m. 2:08", "2024-03-05T14:08+08:00"),
        ("2024-03-05 2:08 p.m.", "2024-03-05T14:08+08:00"),
        ("2024-03-05 12:08 am", "2024-03-05T00:08+08:00"),
        ("2024年3月5日 早间 8:08", "2024-03-05T08:08+08:00"),
        ("2024年3月5日傍晚6:08", "2024-03-05T18:08+08:00"),
        ("2024年3月5日清晨6:08", "2024-03-05T06:08+08:00"),
        ("2024年3月5日夜间11:08", "2024-03-05T23:08+08:00"),
        ("2024年3月5日夜里1:08", "2024-03-05T01:08+08:00"),
        ("2024/03/05-14:08", "2024-03-05T14:08+08:00"),
        ("2024-03-05_14:08", "2024-03-05T14:08+08:00"),
        ("2024.03.05–14:08:33", "2024-03-05T14:08+08:00"),
        ("15.03.2024 14:08", "2024-03-15T14:08+08:00"),
        ("05.03.2024, 14:08", "2024-03-05T14:08+08:00"),
        ("15/03/2024 14:08", "2024-03-15T14:08+08:00"),
        ("03/15/2024 14:08", "2024-03-15T14:08+08:00"),
        ("15-03-2024", "2024-03-15T00:00+08:00"),
        ("发布：15/03/2024", "2024-03-15T00:00+08:00"),
        ("20240305T060833Z", "2024-03-05T14:08+08:00"),
        ("20240305T140833+0800", "2024-03-05T14:08+08:00"),
        ("20240305T1408", "2024-03-05T14:08+08:00"),
        ("20240305T140833", "2024-03-05T14:08+08:00"),
        ("Tue Mar 05 14:08:33 CST 2024", "2024-03-05T14:08+08:00"),
        ("发布时间：Tue Mar  5 06:08:33 UTC 2024", "2024-03-05T14:08+08:00"),
        ("Tue Mar 5 14:08:33 2024", "2024-03-05T14:08+08:00"),
        ("Tue Mar 05 14:08:33 GMT+08:00 2024", "2024-03-05T14:08+08:00"),
        ("Tue Mar 05 14:08:33 +0800 2024", "2024-03-05T14:08+08:00"),
        ("2024-03-05 14:08 CST", "2024-03-05T14:08+08:00"),
        ("2024-03-05 14:08:33 PST", "2024-03-05T14:08-08:00"),
        ("2024-06-05 14:08 BST", "2024-06-05T14:08+01:00"),
        ("2024-03-05 14:08 Asia/Tokyo", "2024-03-05T14:08+09:00"),
        ("2024-03-05T06:08:33+00:00", "2024-03-05T14:08+08:00"),
        ("Tue Mar 05 2024 06:08:33 GMT+0000 (Coordinated Universal Time)", "2024-03-05T14:08+08:00"),
        ("2024-03-05 06:08 GMT+00:00", "2024-03-05T14:08+08:00"),
        ("| 24-03-05 | 【大 中 小】【打印】【关闭】", "2024-03-05T00:00+08:00"),
        ("发布时间：24-03-05 浏览次数：12 来源：某某学院办公室", "2024-03-05T00:00+08:00"),
        ("日期:24/03/05 作者:王小明 点击:1208 字号：大 中 小", "2024-03-05T00:00+08:00"),
        ("出生于1985年3月5日 发布时间：2024-03-05", "2024-03-05T00:00+08:00"),
        ("发布时间：刚刚", "2024-06-15T12:30+08:00"),
        ("发布于 刚才", "2024-06-15T12:30+08:00"),
        ("某某报 · 剛剛", "2024-06-15T12:30+08:00"),
        ("刚刚发布", "2024-06-15T12:30+08:00"),
        ("更新：刚刚 | 阅读 12", "2024-06-15T12:30+08:00"),
        ("just now", "2024-06-15T12:30+08:00"),
        ("今晨 06:30", "2024-06-15T06:30+08:00"),
        ("今早8点 某某报", "2024-06-15T08:00+08:00"),
        ("昨晚 21:30", "2024-06-14T21:30+08:00"),
        ("昨晚9点半", "2024-06-14T21:30+08:00"),
        ("昨夜11:30", "2024-06-14T23:30+08:00"),
        ("昨晨 6:30", "2024-06-14T06:30+08:00"),
        ("前晚 21:30", "2024-06-13T21:30+08:00"),
        ("前日 08:15", "2024-06-13T08:15+08:00"),
        ("1小时30分钟前", "2024-06-15T11:00+08:00"),
        ("1小時30分鐘前", "2024-06-15T11:00+08:00"),
        ("1小时零5分前", "2024-06-15T11:25+08:00"),
        ("两个半小时前", "2024-06-15T10:00+08:00"),
        ("一个半小时前", "2024-06-15T11:00+08:00"),
        ("一小时半前", "2024-06-15T11:00+08:00"),
        ("两個半小時前", "2024-06-15T10:00+08:00"),
        ("半个小时前", "2024-06-15T12:00+08:00"),
        ("1天2小时前", "2024-06-14T10:30+08:00"),
        ("1小時前", "2024-06-15T11:30+08:00"),
        ("5分前", "2024-06-15T12:25+08:00"),
        ("30秒钟前", "2024-06-15T12:29+08:00"),
        ("2 hours, 5 minutes ago", "2024-06-15T10:25+08:00"),
        ("an hour ago", "2024-06-15T11:30+08:00"),
        ("3h ago", "2024-06-15T09:30+08:00"),
        ("5 mins ago", "2024-06-15T12:25+08:00"),
    ],
)
def test_moments_are_read_as_chinese_pages_write_them(text: str, iso: str) -> None:
    stamp = stamp_in(text, NOW)
    assert stamp is not None
    assert stamp.at.isoformat(timespec="minutes") == iso


@each(
    "text",
    [
        "",
        "2024-13-45",
        "昨天的课堂",
        "十年前，" + "他从师范学校毕业，来到这所只有三名教师的山村小学，" * 3,
        "2031-01-01 08:00",
        "1024×768",
        "电话：010-66096114",
        "第3-5页",
        "21-15-9 14:08",
        "比分21-5-3",
        "今日要闻",
        "1912年3月5日",
        "今晚8:30",
        "今早的课堂",
        "今晚 21:30",
        "刚刚，教育部公布了新的课程方案",
        "刚刚 教育部公布了新的课程方案",
        "他刚刚 走进教室",
        "大前天",
        "1985-03-05 08:00",
        "1992年12月31日",
        "版本 1.2.2024.5",
        "比分 16-09-29-3",
        "Tue Mar 05 14:08:33 XYZ 2024",
        "2024-03-05T14:08:33+29:00",
        "今天上午的课堂",
        "前晚的比赛",
        "每周四 18:35",
        "时间：周四 18:35",
        "周四 18:35 图书馆",
    ],
)
def test_what_is_no_past_moment_is_nothing(text: str) -> None:
    assert stamp_in(text, NOW) is None


def test_a_bare_year_of_the_republic_is_believed_only_on_request() -> None:
    assert stamp_in("113-03-05", NOW) is None
    stamp = stamp_in("發布日期：113-03-05", NOW, roc=True)
    assert stamp is not None
    assert stamp.at.date().isoformat() == "2024-03-05"


@each(
    "text",
    ["1709618880", "1709618880000", "Tue, 05 Mar 2024 14:08:00 +0800", "2024-03-05T06:08:00.000Z", "20240305140800"],
)
def test_machines_notations_are_read(text: str) -> None:
    stamp = machine_stamp(text, NOW)
    assert stamp is not None
    assert stamp.at.isoformat(timespec="minutes") == "2024-03-05T14:08+08:00"


@each(
    "path",
    [
        "2024/0305/c12-3.html",
        "202403/t20240305_12.html",
        "2024-03/05/content_9.htm",
        "a/2024/03/05/x.shtml",
        "art/2024/3/5/art_1_2.html",
        "a/20240305140811234.html",
    ],
)
def test_the_url_gives_the_day(path: str) -> None:
    stamp = url_date(f"http://www.example.cn/{path}", NOW)
    assert stamp is not None
    assert stamp.at.date().isoformat() == "2024-03-05"


def test_numbers_in_a_url_are_no_day() -> None:
    assert url_date("http://www.example.cn/a/20249999/12345678.html", NOW) is None


def published(head: str, body: str, url: str = "http://www.example.cn/a.html") -> str | None:
    page = parse(f"<html><head><title>标题要有几个字</title>{head}</head><body>{body}</body></html>".encode(), url)
    at = extract_article(page, NOW).published_at
    return at and at.isoformat(timespec="minutes")


MASTHEAD = "<h1>标题要有几个字</h1><div class=info>2024-03-05 14:08 来源：某报</div>"
RELATED = "<div><h3>推荐</h3><ul><li><a href=x>另一篇新闻的标题在这里</a> 2024-05-01 09:00</li></ul></div>"
FOOTER = "<div>版权所有 某网 2024-06-01 10:00 更新</div>"


def test_the_masthead_is_believed_before_recommended_articles_and_footers() -> None:
    assert published("", MASTHEAD + f"<div>{TEXT}</div>" + RELATED + FOOTER) == "2024-03-05T14:08+08:00"


def test_the_time_of_day_may_stand_in_an_element_of_its_own_below_the_day() -> None:
    day = "<h1>标题要有几个字</h1><p>2024-03-05</p>"
    assert published("", f"{day}<p>14:08</p><div>{TEXT}</div>") == "2024-03-05T14:08+08:00"
    assert published("", f"{day}<p>阅读 14:08</p><div>{TEXT}</div>") == "2024-03-05T00:00+08:00"


def test_the_date_of_a_recommended_article_is_never_the_pages_own() -> None:
    assert published("", f"<h1>标题要有几个字</h1><div>{TEXT}</div>" + RELATED) is None


def test_the_day_of_the_visit_at_the_top_of_the_page_is_not_the_publication() -> None:
    top = "<div>今天是2024年6月15日 星期六</div>"
    assert published("", top + MASTHEAD + f"<div>{TEXT}</div>") == "2024-03-05T14:08+08:00"


def test_meta_gives_the_day_and_the_masthead_the_minute() -> None:
    head = '<meta name="publishdate" content="2024-03-05">'
    assert published(head, MASTHEAD + f"<div>{TEXT}</div>") == "2024-03-05T14:08+08:00"


def test_json_ld_and_meta_are_heard_where_the_page_shows_nothing() -> None:
    linked = '<script type="application/ld+json">{"@type":"NewsArticle","datePublished":"2024-03-05T14:08:00+08:00"}</script>'
    assert published(linked, f"<h1>标题要有几个字</h1><div>{TEXT}</div>") == "2024-03-05T14:08+08:00"
    meta = '<meta property="article:published_time" content="2024-03-05T14:08:00+08:00">'
    assert published(meta, f"<div>{TEXT}</div>") == "2024-03-05T14:08+08:00"


def test_the_time_of_an_update_does_not_win_over_the_publication() -> None:
    info = "<div>发布时间：2024-03-05 14:08</div><div>最后更新：2024-03-06 09:00</div>"
    assert published("", f"<h1>标题要有几个字</h1>{info}<div>{TEXT}</div>") == "2024-03-05T14:08+08:00"


@each(
    ("info", "iso"),
    [
        ("更新时间：2024-03-06 09:00</div><div>录入时间：2024-03-05", "2024-03-05T00:00+08:00"),
        ("更新时间：2024-03-06 09:00</div><div>来稿时间：2024-03-05 14:08", "2024-03-05T14:08+08:00"),
        ("最后更新：2024-03-06 09:00</div><div>2024-03-05", "2024-03-05T00:00+08:00"),
        ("修订日期：2024-03-06 09:00</div><div>某报 2024-03-05", "2024-03-05T00:00+08:00"),
        ("更新时间：2024-03-06 09:00 发布时间：2024-03-05 14:08", "2024-03-05T14:08+08:00"),
        ("录入时间：2024-03-05 14:08 修订时间：2024-03-06 09:00", "2024-03-05T14:08+08:00"),
    ],
)
def test_a_modification_wins_over_no_publication_whatever_that_is_called_and_wherever_it_stands(
    info: str, iso: str
) -> None:
    assert published("", f"<h1>标题要有几个字</h1><div>{info}</div><div>{TEXT}</div>") == iso


def test_the_day_from_which_a_rule_is_in_force_is_no_publication() -> None:
    text = f"{TEXT}<p>第五条 本办法自2024年3月1日起施行。</p>"
    assert published("", f"<h1>标题要有几个字</h1><div>{text}</div>") is None
    assert (
        published("", f"<h1>标题要有几个字</h1><div>{text}</div>", "http://www.example.cn/2024/0304/a.html")
        == "2024-03-04T00:00+08:00"
    )


def test_when_a_law_was_adopted_is_no_publication_where_its_title_stands_again_above() -> None:
    masthead = "<h1>标题要有几个字</h1><div>发布时间：2024-03-05 来源： 浏览次数：</div>"
    page = f"{masthead}<div><p>标题要有几个字</p><p>（某某部2000年4月12日印发）</p>{TEXT}</div>"
    assert published("", page) == "2024-03-05T00:00+08:00"


def test_the_title_that_stands_again_above_the_text_has_its_date_below_the_first() -> None:
    masthead = "<h1>标题要有几个字</h1><div>发表于 2024-03-05 14:08</div>" + "<div>某某社区</div>" * 9
    page = f"{masthead}<div><p>标题要有几个字</p>{TEXT}</div><div>沙发 发表于 2024-03-06 09:00</div>"
    assert published("", page) == "2024-03-05T14:08+08:00"


def test_the_day_under_a_document_gives_way_to_a_later_one_in_the_url() -> None:
    page = f"<h1>标题要有几个字</h1><div>{TEXT}<p>某某局</p><p>2024年3月1日</p></div>"
    assert published("", page) == "2024-03-01T00:00+08:00"
    assert published("", page, "http://www.example.cn/2024/0304/a.html") == "2024-03-04T00:00+08:00"
    assert published("", page, "http://www.example.cn/2023/0304/a.html") == "2024-03-01T00:00+08:00"


@each(
    "sentence",
    [
        "2024年3月1日，某局发布新的课程方案，要求各地中小学认真落实。",
        "2024年3月1日上午，临江中学举行毕业典礼。",
        "3月1日上午9:00，临江中学举行毕业典礼。",
        "定于2024年3月1日（星期五）召开全市招生工作会议，现将有关事项通知如下：",
        "自2024-03-01 08:00起，报名系统向全市考生开放。",
        "本报告的数据截至2024年3月1日，由各区上报。",
        "时间：3月1日上午9:00",
        "时间：3月1日9时至11时",
        "时间：下周三 14:30",
        "会议时间：2024年3月1日 9:00",
        "報名時間：2024-03-01 09:00",
        "培训时间：2024年3月1日9:00",
        "二〇二四年三月一日，临江中学迎来建校百年。",
    ],
)
@each("place", ["first", "third", "last"])
def test_a_day_in_running_text_or_of_an_event_is_no_publication(sentence: str, place: str) -> None:
    lines = TEXT.split("</p>")[:-1]
    lines.insert({"first": 0, "third": 3, "last": 5}[place], f"<p>{sentence}")
    body = "</p>".join(lines) + "</p>"
    heading = "<h1>标题要有几个字</h1>"
    assert published("", f"{heading}<div>{body}</div>") is None
    assert published("", f"{heading}<div>2024-03-05</div><div>{body}</div>") == "2024-03-05T00:00+08:00"
    url = "http://www.example.cn/2023/0304/a.html"
    assert published("", f"{heading}<div>{body}</div>", url) == "2023-03-04T00:00+08:00"


@each(
    "head",
    [
        '<meta name="publishdate" content="2024-03-05T14:08:00+08:00">',
        '<meta name="og:time" content="2024-03-05 14:08">',
        '<meta itemprop="datePublished" content="20240305T060800Z">',
        '<script type="application/ld+json">{"@type":"Article","datePublished":"2024-03-05T06:08:00+00:00"}</script>',
        '<script>var ct = "1709618880";</script>',
        '<meta name="weibo: article:create_at" content="2024-03-05 14:08:33">',
        '<input type="hidden" id="pubDate" value="2024-03-05 14:08:33">',
        '<script type="application/ld+json">{"name":""作业","datePublished":"2024-03-05T06:08:00.000Z"}</script>',
        '<script>var page = {"publishTime": "2024-03-05 14:08:00"};</script>',
    ],
)
@each(
    "line", ["2024年3月1日，临江中学举行毕业典礼。", "某某局</p><p>2024年3月1日", "定于2024年3月1日召开会议，通知如下："]
)
def test_what_the_page_says_to_machines_wins_over_a_date_of_the_text(head: str, line: str) -> None:
    assert published(head, f"<h1>标题要有几个字</h1><div>{TEXT}<p>{line}</p></div>") == "2024-03-05T14:08+08:00"
    if "，" in line:
        assert published(head, f"<h1>标题要有几个字</h1><div><p>{line}</p>{TEXT}</div>") == "2024-03-05T14:08+08:00"


@each(
    "info",
    [
        "撰写时间：2024-03-04 发布时间：2024-03-05 14:08",
        "审核时间：2024-03-04 09:00 发布时间：2024-03-05 14:08",
        "编辑：2024-03-04 发布：2024-03-05 14:08",
        "收稿日期：2024-03-01 发表日期：2024-03-05 14:08",
        "录入时间：2024-03-04 09:00</div><div>发布时间：2024-03-05 14:08",
        "创建于 2024-03-04 09:00 | 刊发于 2024-03-05 14:08",
        "建立日期：2024-03-04 上网时间：2024-03-05 14:08",
        "拍摄时间：2024-03-04 09:00　刊登时间：2024-03-05 14:08",
        "成文日期：2024-03-01 公开日期：2024-03-05 14:08",
        "最后更新 2024-03-06 09:00 ｜ 首次发布 2024-03-05 14:08",
        "建立時間：2024-03-04 09:00 發佈時間：2024-03-05 14:08",
        "創建於 2024-03-04</div><div>發表於：2024-03-05 14:08",
        "发布时间：2024-03-05 14:08 录入时间：2024-03-04 09:00",
        "初审：2024-03-03 终审：2024-03-04 发稿时间：2024-03-05 14:08",
        "Created: 2024-03-04 09:00 Published: 2024-03-05 14:08",
        "更新于 2024-03-06 09:00，首发于 2024-03-05 14:08",
        "时间：2024-03-04 09:00</div><div>发布日期：2024年3月5日 14:08",
        "提交 2024-03-04 09:00</div><div>发布：</div><div>2024-03-05 14:08",
        "当前时间：2024-06-15 12:29 发布时间：2024-03-05 14:08",
        "施行日期：2024-07-01 公开日期：2024-03-05 14:08",
    ],
)
def test_the_label_that_says_publication_wins_over_every_other_before_it(info: str) -> None:
    assert published("", f"<h1>标题要有几个字</h1><div>{info}</div><div>{TEXT}</div>") == "2024-03-05T14:08+08:00"


@each(
    ("info", "iso"),
    [
        ("录入时间：2024-03-04 09:00", "2024-03-04T09:00+08:00"),
        ("撰写时间：2024-03-04", "2024-03-04T00:00+08:00"),
        ("发布者：王小明 2024-03-04 09:00", "2024-03-04T09:00+08:00"),
        ("发布单位：某某局 时间：2024-03-04", "2024-03-04T00:00+08:00"),
        ("创建时间：2024-03-04 09:00 发布人：管理员", "2024-03-04T09:00+08:00"),
    ],
)
def test_without_a_label_of_publication_another_moment_stands(info: str, iso: str) -> None:
    assert published("", f"<h1>标题要有几个字</h1><div>{info}</div><div>{TEXT}</div>") == iso


@each(
    ("opening", "iso"),
    [
        ("发布时间：2024-03-05 14:08，来源：某某报，作者：王小明。", "2024-03-05T14:08+08:00"),
        ("发布时间：2024-03-05，来源：某某报，作者：王小明。", "2024-03-05T00:00+08:00"),
        ("某某网2014年3月5日电，某局发布新的课程方案。", "2014-03-05T00:00+08:00"),
    ],
)
def test_a_labelled_moment_and_the_day_of_a_wire_stand_before_a_later_day_in_the_url(opening: str, iso: str) -> None:
    page = f"<h1>标题要有几个字</h1><div><p>{opening}要求各地中小学认真落实。</p>{TEXT}</div>"
    assert published("", page, "http://www.example.cn/202405/t20240520_1.html") == iso


@each(
    ("element", "iso"),
    [
        ('<span title="2024-05-13 18:25:18">1周前</span>', "2024-05-13T18:25+08:00"),
        ('<abbr class="timeago" title="2024年04月22日">1 月前</abbr>', "2024-04-22T00:00+08:00"),
        ('<span title="2024-6-15 10:42">半小时前</span>', "2024-06-15T10:42+08:00"),
        ("<span title=王小明>3天前</span>", "2024-06-12T12:30+08:00"),
        ("<a title='最后回复 2024-06-15 12:00'>3天前</a>", "2024-06-12T12:30+08:00"),
        ("<i title=王小明>3天前</i> <span title='2024-06-12 09:05'>3天前</span>", "2024-06-12T09:05+08:00"),
        (
            "<span title='2024-06-12 09:05'>3天前</span> 回复于 <span title='2024-06-14 10:00'>1天前</span>",
            "2024-06-12T09:05+08:00",
        ),
        ('<b title="2024-06-01 08:00">昨天的楼</b> 3天前', "2024-06-12T12:30+08:00"),
    ],
)
def test_how_long_ago_it_was_gives_way_to_the_moment_that_a_forum_writes_behind_it(element: str, iso: str) -> None:
    assert published("", f"<h1>标题要有几个字</h1><div>王小明 发表于 {element}</div><div>{TEXT}</div>") == iso


def test_a_date_above_the_heading_belongs_to_another_article() -> None:
    hot = "<div><a href=/1>暑假去哪儿</a><span title='2022-09-01 08:00'>1年前</span></div>"
    own = "<h1>标题要有几个字</h1><div>王小明 发表于 <span title='2023-06-10 10:30:00'>1年前</span></div>"
    assert published("", f"{hot}{own}<div>{TEXT}</div>") == "2023-06-10T10:30+08:00"


def test_when_a_thread_was_last_replied_to_is_no_publication_though_it_stands_first() -> None:
    info = "回复于 <span title='2024-06-14 10:00'>1天前</span> 发表于：<span title='2024-06-12 09:05'>3天前</span>"
    assert published("", f"<h1>标题要有几个字</h1><div>{info}</div><div>{TEXT}</div>") == "2024-06-12T09:05+08:00"


def test_elements_without_end_in_one_with_a_title_cost_no_more_than_others() -> None:
    deep = "<b title=1>" * 900 + "<i></i>" * 20_000
    page = parse(
        f"<h1>标题要有几个字</h1><div>发表于 3天前</div><div>{TEXT}</div>{deep}".encode(),
        "http://www.example.cn/a.html",
    )
    began = time.process_time()
    extract_article(page, NOW)
    assert time.process_time() - began < 5.0  # it was eight times that


def test_when_a_text_was_broadcast_stands_in_brackets_right_below_it() -> None:
    page = f"<h1>标题要有几个字</h1><div>{TEXT}</div>"
    assert published("", page + "<div><p>（2024-03-05 14:08）晚间新闻</p></div>") == "2024-03-05T14:08+08:00"
    assert published("", page + "<div><p>另一篇新闻 2024-03-05 14:08</p></div>") is None


def test_a_line_below_the_text_with_the_minute_wins_over_a_day_that_the_text_begins_with() -> None:
    text = f"<p>2024年3月1日，某局发布新的课程方案，要求各地中小学认真落实。</p>{TEXT}"
    below = "<p>随笔 2024-03-05 21:49:28 通过 网页 浏览(5485) 打印</p>"
    assert published("", f"<h1>标题要有几个字</h1><div>{text}</div>{below}") == "2024-03-05T21:49+08:00"
    assert published("", f"<h1>标题要有几个字</h1><div>{TEXT}</div>{below}") == "2024-03-05T21:49+08:00"


def test_a_day_without_a_year_takes_the_year_written_elsewhere_on_the_page() -> None:
    info = "<h1>标题要有几个字</h1><div>发布时间：03-05 14:08</div>"
    url = "http://www.example.cn/2022/0305/a.html"
    assert published("", info + f"<div>{TEXT}</div>", url) == "2022-03-05T14:08+08:00"


def test_the_moment_of_an_article_that_is_recommended_above_the_text_is_not_its_own() -> None:
    info = "<div>最新推荐文章于 2024-03-07 22:12:13 发布</div><div>一位老师 于 2024-03-05 14:08:53 发布</div>"
    page = parse(f"<h1>新学期的作业怎么写</h1>{info}{TEXT}".encode(), "http://www.example.cn/a")
    assert str(extract_article(page, NOW).published_at) == "2024-03-05 14:08:00+08:00"


def test_the_only_date_is_the_edit_below_the_text() -> None:
    below = "<div>编辑于 2024-03-05 14:08 ・北京</div>"
    page = parse(f"<h1>新学期的作业怎么写</h1><div>{TEXT}</div>{below}".encode(), "http://www.example.cn/a")
    assert str(extract_article(page, NOW).published_at) == "2024-03-05 14:08:00+08:00"


def test_a_page_that_shows_its_moment_by_a_script_has_it_there() -> None:
    scripts = '<em id=publish_time></em><script>var ct = "1709618880"; var user = "1709718880";</script>'
    page = parse(
        f"<h1>新学期的作业怎么写</h1>{scripts}<div id=js_content>{TEXT}</div>".encode(), "http://www.example.cn/a"
    )
    assert str(extract_article(page, NOW).published_at) == "2024-03-05 14:08:00+08:00"


def test_the_url_is_the_last_resort() -> None:
    assert published("", f"<div>{TEXT}</div>", "http://www.example.cn/2024/0304/a.html") == "2024-03-04T00:00+08:00"


@each(
    ("info", "iso"),
    [
        ("3小时前 更新时间：2024-06-15 12:00", "2024-06-15T09:30+08:00"),
        ("03-05 14:08 | 更新：2024-03-07 09:00", "2024-03-05T14:08+08:00"),
        ("二〇二四年三月五日（最后修改于2024-03-07）", "2024-03-05T00:00+08:00"),
        ("更新时间：2024-03-05 14:08", "2024-03-05T14:08+08:00"),
        ("编辑：王小明 2024-03-05 14:08", "2024-03-05T14:08+08:00"),
        ("2024-03-05 14:08（北京时间）", "2024-03-05T14:08+08:00"),
        ("【北京时间 2024年3月5日 14:08】", "2024-03-05T14:08+08:00"),
        ("发布时间：3月5日", "2024-03-05T00:00+08:00"),
        ("发布时间：12月31日 来源：某报", "2023-12-31T00:00+08:00"),
    ],
)
def test_the_moment_before_that_of_an_update_is_the_publication_in_any_form(info: str, iso: str) -> None:
    assert published("", f"<h1>标题要有几个字</h1><div>{info}</div><div>{TEXT}</div>") == iso


def test_a_comma_between_two_sources_makes_no_sentence_of_the_line_of_the_moment() -> None:
    info = "<h1>标题要有几个字</h1><div>某網新聞中心 (來源：某某資訊，摘自：某某報) 2024-03-05 14:08:33</div>"
    assert published("", f"{info}<div>{TEXT}</div>") == "2024-03-05T14:08+08:00"


def test_a_day_without_a_year_gives_way_to_a_whole_date() -> None:
    info = "<h1>关于3月5日停水的公告</h1><div>来源：总务处 2024-02-28</div>"
    assert published("", f"{info}<div>{TEXT}</div>") == "2024-02-28T00:00+08:00"


@each(
    "info", ["北京时间：2024-06-15 12:30", "欢迎您！北京时间 2024年6月15日 12:30", "记者3月5日在某地看到"]
)
def test_a_clock_and_a_day_in_a_sentence_are_no_publication(info: str) -> None:
    assert published("", f"<h1>标题要有几个字</h1><div>{info}</div><div>{TEXT}</div>") is None


META = '<meta name="PubDate" content="2024-04-20 09:15">'


@each(
    ("info", "iso"),
    [
        ("发布时间：2023-11-14 14:08 来源：某局", "2023-11-14T14:08+08:00"),
        ("2023年11月14日 14时08分", "2023-11-14T14:08+08:00"),
        ("时间：2023年11月14日", "2023-11-14T00:00+08:00"),
        ("2023-11-14", "2024-04-20T09:15+08:00"),  # says neither what it is nor the minute
        ("2024-04-20", "2024-04-20T09:15+08:00"),
        ("更新时间：2024-05-01 10:00", "2024-04-20T09:15+08:00"),
        ("成文日期：2023-11-14", "2024-04-20T09:15+08:00"),
        ("活动时间：2023年11月14日 14:08", "2024-04-20T09:15+08:00"),
        ("时间：2023年11月14日 14:08</div><div>地点：某校报告厅", "2024-04-20T09:15+08:00"),
        ("2023年11月14日 14:08</div><div>二、會議地點：某校報告廳", "2024-04-20T09:15+08:00"),
        ("（2019年5月1日某局发布）", "2024-04-20T09:15+08:00"),
        ("看云的人 加入于 2019-05-01 10:00", "2024-04-20T09:15+08:00"),
        ("2023年11月14日，某局发布新的课程方案", "2024-04-20T09:15+08:00"),
        ("资料图：2023年11月14日 14:08，学生在操场上。", "2024-04-20T09:15+08:00"),
        ("2023年11月14日 14:08 某局发布", "2023-11-14T14:08+08:00"),
    ],
)
def test_an_earlier_shown_date_is_the_publication_and_the_declared_one_that_of_a_move(
    info: str, iso: str
) -> None:
    assert published(META, f"<h1>标题要有几个字</h1><div>{info}</div><div>{TEXT}</div>") == iso


def test_when_a_document_was_written_gives_way_to_when_it_was_published() -> None:
    record = "<div>成文日期：2024-03-01</div><div>发布日期：2024-03-05</div>"
    assert published("", f"<h1>标题要有几个字</h1>{record}<div>{TEXT}</div>") == "2024-03-05T00:00+08:00"


@each(
    ("info", "iso"),
    [
        ("索引号：0001/2024-00012 发文日期：2024年3月1日 发布日期：2024年3月5日", "2024-03-05T00:00+08:00"),
        ("信息来源：市教育局 生成日期：2024-03-01 公开日期：2024-03-05", "2024-03-05T00:00+08:00"),
        ("活动时间：2024-03-01 10:00 发布时间：2024-03-05 14:08", "2024-03-05T14:08+08:00"),
        ("会议时间：2024-03-01 10:00</div><div>发布时间：2024-03-05", "2024-03-05T00:00+08:00"),
        ("会议时间：2024-03-01 10:00</div><div>2024-03-05", "2024-03-05T00:00+08:00"),
        ("<p>成文日期</p><p>2024-03-01</p><p>发布日期</p><p>2024-03-05</p>", "2024-03-05T00:00+08:00"),
        ("成文日期：2024-03-01", "2024-03-01T00:00+08:00"),
        ("报名时间：2024-03-01 至 2024-03-09 发布时间：2024-03-05 14:08", "2024-03-05T14:08+08:00"),
        ("报名截止时间：2024/03/01 发布日期：民國113年3月5日", "2024-03-05T00:00+08:00"),
        ("更新於：2024-03-09 10:00 建立於：2024-03-05 14:08", "2024-03-05T14:08+08:00"),
        ("发布：24-03-05 来源：某报", "2024-03-05T00:00+08:00"),
        ("发布于2024年3月5日 - 14:08", "2024-03-05T14:08+08:00"),
        ("录入时间：14:08 2024-03-05", "2024-03-05T14:08+08:00"),
        ("24年3月5日 14:08", "2024-03-05T14:08+08:00"),
    ],
)
def test_the_moment_of_something_else_gives_way_in_one_line_and_in_cells(info: str, iso: str) -> None:
    assert published("", f"<h1>标题要有几个字</h1><div>{info}</div><div>{TEXT}</div>") == iso


def test_the_footer_of_a_page_is_not_heard_the_footer_of_an_article_is() -> None:
    text = f"<h1>标题要有几个字</h1><div>{TEXT}</div>"
    assert published("", text + '<div id="footer"><p>更新时间：2020-01-01 10:00 网站地图</p></div>') is None
    article = f'<article>{text}<footer class="footer">发布于：2024-03-05 14:08</footer></article>'
    assert published("", article) == "2024-03-05T14:08+08:00"
    below = "<div class=bottom>发布时间：2024-03-05 14:08</div>"
    assert published("", text + below) == "2024-03-05T14:08+08:00"


def test_the_day_of_a_site_or_page_in_json_ld_is_not_that_of_its_article() -> None:
    site = '{"@type":"WebSite","datePublished":"2010-01-01T00:00:00+08:00"}'
    frame = '{"@type":["WebPage"],"datePublished":"2020-01-01T00:00:00+08:00"}'
    article = '{"@type":"NewsArticle","datePublished":"2024-03-05T14:08:00+08:00"}'
    linked = f'<script type="application/ld+json">[{site},{frame},{article}]</script>'
    assert published(linked, f"<h1>标题要有几个字</h1><div>{TEXT}</div>") == "2024-03-05T14:08+08:00"


def test_time_elements_give_the_minute_of_the_day_that_readers_see() -> None:
    info = '<div><time datetime="2024-06-14T06:08:00Z">昨天</time></div>'
    assert published("", f"<h1>标题要有几个字</h1>{info}<div>{TEXT}</div>") == "2024-06-14T14:08+08:00"


def test_a_state_that_a_script_carries_gives_the_moment_with_or_without_quotes() -> None:
    state = '<script>window.__STATE__={{"publishTime":{}}}</script>'
    for number in ("1709618880000", '"1709618880"'):
        assert (
            published("", f"<h1>标题要有几个字</h1><div>{TEXT}</div>" + state.format(number))
            == "2024-03-05T14:08+08:00"
        )


def test_earlier_moments_in_or_near_the_text_change_nothing() -> None:
    text = "<p>2019年3月5日发布的通知说，各地中小学要落实课程方案，不得随意增加作业。</p>" + TEXT
    assert published(META, f"<h1>标题要有几个字</h1><div>{text}</div>") == "2024-04-20T09:15+08:00"
    earlier_date = "<div>发布时间：2019-03-05 10:00</div>"
    assert published(META, f"{earlier_date}<h1>标题要有几个字</h1><div>{TEXT}</div>") == "2024-04-20T09:15+08:00"


def test_a_day_and_minute_without_a_year_give_way_to_a_whole_day() -> None:
    info = "<div>2024-03-05 某报</div><h3>●5月5日上午9时50分许，典礼在某县举行，各地学生参加了典礼，人们祭奠先人。</h3>"
    assert published("", f"<h1>标题要有几个字</h1>{info}<div>{TEXT}</div>") == "2024-03-05T00:00+08:00"


@each(
    ("boxes", "iso"),
    [
        (("2024 03/05 14:08:26",), "2024-03-05T14:08+08:00"),
        (("<b>2024</b><i>03/05</i><em>14:08:26</em>",), "2024-03-05T14:08+08:00"),
        (("<span>05</span><span>2024-03</span>",), "2024-03-05T00:00+08:00"),
        (("12", "30"), None),
    ],
)
def test_a_day_in_boxes_of_its_own_is_put_together(boxes: tuple[str, ...], iso: str | None) -> None:
    info = "".join(f"<div>{box}</div>" for box in boxes)
    assert published("", f"<h1>标题要有几个字</h1>{info}<div>某报</div><div>{TEXT}</div>") == iso


def test_when_a_question_was_asked_comes_before_when_it_was_changed() -> None:
    changed = "<meta itemprop=dateModified content=2024-04-22T08:00:00.000Z>"
    created = "<meta itemprop=dateCreated content=2024-04-20T01:15:00.000Z>"
    page = parse(
        f"<title>新学期的作业怎么写</title>{changed}{created}<h1>新学期的作业怎么写</h1><p>家长和老师都怎么看？</p>".encode(),
        "http://a.cn/q/1",
    )
    assert str(extract_article(page, NOW).published_at) == "2024-04-20 09:15:00+08:00"
