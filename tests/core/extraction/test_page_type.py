

from datetime import UTC, datetime

from newsspider.core.extraction.article import extract_article
from newsspider.core.extraction.dom.page import parse
from newsspider.core.extraction.page_type import OF_ARTICLES, OF_LISTS, OF_OTHERS, page_type_of, probability_of
from newsspider.core.links.page_links import links_of, page_links
from newsspider.core.model import PageType
from tests.support.tables import each

NOW = datetime(2024, 6, 15, tzinfo=UTC)
TEXT = "<p>教育部今天发布通知，要求各地中小学认真落实课程方案，不得随意增加作业，家长可以反映情况。</p>"
HEADLINES = (
    "<ul>"
    + "".join(f"<li><a href='/{i}.html'>某地学校的新闻标题写在这里第{i}条</a> 03-{i:02}</li>" for i in range(1, 31))
    + "</ul>"
)
ARTICLE = f"<title>新学期的作业怎么写_某某网</title><h1>新学期的作业怎么写</h1><div>2024-03-05 14:08</div><div>{TEXT * 6}</div>"

MOMENT = datetime(2024, 6, 1, tzinfo=UTC)
SENTENCE = "教育部门今天召开座谈会，各地学校的教师和学生参加了会议，会上讨论了课程与考试的安排。"
INFO = "<div>2024-05-05 10:00 来源：某某日报</div>"


def kind(markup: str, url: str = "http://www.example.cn/a/1.html") -> PageType:
    page = parse(markup.encode(), url)
    return page_type_of(page, extract_article(page, NOW), ())


def listed(markup: str, url: str = "http://www.example.cn/jy/list") -> PageType:
    page = parse(markup.encode(), url)
    return page_type_of(page, extract_article(page, NOW), links_of(page))


@each(
    ("markup", "url", "expected"),
    [
        (ARTICLE, "http://www.example.cn/a/1.html", PageType.ARTICLE),
        (ARTICLE + HEADLINES, "http://www.example.cn/a/1.html", PageType.ARTICLE),
        (ARTICLE.replace(TEXT * 6, TEXT) + HEADLINES, "http://www.example.cn/a/1.html", PageType.ARTICLE),
        (ARTICLE, "http://blog.example.cn/u/1.html", PageType.BLOG),
        (ARTICLE, "http://bbs.example.cn/thread-12-1-1.html", PageType.FORUM),
        ('<meta name="generator" content="Discuz! X3.4">' + ARTICLE, "http://www.example.cn/a.html", PageType.FORUM),
        ('<meta name="generator" content="Discuz! X3.4">' + ARTICLE, "http://www.example.cn/article-47-1.html", PageType.ARTICLE),
        ('<meta name="generator" content="Discuz! X3.4">' + ARTICLE, "http://www.example.cn/portal.php?mod=view&aid=47", PageType.ARTICLE),
        ("<title>作业</title>发表于 2024-03-05 14:08" + TEXT + HEADLINES, "http://www.example.cn/thread-6-1-1.html", PageType.FORUM),
        ("<title>作业_某某论坛</title>" + HEADLINES, "http://www.example.cn/forum.php?mod=forumdisplay&fid=2", PageType.LIST),
        ("<title>教育新闻_某某网</title>" + HEADLINES, "http://www.example.cn/jy/", PageType.LIST),
        ("<title>某某网</title>" + HEADLINES + f"<div>{TEXT * 2}</div>", "http://www.example.cn/", PageType.LIST),
        ("<title>404 Not Found</title><h1>404 Not Found</h1>", "http://www.example.cn/a.html", PageType.ERROR),
        ("<title>提示信息</title><p>抱歉，您访问的页面不存在或已被删除。</p>", "http://www.example.cn/a", PageType.ERROR),
        ("<title>用户登录</title><form><input name=u><input type=password></form>", "http://www.example.cn/l", PageType.LOGIN),
        ("<title>高清图集：开学第一天</title>" + "<img src=a.jpg>" * 8 + TEXT, "http://photo.example.cn/p/1.html", PageType.GALLERY),
        ("<title>某某</title><p>短</p>", "http://www.example.cn/a", PageType.ERROR),
        (f"<div>{TEXT * 3}</div>", "http://www.example.cn/a", PageType.ARTICLE),  # a text speaks for itself without a title
        (f"<div>{TEXT * 2}</div>", "http://www.example.cn/a", PageType.OTHER),
        ('[{"title": "新学期的作业怎么写", "content": "' + TEXT * 6 + '"}]', "http://www.example.cn/api/1", PageType.OTHER),
        ("<frameset><frame src=a.html></frameset>", "http://www.example.cn/f.html", PageType.OTHER),
    ],
)  # fmt: skip
def test_a_page_is_what_its_shape_and_words_say(markup: str, url: str, expected: PageType) -> None:
    assert kind(markup, url) is expected


