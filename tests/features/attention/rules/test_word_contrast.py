"""Which words one of two groups uses more."""

from hypothesis import given
from hypothesis import strategies as st

from newsspider.features.attention.rules.word_contrast import LEAST_Z, contrasting_words

COUNTS = st.dictionaries(st.sampled_from("甲乙丙丁戊"), st.integers(1, 500))


@given(COUNTS, COUNTS)
def test_the_other_way_round_the_words_change_sides(first: dict[str, int], second: dict[str, int]) -> None:
    there = {one.word: one.z for one in contrasting_words(first, second)}
    back = {one.word: -one.z for one in contrasting_words(second, first)}
    assert {word: round(z, 9) for word, z in there.items()} == {word: round(z, 9) for word, z in back.items()}
    assert all(abs(z) >= LEAST_Z for z in there.values())


def test_equal_groups_have_no_word_of_their_own() -> None:
    counts = {"高考": 300, "志愿": 20, "泄题": 3}
    assert contrasting_words(counts, counts) == []


def test_a_rare_word_needs_more_than_a_common_one() -> None:
    first, second = {"高考": 1000, "泄题": 60, "雨伞": 2}, {"高考": 1000, "食堂": 60, "雨伞": 0}
    assert [one.word for one in contrasting_words(first, second)] == ["泄题", "食堂"]
