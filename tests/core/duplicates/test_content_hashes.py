"""Two bodies are the same if they have the same letters and figures."""

from newsspider.core.duplicates.content_hashes import body_md5
from tests.support.tables import each


def test_spaces_punctuation_and_width_make_no_difference():
    assert body_md5("", "２０２４年高考，\n今天 开始！") == body_md5("", "2024年高考今天开始")


def test_another_letter_is_another_text():
    assert body_md5("", "高考今天开始") != body_md5("", "中考今天开始")


def test_a_short_text_is_another_one_below_another_title():
    notice = "现将名单予以公布，详见附件。"
    assert body_md5("关于公布优秀教师名单的通知", notice) != body_md5("关于公布优秀学生名单的通知", notice)
    assert body_md5("关于公布优秀教师名单的通知", notice) == body_md5(" 关于公布“优秀教师”名单的通知", notice)
    assert body_md5("今日要闻", notice * 20) == body_md5("", notice * 20)


@each("text", ["当日没有安排。", "暂无介绍，欢迎投稿。", "本页需要登录后查看。"])
def test_a_short_text_that_points_nowhere_is_the_same_below_any_title(text):
    assert body_md5("2026年11月3日活动安排", text) == body_md5("实验小学介绍", text)


@each("text", ["详见附件。", "现公布如下：", "1.获奖名单.DOCX", "请下载", "任免名单附后"])
def test_a_short_text_that_points_to_a_file_or_a_list_is_another_one_below_another_title(text):
    assert body_md5("优秀教师评选结果", text) != body_md5("优秀学生评选结果", text)


@each(
    "titles",
    [
        ("1-6年级获奖名单", "7-9年级获奖名单"), ("2024年5号公告", "2024年6号公告"), ("2024年5月通报", "2024年6月通报"),
        ("2024年3月5日通报", "2024年3月6日通报"), ("2023-2024学年课表", "2023-2025学年课表"), ("第3-1批", "第3-2批"),
        ("表3.1", "表3.2"), ("2024-05通报", "2024-06通报"),
    ],
)  # fmt: skip
def test_any_other_number_in_the_title_of_a_short_text_does(titles):
    first, second = (body_md5(title, "详见附件。") for title in titles)
    assert first != second


@each(
    ("first", "second"),
    [
        ("3.5万人", "35万人"), ("增长5%", "增长5"), ("+5%", "-5%"), ("-5%", "5%"), ("5%", "5‰"), ("8:30", "830"), ("1/3", "13"),
        ("2-3天", "23天"), ("3+1+2模式", "312模式"), ("100+", "100"),
    ],
)  # fmt: skip
def test_another_figure_is_another_text(first, second):
    assert body_md5("", f"共有{first}") != body_md5("", f"共有{second}")


@each(
    ("first", "second"),
    [
        ("３．５万人", "3.5万人"), ("５％", "5 %"), ("＋５", "+5"), ("－5", "−5"),
        ("8：30", "8∶30"), ("1—3月", "1-3月"), ("1～3月", "1-3月"),
        ("2026. 今年", "2026，今年"), ("人数：5", "人数 5"), ("——5人", "5人"), ("中考.高考", "中考高考"), ("1,000人", "1000人"),
    ],
)  # fmt: skip
def test_the_same_figure_written_otherwise_is_the_same_text(first, second):
    assert body_md5("", f"共有{first}") == body_md5("", f"共有{second}")
