

import re
import time
from urllib.parse import urljoin

from newsspider.core.extraction.dom.page import Page, parse
from newsspider.core.links.page_links import links_of, page_links, texts_around
from newsspider.core.model import Link, LinkKind, Region
from tests.support.tables import each

URL = "http://www.example.edu.cn/jyxw/index.html"
LIST = "".join(f'<li><a href="t202405{i}.html">这是第{i}篇很长的教育新闻标题</a></li>' for i in range(10, 14))
CHOICES = "".join(f'<option value="l_{n}.htm" {{}}>{n}</option>' for n in (1, 2, 3))
NUMBERS = "".join(f'<option value="{n}">{n}</option>' for n in (1, 2, 3))
WRITTEN = """var currentPage = {};
var nextPage = currentPage+1//下一页
var countPage = {}//共多少页
document.write("<a href=\\"index"+"_" + nextPage + "."+"html\\">往后</a>");"""

LIST_URL = "http://example.cn/news/"


def page(body: str, head: str = "", url: str = URL, charset: str = "utf-8") -> Page:
    markup = f'<html><head><meta charset="{charset}"><title>教育新闻网的新闻列表</title>{head}</head>{body}</html>'
    return parse(markup.encode(charset), url)


def by_url(body: str, head: str = "") -> dict[str, Link]:
    return {link.url: link for link in links_of(page(body, head))}


def next_of(body: str, head: str = "") -> list[str]:
    return [
        link.url for link in links_of(page(f"<body><ul>{LIST}</ul>{body}</body>", head)) if link.kind is LinkKind.NEXT
    ]


@each(
    ("href", "url"),
    [
        ("a.html", "http://www.example.edu.cn/jyxw/a.html"),
        ("/b/c.html#top", "http://www.example.edu.cn/b/c.html#top"),
        ("//x.cn/d", "http://x.cn/d"),
        ("../e.html", "http://www.example.edu.cn/e.html"),
        ("?page=2", "http://www.example.edu.cn/jyxw/index.html?page=2"),
        (" https://x.cn/f ", "https://x.cn/f"),
        ("\\b\\c.html", "http://www.example.edu.cn/b/c.html"),
        ("..\\e.html", "http://www.example.edu.cn/e.html"),
        ("g\\h.html", "http://www.example.edu.cn/jyxw/g/h.html"),
        ("\\\\x.cn\\d", "http://x.cn/d"),
        ("http:\\\\x.cn\\d", "http://x.cn/d"),
        ("http://x.cn\\d", "http://x.cn/d"),
        ("http:/i.html", "http://www.example.edu.cn/i.html"),
        ("http:j.html", "http://www.example.edu.cn/jyxw/j.html"),
        ("HTTPS://X.cn/k", "https://x.cn/k"),
        ("http:///x.cn/l", "http://x.cn/l"),
        ("http://x.cn/m\nn.html", "http://x.cn/mn.html"),
        ("?q=a\\b", "http://www.example.edu.cn/jyxw/index.html?q=a\\b"),
    ],
)
def test_urls_are_absolute_as_browsers_resolve_them(href: str, url: str) -> None:
    assert list(by_url(f'<body><a href="{href}">文字</a></body>')) == [url]


@each(
    "href",
    [
        *("javascript:void(0)", "java\nscript:x", "mailto:a@b.cn", "tel:110", "ftp://a.cn/b", "jzyd-2024@a163.com.cn"),
        *("http://a[b.cn/", "http://a.cn]/", "http://a℀.cn/"),
        *("#top", "", "//[bad/", "http://", "http://[bad/"),
    ],
)
def test_what_is_no_web_address_is_no_link(href: str) -> None:
    assert by_url(f'<body><a href="{href}">文字</a></body>') == {}


def test_a_page_may_have_an_at_sign_in_its_name() -> None:
    assert list(by_url('<body><a href="@zhang/p1">文字</a><a href="u/a@b.c">文字</a></body>')) == [
        "http://www.example.edu.cn/jyxw/@zhang/p1", "http://www.example.edu.cn/jyxw/u/a@b.c",
    ]  # fmt: skip


def test_a_base_that_is_no_web_address_leaves_the_links_that_need_none() -> None:
    body = '<body><a href="a.html">x</a><a href="/b">y</a><a href="http://x.cn/c">z</a></body>'
    assert "http://x.cn/c" in by_url(body, '<base href="foo:bar">')


