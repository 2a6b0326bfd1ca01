"""Numbers from untrusted text."""

from hypothesis import given
from hypothesis import strategies as st

from newsspider.core.text.numbers import whole_number
from tests.support.tables import each


@each("text", [None, "", "²", "③", "½", "Ⅳ", "三", "-1", "+1", "1.0", "1_000", " 1", "9" * 10, "9" * 5000, "0x1", "1e3"])
def test_what_is_no_small_whole_number_is_none(text: str | None) -> None:
    assert whole_number(text) is None


@each(("text", "number"), [("0", 0), ("007", 7), ("999999999", 999_999_999), ("２０２４", 2024), ("٣", 3)])
def test_digits_of_any_width_and_script_are_read(text: str, number: int) -> None:
    assert whole_number(text) == number


@given(st.text())
def test_no_text_raises(text: str) -> None:
    assert whole_number(text) is None or text.isdecimal()
