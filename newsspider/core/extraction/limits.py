"""Bounds what an article holds, so that no page fills memory or store, and drops harmful characters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from newsspider.core.model import LONGEST_TEXT, LONGEST_TITLE, Article, Image
from newsspider.core.text.characters import one_line, printable
from newsspider.core.url import LONGEST_URL

MOST_NAMES, LONGEST_NAME = 50, 100  # authors, editors; characters of each, and of the source
MOST_HEADINGS, LONGEST_HEADING = 500, LONGEST_TITLE
MOST_IMAGES, LONGEST_CAPTION = 500, 512
MOST_ATTACHMENTS = 300
MOST_COMMENTS = 2_000
LONGEST_DESCRIPTION = 4_096


def limited(article: Article) -> Article:
    """The printable article, each field cut to its limit; :attr:`Article.truncated` is set if title or text was cut."""
    return replace(
        article,
        title=_line(article.title, LONGEST_TITLE),
        authors=_names(article.authors),
        editors=_names(article.editors),
        source=_cut(article.source, LONGEST_NAME),
        text=cut_text(article.text),
        summary=printable(article.summary),
        meta_keywords=tuple(map(printable, article.meta_keywords)),
        meta_description=_cut(article.meta_description, LONGEST_DESCRIPTION),
        meta_title=_line(article.meta_title, LONGEST_TITLE),
        headings=tuple(one_line(heading, LONGEST_HEADING) for heading in article.headings[:MOST_HEADINGS]),
        images=limited_images(article.images),
        comments=_within(map(printable, article.comments[:MOST_COMMENTS]), LONGEST_TEXT),
    )


def cut_text(text: str) -> str:
    """The printable text, no longer than :data:`~newsspider.core.model.LONGEST_TEXT`."""
    return printable(text[:LONGEST_TEXT])


def limited_images(images: Iterable[Image]) -> tuple[Image, ...]:
    """The first images, with their captions cut; without ``data:`` URLs and others that are too long."""
    short = [image for image in images if len(image.url) <= LONGEST_URL]
    return tuple(Image(image.url, one_line(image.caption, LONGEST_CAPTION)) for image in short[:MOST_IMAGES])


def _line(text: str | None, longest: int) -> str | None:
    return one_line(text, longest) or None if text else text


def _cut(text: str | None, longest: int) -> str | None:
    """The same with its line breaks and spaces."""
    return printable(text)[:longest] or None if text else text


def _names(names: Iterable[str]) -> tuple[str, ...]:
    cut = (one_line(name, LONGEST_NAME) for name in names)
    return tuple(name for name in cut if name)[:MOST_NAMES]


def _within(texts: Iterable[str], most: int) -> tuple[str, ...]:
    """The first texts, as many as have no more characters together."""
    results: list[str] = []
    for text in texts:
        most -= len(text)
        if most < 0:
            break
        results.append(text)
    return tuple(results)