def test_relative_urls_start_at_the_base_element() -> None:
    assert list(by_url('<body><a href="a.html">x</a></body>', '<base href="http://static.example.edu.cn/x/">')) == [
        "http://static.example.edu.cn/x/a.html"
    ]


def test_queries_are_sent_in_the_pages_own_charset() -> None:
    links = links_of(
        page('<body><p>教育新闻与考试信息</p><a href="list.asp?c=教育&d=%BD">教育</a></body>', charset="gbk")
    )
    assert [link.url for link in links] == ["http://www.example.edu.cn/jyxw/list.asp?c=%BD%CC%D3%FD&d=%BD"]


def test_frames_areas_and_refreshes_are_links() -> None:
    frames = by_url('<frameset><frame src="left.html"><frame src="main.html"></frameset>')
    assert [link.kind for link in frames.values()] == [LinkKind.LIST] * 2 or set(frames) >= {
        "http://www.example.edu.cn/jyxw/main.html"
    }
    body = '<body><map><area href="area.html" alt="地图"></map><iframe src="inner.html"></iframe></body>'
    links = by_url(body, '<meta http-equiv="Refresh" content="0; url=home/index.html">')
    names = [url.rpartition("/jyxw/")[2] for url in links]
    assert names == ["home/index.html", "area.html", "inner.html"]
    assert links["http://www.example.edu.cn/jyxw/area.html"].text == "地图"


@each(
    ("anchor", "text"),
    [
        ('<a href="a.html"> 标题\n  两行 </a>', "标题 两行"),
        ('<a href="a.html" title="整个的很长的标题">整个的...</a>', "整个的很长的标题"),
        ('<a href="a.html"><img src="i.jpg" alt="图中标题"></a>', "图中标题"),
        ('<a href="a.html" title="提示"><img src="i.jpg"></a>', "提示"),
        ('<a href="a.html" title="标题：双减之后的课堂&#xD;点击数：36&#xD;发表时间：2024年03月05日">双减之后...</a>', "双减之后的课堂"),
        ('<a href="a.html" title="标题：怎样写才好">标题：怎样...</a>', "标题：怎样写才好"),
        ('<a href="a.html"></a>', ""),
        ('<a href="a.html"><p>03-05</p><div><h3>双减之后的课堂</h3><p>作业少了一半。</p></div></a>', "双减之后的课堂"),
        ('<a href="a.html" title="双减之后的课堂"><p>03-05</p><div>双减之后的课堂</div><p>作业少了一半。</p></a>', "双减之后的课堂"),
        ('<a href="a.html" title="双减之后的课堂怎么样"><h3>双减之后的...</h3><p>作业少了一半。</p></a>', "双减之后的课堂怎么样"),
        ('<a href="a.html" title="点击查看全文"><p>03-05</p><p>双减之后的课堂</p></a>', "双减之后的课堂"),
        ('<a href="a.html" title="双减之后">双减之后<b>的课堂</b></a>', "双减之后的课堂"),
        ('<a href="a.html"><h4>教育</h4><p>双减之后的课堂</p></a>', "双减之后的课堂"),
        ('<a href="a.html"><h4>2024年03月05日</h4><p>双减之后的课堂</p></a>', "双减之后的课堂"),
        ('<a href="a.html"><div class="src">江城晚报</div><div class="item-tit">双减</div><div>作业少了一半，家长很高兴</div></a>', "双减"),
        ('<a href="a.html"><div>双减之后的课堂</div><p>作业少了一半，家长很高兴</p><span>3小时前</span></a>', "双减之后的课堂"),
        ('<a href="a.html"><span>双减之后的课堂</span><span>2024-03-05</span></a>', "双减之后的课堂"),
        ('<a href="a.html"><span>[通知]</span><span>双减之后的课堂</span></a>', "[通知]双减之后的课堂"),
        ('<a href="a.html"><h3>双减之后</h3><h4>2024-03-05 14:08</h4></a>', "双减之后2024-03-05 14:08"),
    ],
)
def test_the_text_of_a_link_is_what_a_reader_sees(anchor: str, text: str) -> None:
    assert [link.text for link in by_url(f"<body>{anchor}</body>").values()] == [text]


def test_only_links_in_the_regions_are_articles() -> None:
    body = f'<body><ul id="one">{LIST}</ul><ul id="two"><li><a href="t20240599.html">另一栏的很长的新闻标题一则</a></li></ul></body>'
    links = links_of(page(body), regions=['//ul[@id="two"]'])
    assert [link.url.rpartition("/")[2] for link in links if link.kind is LinkKind.ARTICLE] == ["t20240599.html"]


