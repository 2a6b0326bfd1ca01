"""Pages of guards, gateways and closed sites are told from news about them."""

from datetime import UTC, datetime

from newsspider.core.extraction.dom.page import parse
from newsspider.core.extraction.guard_page import guard_line
from newsspider.core.model import PageType
from newsspider.pages.read_page import read_page
from tests.support.guard_pages import GUARD_PAGES
from tests.support.tables import each

NOW = datetime(2026, 11, 20, tzinfo=UTC)
ANCHOR = "临江市三所小学课后服务延长到晚上七点"
UNKNOWN = "words that no list has"


def guard_of(markup: str, anchor: str = "") -> str | None:
    """The guard's line; the day in a URL changes nothing."""
    lines = []
    for path in ("info/1001/2415.htm", "2026/1118/c41.html", "art/2026/11/18/art_12_345.html", "202611/t20261118_41.htm"):
        page = parse(f"<meta charset=utf-8>{markup}".encode(), f"http://www.example.cn/{path}")
        lines.append(read_page(page, NOW, anchor=anchor).guard(page, anchor))
    assert len({line is None for line in lines}) == 1, lines
    return lines[0]


def kind_of(markup: str) -> PageType:
    page = parse(f"<meta charset=utf-8>{markup}".encode(), "http://www.example.cn/info/1001/2415.htm")
    return read_page(page, NOW).kind


@each("kind", GUARD_PAGES)
def test_a_page_of_a_guard_is_known_by_its_words_or_by_its_link(kind: str) -> None:
    assert guard_of(GUARD_PAGES[kind], ANCHOR) is not None
    assert (guard_of(GUARD_PAGES[kind]) is None) is (kind == UNKNOWN)
    assert not kind_of(GUARD_PAGES[kind]).stored


@each(
    "markup",
    [
        "<title>访问异常</title><p>您的操作太快了，喝口水再继续。</p>",
        "<title>提示</title><p>您的访问频率过高，请稍后再试。</p>",
        "<title>临江教育网</title><p>该域名已过期，请联系服务商。</p>",
        "<title>错误</title><div>点击过快，请一分钟后刷新</div>",
        "<h1>IP访问受限</h1><p>您的IP（192.0.2.7）因访问次数过多，已被系统暂时限制。</p>",
        "<title>403 Forbidden</title><h1>403 Forbidden</h1><p>openresty</p>",
        "<title>访问被阻断</title><p>由于您访问的URL有可能对网站造成安全威胁，您的访问被阻断。</p><p>您的请求ID是：7b12</p>",
        "<title>云防火墙提示</title><p>当前网址不接受这种浏览方式，如有疑问请拨打热线。</p>",
        "<p>请完成滑动验证后继续浏览</p>",
        "<p>輸入驗證碼之後才能繼續瀏覽本站</p>",
        "<title>正在验证</title><p>正在检查您的网络环境，几秒之后会自动打开。</p>",
        "<title>系统维护</title><p>系统正在升级，晚上八点恢复，敬请期待。</p>",
        "<title>Maintenance</title><p>We are down for maintenance. Back at noon.</p>",
        "<title>提示信息</title><p>网络不给力，点击屏幕重试</p>",
        "<title>网站已关闭</title><p>网站因域名欠费停止解析，请管理员尽快续费。</p>",
        "<h1>Service Temporarily Unavailable</h1><p>Please try again in a few minutes.</p>",
        "<title>Access Denied</title><p>You don't have permission to see this page. Reference #18.4d</p>",
        "<p>We have detected unusual traffic from your network.</p>",
        "<h1>Please verify you are a human</h1><p>Press and hold the button.</p>",
        "<p>This site requires JavaScript to be shown.</p>",
        "<script>eval(function(p,a,c){return p}('1',2))</script>",
        "<p>加载中</p><script>var _0x4f2a=['x'];</script>",
        "<title>创宇盾</title><p>当前网页需要确认身份之后才能打开。</p>",
        "<h1>Error 522</h1><p>The origin took too long.</p>",
        "<title>站点升级</title><h1>本网站正在升级改造，暂时不能打开</h1>",
        "<h1>数据库连接错误</h1>",
    ],
)  # fmt: skip
def test_other_guards_are_known_as_well(markup: str) -> None:
    assert guard_of(markup) is not None


