from datetime import UTC, datetime

from newsspider.core.extraction.article import extract_article
from newsspider.core.extraction.dom.outline import outline_of
from newsspider.core.extraction.dom.page import parse
from newsspider.core.extraction.title.headings import heads_date
from tests.support.tables import each

NOW = datetime(2024, 6, 15, tzinfo=UTC)
BODY = (
    "<div class=content>"
    + "<p>教育部今天发布通知，要求各地中小学认真落实课程方案，不得随意增加作业。</p>" * 4
    + "</div>"
)
NAV = "<div><a href='/'>首页</a> <a href='/jy'>教育新闻动态</a></div>"


def title(whole: str, above: str = "", below: str = "", head: str = "") -> str | None:
    markup = f"<html><head><title>{whole}</title>{head}</head><body>{NAV}{above}{BODY}{below}</body></html>"
    return extract_article(parse(markup.encode(), "http://www.example.cn/a.html"), NOW).title


@each(
    ("whole", "above"),
    [
        ("新学期的作业怎么写_教育频道_某某网", "<h1>新学期的作业怎么写</h1>"),
        ("新学期的作业怎么写-某某网", "<h1>某某网</h1><h2>新学期的作业怎么写</h2>"),
        ("教育频道--新学期的作业怎么写", "<div>新学期的作业怎么写</div>"),
        ("新学期的作业怎么写 | 某某日报", ""),
        ("新学期的作业怎么写——某某教育网", ""),
        ("教育新闻动态", "<h3>新学期的作业怎么写</h3>"),
        ("某某教育新闻网", "<h3>新学期的作业怎么写</h3>"),
        ("留学签证怎么办理", "<h1><a href=/>留学签证怎么办理</a></h1><h1>新学期的作业怎么写</h1><p>2024-03-05 14:08</p>"),
        ("某某大学", "<div class=bt><p>学校新闻</p><p>NEWS</p></div><p>新学期的作业怎么写</p><p>2024-03-05 14:08</p>"),
        ("", "<h1>新学期的作业怎么写</h1>"),
    ],
)
def test_the_title_is_found(whole: str, above: str) -> None:
    assert title(whole, above) == "新学期的作业怎么写"


@each(
    ("whole", "above", "expected"),
    [
        ("走教_某某百科", "<h2>让知识触手可及</h2><h1>走教</h1>", "走教"),
        ("走教 - 某某百科，自由的知识库", "<h1>走教</h1>", "走教"),
        ("走教队伍怎么写进新学期", "<h1>走教队伍怎么写进新学期1.2万</h1><p>2024-03-05</p>", "走教队伍怎么写进新学期"),
        ("新学期的作业怎么写_某网", "<h1>新学期的作业怎么写<span>分享</span></h1><p>2024-03-05</p>", "新学期的作业怎么写"),
        ("新学期的作业怎么写_某网", "<h1>新学期的作业怎么写<small>2024-03-05</small></h1>", "新学期的作业怎么写"),
        ("新学期的作业怎么写-某某网", "<h1>新学期的作业...</h1><p>2024-03-05</p>", "新学期的作业怎么写"),
        ("新学期的作业怎么写", "<h1>新学期的&shy;作业怎么写</h1><p>2024-03-05</p>", "新学期的作业怎么写"),
        ("修车课搬进了城东的社区_某网", "<h1>修车课搬进了城东的社区<p>News</p></h1><p>2024-03-05</p>", "修车课搬进了城东的社区"),
    ],
)
def test_entries_counted_headings_and_titles_that_end_like_a_site(whole: str, above: str, expected: str) -> None:
    assert title(whole, above) == expected


def test_the_longest_heading_within_title_wins_over_a_section() -> None:
    assert (
        title("作业 | 新学期的作业怎么写_某某网", "<h2>作业</h2><h1>作业 | 新学期的作业怎么写</h1>")
        == "作业 | 新学期的作业怎么写"
    )


def test_a_heading_below_the_text_is_not_the_title() -> None:
    assert title("教育新闻动态", "<h3>新学期的作业怎么写</h3>", "<h2>教育新闻动态推荐</h2>") == "新学期的作业怎么写"


def test_og_title_and_json_ld_are_heard() -> None:
    assert (
        title("新学期的作业怎么写：某某", head='<meta property="og:title" content="新学期的作业怎么写">')
        == "新学期的作业怎么写"
    )
    linked = '<script type="application/ld+json">[{"@graph":[{"headline":"新学期的作业怎么写"}]}]</script>'
    assert title("新学期的作业怎么写：某某", head=linked) == "新学期的作业怎么写"


