"""The rules of a site file as the fields of a form: the XPaths of its articles and those of one of its lists."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any

from newsspider.sites.field_types import XPATH_KEYS
from newsspider.sites.loader import SiteError, site_of, site_toml
from newsspider.sites.model import Site

LIST_KEYS = ("regions", "next_page", "items")
_NUMBER = re.compile(r"\[\d+\]$")


def rule_fields(site: Site, channel: str) -> dict[str, str]:
    """The rules of a site and of its channel of this name, each a text; ``regions`` has one XPath a line."""
    values = _values(site)
    rules = _list_of(values, channel)
    articles = values.get("xpaths", {})
    return (
        {"channel": channel, "article_url": values.get("article_url", "")}
        | {"regions": "\n".join(rules.get("regions", ()))}
        | {key: rules.get(key, "") for key in LIST_KEYS[1:]}
        | {key: articles.get(key, "") for key in XPATH_KEYS}
    )


def with_rules(site: Site, fields: Mapping[str, str]) -> Site:
    """The site with these rules. A missing field keeps its rule, an empty one removes it. :exc:`SiteError` names each
    wrong field."""
    values, channel = _values(site), fields.get("channel", "")
    if site.channel(channel) is None and not fields.keys().isdisjoint(LIST_KEYS):
        raise SiteError("rules", "channel", f"the site has none of the name {channel!r}")
    new_fields = rule_fields(site, channel) | {name: text.strip() for name, text in fields.items()}
    values["article_url"] = new_fields["article_url"]
    values["xpaths"] = {key: new_fields[key] for key in XPATH_KEYS if new_fields[key]}
    rules = _list_of(values, channel)
    rules |= {key: new_fields[key] for key in LIST_KEYS[1:]}
    rules["regions"] = [line.strip() for line in new_fields["regions"].splitlines() if line.strip()]
    for table in (values, rules):
        for key in [key for key, value in table.items() if value in ("", [])]:
            del table[key]
    return site_of(values, "rules")


def by_field(error: SiteError) -> dict[str, str]:
    """What is wrong with each field."""
    return {_NUMBER.sub("", key).rpartition(".")[2]: reason for key, reason in reversed(error.problems)}


def _values(site: Site) -> dict[str, Any]:
    return tomllib.loads(site_toml(site))


def _list_of(values: dict[str, Any], channel: str) -> dict[str, Any]:
    """The table of a channel; an empty one where there is no such channel."""
    return next((table for table in values["channels"] if table["name"] == channel), {})
