"""The order by relevance: spellings count alike."""

from __future__ import annotations

import pytest

from newsspider.core.query.ranking import Candidate, ranked
from newsspider.core.query.tree import Text

NOW = 1_800_000_000


@pytest.mark.parametrize(
    ("pattern", "field", "better", "worse"),
    [
        ("教师", "", Candidate("題", "教師和教师", NOW), Candidate("題", "教師和教員工", NOW)),
        ("教师", "", Candidate("教師", "無", NOW), Candidate("无題", "教师", NOW)),
        ("教师", "title", Candidate("教師", "無", NOW), Candidate("无題", "教师教师教师", NOW)),
        ("教师", "anchor", Candidate("題", "無", NOW, anchors="教師"), Candidate("教师", "教师教师", NOW)),
        ("gre", "", Candidate("題", "ＧＲＥ和GRE", NOW), Candidate("題", "GRE和TOE", NOW)),
    ],
)  # fmt: skip
def test_a_pattern_counts_in_its_field_in_whichever_script_width_and_case(pattern, field, better, worse):
    assert ranked([worse, better], [Text((pattern,), field)], NOW) == [1, 0]
