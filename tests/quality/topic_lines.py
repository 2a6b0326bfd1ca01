"""The labelled headlines of ``tests/quality/topic``, their two halves, and what the shipped topic makes of them.

python -m tests.quality.topic_lines               the training half as labelled lines for ``scrapy topics train``
python -m tests.quality.topic_lines --figures     precision, recall and F1 on the held half, by sub-theme
"""

import hashlib
import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from newsspider.core.relevance.scoring import Document, score
from newsspider.core.relevance.topic import TopicProfile
from newsspider.features.workbench.precision_and_recall import measured
from newsspider.topics.loader import load_topic

FOLDER = Path(__file__).parent / "topic"
SOURCE = "own"
WEIGHT = 0.3  # the public corpora must not lose by these lines
TRAINING_ONLY = "fourth"


@dataclass(frozen=True, slots=True)
class Line:
    """One labelled text."""

    relevant: bool
    theme: str
    batch: str
    headline: str
    text: str = ""

    @property
    def held(self) -> bool:
        digest = hashlib.sha256(f"{self.headline}\n{self.text}".encode()).digest()
        return self.batch != TRAINING_ONLY and digest[0] % 2 == 1


def lines() -> Iterator[Line]:
    """All labelled texts, file by file."""
    for path in sorted(FOLDER.glob("*.tsv")):
        for row in path.read_text("utf-8").splitlines():
            label, *fields = row.split("\t")
            yield Line(label == "1", *fields)


def training_lines() -> Iterator[str]:
    """The training half as labelled JSON lines; a short text is read together with its headline."""
    for line in lines():
        if not line.held:
            title = f"{line.headline}\n{line.text}" if line.text else line.headline
            row = {"title": title, "relevant": line.relevant, "source": SOURCE, "weight": WEIGHT}
            yield json.dumps(row, ensure_ascii=False)


def figures(topic: TopicProfile, texts: Iterable[Line]) -> dict[str, float]:
    """Precision, recall and F1 of the topic on these texts, and their number."""
    judged = list(texts)
    answers = [score(topic, Document(title=line.headline, text=line.text)) for line in judged]
    truth = [line.relevant for line in judged]
    values = measured([(answer.score, answer.relevant) for answer in answers], truth)
    return {"texts": len(judged), **{name: values[name] for name in ("precision", "recall", "f1")}}


def show_figures() -> None:
    topic = load_topic("education")
    held = [line for line in lines() if line.held]
    parts = {"all headlines": [line for line in held if not line.text], "short bodies": [x for x in held if x.text]}
    parts |= {f"batch {name}": [x for x in held if x.batch == name] for name in sorted({x.batch for x in held if not x.text})}
    parts |= {name: [x for x in held if x.theme == name and not x.text] for name in sorted({x.theme for x in held})}
    for name, part in parts.items():
        values = figures(topic, part)
        row = "  ".join(f"{figure} {value:.3f}" for figure, value in values.items() if figure != "texts")
        sys.stdout.write(f"{name:18}{values['texts']:>5}  {row}\n")


if __name__ == "__main__":
    if "--figures" in sys.argv:
        show_figures()
    else:
        sys.stdout.writelines(f"{line}\n" for line in training_lines())
