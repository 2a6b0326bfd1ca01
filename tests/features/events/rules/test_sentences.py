"""How comments and articles are split into sentences."""

from newsspider.features.events.rules.sentences import LONGEST_SENTENCE, split_sentences, stands_alone
from tests.support.tables import each


@each(
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
    assert split_sentences(text) == expected


def test_what_is_too_long_to_be_a_sentence_is_left_out() -> None:
    assert split_sentences("字" * (LONGEST_SENTENCE + 1)) == []
    assert split_sentences("“" * 5000) == []


@each(
    "sentence",
    [
        "食堂的饭菜涨价三成，家长很不满。", "“太好了！我支持。”一位家长说。", "校长王立说：“不收。”", "他人的作业不能抄。",
        "该不该取消月考？", "其实家长早就知道。", "那年冬天，学校停了课。", "老师写了一部小说。", "校门口新修了一条车道。",
        "學校走廊太窄了。", "家长表示，收费不透明。", "也许明年会好。", "该早查的没有查。", "城里来的老师没有任何表示。",
        "学生们穿过人行道。", "不过是换了个名字。",
    ],
)  # fmt: skip
def test_what_says_something_by_itself_stands_alone(sentence: str) -> None:
    assert stands_alone(sentence)


@each(
    "sentence",
    [
        "考上云川科技大学的赵慧敏回忆道。", "家长李先生坦言。", "一位不愿具名的老师告诉记者。", "学生处负责人回应称。", "校长写道。",
        "她放弃了省城的工作。", "“他不配当老师。”家长说。", "该校拒绝回应。", "这让家长寒心。", "這種做法早該取消。", "对此，家长不满。",
        "此举引发争议。", "但没有人道歉。", "然而问题依旧。", "上述做法不合规。", "会议提出以下要求：", "校長表示！", "其做法不妥。",
        "也没有道歉。", "另外，收费也不公开。", "当天无人受伤。",
    ],
)  # fmt: skip
def test_what_points_back_or_only_names_who_spoke_does_not(sentence: str) -> None:
    assert not stands_alone(sentence)
