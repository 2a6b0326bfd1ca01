"""Measures the reader on the article pages: what of each field is right, and on which pages it is not."""

import sys
from dataclasses import dataclass, field
from datetime import UTC, datetime

from newsspider.core.extraction.article import extract_article
from newsspider.core.extraction.dom.page import UnreadablePageError, parse
from newsspider.core.extraction.page_type import page_type_of
from newsspider.core.links.page_links import page_links
from newsspider.core.model import Article
from tests.quality.article_pages import f1
from tests.quality.articles.date_lines import date_lines
from tests.quality.articles.pages import STORIES, Sample, samples

NOW = datetime(2024, 6, 15, tzinfo=UTC)
STORED = ("article", "blog", "forum")


@dataclass
class Measure:
    """Shares of right answers, and the wrong ones."""

    right: dict[str, int] = field(default_factory=dict)
    asked: dict[str, int] = field(default_factory=dict)
    bodies: list[float] = field(default_factory=list)
    named: list[int] = field(default_factory=lambda: [0, 0, 0])  # authors: right, given, wanted
    wrong: list[str] = field(default_factory=list)

    def note(self, what: str, sample: Sample, actual: object, expected: object, *, right: bool) -> None:
        self.asked[what] = self.asked.get(what, 0) + 1
        self.right[what] = self.right.get(what, 0) + right
        if not right:
            self.wrong.append(f"{what:6} {sample.name}/{sample.variant}: {actual!r} instead of {expected!r}")

    def share(self, what: str) -> float:
        return self.right[what] / self.asked[what]

    @property
    def body(self) -> float:
        return sum(self.bodies) / len(self.bodies)

    @property
    def precision(self) -> float:
        return self.named[0] / max(1, self.named[1])

    @property
    def recall(self) -> float:
        return self.named[0] / self.named[2]


def measured(name: str = "", kind: str = "") -> Measure:
    """The measure of all pages whose names, and kinds, begin so."""
    result = Measure()
    for sample in samples():
        if sample.name.startswith(name) and sample.kind.startswith(kind):
            _compare(result, sample)
    return result


def _compare(result: Measure, sample: Sample) -> None:
    page = parse(sample.html.encode(), sample.url, "text/html; charset=utf-8")
    try:
        article = extract_article(page, NOW)
    except UnreadablePageError:
        article = Article()
    kind = page_type_of(page, article, page_links(page)).value
    result.note("kind", sample, kind, sample.kind, right=kind == sample.kind)
    if sample.kind not in STORED:
        return
    result.note("title", sample, article.title, sample.title, right=article.title == sample.title)
    length = len(sample.published or "")
    stamp = f"{article.published_at:%Y-%m-%d %H:%M}"[: length or None] if article.published_at else None
    result.note("date", sample, stamp, sample.published, right=stamp == sample.published)
    result.note("source", sample, article.source, sample.source, right=article.source == sample.source)
    authors, expected = set(article.authors), set(sample.authors)
    result.note("author", sample, article.authors, sample.authors, right=authors == expected)
    for at, names in enumerate((authors & expected, authors, expected)):
        result.named[at] += len(names)
    result.bodies.append(value := f1(article.text, "".join(sample.text)))
    if value < 0.97:
        result.wrong.append(f"body   {sample.name}/{sample.variant}: {value:.3f} {article.text[:60]!r} ... {article.text[-60:]!r}")


def dates(seed: int) -> Measure:
    """The measure of the lines with dates of a seed: right, given and wanted in ``named``."""
    result = Measure()
    paragraphs = "".join(f"<p>{line}</p>" for line in STORIES["stories"][0][1:])
    title = STORIES["stories"][0][0]
    for line in date_lines(seed):
        markup = f"<title>{title}</title><body><h1>{title}</h1><div>{line.text}</div><div class=content>{paragraphs}</div>"
        article = extract_article(parse(markup.encode(), "http://www.example.cn/a/12.html", "text/html; charset=utf-8"), NOW)
        truth, at = line.published, article.published_at
        stamp = f"{at:%Y-%m-%d %H:%M}"[: len(truth or "") or None] if at else None
        for place, counts in enumerate((stamp is not None and stamp == truth, stamp is not None, truth is not None)):
            result.named[place] += counts
        if stamp != truth:
            result.wrong.append(f"{line.text!r}: {stamp} instead of {truth}")
    return result


def report(measure: Measure) -> str:
    """What was wrong, then all shares in a line."""
    shares = {what: round(measure.share(what), 4) for what in measure.asked}
    authors = f"authors P {measure.precision:.3f} R {measure.recall:.3f}"
    return "\n".join((*measure.wrong, f"{shares} body {measure.body:.4f}, {authors}, {len(measure.bodies)} pages"))


if __name__ == "__main__":
    sys.stdout.write(report(measured(*sys.argv[1:2])) + "\n")
