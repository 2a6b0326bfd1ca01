"""What is wanted of a topic's scores and what was reached: tables of the models, bins of the calibration, a last table of all figures."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from bench.topic_peers import Scored
from newsspider.features.workbench.labelled_texts import Labelled
from newsspider.features.workbench.precision_and_recall import bins, measured

DEFAULT, LEARNED = "blend", "learned"
MOST_ERROR = 0.03  # of the calibration, on every set
RECALL = 0.97

Figures = dict[str, float]
# set -> what is wanted of the default on it: the name of the figure, the least value
WANTED: dict[str, tuple[tuple[str, float], ...]] = {
    "thucnews-dev": (
        ("f1", 0.955),
        ("precision", 0.96),
        ("precision over recall", 0.0),
        (f"precision at recall {RECALL}", 0.80),
    ),
    "toutiao-held-out": (("f1", 0.81),),
    "fudan-5-folds": (("f1", 0.93),),
    "cnews-5-folds": (("f1", 0.97),),
    "toutiao-unseen": (("f1", 0.72),),
}


@dataclass(slots=True)
class Board:
    """Collects the figures. ``quiet`` prints none of them."""

    quiet: bool = False
    lines: list[tuple[str, str, str, bool]] = field(default_factory=list)

    def compare(self, name: str, texts: Sequence[Labelled], rows: dict[str, Scored]) -> float:
        """Take up what the models say of a set and print it; returns the F1 of the default."""
        truth = [example.relevant for example in texts]
        figures = {model: measured(scored, truth) for model, scored in rows.items()}
        best = figures[DEFAULT]
        if self.quiet:
            return best["f1"]
        scores = [score for score, _ in rows[DEFAULT]]
        at_recall = precision_at(RECALL, scores, truth)
        print(f"\n{name}: {len(texts)} texts, {sum(truth)} on topic; precision {at_recall:.3f} at recall {RECALL}")
        for model, measures in figures.items():
            print(
                f"  {model:14}"
                + "".join(f"{title.replace('_', ' '):>20} {value:.4f}" for title, value in measures.items())
            )
        print(
            "  sure/right "
            + "  ".join(f"{sure:.2f}/{right:.2f} ({count})" for sure, right, count in bins(scores, truth)),
            flush=True,
        )
        more = {"precision over recall": best["precision"] - best["recall"], f"precision at recall {RECALL}": at_recall}
        for figure, least in WANTED.get(name, ()):
            self.least(f"{name}: {figure}", least, (best | more)[figure])
        self.most(f"{name}: calibration error", MOST_ERROR, best["calibration_error"])
        peer = max(
            (model for model in figures if model not in (DEFAULT, LEARNED)),
            key=lambda model: figures[model]["f1"],
            default="",
        )
        if peer:
            self.least(f"{name}: F1 over that of {peer}", 0.0, best["f1"] - figures[peer]["f1"])
        return best["f1"]

    def least(self, what: str, goal: float, reached: float) -> None:
        self._take(what, f">= {goal:g}", f"{reached:.4f}", reached >= goal)

    def most(self, what: str, goal: float, reached: float, show: Callable[[float], str] = "{:.4f}".format) -> None:
        self._take(what, f"<= {goal:g}", show(reached), reached <= goal)

    def _take(self, *line: object) -> None:
        self.lines.append(line)  # type: ignore[arg-type]

    def close(self) -> int:
        """Print all figures, if there are some; 1 if one is not reached."""
        if self.lines:
            print(f"\n{'figure':58}{'wanted':>12}{'reached':>12}")
        for what, goal, reached, is_reached in self.lines:
            print(f"{what:58}{goal:>12}{reached:>12}{'' if is_reached else '   NOT REACHED'}")
        return 0 if all(line[-1] for line in self.lines) else 1


def precision_at(recall: float, scores: Sequence[float], truth: Sequence[bool]) -> float:
    """The precision at the highest threshold that has at least this recall."""
    ranked = sorted(zip(scores, truth, strict=True), key=lambda pair: -pair[0])
    hits = list(accumulate(answer for _, answer in ranked))
    rank = bisect_left(hits, recall * sum(truth))
    return hits[rank] / (rank + 1) if hits else 0.0
