"""Which words appear in a burst."""

from newsspider.features.events.rules.bursts import burst_weight, expected_articles
from newsspider.features.events.rules.explanations import is_phrase, whole_word
from tests.support.tables import each

DAYS = [100] * 8


@each(
    ("counts", "bursts"),
    [
        ([0, 0, 0, 0, 0, 0, 0, 6], True),  # it is new
        ([2, 1, 3, 2, 2, 1, 2, 12], True),
        ([2, 1, 3, 2, 2, 1, 12, 12], True),  # it goes on
        ([2, 1, 3, 2, 2, 12, 12, 2], False),  # it is over
        ([5, 6, 5, 4, 5, 6, 5, 6], False),
        ([60, 60, 60, 60, 60, 60, 60, 60], False),
        ([0, 0, 0, 0, 0, 0, 0, 0], False),
    ],
)
def test_a_word_bursts_while_it_is_more_frequent_than_its_past_explains(counts, bursts):
    assert (burst_weight(counts, DAYS) > 0) is bursts


def test_more_articles_of_all_kinds_are_no_burst():
    assert burst_weight([2, 2, 2, 20], [100, 100, 100, 1000]) == 0
    assert burst_weight([2, 2, 2, 20], [100, 100, 100, 100]) > 0


def test_a_store_without_a_past_has_no_expectation():
    assert expected_articles([0, 0, 4], [0, 0, 10]) == 0
    assert burst_weight([0, 0, 4], [0, 0, 10]) == 0


def test_a_name_grows_by_what_stands_beside_it_everywhere_but_not_by_what_some_write():
    assert whole_word("星火", ["星火课堂开课", "走进星火课堂", "如何看待星火课堂？"]) == "星火课堂"
    assert whole_word("星火", ["星火课堂开课", "走进星火课堂"]) == "星火"
    assert whole_word("高考", ["高考改革", "高考报名", "谈高考"]) == "高考"


@each(("word", "texts", "whole"), [
    ("课程", ("开设12门课程供学生选择", "有5门课程供学生选择", "30门课程供学生选择"), "课程"),
    ("中小学教师", ("招聘378名中小学教师", "新进20名中小学教师", "表彰66名中小学教师"), "中小学教师"),
    ("细节", ("每个细节都由学生决定", "关注每个细节", "每个细节不放过"), "细节"),
    ("课堂", ("星火课堂开课", "走进星火课堂", "如何看待星火课堂？"), "星火课堂"),
])  # fmt: skip
def test_a_word_grows_to_a_name_and_never_to_a_clause(word: str, texts: tuple[str, ...], whole: str) -> None:
    assert whole_word(word, texts) == whole


@each("clause", ["名中小学教师", "门课程", "课程供学生选择", "不该变味", "以前觉得上职校没面子"])
def test_a_clause_names_nothing(clause: str) -> None:
    assert not is_phrase(clause)
