"""Notices that consist of files or pictures."""

import time
from datetime import UTC, datetime

from newsspider.core.extraction.article import extract_article
from newsspider.core.extraction.dom.page import parse
from newsspider.core.extraction.page_type import page_type_of
from newsspider.core.extraction.pictures_and_files import MOST_FILES
from newsspider.core.links.page_links import links_of
from newsspider.core.model import Article, ArticleRules, PageType
from tests.support.tables import each

URL = "http://jyj.example.cn/tz/2024/0305/c12.html"
UNDATED = "http://jyj.example.cn/tz/c12.html"
TITLE = "关于公布本年度市级教学成果奖评审结果的通知"
DATED = "发布时间：2024-03-05 16:20　来源：高教处　浏览次数："
MENU = "".join(f'<li><a href="/l{n}/">{name}</a></li>' for n, name in enumerate(("首页", "政务公开", "新闻动态", "办事服务")))
FILES = '<li><a href="/f/1.doc">教师资格认定申请表.doc</a></li><li><a href="/f/2.doc">民办学校年检表.doc</a></li>'
BESIDE = f"<div><a href=/>返回</a></div><h3>常用下载</h3><ul class=down>{FILES}</ul>"


def read_with(main: str, side_content: str = "", url: str = URL) -> tuple[Article, PageType]:
    page = parse(
        f"<html><head><title>{TITLE}-江临市教育局</title></head><body><ul>{MENU}</ul><div>当前位置：通知公告</div>"
        f"<div><h1>{TITLE}</h1>{main}</div>{side_content}<div>版权所有 江临市教育局 电话：010-12345678</div></body></html>".encode(),
        url,
    )
    article = extract_article(page, datetime(2024, 3, 6, tzinfo=UTC))
    return article, page_type_of(page, article, links_of(page))


@each(
    ("main", "text"),
    [
        ('<p>附件：<a href="/f/a.pdf">评审结果</a></p>', "附件：评审结果"),
        ('<p>附件：<a href="/system/download.jsp?id=3">评审结果.xlsx</a> 已下载次</p>', "附件：评审结果.xlsx 已下载次"),
        ('<p><a href="javascript:;" download>附件1： 评审结果.docx</a></p>', "附件1： 评审结果.docx"),
        ('<p>详见附件。</p><p><a href="/f/a.pdf">获奖名单</a></p><p><a href="/f/b.pdf">证书样式</a></p>', "详见附件。\n获奖名单\n证书样式"),
        (f'<p>{TITLE}</p><p><a href="/f/a.pdf">{TITLE}.pdf</a></p>', f"{TITLE}.pdf"),
    ],
)
def test_a_notice_that_says_no_more_than_its_files_is_an_article(main: str, text: str) -> None:
    article, kind = read_with(f"<div>{DATED}</div><div>{main}</div>", BESIDE)
    assert (kind, article.text) == (PageType.ARTICLE, text)
    assert (article.title, article.source) == (TITLE, "高教处")
    assert str(article.published_at) == "2024-03-05 16:20:00+08:00"


@each(
    "main",
    [
        f"<div>{DATED}</div>",  # those beside it are not its own
        f'<div>{DATED}</div>{MENU * 3}<p><a href="/f/a.pdf">评审结果.pdf</a></p>',  # nor those far below
        '<p><a href="/f/a.doc">申请表.doc</a> 2024-03-05</p><p><a href="/f/b.doc">年检表.doc</a> 2024-03-04</p>',  # a list of files
        f'{"<p>大 中 小</p>" * 8}<div>{DATED}</div><p><a href="/f/a.pdf">评审结果.pdf</a></p>',  # the date is of something else
    ],
)
def test_a_page_with_files_elsewhere_or_without_a_date_is_not_a_notice(main: str) -> None:
    article, kind = read_with(main, MENU * 3 + BESIDE)
    assert kind is PageType.OTHER
    assert "." not in article.text


def test_files_below_a_text_are_not_of_it() -> None:
    text = "经单位申报、专家评审和公示，共有三十项成果获得本年度市级教学成果奖，现将评审结果予以公布。"
    article, kind = read_with(f'<div>{DATED}</div><p>{text}</p><p><a href="/f/a.pdf">评审结果.pdf</a></p>')
    assert (kind, article.text) == (PageType.ARTICLE, text)


