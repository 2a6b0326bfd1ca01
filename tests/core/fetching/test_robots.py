"""What robots.txt and META robots allow us, how long an answer holds, and which names and delays are ours."""

import codecs
import re

from hypothesis import given
from hypothesis import strategies as st

from newsspider.core.fetching.robots import (
    CLOSED_SECONDS,
    FRESH_SECONDS,
    READ_BYTES,
    SERVES_SECONDS,
    Robots,
    RobotsText,
    asked_again_at,
    gives_rules,
    product_token,
    robots_directives,
    robots_in_force,
)
from tests.support.robots import AGENT, allowed, read
from tests.support.tables import each

TEXT = "User-agent: *\nDisallow: /教"

GROUPS = """\
User-agent: newsspider
User-agent: otherbot
Disallow: /both/

User-agent: *
Disallow: /
Sitemap: http://example.cn/sitemap.xml

User-agent: NewsSpider/2.0
Allow: /both/open/
Sitemap: http://example.cn/sitemap.xml
"""


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
    assert gives_rules(status) is (seconds == FRESH_SECONDS)


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
    assert robots_directives(values, AGENT) == expected


@each(
    "body",
    [
        codecs.BOM_UTF8 + TEXT.encode(),
        codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
        TEXT.encode().replace(b"\n", b"\0\n"),
    ],
)
def test_byte_order_marks_utf_16_and_nul_survive(body):
    assert not allowed(body, "/%E6%95%99")
    assert allowed(body, "/a")


@each("rule", ["/教".encode("gbk"), b"/%BD%CC", b"/%bd%cc"])
def test_paths_in_gbk_are_told_apart(rule):
    text = b"User-agent: *\nDisallow: " + rule
    assert not allowed(text, "/%BD%CC/1")
    assert allowed(text, "/%D3%FD/1")


def test_500_kib_are_read_and_no_half_rule_is_believed():
    start = "User-agent: *\nDisallow: /a\n"
    filler = "#" * (READ_BYTES - len(start) - len("\nAllow: /") - 1) + "\n"
    text = start + filler + "Allow: /a/deep\nDisallow: /late\n"
    assert len((start + filler + "Allow: /").encode()) == READ_BYTES - 1
    assert not allowed(text, "/a/deep")  # "Allow: /a" at the edge would be as long as the Disallow
    assert allowed(text, "/late")


@given(st.binary(max_size=300), st.text(max_size=20))
def test_no_bytes_break_the_reader(body, path):
    robots = read(body)
    assert robots.allowed(f"http://example.cn/{path}", AGENT) in (True, False)
    assert (robots.crawl_delay(AGENT) or 0) >= 0


def test_garbage_allows_all():
    assert allowed(bytes(range(256)) * 40, "/a")


def test_the_group_of_our_name_replaces_that_of_everyone():
    assert allowed(GROUPS, "/a")
    assert not allowed(GROUPS, "/a", "stranger")


def test_groups_of_one_name_are_merged_and_the_longest_rule_wins():
    assert not allowed(GROUPS, "/both/1")
    assert allowed(GROUPS, "/both/open/1")
    assert not allowed(GROUPS, "/both/open/1", "otherbot")


def test_a_sitemap_is_listed_once_and_ends_no_group():
    assert read(GROUPS).sitemaps == ("http://example.cn/sitemap.xml",)
    assert not allowed("User-agent: newsspider\nSitemap: /s.xml\nDisallow: /", "/")


@each("name", ["news", "newsspiderbot", "spider", "my-newsspider"])
def test_a_name_that_only_looks_like_ours_is_not_ours(name):
    assert allowed(f"User-agent: {name}\nDisallow: /", "/a")


@each(
    ("text", "path"),
    [
        ("User-agent: newsspider\nUnknown: x\nUser-agent: *\nDisallow: /a", "/a"),  # unknown lines end no group
        ("User-agent: newsspider\nCrawl-delay: 5\nUser-agent: *\nDisallow: /a", "/a"),
        ("user agent newsspider\ndisallow /a", "/a"),  # no colon, no hyphen
        ("USER-AGENT : newsspider # us\nDISALLOW : /a # all", "/a"),
        ("User-agent: *\rDisallow: /a\r\rDisallow: /b", "/b"),
        ("User-agent: *\r\nDissallow: /a", "/a"),
        ("\n\n  User-agent: *\n\n  Disallow: /a", "/a"),
        ("User-agent: *\nDisallow: /*.php$", "/x/y.php"),
        ("User-agent: *\nDisallow: *.gif$", "/x/y.gif"),
        ("User-agent: *\nDisallow: /*?", "/x?y=1"),
        ("User-agent: *\nDisallow: /~a", "/%7Ea"),
        ("User-agent: *\nDisallow: /%7ea", "/~a"),
        ("User-agent: *\nDisallow: /教育", "/%e6%95%99%E8%82%B2/1.html"),
        ("User-agent: *\nDisallow: /%E6%95%99", "/教育/"),
    ],
)
def test_rules_are_found_however_they_are_written(text, path):
    assert not allowed(text, path)
    assert allowed(text, "/elsewhere")


