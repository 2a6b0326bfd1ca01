from datetime import datetime, timedelta

from newsspider.core.dates.date_reader import full_date
from newsspider.core.extraction.dom.page import parse
from newsspider.core.links.page_links import links_of
from newsspider.core.model import Link, LinkKind, Region
from tests.support.tables import each

URL = "http://www.example.edu.cn/jyxw/"
NAV = '<div class="nav"><a href="/">首页</a> <a href="/jyxw/">教育新闻</a> <a href="/about.html">关于我们</a></div>'
FOOT = '<div class="footer"><a href="/copyright.html">版权声明与网站使用条款说明</a></div>'


def items(*titles: str, start: int = 4101, date: str = "") -> str:
    return "".join(f'<li><a href="202405/t{start + i}.html">{title}</a>{date}</li>' for i, title in enumerate(titles))


def links(body: str, url: str = URL) -> tuple[Link, ...]:
    return links_of(parse(f"<html><head><title>x</title></head><body>{body}</body></html>".encode(), url))


def articles(body: str, url: str = URL) -> list[str]:
    return [link.text for link in links(body, url) if link.kind is LinkKind.ARTICLE]


TITLES = (
    "教育部部署春季学期中小学工作",
    "乡村学校的书声又响起来了",
    "高校毕业生就业促进周启动",
    "这所小学把课堂搬到了田野里",
)


@each("count", [1, 2, 4])
def test_the_items_of_a_list_are_found_however_short_it_is(count: int) -> None:
    assert articles(f'{NAV}<ul class="news-list">{items(*TITLES[:count])}</ul>{FOOT}') == list(TITLES[:count])


@each(
    "card",
    [
        '<div class="card"><h3>{title}</h3><span>11-2{n}</span><p>有关负责人作了介绍。</p><a href="t4{n}01.html">查看详情&gt;</a></div>',
        '<div class="card"><a href="t4{n}01.html"><img src="p{n}.jpg"></a><h3>{title}</h3></div>',
        '<li><a href="t4{n}01.html"></a><div>{title}</div><i>2024-05-2{n}</i></li>',
        '<article><h2>{title}</h2><footer>2024-05-2{n}</footer><a href="/note{n}/"></a></article>',
        '<table><tr><td>{n}</td><td>{title}</td><td>2024-05-2{n}</td><td><a href="t4{n}01.html">查看</a></td></tr></table>',
    ],
)
def test_a_picture_or_a_button_that_alone_leads_to_an_article_has_the_title_of_its_card(card: str) -> None:
    cards = [card.format(title=title, n=n) for n, title in enumerate(TITLES)]
    assert articles(f"{NAV}{''.join(cards)}{FOOT}") == list(TITLES)
    assert articles(f"{NAV}{''.join(cards[:2])}{FOOT}") == []  # two may be anything


def test_the_numbers_of_a_table_and_the_buttons_of_blocks_take_no_titles() -> None:
    rows = "".join(f'<tr><td>春季学期第{n}学年</td><td><a href="t4{n}01.html">{90 + n}</a></td></tr>' for n in range(4))
    heads = ("政策文件News", "行业规范Rules", "标准体系Standards")
    blocks = "".join(f'<div><h2>{head}</h2><a href="t5{n}.html">更多</a></div>' for n, head in enumerate(heads))
    assert articles(f"<table>{rows}</table>{blocks}") == []


def test_links_of_navigation_and_footer_are_no_articles_though_they_look_alike() -> None:
    body = (
        f'<nav><a href="/202405/t1234.html">教育部部署春季学期中小学工作</a></nav><ul>{items(*TITLES[1:])}</ul>{FOOT}'
    )
    assert articles(body) == list(TITLES[1:])
    assert {link.region for link in links(body)} == {Region.NAVIGATION, Region.MAIN, Region.FOOTER}


def test_several_blocks_of_a_home_page_count_and_rankings_and_friend_links_do_not() -> None:
    first, second, hot = (
        items(*TITLES[:2]),
        items(*TITLES[2:], start=5101),
        items("昨天的旧闻一则仍然排在前面", start=9101),
    )
    friends = (
        '<li><a href="/202405/t7777.html">兄弟学校的一篇很长很长的介绍</a></li><li><a href="http://b.cn/">某网</a></li>'
    )
    body = (
        f'{NAV}<div class="a"><h2>要闻</h2><ul>{first}</ul></div><div class="b"><h2>校园</h2><ul>{second}</ul></div>'
        f'<div class="c"><h3>点击排行</h3><ul>{hot}</ul></div><div class="d"><h3>友情链接</h3><ul>{friends}</ul></div>{FOOT}'
    )
    assert articles(body) == list(TITLES)


