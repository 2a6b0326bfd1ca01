"""Reads topic profiles: those that newsspider ships with by name, a user's own by the path of a TOML file."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

from newsspider.core.topic import Model, Term, Threshold, TopicProfile

EVERYTHING = "any"
SUFFIX = ".toml"
KEYS = frozenset({"name", "title", "model", "saturation", "tags", "thresholds", "terms", "negative", "decoys"})
TAGS = ("alpha", "beta", "gamma")
SHORTEST = 2  # characters of a term: one alone is found everywhere
WORD_FREQUENCY = 1000  # in the jieba dictionary: enough to win against its parts


class BadTopic(ValueError):  # noqa: N818 - the sentence "a bad topic" is what people read
    """A profile that cannot be used: which file, which key, and why."""

    def __init__(self, file: str, key: str, reason: str) -> None:
        super().__init__(f"{file}: {key}: {reason}" if key else f"{file}: {reason}")
        self.file = file
        self.key = key
        self.reason = reason


def topic_names() -> tuple[str, ...]:
    """The names of the built-in profiles, "any" among them."""
    shipped = (entry.name for entry in files("newsspider.topics").iterdir())
    return tuple(sorted([EVERYTHING, *(name.removesuffix(SUFFIX) for name in shipped if name.endswith(SUFFIX))]))


def load_topic(name_or_path: str) -> TopicProfile:
    """Return a built-in profile by name, or a user's own by the path of its file; raises :exc:`BadTopic`."""
    if name_or_path == EVERYTHING:
        return TopicProfile(EVERYTHING, model=Model.ANY, title="everything")
    if name_or_path in topic_names():
        return read_topic(
            files("newsspider.topics").joinpath(name_or_path + SUFFIX).read_bytes(), name_or_path + SUFFIX
        )
    path = Path(name_or_path)
    try:
        return read_topic(path.read_bytes(), name_or_path)
    except (OSError, ValueError) as error:
        if isinstance(error, BadTopic):
            raise
        known = ", ".join(topic_names())
        raise BadTopic(name_or_path, "", f"neither a topic ({known}) nor a file that can be read") from error


