"""Reads and validates a site file (TOML), reporting every error with file, key and reason, and writes it back."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from newsspider.core.url import canonical
from newsspider.sites.field_types import XPATH_KEYS
from newsspider.sites.model import Channel, Site
from newsspider.sites.rsshub_urls import door_url

KEYS = {
    "": [field.name.replace("rules", "xpaths") for field in fields(Site)],
    "channels": [field.name for field in fields(Channel)],
    "xpaths": XPATH_KEYS,
}
UNEXPLAINED_DELAY_SECONDS = 1.0  # a shorter delay needs a reason


class SiteError(ValueError):
    """A bad site file: ``file``, ``key`` and ``reason`` of the first problem; the message lists them all."""

    def __init__(self, file: str, key: str, reason: str, more: tuple[tuple[str, str], ...] = ()) -> None:
        self.file, self.key, self.reason = file, key, reason
        self.problems = ((key, reason), *more)
        super().__init__("; ".join(f"{file}: {key}: {reason}" for key, reason in self.problems))


def load_site(text: str, origin: str) -> Site:
    """The site that this TOML text describes; :exc:`SiteError` lists all problems and names ``origin``."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SiteError(origin, "TOML", str(error)) from None
    return site_of(values, origin)


def site_of(values: dict[str, Any], origin: str) -> Site:
    """The site with these values, the keys of a site file; :exc:`SiteError` as of :func:`load_site`."""
    try:
        site = _adapter().validate_python({"channels": []} | values)
        problems = list(_contradictions(site))
    except ValidationError as error:
        problems = [(_key(detail["loc"]), _reason(detail)) for detail in error.errors(include_url=False)]
    if problems:
        (key, reason), *more = problems
        raise SiteError(origin, key, reason, tuple(more))
    return site


def load_sites(path: str | Path) -> list[Site]:
    """The sites of a TOML file, or of all ``*.toml`` of a folder by file name; two of one name are refused."""
    path = Path(path)
    paths = sorted(path.glob("*.toml")) if path.is_dir() else [path]
    if not paths:
        raise SiteError(str(path), "folder", "holds no *.toml file")
    sites: dict[str, Site] = {}
    for file in paths:
        site = load_site(_read(file), str(file))
        if site.name in sites:
            raise SiteError(str(file), "name", f"{site.name!r} is the name of a site of another file, too")
        sites[site.name] = site
    return list(sites.values())


def shipped_texts() -> list[tuple[str, str]]:
    """File name and TOML text of each shipped site, by file name; works from a zipped package."""
    folder = files("newsspider.sites")
    texts = ((entry.name, entry.read_text("utf-8")) for entry in folder.iterdir() if entry.name.endswith(".toml"))
    return sorted(texts)


def site_toml(site: Site) -> str:
    """The TOML text of a site; :func:`load_site` reads the same site from it."""
    xpaths = {key: getattr(site.rules, key) for key in XPATH_KEYS}
    blocks = [
        _block(
            "",
            name=site.name,
            home=site.home,
            weight=site.weight,
            media_class=str(site.media_class),
            region=site.region or None,
            delay_seconds=site.delay_seconds,
            delay_reason=site.delay_reason or None,
            article_url=site.article_url.pattern if site.article_url else None,
            render=site.render or None,
            enabled=None if site.enabled else False,
            note=site.note or None,
        ),
        _block("[xpaths]", **xpaths) if any(xpaths.values()) else "",
    ]
    blocks += [
        _block(
            "[[channels]]",
            name=channel.name,
            url=door_url(channel.url),
            weight=None if channel.weight == site.weight else channel.weight,
            kind=str(channel.kind),
            regions=list(channel.regions) or None,
            next_page=channel.next_page,
            items=channel.items,
        )
        for channel in site.channels
    ]
    return "\n".join(block for block in blocks if block)


def _read(file: Path) -> str:
    try:
        return file.read_text("utf-8-sig")
    except OSError as error:
        raise SiteError(str(file), "file", error.strerror or "cannot be read") from None
    except UnicodeDecodeError:
        raise SiteError(str(file), "file", "is not UTF-8") from None


@cache
def _adapter() -> TypeAdapter[Site]:
    return TypeAdapter(Site)


def _key(location: tuple[int | str, ...]) -> str:
    return "".join(f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in location)[1:]


def _reason(error: Any) -> str:
    if error["type"] == "missing":
        return "is missing"
    if error["type"] in ("unexpected_keyword_argument", "extra_forbidden"):
        table = error["loc"][0] if len(error["loc"]) > 1 else ""
        return f"is not a key; known are {', '.join(sorted(KEYS[table]))}"
    return str(error["ctx"]["error"]) if "error" in error.get("ctx", {}) else f"must be a table, not {error['input']!r}"


def _contradictions(site: Site) -> Iterator[tuple[str, str]]:
    """What is wrong with a site whose fields are all right: key and reason."""
    if site.delay_seconds is not None and site.delay_seconds < UNEXPLAINED_DELAY_SECONDS and not site.delay_reason:
        yield "delay_reason", f"is needed for a delay below {UNEXPLAINED_DELAY_SECONDS:g} s"
    used_values: set[tuple[str, str | None]] = set()
    for number, channel in enumerate(site.channels, 1):
        for key, value in (("name", channel.name), ("url", canonical(channel.url))):
            if (key, value) in used_values:
                yield f"channels[{number}].{key}", f"{value!r} is that of another channel, too"
            used_values.add((key, value))


def _block(head: str, **values: Any) -> str:
    lines = [f"{key} = {toml_value(value)}" for key, value in values.items() if value is not None]
    return "\n".join([head, *lines] if head else lines) + "\n"


def toml_value(value: Any) -> str:
    """A text, number, switch or list as TOML writes it."""
    if isinstance(value, list):
        return f"[{', '.join(toml_value(item) for item in value)}]"
    if not isinstance(value, str):
        return str(value).lower()  # True is true
    if value.isprintable() and "'" not in value and ("\\" in value or '"' in value):
        return f"'{value}'"  # keeps patterns legible
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