def test_regions_that_are_not_on_the_page_fall_back_to_the_list_that_is_found() -> None:
    links = links_of(page(f"<body><ul>{LIST}</ul></body>"), regions=['//div[@class="gone"]'])
    assert sum(link.kind is LinkKind.ARTICLE for link in links) == 4


def test_the_article_pattern_decides_wherever_the_article_lives() -> None:
    body = f'<body><ul>{LIST}<li><a href="http://other.cn/zhuanlan/xy">短</a></li></ul></body>'
    links = links_of(page(body), article_url=re.compile(r"/zhuanlan/"))
    assert [link.url for link in links if link.kind is LinkKind.ARTICLE] == ["http://other.cn/zhuanlan/xy"]


@each(
    ("pager", "expected"),
    [
        ('<a href="index_1.html">下一页</a>', "index_1.html"),
        ('<a href="p2">上一页</a><a href="p4">下页 »</a>', "p4"),
        ('<a href="p2">Next</a>', "p2"),
        ('<div class="pages"><a href="p1">‹</a><a href="p3">›</a></div>', "p3"),
        ('<div><span>1</span><a href="p2">2</a><a href="p3">3</a></div>', "p2"),
        ('<ul><li><a href="index.html">1</a></li><li><a href="p2">2</a></li></ul>', "p2"),
        ('<div><a href="p1">1</a><a href="p2" class="current">2</a><a href="p3">3</a></div>', "p3"),
        ('<script>createPageHTML(10, 0, "index", "html");</script>', "index_1.html"),
        ('<script>createPageHTML(10, 3, "index", "html");</script>', "index_4.html"),
        ("<script>window.onload=function() {createPageHTML('page_div',10, 1,'xw_list','shtml',200);}</script>", "xw_list_2.shtml"),
        ("<script>createPageHTML('page_div',10, 9,'xw_list','shtml',200)</script>", "xw_list_10.shtml"),
        ("<script>Pager({size:15, current:0, prefix:'index',suffix:'html',visible:5});</script>", "index_1.html"),
        ('<link rel="next" href=".\\p5">', "p5"),
        ('<a href="p2">加载更多</a>', "p2"),
        ('<div>1 <a href="p2">2</a> <a href="p3">3</a></div>', "p2"),
        ('<div>[<a href="p1">1</a>] [2] [<a href="p3">3</a>]</div>', "p3"),
        ('<div><a href="p2">2</a> <a href="p2">&gt;</a> <a href="p9">&gt;&gt;</a></div>', "p2"),
        ('<ul><li><a href="l_1.htm">1</a></li><li><a href="l_2.htm">2</a></li><li><a href="l_3.htm">3</a></li></ul>', "l_2.htm"),
        ('<a href="p2">下 一 页</a>', "p2"),
        ('<a href="p2">下一页(2)</a>', "p2"),
        ('<a class="prev" href="p1"></a><a class="next" href="p3"></a>', "p3"),
        ("""<a href="javascript:;" onclick="location.href='p2'">下一页</a>""", "p2"),
        ("""<a href="javascript:location.href='p2'">下一页</a>""", "p2"),
        ("""<input type="button" value="下一页" onclick="window.location='p2'">""", "p2"),
        ('<a href="javascript:void(0)" data-href="?page=2">下一页</a>', "?page=2"),
        ('<div class="pager"><a href="p1">1</a><b class="cur">2</b><a href="p3">3</a><a href="p11">&gt;</a></div>', "p3"),
        ('<div class="pager"><a href="p9">9</a><b class="cur">10</b><a href="p11">&gt;</a></div>', "p11"),
        ('<div><a href="javascript:;">1</a><span class="current">2</span><a href="p3">3</a></div>', "p3"),
        (f'<select onchange="location=this.value">{CHOICES.format("", "selected", "")}</select>', "l_3.htm"),
        (f'<select name="page">{CHOICES.format("", "", "").replace("1<", "第 1 页<", 1).replace("2<", "第 2 页<", 1)}</select>', "l_2.htm"),
        (f"""<select onchange="location.href=encodeURI('index_'+this.value+'.jhtml')">{NUMBERS}</select>""", "index_2.jhtml"),
        (f"<script>{WRITTEN.format(0, 9)}</script>", "index_1.html"),
        (f"<script>{WRITTEN.format(7, 9)}</script>", "index_8.html"),
        ('<div class="page"><a href="p9">»</a><a href="p2">›</a></div>', "p2"),  # the last page beside the next one
        ('<nav><a href="p2">← Older posts</a></nav>', "p2"),  # WordPress
        ('<nav><a href="p2">« 较早的文章</a></nav>', "p2"),
        ('<div class="page"><span class="current">第1页</span><a href="p2">第2页</a><a href="p3">第3页</a></div>', "p2"),
        ('<link rel="next" href="http://other.cn/p9"><a href="p2">下一页</a>', "p2"),
        ('<a rel="next" href="index.html"></a><a href="index.html#list">下一页</a><div class="page"><a href="p2">›</a></div>', "p2"),
        ('<a href="http://other.cn/p9">下一页</a><a href="http://news.example.edu.cn/p9">下一页</a>', "http://news.example.edu.cn/p9"),
        ('<div class="page"><p class="focus"><a href="t3.html">›</a></p><p class="pages"><a href="p2">›</a></p></div>', "p2"),
        ('<div class="slider"><a class="next" href="t3.html"></a></div><a class="next" href="p2"></a>', "p2"),
        ('<div class="focus-news"><div class="pagination"><span>1</span><a href="p2">2</a><a href="p3">3</a></div></div>', "p2"),
        ('<div class="pagination"><div><nav><ul><li><span><a href="p2">›</a></span></li></ul></nav></div></div>', "p2"),
        ('<div class="pagination"><a class="focus" href="p2">&gt;&gt;</a></div>', "p2"),
        (f'<link rel="next" href="{URL.replace("http:", "https:")}?utm_source=x"><a href="p2">下一页</a>', "p2"),
    ],
)
def test_the_next_page_is_found(pager: str, expected: str) -> None:
    assert next_of(pager) == [urljoin(URL, expected)]