BODY = (
    "<p>临江市教育局今天召开工作会议，部署全市学校的网络安全工作，要求每所学校有专人负责，每周检查一次。</p>"
    "<p>会议指出，去年有三所学校的报名网站在开放当天打不开，家长等了两个小时，今年要提前做好压力测试。</p>"
)


def news(title: str, body: str, info: str = "2026-11-18 来源：临江日报") -> str:
    info = f"<div class=info>{info}</div>" if info else ""
    return f"<title>{title}</title><h1>{title}</h1>{info}<div class=content>{body}</div>"


@each(
    "markup",
    [
        news("三所学校装上网站防火墙", BODY),
        news("人机验证难倒老年教师", "<p>请完成验证后继续，这句话让六十岁的王老师在培训系统前坐了一个下午，学校派了学生来帮忙。</p>"),
        news("系统维护公告", "<p>因系统维护，临江市中考报名平台将于11月20日22:00至次日6:00暂停服务，请考生合理安排时间。</p>"),
        news("关于临江教育考试网暂停服务的公告", "<p>因机房搬迁，本网站于本周六全天暂停服务，周日零时恢复，不便之处敬请谅解。</p>"),
        news("关于暂停服务的通知", "<p>本网站因升级将于本周六全天暂停服务，周日零时恢复。</p>", "发布时间：2026-11-18 10:05:33"),
        news("关于报名系统停机维护的通知", "<p>报名系统正在升级，预计两天之后恢复，请各校互相转告，耐心等候。</p>", ""),
        news("网站升级公告", "<p>本站正在升级改造，新版将于下月一日上线，届时可以查询历年试卷。</p>", "2026年11月18日 来源：网络中心"),
        news("选课日访问过于频繁 教务系统瘫痪两小时", BODY),
        news("502 Bad Gateway：一次选课事故的复盘", BODY),
        news("学校服务器被攻击 警方介入", "<p>该校服务器检测到异常流量，访问被拦截，信息中心连夜修复，学生成绩没有丢失。</p>"),
        news("A 'forbidden' page and the lost marks", "<p>The server said forbidden all week.</p>", "2026-11-18 Source: Campus Daily"),
        news("安全检查", "<p>昨天，各班班主任对教室的门窗、插座和消防器材做了安全检查，发现的问题当天都已修好。</p>", "2026-11-18"),
        news("滑动验证码为什么难倒孩子", BODY * 4, ""),
        news("请稍候，冬天来了", BODY, "2026-11-18"),
    ],
)  # fmt: skip
def test_news_about_guards_and_notices_of_maintenance_stay_articles(markup: str) -> None:
    assert kind_of(markup) is PageType.ARTICLE
    assert guard_of(markup, "阅读全文") is None


@each(
    ("title", "body"),
    [
        ("我校成功处置一起网络攻击", "<p>信息中心昨晚检测到异常访问流量，值班老师及时处置，师生的数据没有损失。</p>"),
        ("系统维护公告", "<p>因服务器升级，本网站将于6月12日22:00至24:00暂停服务，给您带来不便敬请谅解。</p>"),
    ],
)
def test_an_undated_page_with_the_title_of_its_link_is_no_guard(title: str, body: str) -> None:
    markup = news(title, body, "")
    page = parse(f"<meta charset=utf-8>{markup}".encode(), "http://www.example.cn/info/1001/2415.htm")
    reading = read_page(page, NOW, anchor=f"· {title}")
    assert (reading.kind, reading.guard(page, f"· {title}")) == (PageType.ARTICLE, None)
    assert guard_of(markup, ANCHOR) is not None