SCANS = '<p><img src="/u/1.jpg"></p><p><a href="/u/2.png"><img src="/u/2.png"></a></p>'


def test_a_notice_that_consists_of_pictures_has_its_title_for_a_text() -> None:
    article, kind = read_with(f"<div>{DATED}</div>{SCANS}<p>上一篇：<a href='/b'>关于召开会议的通知</a></p>", BESIDE)
    assert (kind, article.title, article.text, article.source) == (PageType.ARTICLE, TITLE, TITLE, "高教处")
    assert str(article.published_at) == "2024-03-05 16:20:00+08:00"
    assert [image.url.rpartition("/")[2] for image in article.images] == ["1.jpg", "2.png"]
    box = "<h3>教研成果</h3><p>由江临市教育局牵头，各县区的教师一起走访了五十所学校，目前已经写出三份报告。</p>"
    assert read_with(f"<div>{DATED}</div>{SCANS}<p>上一篇：没有了</p>", box)[0].text == TITLE
    page = parse(f"<title>江临市教育局</title><h1>{TITLE}</h1><div>{DATED}</div>{SCANS}".encode(), UNDATED)
    assert extract_article(page, datetime(2024, 3, 6, tzinfo=UTC)).text == TITLE


@each(
    "main",
    [
        f'<div>{DATED}</div><img src="/u/logo.png"><img src="/u/1.jpg" width=20>',  # of the page
        f"<div>{DATED}</div>{MENU * 3}{SCANS}",  # far below
        f"<div>{DATED}</div>{'<p>大 中 小</p>' * 5}{SCANS}",
    ],
)
def test_a_page_without_text_and_pictures_of_its_own_is_none(main: str) -> None:
    article, kind = read_with(main)
    assert (kind, article.text) == (PageType.OTHER, "")


@each(
    "document",
    [
        '<iframe src="/pdfjs/viewer.html?file=/f/a.pdf" width=700></iframe>',
        '<embed src="/f/a.PDF" type="application/pdf">',
        '<script>showVsbpdfIframe("/__local/7/a.pdf","100%","1000","0")</script>',
    ],
)
def test_a_notice_that_shows_a_document_has_its_title_for_a_text(document: str) -> None:
    article, kind = read_with(f"<div>{DATED}</div><div>{document}</div>")
    assert (kind, article.text, article.source, article.images) == (PageType.ARTICLE, TITLE, "高教处", ())


def test_the_clock_of_a_page_dates_no_notice() -> None:
    article, _ = read_with(f"<div>今天是2024年3月5日 星期二</div>{SCANS}", url=UNDATED)
    assert article.text == ""


def test_pictures_above_a_text_change_nothing() -> None:
    text = "经单位申报、专家评审和公示，共有三十项成果获得本年度市级教学成果奖，现将评审结果予以公布。"
    article, kind = read_with(f"<div>{DATED}</div>{SCANS}<p>{text}</p>")
    assert (kind, article.text, len(article.images)) == (PageType.ARTICLE, text, 2)


def test_pictures_may_be_the_last_that_a_page_has() -> None:
    page = parse(f"<title>{TITLE}</title><h1>{TITLE}</h1><div>{DATED}</div>{SCANS}".encode(), URL)
    article = extract_article(page, datetime(2024, 3, 6, tzinfo=UTC))
    assert (article.text, article.source, len(article.images)) == (TITLE, "高教处", 2)


@each(
    ("head", "kind"),
    [
        (f"<title>{TITLE}</title><meta name=generator content='Discuz! X3.4'>", PageType.FORUM),
        (f"<title>{TITLE}</title><meta name=generator content='WordPress 6.4'>", PageType.BLOG),
        (f"<title>{TITLE}</title>", PageType.ARTICLE),
    ],
)
def test_a_page_of_pictures_has_the_type_that_its_software_suggests(head: str, kind: PageType) -> None:
    page = parse(f"{head}<h1>{TITLE}</h1><div>{DATED}</div>{SCANS}<div>电话：010-12345678</div>".encode(), URL)
    article = extract_article(page, datetime(2024, 3, 6, tzinfo=UTC))
    assert (page_type_of(page, article, links_of(page)), article.text) == (kind, TITLE)