def test_half_a_character_in_json_ld_is_no_text() -> None:
    linked = '<script type="application/ld+json">{"headline":"新学期的\\ud83d作业怎么写"}</script>'
    assert title("新学期的作业怎么写：某某", head=linked).encode()


def test_the_line_right_above_the_text_is_the_title_where_nothing_else_says_one() -> None:
    assert (
        title("", "<div>当前位置：首页</div><b>新学期的作业怎么写</b><div>2024-03-05 14:08</div>")
        == "新学期的作业怎么写"
    )
    assert title("某某网>教育新闻", "<b><a href='/1.html'>新学期的作业怎么写</a></b>") == "新学期的作业怎么写"


@each(
    ("whole", "above"),
    [
        ("主题: 新学期的作业怎么写", ""),
        ("主题：新学期的作业怎么写 - 某某论坛", "<h1>主题：新学期的作业怎么写</h1>"),
        ("某某论坛", "<h2>标题：新学期的作业怎么写</h2>"),
        ("标 题:新学期的作业怎么写_某某社区", ""),
        ("帖子主题：　新学期的作业怎么写", ""),
    ],
)
def test_the_label_before_a_title_is_no_part_of_it(whole: str, above: str) -> None:
    assert title(whole, above) == "新学期的作业怎么写"


@each("whole", ["主题教育：新学期的作业怎么写", "标题党：新学期的作业怎么写", "新学期的主题：作业怎么写"])
def test_a_title_that_begins_like_a_label_stays(whole: str) -> None:
    assert title(whole) == whole


def test_a_page_without_a_title_has_none() -> None:
    assert title("") is None


@each(
    ("line", "recognised"),
    [
        ("<td class=title><strong>{}</strong></td>", True),
        ("<div class=biaoti>{}</div>", True),
        ("<td class=menu>{}</td>", False),
    ],
)
def test_a_title_by_the_name_of_its_element_wins_over_the_name_of_the_site(line: str, recognised: bool) -> None:
    text = "<p>市里的小学今天开始放春假，孩子们跟着老师去山里看花，家长说这样的课很好。</p>" * 4
    heading = line.format("孩子们跟着老师去山里看花：春假第一天")
    top = f"<title>某某招生考试信息港湾</title><table><tr>{heading}</tr></table><div>2024-03-05 14:08</div>"
    markup = f"{top}<div class=content>{text}</div>"
    title = extract_article(parse(markup.encode(), "http://www.example.cn/a.html"), datetime(2024, 6, 15, tzinfo=UTC)).title
    assert (title == "孩子们跟着老师去山里看花：春假第一天") is recognised


@each("info", ["2024-03-05 14:08", "来源：某某科学网", "作者：王小明"])
def test_a_line_named_a_title_with_its_masthead_wins_over_a_title_of_site_and_channel(info: str) -> None:
    text = "<p>看过某某电影的人可能会记得那一幕：子弹被人用手抓住了。科学的回答是，这样的事要看相对速度，中国的说法也一样。</p>" * 4
    top = f"<title>某某中国-科学文章</title><div class='item-title'>空手真的能抓子弹吗？</div><div class=info>{info}</div>"
    markup = f"{top}<div class=content>{text}</div>"
    assert extract_article(parse(markup.encode(), "http://www.example.cn/a.html"), NOW).title == "空手真的能抓子弹吗？"


ABOUT = "<div class=content>" + "<p>孩子们跟着老师去山里看花，春假的第一天，市里的小学都放了假，家长说这样的课很好。</p>" * 4 + "</div>"
WHEN = "<div>2024-03-05 14:08 来源：某某报</div>"


def title_above(markup: str, whole: str = "某某招生考试信息港湾网") -> str | None:
    page = f"<html><head><title>{whole}</title></head><body>{NAV}{markup}</body></html>"
    return extract_article(parse(page.encode(), "http://www.example.cn/a.html"), NOW).title


@each(
    "above",
    [
        f"<h1>孩子们去山里看花</h1>{WHEN}<p>（原标题：春假第一天）</p>",
        f"<h1>孩子们去山里看花</h1>{WHEN}<h5>1032人参与308评论</h5>",
        f"<h2>某某频道</h2><h1>孩子们去山里看花</h1>{WHEN}<h4>春假安排</h4>",
        f"<div>孩子们去山里看花</div>{WHEN}{'<div>分享到微信</div>' * 20}",
        f"<div>春假：孩子们去山里看花</div>{WHEN}<div>【文/某某报 王小明】</div>",
        f"<p class=otitle>（原标题：春假第一天孩子们去山里看花）</p><div class=tit>孩子们去山里看花</div>{WHEN}",
    ],
)
def test_the_text_decides_which_line_is_the_title_if_title_names_only_the_site(above: str) -> None:
    assert title_above(above + ABOUT) in ("孩子们去山里看花", "春假：孩子们去山里看花")