@each(
    "pager",
    [
        "",
        '<a href="p1">上一页</a>',
        '<a href="javascript:go(2)">下一页</a>',
        '<a href="javascript:;" data-url="/api/list.json?page=2">下一页</a>',
        '<a href="javascript:;" data-url="2">下一页</a>',
        '<div><a href="p1">1</a><a href="p2">2</a><span>3</span></div>',
        '<script>createPageHTML(4, 3, "index", "html");</script>',
        "<script>createPageHTML('page_div', 4, 4, 'xw_list', 'shtml', 78);</script>",
        "<script>Pager({size:15, current:14, prefix:'index',suffix:'html',visible:5});</script>",
        '<a href="t.html">下一页的故事</a>',
        '<button data-url="/api/list.json?page=2">加载更多</button>',
        '<script data-url="/list?page=2">loadmore();</script>load more',
        '<button data-count="2">加载更多</button>',
        '<a href="/zt/">查看更多</a>',
        f'<select onchange="location=this.value">{CHOICES.format("", "", "selected")}</select>',
        f'<select name="day">{NUMBERS}</select>',
        '<select><option value="/2023/">2023</option><option value="/2024/">2024</option></select>',
        '<select onchange="location=this.value"><option value="http://a.cn/">某厅</option><option value="http://b.cn/">某局</option></select>',
        f"<script>{WRITTEN.format(8, 9)}</script>",
        '<div><a href="a7.html">1</a><a href="b9.html">2</a><a href="c8.html">3</a></div>',  # pictures of a show
        '<div class="slider"><ul><li><a class="next" href="t3.html"></a></li></ul></div>',
        '<div class="page"><div class="lunbo"><span><a href="t3.html">›</a></span></div></div>',
        '<div class="focus"><a href="t1.html">1</a><a href="t2.html">2</a><a href="t3.html">&gt;</a></div>',
        '<div class="page"><h2>要闻 <a href="/yw/">&gt;&gt;</a></h2></div>',
        '<link rel="next" href="http://other.cn/p9">',
        '<table><tr><td>1</td><td><a href="d2">2</a></td></tr><tr><td>8</td><td><a href="d9">9</a></td></tr></table>',  # a calendar
    ],
)
def test_the_last_page_has_no_next_one(pager: str) -> None:
    assert next_of(pager) == []


def test_more_leads_to_a_list_whatever_its_url() -> None:
    links = by_url('<body><h2>高校 <a href="hs.html">更多&gt;&gt;</a> <a href="xy.html">校园</a></h2></body>')
    assert [links[f"http://www.example.edu.cn/jyxw/{name}.html"].kind for name in ("hs", "xy")] == [LinkKind.LIST, LinkKind.OTHER]


