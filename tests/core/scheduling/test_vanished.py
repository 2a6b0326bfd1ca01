"""When a stored article counts as vanished."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from newsspider.core.extraction.article import extract_article
from newsspider.core.extraction.dom.page import parse
from newsspider.core.extraction.page_type import page_type_of
from newsspider.core.links.page_links import page_links
from newsspider.core.scheduling.vanished import (
    ALONE_TIMES,
    Absence,
    ConfirmationThreshold,
    Missing,
    Signs,
    absence_of_page,
    absence_of_target,
    after_miss,
    after_return,
    next_check_at,
)
from tests.support.tables import each

HOUR = 3600.0
HEADLINES = "".join(
    f"<li><a href='/2026/{n}.html'>各地学校举行教育改革座谈会第{n}场</a><span>2026-11-0{n}</span></li>" for n in range(1, 10)
)
MENU = "<ul><li><a href='/'>首页</a></li><li><a href='/news/'>新闻</a></li><li><a href='/about/'>关于</a></li></ul>"
PATIENCE = ConfirmationThreshold(3, 6 * HOUR)
URL = "http://a.cn/2026/1.html"
OPINION = "会议认为，付费阅读的内容不应进入课堂，教师和家长都同意这一点，学校会照此安排，教育部门会在下个月检查。"
NAMED = "<title>教育座谈会召开</title>"
TITLED = "<h1>教育座谈会召开</h1>" + "<p>会议讨论了课程与考试的安排，各地学校的教师参加了会议。</p>" * 3
TEXT = "<p>教育部门今天召开座谈会，各地学校的教师和学生参加了会议，会上讨论了课程与考试的安排。</p>"


def absence(body: str) -> Absence | None:
    page = parse(f"<html><head><meta charset=utf-8>{body}</html>".encode(), URL)
    article = extract_article(page, datetime(2026, 11, 21, tzinfo=UTC))
    return absence_of_page(page, article, page_type_of(page, article, page_links(page)), "教育座谈会召开")


def seen(*hours: float, signs: bool = True, article: bool = True, earlier: Missing = Missing()) -> Missing:  # noqa: B008 -- frozen
    """The state after misses at these hours; by default the host served a page shortly before each."""
    missing = earlier
    for hour in hours:
        now = hour * HOUR
        missing = after_miss(missing, Signs(now - 60 if signs else None, now - 60 if article else None), now, PATIENCE)
    return missing


@each(
    ("body", "expected"),
    [
        (f"<title>教育座谈会召开</title></head><body><h1>教育座谈会召开</h1>{TEXT * 8}</body>", None),
        ("<title>404 Not Found</title></head><body><h1>404</h1></body>", Absence.SOFT_404),
        ("<title>提示</title></head><body><p>您访问的文章不存在或已被删除</p></body>", Absence.SOFT_404),
        (f"<title>教育新闻首页</title></head><body><ul>{HEADLINES}</ul></body>", Absence.HOME_PAGE),
        ("<title>用户登录</title></head><body><form><input type=password></form></body>", Absence.LOGIN),
        (f"<title>教育座谈会召开</title></head><body><h1>教育座谈会召开</h1>{TEXT * 3}<p>订阅后阅读全文</p></body>", Absence.PAYWALL),
        (f"<title>教育座谈会召开</title></head><body><h1>教育座谈会召开</h1>{TEXT * 3}<a href='/l'>登录后查看更多评论</a></body>", None),
        (f"<title>教育座谈会召开</title></head><body><h1>教育座谈会召开</h1>{TEXT * 30}<p>登录后查看更多评论</p></body>", None),
        (f"{NAMED}</head><body>{TITLED}<div class=login-box><a href='/l'>开通会员后阅读全文</a></div></body>", Absence.PAYWALL),
        (f"{NAMED}</head><body><div class=nav><a href='/vip'>会员专享</a></div>{TITLED}</body>", None),
        (f"{NAMED}</head><body>{TITLED}<div class=footer><p>登录后查看更多内容</p></div></body>", None),
        (f"{NAMED}<script>var tip='开通会员后阅读全文'</script></head><body>{TITLED}</body>", None),
        (f"{NAMED}</head><body>{TITLED}<p>{OPINION}</p></body>", None),
        (f"<title>某市教育网</title></head><body>{MENU}<p>该内容正在复核，请稍候再来。</p></body>", Absence.OTHER),
        (f"{NAMED}</head><body>{MENU}<p>该内容正在复核，请稍候再来。</p></body>", None),
        (f"<title>某市教育网</title></head><body>{MENU}<b>教育座谈会·召开</b><div id=player></div></body>", None),
        ("<title>某市教育网</title></head><body><script>location.reload()</script></body>", Absence.SOFT_404),
    ],
)
def test_a_page_that_came_well_may_be_no_article_any_more(body: str, expected: Absence | None) -> None:
    assert absence(body) is expected


@each(
    ("target", "expected"),
    [
        ("http://www.a.cn/", Absence.HOME_PAGE),
        ("http://a.cn/index.html", Absence.HOME_PAGE),
        ("http://a.cn/Default.aspx", Absence.HOME_PAGE),
        ("http://a.cn/news/", Absence.HOME_PAGE),
        ("http://a.cn/404.html", Absence.SOFT_404),
        ("http://a.cn/error/notfound", Absence.SOFT_404),
        ("http://passport.a.cn/?u=1", Absence.LOGIN),
        ("http://a.cn/user/login?from=x", Absence.LOGIN),
        ("http://a.cn/2026/2.html", None),
        ("https://a.cn/2026/1.html", None),
        ("http://a.cn/?p=404", None),
    ],
)
def test_a_redirect_to_the_front_a_login_or_an_error_page_is_an_absence_to_an_article_is_not(
    target: str, expected: Absence | None
) -> None:
    assert absence_of_target(target, frozenset({"http://a.cn/news/"})) is expected


def test_what_tells_nothing_of_the_article_takes_more_patience() -> None:
    assert PATIENCE.with_what(Absence.NOT_FOUND) == PATIENCE
    assert PATIENCE.with_what(Absence.OTHER) == ConfirmationThreshold(3, 24 * HOUR)


def test_an_article_has_vanished_after_enough_misses_over_enough_hours() -> None:
    assert not seen(0, 3).vanished, "too few"
    assert not seen(0, 1, 2, 3, 4).vanished, "too soon"
    assert seen(0, 3, 6).vanished
    assert seen(0, 3, 6).since == 0


def test_misses_while_the_host_gives_nothing_else_do_not_count() -> None:
    out = seen(0, 3, 6, 9, signs=False, article=False)
    assert (out.misses, out.vanished) == (0, False)
    assert seen(10, 11, earlier=out).since == 10 * HOUR, "the clock starts when the site answers again"


def test_lists_alone_are_a_weak_sign_that_the_site_answers() -> None:
    assert not seen(0, 3, 6, 9, 12, article=False).vanished
    assert seen(0, 3, 6, ALONE_TIMES * 6, article=False).vanished


def test_a_page_that_flickers_must_be_missing_more_often() -> None:
    once = after_return(seen(0, 3))
    assert once == Missing(returned=1)
    assert not seen(10, 13, 16, earlier=once).vanished
    assert seen(10, 12, 14, 16, 18, 20, earlier=once).vanished


def test_the_longer_an_article_is_missing_without_a_sign_the_later_it_is_checked() -> None:
    assert next_check_at(seen(0), 0, PATIENCE) == 3 * HOUR
    out = seen(0, 100, signs=False, article=False)
    assert next_check_at(out, 100 * HOUR, PATIENCE) == 125 * HOUR


@given(st.lists(st.booleans(), max_size=40))
def test_nothing_vanishes_that_was_there_within_the_hours(visits: list[bool]) -> None:
    """One visit an hour; ``True``: it is there."""
    missing, last_there = Missing(), -1
    for hour, present in enumerate(visits):
        if present:
            missing, last_there = after_return(missing) if missing.since is not None else missing, hour
        else:
            missing = after_miss(missing, Signs(hour * HOUR, hour * HOUR), hour * HOUR, PATIENCE)
            assert not missing.vanished or hour - last_there > PATIENCE.seconds / HOUR