@each("whole", ["谢谢您访问〖某某之家〗", "欢迎光临"])
def test_where_title_says_nothing_of_the_text_the_line_above_it_does(whole: str) -> None:
    assert title_above(f"<div>孩子们去山里看花</div>{WHEN}{ABOUT}", whole) == "孩子们去山里看花"


def test_a_title_the_text_hardly_covers_stays_if_no_line_fits_better() -> None:
    assert title_above(f"<div>本地要闻与天气</div>{WHEN}{ABOUT}", "一堂难忘的户外课") == "一堂难忘的户外课"


def test_a_title_that_stands_in_the_container_of_the_text_is_the_title_and_not_the_text() -> None:
    text = "<p>孩子们跟着老师去山里看花，春假的第一天，市里的小学都放了假，家长说这样的课很好。</p>" * 4
    page = f"<title>某某大学</title>{NAV}<div class=content><p>关于放假的通知</p>{text}</div>"
    article = extract_article(parse(page.encode(), "http://www.example.cn/a.html"), NOW)
    assert article.title == "关于放假的通知"
    assert not article.text.startswith("关于")


def test_of_two_headings_above_the_text_the_one_it_covers_is_the_title() -> None:
    assert title_above(f"<h2>孩子们去山里看花</h2><h2>报名通道已经开启</h2>{ABOUT}") == "孩子们去山里看花"


@each("whole", ["孩子们去山里...", "孩子们去山里……_某某网", "孩子们去山里…-某某教育网"])
@each("line", ["<h1>{}</h1>", "<div>{}</div>"])
def test_a_title_that_was_cut_is_found_whole_on_the_page(whole: str, line: str) -> None:
    assert title_above(line.format("孩子们去山里看花，春假从这里开始") + WHEN + ABOUT, whole) == "孩子们去山里看花，春假从这里开始"


SECOND = "看花也是上课——某地校长就春假的安排答记者问"


@each(
    ("headings", "whole", "title"),
    [
        ("<h1>孩子们去山里看花</h1><h2>家长说这样的课很好</h2>", "孩子们去山里看花_某某报", "孩子们去山里看花"),
        ("<h2>某某报要闻</h2><h2>孩子们去山里看花</h2>", "孩子们去山里看花_某某报要闻", "孩子们去山里看花"),
    ],
)
def test_headings_that_title_says_in_one_are_one(headings: str, whole: str, title: str) -> None:
    assert title_above(f"{headings}{WHEN}{ABOUT}", whole) == title


def test_of_headings_that_say_the_same_the_one_that_is_not_cut_is_the_title() -> None:
    above = f"<h1>孩子们跟着老师去山里看花 ...</h1><h3>孩子们跟着老师去山里看花</h3>{WHEN}"
    assert title_above(above + ABOUT, "孩子们跟着老师去山里看花_某某社区") == "孩子们跟着老师去山里看花"


@each("line", ["<p class=title>{}</p>", "<h3>{}</h3>"])
def test_a_heading_with_its_date_is_the_title_where_title_stands_nowhere_else(line: str) -> None:
    text = "<div class=content>" + "<p>春假第一天，某某教育集团的孩子们跟着老师去山里看花，家长说这样的课很好。</p>" * 4 + "</div>"
    above = line.format("去山里看花(2018年)") + "<p>2018.04.02</p>"
    assert title_above(above + text, "某某教育集团") == "去山里看花(2018年)"
    assert title_above(above + text, "某某教育集团-某某教育") == "去山里看花(2018年)"
    assert title_above(line.format("去山里看花(2018年)") + text, "某某教育集团") == "去山里看花(2018年)"
    assert title_above(text, "某某教育集团") == "某某教育集团"


