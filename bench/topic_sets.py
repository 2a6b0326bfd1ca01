"""The labelled sets of the benchmark of topics: where they lie in a folder of data, and how they are parted.

Every set is asked only by weights that have not seen it: files apart from those of the training, the tenth that training leaves out,
five folds of the articles, and a source that is left out whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from zlib import crc32

from newsspider.core.relevance.learned_model import Learned
from newsspider.core.relevance.scoring import words_of
from newsspider.core.relevance.topic import TopicProfile
from newsspider.features.workbench.labelled_texts import Labelled, hash_of, read_labelled
from newsspider.features.workbench.training import TOPIC, Sample, of_headlines, with_bodies
from newsspider.topics.profile_reader import PublicCorpus

TRAINING = (  # files and folders, any of which may be missing
    "thucnews-headlines/train.txt",
    "toutiao-headlines/train.txt",
    "tnews-fewclue/train_few_all.json",
    "fudan-classes",
    "cnews-1000/cnews.txt",
)
APART = {  # no part of the training, read as a part of it is
    "thucnews-dev": ("thucnews-headlines/dev.txt", TRAINING[0]),
    "tnews-dev": ("tnews-fewclue/dev_few_all.json", TRAINING[2]),
}
FOLDS = 5


@dataclass(frozen=True, slots=True)
class Sets:
    """The texts of the training files, and those of each file that stands apart."""

    training: list[Labelled]
    apart: dict[str, list[Labelled]]
    missing: tuple[str, ...]

    def held_out(self) -> list[Labelled]:
        return [example for example in self.training if example.held_out]

    def taught(self) -> list[Labelled]:
        return [example for example in self.training if not example.held_out]


def sets_in(folder: Path, described: Sequence[PublicCorpus]) -> Sets:
    """What lies in ``folder`` of the sets; a file that is another than the one described counts as missing."""
    by_hash = {entry.sha256: entry for entry in described}
    entries = {name: by_hash.get(hash_of(folder / name)) for name in TRAINING if (folder / name).exists()}
    present = [name for name, entry in entries.items() if entry is not None]
    apart = {}
    for name, (path, like) in APART.items():
        entry = entries.get(like)
        if entry is not None and (folder / path).is_file():
            other = replace(entry, source=name, sha256=hash_of(folder / path), held_out=0)
            apart[name] = read_labelled([folder / path], [other])
    expected = [*TRAINING, *(path for path, _ in APART.values())]
    missing = tuple(name for name in expected if name not in present and not (folder / name).is_file())
    return Sets(read_labelled([folder / name for name in present], described), apart, missing)


def samples(texts: Sequence[Labelled]) -> list[Sample]:
    return [
        Sample(example.source, TOPIC if example.relevant else example.group, example.headline, example.text)
        for example in texts
    ]


def taught(topic: TopicProfile, texts: Sequence[Labelled], headlines: Learned | None = None) -> TopicProfile:
    """The topic with weights by the recipe of the project, learned from ``texts``; those of the headlines may be there already."""

    words_in = partial(words_of, topic)
    learned = headlines or of_headlines(samples(texts), words_in)
    return replace(topic, learned=with_bodies(learned, samples(texts), words_in))


def folds(
    texts: Sequence[Labelled], count: int = FOLDS, partition: int = 0
) -> Iterator[tuple[list[Labelled], list[Labelled]]]:
    """What is learned from and what is asked, for each fold; a text's fold follows from its hash, so copies stay together.

    Each partition has other folds.
    """
    mark = f"{partition}\n" if partition else ""
    places = [
        crc32(f"{mark}{example.headline}\n{example.text}".encode("utf-8", "replace")) % count for example in texts
    ]
    for fold in range(count):
        rest = [example for example, place in zip(texts, places, strict=True) if place != fold]
        yield rest, [example for example, place in zip(texts, places, strict=True) if place == fold]
