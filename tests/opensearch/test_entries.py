"""The tests of what indexes find and of pages, answered by the copy of the index on OpenSearch."""

import pytest

from tests.search.test_paging import (
    test_a_search_says_where_its_next_page_begins,
    test_what_is_stored_meanwhile_moves_nothing,
)
from tests.store.index.test_anchors import test_other_words_than_the_title_are_found_in_their_field_alone
from tests.store.index.test_entries import (
    test_hundreds_of_articles_of_one_moment_are_found_by_their_moment,
    test_moments_bound_what_is_found,
    test_random_phrases_are_found_exactly_revisions_included,
    test_random_trees_of_short_words_find_what_the_tree_says,
    test_what_is_asked_for_is_found_the_latest_first,
)
from tests.support.texts import fill

__all__ = [
    "test_a_search_says_where_its_next_page_begins",
    "test_hundreds_of_articles_of_one_moment_are_found_by_their_moment",
    "test_moments_bound_what_is_found",
    "test_other_words_than_the_title_are_found_in_their_field_alone",
    "test_random_phrases_are_found_exactly_revisions_included",
    "test_random_trees_of_short_words_find_what_the_tree_says",
    "test_what_is_asked_for_is_found_the_latest_first",
    "test_what_is_stored_meanwhile_moves_nothing",
]  # fmt: skip


@pytest.fixture
def several(conn):
    """The connection of the copy, with the articles of the tests of paging."""
    fill(conn)
    return conn