@each(
    "line", ["<h1>{}</h1>", "<h3>{}</h3>", "<p>{}</p>", "<p><strong>{}</strong></p>", "<div class=bt>{}</div>"]
)
@each(
    "office",
    [
        "某某医药发展有限公司",
        "某某出版有限责任公司",
        "某某县第一中学",
        "某某省教育考试院",
        "某某教育发展基金会",
        "某某县学会",
        "某某县教育局",
        "Moumou University",
    ],
)
@each("when", ["<p>2026-11-18</p>", "<p>发布时间：2026年11月18日 浏览：20</p>", ""])
def test_the_heading_is_the_title_where_title_is_an_office_on_every_page(line: str, office: str, when: str) -> None:
    text = (
        "<div class=content>"
        + "<p>春假第一天，孩子们跟着老师去山里看花，家长说这样的课很好，明年还要来。</p>" * 4
        + "</div>"
    )
    assert title_above(line.format("孩子们去山里看花") + when + text, office) == "孩子们去山里看花"


@each("site", ["某某市第一中学", "某某教育新闻网", "某某国际投资有限公司"])
def test_the_name_of_the_site_that_stands_on_the_page_gives_way_to_the_first_heading_of_the_text(site: str) -> None:
    rows = "".join(f"<tr><td>2016年{n}月</td><td>7.{n}1</td><td>95.{n}</td><td>0.3{n}</td></tr>" for n in range(1, 9))
    page = f"<p>{site}</p><p>地址：某省某市东郊</p><h1>某某集团2016年排水监测指标</h1><table>{rows}</table>"
    assert title_above(page, site) == "某某集团2016年排水监测指标"
    assert title_above(f"<p>{site}</p>{ABOUT}", site) == site
    news = f"<p>{site}</p><p>地址：某省某市东郊</p><p>学校新闻</p><h1>孩子们去山里看花</h1>{ABOUT}"
    assert title_above(news, site) == "孩子们去山里看花"
    box = f"<h3>联系我们</h3><div><p>{site}</p><p>地址：某省某市东郊</p><p>电话：0000-0000000</p><p>邮箱：某某某某</p></div>"
    assert title_above(f"{box}<p>学校新闻</p><h1>孩子们去山里看花</h1><img src=/a.jpg>", site) == "孩子们去山里看花"


def test_the_last_line_of_a_page_may_be_its_title() -> None:
    assert title_above("<p>孩子们去山里看花</p>", "某市教育局 孩子们去山里看花") == "孩子们去山里看花"


def test_a_channel_in_brackets_is_no_title() -> None:
    assert title_above(f"<h1>孩子们去山里看花</h1>{WHEN}{ABOUT}", "[家长与老师]-某某县教育局") == "孩子们去山里看花"
    assert title_above(f"<div>本地要闻</div>{ABOUT}", "【一堂课】") == "【一堂课】"


def test_a_heading_that_addresses_the_readers_is_no_title() -> None:
    text = "<div class=content><h1>各位看花的孩子们：</h1>" + ABOUT.removeprefix("<div class=content>")
    assert title_above(f"<h1>关于春假第一天的通知</h1>{WHEN}{text}", "某某公共信息网-某省网") == "关于春假第一天的通知"


def test_the_heading_that_title_begins_with_is_the_title_however_much_stands_behind_it() -> None:
    above = f"<h1>孩子们去山里看花</h1>{WHEN}"
    assert title_above(above + ABOUT, "孩子们去山里看花-《某报》2024-03-05-某某数据") == "孩子们去山里看花"


def test_a_heading_that_was_cut_goes_on_in_title() -> None:
    above = f"<h1>孩子们终于去了 —— 山里看花的 ...</h1><h3>[春假] 孩子们终于去了 —— 山里看花的一天</h3>{WHEN}"
    assert title_above(above + ABOUT, "孩子们终于去了 —— 山里看花的一天_某某社区") == "孩子们终于去了 —— 山里看花的一天"
    assert title_above(f"<h1>孩子们去山里 ...</h1>{WHEN}{ABOUT}", "孩子们去山里 ..._某某社区") == "孩子们去山里 ..."


def test_a_title_that_names_reading_is_no_row_of_buttons() -> None:
    text = "<div class=content>" + "<p>三年级的同学学习成语，积累文化，家长和老师都来看他们的比赛，大家都说好。</p>" * 4 + "</div>"
    line = "“一站到底”——我校开展第二十届阅读节活动"
    assert title_above(f"<p>{line}</p><p>[发布时间2021年4月23日]</p>{text}", "某某市铁东区胜利小学") == line


def test_a_title_that_ends_with_dots_of_its_own_keeps_them() -> None:
    assert title_above(f"<h1>孩子们去山里……</h1>{WHEN}{ABOUT}", "孩子们去山里……_某某网") == "孩子们去山里……"


