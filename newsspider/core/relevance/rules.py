"""The rules of a topic: conditions, and what follows where they hold."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from textwrap import shorten

from newsspider.core.relevance.rule_grammar import Holds, parsed

LONGEST_LABEL = 40  # characters


class Verdict(StrEnum):
    """What a rule that holds does."""

    WEIGH = "weigh"  # speaks for the topic, or against it, as a term does
    KEEP = "keep"  # the document is relevant, whatever else is said of it
    DROP = "drop"  # it is not


@dataclass(frozen=True, slots=True)
class Rule:
    """A condition and what follows where it holds; ``weight`` is that of a term, below 0 against the topic."""

    when: str
    verdict: Verdict = Verdict.WEIGH
    weight: float = 0.0
    name: str = ""
    holds: Holds = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "holds", parsed(self.when))

    @property
    def label(self) -> str:
        """Its name, else how it begins."""
        return self.name or shorten(self.when, LONGEST_LABEL, placeholder="...")
