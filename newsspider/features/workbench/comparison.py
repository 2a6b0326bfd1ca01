"""A changed topic beside the one that holds: figures of both on labelled articles from which neither learned, before
anybody decides. Draft and figures are files beside the profile, so every process of the console sees them."""

from __future__ import annotations

import errno
import hashlib
import json
import logging
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from difflib import unified_diff
from pathlib import Path
from time import sleep
from typing import IO
from zlib import crc32

from scrapy.exceptions import UsageError

from newsspider.actions.topics import topic_named
from newsspider.core.relevance.learned_model import pack_weights
from newsspider.core.relevance.scoring import Document, Model, threshold_of
from newsspider.core.relevance.topic import TopicProfile
from newsspider.features.console.child_process import ChildError, arguments_of_parent, done_apart, return_result
from newsspider.features.workbench.labelled_texts import Labelled, labelled_texts, learn_weights
from newsspider.features.workbench.precision_and_recall import measured_on
from newsspider.sites.atomic_files import write_whole
from newsspider.store.articles.labels import labelled_articles
from newsspider.store.engine.database import open_store, reading
from newsspider.store.engine.errors import StoreUnusableError
from newsspider.topics.loader import TopicError, load_topic_files, training_files, weights_beside

logger = logging.getLogger(__name__)
COMPARISON_SECONDS = 900.0
MOST_LABELS = 20_000  # the latest
HELD_OUT = 5  # one label in this many is never learned from
FEWEST_HELD_OUT = 5  # of either kind: fewer show nothing
NEEDS_MORE = "labels alone would replace weights that were trained on more: use `scrapy topics train`"
SUFFIX = ".draft"
LOCK_ATTEMPTS, AGAIN_SECONDS = 6, 0.01  # somebody may just be looking whether the turn is taken


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
    began_from: list[str] = field(default_factory=list)  # hashes of the profile and the weights that held
    retrained: bool = False
    diff: list[str] = field(default_factory=list)
    learned_from: int = 0
    on_topic: int = 0  # held out
    off_topic: int = 0
    before: Side = field(default_factory=Side)
    after: Side = field(default_factory=Side)

    @property
    def version(self) -> str:
        """What tells it from that of another draft: a hash of all that it shows."""
        return _hash(json.dumps(asdict(self)).encode())


class OutdatedError(Exception):
    """A draft that can no longer be accepted; the message says why."""


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

    def needs_more(self) -> bool:
        """Whether the weights that hold were trained on more than labels."""
        try:
            return weights_beside(str(self.source)).exists() and bool(training_files(str(self.source)))
        except TopicError:
            return False

    def acquire_turn(self) -> IO[bytes] | None:
        """The turn to change the draft, over all processes: a file, and who closes it last ends the turn; ``None``
        while another has it. Raises :exc:`OSError`."""
        file = self.profile.with_suffix(".lock").open("ab")
        try:
            for attempt in range(LOCK_ATTEMPTS):
                if attempt:
                    sleep(AGAIN_SECONDS)
                if _locked(file, alone=True):
                    return file
        except BaseException:
            file.close()
            raise
        file.close()
        return None

    def is_running(self) -> bool:
        """Whether somebody has the turn."""
        try:
            with self.profile.with_suffix(".lock").open("rb") as file:
                return not _locked(file, alone=False)
        except OSError:
            return False  # nobody has ever had it

    def began_from(self) -> list[str]:
        """What a draft that begins now begins from: hashes of the profile and of the weights that hold."""
        return [_hash(_content(file)) for file in (self.source, weights_beside(str(self.source)))]

    def begin(self) -> None:
        """Drop the last draft, and say what is true if this one does not end; raises :exc:`OSError`."""
        self.discard()
        self.keep(Comparison(problem="the comparison was ended before it was done; compare again"))

    def keep(self, comparison: Comparison) -> None:
        """Write down what was found; raises :exc:`OSError`."""
        write_whole(self.figures, json.dumps(asdict(comparison), ensure_ascii=False).encode())

    def comparison(self) -> Comparison | None:
        """What was found; ``None`` if nobody has compared anything."""
        try:
            values = json.loads(self.figures.read_text("utf-8"))
            current, changed = Side(**values.pop("before")), Side(**values.pop("after"))
            return Comparison(**values, before=current, after=changed)
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def is_outdated(self, comparison: Comparison) -> bool:
        """Whether what the draft began from has changed, other than by accepting this draft, which a crash may have
        interrupted."""
        drafted = [_hash(_content(file)) for file in (self.profile, self.weights)]
        places = zip(comparison.began_from, self.began_from(), drafted, strict=True)
        return any(present not in {old, new} for old, present, new in places)

    def accept(self, comparison: Comparison) -> None:
        """Let the draft hold from now on; :exc:`OutdatedError`, :exc:`OSError`. Profile and weights are written in the
        order that leaves a topic which loads, should that end halfway; accepted again, it is done to the end."""
        if self.is_outdated(comparison):
            raise OutdatedError(f"{self.source.name} or its weights have changed since the draft began; compare again")
        files = self.source, weights_beside(str(self.source))
        old, new = [_content(file) for file in files], [_content(file) for file in (self.profile, self.weights)]
        steps = [at for at in (0, 1) if new[at] not in {None, old[at]}]
        if len(steps) > 1 and not _loads(new[0], old[1]):
            if not _loads(old[0], new[1]):
                raise OutdatedError(
                    "the change works in two steps alone: accept other thresholds first, then train again"
                )
            steps.reverse()
        for at in steps:
            write_whole(files[at], new[at] or b"")
        self.discard()

    def discard(self) -> None:
        """Let nothing of it stay; raises :exc:`OSError`."""
        for file in (self.figures, self.weights, self.profile):
            file.unlink(missing_ok=True)