def test_a_declared_title_cut_by_a_quotation_mark_is_ignored() -> None:
    head = '<meta property="og:title" content="孩子们去"山里"看花">'
    page = f"<html><head>{head}</head><body>{NAV}<h1>孩子们去\"山里\"看花</h1>{WHEN}{ABOUT}</body></html>"
    assert extract_article(parse(page.encode(), "http://www.example.cn/a.html"), NOW).title == '孩子们去"山里"看花'


def test_a_title_that_ends_with_dots_gives_way_to_no_sentence_that_begins_alike() -> None:
    text = "<p>孩子们去山里，什么都看见了，也什么都记住了。</p>"
    assert title_above(f"<h1>孩子们去山里……</h1>{text}{ABOUT}", "孩子们去山里……_某某网") == "孩子们去山里……"
    assert title_above(f"<div>孩子们去山里……</div>{text}{ABOUT}", "孩子们去山里……") == "孩子们去山里……"


def test_a_title_from_which_a_site_was_cut_is_an_articles_own() -> None:
    assert title_above(f"<div>跟着老师去山里看花的第一天</div>{ABOUT}", "又见一树花开时_某某晚报") == "又见一树花开时"


@each(
    ("whole", "above"),
    [
        ("新学期作业怎么写_某某省网络安全和信息化委员会办公室", "<div>某某省网络安全和信息化委员会办公室</div><h1>新学期作业怎么写</h1>"),
        ("新学期作业怎么写-某某网", "<div>新学期作业怎么写</div><div>新学期作业怎么写-某某网</div>"),
    ],
)
def test_a_site_name_never_beats_a_title_however_long(whole: str, above: str) -> None:
    assert title(whole, above) == "新学期作业怎么写"


def test_the_declared_title_wins_if_title_and_heading_name_only_the_site() -> None:
    head = '<meta name="ArticleTitle" content="课程方案全面落实">'
    logo = "<h1>某某自治区人民政府门户网站</h1>"
    assert title("某某自治区人民政府门户网站 - www.example.cn", logo + "<h1>课程方案全面落实</h1>", head=head) == "课程方案全面落实"
    assert title("某某自治区人民政府门户网站", logo, head=head) == "某某自治区人民政府门户网站"
    name = '<meta name="ArticleTitle" content="王小明">'
    assert title("王小明-教学名师-某某学院", "<div>王小明</div><h3>个人简介</h3>", head=name) == "王小明"


def test_a_declared_site_name_never_beats_a_title() -> None:
    head = '<meta name="title" content="某某教育网">'
    assert title("某市推进素质教育_某某教育网", "<div>某某教育网</div><div>某市推进素质教育</div>", head=head) == "某市推进素质教育"


@each(
    ("whole", "above", "expected"),
    [
        ("赵明远-某某大学美术学院", "<h1>赵明远</h1><h2>ZHAOMINGYUAN</h2>", "赵明远"),
        ("赵明远-某某大学美术学院", "<h5>赵明远（赵远） 讲师</h5><div>某某大学高级研修班导师</div>", "赵明远"),
        ("喜讯-某某市第一中学", "<h1>喜讯</h1>", "喜讯"),
        ("专访校长-走进某某中学", "<h1>专访校长-走进某某中学</h1>", "专访校长-走进某某中学"),
        ("专访-走进某某市实验小学", "<h2>专访-走进某某市实验小学</h2>", "专访-走进某某市实验小学"),
        ("专访校长-走进某某中学-某某教育网", "<div>专访校长-走进某某中学</div>", "专访校长-走进某某中学"),
        ("喜讯-教务处新闻网-某某市第一中学", "<h1>喜讯</h1>", "喜讯"),
        ("安丰｜新学期作业怎么写_某某网", "<h1>安丰｜新学期作业怎么写</h1>", "安丰｜新学期作业怎么写"),
        ("安丰-新学期作业怎么写的新闻-某某网", "<h1>安丰 新学期作业怎么写的新闻</h1>", "安丰 新学期作业怎么写的新闻"),
        ("喜报 | 走进某某市实验小学", "", "走进某某市实验小学"),
        ("通知-某某市第一中学", "<h2>通知</h2><h3>新学期作业怎么写</h3>", "新学期作业怎么写"),
    ],
)
def test_a_title_of_two_or_three_characters_is_a_person_or_the_first_heading(whole: str, above: str, expected: str) -> None:
    assert title(whole, above) == expected


