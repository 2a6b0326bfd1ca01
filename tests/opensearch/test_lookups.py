"""The tests of questions, answered by the copy of the index on OpenSearch."""

from tests.search.test_query_relaxation import (
    articles,
    test_a_long_question_is_answered,
    test_a_query_that_cannot_be_read_is_refused,
    test_articles_with_most_words_of_a_question_are_found_the_best_first,
    test_enough_articles_with_fewer_changes_are_shown_as_they_were_asked_for,
    test_explicit_operators_are_not_rewritten,
    test_filters_and_bounds_hold_for_a_question_too,
    test_marks_and_bounds_beside_a_question_are_no_words_of_it,
    test_the_limit_does_not_change_what_is_searched,
    test_words_that_stand_together_as_in_the_question_weigh_more,
)

__all__ = [
    "articles",
    "test_a_long_question_is_answered",
    "test_a_query_that_cannot_be_read_is_refused",
    "test_articles_with_most_words_of_a_question_are_found_the_best_first",
    "test_enough_articles_with_fewer_changes_are_shown_as_they_were_asked_for",
    "test_explicit_operators_are_not_rewritten",
    "test_filters_and_bounds_hold_for_a_question_too",
    "test_marks_and_bounds_beside_a_question_are_no_words_of_it",
    "test_the_limit_does_not_change_what_is_searched",
    "test_words_that_stand_together_as_in_the_question_weigh_more",
]  # fmt: skip
