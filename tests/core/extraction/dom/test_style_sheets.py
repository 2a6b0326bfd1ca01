"""What a page's own style elements hide is not its text, unless something may show it."""

import pytest

from newsspider.core.extraction.dom.page import parse
from newsspider.core.extraction.dom.style_sheets import StyleSheets
from tests.core.extraction.bodies import FOOTER, NAV, PARAGRAPHS, TOP, text_of

MARK = "本文由某某论坛整理。"
# The content of the style element; the attributes of the mark.
HIDDEN = [
    (".kx7{display:none}", 'class="kx7"'),
    (".kx7 { DISPLAY : None !important; }", "class='kx7'"),
    (".kx7{visibility:hidden}", "class=kx7"),
    (".kx7{color:#fff;visibility:collapse;}", 'class="tip kx7"'),
    (".kx7{font-size:0}", 'class="kx7"'),
    (".kx7{font-size:0px;line-height:0}", 'class="kx7"'),
    (".kx7{font-size:0.0em;}", 'class="kx7"'),
    ("#kx7{display:none}", 'id="kx7"'),
    (".a,.b , .kx7\n{ display:none }", 'class="kx7"'),
    ("p{margin:0}/* .kx7{display:block} */.kx7{display:none}", 'class="kx7"'),
    ("<!-- .kx7{display:none} -->", 'class="kx7"'),
    ("@charset 'utf-8';.kx7{display:none}", 'class="kx7"'),
    ("@media screen{.kx7{display:none}}", 'class="kx7"'),
    ("@media all { .kx7 { display:none } }", 'class="kx7"'),
    (".kx7{display:block}.kx7{display:none}", 'class="kx7"'),
    (".kx7{display:none!important}.kx7{display:block}", 'class="kx7"'),
    (".kx7{display:none}.kx8{display:block}", 'class="kx7"'),
    (".kx8{display:block}.kx7{display:none}", 'class="kx8 kx7"'),
    (".a{display:block}#kx7{display:none}.a{display:block}", 'class="a" id="kx7"'),
    (".kx7{display:none}@media print{.kx7{display:block}}", 'class="kx7"'),
    (".kx7{display:none}.kx7 .inner{display:block}", 'class="kx7"'),
    (".kx7{display:none}.kx7{color:red}", 'class="kx7"'),
]
SHOWN = [
    ("@media print{.kx7{display:none}}", 'class="kx7"'),
    ("@media (max-width:600px){.kx7{display:none}}", 'class="kx7"'),
    ("@media screen and (max-width:600px){.kx7{display:none}}", 'class="kx7"'),
    (".kx7{display:none}.kx7{display:block}", 'class="kx7"'),
    (".kx7{display:none}.kx7{display:inline}", 'class="kx7"'),
    (".kx7{display:none}@media screen and (min-width:600px){.kx7{display:inline}}", 'class="kx7"'),
    (".kx7{display:none}.kx7.on{display:block}", 'class="kx7"'),
    (".kx7{display:none}.open .kx7{display:block}", 'class="kx7"'),
    (".kx7{display:none}input:checked~.kx7{display:block}", 'class="kx7"'),
    ("#kx7{display:none}#kx7:target{display:block}", 'id="kx7"'),
    (".kx7{display:none}.kx8{display:inline}", 'class="kx7 kx8"'),
    (".kx7{display:none}#kx8{display:inline}", 'class="kx7" id="kx8"'),
    (".kx7{display:none}", 'class="kx7" style="display:inline"'),
    (".kx7{display:none}", 'class="kx70"'),
    (".kx7{display:none}", 'class="KX8"'),
    (".kx7{display:none}", 'id="kx7"'),
    ("#kx7{display:none}", 'class="kx7"'),
    (".nav .kx7{display:none}", 'class="kx7"'),
    (".kx7:before{display:none}", 'class="kx7"'),
    (".kx7:empty{display:none}", 'class="kx7"'),
    (".kx7.off{display:none}", 'class="kx7"'),
    ("/* .kx7{display:none} */", 'class="kx7"'),
    (".kx7{font-size:0.9em}", 'class="kx7"'),
    (".kx7{overflow:hidden}", 'class="kx7"'),
    (".kx7{backface-visibility:hidden}", 'class="kx7"'),
    (".kx7{opacity:0}", 'class="kx7"'),
    ("@keyframes kx{from{display:none}}", 'class="kx7"'),
    (".kx7{display:none", 'class="kx8"'),
    ("}}}{{{.kx7{", 'class="kx7"'),
]
# What may show a hidden element, somewhere on the page.
SHOWN_BY = [
    "<script>document.getElementById('kx7').style.display='block'</script>",
    "<script>$('.kx7').show()</script>",
    '<script>$(".box .kx7").toggle()</script>',
    '<script>document.querySelectorAll("div.kx7")</script>',
    '<a href="#kx7">更多</a>',
    "<a href=\"javascript:toggle('kx7')\">更多</a>",
    "<button onclick=\"show('kx7')\">更多</button>",
    '<a data-target="#kx7">更多</a>',
    '<label for="kx7">更多</label>',
    '<li aria-controls="kx7">招生简章</li>',
    "<a class=open>展开全文</a>",
    "<span>点击展开剩余部分</span>",
    "<div class=btn>阅读全文</div>",
]


