"""Reads phrase files and writes sentences from them: slots, choices, and names that stay the same in one article."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from random import Random

PHRASES = Path(__file__).parent / "phrases"

# A slot of these is filled once an article: its place, its people, what it is about.
BOUND = frozenset(
    (
        "prov",
        "city",
        "county",
        "street",
        "school",
        "uni",
        "person",
        "expert",
        "local",
        "md",
        "year",
        "matter",
        "doc",
        "which",
        "thing",
        "trade",
        "vschool",
        "major",
        "land",
        "team",
        "firm",
        "show",
        "gear",
        "ill",
        "spot",
        "car",
        "crop",
        "typhoon",
    )
)
RANGES = {
    "n1": (2, 9),
    "n2": (12, 98),
    "n2low": (10, 29),
    "n2mid": (31, 49),
    "n3": (105, 987),
    "n4": (1020, 9870),
    "score": (381, 529),
    "tel": (62010000, 68990000),
}
_SLOT = re.compile(r"<([\w-]+)>")
_CHOICE = re.compile(r"\(([^()]*\|[^()]*)\)")


@dataclass(frozen=True, slots=True)
class Theme:
    """One class of news: its name, whether it is about education, and its phrases by slot."""

    name: str
    label: str
    relevant: bool
    phrases: dict[str, tuple[str, ...]]


@dataclass(slots=True)
class Voice:
    """Writes phrases of one theme with one random source; bound slots keep their value for its life."""

    theme: dict[str, tuple[str, ...]]
    random: Random
    bound: dict[str, str] = field(default_factory=dict)

    def say(self, phrase: str) -> str:
        """The phrase with its choices made and its slots filled."""
        while True:
            phrase, choices = _CHOICE.subn(lambda found: self.random.choice(found[1].split("|")), phrase)
            phrase, slots = _SLOT.subn(lambda found: self._slot(found[1]), phrase)
            if not choices and not slots:
                return phrase

    def one(self, slot: str) -> str:
        """One phrase of the slot's list, written out."""
        return self.say(f"<{slot}>")

    def some(self, slot: str, count: int) -> list[str]:
        """``count`` different phrases of the slot's list, in random order, not yet written out."""
        options = self._options(slot)
        return self.random.sample(options, min(count, len(options)))

    def _slot(self, name: str) -> str:
        if name in self.bound:
            return self.bound[name]
        value = self._number(name) or self.say(self.random.choice(self._options(name)))
        if name in BOUND:
            self.bound[name] = value
        return value

    def _options(self, name: str) -> tuple[str, ...]:
        return self.theme.get(name) or common()[name]

    def _number(self, name: str) -> str | None:
        if name in RANGES:
            return str(self.random.randint(*RANGES[name]))
        match name:
            case "pct":
                return f"{self.random.randint(11, 98)}.{self.random.randint(1, 9)}%"
            case "pct1":
                return f"{self.random.randint(0, 4)}.{self.random.randint(1, 99):02}%"
            case "score1":
                return f"{self.random.randint(5, 9)}.{self.random.randint(1, 9)}"
            case "wan":
                return f"{self.random.randint(1, 60)}.{self.random.randint(1, 9)}万"
        return None


@lru_cache
def common() -> dict[str, tuple[str, ...]]:
    """The slots that every theme shares."""
    return _read("common.txt")[""][2]


@lru_cache
def themes() -> tuple[Theme, ...]:
    """All themes, those about education first."""
    themes_read = []
    for file, relevant in (("education.txt", True), ("other.txt", False)):
        for name, (label, _, phrases) in _read(file).items():
            if name:
                themes_read.append(Theme(name, label, relevant, phrases))
    return tuple(themes_read)


def _read(file: str) -> dict[str, tuple[str, str, dict[str, tuple[str, ...]]]]:
    """Label, file and slots of each section of a phrase file; "" is the part before the first section."""
    sections: dict[str, tuple[str, str, dict[str, list[str]]]] = {"": ("", file, {})}
    slots, current = sections[""][2], ""
    for line in (PHRASES / file).read_text("utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        if line.startswith("== "):
            _, name, label = line.split()
            sections[name] = (label, file, {})
            slots = sections[name][2]
        elif line.startswith("@"):
            name, *words = line[1:].split()
            slots[name] = words
        elif line.startswith("  "):
            slots[current].extend(line.split() if current == "tag" else [line.strip()])
        else:
            current = line
            slots[current] = []
    return {
        name: (label, file, {slot: tuple(options) for slot, options in slots.items()})
        for name, (label, file, slots) in sections.items()
    }
