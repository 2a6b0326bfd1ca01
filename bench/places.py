"""How often the places that an article is said to be about are those that a reader named.

    python -m bench.places [FILE.tsv ...]

Each line of a file has the places, a title and a text, between tabs. A place is one that the reader of its news would want the article
for: it happens there, or is of its people, offices or schools. What a speaker, a company or a university is called after is none; nor is
the capital, where only the country's news is made. ``?`` stands before a place that is neither right nor wrong. Cities count with their
province, as they do in a search. The peer takes every word that jieba tags as a place. The exit code is 1 if precision or recall is below
its goal.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from newsspider.core.text.regions import MOST_READ, region_name, regions_named, with_provinces

OWN_TEXTS = Path(__file__).with_name("place_texts.tsv")
LEAST_PRECISION, LEAST_RECALL = 0.95, 0.85


class Labelled(NamedTuple):
    """An article with the places that it is about, and with those that it may be about."""

    about: frozenset[str]
    allowed: frozenset[str]
    title: str
    text: str


class Figures(NamedTuple):
    """Places that were found rightly and wrongly, and those that were missed."""

    right: int
    wrong: int
    missed: int

    @property
    def precision(self) -> float:
        return self.right / ((self.right + self.wrong) or 1)

    @property
    def recall(self) -> float:
        return self.right / ((self.right + self.missed) or 1)


def labelled(file: Path) -> list[Labelled]:
    """The articles of a file."""
    articles = []
    with file.open(encoding="utf-8", newline="") as lines:
        for places, title, text in csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            sure = [place for place in places.split() if place[0] != "?"]
            allowed = [place.lstrip("?") for place in places.split()]
            unknown = [place for place in allowed if region_name(place) != place]
            if unknown:
                raise ValueError(f"{file}: {title}: {' '.join(unknown)} is the short name of no province or city")
            articles.append(Labelled(frozenset(with_provinces(sure)), frozenset(with_provinces(allowed)), title, text))
    return articles


def measured(articles: Iterable[Labelled], places_of: Callable[[str, str], Iterable[str]], *, show: bool) -> Figures:
    """The figures of one way to find places; prints the articles that it reads wrongly."""
    right = wrong = missed = 0
    for article in articles:
        found = frozenset(with_provinces(places_of(article.title, article.text)))
        extra, lost = found - article.allowed, article.about - found
        right, wrong, missed = right + len(found & article.about), wrong + len(extra), missed + len(lost)
        if show and (extra or lost):
            print(
                f"  {article.title or article.text[:30]}: wrong {' '.join(extra) or '-'}, missed {' '.join(lost) or '-'}"
            )
    return Figures(right, wrong, missed)


def tagged(title: str, text: str) -> list[str]:
    """The places that jieba tags in a text."""
    import jieba.posseg

    words = (pair.word for pair in jieba.posseg.cut(f"{title}\n{text[:MOST_READ]}") if pair.flag == "ns")
    return [name for name in map(region_name, words) if name]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.places", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE.tsv", help=f"default: {OWN_TEXTS.name}")
    parser.add_argument("--show", action="store_true", help="the articles that are read wrongly")
    options = parser.parse_args()
    good = True
    for file in options.files or [OWN_TEXTS]:
        articles = labelled(file)
        print(
            f"{file.name}: {len(articles)} articles, {sum(bool(article.about) for article in articles)} about a place"
        )
        ours, peer = measured(articles, regions_named, show=options.show), measured(articles, tagged, show=False)
        for name, figures in (("newsspider", ours), ("jieba's tags", peer)):
            print(f"  {name:<13} precision {figures.precision:.3f}  recall {figures.recall:.3f}  {tuple(figures)}")
        good = good and ours.precision >= LEAST_PRECISION and ours.recall >= LEAST_RECALL
    return int(not good)


if __name__ == "__main__":
    raise SystemExit(main())