def test_an_article_about_vanished_pages_is_no_error() -> None:
    assert kind(ARTICLE.replace("作业怎么写", "页面不存在")) is PageType.ARTICLE


def test_an_article_with_a_login_box_is_no_login() -> None:
    assert kind("<form><input type=password>登录</form>" + ARTICLE) is PageType.ARTICLE


def test_the_opening_post_is_the_body_of_a_thread() -> None:
    posts = "".join(
        f"<div class=reply><p>回复{i}：说得对，我们学校也是这样做的，大家都很满意。</p></div>" for i in range(8)
    )
    opening = f"<h1>作业怎么写</h1><div>楼主 发表于 2024-3-5 14:08</div><div class=t_f>{TEXT * 3}</div>"
    markup = f"<title>作业怎么写 - 论坛</title>{opening}{posts}"
    page = parse(markup.encode(), "http://bbs.example.cn/thread-1-1-1.html")
    article = extract_article(page, NOW)
    assert page_type_of(page, article, ()) is PageType.FORUM
    assert "回复" not in article.text
    assert article.text.count("教育部今天发布通知") == 3


@each("title", ["关于我们", "会员5的空间", "版权声明"])
def test_a_page_about_the_site_is_no_article(title: str) -> None:
    markup = f"<title>{title}_某某网</title><h1>{title}</h1><p>某某网{title}。如需帮助，请与我们联系。</p>"
    assert kind(markup) is PageType.OTHER


def test_a_long_page_about_the_site_is_no_article_either_and_a_dated_one_is() -> None:
    text = "<p>某某网是一家教育新闻网站，二十年来一直报道学校和老师的故事，欢迎来信来电。</p>" * 6
    assert kind(f"<title>关于我们_某某网</title><h1>关于我们</h1><div class=content>{text}</div>") is PageType.OTHER
    dated = f"<title>关于我们这一代_某某网</title><h1>关于我们这一代</h1><div>2024-03-05 10:00</div><div class=content>{text}</div>"
    assert kind(dated) is PageType.ARTICLE


DIGEST = "记者从有关部门了解到，这项工作已经进行了三个月，老师和家长都说好，下一步还要推广到更多的学校。"

BELOW = "<h3><a href='/{0}.html'>某地学校的新闻标题第{0}条</a></h3><p>{1}</p>"

BEHIND = "<p><a href='/{0}.html'>某地学校的新闻标题第{0}条</a> {1}</p>"


def teasers(count: int, heading: str = BELOW) -> str:
    return "".join(f"<div>{heading.format(i, DIGEST * 2)}</div>" for i in range(1, count + 1))


@each("count", [4, 12])
@each("heading", [BELOW, BEHIND])
def test_a_page_of_summaries_below_their_headlines_is_a_list(count: int, heading: str) -> None:
    page = parse(f"<title>校园_某某网</title><div>{teasers(count, heading)}</div>".encode(), "http://www.example.cn/xy/a")
    assert page_type_of(page, extract_article(page, NOW), page_links(page)) is PageType.LIST


def test_an_article_with_boxes_of_links_within_its_text_is_no_page_of_summaries() -> None:
    box = "<div><p>推荐阅读</p><p><a href='/7.html'>某地学校的新闻标题写在这里</a></p></div>"
    text = (TEXT + box + TEXT * 2) * 3
    markup = f"<title>新学期的作业怎么写_某某网</title><h1>新学期的作业怎么写</h1><div>{text}</div>"
    assert kind(markup) is PageType.ARTICLE


