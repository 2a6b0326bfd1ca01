"""Topic terms match in both Chinese scripts; characters that are unsafe to print are removed from text."""

import sys
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from newsspider.core.relevance.term_lexicon import Lexicon
from newsspider.core.text.characters import fold_text, one_line, printable_text, to_simplified
from tests.support.characters import BIDI
from tests.support.tables import each


@each(
    ("written", "read"),
    [("學校", "学校"), ("課後服務", "课后服务"), ("乾燥的頭髮", "干燥的头发"), ("学校", "学校"), ("", ""), ("GRE 2024", "GRE 2024")],
)
def test_a_traditional_character_is_read_as_its_simplified_one(written: str, read: str) -> None:
    assert to_simplified(written) == read


@given(st.text())
def test_the_length_stays_and_reading_twice_changes_nothing(text: str) -> None:
    once = to_simplified(text)
    assert len(once) == len(text)
    assert to_simplified(once) == once


@given(st.text())
def test_plain_text_has_the_same_length_and_stays_as_it_is(text: str) -> None:
    once = fold_text(text)
    assert len(once) == len(text)
    assert fold_text(once) == once


def test_a_term_is_found_in_either_script_at_the_same_place() -> None:
    lexicon = Lexicon([("教师", "教师")])
    assert list(lexicon.find("鄉村教師")) == list(lexicon.find("乡村教师")) == [("教师", 2, 4)]


@each("code", [*range(9), *range(11, 32), *range(0x7F, 0xA0), *BIDI, 0x2028, 0x2029, 0xFFFE, 0xFFFF, 0xD800, 0xDFFF])
def test_characters_that_a_terminal_obeys_or_that_reorder_a_line_are_dropped(code: int) -> None:
    assert printable_text(f"高考{chr(code)}报名") == "高考报名"


@each("text", ["高考报名", "a\tb\nc", "全角\u3000空格", "a\u00a0b", "👩\u200d🏫", "é", "𠮷野家", "\ue001"])
def test_all_other_characters_stay(text: str) -> None:
    assert printable_text(text) == text


def test_no_control_character_or_surrogate_of_unicode_is_left_out() -> None:
    unwanted = [chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) in ("Cc", "Cs", "Zl", "Zp")]
    assert printable_text("".join(unwanted)) == "\t\n"


@given(st.text())
def test_a_printable_text_is_one_already(text: str) -> None:
    assert printable_text(printable_text(text)) == printable_text(text)
    printable_text(text).encode()


@given(st.text(), st.integers(1, 20))
def test_one_line_is_one_line_and_no_longer(text: str, longest: int) -> None:
    line = one_line(text, longest)
    assert len(line) <= longest
    assert len(line.splitlines()) <= 1
    assert line == line.strip()


def test_a_dropped_character_leaves_one_space() -> None:
    assert one_line("a \x07 b\x1cc\u2028d", 20) == "a b c d"
