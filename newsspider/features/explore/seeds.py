"""Reads the seeds of an explore crawl, from a file or from the argument itself."""

from __future__ import annotations

import re
from pathlib import Path

from newsspider.core.url import LONGEST_URL, canonical
from newsspider.crawl.wrong_use import wrong_use
from newsspider.features.explore.crawl_starts import Seed

LARGEST_WEIGHT = 10

_COMMENT = re.compile(r"(?:^|\s)#.*")


def read_seeds(argument: str) -> tuple[Seed, ...]:
    """The distinct seeds of ``FILE`` or ``URL,URL...``; raises ``UsageError`` for the first bad one.

    A file has one URL per line, optionally followed by a weight of 1 to 10; ``#`` starts a comment at the start of a
    line or after a space.
    """
    if "://" in argument:
        lines = [("", url) for url in argument.split(",") if url.strip()]
    else:
        lines = [(f"{argument}, line {number}: ", line) for number, line in enumerate(_text(argument).splitlines(), 1)]
    seeds = [_seed(where, text) for where, line in lines if (text := _COMMENT.sub("", line).strip())]
    if not seeds:
        raise wrong_use(f"-a seeds={argument}: there is no URL in it")
    first: dict[str, Seed] = {}
    for seed in seeds:
        first.setdefault(seed.url, seed)
    return tuple(first.values())


def _text(file: str) -> str:
    try:
        return Path(file).read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise wrong_use(f"-a seeds={file}: it is no text in UTF-8") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise wrong_use(f"-a seeds={file}: {reason}; say a file, or URLs with commas between them") from None


def _seed(where: str, text: str) -> Seed:
    word, *more = text.split()
    url = canonical(word)
    if url is None:
        raise wrong_use(
            f"-a seeds: {where}{word[:200]!r} is not an http or https URL of at most {LONGEST_URL} characters"
        )
    if not more:
        return Seed(url)
    weight = int(more[0]) if more[0].isascii() and more[0].isdigit() else 0
    if len(more) > 1 or not 1 <= weight <= LARGEST_WEIGHT:
        raise wrong_use(f"-a seeds: {where}{' '.join(more)!r} behind the URL is no weight from 1 to {LARGEST_WEIGHT}")
    return Seed(url, weight)