COOKIE = "<script>var lang = document.cookie.match('lang'); window.onresize = () => location.reload()</script>"


@each(
    "markup",
    [
        f"<title>临江教育云</title>{COOKIE}<div id=app></div><script src=/app.js></script>",
        f"<title>临江教育云</title>{COOKIE}<div class='page' id='root'></div><script src=/app.js></script>",
        f"<title>临江教育云</title>{COOKIE}<div id=\"app\"><p>正在加载，请稍候</p></div>",
        "<title>通知公告</title><a href='/'>首页</a><div class=list>正在加载中，请稍候...</div><script src=/list.js></script>",
        "<title>通知公告</title><a href='/'>首页</a><div class=list>请稍候...</div>",
    ],
)
def test_a_page_that_a_script_fills_is_no_guard(markup: str) -> None:
    page = parse(f"<meta charset=utf-8>{markup}".encode(), "http://www.example.cn/tzgg/")
    assert guard_line(page, None, 1) is None
    assert guard_of(markup) is None


def test_a_page_that_waits_for_a_challenge_is_a_guard() -> None:
    assert guard_of(f"<title>请稍候</title><p>正在加载，几秒之后会自动打开您要看的页面。不用离开，也不用刷新。</p>{COOKIE}") is not None


SHORT = "<p>冬日的阳光照在操场上，孩子们排着队等着跳绳，老师站在旁边数数，笑声传得很远。</p>"


@each(
    ("anchor", "markup"),
    [
        ("", news("操场上的一天", SHORT, "")),
        ("12", news("操场上的一天", SHORT, "")),
        ("详情", news("操场上的一天", SHORT, "")),
        ("点击查看更多详细内容", news("操场上的一天", SHORT, "")),
        ("点击这里阅读全文>>", news("操场上的一天", SHORT, "")),
        ("Read more", news("操场上的一天", SHORT, "")),
        ("实验小学：操场上的…", news("操场上的一天", SHORT, "")),
        ("两百名学生同场比赛，跳绳最快的是她", news("操场上的一天", SHORT, "")),  # a teaser: 跳绳
        ("寒潮来袭各地停课", news("操场上的一天", SHORT, "2026-11-18")),
        ("寒潮来袭各地停课", news("操场上的一天", SHORT, "来源：临江日报")),
        ("寒潮来袭各地停课", news("操场上的一天", SHORT + "<p><img src=/a.jpg></p>", "")),
        ("寒潮来袭各地停课", news("操场上的一天", SHORT * 6, "")),
        ("寒潮來襲各地停課", news("寒潮", SHORT, "")),  # traditional characters
    ],
)  # fmt: skip
def test_a_short_page_is_its_own_unless_it_has_nothing_of_a_link_that_says_something(anchor: str, markup: str) -> None:
    assert guard_of(markup, anchor) is None


@each("anchor", ["寒潮来袭各地停课", "Cold wave closes schools across seven provinces"])
def test_a_short_bare_page_that_has_nothing_of_its_link_is_another_page(anchor: str) -> None:
    assert guard_of(news("操场上的一天", SHORT, ""), anchor) is not None


@each(
    "markup",
    [
        "<title>页面不存在</title><h1>页面不存在</h1><p>您访问的页面已经搬走，五秒之后回到首页。</p>",
        "<h2>该内容已被发布者删除</h2><p>此内容因违规无法查看</p>",
        "<title>404</title><h1>404 Not Found</h1>",
        "<title>提示信息</title><p>抱歉，您访问的文章不存在或已被删除。</p>",
    ],
)
def test_a_page_that_is_gone_is_no_guard(markup: str) -> None:
    assert kind_of(markup) is PageType.ERROR
    assert guard_of(markup, ANCHOR) is None


def test_the_name_of_the_site_says_nothing_of_a_link() -> None:
    assert guard_of("<title>临江教育网</title><p>人太多啦，前面还有 320 位，坐下来等一会儿吧。</p>", "临江市教育局公布秋季招生划片方案")