def read_topic(content: bytes, file: str) -> TopicProfile:
    """Return the profile that a TOML file holds; raises :exc:`BadTopic`."""
    try:
        table = tomllib.loads(content.decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadTopic(file, "", f"not TOML in UTF-8: {error}") from error
    return _Reader(file).profile(table)


def dictionary(profile: TopicProfile) -> str:
    """Return the profile's words as a jieba user dictionary."""
    return "".join(f"{word} {WORD_FREQUENCY} n\n" for word in sorted(profile.spellings()) if " " not in word)


class _Reader:
    """Reads one file, whose name goes into every complaint."""

    def __init__(self, file: str) -> None:
        self.file = file

    def bad(self, key: str, reason: str) -> BadTopic:
        return BadTopic(self.file, key, reason)

    def profile(self, table: dict[str, Any]) -> TopicProfile:
        for key in table:
            if key not in KEYS:
                raise self.bad(key, f"unknown key; the keys are {', '.join(sorted(KEYS))}")
        terms = self.terms(table)
        negative = self.table(table, "negative")
        factors = dict.fromkeys(TAGS, 1.0) | self.table(table, "tags")
        if unknown := set(factors) - set(TAGS):
            raise self.bad(f"tags.{min(unknown)}", "unknown key; alpha, beta and gamma are the keys")
        return TopicProfile(
            name=self.name(table),
            title=self.text(table, "title", ""),
            model=self.model("model", table.get("model", Model.BLEND.value)),
            terms=terms,
            negative={
                self.word("negative", word, {term.name for term in terms}): self.number(
                    f"negative.{word}", weight, 0.999
                )
                for word, weight in negative.items()
            },
            decoys=tuple(self.words(table, "decoys")),
            thresholds={
                self.model(f"thresholds.{name}", name): self.threshold(f"thresholds.{name}", value)
                for name, value in self.table(table, "thresholds").items()
            },
            saturation=self.whole(table, "saturation"),
            tag_factors=tuple(self.number(f"tags.{name}", factors[name], 3.0) for name in TAGS),  # type: ignore[arg-type]
        )

    def name(self, table: dict[str, Any]) -> str:
        name = self.text(table, "name").strip()
        if name == EVERYTHING:
            raise self.bad("name", f"{EVERYTHING!r} is the built-in topic that keeps everything; choose another name")
        return name

    def terms(self, table: dict[str, Any]) -> tuple[Term, ...]:
        found: list[Term] = []
        seen: dict[str, str] = {}
        for category, entries in self.table(table, "terms").items():
            if not isinstance(entries, dict):
                raise self.bad(
                    f"terms.{category}", 'a class of terms is a table like [terms.exams] with "高考" = 0.9 in it'
                )
            for name, value in entries.items():
                key = f"terms.{category}.{name}"
                entry = value if isinstance(value, dict) else {"weight": value}
                if extra := set(entry) - {"weight", "synonyms"}:
                    raise self.bad(f"{key}.{min(extra)}", "unknown key; weight and synonyms are the keys")
                weight = self.number(key, entry.get("weight"), 1.0)
                term = Term(name, weight, category, tuple(self.words(entry, "synonyms", key)))
                for spelling in term.spellings:
                    self.word(key, spelling, seen)
                    seen[spelling.lower()] = key
                found.append(term)
        if not found:
            raise self.bad("terms", "a topic needs at least one term")
        return tuple(found)

    def word(self, key: str, word: str, taken: Any) -> str:
        if len(word) < SHORTEST:
            raise self.bad(key, f"{word!r} is too short; a term has at least {SHORTEST} characters")
        if word != word.strip():
            raise self.bad(key, f"{word!r} begins or ends with a blank")
        if word.lower() in taken or word in taken:
            raise self.bad(key, f"{word!r} is there twice")
        return word

    def threshold(self, key: str, value: Any) -> Threshold:
        if not isinstance(value, dict):
            both = self.number(key, value, 1.0)
            return Threshold(both, both)
        if set(value) != {"article", "headline"}:
            raise self.bad(key, "a number, or a table with article and headline")
        return Threshold(**{part: self.number(f"{key}.{part}", value[part], 1.0) for part in value})

    def model(self, key: str, value: Any) -> Model:
        try:
            return Model(value)
        except ValueError:
            raise self.bad(key, f"{value!r} is no model; the models are {', '.join(Model)}") from None

    def number(self, key: str, value: Any, most: float) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= most:
            raise self.bad(key, f"{value!r} is not a number above 0 and at most {most:g}")
        return float(value)

    def whole(self, table: dict[str, Any], key: str) -> int:
        value = table.get(key, 0)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise self.bad(key, f"{value!r} is not a whole number from 0")
        return value

    def text(self, table: dict[str, Any], key: str, default: str | None = None) -> str:
        value = table.get(key, default)
        if not isinstance(value, str) or (default is None and not value.strip()):
            raise self.bad(key, "is missing" if value is None else f"{value!r} is not a text")
        return value

    def table(self, table: dict[str, Any], key: str) -> dict[str, Any]:
        value = table.get(key, {})
        if not isinstance(value, dict):
            raise self.bad(key, "is not a table")
        return value

    def words(self, table: dict[str, Any], key: str, prefix: str = "") -> list[str]:
        value = table.get(key, [])
        whole = f"{prefix}.{key}" if prefix else key
        if not isinstance(value, list) or not all(isinstance(word, str) and len(word) >= SHORTEST for word in value):
            raise self.bad(whole, f"is not a list of words of at least {SHORTEST} characters")
        if blank := next((word for word in value if word != word.strip()), None):
            raise self.bad(whole, f"{blank!r} begins or ends with a blank")
        return value
