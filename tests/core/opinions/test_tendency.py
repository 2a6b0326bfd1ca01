"""The verdict of the shipped model: what it says, and why."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsspider.core.opinions.tendency import TENDENCIES, Tendency
from newsspider.topics.opinions import tendency_model


@pytest.mark.parametrize(
    ("sentence", "tendency"),
    [
        ("老师非常负责，孩子进步很大，全家都很感激。", Tendency.POSITIVE),
        ("學校拒不道歉，實在令人失望。", Tendency.NEGATIVE),
        ("教育局公布了优秀教师名单，公示期五天。", Tendency.NEUTRAL),
    ],
)
def test_plain_sentences(sentence: str, tendency: Tendency) -> None:
    assert tendency_model().judge(sentence).tendency is tendency


def test_a_model_that_is_not_sure_abstains() -> None:
    strict = replace(tendency_model(), threshold=1.01)
    verdict = strict.judge("老师非常负责，孩子进步很大，全家都很感激。")
    assert verdict.tendency is Tendency.UNSURE
    assert verdict.best is Tendency.POSITIVE


def test_a_verdict_names_the_words_that_decided() -> None:
    reasons = tendency_model().reasons("学校拒不道歉，实在令人失望。")
    assert "令人" in reasons or "失望" in reasons
    assert list(reasons.values()) == sorted(reasons.values(), reverse=True)
    assert 0 < sum(reasons.values()) <= 1


@given(st.text(max_size=300))
def test_any_text_gets_shares_that_sum_to_one(text: str) -> None:
    model = tendency_model()
    verdict = model.judge(text)
    assert abs(sum(verdict.shares) - 1) < 1e-9
    assert verdict.best in TENDENCIES
    assert all(word in " ".join(text.split()) for word in model.reasons(text))
