"""How similar sentences are grouped."""

from __future__ import annotations

from newsspider.core.opinions.key_sentences import COMMON, Opinion, Voice, clusters
from newsspider.core.opinions.tendency import Tendency, Verdict

SHARES = {
    Tendency.POSITIVE: (0.8, 0.1, 0.1), Tendency.NEGATIVE: (0.1, 0.1, 0.8), Tendency.NEUTRAL: (0.1, 0.8, 0.1),
    Tendency.UNSURE: (0.3, 0.3, 0.4),
}  # fmt: skip


def opinion(sentence: str, tendency: Tendency, article: int = 1) -> Opinion:
    return Opinion(sentence, Verdict(tendency, SHARES[tendency]), Voice.COMMENT, article)


def test_like_sentences_are_one_group_and_the_largest_comes_first() -> None:
    opinions = [
        opinion("老师很负责，孩子很喜欢。", Tendency.POSITIVE),
        opinion("学校的饭太难吃了！", Tendency.NEGATIVE, 1),
        opinion("学校的饭真的太难吃了。", Tendency.NEGATIVE, 2),
        opinion("会议明天举行。", Tendency.NEUTRAL),
        opinion("说不清楚。", Tendency.UNSURE),
    ]
    groups = clusters(opinions)
    assert [len(group.opinions) for group in groups] == [2, 1]
    assert groups[0].key.sentence == "学校的饭太难吃了！"
    assert {member.article for member in groups[0].opinions} == {1, 2}


def test_like_words_of_the_other_tendency_stay_apart() -> None:
    opinions = [opinion("学校的饭太好吃了！", Tendency.POSITIVE), opinion("学校的饭太难吃了！", Tendency.NEGATIVE)]
    assert len(clusters(opinions)) == 2


def test_a_pair_of_characters_in_too_many_groups_finds_none_of_them() -> None:
    different = [opinion(f"真是{chr(0x4E00 + number)}", Tendency.NEGATIVE) for number in range(COMMON + 1)]
    short = opinion("真是", Tendency.NEGATIVE)
    assert len(clusters([*different[:COMMON], short])) == COMMON
    assert len(clusters([*different, short])) == COMMON + 2
