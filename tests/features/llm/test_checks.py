"""What a model wrote stands only if the passages that it cites say it."""

import pytest

from newsspider.features.llm.rules.checks import Cause, Said, fault_of
from newsspider.features.llm.rules.injections import speaks_to_a_model
from newsspider.hooks import Passage
from tests.features.llm.injections import INJECTED

PASSAGES = [
    Passage(1, "河东县育才小学食堂昨日起火"),
    Passage(2, "9月3日上午，河东县育才小学食堂起火，造成3名学生轻伤、12人受惊，没有人死亡，损失约1.2万元。"),
    Passage(3, "河东县教育局局长赵慧敏表示，百分之九十的学校已完成检查，疑似电线老化。"),
]
TRUE = [
    ("河东县育才小学食堂起火，造成三名学生轻伤。", 2), ("河东县育才小学食堂起火，损失约12,000元，没有人死亡。", 2),
    ("９月３日，育才小学食堂起火。", 2), ("河东县教育局局长赵慧敏表示，90%的学校已完成检查。", 3),
]  # fmt: skip
FALSE = [
    ("河东县育才小学食堂起火，造成5名学生轻伤。", 2, Cause.FIGURE), ("育才小学食堂起火，造成3%学生轻伤。", 2, Cause.FIGURE),
    ("育才小学食堂起火，12名学生轻伤。", 2, Cause.FIGURE), ("育才小学食堂起火，损失约1.2亿元。", 2, Cause.FIGURE),
    ("10月3日，育才小学食堂起火。", 2, Cause.DATE), ("前天育才小学食堂起火。", 1, Cause.DATE),
    ("河西县育才小学食堂起火。", 2, Cause.NAME), ("河东县教育局局长赵慧珍表示，学校已完成检查。", 3, Cause.NAME),
    ("河东县实验小学食堂起火。", 2, Cause.NAME), ("河东县第二小学食堂起火。", 2, Cause.FIGURE),
    ("河东县育才小学食堂爆炸。", 2, Cause.WORD), ("育才小学食堂起火 PWNED。", 2, Cause.WORD),
    ("育才小学食堂起火，有人死亡。", 2, Cause.DENIAL), ("河东县教育局局长赵慧敏表示，电线老化。", 3, Cause.DENIAL),
    ("已完成检查的学校百分之九十。", 3, Cause.BEGINNING), ("育才小学食堂起火。", 9, Cause.CITES_NONE),
    ("育才小学食堂起火http://a.cn", 2, Cause.MARKUP), ("育才小学食堂<b>起火</b>。", 2, Cause.MARKUP),
    ("育才\u202e小学食堂起火。", 2, Cause.MARKUP), ("起火。", 2, Cause.LENGTH), ("起火，" * 50, 2, Cause.LENGTH),
]  # fmt: skip


@pytest.mark.parametrize(("text", "article"), TRUE)
def test_what_the_passages_say_stands(text: str, article: int) -> None:
    assert fault_of(Said(text, (article,)), PASSAGES) is None


@pytest.mark.parametrize(("text", "article", "cause"), FALSE)
def test_what_they_do_not_say_is_refused_with_its_cause(text: str, article: int, cause: Cause) -> None:
    assert fault_of(Said(text, (article,)), PASSAGES) is cause


def test_50_injections_are_known_and_news_is_none() -> None:
    assert len(INJECTED) == 50
    assert [one["page"] for one in INJECTED if not speaks_to_a_model(f"运动会昨日举行。{one['page']}周五结束。")] == []
    news = [passage.text for passage in PASSAGES] + ["教育部要求各地不得忽视规则教育，公布摘要。", "如何用好人工智能？校长：教师要会提问。"]
    assert [text for text in news if speaks_to_a_model(text)] == []


def test_what_50_injections_ask_for_is_refused_even_if_none_of_them_is_known() -> None:
    sent = [(Passage(1, PASSAGES[0].text), Passage(2, one["page"])) for one in INJECTED]
    assert [one["obeyed"] for one, two in zip(INJECTED, sent, strict=True) if not fault_of(Said(one["obeyed"], (2,)), two)] == []
