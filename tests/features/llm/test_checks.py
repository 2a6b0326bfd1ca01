"""What a model wrote stands only if it is the beginning of a passage, which its end does not undo."""

import pytest

from bench.words import FALSE, JOINED
from newsspider.features.llm.rules.checks import Cause, cut_of
from newsspider.features.llm.wording import CAUSES
from newsspider.hooks import Passage
from tests.features.llm.injections import INJECTED

PASSAGES = [
    Passage(1, "河东县育才小学食堂昨日起火，3人受伤"),
    Passage(2, "9月3日上午，河东县育才小学食堂起火，造成3名学生轻伤、12人受惊，损失约1.2万元。学校已经复课。"),
    Passage(3, "河东县教育局局长赵慧敏表示，1,200所学校已完成检查，疑似电线老化。"),
    Passage(4, "教育部印发《义务教育，学校管理标准》，共八章，下月施行。"),
]
WHOLE = PASSAGES[2].text
TRUE = [
    ("河东县育才小学食堂昨日起火", 1), ("9月3日上午，河东县育才小学食堂起火。", 2), (PASSAGES[1].text[:-7], 2),
    ("9月3日上午，河东县育才小学食堂起火，造成3名学生轻伤、12人受惊，", 2), (WHOLE, 3), (WHOLE.rstrip("。"), 3),
    ("教育部印发《义务教育，学校管理标准》，共八章。", 4),
]  # fmt: skip
WRONG = [
    ("9月3日上午，河东县育才小学食堂起火，损失约1.2万元。", Cause.OTHER), ("河东县育才小学食堂起火。", Cause.OTHER),
    ("9月3日上午，河东县育才小学食堂起火，造成3名学生轻伤。", Cause.OTHER), ("9月3日上午，河东县育才小学食堂", Cause.OTHER),
    ("9月3日上午，河东县育才小学食堂起火;造成3名学生轻伤、12人受惊。", Cause.OTHER), ("", Cause.OTHER),
    ("9月3日上午，河东县育才\u202e小学食堂起火。", Cause.OTHER), ("9月3日上午，", Cause.LENGTH),
    ("河东县教育局局长赵慧敏表示，1,200所学校已完成检查。", Cause.UNCUT), ("河东县教育局局长赵慧敏表示，1。", Cause.OTHER),
    ("教育部印发《义务教育。", Cause.UNCUT),
]  # fmt: skip


@pytest.mark.parametrize(("text", "article"), TRUE)
def test_a_passage_and_its_beginning_stand(text: str, article: int) -> None:
    cut = cut_of(text, PASSAGES)
    assert isinstance(cut, Passage)
    assert cut.article == article
    assert PASSAGES[article - 1].text.startswith(cut.text)


@pytest.mark.parametrize(("text", "cause"), WRONG)
def test_what_is_no_beginning_or_must_not_be_cut_is_refused_with_its_cause(text: str, cause: Cause) -> None:
    assert cut_of(text, PASSAGES) is cause
    assert set(CAUSES) == set(Cause)


def test_no_figure_doer_condition_denial_or_speaker_is_swapped_or_lost() -> None:
    several = [([true], lie) for true, lie in FALSE] + [(list(true), lie) for *true, lie in JOINED]
    assert [lie for true, lie in several if isinstance(cut_of(lie, list(map(Passage, range(9), true))), Passage)] == []


def test_of_one_sentence_in_two_articles_the_one_that_denies_it_decides() -> None:
    twice = [Passage(1, "高考明年改为六月一日，方案已公布。"), Passage(2, "高考明年改为六月一日，系谣言。")]
    assert cut_of("高考明年改为六月一日。", twice) is Cause.UNCUT
    assert isinstance(cut_of("高考明年改为六月一日。", twice[:1]), Passage)


def test_what_50_injections_ask_for_is_refused() -> None:
    assert len(INJECTED) == 50
    sent = [(Passage(1, PASSAGES[0].text), Passage(2, one["page"])) for one in INJECTED]
    assert [two for one, two in zip(INJECTED, sent, strict=True) if isinstance(cut_of(one["obeyed"], two), Passage)] == []
