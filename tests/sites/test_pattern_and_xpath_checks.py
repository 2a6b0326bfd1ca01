"""Which patterns, XPaths and rules a site file may hold: none that an untrusted page can make run forever."""

import pytest

from newsspider.core.links.script_lists import items_problem
from newsspider.features.console.site_edits import with_rules
from newsspider.sites.loader import SiteError
from newsspider.sites.model import from_home
from newsspider.sites.pattern_and_xpath_checks import pattern_problem, xpath_problem
from tests.support.site_files import SMALL, problems
from tests.support.tables import each

ENDLESS = (
    "(a+)+$", "(a*)*b", "(?:a|ab|b)*c", "((a{1,9})b?)+", "(?=(a+)+b)", "(x)?((a+)+b)", "(a{0,99}){0,99}",
    "(" * 900 + ")" * 900, "a{99999999999999999999}",
)  # fmt: skip


@each("pattern", ENDLESS)
def test_a_pattern_that_may_take_for_ever_is_refused(pattern):
    assert pattern_problem(pattern)


@each("pattern", [r"/\d{4}-\d\d/\d+\.s?html?$", "(?:content|art)_[0-9]+", r"(?:/\d\d){3}/", "(?:a|b)+/c"])
def test_ordinary_url_patterns_are_accepted(pattern):
    assert pattern_problem(pattern) == ""


def test_a_rule_that_is_too_deep_or_too_long_is_named():
    assert items_problem("[" * 1000 + "a" + "]" * 1000)
    assert "1073741824 copies" in items_problem("[@,@]|" * 30 + "[]")
    site = from_home("http://x.cn/")
    long = {"items": "a" * 2001, "title": "//a" * 700, "regions": "//b" * 700, "article_url": "a" * 2001}
    with pytest.raises(SiteError) as refused:
        with_rules(site, long | {"channel": site.channels[0].name})
    assert len(refused.value.problems) == 4


SECTIONS = ", ".join(f"data.s{number}[].{{title: t, url: u, date: d}}" for number in range(7))


@each("items", [
    "data[].{title: title, url: join('', ['/news/', to_string(id), '.html'])}", f"[{SECTIONS}][]", "data[1:5][?url]",
    '`{"type": "multi_select_list"}` || list', '`[{"type": "multi_select_list", "children": 5}]`',
])  # fmt: skip
def test_a_jmespath_with_sections_slices_or_literals_is_accepted(items):
    assert items_problem(items) == ""


@each("xpath", [
    "//*[count(//*[count(//*[count(//*[count(//*)>0])>0])>0])>0]", "//*[../*[../*[../*]]]", "//*[/html/*[/html/*]]",
    "//*[id('d')/*[id('d')/*]]", "//*[following :: *[preceding::*]]", "//*[1 and/html[1 and/html]]", "//*[2*/html[2*/html]]",
    "//p[" + "not(" * 100 + "a" + ")" * 100 + "]",
])  # fmt: skip
def test_an_xpath_that_grows_with_each_level_is_refused_unevaluated(xpath):
    assert "too many predicates" in xpath_problem(xpath)


@each(
    "xpath",
    [
        "//p[foo(.)]",
        "//div[@class='never']/p[foo(.)]",
        "//div[@class='never' and string-length(., 3) > 1]",
        "//p[position(1)]",
        "//p[$x]",
        "//p[x:y]",
        "//div[@class='never'][count('a') = 1]",
        "//div[@class='never'][a[b[foo()]]]",
        "string(//p, 3)",
        "count(//p)",
        "//p = 'x'",
        "//namespace::*",
        "re:test(//p, 'x')",
    ],
)
def test_an_xpath_that_would_fail_on_a_page_is_refused(xpath):
    assert xpath_problem(xpath)
    text = SMALL.replace("[[channels]]", f'[xpaths]\nbody = """{xpath}"""\n[[channels]]')
    ((key, reason),) = problems(text)
    assert key == "xpaths.body"
    assert xpath in reason


@each(
    "xpath",
    [
        "//div[@class='a[b](c)' or text()=\"don't (\"]",
        "//div[@class='never'][last()]/following-sibling::*[position() < 3]//text()[normalize-space()]",
        "//a[contains(concat(' ', @class, ' '), ' x ')] | //table//tr[td[2]]/td[1 + 1]",
        "string(//meta[@name='author']/@content)",
        "substring-after(//span[contains(., '来源：')], '：')",
        "//p[count(a) < 2 and not(ancestor::footer)]",
        "//comment()/parent::node()",
        "id('text')",
    ],
)
def test_valid_xpaths_are_accepted(xpath):
    assert xpath_problem(xpath) == ""


@each("xpath", ["//a/@href", "//p/text()", "string(//a)"])
def test_a_region_is_made_of_elements(xpath):
    assert xpath_problem(xpath) == ""
    assert "selects no elements" in xpath_problem(xpath, elements=True)
