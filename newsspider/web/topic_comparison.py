"""A changed topic beside the one that holds: figures of both on labelled articles from which neither learned, before
anybody decides. Draft and figures are files beside the profile, so every process of the console sees them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from difflib import unified_diff
from pathlib import Path
from typing import Any
from zlib import crc32

from scrapy.exceptions import UsageError

from newsspider.cli.command import Failed, emit
from newsspider.cli.topic_arguments import load
from newsspider.cli.topic_training import learned
from newsspider.core.relevance.scoring import Document, Model, score, threshold_of
from newsspider.core.relevance.topic import TopicProfile
from newsspider.core.relevance.weights_file import packed
from newsspider.core.text.words import only_words
from newsspider.sites.atomic_files import write_whole
from newsspider.topics.corpus import Labelled
from newsspider.topics.loader import training_files, weights_beside
from newsspider.topics.measure import curve, measured
from newsspider.web.child import NotDone, done_apart, given_work

SECONDS = 900.0
HELD_OUT = 5  # one label in so many is never learned from
FEWEST_HELD_OUT = 5  # of either kind: fewer show nothing
SUFFIX = ".draft"


@dataclass(slots=True)
class Side:
    """A topic on the labels that are held out: figures and curve are empty where these are too few."""

    threshold: float = 0.0
    figures: dict[str, float] = field(default_factory=dict)
    points: list[dict[str, float]] = field(default_factory=list)


@dataclass(slots=True)
class Comparison:
    """What a draft would change."""

    problem: str = ""
    retrained: bool = False
    diff: list[str] = field(default_factory=list)
    learned_from: int = 0
    on_topic: int = 0  # held out
    off_topic: int = 0
    before: Side = field(default_factory=Side)
    after: Side = field(default_factory=Side)


@dataclass(frozen=True, slots=True)
class Draft:
    """The files of a draft: of the profile at ``source``, and beside it."""

    source: Path

    @property
    def profile(self) -> Path:
        """The profile as it would be; its weights stand beside it."""
        return self.source.with_name(self.source.name.removesuffix(".toml") + f"{SUFFIX}.toml")

    @property
    def weights(self) -> Path:
        """The weights as they would be."""
        return weights_beside(str(self.profile))

    @property
    def figures(self) -> Path:
        """What the comparison found; it is written last."""
        return self.profile.with_suffix(".json")

    def comparison(self) -> Comparison | None:
        """What was found; ``None`` if nobody has compared anything."""
        try:
            values = json.loads(self.figures.read_text("utf-8"))
            before, after = Side(**values.pop("before")), Side(**values.pop("after"))
            return Comparison(**values, before=before, after=after)
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def accept(self) -> None:
        """Let the draft hold from now on; raises :exc:`OSError`."""
        if self.weights.exists():
            self.weights.replace(weights_beside(str(self.source)))
        self.profile.replace(self.source)
        self.discard()

    def discard(self) -> None:
        """Let nothing of it stay; raises :exc:`OSError`."""
        for file in (self.figures, self.weights, self.profile):
            file.unlink(missing_ok=True)


def compare(source: Path, text: str, labels: Sequence[Labelled], model: str | None, *, retrain: bool) -> Comparison:
    """Write a draft of the profile at ``source`` with this text, with weights learned from the labels if it is to be
    trained again, and compare it; ``problem`` says why that failed, and then there is no draft."""
    draft, given = Draft(source), (source, text, list(labels), model, retrain)
    try:
        draft.discard()
        done_apart(__name__, given, SECONDS)
    except (NotDone, OSError) as problem:
        failed = Comparison(problem=str(problem))
        with suppress(OSError):
            write_whole(draft.figures, json.dumps(asdict(failed)).encode())
    return draft.comparison() or Comparison(problem="it gave no answer")


def main() -> None:
    """In the process of its own."""
    source, text, labels, model, retrain = given_work()
    draft = Draft(source)
    try:
        comparison = _compared(draft, text, labels, model, retrain)
    except (UsageError, Failed) as problem:
        comparison = Comparison(problem=str(problem).replace(str(draft.profile), source.name))
        draft.discard()
    write_whole(draft.figures, json.dumps(asdict(comparison), ensure_ascii=False).encode())
    emit({"problem": comparison.problem})


def _compared(draft: Draft, text: str, labels: list[Labelled], model: str | None, retrain: bool) -> Comparison:
    before = load(str(draft.source))
    write_whole(draft.profile, text.encode())
    held_out = [label for label in labels if is_held_out(label)]
    learnt = [label for label in labels if not is_held_out(label)]
    weights = weights_beside(str(draft.source))
    if retrain:
        if weights.exists() and training_files(str(draft.source)):
            raise UsageError("labels alone would replace weights that were trained on more: use `scrapy topics train`")
        write_whole(draft.weights, packed(learned(load(str(draft.profile), trained=False), learnt)[0]))
    elif weights.exists():
        write_whole(draft.weights, weights.read_bytes())
    after = load(str(draft.profile))
    if after.name != before.name:
        raise UsageError(f"name: {after.name!r}: the topic keeps its name {before.name!r}")
    old, new = draft.source.read_text("utf-8-sig").splitlines(), text.splitlines()
    truth = [label.relevant for label in held_out]
    counts = sum(truth), len(truth) - sum(truth)
    is_enough = min(counts) >= FEWEST_HELD_OUT
    sides = [_side(topic, held_out if is_enough else [], model) for topic in (before, after)]
    diff = list(unified_diff(old, new, n=1, lineterm=""))[2:]
    return Comparison("", retrain, diff, len(learnt) if retrain else 0, *counts, *sides)


def is_held_out(label: Labelled) -> bool:
    """Whether a label is for measuring alone, which follows from its text: it is the same ones ever after."""
    return crc32(f"{label.headline}\n{label.text}".encode("utf-8", "replace")) % HELD_OUT == 0


def _side(topic: TopicProfile, labels: Sequence[Labelled], model: str | None) -> Side:
    least = threshold_of(topic, Document(title="x", text="x"), Model(model or topic.model))
    truth: list[bool] = [label.relevant for label in labels]
    with only_words(topic.spellings()):
        judged: list[Any] = [score(topic, Document(title=one.headline, text=one.text), model) for one in labels]
    if not judged:
        return Side(least)
    figures = measured([(row.score, row.relevant) for row in judged], truth)
    return Side(least, figures, curve([row.score for row in judged], truth))