def test_the_part_with_most_titles_is_the_main_part_whatever_its_name() -> None:
    more = tuple(f"第{number}届全国大学生田径运动会闭幕" for number in "一二三四")
    assert articles(f'{NAV}<div class="boardnav">{"".join(f"<ul>{items(*TITLES, *more)}</ul>")}</div>{FOOT}') == [
        *TITLES,
        *more,
    ]


def test_old_table_layouts_have_lists_too() -> None:
    rows = "".join(f'<tr><td><a href="show.asp?id={i}">{t}</a></td><td>05-1{i}</td></tr>' for i, t in enumerate(TITLES))
    assert articles(f"{NAV}<table><tr><td><table>{rows}</table></td></tr></table>") == list(TITLES)


def test_the_picture_and_the_title_of_an_item_are_one_link() -> None:
    item = '<li><a href="t4101.html"><img src="a.jpg" alt="图"></a><h3><a href="t4101.html">{}</a></h3><a href="t4101.html">详情</a></li>'
    item_links = links(f"<ul>{item.format(TITLES[0])}</ul>")
    assert [(link.text, link.kind) for link in item_links] == [(TITLES[0], LinkKind.ARTICLE)]


def test_more_links_and_channels_inside_a_list_are_no_articles() -> None:
    extra = '<li><a href="/jyxw/more.html">更多</a></li><li><a href="/zt/">专题：走进乡村学校的一百天</a></li>'
    assert articles(f"{NAV}<ul>{items(*TITLES)}{extra}</ul>") == list(TITLES)


def test_the_time_of_the_last_reply_is_not_an_article() -> None:
    rows = "".join(
        f'<tr><th><a href="thread-410{i}-1-1.html">{t}</a></th><td><a href="forum.php?tid=410{i}">半小时前</a></td></tr>'
        for i, t in enumerate(TITLES)
    )
    assert articles(f"{NAV}<table>{rows}</table>") == list(TITLES)


def test_articles_of_other_sites_are_left_out_where_the_list_is_the_sites_own() -> None:
    foreign = '<li><a href="http://www.other.cn/2024/0517/c1131.html">外站的一篇很长的教育新闻报道</a></li>'
    assert articles(f"<ul>{items(*TITLES)}{foreign}</ul>") == list(TITLES)


def test_a_list_that_leads_mainly_to_one_other_domain_is_that_domains() -> None:
    rows = "".join(f'<li><a href="http://www.sister.cn/2024/0517/c{i}.html">{t}</a></li>' for i, t in enumerate(TITLES))
    assert articles(f"{NAV}<ul>{rows}</ul>") == list(TITLES)


def test_list_items_that_are_files_are_items() -> None:
    rows = "".join(
        f'<li><a href="/file/202405{i}.pdf">{t}</a><span>2024-05-1{i}</span></li>' for i, t in enumerate(TITLES)
    )
    assert articles(f"{NAV}<ul>{rows}</ul>") == list(TITLES)


def test_files_among_pages_are_attachments() -> None:
    file = '<li><a href="/file/2024059.pdf">2024年全市中小学招生计划一览表</a><span>2024-05-19</span></li>'
    kinds = {link.text: link.kind for link in links(f"{NAV}<ul>{items(*TITLES)}{file}</ul>")}
    assert kinds["2024年全市中小学招生计划一览表"] is LinkKind.ATTACHMENT
    assert [kinds[title] for title in TITLES] == [LinkKind.ARTICLE] * len(TITLES)


def test_a_full_date_next_to_a_link_is_its_date_and_a_short_one_is_not() -> None:
    dates = [link.published_at for link in links(f"<ul>{items(*TITLES, date='<span>[2024-05-17 08:30]</span>')}</ul>")]
    assert [at.isoformat() for at in dates if at] == ["2024-05-17T08:30:00+08:00"] * 4
    assert all(link.published_at is None for link in links(f"<ul>{items(*TITLES, date='<span>05-17</span>')}</ul>"))