def test_pictures_below_the_headlines_of_a_list_are_not_of_its_title() -> None:
    article, _ = read_with(f"<div>2024-03-05</div><p><a href='/a'>关于召开会议的通知</a></p>{SCANS}")
    assert article.text != TITLE


def test_of_files_without_end_the_first_are_named() -> None:
    """Each line is compared with the names of all files, which took quadratic time on a page of nothing but files."""
    article, _ = read_with(f"<div>{DATED}</div>" + "".join(f"<p><a href='/f/{n}.pdf'>名册{n}</a></p>" for n in range(2 * MOST_FILES)))
    assert article.text.split("\n") == [f"名册{n}" for n in range(MOST_FILES)]


def test_a_notice_of_pictures_has_the_title_that_its_site_says_for_a_text() -> None:
    page = parse(f"<title>{TITLE}</title><h2>市教育局公告</h2><h1>{TITLE}</h1><div>{DATED}</div>{SCANS}".encode(), URL)
    article = extract_article(page, datetime(2024, 3, 6, tzinfo=UTC), ArticleRules(title="//h2"))
    assert (article.title, article.text) == ("市教育局公告", "市教育局公告")
    assert page_type_of(page, article, links_of(page)) is PageType.ARTICLE


def test_a_title_that_leads_elsewhere_is_that_of_another_page() -> None:
    page = parse(f"<title>{TITLE}</title><h3><a href='/a'>{TITLE}</a></h3><div>{DATED}</div>{SCANS}<p>电话</p>".encode(), URL)
    assert extract_article(page, datetime(2024, 3, 6, tzinfo=UTC)).text != TITLE


def test_a_thread_that_opens_with_a_picture_is_a_thread() -> None:
    reply = "<div class=post><div>{}楼 回复 只看该作者</div><p>这几张照片拍得真好，操场边的樱花开得正盛，已经来看了{}次。</p></div>"
    floors = "".join(reply.format(n, n) for n in range(2, 6))
    markup = f"<title>{TITLE}</title><h1>{TITLE}</h1><div>楼主 {DATED}</div>{SCANS}{floors}"
    page = parse(markup.encode(), "http://bbs.a.cn/thread-1-1-1.html")
    article = extract_article(page, datetime(2024, 3, 6, tzinfo=UTC))
    assert page_type_of(page, article, links_of(page)) is PageType.FORUM


def test_a_notice_of_pictures_next_to_many_headlines_is_no_list() -> None:
    headlines = "".join(f"<li><a href='/tz/2024/0305/c{n}.html'>关于做好第{n}次学生工作会议的通知</a> 03-0{n}</li>" for n in range(1, 9))
    article, kind = read_with(f"<div>{DATED}</div>{SCANS}", f"<div><h3>相关链接</h3><ul>{headlines}</ul></div>")
    assert (article.text, kind) == (TITLE, PageType.ARTICLE)


FEET = [
    "<p>Copyright © 2016-2019 某某大学 版权所有</p><p>地址：某某市某某大道1号 招生：00000000 学籍：00000000</p>",
    "<p>版权所有：某某局 技术支持：某某中心</p><p>地址：某某市新城区140米 网站标识码：0000000000</p>"
    "<p>某ICP备00000000号</p><p>技术支持：某某中心</p>",
    "<p>办公地点：某某校区科学馆326室</p><p>地址：某某市某某路28号 邮编：000000</p><p>版权所有：某某学院</p>",
]


@each("foot", FEET)
def test_the_foot_of_a_page_is_no_text(foot: str) -> None:
    empty_article, kind = read_with(f"<div>{DATED}</div><p><a href=/tz/2024/0304/c11.html>上一篇</a></p>", foot)
    assert (empty_article.text, kind) == ("", PageType.OTHER)
    pictured, kind = read_with(f"<div>{DATED}</div>{SCANS}<p><a href=/tz/2024/0304/c11.html>上一篇</a></p>", foot)
    assert (pictured.text, kind) == (TITLE, PageType.ARTICLE)
    attached, kind = read_with(f"<div>{DATED}</div><p><a href='/f/a.pdf'>获奖名单.pdf</a></p>", foot)
    assert (attached.text, kind) == ("获奖名单.pdf", PageType.ARTICLE)


