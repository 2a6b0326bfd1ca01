import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsspider.core.text.fingerprint import body_md5, normalised


def test_spaces_punctuation_and_width_make_no_difference():
    assert body_md5("", "２０２４年高考，\n今天 开始！") == body_md5("", "2024年高考今天开始")


def test_another_letter_is_another_text():
    assert body_md5("", "高考今天开始") != body_md5("", "中考今天开始")


def test_a_short_text_is_another_one_below_another_title():
    notice = "现将名单予以公布，详见附件。"
    assert body_md5("关于公布优秀教师名单的通知", notice) != body_md5("关于公布优秀学生名单的通知", notice)
    assert body_md5("关于公布优秀教师名单的通知", notice) == body_md5(" 关于公布“优秀教师”名单的通知", notice)
    day, other, next_year = (body_md5(f"{day}活动安排", notice) for day in ("2026年11月3日", "2026年12月13日", "2027年11月3日"))
    assert day == other != next_year
    assert body_md5("今日要闻", notice * 20) == body_md5("", notice * 20)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("3.5万人", "35万人"), ("增长5%", "增长5"), ("+5%", "-5%"), ("-5%", "5%"), ("5%", "5‰"), ("8:30", "830"), ("1/3", "13"),
        ("2-3天", "23天"), ("3+1+2模式", "312模式"), ("100+", "100"),
    ],
)  # fmt: skip
def test_another_figure_is_another_text(one, other):
    assert body_md5("", f"共有{one}") != body_md5("", f"共有{other}")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("３．５万人", "3.5万人"), ("５％", "5 %"), ("＋５", "+5"), ("－5", "−5"),
        ("8：30", "8∶30"), ("1—3月", "1-3月"), ("1～3月", "1-3月"),
        ("2026. 今年", "2026，今年"), ("人数：5", "人数 5"), ("——5人", "5人"), ("中考.高考", "中考高考"), ("1,000人", "1000人"),
    ],
)  # fmt: skip
def test_the_same_figure_written_otherwise_is_the_same_text(one, other):
    assert body_md5("", f"共有{one}") == body_md5("", f"共有{other}")


@given(st.text(st.sampled_from("05３.．:：∶+＋-－—–~～%％‰/（ ，_a考²⒈¨…\n")))
def test_normalising_figures_twice_changes_nothing_and_spaces_do_not_either(text):
    once = normalised(text)
    assert normalised(once) == once == normalised("".join(text.split()))


@given(st.text())
def test_normalising_twice_changes_nothing(text):
    assert normalised(normalised(text)) == normalised(text)
