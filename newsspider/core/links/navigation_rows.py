"""Decides by its row in which region a link is that is no article, where no class or heading says so."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from lxml.html import HtmlElement

from newsspider.core.links.link_places import TITLE_LENGTH, Anchor
from newsspider.core.links.url_shape import domain_of, is_article_url
from newsspider.core.model import Region

FEWEST_LINKS = 3  # links of a row
# links about the site itself, at least, and their share, by which a row is a footer
FEW_ABOUT, SHARE_ABOUT = 2, 0.3
_ABOUT = re.compile(
    r"(?:关于|联系|聯絡|關於)(?:我们|本站|本网|我們)|版权|版權|(?:免责|法律|隐私|隱私)\w{0,6}(?:声明|政策|條款|聲明)|网站(?:地图|声明|导航)|網站地圖"
    r"|ICP备|公网安备|诚聘英才|广告(?:服务|刊例)|意见反馈"
)


def settle_rows(anchors: Sequence[Anchor], articles: Collection[int], page_url: str) -> None:
    """Set the region of links in the main part that are no articles; ``articles`` are the ids of anchors.

    A row of links about the site is its footer, a row of short names of lists is navigation, and a link to another site
    is beside the list.
    """
    own = domain_of(page_url)
    others = [anchor for anchor in anchors if anchor.region is Region.MAIN and id(anchor) not in articles]
    for row in _rows(others):
        about = sum(_ABOUT.search(anchor.text) is not None for anchor in row)
        if about >= FEW_ABOUT and about >= SHARE_ABOUT * len(row):
            region = Region.FOOTER
        elif all(len(anchor.text) < TITLE_LENGTH and is_article_url(anchor.url) is False for anchor in row):
            region = Region.NAVIGATION
        else:
            continue
        for anchor in row:
            anchor.region = region
    for anchor in others:
        if anchor.region is Region.MAIN and domain_of(anchor.url) != own:
            anchor.region = Region.SIDE


def _rows(anchors: Sequence[Anchor]) -> list[list[Anchor]]:
    """The links in one element, each directly or in a cell of its own."""
    near: dict[HtmlElement, list[Anchor]] = {}
    far: dict[HtmlElement, list[Anchor]] = {}
    for anchor in anchors:
        parent = anchor.element.getparent()
        if parent is not None:
            near.setdefault(parent, []).append(anchor)
    for parent, row in near.items():
        above = parent.getparent()
        if len(row) < FEWEST_LINKS and above is not None:
            far.setdefault(above, []).extend(row)
    return [row for row in (*near.values(), *far.values()) if len(row) >= FEWEST_LINKS]
