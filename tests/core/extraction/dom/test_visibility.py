"""What a page does not show is not its text."""


from newsspider.core.extraction.dom.visibility import hides
from tests.core.extraction.bodies import FOOTER, NAV, PARAGRAPHS, TOP, text_of
from tests.support.tables import each

HIDDEN = [
    'style="display:none"',
    'style="DISPLAY : None"',
    "style='color:red; display:none !important'",
    "style=visibility:hidden",
    'style="Visibility: Hidden;"',
    'style="visibility:collapse"',
    'style="font-size:0"',
    'style="font-size:0px;color:#fff"',
    'style="FONT-SIZE: 0.0em"',
    'style="opacity:0"',
    'style="position:absolute;left:-9999px"',
    'style="text-indent:-999em"',
    'style="height:0;overflow:hidden"',
    'style="overflow: hidden; width: 0; height: 0px"',
    "hidden",
    'hidden="hidden"',
    'class="jammer"',
    'class="tip hidden"',
    "class=hide",
    'class="Hidden"',
    'class="d-none"',
    "class='sr-only'",
    'class="jammer" style="font-size:12px"',
]
SHOWN = [
    'style="display:inline"',
    'style="font-size:0.9em"',
    'style="font-size:10px"',
    'style="overflow:hidden;line-height:0"',
    'style="opacity:0.8"',
    'style="overflow:hidden"',
    'style="position:relative;left:-1px"',
    'style="backface-visibility:hidden"',
    'class="overflow-hidden"',
    'class="hidden md:block"',
    'class="d-none d-md-inline"',
    'class="hidden-xs"',
    'class="hide-on-print"',
    'data-hidden="1"',
    'aria-hidden="false"',
]
MARK = "本文由某某论坛整理，"
INLINE = ["span", "font", "b", "i", "em", "strong", "a", "u", "label"]


def marked(element: str, attribute: str) -> list[str]:
    """The text of a page with such an element in the middle of each sentence."""
    mark = f"<{element} {attribute}>{MARK}</{element}>"
    paragraphs = "".join(f"<p>{text[:9]}{mark}{text[9:]}</p>" for text in PARAGRAPHS)
    return text_of(f"{NAV}{TOP}<div class=c>{paragraphs}</div>{FOOTER}")


@each("attribute", HIDDEN)
def test_a_hidden_mark_inside_a_sentence_is_not_of_it(attribute: str) -> None:
    assert marked("span", attribute) == PARAGRAPHS


@each("element", INLINE)
def test_any_element_may_be_hidden(element: str) -> None:
    assert marked(element, "style='display:none'") == PARAGRAPHS


@each("attribute", SHOWN)
def test_what_is_shown_stays(attribute: str) -> None:
    assert marked("span", attribute) == [f"{text[:9]}{MARK}{text[9:]}" for text in PARAGRAPHS]


@each("element", ["p", "div", "section", "blockquote", "li"])
@each("attribute", HIDDEN)
def test_a_hidden_paragraph_is_not_of_the_text(element: str, attribute: str) -> None:
    mark = f"<{element} {attribute}>{MARK}转载请写明出处，未经许可不得用于其他用途。</{element}>"
    paragraphs = "".join(f"<p>{text}</p>{mark}" for text in PARAGRAPHS)
    assert text_of(f"{NAV}{TOP}<div class=c>{paragraphs}</div>{FOOTER}") == PARAGRAPHS


@each("attribute", HIDDEN)
@each(
    "layout",
    [
        "<div {0}>{1}</div>",
        "<div class=c><div {0}>{1}</div></div>",
        "<div {0}><div class=c>{1}</div><div style='display:none'><p>" + MARK + "未经许可不得转载。</p></div></div>",
    ],
)
def test_a_text_that_a_script_shows_later_is_the_text(layout: str, attribute: str) -> None:
    text = "".join(f"<p>{text}</p>" for text in PARAGRAPHS)
    assert text_of(f"{NAV}{TOP}{layout.format(attribute, text)}{FOOTER}") == PARAGRAPHS