@each("box", ["<b>17</b><i>2024-05</i>", "<b>05/17</b><i>2024</i>", "<b>17</b><i>2024.5</i>", "<b>2024</b><i>05-17</i>"])
def test_a_date_in_boxes_before_a_title_is_its_date(box: str) -> None:
    row = '<li><a href="t202405{}1.html"><p>{}</p><h3>{}</h3></a></li>'
    rows = "".join(row.format(i, box, t) for i, t in enumerate(TITLES))
    dated_links = [link for link in links(f"{NAV}<ul>{rows}</ul>") if link.published_at]
    assert [link.text for link in dated_links] == list(TITLES)
    assert {link.published_at.date().isoformat() for link in dated_links if link.published_at} == {"2024-05-17"}


def test_dates_belong_to_their_own_items() -> None:
    rows = "".join(f'<div><a href="t410{i}.html">{t}</a> 2024年5月{i + 1}日</div>' for i, t in enumerate(TITLES))
    assert [link.published_at.day for link in links(rows) if link.published_at] == [1, 2, 3, 4]


def test_a_title_with_the_days_of_a_span_is_no_time() -> None:
    weeks = [f"一周菜单（{month}.{day}-{month}.{day + 4}）" for month, day in ((2, 24), (2, 17), (3, 3), (3, 10))]
    assert articles(f"{NAV}<ul>{items(*weeks, date='<span>2024-05-17</span>')}</ul>") == weeks


@each("text", ["05-17", "2024-13-01", "2024", "20240517", "12024-05-17", ""])
def test_an_incomplete_or_invalid_date_is_none(text: str) -> None:
    assert full_date(text) is None


def test_a_full_date_is_chinese_time() -> None:
    midnight = datetime.fromisoformat("2024-05-07T00:00:00+08:00")
    for text in ("2024年5月7日", "2024/05/07", "发布：2024.5.7", "(2024-05-07)"):
        moment = full_date(text)
        assert moment == midnight
        assert moment is not None
        assert moment.utcoffset() == timedelta(hours=8)


SHORT = (
    "教育部部署春季高考改革试点工作", "清华大学公布新一届博士招生简章", "国家体育总局公布青少年训练名单", "上海中小学秋季开学时间确定公布",
    "北京义务教育入学政策发布解读", "江苏省中考命题改革方案公布说明",
)  # fmt: skip
FURTHER = ("少年宫的合唱团走进山区小学", "图书馆延长了暑期开放时间", "高校食堂推出了小份菜半份饭")


@each("form", ["/news/{}", "/archives/{}/", "/?p={}", "/index.php?p={}"])
@each("date", ["", " 2026-11-20"])
def test_short_numbered_urls_with_titles_are_articles_and_the_numbers_of_their_pager_are_not(form: str, date: str) -> None:
    listed = "".join(f'<li><a href="{form.format(n)}">{title}</a>{date}</li>' for n, title in enumerate(SHORT, 11))
    pager = "".join(f'<a href="{form.format(n)}">{n}</a>' for n in range(1, 5))
    assert articles(f'{NAV}<ul class="list">{listed}</ul><div class="pager">{pager}</div>{FOOT}') == list(SHORT)


@each("count", [1, 2, 3])
@each("other", ["", '<li><a href="/2026/1120/c4711.html">广东教师资格考试面试公告发布</a> 2026-11-20</li>'])
def test_few_short_numbered_urls_are_articles_by_their_titles_and_dates(count: int, other: str) -> None:
    listed = "".join(f'<li><a href="/news/{n}">{title}</a> 2026-11-20</li>' for n, title in enumerate(SHORT[:count], 11))
    assert articles(f'{NAV}<ul class="list">{listed}{other}</ul>{FOOT}')[:count] == list(SHORT[:count])


def test_the_numbered_source_behind_each_article_is_no_article() -> None:
    listed = "".join(
        f'<li><a href="/2026/1120/c47{n}.html">{title}</a> <span><a href="/media/{n}">某某市教育日报社官网{n}</a> 5分钟前</span></li>'
        for n, title in enumerate(SHORT, 11)
    )
    assert articles(f'{NAV}<ul class="list">{listed}</ul>{FOOT}') == list(SHORT)


@each("form", ["/list/{}", "/category/{}/", "/tags/{}"])
def test_numbered_folders_that_say_that_they_are_lists_stay_lists(form: str) -> None:
    listed = "".join(f'<li><a href="{form.format(n)}">{title}</a></li>' for n, title in enumerate(SHORT, 11))
    assert articles(f'{NAV}<ul class="list">{listed}</ul>{FOOT}') == []


