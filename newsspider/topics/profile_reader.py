"""Reads the content of a topic file, and refuses what is wrong with file, key and reason.

Written by hand: models of pydantic need more lines, for a key's reason often depends on another key.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from newsspider.core.query.parser import RuleError
from newsspider.core.relevance.model_names import Model
from newsspider.core.relevance.rule_language import RuleVerdict, TopicRule, values_asked
from newsspider.core.relevance.topic import Target, Term, Threshold, TopicProfile
from newsspider.core.text.characters import fold_text
from newsspider.sites.model import MediaClass
from newsspider.topics.shipped import EVERYTHING

KEYS = frozenset(
    {
        *("name", "title", "model", "saturation", "tags", "thresholds", "terms", "negative", "decoys"),
        *("rules", "subtopics", "training", "link_threshold", "threshold", "keep"),
    }
)
RULE_KEYS = frozenset({"when", "weight", "verdict", "name"})
LAYOUTS = ("text, label", "label, text", "json", "folders")
TARGETS = frozenset({"precision", "recall"})
TAGS = ("alpha", "beta", "gamma")
SHORTEST_TERM = 2  # characters of a term: one alone is found everywhere


@dataclass(frozen=True, slots=True)
class PublicCorpus:
    """A public file that weights are made from, and how it is read."""

    source: str  # files of one source share their classes
    origin: str  # where it is to be had
    sha256: str  # of the file, or of the folder by :func:`newsspider.features.workbench.labelled_texts.hash_of`
    layout: str  # "text, label", "label, text", "json" or "folders"
    topic: tuple[str, ...]  # the labels of what is about the topic
    groups: Mapping[str, str]  # label -> group of labels; a label in none is "other"
    separator: str = "\t"
    text: str = "text"  # keys of a JSON line
    label: str = "label"
    articles: bool = False  # whole articles, not headlines
    held_out: int = 0  # one text in this many is kept from training, to be measured


TRAINING_KEYS = frozenset(field.name for field in fields(PublicCorpus))


class TopicError(ValueError):
    """A profile that cannot be used: which file, which key, and why."""

    def __init__(self, file: str, key: str, reason: str) -> None:
        super().__init__(f"{file}: {key}: {reason}" if key else f"{file}: {reason}")
        self.file = file
        self.key = key
        self.reason = reason


class ProfileReader:
    """Reads one topic file; every error names the file."""

    def __init__(self, file: str) -> None:
        self.file = file

    def bad(self, key: str, reason: str) -> TopicError:
        return TopicError(self.file, key, reason)

    def profile(self, table: dict[str, Any]) -> TopicProfile:
        for key in table:
            if key not in KEYS:
                raise self.bad(key, f"unknown key; the keys are {', '.join(sorted(KEYS))}")
        terms = self.terms(table)
        factors = dict.fromkeys(TAGS, 1.0) | self.table(table, "tags")
        if unknown := set(factors) - set(TAGS):
            raise self.bad(f"tags.{min(unknown)}", "unknown key; alpha, beta and gamma are the keys")
        model = self.model("model", table.get("model", Model.BLEND.value))
        thresholds = {
            self.model(f"thresholds.{name}", name): self.threshold(f"thresholds.{name}", value)
            for name, value in self.table(table, "thresholds").items()
        }
        target = self.target(table, model, thresholds)
        if "threshold" in table and target is None:
            thresholds[model] = self.threshold("threshold", table["threshold"])
        return TopicProfile(
            name=self.name(table),
            title=self.text(table, "title", ""),
            model=model,
            target=target,
            terms=terms,
            negative=self.negative(table, terms),
            decoys=tuple(self.words(table, "decoys")),
            thresholds=thresholds,
            saturation=self.whole(table, "saturation"),
            tag_factors=tuple(self.number(f"tags.{name}", factors[name], 3.0) for name in TAGS),  # type: ignore[arg-type]
            rules=self.rules(table),
            subtopics={
                name: self.rule(f"subtopics.{name}", when) for name, when in self.table(table, "subtopics").items()
            },
            link_threshold=self.number("link_threshold", table["link_threshold"], 0.99)
            if "link_threshold" in table
            else 0.0,
            keeps_borderline=self.keeps_borderline(table),
        )

    def keeps_borderline(self, table: dict[str, Any]) -> bool:
        if (keep := table.get("keep", "relevant")) not in ("relevant", "borderline"):
            raise self.bad("keep", f"{keep!r} is none of relevant, borderline")
        return bool(keep == "borderline")

    def rules(self, table: dict[str, Any]) -> tuple[TopicRule, ...]:
        rules = []
        for number, entry in enumerate(self.tables(table, "rules", RULE_KEYS), 1):
            key = f"rules[{number}]"
            try:
                verdict = RuleVerdict(entry.get("verdict", RuleVerdict.WEIGH.value))
            except ValueError:
                raise self.bad(f"{key}.verdict", f"{entry['verdict']!r} is none of {', '.join(RuleVerdict)}") from None
            weight = entry.get("weight", 0.0)
            if verdict is not RuleVerdict.WEIGH and "weight" in entry:
                raise self.bad(f"{key}.weight", f"a rule that says {verdict} weighs nothing; say one of both")
            if verdict is RuleVerdict.WEIGH and (
                isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 < abs(weight) < 1
            ):
                raise self.bad(f"{key}.weight", f"{weight!r} is not a number between -1 and 1 other than 0")
            rules.append(
                self.rule(f"{key}.when", entry.get("when"), verdict, float(weight), self.text(entry, "name", ""))
            )
        return tuple(rules)

    def rule(
        self, key: str, when: Any, verdict: RuleVerdict = RuleVerdict.WEIGH, weight: float = 0.0, name: str = ""
    ) -> TopicRule:
        if not isinstance(when, str):
            raise self.bad(key, "is missing" if when is None else f"{when!r} is not a rule")
        try:
            rule = TopicRule(when, verdict, weight, name)
        except RuleError as error:
            raise self.bad(key, str(error)) from error
        for field, value, at in values_asked(when):
            if field == "media" and value not in list(MediaClass):
                raise self.bad(
                    key, f"at character {at}: {value!r} is no media class; the classes are {', '.join(MediaClass)}"
                )
        return rule

    def training(self, table: dict[str, Any]) -> tuple[PublicCorpus, ...]:
        described = []
        for number, entry in enumerate(self.tables(table, "training", TRAINING_KEYS), 1):
            key = f"training[{number}]"
            if entry.get("layout") not in LAYOUTS:
                raise self.bad(f"{key}.layout", f"is none of {'; '.join(LAYOUTS)}")
            labels_of = self.table(entry, "groups")
            groups = {label: group for group in labels_of for label in self.labels(labels_of, group, f"{key}.groups")}
            texts = {name: self.text(entry, name) for name in ("source", "origin", "sha256", "layout")}
            texts |= {name: self.text(entry, name) for name in ("separator", "text", "label") if name in entry}
            described.append(
                PublicCorpus(
                    topic=tuple(self.labels(entry, "topic", key)),
                    groups=groups,
                    articles=bool(entry.get("articles")),
                    held_out=self.whole(entry, "held_out"),
                    **texts,
                )
            )
        return tuple(described)

    def labels(self, table: dict[str, Any], key: str, prefix: str) -> list[str]:
        value = table.get(key)
        if not isinstance(value, list) or not value or not all(isinstance(label, str) for label in value):
            raise self.bad(f"{prefix}.{key}", "is not a list of labels")
        return value

    def tables(self, table: dict[str, Any], key: str, keys: frozenset[str]) -> list[dict[str, Any]]:
        entries = table.get(key, [])
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise self.bad(key, f"is not a list of tables, [[{key}]]")
        for number, entry in enumerate(entries, 1):
            if extra := set(entry) - keys:
                raise self.bad(f"{key}[{number}].{min(extra)}", f"unknown key; the keys are {', '.join(sorted(keys))}")
        return entries

    def name(self, table: dict[str, Any]) -> str:
        name = self.text(table, "name").strip()
        if name == EVERYTHING:
            raise self.bad("name", f"{EVERYTHING!r} is the built-in topic that keeps everything; choose another name")
        return name

    def terms(self, table: dict[str, Any]) -> tuple[Term, ...]:
        terms: list[Term] = []
        spellings: set[str] = set()
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
                    self.word(key, spelling, spellings)
                    spellings.add(fold_text(spelling))
                terms.append(term)
        if not terms:
            raise self.bad("terms", "a topic needs at least one term")
        return tuple(terms)

    def negative(self, table: dict[str, Any], terms: tuple[Term, ...]) -> dict[str, float]:
        weights: dict[str, float] = {}
        spellings = {fold_text(spelling) for term in terms for spelling in term.spellings}
        for word, weight in self.table(table, "negative").items():
            weights[self.word("negative", word, spellings)] = self.number(f"negative.{word}", weight, 0.999)
            spellings.add(fold_text(word))
        return weights

    def word(self, key: str, word: str, spellings: set[str]) -> str:
        if len(word) < SHORTEST_TERM:
            raise self.bad(key, f"{word!r} is too short; a term has at least {SHORTEST_TERM} characters")
        if word != word.strip():
            raise self.bad(key, f"{word!r} begins or ends with a blank")
        if fold_text(word) in spellings:
            raise self.bad(key, f"{word!r} is there twice")
        return word

    def threshold(self, key: str, value: Any) -> Threshold:
        if not isinstance(value, dict):
            both = self.number(key, value, 1.0)
            return Threshold(both, both)
        if set(value) != {"article", "headline"}:
            raise self.bad(key, "a number, or a table with article and headline")
        return Threshold(**{part: self.number(f"{key}.{part}", value[part], 1.0) for part in value})

    def target(self, table: dict[str, Any], model: Model, thresholds: dict[Model, Threshold]) -> Target | None:
        """What ``threshold`` asks for, if that is no number; it stands for the profile's own model."""
        value = table.get("threshold")
        if value is not None and model in thresholds:
            raise self.bad("threshold", f"thresholds.{model} says it, too; say one of both")
        if not isinstance(value, dict) or set(value) == {"article", "headline"}:
            return None
        if len(value) != 1 or not set(value) <= TARGETS:
            raise self.bad("threshold", "a number, or a table with precision or recall, or with article and headline")
        if model not in (Model.BLEND, Model.LEARNED):
            raise self.bad("threshold", f"a target needs trained weights, and the model {model} has none")
        figure, least = next(iter(value.items()))
        return Target(figure, self.number(f"threshold.{figure}", least, 1.0))

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
        if not isinstance(value, list) or not all(
            isinstance(word, str) and len(word) >= SHORTEST_TERM for word in value
        ):
            raise self.bad(whole, f"is not a list of words of at least {SHORTEST_TERM} characters")
        if blank := next((word for word in value if word != word.strip()), None):
            raise self.bad(whole, f"{blank!r} begins or ends with a blank")
        return value
