"""The ablation of the reader finds its rules, and what stands for nothing in each."""

from __future__ import annotations

from bench.ablation import is_right, neutral_of, rules
from newsspider.core.extraction.body import body, text_range


def test_rules_are_functions_and_regular_expressions_with_what_stands_for_nothing() -> None:
    names = {f"{rule.module.__name__.rpartition('.')[2]}.{rule.name}" for rule in rules()}
    assert {"body._standfirst", "body.STAMP", "article_list._DATE"} <= names
    trimmed, is_foot = neutral_of(text_range.trimmed), neutral_of(body._is_foot)
    assert trimmed is not None
    assert is_foot is not None
    assert trimmed("outline", [1, 2], ()) == [1, 2]
    assert is_foot() is False


def test_a_field_is_right_if_it_is_what_the_manifest_expects() -> None:
    answer = {"title": "双减 之后", "published_at": None, "text": "学校停课。", "source": None, "authors": ()}
    answer |= {"kind": "article", "items": 3}
    expect = {"title": "双减之后", "published_at": None, "body": ["停课"], "no": ["停课"], "items": 4}
    assert is_right(expect, answer) == {"title": True, "published_at": True, "body": True, "no": False, "items": False}