def test_numbered_channels_stay_channels() -> None:
    channels = "".join(f'<li><a href="/news/{n}">{name}</a></li>' for n, name in enumerate(("要闻", "高考", "中考", "考研", "留学"), 11))
    assert articles(f'{NAV}<ul class="channels">{channels}</ul>{FOOT}') == []


@each(
    "second_link",
    ['<a href="{}">[详细]</a>', '<a href="{}">查看全文</a>', '<a href="{}"><img src="/i/1.jpg" alt=""></a>', '<a href="{}">评论(3)</a>'],
)
def test_a_second_link_to_the_article_behind_each_headline_does_not_speak_against_it(second_link: str) -> None:
    urls = [f"202405/t{4101 + i}.html" for i in range(len(TITLES))]
    lines = "".join(f'<li><a href="{url}">{title}</a>{second_link.format(url)}</li>' for url, title in zip(urls, TITLES, strict=True))
    assert articles(f'{NAV}<ul class="news-list">{lines}</ul>{FOOT}') == list(TITLES)


def test_a_list_that_shares_the_place_of_a_navigation_is_found() -> None:
    names = ("要闻", "高考", "中考", "考研", "留学", "视频", "图片")
    channels = "".join(f'<li><a href="/c{n}/">{name}</a></li>' for n, name in enumerate(names))
    body = f"<div><ul>{channels}</ul></div><div><ul>{items(*TITLES)}</ul></div>"
    assert articles(body) == list(TITLES)


def test_a_channel_before_each_headline_does_not_speak_against_it() -> None:
    rows = "".join(f'<li><a href="/c{n}/">[校园]</a><a href="202405/t41{n}1.html">{title}</a></li>' for n, title in enumerate(TITLES))
    assert articles(f"{NAV}<ul>{rows}</ul>{FOOT}") == list(TITLES)


def test_a_link_that_many_lines_repeat_is_no_article() -> None:
    channel = '<a href="/t/1234.html">义务教育均衡发展</a>'
    rows = "".join(f'<li><a href="202405/t{41000 + n}.html">{title}</a>{channel}</li>' for n, title in enumerate(SHORT))
    assert articles(f"{NAV}<ul>{rows}</ul>{FOOT}") == list(SHORT)


@each("form", ["/newsinfo/{}/index.html", "/channel/{}", "/xwdt/abc{}x"])
def test_dated_titles_are_articles_though_their_urls_look_like_lists_where_no_other_links_are(form: str) -> None:
    listed = "".join(f'<li><a href="{form.format(n)}">{title[:12]}</a> 2024-05-17</li>' for n, title in enumerate(SHORT, 11))
    assert articles(f'{NAV}<ul class="list">{listed}</ul>{FOOT}') == [title[:12] for title in SHORT]
    assert articles(f'{NAV}<ul class="list">{listed.replace("2024-05-17", "")}</ul>{FOOT}') == []
    other = f'<div class="top">{items(*TITLES)}</div>'
    assert articles(f'{NAV}{other}<ul class="list">{listed}</ul>{FOOT}') == list(TITLES)


@each("form", ["/news/{}.html", "/xwdt/{}"])
def test_urls_that_say_nothing_are_articles_where_a_folder_holds_long_titles(form: str) -> None:
    names = ("abcd", "bcde", "cdef", "defg", "efgh", "fghi")
    listed = "".join(f'<li><a href="{form.format(name)}">{title}</a></li>' for name, title in zip(names, SHORT, strict=True))
    assert articles(f'{NAV}<ul class="list">{listed}</ul>{FOOT}') == list(SHORT)
    channels = "".join(f'<li><a href="{form.format(name)}">{title[:6]}</a></li>' for name, title in zip(names, SHORT, strict=True))
    assert articles(f'{NAV}<ul class="list">{channels}</ul>{FOOT}') == []


def test_a_dated_list_on_another_domain_counts_next_to_as_many_own_links() -> None:
    rows = "".join(f'<li><a href="http://www.sister.cn/2024/0517/c{n}.html">{t}</a> 2024-05-17</li>' for n, t in enumerate(TITLES))
    own = "".join(f'<p><a href="/2024/0517/c{n}.html">{title}</a></p>' for n, title in enumerate(SHORT[:5]))
    assert articles(f"{NAV}<ul>{rows}</ul><div>{own}</div>") == [*TITLES, *SHORT[:5]]


