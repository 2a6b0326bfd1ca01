"""Reads topic profiles: the shipped ones by name, a user's own by the path of a TOML file."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from newsspider.core.relevance.learned_model import Learned, WeightsError, unpack_weights
from newsspider.core.relevance.model_names import Model
from newsspider.core.relevance.topic import Threshold, TopicProfile
from newsspider.sites.loader import toml_value
from newsspider.topics.profile_reader import ProfileReader, PublicCorpus, TopicError
from newsspider.topics.shipped import EVERYTHING, SUFFIX, topic_names

__all__ = [
    "TopicError",
    "load_topic",
    "load_topic_files",
    "read_topic",
    "rename_topic",
    "topic_dictionary",
    "topic_names",
    "training_files",
    "weights_beside",
]

WEIGHTS = ".bin"  # stands beside the profile, under its name
WORD_FREQUENCY = 1000  # in the jieba dictionary: enough to win against its parts


def load_topic(name_or_path: str, *, trained: bool = True) -> TopicProfile:
    """Return a built-in profile by name, or a user's own by the path of its file; raises :exc:`TopicError`.

    Without ``trained`` the weights beside it are left where they are, whatever they hold.
    """
    if name_or_path == EVERYTHING:
        return TopicProfile(EVERYTHING, model=Model.ANY, title="全部收录")
    if name_or_path in topic_names():
        folder = files("newsspider.topics")
        weights = folder.joinpath(name_or_path + WEIGHTS)
        content = folder.joinpath(name_or_path + SUFFIX).read_bytes()
        return load_topic_files(
            content, name_or_path + SUFFIX, weights.read_bytes() if weights.is_file() else None, trained
        )
    try:
        weights = weights_beside(name_or_path)
        content = Path(name_or_path).read_bytes()
        return load_topic_files(content, name_or_path, weights.read_bytes() if weights.is_file() else None, trained)
    except (OSError, ValueError) as error:
        if isinstance(error, TopicError):
            raise
        names = ", ".join(topic_names())
        raise TopicError(name_or_path, "", f"neither a topic ({names}) nor a file that can be read") from error


@lru_cache(maxsize=2)  # cache: topics by the content of their files; a start checks one and then loads it
def load_topic_files(content: bytes, file: str, weights: bytes | None, trained: bool = True) -> TopicProfile:
    """The topic that these files make; raises :exc:`TopicError`."""
    profile = read_topic(content, file, weights if trained else None)
    if trained and weights is None and profile.target is not None:
        raise TopicError(file, "threshold", "a target needs trained weights; make them with `scrapy topics train`")
    return profile


def weights_beside(path: str) -> Path:
    """Where the trained weights of a user's own profile are.

    >>> weights_beside("topics/my-topic.toml").name, weights_beside("my-topic.v2").name
    ('my-topic.bin', 'my-topic.v2.bin')
    """
    return Path(path.removesuffix(SUFFIX) + WEIGHTS)


def read_topic(content: bytes, file: str, weights: bytes | None = None) -> TopicProfile:
    """Return the profile that a TOML file holds, with its trained weights; raises :exc:`TopicError`."""
    profile = ProfileReader(file).profile(_table(content, file))
    if weights is None:
        return profile
    try:
        learned = unpack_weights(weights)
    except WeightsError as error:
        raise TopicError(file.removesuffix(SUFFIX) + WEIGHTS, "", str(error)) from error
    return replace(profile, learned=learned, thresholds=_thresholds(profile, learned, file))


def rename_topic(text: str, name: str, title: str) -> str:
    """The text of a topic file with another name and title.

    >>> print(rename_topic('name = "a"\\n[terms.x]\\ntitle = 0.5', "b", "乙"))
    title = "乙"
    name = "b"
    [terms.x]
    title = 0.5
    """
    head, *tables = re.split(r"^(?=\[)", text, maxsplit=1, flags=re.M)  # terms may have these names, too
    for key, value in (("title", title), ("name", name)):
        line = f"{key} = {toml_value(value)}"
        head, count = re.subn(rf"^{key} *=.*$", line.replace("\\", r"\\"), head, count=1, flags=re.M)
        head = head if count else f"{line}\n{head}"
    return head + "".join(tables)


def _thresholds(profile: TopicProfile, learned: Learned, file: str) -> Mapping[Model, Threshold]:
    """The thresholds of the profile, with those that its target asks for."""
    if (target := profile.target) is None:
        return profile.thresholds
    values = []
    for curve in learned.curves:
        if not curve:
            raise TopicError(file, "threshold", "the weights have no curve to find a target on: train again")
        value = target.threshold_on(curve)
        if value is None:
            raise TopicError(
                file, "threshold", f"no threshold reaches {target.figure} {target.least:g} on what was learned from"
            )
        values.append(value)
    return {**profile.thresholds, profile.model: Threshold(*values)}


def training_files(name_or_path: str) -> tuple[PublicCorpus, ...]:
    """The files that a profile says its weights are made from; raises :exc:`TopicError`."""
    if name_or_path in topic_names():
        file = name_or_path + SUFFIX
        content = files("newsspider.topics").joinpath(file).read_bytes() if name_or_path != EVERYTHING else b""
    else:
        file, content = name_or_path, Path(name_or_path).read_bytes()
    return ProfileReader(file).training(_table(content, file))


def _table(content: bytes, file: str) -> dict[str, Any]:
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise TopicError(file, "", f"not TOML in UTF-8: {error}") from error


def topic_dictionary(profile: TopicProfile) -> str:
    """Return the profile's words as a jieba user dictionary."""
    return "".join(f"{word} {WORD_FREQUENCY} n\n" for word in sorted(profile.spellings()) if " " not in word)
