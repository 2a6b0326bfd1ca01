"""Texts and titles are compared by their letters and figures."""

from hypothesis import given
from hypothesis import strategies as st

from newsspider.core.text.text_comparison import normalise_text, stands_in, title_key
from tests.support.tables import each


@given(st.text(st.sampled_from("05３.．:：∶+＋-－—–~～%％‰/（ ，_a考²⒈¨…\n")))
def test_normalising_figures_twice_changes_nothing_and_spaces_do_not_either(text):
    once = normalise_text(text)
    assert normalise_text(once) == once == normalise_text("".join(text.split()))


@given(st.text())
def test_normalising_twice_changes_nothing(text):
    assert normalise_text(normalise_text(text)) == normalise_text(text)


TITLE = title_key("甲“乙”：ＡＢ课后服务方案，豈有此理一二三")


@each(
    "text",
    ["甲“乙”", "“乙”：AB", "ＡＢ课后服务", "ab课后", "课后服务方案", "\uf900有此理", "豈有此理", "\u2f00二三"],
)
def test_a_text_stands_in_a_title_whatever_signs_and_forms_of_letters_it_begins_with(text: str) -> None:
    assert stands_in(text, TITLE, 2)


@each("text", ["课后方案", "丁课后服务", "方案甲", "“丁”", "", "——"])
def test_another_text_does_not(text: str) -> None:
    assert not stands_in(text, TITLE, 2)