@each("opening", ["", "· ", '[<a href="/c/">校园</a>] '])
def test_a_headline_that_opens_a_paragraph_stands_above_its_summary(opening: str) -> None:
    summary = "记者从有关部门了解到，这项工作已经进行了三个月，老师和家长都说好，下一步还要推广到更多的学校，让更多的孩子得到好处。"
    rows = "".join(f'<p>{opening}<a href="202405/t{4101 + n}.html">{title}</a> {summary}</p>' for n, title in enumerate(TITLES))
    assert articles(f"{NAV}<div>{rows}</div>") == list(TITLES)
    inside = f'<p>{summary}<a href="202405/t4101.html">{TITLES[0]}</a></p>'
    assert articles(f"{NAV}<div>{inside}</div>") == []


def test_long_names_of_channels_do_not_make_the_main_part() -> None:
    channels = "".join(f'<li><a href="/col{n}/">职业教育与终身学习{n}</a></li>' for n in range(40))
    listed = f'<div class="boardnav"><ul>{items(*TITLES, *SHORT)}</ul></div>'
    assert articles(f"<div><ul>{channels}</ul></div>{listed}") == [*TITLES, *SHORT]


def test_a_ranking_longer_than_its_list_stays_side_content() -> None:
    hot = items(*SHORT, *(title[::-1] for title in SHORT), start=9101)
    assert articles(f"<ul>{items(*TITLES[:3])}</ul><div><h3>点击排行</h3><ul>{hot}</ul></div>") == list(TITLES[:3])


def test_pages_about_the_site_are_no_articles_whatever_their_names() -> None:
    names = ("互联网新闻信息服务许可证", "违法和不良信息举报电话", "版权声明与网站使用条款")
    about = " | ".join(f'<a href="/about/{n}.html">{name}</a>' for n, name in enumerate(names, 1))
    assert articles(f"<ul>{items(*TITLES)}</ul><div>{about}</div>") == list(TITLES)


@each("name", ["tab", "tab-con", "news_tabs"])
def test_a_box_with_tabs_is_navigation_only_where_no_titles_stand_in_it(name: str) -> None:
    latest = f"<ul>{items(*TITLES, *SHORT)}</ul>"
    assert articles(f'{latest}<div class="{name}"><ul>{items(*FURTHER, start=5101)}</ul></div>') == [*TITLES, *SHORT, *FURTHER]
    heads = "".join(f'<a href="202405/t{n}.html">校园{n}</a>' for n in range(5101, 5107))
    assert articles(f'{latest}<div class="{name}">{heads}</div>') == [*TITLES, *SHORT]
    ranking = f'<div class="{name}"><h3>点击排行</h3><ul>{items(*FURTHER, start=5101)}</ul></div>'
    assert articles(f"{latest}{ranking}") == [*TITLES, *SHORT]


def test_the_first_words_of_a_table_with_lists_in_it_are_no_heading_of_all() -> None:
    menu = "<td>常用栏目" + '\n<img src="a.jpg">' * 9 + "</td>"
    notices, others = items(*TITLES, start=5101), items(*FURTHER, start=6101)
    columns = f"<table><tbody><tr>{menu}<td>{notices}</td></tr></tbody></table>"
    assert articles(f"<div>{items(*SHORT)}{others}</div>{columns}") == [*SHORT, *FURTHER, *TITLES]


@each("form", ["http://www.sister.cn/s?src={}x&ver=2", "/link?url=a{}b", "/show.jsp?k={}x"])
def test_results_of_a_search_are_articles_by_their_long_titles_and_other_searches_are_not(form: str) -> None:
    results = "".join(f'<h3><a href="{form.format(n)}">{title}</a></h3>' for n, title in enumerate(SHORT))
    others = "".join(f'<p><a href="?q={n}x">{title}</a></p>' for n, title in enumerate((*TITLES, *FURTHER)))
    assert articles(f"{NAV}<div>{results}</div><div>{others}</div>", "http://www.example.edu.cn/search?q=1") == list(SHORT)
    channels = "".join(f'<h3><a href="{form.format(n)}">{title[:6]}</a></h3>' for n, title in enumerate(SHORT))
    assert articles(f"{NAV}<div>{channels}</div>") == []


