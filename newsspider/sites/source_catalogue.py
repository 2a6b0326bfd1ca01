"""The catalogue: sources of education news with their regions, and the public evidence for their addresses."""

from __future__ import annotations

import tomllib
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Any

from newsspider.core.text.regions import region_names, region_prefix
from newsspider.sites.loader import SiteError, shipped_texts, site_of
from newsspider.sites.model import ChannelKind, Site
from newsspider.sites.site_lines import site_record

FOLDER = "catalogue"
RECENT_YEAR = 2024  # one piece of evidence since then is enough


class SourceLevel(StrEnum):
    """What a source speaks for."""

    NATIONAL = "national"
    PROVINCE = "province"
    CITY = "city"
    UNIVERSITY = "university"
    INTERNATIONAL = "international"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A file of a public repository that names the address of a source. ``year``: of the file, if it is known;
    ``commit``: one that has the file, if the newest lacks it; ``read``: it is a saved page of the publisher, and the
    reader reads its title, day, source and text (or its list) as the page shows them."""

    repository: str
    path: str
    year: int | None = None
    commit: str = ""
    read: bool = False


@dataclass(frozen=True, slots=True)
class CatalogueSource:
    """A site of the catalogue. ``region`` is a code of GB/T 2260, ``shipped``: it is watched unless switched off."""

    site: Site
    region: str
    level: SourceLevel
    evidence: tuple[Evidence, ...]
    shipped: bool = False

    @property
    def is_read(self) -> bool:
        """Whether a saved page of it was read."""
        return any(piece.read for piece in self.evidence)

    @property
    def is_confirmed(self) -> bool:
        """Whether two repositories of different owners name the address, or one has since :data:`RECENT_YEAR`."""
        owners = {piece.repository.partition("/")[0] for piece in self.evidence}
        return len(owners) > 1 or any((piece.year or 0) >= RECENT_YEAR for piece in self.evidence)


@cache
def read_catalogue() -> tuple[CatalogueSource, ...]:
    """All sources, by file and their order there. Raises :exc:`SiteError`."""
    site_files = dict(shipped_texts())
    names = sorted(entry.name for entry in _folder().iterdir() if entry.name.endswith(".toml"))
    return tuple(
        _source(values, site_files, name) for name in names for values in tomllib.loads(_text(name))["sources"]
    )


def chosen_sources(region: str = "", level: str = "", media_class: str = "") -> list[CatalogueSource]:
    """The sources of a region (its code, with all places in it), a level and a media class; empty: of any."""
    return [
        source
        for source in read_catalogue()
        if source.region.startswith(region_prefix(region) if region else "")
        and level in ("", source.level)
        and media_class in ("", source.site.media_class)
    ]


def sources_of_province(code: str) -> list[CatalogueSource]:
    """What somebody in a province watches: all sources of the province of this region, and the national ones that are
    shipped."""
    national = [source for source in chosen_sources(level=SourceLevel.NATIONAL) if source.shipped]
    return [*(source for source in chosen_sources(f"{code[:2]}0000") if source not in national), *national]


def source_record(source: CatalogueSource) -> dict[str, Any]:
    """A source for JSON."""
    return site_record(source.site) | {
        "region": source.region,
        "region_name": region_names()[source.region],
        "level": str(source.level),
        "confirmed": source.is_confirmed,
        "shipped": source.shipped,
        "evidence": [asdict(piece) for piece in source.evidence],
    }


def _source(values: dict[str, Any], site_files: dict[str, str], origin: str) -> CatalogueSource:
    """The source with these values: the keys of a site file, or the name of a shipped one, and the keys of its own."""
    own = {key: values[key] for key in ("region", "level", "evidence") if key in values}
    described = {key: value for key, value in values.items() if key not in ("level", "evidence")}
    file = described.pop("file", None)
    if file is not None:
        described |= tomllib.loads(site_files[file])
    if "channels" not in described and "home" in described:
        described["channels"] = [{"name": "首页", "url": described["home"], "kind": str(ChannelKind.HOME)}]
    site = site_of(described, origin)
    try:
        return CatalogueSource(
            site,
            own["region"],
            SourceLevel(own["level"]),
            tuple(Evidence(**piece) for piece in own["evidence"]),
            file is not None,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise SiteError(origin, site.name, str(error)) from None


def _folder() -> Any:
    return files("newsspider.sites").joinpath(FOLDER)


def _text(name: str) -> str:
    return str(_folder().joinpath(name).read_text("utf-8"))