def test_what_a_page_says_of_its_house_below_the_text_is_no_title() -> None:
    house = "某某乡村教育科技服务有限公司"
    above, below = f"<h2>孩子们去山里看花</h2>{WHEN}", f"<h2>{house}</h2><p>咨询电话：028-12345678</p>"
    assert title_above(above + ABOUT + below, f"孩子们去山里看花-{house}") == "孩子们去山里看花"
    assert title_above(above + ABOUT.removesuffix("</div>") + f"<p>{house}</p></div>", f"往期查看——{house}") == "孩子们去山里看花"


def test_markup_in_title_is_no_title() -> None:
    head = '<meta name="ArticleTitle" content="新学期作业怎么写">'
    broken = '&lt;h1 style="margin: 0pt 0pt 10.5pt; font-size: 24pt"'
    assert title(broken, "<div>新学期作业怎么写</div>", head=head) == "新学期作业怎么写"
    assert title("新学期作业&lt;br&gt;怎么写 - 某某网", "<h1>新学期作业 怎么写</h1>") == "新学期作业 怎么写"
    meta = '<meta name="ArticleTitle" content="新学期作业&lt;br/&gt;怎么写">'
    assert title("某某市教育局", "<div>新学期作业怎么写</div>", head=meta) == "新学期作业 怎么写"


def test_what_only_begins_like_markup_stays_in_the_title() -> None:
    assert title("当a&lt;b时作业怎么写_某某网", "") == "当a<b时作业怎么写"


def test_the_name_of_the_site_is_no_title_of_a_page_that_has_none() -> None:
    meta = '<meta property="og:site_name" content="某某新聞網"><meta property="og:title" content="某某新聞網">'
    assert title("", "<div>各地落实课程方案</div>", head=meta) == "各地落实课程方案"
    column = "校园在线｜各地落实课程方案"
    assert title("", f"<h1>{column}</h1>", head=f'<meta property="og:title" content="{column}">') == column


def test_the_declared_title_counts_if_the_page_shows_none_and_the_text_covers_it() -> None:
    meta = '<meta property="og:title" content="{}">'
    assert title("某某网", head=meta.format("各地认真落实课程方案")) == "各地认真落实课程方案"
    assert title("某某网", head=meta.format("天下大事尽在此处")) == "某某网"


def test_the_dated_line_is_the_title_if_title_is_a_school_that_the_text_names() -> None:
    school = "某某市第一小学"
    above = f"<p>{school}欢迎您！</p><div>详情信息</div><div class=tit>秋日里的一次远足</div><div>[发布时间2024年3月5日]</div>"
    about = f"<div class=content>{f'<p>{school}的同学们一早就出发了，沿着小河走到了山脚下的村子。</p>' * 4}</div>"
    assert title_above(above + about, school) == "秋日里的一次远足"
    addressed = f"<div>秋日里的一次远足</div><div>[时间2024-03-05]</div><p>各有关单位：</p><p>{school}2024年4月5日8:00起停电。</p>"
    assert title_above(addressed + about, school) == "秋日里的一次远足"


def test_the_line_with_its_date_is_the_title_where_title_is_a_list_or_its_short_name() -> None:
    about = f"<div>一、项目概况</div>{BODY}"
    assert title_above(f"<h1>食堂原料废标公告</h1><p>2024-03-05</p>{about}", "某某办公室-服务类") == "食堂原料废标公告"
    form = "<p>一、项目概况</p><p>首次公告日期：2024年3月1日</p>" + "<p>更正内容：</p>" * 6
    notice = f"<h1>食堂原料更正公告</h1><p>2024-03-05</p>{BODY.replace('content>', f'content>{form}')}"
    assert title_above(notice, "某某办公室-服务类") == "食堂原料更正公告"
    menu = "<p><a href=/a>教育部课程方案作业</a></p>"
    assert title_above(f"{menu}<p>会计学</p><p>2024-03-05</p>{about}", "会计学-某某大学-某某大学经管学院") == "会计学"


@each("prompt", ["请输入关键词检索", "二维码网址（请使用微信扫描）"])
def test_prompts_of_search_fields_and_codes_are_no_titles(prompt: str) -> None:
    above = f"<p>某某电化教育馆简介</p><div class=title>{prompt}</div><div>2024-03-05 14:08</div>"
    assert title("直属单位——某某教育厅网站", above) != prompt


def test_the_declared_article_title_wins_if_a_line_above_the_text_repeats_it() -> None:
    meta = '<meta name="ArticleTitle" content="新学期作业怎么写">'
    assert title("[通知公告]-某某市网站群!", "<p>新学期作业怎么写</p>", head=meta) == "新学期作业怎么写"