def test_a_title_that_ends_with_days_in_brackets_is_no_time() -> None:
    menus = ("一周菜单（2.24-2.28）", "一周菜单(2.17--2.21）", "值班安排（5月17日）", "一周菜单（12.30-1.3）")
    assert articles(f"{NAV}<ul>{items(*TITLES, date=' 2024-05-17')}{items(*menus, start=5101)}</ul>") == [*TITLES, *menus]
    replies = items("05-17 12:30", "昨天 14:08", "发表于 2024-05-17", "张三(05-17)", start=6101)
    assert articles(f"{NAV}<ul>{items(*TITLES, date=' 2024-05-17')}</ul><ol>{replies}</ol>") == list(TITLES)


def test_a_title_that_begins_with_its_day_is_no_time() -> None:
    notices = ("6.18班级卫生考核", "2024年5月17日校车停运告示", "今天，操场上下雪了")
    assert articles(f"{NAV}<ul>{items(*TITLES)}{items(*notices, start=5101)}</ul>") == [*TITLES, *notices]
    other = ("今天来自手机客户端", "2024-05-17教育部新闻办", "08:30教育新闻频道", "5月17日 校园新闻网", "30.5米长的校园走廊")
    assert articles(f"{NAV}<ul>{items(*TITLES)}</ul><ol>{items(*other, start=6101)}</ol>") == list(TITLES)


@each("tag", ["article", "div"])
def test_the_head_of_each_article_is_not_that_of_the_page(tag: str) -> None:
    head = "header" if tag == "article" else tag
    teasers = "".join(
        f'<{tag}><{head} class="post-header"><h1><a href="/2024/05/17/{n}/">{title}</a></h1></{head}><p>摘要</p></{tag}>'
        for n, title in enumerate(TITLES)
    )
    assert articles(f'<header class="head"><a href="/2024/05/17/9/">{SHORT[0]}</a></header>{teasers}') == list(TITLES)


@each("name", ["after-ad", "hot", "top10"])
def test_the_name_of_one_item_among_others_says_nothing_of_its_place(name: str) -> None:
    rows = "".join(
        f'<div class="item {name if n == 1 else ""}"><a href="202405/t{4101 + n}.html">{title}</a></div>'
        for n, title in enumerate(TITLES)
    )
    assert articles(f"{NAV}<div>{rows}</div>") == list(TITLES)
    boxes = "".join(f'<div class="widget"><ul>{items(title, start=4101 + n)}</ul></div>' for n, title in enumerate(TITLES))
    assert articles(f'{boxes}<div class="widget {name}"><ul>{items(*FURTHER, start=5101)}</ul></div>') == list(TITLES)


def test_headlines_that_turn_in_a_banner_are_articles_and_its_advertisements_are_not() -> None:
    listed = f"<ul>{items(*TITLES, *SHORT)}</ul>"
    turning = f'<div id="banner"><ul>{items(*FURTHER, start=5101)}</ul></div>'
    assert articles(turning + listed) == [*FURTHER, *TITLES, *SHORT]
    advertisement = '<div class="banner"><a href="202405/t5101.html"><img alt="热烈祝贺我校建校六十周年"></a></div>'
    assert articles(advertisement + listed) == [*TITLES, *SHORT]


def test_a_headline_is_no_heading_of_the_titles_below_it() -> None:
    first = "大学排名再遭质疑引热议"
    block = f'<div>{items(*SHORT)}</div><div><p><a href="202405/t5100.html">{first}</a></p>{items(*TITLES, start=5101)}</div>'
    assert articles(block) == [*SHORT, first, *TITLES]
    for url in ("/phb/", "202405/t5100.html"):
        headed = f'<div>{items(*SHORT)}</div><div><p><a href="{url}">大学排名</a></p>{items(*TITLES, start=5101)}</div>'
        assert articles(headed) == list(SHORT)


def test_an_advertisement_that_says_so_is_no_heading_of_what_follows() -> None:
    listed = f"<div><ul>{items(*TITLES)}</ul></div>"
    others = f"<div><ul>{items(*SHORT, start=5101)}</ul></div>"
    assert articles(f'{others}<div><i>广告</i><iframe src="about:blank"></iframe></div>{listed}') == [*SHORT, *TITLES]
    assert articles(f"{others}<div><i>广告</i></div>{listed}") == list(SHORT)