def test_a_vanished_page_with_summaries_of_others_is_no_article() -> None:
    assert not kind(f"<title>某某网</title><h2>抱歉，您访问的页面不存在</h2><div>{teasers(10)}</div>").stored
    assert not kind(f"<title>用户登录</title><form><input type=password></form><div>{teasers(10)}</div>").stored


@each("path", ["", "index.html", "default.aspx", "jy/"])
def test_a_long_story_that_leads_elsewhere_makes_no_article_of_a_home_page(path: str) -> None:
    lead = f"<div><h2><a href='/c/9.html'>校园里的春天来得比往年早</a></h2>{TEXT * 24}</div>"
    page = parse(f"<title>某某教育网</title>{lead}{HEADLINES}".encode(), f"http://www.example.cn/{path}")
    assert page_type_of(page, extract_article(page, NOW), page_links(page)) is PageType.LIST


def test_an_article_whose_heading_links_to_itself_is_one() -> None:
    title = "校园里的春天来得比往年早"
    assert kind(f"<title>{title}_某某网</title><h2><a href='/c/9.html'>{title}</a></h2>{TEXT * 24}{HEADLINES}") is PageType.ARTICLE
    flash = f"<h1><a href='/c/9.html'>{title}</a></h1><div>2024-03-05 14:08</div>{TEXT}{HEADLINES}"
    assert listed(f"<title>{title}_某某网</title>{flash}", "http://www.example.cn/c/9.html") is PageType.ARTICLE


@each(
    "short",
    [
        "<div>2024-03-05 14:08</div><h1>{0}</h1><div>{1}</div>",
        "<h1>{0}</h1><div>{1}</div><div>发布日期：2024-03-05</div>",
        "<h1>{0}</h1><div>{1}<div>发表于 2024年3月5日 14:08</div></div>",
    ],
)
def test_a_news_flash_is_an_article_wherever_its_date_stands(short: str) -> None:
    title = "新学期的作业怎么写才算多"
    markup = f"<title>{title}_某某网</title>{short.format(title, TEXT)}<h3>更多</h3>{HEADLINES}"
    assert kind(markup) is PageType.ARTICLE
    channel = f"<title>教育新闻_某某网</title>{short.format('教育新闻', TEXT)}<h3>更多</h3>{HEADLINES}"
    assert kind(channel) is PageType.LIST


def test_a_hint_for_something_else_that_is_gone_makes_no_error_of_a_news_flash() -> None:
    flash = ARTICLE.replace(TEXT * 6, TEXT * 2)
    hint = "<ul><li><a href=/a>首页</a></li><li>抱歉，您访问的页面不存在</li><li><a href=/b>返回</a></li></ul>"
    assert kind(flash + hint) is PageType.ARTICLE
    assert kind(f"<title>某某网</title><h1>提示</h1>{hint}") is PageType.ERROR


FEW = HEADLINES.partition("<li><a href='/13.html'>")[0] + "</ul>"

RULES = "<p>请遵守版块规则，违规的帖子将被移走，情节严重的不再允许发言。</p><p>如发现不妥的内容，请举报或联系版主。</p>"


@each(
    "flash", ["某公司将为全市的乡村学校提供技术支持，帮助教师线上教学。", "我校招聘语文教师两名，联系电话：12345678。"]
)
def test_a_news_flash_that_says_what_sites_say_of_themselves_is_an_article(flash: str) -> None:
    markup = f"<title>{{0}}_某某网</title><h1>{{0}}</h1><div>2024-03-05 14:08</div><div><p>{flash}</p></div>{FEW}"
    assert listed(markup.format("某市乡村学校有了新的老师"), "http://www.example.cn/a/1.html") is PageType.ARTICLE


def test_a_box_of_headlines_right_above_the_text_leads_nowhere_else() -> None:
    box = "".join(f"<li><h5><a href='/{i}.html'>某地学校的新闻标题写在这里第{i}条</a></h5></li>" for i in range(1, 9))
    page = f"<title>“春天里的学校——从一堂课到一_某某研究院</title><ul>{box}</ul><div>栏目图片</div><div class=text>{TEXT * 12}</div>"
    assert listed(page, "http://www.example.cn/a/1.html") is PageType.ARTICLE