def test_the_line_with_its_date_is_the_title_where_title_names_two_sites_of_which_the_page_shows_one() -> None:
    above = "<h1>某某信息网</h1><p>首页 > 动态</p><div>秋日里的一次远足</div><div>时间：2024-03-05 14:08 来源：某某报</div>"
    about = f"<div class=content>{'<p>某某信息网的同事们一早就出发了，沿着小河走到了山脚下的村子。</p>' * 4}</div>"
    assert title_above(above + about, "某某信息网-某某社会组织信息网") == "秋日里的一次远足"


@each("whole", ["某某日報 MOUMOU DAILY NEWS", "某某网 The Moumou Net"])
def test_the_name_of_an_outlet_in_two_scripts_is_no_title(whole: str) -> None:
    meta = f'<meta name=title content="{whole}">'
    assert title(whole, "<p>孩子们去山里看花</p><p>發佈日期 : 2024-03-05</p>", head=meta) == "孩子们去山里看花"


def test_a_badge_behind_a_headline_is_not_of_it() -> None:
    meta = '<meta property="og:title" content="新学期的作业怎么写（2024）">'
    assert title("", "<h1>新学期的作业怎么写（2024）<span>已付费</span></h1>", head=meta) == "新学期的作业怎么写（2024）"
    assert title("", "<h1>新学期的作业怎么写（2024）：一位母亲的话</h1>", head=meta) == "新学期的作业怎么写（2024）：一位母亲的话"


@each("rest", ["_某某山水古村风景园", " - 某某儿童医院发育行为科_某某市儿童健康医院", "-某某市装饰工程有限公司"])
@each("short", ["王小明", "古村之夏", "古村(原)"])
def test_the_short_first_part_of_title_is_the_title_where_the_heading_with_its_date_says_it(short: str, rest: str) -> None:
    above = f"<p>{rest.strip(' _-')}</p><h3>{short}</h3><p>来源：某某报 时间：2024-03-05</p>"
    assert title(short + rest, above) == short


def test_a_short_title_before_the_name_of_a_company_is_not_that() -> None:
    assert title("作业的用途 - 某某市装饰工程有限公司", "<h2>作业的用途</h2><p>作者：</p>") == "作业的用途"


@each("whole", ["工作动态 - 某某市教育装备协会", "工作动态_某某市教育局", "工作动态-某某大学"])
@each("line", ["<p class=t>新学期的作业应该怎么写</p>", "<h3>新学期的作业应该怎么写</h3>"])
def test_the_name_of_the_section_gives_way_to_the_line_below_it_with_the_date(whole: str, line: str) -> None:
    assert title(whole, f"<h2>工作动态</h2>{line}<p>2024-03-05 14:08</p>") == "新学期的作业应该怎么写"
    assert title(whole, "<h2>工作动态</h2><p>2024-03-05 14:08</p>") == "工作动态"


def test_a_short_title_with_another_line_above_the_date_stays() -> None:
    assert title("书与人生_某某网", "<h1>书与人生</h1><p>——一位老师的读书生活</p><p>2024-03-05 14:08</p>") == "书与人生"


def test_the_heading_with_its_date_is_the_title_where_the_text_begins_with_the_same_in_two_lines() -> None:
    heading = "<h3>在2024年全市教育工作会暨作业管理联席会议上的报告</h3><h4>来源： 发布时间： 2024-03-05</h4>"
    text = "<pre>在2024年全市教育工作会暨</pre><pre>作业管理联席会议上的报告</pre><pre>（2024年1月23日）</pre><p>各位领导、同志们：</p>"
    page = f"<title>青春某某网</title>{heading}<div>{text}{BODY}</div>"
    article = extract_article(parse(page.encode(), "http://www.example.cn/a.html"), NOW)
    assert article.title == "在2024年全市教育工作会暨作业管理联席会议上的报告"
    assert str(article.published_at) == "2024-03-05 00:00:00+08:00"


def test_a_second_title_is_no_title_where_the_first_sounds_like_the_name_of_a_site() -> None:
    above = "<p>与时俱进 推进新时代特色作业教育</p><p>——某某小学召开作业管理推进会议</p><p>2024-03-05 收藏</p>"
    assert title("与时俱进 推进新时代特色作业教育", above) == "与时俱进 推进新时代特色作业教育"


def test_a_number_to_call_is_no_title() -> None:
    page = f"<title>文具_某某网</title><p>咨询热线</p><p>0510-00000000</p>{BODY}"
    assert extract_article(parse(page.encode(), "http://www.example.cn/a.html"), NOW).title != "0510-00000000"


