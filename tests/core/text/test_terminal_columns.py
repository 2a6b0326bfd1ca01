"""Texts in the columns of a terminal."""

from hypothesis import given
from hypothesis import strategies as st

from newsspider.core.text.terminal_columns import NEVER_FIRST, NEVER_LAST, column_count, cut_to_columns, wrap_text
from tests.support.tables import each

TEXT = st.text(alphabet="高考改革志愿，。！？、；：（）“”《》…—ab12., (", max_size=300)


@each(
    ("text", "width", "lines"),
    [
        ("", 10, []),
        (" 　\t", 10, []),
        ("高考改革", 8, ["高考改革"]),
        ("高考改革，志愿", 8, ["高考改", "革，志愿"]),  # a comma stays with the character before it
        ("高考改（革）方案", 8, ["高考改", "（革）方", "案"]),  # a bracket with the one behind it
        ("他说：“好！”", 10, ["他说：", "“好！”"]),
        ("高考2026年改革", 8, ["高考2026", "年改革"]),
        ("高考改university改革", 12, ["高考改", "university改", "革"]),  # words stay whole
        ("one two three", 8, ["one two", "three"]),
        ("等等……是的", 6, ["等等……", "是的"]),
        ("高考 ，改革", 6, ["高", "考 ，", "改革"]),
        ("见http://a.cn/0123456789。", 10, ["见", "http://a.c", "n/01234567", "89。"]),
    ],
)
def test_a_paragraph_is_broken_where_chinese_text_may_be(text, width, lines):
    assert list(wrap_text(text, width)) == lines


@given(TEXT)
def test_no_line_is_too_long_and_nothing_is_lost(text):
    lines = list(wrap_text(text, 20))
    assert all(0 < column_count(line) <= 20 for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


@given(st.lists(st.sampled_from(["高考", "，", "。", "（改革）", "“志愿”", "exam ", "2026", "《通知》、"]), max_size=80))
def test_no_line_begins_with_a_closing_mark_or_ends_with_an_opening_one(parts):
    text = "高" + "高".join(parts)
    lines = list(wrap_text(text, 20))
    assert not [line for line in lines if line[0] in NEVER_FIRST or line[-1] in NEVER_LAST]


@given(TEXT, st.integers(2, 40))
def test_a_cut_text_fits(text, width):
    assert column_count(cut_to_columns(text, width)) <= width
