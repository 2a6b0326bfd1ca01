"""Writes one site file a site: what a stranger can read from its pages, with the delay that the loopback allows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from demo.portal import Outlet, Portal

DELAY_SECONDS = 0.05
DELAY_REASON = "sample portal on the loopback address"


def write(portal: Portal, folder: Path) -> None:
    """Writes the site files of the portal into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    for outlet in portal.outlets:
        (folder / f"{outlet.make.key}.toml").write_text(site_file(outlet), "utf-8")


def site_file(outlet: Outlet) -> str:
    """The TOML text of one site."""
    make = outlet.make
    blocks = [
        _block(
            "",
            name=make.name,
            home=f"{outlet.base}/",
            weight=make.weight,
            media_class=make.media_class,
            region=make.region,
            delay_seconds=DELAY_SECONDS,
            delay_reason=DELAY_REASON,
            article_url=make.article_url,
        )
    ]
    blocks += [_block("[[channels]]", **channel) for channel in channels(outlet)]
    return "\n".join(blocks)


def channels(outlet: Outlet) -> list[dict[str, Any]]:
    """The channels of a site that are watched: home, columns, feed, sitemaps."""
    make, base = outlet.make, outlet.base
    rows: list[dict[str, Any]] = [{"name": "首页", "url": f"{base}/", "weight": make.weight, "kind": "home"}]
    for column in make.columns:
        if column.weight is not None:
            channel = {"name": column.label, "url": base + column.path(1), "weight": column.weight, "kind": column.kind}
            rows.append(channel | ({"regions": list(make.regions)} if make.regions else {}))
    for name, path, kind in (("订阅", make.feed, "feed"), ("新闻地图", make.news_sitemap, "sitemap")):
        if path:
            rows.append({"name": name, "url": base + path, "weight": make.weight, "kind": kind})
    if make.sitemap_index:
        rows.append({"name": "网站地图", "url": base + make.sitemap_index, "weight": 3, "kind": "sitemap"})
    return rows


def _block(head: str, **values: Any) -> str:
    lines = [f"{key} = {_toml(value)}" for key, value in values.items() if value is not None]
    return "\n".join([head, *lines] if head else lines) + "\n"


def _toml(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_toml(item) for item in value)}]"
    return f"'{value}'" if isinstance(value, str) and "\\" in value else json.dumps(value, ensure_ascii=False)
