"""What is a change of an article, and what is none."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsspider.core.revisiting.revision import MOST_COMPARED, Change, Edit, Written, change_of, edits_of

ONE = "第一段说了教育改革的安排。\n第二段说了课程与考试。\n第三段说了家长的看法。\n第四段是结尾的话。"
TEXTS = st.lists(st.sampled_from(["一段话。", "另一段话。", "第三段话。", "阅读 12", "", "（完）"]), max_size=12).map("\n".join)


@pytest.mark.parametrize(
    ("after", "edits"),
    [
        (ONE, ()),
        (ONE.replace("。", "！ "), ()),
        (ONE.replace("第一段", "第１段").replace("１", "一"), ()),
        (ONE.replace("课程与考试", "课程"), (Edit(("第二段说了课程与考试。",), ("第二段说了课程。",)),)),
        (ONE.replace("\n第三段说了家长的看法。", ""), (Edit(("第三段说了家长的看法。",), ()),)),
        (ONE.replace("\n第四段", "\n补上的一段。\n第四段"), (Edit((), ("补上的一段。",)),)),
        (ONE.replace("。\n第二段", "。第二段"), ()),  # other breaks between the same words
    ],
)
def test_paragraphs_that_differ_are_told(after: str, edits: tuple[Edit, ...]) -> None:
    assert edits_of(ONE, after) == edits


def test_a_counter_at_the_edge_is_no_text_but_a_number_in_a_sentence_is() -> None:
    assert edits_of(f"{ONE}\n浏览次数：1034", f"{ONE}\n浏览次数：2048") == ()
    assert edits_of(f"{ONE}\n共有34人参加。", f"{ONE}\n共有35人参加。")


def test_lines_that_the_site_is_known_to_put_around_its_texts_are_no_change() -> None:
    around = ["扫码关注本报", "更多精彩内容请下载客户端"]
    before, after = Written("题", f"{ONE}\n扫码关注本报"), Written("题", ONE)
    assert change_of(before, after).parts == ("text",)
    assert change_of(before, after, around) == Change()


def test_title_and_time_are_kept_apart() -> None:
    early, late = datetime(2026, 11, 1, 8, tzinfo=UTC), datetime(2026, 11, 1, 9, tzinfo=UTC)
    assert change_of(Written("旧题", ONE, early), Written("新题", ONE, early)).parts == ("title",)
    assert change_of(Written("题", ONE, early), Written("题", ONE, late)).parts == ("time",)
    assert change_of(Written("“题”", ONE, early), Written("题", ONE, None)).parts == ()
    assert change_of(Written("", ONE, None), Written("题", ONE, late)).parts == ()


def test_a_long_table_of_equal_cells_is_compared_row_by_row() -> None:
    rows = [f"第{number}号考生王某\n合格" for number in range(600)]
    changed = [row.replace("王某", "李某") if number % 2 else row for number, row in enumerate(rows)]
    found = edits_of("\n".join(["成绩表", *rows]), "\n".join(["新成绩表", *changed, "完"]))
    assert Edit(("第1号考生王某",), ("第1号考生李某",)) in found
    lines = [f"{number % 300}号。" for number in range(2400)]
    assert len(edits_of("\n".join(["头", *lines]), "\n".join(["尾", *reversed(lines), "完"]))) >= 1


def test_very_long_texts_are_compared_in_no_time() -> None:
    lines = [f"第{n}段。" for n in range(2 * MOST_COMPARED)]
    other = [f"改第{n}段。" for n in range(2 * MOST_COMPARED)]
    assert len(edits_of("\n".join(lines), "\n".join(other))) == 1
    assert edits_of("\n".join(lines), "\n".join([*lines[:9], "新。", *lines[10:]])) == (Edit(("第9段。",), ("新。",)),)


@given(TEXTS, TEXTS)
def test_what_is_added_one_way_is_removed_the_other(one: str, other: str) -> None:
    assert edits_of(one, one) == ()
    assert bool(edits_of(one, other)) == bool(edits_of(other, one))