def test_a_notice_that_says_whom_to_call_right_below_its_date_says_it() -> None:
    contact_lines = "<p>地址：某某市某某路1号</p><p>电话：00000000 传真：00000000</p>"
    article, _ = read_with(f"<div>{DATED}</div>{contact_lines}", "<p>版权所有：某某局</p>")
    assert article.text == "地址：某某市某某路1号\n电话：00000000 传真：00000000"


def test_a_box_that_is_named_for_the_foot_and_was_never_closed_holds_the_article() -> None:
    text = "请各校做好准备，按时参加评审。"
    page = f"<title>{TITLE}</title><div class=footer><div>{MENU}</div><h1>{TITLE}</h1><div>{DATED}</div><p>{text}</p></div>"
    assert extract_article(parse(page.encode(), URL), datetime(2024, 3, 6, tzinfo=UTC)).text == text


def test_the_text_may_stand_in_a_box_of_the_foot_that_is_named_for_it() -> None:
    text = "图书馆开展暑期生活分享会，馆员们从自己的角度分享了旅游见闻、生活感悟和读书体会。" * 2
    page = f"<title>{TITLE}</title><p>{DATED}</p><div class=content-footer><div class=news_content><p>{text}</p></div></div>"
    assert extract_article(parse(page.encode(), URL), datetime(2024, 3, 6, tzinfo=UTC)).text == text


@each(("main", "text"), [(SCANS, TITLE), ('<p><a href="/f/a.pdf">评审结果.pdf</a></p>', "评审结果.pdf")])
def test_a_notice_of_files_or_pictures_may_have_its_date_in_the_url_alone(main: str, text: str) -> None:
    article, kind = read_with(main)
    assert (article.text, kind, str(article.published_at)) == (text, PageType.ARTICLE, "2024-03-05 00:00:00+08:00")
    assert read_with(main, url=UNDATED)[1] is PageType.OTHER
    assert read_with(f"{MENU * 3}{main}")[1] is PageType.OTHER, "far below the title"


@each(
    ("name", "text"),
    [
        ("", "特别声明：近期，有不法分子冒用我校名义招收学员，我校从未授权任何单位，谨防受骗。"),
        ("copyright_show", "市版权局召开教材版权保护座谈会，听取各校的意见和建议。"),
        ("footer", "市图书馆开展暑期生活分享会，馆员们分享了各自的见闻。"),
        ("", "为加强师德师风建设，现将举报电话公布如下，举报电话：0510-00000000，欢迎监督。"),
        ("", "主办单位：某某市教育局。承办单位：某某大学。"),
        ("", "东区招办 地址：东路1号 电话：0510-00000001"),
        ("bottom", "监督电话：0000-1234567，受理时间为工作日上午、下午，欢迎广大家长监督"),
    ],
)
def test_what_stands_below_title_and_date_is_the_text_whatever_it_says_and_wherever(name: str, text: str) -> None:
    masthead = f"<div>{DATED}</div><div>作者：教务处</div><div>字号：大 中 小</div><p><a href=#>打印</a> <a href=#>关闭</a></p>"
    article, kind = read_with(f"<div class='{name}'>{masthead}<p>{text}</p></div>")
    assert (article.text, kind) == (text, PageType.ARTICLE)


def test_a_headline_that_is_not_in_title_heads_a_text_that_says_whom_to_call() -> None:
    contact = "地址：某某市某某路1号，电话：00000000"
    page = f"<title>某某市教育局</title><h1>关于公布举报电话的公告</h1><p>2024-03-05</p><p>{contact}</p><div>版权所有 某某市教育局</div>"
    assert extract_article(parse(page.encode(), URL), datetime(2024, 3, 6, tzinfo=UTC)).text == contact


