"""What robots.txt and META robots allow us, how long an answer holds, and which names and delays are ours."""

from newsspider.core.fetching.robots import (
    CLOSED_SECONDS,
    FRESH_SECONDS,
    SERVES_SECONDS,
    Robots,
    RobotsText,
    answered,
    asked_again_at,
    directives,
    product_token,
    robots_in_force,
)
from tests.support.robots import AGENT, read
from tests.support.tables import each


@each("status", [200, 204])
def test_an_answer_that_is_there_is_obeyed(status):
    robots = read("User-agent: *\nDisallow: /a", status)
    assert not robots.allowed("http://example.cn/a1", AGENT)
    assert robots.allowed("http://example.cn/b", AGENT)


@each("status", [301, 400, 401, 403, 404, 410])
def test_a_robots_txt_that_is_unavailable_allows_all(status):
    assert read("User-agent: *\nDisallow: /", status).allowed("http://example.cn/", AGENT)


@each("status", [None, 429, 500, 503, 599])
def test_a_host_in_trouble_is_not_asked_for_pages(status):
    assert not read("", status).allowed("http://example.cn/", AGENT)


def test_a_host_is_not_asked_for_pages_before_its_robots_txt():
    assert not Robots.read(None).allowed("http://example.cn/", AGENT)


@each("status", [None, 429, 500, 503, 599])
def test_the_last_good_robots_txt_serves_for_30_days_while_asking_again_fails(status):
    good, failed = RobotsText(200, b"x", 1000.0), RobotsText(status, b"", 1000.0 + FRESH_SECONDS)
    assert robots_in_force(good, failed, 1000.0 + SERVES_SECONDS) is good
    assert robots_in_force(good, failed, 1001.0 + SERVES_SECONDS) is failed
    assert robots_in_force(None, failed, failed.fetched_at) is failed


@each("status", [200, 404, 301])
def test_an_answer_replaces_the_last_good_robots_txt_at_once(status):
    good, newest = RobotsText(200, b"x", 1000.0), RobotsText(status, b"", 1001.0)
    assert robots_in_force(good, newest, 1002.0) is newest
    assert robots_in_force(good, None, 1002.0) is good
    assert robots_in_force(None, None, 1002.0) is None


@each(("status", "seconds"), [(200, FRESH_SECONDS), (404, FRESH_SECONDS), (429, CLOSED_SECONDS), (None, CLOSED_SECONDS)])
def test_what_was_answered_is_good_for_a_day_and_what_was_not_for_an_hour(status, seconds):
    assert asked_again_at(RobotsText(status, b"", 1000.0)) == 1000.0 + seconds
    assert answered(status) is (seconds == FRESH_SECONDS)


@each(
    ("text", "delay"),
    [
        ("User-agent: *\nCrawl-delay: 3", 3.0),
        ("User-agent: *\nCrawl-delay: 0.5 # s", 0.5),
        ("User-agent: *\nCrawl-delay: 10s", 10.0),
        ("User-agent: *\nCrawl-delay: 3\nCrawl-delay: 2", 3.0),
        ("User-agent: *\nCrawl-delay: soon", None),
        ("User-agent: *\nCrawl-delay: -1", None),
        ("User-agent: newsspider\nDisallow: /a\nUser-agent: *\nCrawl-delay: 3", None),  # that of another group
        ("User-agent: *\nCrawl-delay: 3\n\nUser-agent: newsspider\nCrawl-delay: 1\nDisallow: /a", 1.0),
    ],
)
def test_the_crawl_delay_is_that_of_our_group(text, delay):
    assert read(text).crawl_delay(AGENT) == delay


@each(
    ("agent", "token"),
    [
        (AGENT, "newsspider"),
        ("NewsSpider", "newsspider"),
        ("Mozilla/5.0 (compatible; FooBot/2.1; +http://example.org)", "foobot"),
        ("Mozilla/5.0 (compatible; FooBot)", "foobot"),
        ("Mozilla/5.0 (X11; Linux) FooBot/1", "mozilla"),
        ("", ""),
    ],
)
def test_the_product_token_is_the_name_of_an_agent(agent, token):
    assert product_token(agent) == token


@each(
    ("values", "expected"),
    [
        ([], set()),
        (["index,follow"], set()),
        (["all"], set()),
        (["NoIndex, NoFollow"], {"noindex", "nofollow"}),
        (["none"], {"noindex", "nofollow"}),
        (["noindex nofollow"], {"noindex", "nofollow"}),
        (["noindex，nofollow"], {"noindex", "nofollow"}),
        (["noindex", "nofollow"], {"noindex", "nofollow"}),
        (["otherbot: noindex"], set()),
        (["otherbot: noindex, nofollow"], set()),
        (["otherbot: noindex, newsspider: nofollow"], {"nofollow"}),
        (["NewsSpider: noindex"], {"noindex"}),
        (["*: noindex"], {"noindex"}),
        (["unavailable_after: 25 Jun 2010 15:00:00 PST"], set()),
        (["unavailable_after: Friday, 25-Jun-10 15:00:00 UTC"], set()),
        (["max-snippet:-1, noarchive"], {"noarchive"}),
    ],
)
def test_directives_are_those_for_everyone_and_for_us(values, expected):
    assert directives(values, AGENT) == expected
