from hypothesis import given
from hypothesis import strategies as st

from newsspider.core.text.fingerprint import body_md5, normalised


def test_spaces_punctuation_and_width_make_no_difference():
    assert body_md5("２０２４年高考，\n今天 开始！") == body_md5("2024年高考今天开始")


def test_another_letter_is_another_text():
    assert body_md5("高考今天开始") != body_md5("中考今天开始")


@given(st.text())
def test_normalising_twice_changes_nothing(text):
    assert normalised(normalised(text)) == normalised(text)