def test_a_list_by_its_url_and_by_its_title_is_one_however_much_text_stands_in_it() -> None:
    notes = "".join(f"<h2><a href='/b/{i}.html'>雷雨天气的第{i}篇笔记</a></h2><p>只有几个字。</p>" for i in range(10, 17))
    markup = f"<title>生活随笔_第18页_ | 某某笔记</title><div><p>生活随笔共 186 篇，都在这里。</p>{TEXT * 30}{notes}</div>"
    assert listed(markup, "http://www.example.cn/list-0-18.html") is PageType.LIST
    assert listed(markup.replace("_第18页_ ", ""), "http://www.example.cn/a/18.html") is PageType.ARTICLE


@each("name", ["index.php?m=content&c=index&a=show&catid=6&id=12", "channel/jy/2024/1123.html"])
@each("info", ["点击：35", "2024-03-05 14:08"])
def test_an_article_is_no_list_for_the_words_of_its_url_and_of_its_channel(name: str, info: str) -> None:
    title = "新学期的作业究竟怎么写"
    markup = f"<title>{title}_教育频道_某某网</title><h1>{title}</h1><div>{info}</div><div>{TEXT.replace('今天', '近日') * 30}</div>{FEW}"
    assert listed(markup, f"http://www.example.cn/{name}") is PageType.ARTICLE


@each("name", ["forum-12-1.html", "forum-12-1-dateline.html", "forum.php?mod=forumdisplay&fid=2", "thread.php?fid=3"])
def test_the_board_of_a_forum_is_a_list_whatever_its_rules(name: str) -> None:
    board = f"<title>家长论坛_某某网</title>{FEW}<h1>家长论坛与家校交流</h1><div>星期四 2024-03-05</div><div>{RULES * 2}</div>"
    assert listed(board, f"http://bbs.example.cn/{name}") is PageType.LIST


@each("name", ["plus/list.php?tid=12", "list.php?tid=12&PageNo=2", "index.php?m=list&tid=12"])
def test_the_number_of_a_channel_makes_no_thread_of_a_list(name: str) -> None:
    assert listed(f"<title>教育新闻_某某网</title>{HEADLINES}", f"http://www.example.cn/{name}") is PageType.LIST
    thread = f"<title>作业_某某网</title>发表于 2024-03-05 14:08{TEXT * 3}{HEADLINES}"
    assert listed(thread, "http://www.example.cn/read.php?fid=3&tid=12") is PageType.FORUM


@each("title", ["家长论坛", "注册会计师考试", "注册心理咨询师协会通知"])
def test_a_list_with_a_box_to_log_in_is_no_login(title: str) -> None:
    box = "<form>用户名<input name=u>密码<input type=password></form>"
    assert listed(f"<title>{title}_某某网</title>{box}{FEW}") is PageType.LIST
    assert listed(f"<title>用户注册_某某网</title>{box}{FEW}") is PageType.LOGIN
    assert listed(f"<title>{title}_某某网</title>{box}") is PageType.LOGIN


def test_a_heading_that_leads_elsewhere_below_the_first_date_makes_no_article_of_a_list() -> None:
    row = "<div>[ 2024-03-{0:02} ]</div><h4><a href='/c/{0}.html'>某地学校的新闻标题写在这里第{0}条</a></h4><p>{1}</p>"
    rows = "".join(row.format(i, DIGEST * 3) for i in range(1, 9))
    head = "<title>某某教育集团</title><div><p>某某教育集团</p></div><ul><li><a href=/a>集团新闻</a></li></ul>"
    assert listed(f"{head}<div>{rows}</div>") is PageType.LIST


def test_a_survey_whose_parts_are_headed_by_links_to_their_sources_is_an_article() -> None:
    parts = "".join(f"<h3><a href='/c/{i}.html'>某地学校的新闻标题第{i}条</a></h3>{TEXT * 2}" for i in range(10, 17))
    survey = f"<title>教育早报：今天的要闻_某某网</title><h1>教育早报：今天的要闻</h1><div>2024-03-05 14:08</div><div>{parts}</div>"
    assert listed(survey, "http://www.example.cn/a/1.html") is PageType.ARTICLE