@each(
    "text",
    [
        "<p>某某路1号的老师说，地址：他们搬了家。</p>",
        "<p>特别声明：近期有人冒用我校名义招生，请家长谨防受骗</p><p>转载请注明出处</p>",
        "<p>免责声明是怎样写成的，这是一个老问题</p><p>版权归谁所有，侵权怎么办，老师们讨论了一个下午。</p>",
    ],
)
def test_sentences_in_front_of_a_notice_of_rights_are_a_text(text: str) -> None:
    page = f"<title>某某市教育局</title><ul>{MENU}</ul>{text}<div>版权所有 某某市教育局</div>"
    assert extract_article(parse(page.encode(), URL), datetime(2024, 3, 6, tzinfo=UTC)).text


def test_titles_without_end_cost_no_more_than_others() -> None:
    sentence = "学校举行运动会，孩子们很高兴"
    page = parse(f"<title>{f'{sentence}，' * 3000}</title>{f'<p>{sentence}</p>' * 3000}".encode(), URL)
    began = time.process_time()
    extract_article(page, datetime(2024, 3, 6, tzinfo=UTC))
    assert time.process_time() - began < 3.0  # it used to take thirteen seconds


LISTED = "".join(f"<li><a href=content_{n}.htm>某某市第{n}小学举办读书节活动的消息</a></li>" for n in range(8))


@each(
    ("url", "whole", "above"),
    [
        ("http://epaper.example.cn/html/2024-03/05/node_2.htm", "某某日报-第A01版:头版要闻", "<div>第A01版:头版要闻</div>"),
        ("http://www.example.cn/20240305/index.html", "某某市第一实验小学", "<h1>某某市第一实验小学</h1>"),
    ],
)
def test_a_page_of_a_paper_or_of_a_day_is_a_list_though_a_picture_stands_on_top(url: str, whole: str, above: str) -> None:
    markup = f"<title>{whole}</title>{above}<div><img src=page.jpg width=600 height=900></div><ul>{LISTED}</ul>"
    page = parse(markup.encode(), url)
    assert page_type_of(page, extract_article(page, datetime(2024, 3, 6, tzinfo=UTC)), links_of(page)) is PageType.LIST


CAPTION = "学生们在操场上进行体育锻炼"
PREVIOUS = "<p>上一篇：<a href='/b'>关于召开会议的通知</a></p>"


@each(
    "markup",
    [
        "<figure>{img}<figcaption>{text}</figcaption></figure>",
        "<div>{img}<p class=caption>{text}</p></div>",
        "<div>{img}<div class='img-desc'>{text}</div></div>",
        "<p>{img}</p><p class=tuzhu>{text}</p>",
        "<p>{img}</p><p class='photo-text'>{text}</p>",
    ],
)
@each(
    "text", [CAPTION, f"{CAPTION} 王小明 摄", f"{CAPTION}（李红玉 供图）", f"▲{CAPTION}", f"图为{CAPTION}"]
)
@each("count", [1, 2, 3])
def test_the_captions_of_a_page_of_pictures_are_its_text(markup: str, text: str, count: int) -> None:
    texts = [text, "孩子们在教室里读书（王小明 摄）", "老师在旁边讲解课文"][:count]
    shown = "".join(
        markup.format(img=f"<img src=/u/{at}.jpg>", text=caption) for at, caption in enumerate(texts, start=1)
    )
    article, kind = read_with(f"<div>{DATED}</div>{shown}{PREVIOUS}", BESIDE)
    assert (article.text.split("\n"), kind, article.title) == (texts, PageType.ARTICLE, TITLE)


@each(
    "picture",
    [
        "<figure><img src=/u/1.jpg><figcaption>王小明 摄</figcaption></figure>",
        "<figure><img src=/u/1.jpg><figcaption>图源：某某教育局微信公众号</figcaption></figure>",
        "<figure><img src=/u/1.jpg><figcaption>摄影：王小明 李红玉</figcaption></figure>",
        f"<p><img src=/u/1.jpg alt={CAPTION}></p>",
        "<figure><img src=/u/1.jpg><figcaption></figcaption></figure>",
    ],
)
def test_who_took_a_picture_and_what_is_not_shown_are_no_text(picture: str) -> None:
    article, kind = read_with(f"<div>{DATED}</div>{picture}{PREVIOUS}", BESIDE)
    assert (article.text, kind) == (TITLE, PageType.ARTICLE)
