"""The rules of a topic: a condition, and what follows when a document matches it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import log
from textwrap import shorten

from newsspider.core.relevance.document_fields import Facts
from newsspider.core.relevance.rule_grammar import Holds, parsed

LONGEST_LABEL = 40  # characters
CERTAIN = 0.99  # a weight of 1 would be infinite evidence


class Verdict(StrEnum):
    """What a matching rule does."""

    WEIGH = "weigh"  # evidence for or against the topic, as a term is
    KEEP = "keep"  # the document is relevant, whatever its score, unless another rule drops it
    DROP = "drop"  # the document is irrelevant


@dataclass(frozen=True, slots=True)
class Rule:
    """A condition and its verdict. ``weight`` is in -1 to 1, like that of a term; below 0 is against the topic."""

    when: str
    verdict: Verdict = Verdict.WEIGH
    weight: float = 0.0
    name: str = ""
    holds: Holds = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "holds", parsed(self.when))

    @property
    def label(self) -> str:
        """The rule's name, or the start of its condition."""
        return self.name or shorten(self.when, LONGEST_LABEL, placeholder="...")


def matching_rules(rules: Iterable[Rule], facts: Facts) -> tuple[float, Sequence[str], Mapping[Verdict, Sequence[str]]]:
    """The log odds and labels of the weighing rules that match, and the labels of the others by verdict."""
    odds = 0.0
    weighing: list[str] = []
    verdicts: dict[Verdict, list[str]] = {}
    for rule in rules:
        if not rule.holds(facts):
            continue
        if rule.verdict is Verdict.WEIGH:
            odds -= log(1 - min(abs(rule.weight), CERTAIN)) * (1 if rule.weight > 0 else -1)
            weighing.append(rule.label)
        else:
            verdicts.setdefault(rule.verdict, []).append(rule.label)
    return odds, weighing, verdicts
