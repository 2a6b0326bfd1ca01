"""Topic terms match in both Chinese scripts."""

from hypothesis import given
from hypothesis import strategies as st

from newsspider.core.relevance.topic import Lexicon
from newsspider.core.text.chinese_characters import plain, simplified
from tests.support.tables import each


@each(
    ("written", "read"),
    [("學校", "学校"), ("課後服務", "课后服务"), ("乾燥的頭髮", "干燥的头发"), ("学校", "学校"), ("", ""), ("GRE 2024", "GRE 2024")],
)
def test_a_traditional_character_is_read_as_its_simplified_one(written: str, read: str) -> None:
    assert simplified(written) == read


@given(st.text())
def test_the_length_stays_and_reading_twice_changes_nothing(text: str) -> None:
    once = simplified(text)
    assert len(once) == len(text)
    assert simplified(once) == once


@given(st.text())
def test_plain_text_has_the_same_length_and_stays_as_it_is(text: str) -> None:
    once = plain(text)
    assert len(once) == len(text)
    assert plain(once) == once


def test_a_term_is_found_in_either_script_at_the_same_place() -> None:
    lexicon = Lexicon([("教师", "教师")])
    assert list(lexicon.find("鄉村教師")) == list(lexicon.find("乡村教师")) == [("教师", 2, 4)]
