"""The labelled texts that a topic is trained on: files that its profile describes, known by their hash, JSON lines,
and labelled articles of the store; and the weights that are learned from them.

A described file is known by what is in it, never by its name, so it may lie anywhere. JSON lines are {title, text,
relevant}, as ``scrapy topics labels`` prints them; ``source``, ``class`` and ``weight`` may stand beside.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from newsspider.crawl.wrong_use import wrong_use
from newsspider.topics.profile_reader import PublicCorpus

if TYPE_CHECKING:
    from newsspider.core.relevance.learned_model import Learned
    from newsspider.core.relevance.topic import TopicProfile
    from newsspider.store.articles.labels import Label

LABELS = "labels"  # the source that labelled articles of the store are
OTHER = "other"
MOST_WEIGHT = 10.0
HELD_OUT_TEXT = 3  # which of the texts is held out, counted from 0


@dataclass(frozen=True, slots=True)
class Labelled:
    """A text with its answer."""

    source: str
    group: str
    relevant: bool
    headline: str = ""
    text: str = ""
    held_out: bool = False
    weight: float = 1.0  # how much it counts where grams and words are put together


class CorpusError(ValueError):
    """A file that no weights can be trained on, and why."""


def hash_of(path: Path) -> str:
    """SHA-256 of a file; of a folder of folders, that of the names and hashes of the files in these, in order of
    their names."""
    if path.is_dir():
        lines = [f"{file.relative_to(path).as_posix()} {hash_of(file)}\n" for file in _files(path)]
        return hashlib.sha256("".join(lines).encode()).hexdigest()
    return hashlib.sha256(path.read_bytes()).hexdigest()


def read_labelled(paths: Sequence[Path], described: Sequence[PublicCorpus]) -> list[Labelled]:
    """The texts of all files, the described ones first in the order of their descriptions; raises
    :exc:`CorpusError`."""
    hashes = {hash_of(path): path for path in paths}
    headlines: list[Labelled] = []
    for entry in described:
        path = hashes.pop(entry.sha256, None)
        if path is not None:
            headlines += dict.fromkeys(_described(path, entry))
    for _, path in sorted(hashes.items()):
        headlines += _lines(path)
    return headlines


def labelled_texts(labels: Sequence[Label]) -> list[Labelled]:
    """Labelled articles as texts to learn from."""
    return [Labelled(LABELS, OTHER, row.relevant, row.title, row.text) for row in labels if row.title or row.text]


def learn_weights(topic: TopicProfile, texts: Sequence[Labelled]) -> tuple[Learned, int]:
    """The weights and how many samples they are made from."""
    try:
        from newsspider.features.workbench.training import TOPIC, Sample, train_weights
    except ImportError as error:
        raise wrong_use(f"training needs scikit-learn ({error}): pip install 'newsspider[train]'") from None
    from newsspider.core.relevance.scoring import words_of

    headlines = [replace(text, text="") for text in texts if text.headline and text.text]  # learned apart, too
    samples = [
        Sample(text.source, TOPIC if text.relevant else text.group, text.headline, text.text, text.weight)
        for text in (*headlines, *texts)
    ]
    try:
        return train_weights(samples, lambda headline, text: words_of(topic, headline, text)), len(samples)
    except ValueError as error:
        raise wrong_use(str(error)) from None


def _described(path: Path, entry: PublicCorpus) -> Iterator[Labelled]:
    for number, (text, label) in enumerate(_rows(path, entry)):
        is_held_out = entry.held_out > 0 and number % entry.held_out == HELD_OUT_TEXT % entry.held_out
        relevant = label in entry.topic
        group = entry.groups.get(label, OTHER)
        yield Labelled(entry.source, group, relevant, *(("", text) if entry.articles else (text, "")), is_held_out)


def _rows(path: Path, entry: PublicCorpus) -> Iterable[tuple[str, str]]:
    if entry.layout == "folders":
        return [(_decoded(file), file.parent.name) for file in _files(path)]
    if entry.layout == "json":
        return _described_json(path, entry)
    lines = [line for line in _decoded(path).splitlines() if line.strip()]
    if entry.layout == "text, label":
        return [(text, label) for text, mark, label in (line.rpartition(entry.separator) for line in lines) if mark]
    return [(text, label) for label, mark, text in (line.partition(entry.separator) for line in lines) if mark]


def _described_json(path: Path, entry: PublicCorpus) -> Iterator[tuple[str, str]]:
    for number, line in _json_lines(path):
        try:
            row = json.loads(line)
            text, label = row[entry.text], row[entry.label]
        except (ValueError, KeyError, TypeError):
            text, label = None, None
        if not isinstance(text, str) or not isinstance(label, str):
            raise CorpusError(
                f"{path}: line {number}: it is not JSON with the texts {entry.text!r} and {entry.label!r}"
            )
        yield text, label


def _json_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines that are not empty, counted from 1; a text of JSON may hold the other ends of lines."""
    return ((number, line) for number, line in enumerate(_decoded(path).split("\n"), 1) if line.strip())


def _lines(path: Path) -> Iterator[Labelled]:
    if path.is_dir():
        raise CorpusError(f"{path}: a folder that the profile does not describe")
    for number, line in _json_lines(path):
        try:
            row = json.loads(line)
            relevant, weight = row["relevant"], float(row.get("weight", 1.0))
            headline, text = row.get("title") or "", row.get("text") or ""
        except (ValueError, KeyError, AttributeError, TypeError):
            row, relevant, weight, headline, text = {}, None, 0.0, "", ""
        if (
            not isinstance(relevant, bool)
            or not 0 < weight <= MOST_WEIGHT
            or not all(isinstance(part, str) for part in (headline, text))
            or not (headline or text)
        ):
            reason = "the profile describes no such file, and it is not JSON lines of {title, text, relevant}"
            raise CorpusError(f"{path}: line {number}: {reason}")
        source, group = str(row.get("source") or "own"), str(row.get("class") or OTHER)
        yield Labelled(source, group, relevant, headline, text, weight=weight)


def _files(path: Path) -> list[Path]:
    """The files of a folder's folders, one folder a label; what lies beside these is about them."""
    return sorted(
        (file for file in path.glob("*/*") if file.is_file()), key=lambda file: file.relative_to(path).as_posix()
    )


def _decoded(path: Path) -> str:
    content = path.read_bytes()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("gb18030", "replace")
