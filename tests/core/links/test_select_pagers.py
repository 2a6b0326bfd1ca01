"""A select field as pager: the page after the chosen one, whatever its options say and its script does."""

from __future__ import annotations

from urllib.parse import urljoin

from newsspider.core.extraction.dom.page import parse
from newsspider.core.links.next_page import next_url
from tests.support.tables import each

URL = "http://jy.example.cn/tzgg/list.html"


def next_of(markup: str, url: str = URL) -> str | None:
    page = parse(f"<html><body><div>{markup}</div></body></html>".encode(), url)
    return next_url(page, [])


def options(label: str, value: str, numbers: range = range(1, 6), chosen: int = 0) -> str:
    return "".join(
        f'<option value="{value.format(n)}"{" selected" if n == chosen else ""}>{label.format(n)}</option>' for n in numbers
    )


@each(
    "label",
    ["{}", "第{}页", "第 {} 頁", "{}/5", "{} / 5", "第{}页/共5页", "第{}页 共5页", "- {} -", "[{}]", "Page {}", "page {} of 5", "{}页"],
)
def test_options_of_every_wording_are_pages(label: str) -> None:
    field = f'<select onchange="location=this.value">{options(label, "list_{}.html", chosen=2)}</select>'
    assert next_of(field) == urljoin(URL, "list_3.html")


@each(
    ("script", "value", "expected"),
    [
        ("location.href='list_'+this.value+'.html'", "{}", "list_4.html"),
        ("location='?page='+this.value", "{}", "?page=4"),
        ("window.location.href = '/tzgg/?p=' + this.options[this.selectedIndex].value;", "{}", "/tzgg/?p=4"),
        ("self.location.href='list'+this[this.selectedIndex].value+'.htm'", "{}", "list4.htm"),
        ("self.location.href=this.options[this.selectedIndex].value", "list_{}.shtml", "list_4.shtml"),
        ("location.href='/tzgg/'+this.value", "list_{}.html", "/tzgg/list_4.html"),
        ("", "?PageNo={}", "?PageNo=4"),
        ("", "/tzgg/{}/", "/tzgg/4/"),
    ],
)
def test_the_url_is_that_of_the_option_or_of_the_script(script: str, value: str, expected: str) -> None:
    field = f'<select onchange="{script}">{options("{}", value, chosen=3)}</select>'
    assert next_of(field) == urljoin(URL, expected)


@each(
    ("form", "name", "expected"),
    [
        ('<form action="/tzgg/list.jsp">', "page", "/tzgg/list.jsp?page=2"),
        ('<form method="GET" action="/s"><input type="hidden" name="cid" value="9">', "pageNo", "/s?cid=9&pageNo=2"),
        ("<form>", "currentPage", "?currentPage=2"),
        ('<form method="post" action="/s">', "page", None),
        ('<form action="/s">', "month", None),
        ("", "page", None),
    ],
)
def test_a_form_sends_the_number(form: str, name: str, expected: str | None) -> None:
    found = next_of(f'{form}<select name="{name}">{options("{}", "{}")}</select>')
    assert found == (expected and urljoin(URL, expected))


@each(
    ("numbers", "chosen", "url", "expected"),
    [
        (range(4, 9), 6, "list_6.html", "list_7.html"),
        (range(4, 9), 0, "list_5.html", "list_6.html"),
        (range(1, 6), 0, "list_3.html", "list_4.html"),
        (range(1, 6), 0, "list.html", "list_2.html"),
        (range(1, 6), 5, "list_5.html", None),
        (range(1, 6), 0, "list_5.html", None),
        (range(4, 9), 0, "list.html", None),
        (range(2019, 2026), 2021, "list_2021.html", None),
    ],
)
def test_the_page_is_that_of_the_mark_or_of_its_url(numbers: range, chosen: int, url: str, expected: str | None) -> None:
    field = f'<select>{options("{}", "list_{}.html", numbers, chosen)}</select>'
    assert next_of(field, urljoin(URL, url)) == (expected and urljoin(URL, expected))


@each(
    "field",
    [
        f'<select name="day">{options("{}", "{}")}</select>',
        f'<select onchange="go(this)">{options("{}月", "/rili/{}.html")}</select>',
        f'<select onchange="location=this.value">{options("{}年", "/{}/", range(2018, 2024), 2020)}</select>',
        f'<select onchange="location=this.value">{options("第{}期", "/qk/{}.html")}</select>',
        f'<select onchange="location=this.value">{options("{}", "http://other.example.net/{}/")}</select>',
        '<select onchange="location=this.value"><option value="/a/">通知</option><option value="/b/">公告</option></select>',
        '<select onchange="location=this.value"><option value="/1/">1</option></select>',
    ],
)
def test_other_choices_are_no_pages(field: str) -> None:
    assert next_of(field) is None
