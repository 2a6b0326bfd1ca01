"""``python -m bench.gist FILE_OR_FOLDER ...``: keywords and summaries of saved pages against those that their editors wrote.

A page counts for keywords if its ``<meta name=keywords>`` has two words or more of its own title and text, and for summaries if most of its
``<meta name=description>`` stands in its text: the rest of what sites write there is about the site. Keywords are measured by the share of
the editor's words among ten, beside ``jieba.analyse`` (TF-IDF and TextRank); summaries by ROUGE-L (F1 of the longest common subsequence of
characters), beside the first two sentences. The exit code is 1 if ours is below one of them.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from newsspider.core.extraction.article import extract_article, summary_of
from newsspider.core.extraction.dom.page import UnreadablePageError, parse
from newsspider.core.extraction.keywords import extract_keywords
from newsspider.core.model import Article

SUFFIXES = frozenset({".html", ".htm", ".shtml"})
COUNT = 10  # keywords
LEAST_WORDS = 2
LEAST_TEXT = 200  # characters of an article
LEAST_DESCRIPTION, MOST_DESCRIPTION = 15, 300
GRAM, LEAST_SHARE = 4, 0.5  # of the description's characters that stand in the text
NOW = datetime(2025, 6, 16, tzinfo=UTC)
SENTENCE = re.compile(r"[^。！？]+[。！？]+[”」』）)]*")


@dataclass(frozen=True, slots=True)
class Told:
    """An article, and what its editor says of it."""

    title: str
    text: str
    words: tuple[str, ...]  # none where they say nothing of this article
    description: str  # empty likewise

    @classmethod
    def of(cls, article: Article) -> Told:
        """What counts of an article as it was read."""
        title, text = article.title or "", article.text
        words = tuple(word for word in article.meta_keywords if word in title or word in text)
        description = " ".join((article.meta_description or "").split()).rstrip(".…")
        fits = LEAST_DESCRIPTION <= len(description) <= MOST_DESCRIPTION and description != title
        fits = fits and _share(description, text) >= LEAST_SHARE
        return cls(title, text, words if len(words) >= LEAST_WORDS else (), description if fits else "")


def told_by(paths: Iterable[Path]) -> list[Told]:
    """The articles of saved pages that are long enough."""
    pages = []
    for path in paths:
        try:
            article = extract_article(parse(path.read_bytes(), f"http://{path.parent.name}.example/{path.name}"), NOW)
        except UnreadablePageError:
            continue
        if len(article.text) >= LEAST_TEXT:
            pages.append(Told.of(article))
    return pages


def our_keywords(page: Told) -> Sequence[str]:
    """As a crawl chooses them for a page without any of its own."""
    return extract_keywords(page.title, page.text, (), COUNT)


def tf_idf(page: Told) -> Sequence[str]:
    """Of jieba."""
    import jieba.analyse

    return list(jieba.analyse.extract_tags(f"{page.title}\n{page.text}", topK=COUNT))


def text_rank(page: Told) -> Sequence[str]:
    """Of jieba."""
    import jieba.analyse

    return list(jieba.analyse.textrank(f"{page.title}\n{page.text}", topK=COUNT))


def our_summary(page: Told) -> str:
    """As a crawl chooses it for a page without description."""
    return summary_of(page.text.split("\n"), None, page.title)


def first_two(page: Told) -> str:
    """The first two sentences of the text."""
    return "".join(SENTENCE.findall(page.text.replace("\n", ""))[:2]) or page.text


def recall(chosen: Iterable[str], expected: Sequence[str]) -> float:
    """The share of the wanted words that were found, whatever their case."""
    have = {word.lower() for word in chosen}
    return sum(word.lower() in have for word in expected) / len(expected)


def rouge_l(text: str, reference: str) -> float:
    """F1 of the longest common subsequence of characters."""
    previous_row = [0] * (len(reference) + 1)
    for mine in text:
        row = [0]
        for place, theirs in enumerate(reference):
            row.append(previous_row[place] + 1 if mine == theirs else max(previous_row[place + 1], row[place]))
        previous_row = row
    return 2 * previous_row[-1] / (len(text) + len(reference)) if text else 0.0


KEYWORDS: dict[str, Callable[[Told], Sequence[str]]] = {
    "newsspider": our_keywords,
    "TF-IDF": tf_idf,
    "TextRank": text_rank,
}
SUMMARIES: dict[str, Callable[[Told], str]] = {"newsspider": our_summary, "first two": first_two}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the pages and print the figures; the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.gist", description=__doc__.splitlines()[0] if __doc__ else ""
    )
    parser.add_argument("paths", nargs="+", type=Path, help="pages, or folders of them")
    paths: list[Path] = parser.parse_args(arguments).paths
    files = (file for path in paths for file in (sorted(path.rglob("*")) if path.is_dir() else [path]))
    articles = told_by(file for file in files if file.suffix.lower() in SUFFIXES and file.is_file())
    worded, described = [page for page in articles if page.words], [page for page in articles if page.description]
    print(f"{len(articles)} articles, {len(worded)} with keywords of an editor, {len(described)} with a description")
    if not worded or not described:
        print("too few to measure")
        return 1
    met = {
        name: statistics.fmean(recall(choose(page), page.words) for page in worded) for name, choose in KEYWORDS.items()
    }
    near = {
        name: statistics.fmean(rouge_l(sum_up(page), page.description) for page in described)
        for name, sum_up in SUMMARIES.items()
    }
    print("recall of the editor's keywords: " + ", ".join(f"{name} {value:.3f}" for name, value in met.items()))
    print("ROUGE-L against the description: " + ", ".join(f"{name} {value:.3f}" for name, value in near.items()))
    return 0 if max(met, key=met.__getitem__) == "newsspider" and near["newsspider"] >= near["first two"] else 1


def _share(description: str, text: str) -> float:
    """The share of the 4-grams of ``told`` that stand in the text."""
    squeezed = "".join(text.split())
    letters = "".join(description.split())
    grams = [letters[start : start + GRAM] for start in range(len(letters) - GRAM + 1)]
    return sum(gram in squeezed for gram in grams) / len(grams) if grams else 0.0


if __name__ == "__main__":
    sys.exit(main())
