"""The verdict of the shipped model, and how similar sentences are grouped."""

from hypothesis import given
from hypothesis import strategies as st

from newsspider.features.events.opinions import criticism_model
from newsspider.features.events.rules.criticism import COMMON_GROUPS, Criticism, Voice, alike
from tests.support.tables import each


def criticises(sentence: str) -> bool:
    return criticism_model().odds(sentence) >= criticism_model().threshold


@each(
    "sentence", ["学校拒不道歉，实在令人失望。", "學校拒不道歉，實在令人失望。", "收费从来不公开，太不合理了。"]
)
def test_what_blames_criticises(sentence: str) -> None:
    assert criticises(sentence)


@each(
    "sentence",
    [
        "老师非常负责，孩子进步很大，全家都很感激。", "教育局公布了优秀教师名单，公示期五天。", "这段山路有77里，他走了多年。",
        "游戏就是幼儿的学习方式。", "考上云川科技大学的赵慧敏回忆道。", "涉嫌虐待学生的教师被刑事拘留。", "严禁以任何名义乱收费。",
    ],
)  # fmt: skip
def test_praise_and_facts_do_not(sentence: str) -> None:
    assert not criticises(sentence)


@given(st.text(max_size=300))
def test_any_text_gets_odds(text: str) -> None:
    assert abs(criticism_model().odds(text)) < 100


def criticism(sentence: str, odds: float = 1.0, article: int = 1) -> Criticism:
    return Criticism(sentence, odds, Voice.COMMENT, article)


def test_like_sentences_are_one_group_with_the_surest_first_and_the_largest_comes_first() -> None:
    others = [criticism("学校的饭真的太难吃了。", article=2), criticism("学校的饭太难吃了！", 2.0)]
    groups = alike([criticism("收费从来不公开。", 3.0), *others])
    assert [len(group) for group in groups] == [2, 1]
    assert [said.article for said in groups[0]] == [1, 2]
    assert groups[0][0].sentence == "学校的饭太难吃了！"


def test_a_pair_of_characters_in_too_many_groups_finds_none_of_them() -> None:
    different = [criticism(f"真是{chr(0x4E00 + number)}", 2.0) for number in range(COMMON_GROUPS + 1)]
    short = criticism("真是")
    assert len(alike([*different[:COMMON_GROUPS], short])) == COMMON_GROUPS
    assert len(alike([*different, short])) == COMMON_GROUPS + 2
