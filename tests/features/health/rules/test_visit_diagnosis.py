"""What one visit says of its source."""

from newsspider.core.crawling.observations import ListObservation, observe_article, observe_list
from newsspider.core.crawling.visit import Settlement
from newsspider.core.extraction.article import extract_article
from newsspider.core.extraction.dom.page import parse
from newsspider.core.links.page_links import links_of
from newsspider.core.model import ArticleRules, PageType, Reason, State
from newsspider.features.health.rules.states import ADVICE, Health
from newsspider.features.health.rules.visit_diagnosis import visit_health
from tests.support.tables import each

ITEMS = "".join(f'<li><a href="/2026/0501/c{n}.html">教育部发布第{n}号课程改革的文件</a></li>' for n in range(12))
GOOD = f"<body><ul class='news'>{ITEMS}</ul></body>"


def settled(reason: Reason, status: int | None = None, **values):
    return Settlement(State.DONE, reason, status=status, **values)


@each(
    ("settlement", "health"),
    [
        (settled(Reason.POLLED, 200), Health.LIVE),
        (settled(Reason.UNCHANGED, 304), Health.LIVE),
        (settled(Reason.STORED, 200, host_latency=30.0), Health.SLOW),
        (settled(Reason.RETRY, detail="timeout: no answer"), Health.SLOW),
        (settled(Reason.HTTP_STATUS, 403), Health.BLOCKED),
        (settled(Reason.RATE_LIMITED, 429), Health.BLOCKED),
        (settled(Reason.RATE_LIMITED, 503), Health.UNREACHABLE),
        (settled(Reason.HTTP_STATUS, 404), Health.MOVED),
        (settled(Reason.HTTP_STATUS, 301, detail="leads elsewhere, not followed: http://b.cn/"), Health.MOVED),
        (settled(Reason.REDIRECT, 301, detail="http://a.cn/new/"), Health.MOVED),
        (settled(Reason.ROBOTS), Health.ROBOTS_CLOSED),
        (settled(Reason.NO_ROBOTS), Health.ROBOTS_CLOSED),
        (settled(Reason.RETRY, detail="connection: [SSL: CERTIFICATE_VERIFY_FAILED]"), Health.CERTIFICATE),
        (settled(Reason.RETRY, detail="connection: reset by peer"), Health.UNREACHABLE),
        (settled(Reason.DNS, detail="no address"), Health.UNREACHABLE),
        (settled(Reason.UNREADABLE, 200, detail="neither a feed nor a sitemap"), Health.REDESIGNED),
        (settled(Reason.NOT_AN_ARTICLE, 200, kind=PageType.LOGIN), Health.INTERSTITIAL),
    ],
)
def test_a_settlement_says_what_is_wrong(settlement, health):
    visit = visit_health(settlement)
    assert visit is not None
    assert visit.health is health
    assert bool(visit.evidence) is (health is not Health.LIVE)


@each(
    "settlement",
    [settled(Reason.RATE_LIMITED), settled(Reason.RELEASED), settled(Reason.INTERNAL), settled(Reason.RETRY, detail="internal: KeyError")],
)
def test_what_is_not_the_fault_of_the_source_says_nothing(settlement):
    assert visit_health(settlement) is None


def look(markup: str, *regions: str) -> ListObservation:
    page = parse(f"<html><meta charset=utf-8>{markup}</html>".encode(), "http://a.cn/news/")
    return observe_list(page, links_of(page, regions), regions)


@each(
    ("observation", "health"),
    [
        (look(GOOD), Health.LIVE),
        (look(GOOD, "//ul[@class='news']"), Health.LIVE),
        (look(GOOD, "//ul[@class='news']", "//div[@id='old']"), Health.LIVE),
        (look(GOOD, "//div[@id='list']"), Health.RULE_BROKEN),
        (look(GOOD.encode().decode("latin-1")), Health.WRONG_CHARSET),
        (look(GOOD.replace("教育部", "锟斤拷锟斤拷").replace("课程改革的文件", "\ufffd" * 6)), Health.WRONG_CHARSET),
        (look("<body><h1>安全验证</h1><form><input name=code></form></body>"), Health.INTERSTITIAL),
        (look("<body><title>请登录</title><input type=password></body>"), Health.INTERSTITIAL),
        (look("<body><script>location.reload()</script></body>"), Health.INTERSTITIAL),
        (look("<body>" + "<a href='/about/'>关于我们的学校</a>" * 30 + "<p>学校概况</p>" * 90 + "</body>"), Health.REDESIGNED),
        (ListObservation(20, 20), Health.LIVE),
    ],
)  # fmt: skip
def test_the_look_of_a_list_says_what_stands_in_its_place(observation, health):
    assert visit_health(settled(Reason.POLLED, 200), observation).health is health


@each(
    "markup",
    [
        "<body><iframe src='/list.html'></iframe></body>",
        "<frameset><frame src='/list.html'></frameset>",
        "<head><meta http-equiv='refresh' content='0; url=/list.html'></head>",
        "<body><script>location.href='/list.html'</script></body>",
        "<body><a href='/about/'>关于我们</a><iframe src='/list.html'></iframe></body>",
    ],
)
def test_a_page_without_links_is_not_live_though_it_leads_to_others(markup):
    page = parse(f"<html>{markup}</html>".encode(), "http://a.cn/")
    observation = observe_list(page, links_of(page), framed=True)
    assert (observation.articles, observation.guard, observation.elsewhere) == (0, False, True)
    visit = visit_health(settled(Reason.POLLED, 200), observation)
    assert visit.health is Health.REDESIGNED
    assert visit.evidence.endswith(" links, none to an article; it leads to pages that may hold its list")


def test_a_list_with_a_frame_beside_it_is_live():
    page = parse(f"<html><meta charset=utf-8>{GOOD}<iframe src='/ad.html'></iframe></html>".encode(), "http://a.cn/")
    assert observe_list(page, links_of(page), framed=True) == ListObservation(13, 12)


def test_an_article_says_what_it_lacks_and_which_xpaths_it_matches():
    from datetime import UTC, datetime

    text = "".join(f"<p>第{n}所学校的教师和学生参加了今年的教育改革座谈会，会上讨论了课程与招生的安排。</p>" for n in range(9))
    page = parse(f"<html><meta charset=utf-8><body><h1>座谈会举行</h1><div id=x>{text}</div></body></html>".encode(), "http://a.cn/1")
    rules = ArticleRules(body="//div[@id='x']", author="//span[@id='none']")
    observation = observe_article(page, extract_article(page, datetime.now(UTC), rules), rules)
    assert observation.lacks == ("date", "source", "author")
    assert dict(observation.rules) == {"body //div[@id='x']": True, "author //span[@id='none']": False}


def test_every_diagnosis_has_advice():
    assert set(ADVICE) == set(Health)