def page_of(css: str, content: str, *, further: str = "", media: str = "") -> str:
    return (
        f"<html><head><style{media}>{css}</style></head><body>{NAV}{TOP}<div class=c>{content}</div>{further}{FOOTER}"
    )


def marked(css: str, element: str, attributes: str, *, further: str = "", media: str = "") -> list[str]:
    """The text of a page with such an element in the middle of each sentence."""
    mark = f"<{element} {attributes}>{MARK}</{element}>"
    content = "".join(f"<p>{text[:9]}{mark}{text[9:]}</p>" for text in PARAGRAPHS)
    return text_of(page_of(css, content, further=further, media=media))


WITH_MARKS = [f"{text[:9]}{MARK}{text[9:]}" for text in PARAGRAPHS]


@pytest.mark.parametrize(("css", "attributes"), HIDDEN)
@pytest.mark.parametrize("element", ["span", "font", "i"])
def test_a_mark_that_a_rule_hides_is_not_of_the_sentence(css: str, attributes: str, element: str) -> None:
    assert marked(css, element, attributes) == PARAGRAPHS


@pytest.mark.parametrize(("css", "attributes"), HIDDEN)
@pytest.mark.parametrize("element", ["p", "div", "section"])
def test_a_paragraph_that_a_rule_hides_is_not_of_the_text(css: str, attributes: str, element: str) -> None:
    mark = f"<{element} {attributes}>{MARK}转载请写明出处，未经许可不得用于其他用途。</{element}>"
    assert text_of(page_of(css, "".join(f"<p>{text}</p>{mark}" for text in PARAGRAPHS))) == PARAGRAPHS


@pytest.mark.parametrize(("css", "attributes"), SHOWN)
def test_what_no_rule_hides_stays(css: str, attributes: str) -> None:
    assert marked(css, "span", attributes) == WITH_MARKS


@pytest.mark.parametrize("css", ["span.kx7{display:none}", "p.a,span.kx7{visibility:hidden}"])
def test_a_rule_for_a_tag_hides_only_that_tag(css: str) -> None:
    assert marked(css, "span", "class=kx7") == PARAGRAPHS
    assert marked(css, "font", "class=kx7") == WITH_MARKS


@pytest.mark.parametrize("further", SHOWN_BY)
def test_what_the_page_may_show_stays(further: str) -> None:
    for css, attribute in ((".kx7{display:none}", "class=kx7"), ("#kx7{display:none}", "id=kx7")):
        assert marked(css, "span", attribute, further=further) == WITH_MARKS


@pytest.mark.parametrize(
    ("media", "shown"),
    [(" media=print", True), (' media="(max-width:600px)"', True), (" media=all", False), (' media="screen"', False)],
)
def test_a_style_element_counts_if_it_is_for_screens(media: str, shown: bool) -> None:
    assert marked(".kx7{display:none}", "span", "class=kx7", media=media) == (WITH_MARKS if shown else PARAGRAPHS)


@pytest.mark.parametrize("at", range(3))
@pytest.mark.parametrize("count", [1, 2, 5])
def test_the_rest_of_a_text_is_never_lost_to_a_rule(at: int, count: int) -> None:
    content = "".join(f"<p>{text}</p>" for text in PARAGRAPHS[:at])
    rest = "".join(f"<p>{text}</p>" for text in PARAGRAPHS[at:] * count)
    content = f"{content}<div class=rest>{rest}</div>"
    hidden = text_of(page_of(".rest{display:none}", content, further="<script src=/a.js></script>"))
    assert hidden == text_of(page_of("", content))


@pytest.mark.parametrize("at", range(len(PARAGRAPHS)))
def test_paragraphs_of_a_class_are_kept_if_the_rest_is_less(at: int) -> None:
    content = "".join(f"<p{' class=rest' if i != at else ''}>{text}</p>" for i, text in enumerate(PARAGRAPHS))
    assert text_of(page_of(".rest{display:none}", content)) == PARAGRAPHS


def test_each_panel_of_a_box_with_tabs_is_read() -> None:
    css = ".panel{display:none}.panel.active{display:block}"
    classes = ["panel active", *["panel"] * (len(PARAGRAPHS) - 1)]
    panels = "".join(
        f"<div class='{class_}'><p>{text}</p></div>" for class_, text in zip(classes, PARAGRAPHS, strict=True)
    )
    assert text_of(page_of(css, panels)) == PARAGRAPHS


def test_a_box_without_a_size_shows_what_is_in_it() -> None:
    text = "".join(f"<p>{text}</p>" for text in PARAGRAPHS)
    assert text_of(page_of(".c{font-size:0}.c p{font-size:16px}", text)) == PARAGRAPHS


@pytest.mark.parametrize("css", ["p{margin:0}", ".a{display:block}", ".a{overflow:hidden}"])
def test_nothing_is_read_where_no_declaration_hides(css: str) -> None:
    page = parse(f"<style>{css}</style><p class=a>x</p>".encode(), "http://www.example.cn/")
    assert not StyleSheets(page).rules