def test_a_headline_between_the_name_of_a_list_and_its_first_summary_makes_no_article_of_it() -> None:
    row = "<dl><dt><a href='/c/{0}.html'>某地学校的新闻标题第{0}条</a></dt><dd>{1}</dd><dd>2024-3-{0} 20:32</dd></dl>"
    texts = (DIGEST, "老师和家长都说好", "下一步还要推广", DIGEST, "记者了解到", "工作进行了三个月", "校门口装了新灯")
    rows = "".join(row.format(i, text) for i, text in enumerate(texts, 1))
    assert listed(f"<title>某某校园里的资料 - 某某网</title><h1>某某校园里的资料</h1>{rows}") is PageType.LIST


@each("count", ["关注 14.6W 贴子 657.1W", "本页用IE6.0浏览", "总分 98.5%"])
def test_a_decimal_number_is_no_date(count: str) -> None:
    row = "<li><p>读者{0}</p><p>20:{0}</p><a href='/p/5916005{0}'>某地学校的新闻标题写在这里第{0}条</a></li>"
    rows = "".join(row.format(i) for i in range(10, 30))
    assert listed(f"<title>某某学院学生社区</title><p>某某学院学生社区</p><p>{count}</p><ul>{rows}</ul>") is PageType.LIST


@each("count", [4, 12])
def test_headlines_with_channel_and_date_may_head_summaries(count: int) -> None:
    title = "[<a href='/jy/'>教育</a>] <a href='/c/{0}.html'>某地学校的新闻标题第{0}条</a>"
    row = f"<li>{title} 日期：2024-03-05 09:{{0}} 点击：73 好评：0<p>{{1}}</p></li>"
    rows = "".join(row.format(i, DIGEST * 2) for i in range(10, 10 + count))
    assert listed(f"<title>教育新闻_某某网</title><ul>{rows}</ul>") is PageType.LIST


def test_long_answers_with_their_hours_are_no_list() -> None:
    answer = "<p>[某发言人]{0}，学校课后服务的时间要由家长和老师一起商量，商量好了就要认真做到[{1}:05]</p>"
    text = "".join(answer.format("各位记者朋友大家好，课程方案公布以后，各地中小学都在认真落实" * 4, n) for n in range(8, 20))
    page = f"<title>新学期新闻发布会实录_某某网</title><h2>新学期新闻发布会</h2><div>{text}</div>{HEADLINES}"
    assert listed(page, "http://www.example.cn/a/1.html") is PageType.ARTICLE


def test_a_caption_with_its_credit_and_its_date_below_is_an_article() -> None:
    caption = "2月8日，孩子们在学校的操场上踢球。当日，某地中小学开学，孩子们带着作业回到学校。某某社记者 王小明 摄"
    top = "<title>新学期的操场：孩子们回来了_某某网</title><h3>新学期的操场：孩子们回来了</h3><img src=1.jpg>"
    page = f"{HEADLINES}{top}<div><p>{caption}</p></div><div>2024-03-05 14:08 某某社</div>"
    assert listed(page, "http://www.example.cn/a/1.html") is PageType.ARTICLE


def test_lines_of_a_program_in_a_text_are_no_beginnings_of_others() -> None:
    program = "".join(f'docker run -d --name lesson{i} -p 80{i:02}:80 -v /data/lesson{i}:/data lesson/{i}\n' for i in range(12))
    menu = "".join(f"<li><a href=/c/{i}>某某老师写的随笔之{i}</a></li>" for i in range(8))
    post = f"<h1><a href=/p/18>用容器搭一个作业系统</a></h1><div class=post>{TEXT * 6}<pre>{program}</pre></div>"
    page = f"<title>用容器搭一个作业系统 - 某某老师</title><ul>{menu}</ul>{post}<div>posted @ 2024-03-05 14:08</div>"
    assert listed(page, "http://www.example.cn/u/p/18") is PageType.ARTICLE


def test_the_buttons_of_a_player_between_title_and_text_make_no_list_of_a_news_flash() -> None:
    words = ("直播", "倍速", "2.0X", "1.5X", "1.0X", "超清", "高清", "标清", "循环播放", "跳过片头")
    buttons = "".join(f"<li>{word}</li>" for word in words * 2)
    top = "<title>新学期的作业怎么写_某某网</title><h1>新学期的作业怎么写</h1><div>2024-03-05 14:08 来源：某某网</div>"
    flash = f"<div class=content><div class=video-player><ul>{buttons}</ul></div>{TEXT}</div>"
    assert listed(top + flash + HEADLINES, "http://www.example.cn/a/1.html") is PageType.ARTICLE