def test_the_comments_of_an_article_are_no_second_name_for_it() -> None:
    rows = "".join(
        f'<li><h3><a href="t202405{i}.html">{title}</a></h3><a href="t202405{i}.html#comments">{i} 条评论</a></li>'
        for i, title in enumerate(("开学啦", "这是一篇很长的教育新闻", "这是又一篇很长的教育新闻", "这是最后一篇长长的教育新闻"))
    )
    links = by_url(f"<body><ul>{rows}</ul></body>")
    assert [(link.text[:2], link.kind) for link in links.values()] == [("开学", "article")] + [("这是", "article")] * 3


def test_a_relation_names_the_next_page_and_an_xpath_comes_first() -> None:
    head = '<link rel="next" href="/jyxw/index_2.html">'
    assert next_of("", head) == ["http://www.example.edu.cn/jyxw/index_2.html"]
    body = f'<body><ul>{LIST}</ul><a href="p2">下一页</a><a id="n" href="p9">往后</a></body>'
    links = links_of(page(body), next_page='//a[@id="n"]')
    assert [link.url.rpartition("/")[2] for link in links if link.kind is LinkKind.NEXT] == ["p9"]


def test_files_are_attachments_and_links_in_a_text_stand_in_its_body() -> None:
    text = "各地各校要认真组织实施，并于月底之前把落实情况报送到教育主管部门，具体要求见通知全文和有关附件。"
    links = by_url(f'<body><p>{text}<a href="plan.docx">实施方案</a>，<a href="t20240510.html">此前报道</a></p></body>')
    assert [(link.kind, link.region) for link in links.values()] == [
        (LinkKind.ATTACHMENT, Region.BODY),
        (LinkKind.OTHER, Region.BODY),
    ]


def test_channels_of_the_site_are_lists_and_other_sites_are_not() -> None:
    links = by_url(
        '<body><div class="nav"><a href="/gaokao/">高考</a><a href="http://other.cn/edu/">教育</a></div></body>'
    )
    assert [link.kind for link in links.values()] == [LinkKind.LIST, LinkKind.OTHER]


@each(
    "body",
    [
        '<li><a href="a">1</a></li>' * 20_000,
        '<a href="list' + "1" * 4000 + '!">x</a>',
        "<div>" * 1500 + '<a href="a.html">x</a>',
        '<p><a href="a.html">x</a>' + '<a href="b.html">y</a>' * 5000,
        '<a href="a.html">x</a>' + "<span>加载更多</span>" * 60_000,
        '<a href="t20240501_41012.html"></a>' * 5_000,
    ],
)
def test_markup_made_to_be_slow_is_read_in_time(body: str) -> None:
    read = page(f"<body>{body}</body>")
    start = time.process_time()
    assert links_of(read)
    assert time.process_time() - start < 3


def test_the_text_around_a_link_is_that_of_its_item_or_what_follows_it():
    body = """<ul><li>教育：<a href="/1">更多</a> 二十条</li></ul><p>前<b><a href="/2">中</a></b>后</p>
    <div><a href="/3">题</a> 尾 </div><a href="/1">again</a><a href="mailto:a@a.cn">x</a>"""
    around = texts_around(parse(f"<html><body>{body}</body></html>".encode(), "http://a.cn/"))
    assert around == {"http://a.cn/1": "教育：更多 二十条", "http://a.cn/2": "前中后", "http://a.cn/3": "尾"}


@each("read", [links_of, page_links])
@each(
    ("rel", "nofollow"),
    [("nofollow", True), ("NoFollow", True), ("noopener nofollow", True), ("ugc\nnofollow", True), ("", False),
     ("noopener", False), ("nofollow-not", False)],
)  # fmt: skip
def test_rel_nofollow_is_reported(read, rel, nofollow):
    page = parse(f'<p>第一条新闻<a href="1.html" rel="{rel}">学校开学</a>'.encode(), LIST_URL)
    assert [link.nofollow for link in read(page)] == [nofollow]


@each("read", [links_of, page_links])
@each("order", [("nofollow", ""), ("", "nofollow")])
def test_a_url_that_is_linked_twice_may_be_followed_if_one_link_may(read, order):
    anchors = "".join(f'<p><a href="1.html" rel="{rel}">{"学校开学" * (n + 1)}</a>' for n, rel in enumerate(order))
    assert [link.nofollow for link in read(parse(anchors.encode(), LIST_URL))] == [False]