def test_markup_in_a_cut_declared_title_is_dropped() -> None:
    meta = "<meta name=ArticleTitle content=\"<font color='#0066FF'\">"
    assert title("", "<h2>新学期的作业应该怎么写</h2><p>发布日期：2024-03-05</p>", head=meta) == "新学期的作业应该怎么写"


@each(
    ("whole", "above", "expected"),
    [
        # The heading is not the title, but <title> is.
        ("五一放假通知_某某教育网", "<h1>某某教育网</h1><div>五一放假通知</div><div>2024-03-05</div>", "五一放假通知"),
        ("新学期的作业应该怎么写-某某市教育局", "<h2>某某市教育局</h2><div>2024-03-05</div>", "新学期的作业应该怎么写"),
        ("孩子为什么不爱写作业？听专家说-家庭教育", "<h3>家庭教育</h3><div>2024-03-05</div>", "孩子为什么不爱写作业？听专家说"),
        ("头条_全市教育大会部署_某某日报", "<h3>头条</h3><p>2024年3月5日 星期二</p><h1>全市教育大会部署</h1>", "全市教育大会部署"),
        ("图解 | 一图看懂全市教育大会", "<h3>图解</h3><p>2024-03-05</p><p>一图看懂全市教育大会</p>", "一图看懂全市教育大会"),
        ("2024-2025学年第一学期校历", "<h2>2024</h2><p>2024-03-05</p>", "2024-2025学年第一学期校历"),
        # Below a good <title>: details of what a notice announces, and a caption.
        ("会议通知_某某市教育局", "<h1>会议通知</h1><p>2024-03-05</p><p>会议名称：全市年会</p><p>会议时间：2024-03-20</p>", "会议通知"),
        ("人工智能赋能课堂改革-某某大学", "<p>报告人：李某某 某某大学教授</p><p>报告时间：2024-03-20 14:00</p>", "人工智能赋能课堂改革"),
        ("全市艺术展演圆满落幕-某某网", "<p>学生们在舞台上表演合唱</p><p>2024-03-05 来源：某某报</p>", "全市艺术展演圆满落幕"),
        ("校园要闻_新学期的作业怎么写_某某网", "<h3>校园要闻</h3><p>2024-03-05</p>", "新学期的作业怎么写"),
        ("工作动态_某某市教育局", "<h2>工作动态</h2><p>主办单位：某某市各学校</p><p>2024-03-05</p>", "工作动态"),
        ("停课通知_某某市第一中学", "<h1>停课通知</h1><p>某某市第一中学教务处</p><p>2024-03-05</p>", "停课通知"),
        ("读书活动_某某市第一中学", "<h1>读书活动</h1><p>让孩子爱上读书</p><p>2024-03-05</p>", "读书活动"),
        ("工作动态_某某市教育局", "<h1>工作动态</h1><p>2024-03-05</p><p>秋天来了银杏黄了</p><p>2024-03-04</p>", "工作动态"),
        ("秋天来了 - 校园新闻 - 某某日报评论", "<h1>某某日报评论</h1><h2>秋天来了</h2><p>2024-03-05</p>", "秋天来了"),
        # A title that ends like the name of a site, or has few Chinese letters, behind its sections.
        ("首页 > 新闻动态 > 全国首个人工智能教育社区落户", "", "全国首个人工智能教育社区落户"),
        ("某某网_教育频道_教师之窗_双减之后如何办好人民满意的教育", "", "双减之后如何办好人民满意的教育"),
        ("首页>数码评测>Example 15 Pro Max 评测", "", "Example 15 Pro Max 评测"),
        ("我们为什么上大学_教育新闻_某某网", "", "我们为什么上大学"),
        ("走进教育局 | 工作动态 | 某某市", "<div>走进教育局</div><p>2024-03-05</p>", "走进教育局"),
        ("GPT5_资讯_某某网", "<div>GPT5</div>", "GPT5"),
    ],
)
def test_a_title_keeps_its_place_before_headings_and_lines_that_are_none(whole: str, above: str, expected: str) -> None:
    assert title(whole, above) == expected


@each(
    ("below", "heads"),
    [("2024-03-05 来源：某某报", True), ("2024年3月5日 星期二", False), ("会议时间：2024-03-05 14:00", False), ("来源：某某报", False)],
)
def test_the_date_of_an_issue_or_of_what_is_announced_dates_no_headline(below: str, heads: bool) -> None:
    page = parse(f"<p>秋日里的一次远足</p><p>{below}</p>".encode(), "http://www.example.cn/a.html")
    assert heads_date(outline_of(page), 0) is heads

