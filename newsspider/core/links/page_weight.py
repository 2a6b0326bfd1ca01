"""The weight of a page by the links to it and its place on its host, before or without reading it.

Source: Tianwang, as Li, Yan and Wang describe it in "Search Engine: Principle, Technology and Systems" (2005).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Coefficients(NamedTuple):
    """The coefficients of the page weight."""

    indegree: float = 1.0
    father: float = 0.5
    mirrors: float = 0.5
    directory: float = 1.0


USUAL = Coefficients()


def page_weight(indegree: Any, father: Any, mirrors: Any, directories: Any, by: Coefficients = USUAL) -> Any:
    """The weight of pages, numbers or arrays: it rises with indegree, the largest indegree of the linking pages and
    mirrors, and falls with the directory depth. The first inlink offsets one directory, two more the next; a father or
    mirror counts half.

    >>> float(page_weight(3, 1, 0, 2))
    0.5
    """
    link_weight = (
        by.indegree * np.log2(1.0 + indegree) + by.father * np.log2(1.0 + father) + by.mirrors * np.log2(1.0 + mirrors)
    )
    return link_weight - by.directory * directories


def directory_depth(url: str) -> int:
    """The number of path segments of a URL.

    >>> [directory_depth(f"http://www.pku.edu.cn{path}") for path in ("", "/", "/cs", "/cs/", "/cs/a.html?b=/c/d")]
    [0, 0, 1, 1, 2]
    """
    path = url.partition("://")[2].partition("#")[0].partition("?")[0].partition("/")[2]
    return len([name for name in path.split("/") if name])