@each(
    ("text", "path"),
    [
        ("User-agent: newsspider\nDisallow:\nUser-agent: *\nDisallow: /", "/a"),  # an empty rule makes a group
        ("Disallow: /", "/a"),  # a rule without a group
        ("User-agent:\nDisallow: /", "/a"),
        ("User-agent: *\nDisallow: /a$", "/ab"),
        ("User-agent: *\nDisallow: /A", "/a"),
        ("User-agent: *\nDisallow: /a\nAllow: /a", "/a"),  # equal length: Allow
        ("User-agent: *\nDisallow: /", "/robots.txt"),
        ("<html><body>Disallow: /</body></html>", "/a"),
    ],
)
def test_what_no_rule_forbids_is_allowed(text, path):
    assert allowed(text, path)


@each(
    ("rules", "path", "answer"),
    [
        ("Disallow: /\nAllow: /news/", "/news/1", True),  # the longest rule, wherever it stands
        ("Allow: /news/\nDisallow: /", "/news/1", True),
        ("Allow: /news\nDisallow: /news/old", "/news/old/1", False),
        ("Allow: /news/*/1\nDisallow: /news/x/", "/news/x/1", True),  # a wildcard counts as a character
        ("Disallow: /*/private\nAllow: /", "/a/b/private/c", False),
        ("Disallow: /a*b*c", "/a1b2c3", False),
        ("Disallow: /a*b*c", "/a1c2b3", True),
        ("Disallow: /**", "/x", False),
        ("Disallow: /a$b", "/a$b", False),  # only the last dollar is an end
        ("Disallow: /a$b", "/a", True),
        ("Disallow: /x.html$", "/x.html?y", True),
        ("Disallow: /x.html$", "/x.html", False),
        ("Disallow: $", "/x", True),
        ("Disallow: /?", "/?a", False),
        ("Disallow: /?", "/a", True),
        ("Disallow: /a;b", "/a;b=1", False),
        ("Disallow: /a b", "/a%20b", False),
        ("Disallow: news", "/news", True),  # a rule begins with a slash or a star
        ("Allow:\nDisallow: /", "/news", False),
        ("Disallow: /\nAllow:", "/news", False),
        ("Disallow: /a#b", "/a1", False),  # a comment begins anywhere
        ("Disallow: /A%2fB", "/A/B", True),  # an encoded slash does not separate path segments
        ("Disallow: /%E6%95%99", "/%e6%95%99%E8", False),
        ("Disallow: /\nAllow: /news/index.html", "/news/", True),
    ],
)
def test_rules_match_as_the_rfc_has_it(rules, path, answer):
    assert allowed(f"User-agent: newsspider\n{rules}", path) is answer


@each(
    ("name", "ours"),
    [
        ("newsspider", True), ("NEWSSPIDER", True), ("newsspider/2.1", True), ("newsspider bot", True),  # up to the first blank
        ("news spider", False), ("*", True), ("* bot", True), ("", False), ("newsspider*", False),
    ],
)  # fmt: skip
def test_a_group_is_for_the_product_token_that_its_line_begins_with(name, ours):
    assert allowed(f"User-agent: {name}\nDisallow: /", "/a") is not ours


def test_empty_lines_and_comments_neither_begin_nor_end_a_group():
    text = "# all\n\nUser-agent: a\n\n# us\nUser-agent: newsspider\n\n\nDisallow: /x\n\n#\nDisallow: /y\n"
    assert not allowed(text, "/x")
    assert not allowed(text, "/y")
    assert not allowed(text, "/y", "a")
    assert allowed(text, "/y", "b")


PATTERNS = st.builds("/{}{}".format, st.text("ab*/", max_size=4), st.sampled_from(["", "", "$"]))

RULES = st.lists(st.tuples(st.sampled_from(["allow", "disallow"]), PATTERNS), min_size=1, max_size=4)


@given(RULES, st.text("ab/", max_size=5).map("/{}".format))
def test_the_longest_matching_rule_decides_and_allow_wins_a_draw(rules, path):
    matching = [(len(pattern), field == "allow") for field, pattern in rules if matches(pattern, path)]
    text = "".join(f"{field}: {pattern}\n" for field, pattern in rules)
    assert allowed(f"User-agent: newsspider\n{text}", path) == max(matching, default=(0, True))[1]


def matches(pattern: str, path: str) -> bool:
    """Whether a rule's pattern matches by RFC 9309 section 2.2.3, implemented independently of Protego."""
    expression = ".*".join(re.escape(piece) for piece in pattern.removesuffix("$").split("*"))
    return bool(re.match(expression + ("$" if pattern.endswith("$") else ""), path))

