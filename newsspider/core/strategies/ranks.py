"""What a page is worth by the links between pages: PageRank, hubs and authorities, and the weight of Tianwang.

Sources: Brin and Page, "The Anatomy of a Large-Scale Hypertextual Web Search Engine" (1998); Kleinberg, "Authoritative
Sources in a Hyperlinked Environment" (1999). A site shall not vote for itself without end: of a vote within a site a
quarter arrives (:func:`votes`), and the lists of one site have one vote together for what they all show
(:func:`shares`), as Bharat and Henzinger propose in "Improved Algorithms for Topic Distillation" (1998). Both go on
from earlier scores, so after few changes few sweeps do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int32]
Floats = NDArray[np.float64]
LinkWeights = NDArray[np.float32]  # one a link: there are a hundred links for each page

DAMPING = 0.85  # the share of readers who follow a link
INSIDE = 0.25  # of a vote for a page of the same site arrives; the rest goes to all pages alike
JUMP = 0.15  # of the scores of hubs and authorities belongs to all alike: without it all sites but one would have none
TOLERANCE = 1e-6  # the scores have a sum of 1; they are found when a sweep moves less than this of it
MOST_SWEEPS = 500
REPEATED = 0.5  # a link on more than so many of a site's pages belongs to their frame
LINKS_AT_ONCE = 50_000  # are worked on, which bounds what is needed besides the graph
TINY = float(np.finfo(np.float64).tiny)  # for 0: pages without links divide nothing among them
FEW_PAGES = 10  # with links: too few to tell the frame of a site from what it says


@dataclass(frozen=True, slots=True)
class Graph:
    """So many pages, numbered from 0, and links: the source and the target of each, no pair twice."""

    pages: int
    sources: Numbers
    targets: Numbers

    @property
    def indegrees(self) -> Numbers:
        """How many pages link to each page."""
        return np.bincount(self.targets, minlength=self.pages).astype(np.int32)

    @property
    def fathers(self) -> Numbers:
        """The largest number of pages that link to one of those that link to each page; 0 where none do."""
        largest = np.zeros(self.pages, np.int32)
        np.maximum.at(largest, self.targets, self.indegrees[self.sources])
        return largest


class Ranks(NamedTuple):
    """The PageRank of each page, with a sum of 1, and in how many sweeps it was found."""

    scores: Floats
    sweeps: int


class Hubs(NamedTuple):
    """How good a hub and how good an authority each page is, each with a sum of 1, and in how many sweeps that was
    found."""

    hubs: Floats
    authorities: Floats
    sweeps: int


class Coefficients(NamedTuple):
    """Of the weight of a page."""

    indegree: float = 1.0
    father: float = 0.5
    mirrors: float = 0.5
    directory: float = 1.0


USUAL = Coefficients()


def pagerank(
    graph: Graph, votes: LinkWeights | None = None, start: Floats | None = None, tolerance: float = TOLERANCE
) -> Ranks:
    """The PageRank of each page: the chance to meet there a reader who follows links, and now and then begins anew
    anywhere.

    Each page gives all its links the same share of its rank; of that arrives what ``votes`` says a link, else all. What
    does not arrive anywhere, that of pages without links included, is spread evenly. ``start`` holds earlier scores,
    NaN for a page that had none.
    """
    if not graph.pages:
        return Ranks(np.zeros(0), 0)
    outdegrees = np.maximum(np.bincount(graph.sources, minlength=graph.pages), 1)
    scores = _start(np.full(graph.pages, 1.0 / graph.pages), start)
    moved, sweeps = 1.0, 0
    while moved >= tolerance and sweeps < MOST_SWEEPS:
        before, scores = scores, _gathered(graph.sources, graph.targets, votes, scores / outdegrees)
        scores *= DAMPING
        scores += (1.0 - scores.sum()) / graph.pages
        moved, sweeps = np.abs(scores - before).sum(), sweeps + 1
    return Ranks(scores, sweeps)


def hits(
    graph: Graph,
    shares: LinkWeights | None = None,
    start: Floats | None = None,
    jump: float = 0.0,
    tolerance: float = TOLERANCE,
) -> Hubs:
    """Hubs, which link to good authorities, and authorities, to which good hubs link; a link counts as much as
    ``shares`` says, else 1.

    Without a ``jump`` it is Kleinberg's own rule, by which of parts that no link joins only the most closely linked one
    has any score. With it, as in the randomised HITS of Ng, Zheng and Jordan, "Stable Algorithms for Link Analysis"
    (2001), each page divides its score among its links, and that share of all belongs to all hubs alike, and to all
    authorities. ``start`` holds earlier hubs, NaN for a page that had none.
    """
    if not len(graph.sources):
        return Hubs(np.zeros(graph.pages), np.zeros(graph.pages), 0)
    linking, linked = np.zeros(graph.pages), np.zeros(graph.pages)
    linking[graph.sources] = linked[graph.targets] = 1.0
    linking /= linking.sum()
    linked /= linked.sum()
    given, taken = np.ones(graph.pages), np.ones(graph.pages)
    if jump:
        given = np.maximum(_gathered(graph.targets, graph.sources, shares, given), TINY)
        taken = np.maximum(_gathered(graph.sources, graph.targets, shares, taken), TINY)
    hubs = _start(linking, start)
    moved, sweeps = 1.0, 0
    while moved >= tolerance and sweeps < MOST_SWEEPS:
        found = _gathered(graph.sources, graph.targets, shares, hubs / given)
        authorities = (1.0 - jump) * found / found.sum() + jump * linked
        found = _gathered(graph.targets, graph.sources, shares, authorities / taken)
        before, hubs = hubs, (1.0 - jump) * found / found.sum() + jump * linking
        moved, sweeps = np.abs(hubs - before).sum(), sweeps + 1
    return Hubs(hubs, authorities, sweeps)


def votes(graph: Graph, sites: Numbers, inside: float = INSIDE) -> LinkWeights:
    """How much of each link's vote arrives: all of it at another site, ``inside`` at the same; ``sites`` has a number a
    page.

    So a site to which nobody links has at most 1 / (1 - 0.85 * inside) times the rank that its pages have of
    themselves, 1.27 times and not 6.7, however closely its pages are linked.
    """
    same_site = sites[graph.sources] == sites[graph.targets]
    return np.where(same_site, np.float32(inside), np.float32(1.0))


def shares(graph: Graph, sites: Numbers) -> LinkWeights:
    """What each link counts for hubs and authorities: the pages of one site that link to the same page count as one."""
    shared = np.ones(len(graph.sources), np.float32)
    for links, counts in _repetitions(graph, sites):
        shared[links] = 1.0 / counts
    return shared


def framed(graph: Graph, sites: Numbers) -> NDArray[np.bool_]:
    """Which links belong to the frame of a site, for most of its pages have them: menus, the way back to the home page,
    partners.

    On the pages of articles nothing else tells a menu. A site of which fewer than ten pages have links has no frame.
    """
    linking = np.bincount(sites[np.unique(graph.sources)], minlength=int(sites.max(initial=0)) + 1)
    repeated = np.zeros(len(graph.sources), bool)
    for links, counts in _repetitions(graph, sites):
        of_site = linking[sites[graph.sources[links]]]
        repeated[links] = (counts > REPEATED * of_site) & (of_site >= FEW_PAGES)
    return repeated


def page_weight(indegree: Any, father: Any, mirrors: Any, directories: Any, by: Coefficients = USUAL) -> Any:
    """The weight of a page, or of many, by f(indegree, largest indegree of the fathers, mirrors, directory depth).

    Rises with the first three and falls with the last. Logarithms, because the tenth link to a page says less than the
    second. With the coefficients as they are the first link to a page makes up for one directory, two more for the
    next, and a father or a mirror counts half.

    Source: Tianwang, as Li, Yan and Wang describe it in "Search Engine: Principle, Technology and Systems" (2005).

    >>> float(page_weight(3, 1, 0, 2))
    0.5
    """
    known = (
        by.indegree * np.log2(1.0 + indegree) + by.father * np.log2(1.0 + father) + by.mirrors * np.log2(1.0 + mirrors)
    )
    return known - by.directory * directories


def directory_depth(url: str) -> int:
    """How many names the path of a URL has.

    >>> [directory_depth(f"http://www.pku.edu.cn{path}") for path in ("", "/", "/cs", "/cs/", "/cs/a.html?b=/c/d")]
    [0, 0, 1, 1, 2]
    """
    path = url.partition("://")[2].partition("#")[0].partition("?")[0].partition("/")[2]
    return len([name for name in path.split("/") if name])


def _repetitions(graph: Graph, sites: Numbers) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield the numbers of some links, and how many pages of the source's site link to the target of each: all links,
    in parts."""
    parts = 1 + len(graph.sources) // LINKS_AT_ONCE
    for part in range(parts):
        links = np.flatnonzero(graph.targets % parts == part)
        pairs = sites[graph.sources[links]].astype(np.int64) * graph.pages + graph.targets[links]
        _, which, counts = np.unique(pairs, return_inverse=True, return_counts=True)
        yield links, counts[which]


def _start(otherwise: Floats, earlier: Floats | None) -> Floats:
    """Where the sweeps begin: with the earlier scores where there may be any, a page without one as low as the
    lowest."""
    if earlier is None or not np.nansum(earlier) > 0.0:
        return otherwise
    scores: Floats = np.where(otherwise > 0.0, np.where(np.isnan(earlier), np.nanmin(earlier), earlier), 0.0)
    if not scores.sum() > 0.0:
        return otherwise
    scores /= scores.sum()
    return scores


def _gathered(sources: Numbers, targets: Numbers, weights: LinkWeights | None, scores: Floats) -> Floats:
    """Return what arrives at each page: over its links, the sum of the source's score times the link's weight."""
    pages = len(scores)
    gathered = np.zeros(pages)
    step = max(LINKS_AT_ONCE, pages)
    for start in range(0, len(sources), step):
        values = scores[sources[start : start + step]]
        if weights is not None:
            values *= weights[start : start + step]
        gathered += np.bincount(targets[start : start + step], weights=values, minlength=pages)
    return gathered
