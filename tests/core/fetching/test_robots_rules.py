"""Which group of a robots.txt applies, and which URLs its rules match."""

import re

from hypothesis import given
from hypothesis import strategies as st

from tests.support.robots import allowed, read
from tests.support.tables import each

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
