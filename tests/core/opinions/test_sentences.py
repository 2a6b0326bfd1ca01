"""How comments and articles are split into sentences."""

from __future__ import annotations

import pytest

from newsspider.core.opinions.sentences import LONGEST, sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("学校停课三天。家长不满！怎么办呢？", ["学校停课三天。", "家长不满！", "怎么办呢？"]),
        ("“太好了！我支持。”一位家长说。", ["“太好了！我支持。”一位家长说。"]),
        ("他说：“孩子很开心。”会议结束了。", ["他说：“孩子很开心。”", "会议结束了。"]),
        ("没有句号的一行\n另外的一行", ["没有句号的一行", "另外的一行"]),
        ("引号“没有关上。后面还有一句。", ["引号“没有关上。", "后面还有一句。"]),
        ("顶\n+1\n？？？", []),
        ("", []),
    ],
)
def test_sentences_end_at_their_marks_and_quotations_stay_whole(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_what_is_too_long_to_be_a_sentence_is_left_out() -> None:
    assert sentences("字" * (LONGEST + 1)) == []
    assert sentences("“" * 5000) == []
