"""The order by relevance: spellings count alike."""

from hypothesis import given
from hypothesis import strategies as st

from newsspider.core.query.query_tree import Text
from newsspider.core.query.ranking import RankedHit, _occurrences, mix_groups, rank_places
from newsspider.core.text.characters import fold_text
from newsspider.core.text.tokenizer import units_of_text
from tests.support.tables import each

NOW = 1_800_000_000


@each(
    ("pattern", "field", "better", "worse"),
    [
        ("教师", "", RankedHit("題", "教師和教师", NOW), RankedHit("題", "教師和教員工", NOW)),
        ("教师", "", RankedHit("教師", "無", NOW), RankedHit("无題", "教师", NOW)),
        ("教师", "title", RankedHit("教師", "無", NOW), RankedHit("无題", "教师教师教师", NOW)),
        ("教师", "anchor", RankedHit("題", "無", NOW, anchors="教師"), RankedHit("教师", "教师教师", NOW)),
        ("gre", "", RankedHit("題", "ＧＲＥ和GRE", NOW), RankedHit("題", "GRE和TOE", NOW)),
    ],
)  # fmt: skip
def test_a_pattern_counts_in_its_field_in_whichever_script_width_and_case(pattern, field, better, worse):
    order = rank_places([worse, better], [Text((pattern,), field)], NOW)
    assert [place for place, _ in order] == [1, 0]


@each(
    ("groups", "screen", "most", "expected"),
    [
        ("", 4, 2, ""),
        ("abc", 4, 2, "abc"),
        ("aaaaaaaa", 4, 2, "aaaaaaaa"),
        ("aaaabbbb", 4, 2, "aabbaabb"),
        ("aaaaabbc", 4, 2, "aabbaaca"),
        ("aaaaaaaabcdef", 4, 1, "abcdaaefaaaaa"),
    ],
)
def test_no_group_fills_a_screen_while_others_are_left(groups, screen, most, expected):
    places = mix_groups(groups, screen, most, len(groups))
    assert sorted(places) == list(range(len(groups)))
    assert "".join(groups[place] for place in places) == expected
    assert [mix_groups(groups, screen, most, enough) for enough in (0, 3)] == [[], places[:3]]


def test_a_screen_of_a_long_list_takes_no_longer_than_to_read_it():
    class Counted(list):
        read = 0

        def __getitem__(self, place):
            Counted.read += 1
            return super().__getitem__(place)

    groups = Counted(["a"] * 20_000)
    assert mix_groups(groups, 10, 3, 40) == list(range(40))
    assert Counted.read < 20 * len(groups)


@given(st.text("发發髮展aAＡａkKＫ\u212aiİé É2２，", max_size=20), st.text("发展發aAkİ2é", min_size=1, max_size=2))
def test_a_pattern_is_counted_as_often_as_in_plain_text(text, pattern):
    for unit in units_of_text(pattern):
        assert _occurrences(unit, text)(text) == fold_text(text).count(unit)