NOTICES = {
    "lecture": ["讲座题目：人工智能与教育", "主讲人：王小明 教授", "时间：2024年3月8日 14:00", "地点：图书馆报告厅", "主办单位：教育学院"],
    "meeting": ["各部门：", "定于3月8日召开教学工作会议。", "一、会议时间：2024年3月8日14:00", "二、会议地点：第一会议室"],
    "short": ["时间：2024年3月8日（星期五）下午2:00", "地点：图书馆报告厅", "欢迎广大师生参加！"],
}


@each("notice", NOTICES)
@each("info", ["", "<div>发布时间：2024-03-05 来源：教育学院</div>"])
def test_a_notice_keeps_the_time_of_what_it_announces_which_is_no_publication(notice: str, info: str) -> None:
    links = "".join(f"<li><a href='/n/{n}.html'>图书馆延长周末开放时间{n}</a></li>" for n in range(8))
    lines = "".join(f"<p>{line}</p>" for line in NOTICES[notice])
    title = "关于举办一件事情的通知"
    markup = f"<title>{title}_某某大学</title><h1>{title}</h1>{info}<div class=content>{lines}</div><div class=side><ul>{links}</ul></div>"
    page = parse(markup.encode(), "http://www.example.edu.cn/info/1024/12.htm")
    article = extract_article(page, datetime(2024, 6, 15, tzinfo=UTC))
    assert article.text.split("\n") == NOTICES[notice]
    assert (article.published_at and article.published_at.isoformat()) == ("2024-03-05T00:00:00+08:00" if info else None)
    assert page_type_of(page, article, links_of(page)) is PageType.ARTICLE


def test_a_short_text_below_menus_of_headlines_that_lead_to_no_articles_is_one() -> None:
    names = "一二三四五六七八九十甲乙丙丁戊己庚辛"
    menu = "".join(f"<li><a href='/topics/{name}/'>怎样在自己的学校里把{name}这件小事情做好</a></li>" for name in names)
    buttons = "".join(f"<div>收藏到我的夹子{name}</div>" for name in range(24))
    post = f"<h1>用一条命令找到缺少的依赖</h1>{buttons}<div class=post>{TEXT * 3}</div>"
    assert (
        listed(f"<title>用一条命令找到缺少的依赖 - 某某社区</title><ul>{menu}</ul>{post}", "http://www.example.cn/p/18")
        is PageType.ARTICLE
    )


def test_a_dated_notice_that_a_system_is_being_maintained_is_no_error() -> None:
    head = "<title>某某中心</title><p>当前位置：首页 > 通知公告</p><h1>关于报名系统维护暂停服务的通知</h1><div>2024-03-05 14:08</div>"
    text = "<p>因系统维护，报名系统将于3月8日暂停服务，给大家带来的不便敬请谅解。</p><p>某某中心</p>"
    assert kind(f"{head}<div class=content>{text}</div>") is PageType.ARTICLE
    assert kind("<title>某某中心</title><p>系统维护中，请稍后再来。</p>") is PageType.ERROR


def test_a_button_between_title_and_text_is_no_headline_of_a_list() -> None:
    title = "新学期的作业和课后服务怎么安排"
    masthead = f"<title>{title}_某某网</title><div>2024年3月5日</div><h1>{title}</h1>"
    text = "<div><p>某地中小学今天开学，各校都调整了作业和课后服务的安排，家长可以向学校反映情况，老师也会在家访时听取意见。</p></div>"
    larger = "<p><a href='#'>放大图片 / 显示原图</a></p>"
    assert listed(masthead + larger + text + HEADLINES, "http://www.example.cn/a/1.html") is PageType.ARTICLE
    headline = "<p><a href='/a/2.html'>某地中小学今天开学了</a></p>"
    assert listed(masthead + headline + text + HEADLINES, "http://www.example.cn/a/1.html") is PageType.LIST