def compare_draft(draft: Draft, turn: IO[bytes], text: str, store: str, model: str | None, *, retrain: bool) -> None:
    """Write a draft with this text of a profile, with weights learned from the labels in the ``store`` if it is to be
    trained again, and compare it; ``problem`` says why that failed, and then there is no draft. The process that works
    has the ``turn`` to its end, whatever becomes of this one."""
    arguments = draft.source, text, store, model, retrain
    try:
        done_apart(__name__, arguments, COMPARISON_SECONDS, [turn.fileno()])
    except (ChildError, OSError) as problem:
        try:
            draft.keep(Comparison(problem=str(problem)))
        except OSError as error:
            logger.warning("%s cannot be written: %s", draft.figures, error.strerror)


def main() -> None:
    """In the process of its own."""
    source, text, store, model, retrain = arguments_of_parent()
    draft = Draft(source)
    try:
        comparison = _compared(draft, text, store, model, retrain)
    except (UsageError, StoreUnusableError, OSError) as problem:
        comparison = Comparison(problem=str(problem).replace(str(draft.profile), source.name))
        draft.discard()
    draft.keep(comparison)
    return_result({"problem": comparison.problem})


def _compared(draft: Draft, text: str, store: str, model: str | None, retrain: bool) -> Comparison:
    began_from, current = draft.began_from(), topic_named(str(draft.source))
    write_whole(draft.profile, text.encode())
    with reading(open_store(store, readable=True)) as conn:
        labels = labelled_texts(labelled_articles(conn, current.name, MOST_LABELS))
    held_out = [label for label in labels if is_held_out(label)]
    learnt = [label for label in labels if not is_held_out(label)]
    weights = weights_beside(str(draft.source))
    if retrain:
        if draft.needs_more():
            raise UsageError(NEEDS_MORE)
        write_whole(
            draft.weights, pack_weights(learn_weights(topic_named(str(draft.profile), trained=False), learnt)[0])
        )
    elif weights.exists():
        write_whole(draft.weights, weights.read_bytes())
    changed = topic_named(str(draft.profile))
    if changed.name != current.name:
        raise UsageError(f"name: {changed.name!r}: the topic keeps its name {current.name!r}")
    old, new = draft.source.read_text("utf-8-sig").splitlines(), text.splitlines()
    truth = [label.relevant for label in held_out]
    counts = sum(truth), len(truth) - sum(truth)
    is_enough = min(counts) >= FEWEST_HELD_OUT
    sides = [_side(topic, held_out if is_enough else [], model) for topic in (current, changed)]
    diff = list(unified_diff(old, new, n=1, lineterm=""))[2:]
    return Comparison("", began_from, retrain, diff, len(learnt) if retrain else 0, *counts, *sides)


def _locked(file: IO[bytes], *, alone: bool) -> bool:
    """Whether nobody else had a lock that keeps this one away; :exc:`OSError` where there is no POSIX."""
    try:
        import fcntl
    except ImportError:
        raise OSError(errno.ENOTSUP, "drafts of topics need POSIX") from None
    try:
        fcntl.flock(file, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _loads(profile: bytes | None, weights: bytes | None) -> bool:
    """Whether these files make a topic."""
    try:
        load_topic_files(profile or b"", "", weights)
    except TopicError:
        return False
    return True


def _content(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None


def _hash(content: bytes | None) -> str:
    return "" if content is None else hashlib.sha256(content).hexdigest()


def is_held_out(label: Labelled) -> bool:
    """Whether a label is for measuring alone, which follows from its text: it is the same ones ever after."""
    return crc32(f"{label.headline}\n{label.text}".encode("utf-8", "replace")) % HELD_OUT == 0


def _side(topic: TopicProfile, labels: Sequence[Labelled], model: str | None) -> Side:
    least = threshold_of(topic, Document(title="x", text="x"), Model(model or topic.model))
    return Side(least, *measured_on(topic, labels, model)) if labels else Side(least)