@each("attribute", HIDDEN)
@each("element", ["p", "span"])
def test_paragraphs_that_are_all_hidden_are_the_text(element: str, attribute: str) -> None:
    text = "".join(f"<{element} {attribute}>{text}</{element}><br>" for text in PARAGRAPHS)
    assert text_of(f"{NAV}{TOP}<div class=c>{text}</div>{FOOTER}") == PARAGRAPHS


@each("attribute", ["hidden", "style='display:none'", "class=hide"])
def test_a_page_hidden_as_a_whole_is_read(attribute: str) -> None:
    text = "".join(f"<p>{text}</p>" for text in PARAGRAPHS)
    assert text_of(f"<html><body {attribute}>{NAV}{TOP}<div>{text}</div>{FOOTER}</body></html>") == PARAGRAPHS


def test_a_short_text_is_not_replaced_by_hidden_text() -> None:
    flash = "教育部今天发布通知，要求各地开学后落实课程方案，作业不得过多，家长可以反映情况。"
    hidden = f"<div class=hide>{''.join(f'<p>{text}</p>' for text in PARAGRAPHS)}</div>"
    assert text_of(f"{NAV}{TOP}<div class=c><p>{flash}</p></div>{hidden}{FOOTER}") == [flash]


@each("name", ["id=js_content class=rich_media_content", "class=article"])
def test_one_hidden_sentence_is_the_text_of_a_page_that_shows_none(name: str) -> None:
    flash = "因寒潮来袭，全市中小学明天停课一天，请家长照看好孩子。"
    markup = f"{NAV}{TOP}<p>原创</p><div {name} style='visibility: hidden; opacity: 0;'><p>{flash}</p></div>"
    assert text_of(markup) == [flash]


@each("inner", ["<span style='font-size:16px'>{}</span>", "<font size=3>{}</font>"])
def test_a_box_without_a_size_shows_what_has_one(inner: str) -> None:
    text = "".join(f"<p style='font-size:0'>{inner.format(text)}</p>" for text in PARAGRAPHS)
    assert text_of(f"{NAV}{TOP}<div style='font-size:0'>{text}</div>{FOOTER}") == PARAGRAPHS


def test_styles_that_hide() -> None:
    assert hides("color:red;display:none")
    assert not hides("display:block")


@each("attribute", ['class="hidden-content hide"', 'style="display:none"', "hidden", 'class="d-none more"'])
@each("button", ["展开全文", "点击展开全文", "展开剩余72%", "阅读全文", "查看余下全文", "展开阅读全文"])
def test_the_rest_of_a_text_that_a_button_shows_is_of_it(attribute: str, button: str) -> None:
    shown, rest = (paragraphs(part) for part in (PARAGRAPHS[:2], PARAGRAPHS[2:]))
    link = f"<div class=more><a href='javascript:;'>{button}</a></div>"
    for inner in (f"{shown}<div {attribute}>{rest}</div>{link}", f"{shown}{link}<div {attribute}>{rest}</div>"):
        assert text_of(f"{NAV}{TOP}<div class=c>{inner}</div>{FOOTER}") == PARAGRAPHS


@each("button", ["展开菜单", "查看更多评论", "返回首页", "展开"])
def test_other_buttons_show_no_text(button: str) -> None:
    shown, rest = (paragraphs(part) for part in (PARAGRAPHS[:2], PARAGRAPHS[2:]))
    markup = f"{NAV}{TOP}<div class=c>{shown}<div class=hide>{rest}</div><a href='javascript:;'>{button}</a></div>{FOOTER}"
    assert PARAGRAPHS[2] not in text_of(markup)


def paragraphs(texts: list[str]) -> str:
    return "".join(f"<p>{text}</p>" for text in texts)