def test_the_linked_address_of_a_site_before_the_date_of_an_article_makes_no_list() -> None:
    title = "新学期的作业和课后服务怎么安排"
    date = "<div><a href=/>http://www.example.cn</a>2024-03-05某某晚报</div>"
    text = "<div><p>某地中小学今天开学，各校都调整了作业和课后服务的安排，家长可以向学校反映情况，老师也会在家访时听取意见。</p></div>"
    page = f"<title>{title}_某某网</title><h1>{title}</h1>{{}}{text}{HEADLINES}"
    assert listed(page.format(date), "http://www.example.cn/a/1.html") is PageType.ARTICLE
    assert listed(page.format(f"<a href=/a/2.html>{date}</a>"), "http://www.example.cn/a/1.html") is PageType.LIST


def test_headlines_no_longer_than_the_dates_before_them_make_a_list() -> None:
    dated = "".join(f"<li><span>[2024-03-{n} 08:30]</span><a href='/20{n}.html'>安全知识讲座{n}讲</a></li>" for n in range(10, 20))
    house = "某某安全技术有限公司"
    about = "<div><p>地址：某某省某某市某某路某某楼</p><p>电话：010-12345678</p><p>传真：010-12345679</p></div>"
    assert listed(f"<title>{house}</title><ul>{dated}</ul><h3>{house}</h3>{about}", "http://www.example.cn/dongtai.html") is PageType.LIST


def judged(markup: str, url: str = "http://www.a.cn/a/1.html") -> tuple[PageType, float]:
    page = parse(markup.encode(), url, "text/html; charset=utf-8")
    article, links = extract_article(page, MOMENT), links_of(page)
    kind = page_type_of(page, article, links)
    return kind, probability_of(kind, page, article, links)


def article(paragraphs: int, *, info: str = INFO, link_count: int = 0) -> str:
    text = "".join(f"<p>{n}、{SENTENCE}</p>" for n in range(paragraphs))
    links = "".join(f"<li><a href='/a/{n}.html'>另外一篇文章的标题说的是别的事情之{n}</a></li>" for n in range(100, 100 + link_count))
    title = "各地学校举行教育改革座谈会"
    return f"<title>{title}_某某网</title><h1>{title}</h1>{info}<div class=content>{text}</div><div class=side><ul>{links}</ul></div>"


def listing(items: int, *, title: str = "教育新闻频道_某某网") -> str:
    headlines = [f"<a href='/a/{n}.html'>各地学校举行教育改革座谈会第{n}场</a><span>05-0{n % 9 + 1}</span>" for n in range(items)]
    links = "".join(f"<li>{headline}</li>" for headline in headlines)
    return f"<title>{title}</title><ul>{links}</ul>"


def test_a_long_dated_article_is_surer_than_a_short_one_among_many_links() -> None:
    whole, short = judged(article(12)), judged(article(2, link_count=12))
    assert whole == (PageType.ARTICLE, OF_ARTICLES[5])
    assert short[0] is PageType.ARTICLE
    assert short[1] < whole[1]
    assert judged(article(12, info=""))[1] < whole[1]


def test_a_long_list_that_is_named_one_is_surer_than_a_short_one_of_another_name() -> None:
    whole, short = judged(listing(30), "http://www.a.cn/list/"), judged(listing(7, title="各地学校举行教育改革座谈会"))
    assert whole == (PageType.LIST, OF_LISTS[5])
    assert short[0] is PageType.LIST
    assert short[1] < whole[1]


@each(
    ("markup", "kind"),
    [
        ("<title>404 Not Found</title><h1>404</h1>", PageType.ERROR),
        ("<title>用户登录</title><form><input name=u><input type=password></form>", PageType.LOGIN),
        ("<title>关于我们_某某网</title><h1>关于我们</h1><p>某某网关于我们。如需帮助，请与我们联系。</p>", PageType.OTHER),
    ],
)
def test_kinds_of_which_few_pages_were_judged_have_one_probability_each(markup: str, kind: PageType) -> None:
    assert judged(markup) == (kind, OF_OTHERS[kind])


def test_more_signs_are_never_less_probable() -> None:
    assert list(OF_ARTICLES) == sorted(OF_ARTICLES)
    assert list(OF_LISTS) == sorted(OF_LISTS)
    assert 0 < min(*OF_ARTICLES, *OF_LISTS, *OF_OTHERS.values()) <= max(*OF_ARTICLES, *OF_LISTS) < 1

