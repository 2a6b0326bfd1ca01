"""A question used as a topic."""

from newsspider.core.relevance.scoring import Document, score
from newsspider.features.explore.rules.query_topic import parts_of, profile_of
from tests.support.tables import each


@each(
    ("anchor", "expected"), [("职业教育改革方案", 0.875), ("职业院校的改革", 0.75), ("职业", 0.5), ("足球", 0.0), ("", 0.0)]
)
def test_an_anchor_resembles_a_question_the_more_the_more_of_its_words_it_has(anchor: str, expected: float) -> None:
    assert score(profile_of(["职业教育改革"]), Document(anchor=anchor)).score == expected


def test_a_word_of_one_character_counts_only_where_there_is_no_other() -> None:
    assert parts_of(["的", "高考"]) == ("高考",)
    assert parts_of(["的"]) == ("的",)


def test_latin_words_are_found_in_either_case() -> None:
    assert score(profile_of(["GRE"]), Document(anchor="gre and more")).score == 0.5