def test_a_long_title_with_a_list_like_url_is_an_article_among_others_of_its_folder() -> None:
    listed = "".join(f'<li><a href="/a/a-day-at-our-school-{n}">{title}</a></li>' for n, title in enumerate(SHORT))
    odd = f'<li><a href="/a/cloud-day">{FURTHER[0]}</a></li>'
    channel = '<li><a href="/a/school-news">学校新闻</a></li>'
    assert articles(f"{NAV}<ul>{listed}{odd}{channel}</ul>") == [*SHORT, FURTHER[0]]
    assert articles(f'{NAV}<ul>{listed}{odd.replace("/a/", "/b/")}</ul>') == list(SHORT)


def test_players_of_films_are_no_articles() -> None:
    films = "".join(f'<li><a href="https://www.films.com/embed/{title[0]}x">{title}</a></li>' for title in SHORT)
    assert articles(f"{NAV}<ul>{items(*TITLES)}</ul><ol>{films}</ol>") == list(TITLES)


@each("name", ["col floatleft", "float_r", "float-start"])
def test_a_floated_column_is_no_floating_advertisement(name: str) -> None:
    second = items(*SHORT, start=5101)
    assert articles(f'<div class="{name}"><ul>{items(*TITLES)}</ul></div><div><ul>{second}</ul></div>') == [*TITLES, *SHORT]
    assert articles(f'<div class="float-box"><ul>{items(*TITLES)}</ul></div><div><ul>{second}</ul></div>') == list(SHORT)


def test_short_titles_among_many_articles_are_articles_where_each_stands_in_an_item_of_its_own() -> None:
    many = [f"{title}（{n}）" for title in TITLES for n in "上下"]
    short = '<li><a href="/notes/ants.html">蚂蚁搬家</a></li>'
    listed = "".join(f'<li><a href="/notes/{title[0]}{n}.html">{title}</a></li>' for n, title in enumerate(many))
    assert articles(f"{NAV}<ul>{listed}{short}</ul>") == [*many, "蚂蚁搬家"]
    channels = "".join(f'<li><a href="/notes/{name}.html">蚂蚁{name}家</a></li>' for name in "东西南北")
    assert articles(f"{NAV}<ul>{listed}{channels}</ul>") == many
    labelled = listed.replace("<li>", '<li><a href="/notes/ants.html">蚂蚁搬家</a> ')
    assert articles(f"{NAV}<ul>{labelled}</ul>") == many


def test_a_list_that_many_titles_lead_to_is_no_article() -> None:
    listed = "".join(f'<li><a href="/jtdt/">{title}</a> 2026-11-20</li>' for title in TITLES)
    assert articles(f"{NAV}<ul>{listed}</ul>") == []
    assert articles(f"{NAV}<ul>{listed}</ul><div><ul>{items(*SHORT)}</ul></div>") == list(SHORT)


def test_articles_that_another_host_keeps_under_drawn_ids_are_found() -> None:
    drawn = ("4lOq-WEK_kZxRo7pLZ2IQa", "qlHQTZI2noBqLhWpsNDsog", "xtaPoEEKiM_qrZtQE3HCpQ", "64eo2963Gu_ONdWIrinq_w")
    listed = "".join(f'<h4><a href="https://mp.weixin.qq.com/s/{id_}">{title}</a></h4>' for id_, title in zip(drawn, TITLES, strict=True))
    assert articles(f"{NAV}<div>{listed}</div>") == list(TITLES)


@each("form", ["2026-11-20 {}", "{} 2026-11-20 08:30"])
def test_a_short_title_and_its_day_that_fill_a_list_item_are_no_time(form: str) -> None:
    titles = [form.format(title) for title in ("校园夜景", "雨后的操场", "开学典礼", "图书馆之夏")]
    assert articles(f"{NAV}<ul>{items(*titles)}</ul>") == titles
    replies = [form.format("发表于某班")] * 4
    assert articles(f"{NAV}<ul>{items(*replies)}</ul>") == []
    last = '<div class="last"><a href="/last/202405/{}.html">{}</a></div></li>'
    threads = "".join(items(title, start=n).replace("</li>", last.format(n, titles[0])) for n, title in enumerate(TITLES, 4101))
    assert articles(f"{NAV}<ul>{threads}</ul>") == list(TITLES)
