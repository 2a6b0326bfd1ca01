"""Which XPaths a site file may hold."""

from newsspider.sites.xpath_checks import xpath_problem
from tests.support.site_files import SMALL, problems
from tests.support.tables import each


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
