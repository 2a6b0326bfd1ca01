"""What counts as a change of an article."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from newsspider.core.dates.time_and_zone import SHANGHAI
from newsspider.core.model import Version
from newsspider.core.scheduling.article_changes import (
    MOST_COMPARED,
    Change,
    Edit,
    change_of,
    edits_of,
    find_corrections,
)
from tests.support.samples import article
from tests.support.tables import each

ONE = "第一段说了教育改革的安排。\n第二段说了课程与考试。\n第三段说了家长的看法。\n第四段是结尾的话。"
TEXTS = st.lists(st.sampled_from(["一段话。", "另一段话。", "第三段话。", "阅读 12", "", "（完）"]), max_size=12).map("\n".join)


@each(
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


@each(("before", "after"), [("增长3\n.5%。", "增长3.5%。"), ("气温q-\n5度。", "气温q\n-5度。")])
def test_a_figure_that_is_broken_into_two_lines_is_the_same(before: str, after: str) -> None:
    assert edits_of(before, after) == ()


def test_a_figure_that_is_broken_into_two_lines_is_no_edit_of_a_text_that_changed_elsewhere() -> None:
    (edit,) = edits_of(f"旧的一段。\n{ONE}\n增长3\n.5%。", f"新的一段。\n{ONE}\n增长3.5%。")
    assert edit == Edit(("旧的一段。",), ("新的一段。",))


def test_a_counter_at_the_edge_is_no_text_but_a_number_in_a_sentence_is() -> None:
    assert edits_of(f"{ONE}\n浏览次数：1034", f"{ONE}\n浏览次数：2048") == ()
    assert edits_of(f"{ONE}\n共有34人参加。", f"{ONE}\n共有35人参加。")


@each(
    ("before", "after"),
    [
        ("阅读 12", "阅读 13"), ("浏览次数：1034", "浏览次数：20,480"), ("点击：[12]次", "点击：[345]次"), ("阅读量1.2万", "阅读量 3万"),
        ("12次阅读 3条评论", "13次阅读 4条评论"), ("Views: 12", "Views: 1,345"),
        ("1,024 views", "2,048 views"), ("评论（3）", "评论（14）"),
        ("已有12人点赞", "已有345人点赞"), ("阅读12评论3", "阅读13评论4"),
        ("12阅读 3点赞", "13阅读 4点赞"), ("分享到：微信 收藏 12", "分享到：微信 收藏 9"),
        ("（已阅1034次）", "（已阅2048次）"), ("1034次", "2048次"), ("今天是2026年11月20日", "今天是2026年11月21日"),
        ("现在是：2026-11-20 08:01", "现在是：2026-11-20 09:02"),
        ("2026-11-20 14:06", "2026-11-20 15:07"), ("更新时间：2026-11-20 14:06", "更新时间：2026-11-21 15:07"),
        ("2026年11月20日 14:06:33 星期五", "2026年11月20日 15:07:34 星期五"),
        (f"附件【{'中小学' * 10}评选结果.pdf】已下载1次", f"附件【{'中小学' * 10}评选结果.pdf】已下载2次"),
    ],
)  # fmt: skip
def test_the_numbers_of_counters_and_clocks_at_the_edges_are_no_text(before: str, after: str) -> None:
    assert edits_of(f"{ONE}\n{before}", f"{ONE}\n{after}") == ()
    assert edits_of(f"{before}\n{ONE}", f"{after}\n{ONE}") == ()


@each(
    ("before", "after"),
    [
        ("历史类：438分", "历史类：448分"), ("报名截止：11月30日", "报名截止：12月15日"), ("招生人数：300人", "招生人数：30人"),
        ("咨询电话：010-12345678", "咨询电话：010-87654321"), ("事故造成3人受伤", "事故造成13人受伤"), ("增长：+5%", "增长：-5%"),
        ("一、阅读 40分", "一、阅读 50分"), ("第3次评论员会议", "第4次评论员会议"),
        ("2026年11月20日", "2026年11月21日"), ("会议召开3次", "会议召开4次"),
        ("12 阅读理解", "13 阅读理解"), ("时间：2026年6月7日9:00", "时间：2026年6月8日9:00"), ("下载12月3日的名单", "下载12月5日的名单"),
        ("阅读材料3万字", "阅读材料5万字"), ("今天是第40个教师节", "今天是第41个教师节"),
        ("公众点击率达35%，阅读 12", "公众点击率达45%，阅读 12"),
    ],
)  # fmt: skip
def test_other_numbers_at_the_edges_are_figures_of_the_text(before: str, after: str) -> None:
    assert edits_of(f"{ONE}\n{before}", f"{ONE}\n{after}") == (Edit((before,), (after,)),)
    assert edits_of(f"{before}\n{ONE}", f"{after}\n{ONE}") == (Edit((before,), (after,)),)


def test_a_counter_that_lines_behind_it_move_from_the_edge_is_no_change() -> None:
    before, after = (f"{ONE}\n阅读 12\n" + "\n".join(f"第{n}点。" for n in range(count)) for count in (5, 6))
    assert edits_of(before, after) == (Edit((), ("第5点。",)),)


def test_a_point_or_a_sign_beside_a_number_is_a_change() -> None:
    for before, after in (("3.5万人", "35万人"), ("+5%", "-5%"), ("8:30", "18:30")):
        assert edits_of(ONE.replace("家长", before), ONE.replace("家长", after))


def test_lines_that_the_site_is_known_to_put_around_its_texts_are_no_change() -> None:
    around = ["扫码关注本报", "更多精彩内容请下载客户端"]
    before, after = Version("题", f"{ONE}\n扫码关注本报"), Version("题", ONE)
    assert change_of(before, after).parts == ("text",)
    assert change_of(before, after, around) == Change()


def test_title_and_time_are_kept_apart() -> None:
    early, late = datetime(2026, 11, 1, 8, tzinfo=UTC), datetime(2026, 11, 1, 9, tzinfo=UTC)
    assert change_of(Version("旧题", ONE, early), Version("新题", ONE, early)).parts == ("title",)
    assert change_of(Version("题", ONE, early), Version("题", ONE, late)).parts == ("time",)
    assert change_of(Version("“题”", ONE, early), Version("题", ONE, None)).parts == ()
    assert change_of(Version("", ONE, None), Version("题", ONE, late)).parts == ()


MORNING = datetime(2026, 11, 1, 8, 2, tzinfo=SHANGHAI)


@each(
    ("first", "second", "parts"),
    [
        (timedelta(minutes=-1), timedelta(minutes=-1), ()),
        (timedelta(minutes=2), timedelta(minutes=-6), ()),
        (timedelta(minutes=-1), timedelta(hours=-1), ("time",)),
        (timedelta(hours=-8), timedelta(minutes=-1), ("time",)),
        (timedelta(hours=-8), timedelta(hours=-9), ("time",)),
    ],
)
def test_a_time_that_follows_each_visit_is_a_clock_and_not_a_change(first: timedelta, second: timedelta, parts: tuple[str, ...]) -> None:
    second_visit = MORNING + timedelta(hours=3)
    before, after = Version("题", ONE, MORNING + first, MORNING), Version("题", ONE, second_visit + second, second_visit)
    assert change_of(before, after).parts == parts
    assert change_of(before._replace(read_at=None), after).parts == ("time",)


def test_a_day_that_gains_or_loses_its_minute_is_no_change() -> None:
    day = datetime(2026, 11, 1, tzinfo=SHANGHAI)
    minute, other = day.replace(hour=8, minute=30), day.replace(hour=9)
    assert change_of(Version("题", ONE, day), Version("题", ONE, minute)).parts == ()
    assert change_of(Version("题", ONE, minute.astimezone(UTC)), Version("题", ONE, day)).parts == ()
    assert change_of(Version("题", ONE, minute), Version("题", ONE, other)).parts == ("time",)
    assert change_of(Version("题", ONE, day), Version("题", ONE, minute + timedelta(days=1))).parts == ("time",)


def test_a_long_table_of_equal_cells_is_compared_row_by_row() -> None:
    rows = [f"第{number}号考生王某\n合格" for number in range(600)]
    changed = [row.replace("王某", "李某") if number % 2 else row for number, row in enumerate(rows)]
    edits = edits_of("\n".join(["成绩表", *rows]), "\n".join(["新成绩表", *changed, "完"]))
    assert Edit(("第1号考生王某",), ("第1号考生李某",)) in edits
    lines = [f"{number % 300}号。" for number in range(2400)]
    assert len(edits_of("\n".join(["头", *lines]), "\n".join(["尾", *reversed(lines), "完"]))) >= 1


def test_very_long_texts_are_compared_in_no_time() -> None:
    lines = [f"第{n}段。" for n in range(2 * MOST_COMPARED)]
    other = [f"改第{n}段。" for n in range(2 * MOST_COMPARED)]
    assert len(edits_of("\n".join(lines), "\n".join(other))) == 1
    assert edits_of("\n".join(lines), "\n".join([*lines[:9], "新。", *lines[10:]])) == (Edit(("第9段。",), ("新。",)),)


@given(TEXTS, TEXTS)
def test_what_is_added_one_way_is_removed_the_other(first: str, second: str) -> None:
    assert edits_of(first, first) == ()
    assert bool(edits_of(first, second)) == bool(edits_of(second, first))


@each(
    ("named", "values", "same_bytes", "change", "expected"),
    [
        ({"title"}, {"title": "标题！"}, True, Change(), ("title",)),
        ({"title"}, {"title": "标题！"}, False, Change(), ("title",)),  # no change of the page, but of what is to be stored
        ({"title"}, {"title": "新题"}, False, Change(title=True), ()),  # told already
        ({"published_at"}, {"published_at": None}, False, Change(time=True), ()),
        ({"text"}, {"text": "正文！"}, True, Change(), ("text",)),
        ({"text"}, {"text": "正文！"}, False, Change(), ()),  # may be a counter
        ({"authors", "source"}, {"authors": ("李四",), "source": None}, False, Change(), ("authors", "source")),
        ({"authors"}, {}, False, Change(), ()),
        (set(), {"title": "新题", "authors": ()}, True, Change(), ()),  # the general reader reads otherwise
        ({"crawled_at", "score", "url"}, {"score": 0.1, "url": "http://b.cn/"}, True, Change(), ()),
    ],
)
def test_a_named_field_that_differs_is_a_correction(
    named: set[str], values: dict[str, object], same_bytes: bool, change: Change, expected: tuple[str, ...]
) -> None:
    old = article("http://a.cn/1")
    new = replace(old, named=frozenset(named), **values)
    assert find_corrections(old, new, change, same_bytes=same_bytes) == expected
