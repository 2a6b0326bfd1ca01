"""Changes of stored sites, each with its row in the audit trail, and the rules of a site file as the fields of a form: the
XPaths of its articles and those of one of its lists. A form that shows an outdated site changes nothing."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from hashlib import sha256
from typing import Annotated, Any

from fastapi import HTTPException, Request
from pydantic import BaseModel, Field
from sqlalchemy import Connection

from newsspider.actions.sites import refuse_private, relearn_site, site_with_changes
from newsspider.download.guarded_resolver import allowed_addresses
from newsspider.features.console.access import AuditedChange, begin_change, require_role
from newsspider.features.console.accounts import Role
from newsspider.features.console.view import open_view
from newsspider.sites.field_types import XPATH_KEYS
from newsspider.sites.loader import SiteError, load_site, site_of, site_toml
from newsspider.sites.model import Site
from newsspider.store import sites as registry
from newsspider.store.sites import BrokenSiteError, StoredSite, stored_sites, usable_site

Text = Annotated[str, Field(max_length=2000)]
LIST_KEYS = ("regions", "next_page", "items")
_NUMBER = re.compile(r"\[\d+\]$")


class SiteRules(BaseModel):
    """Rules of a site file. A field that is missing stays as it is; an empty one removes the rule."""

    channel: Annotated[Text, Field(description="the list that `regions`, `next_page` and `items` are of")] = ""
    regions: Annotated[list[Text] | None, Field(max_length=20, description="XPaths of where its links stand")] = None
    next_page: Annotated[Text | None, Field(description="XPath")] = None
    items: Annotated[Text | None, Field(description="JMESPath of the list, of an answer in JSON")] = None
    article_url: Annotated[Text | None, Field(description="pattern of the URLs of its articles")] = None
    title: Annotated[Text | None, Field(description="XPath, as are the others")] = None
    body: Text | None = None
    date: Text | None = None
    source: Text | None = None
    author: Text | None = None

    def form(self) -> dict[str, str]:
        """The same as the form of the page has it."""
        values = self.model_dump(exclude_none=True, exclude={"regions"})
        return values | ({} if self.regions is None else {"regions": "\n".join(self.regions)})


class OutdatedFormError(HTTPException):
    """Somebody else has changed what a form would replace."""

    def __init__(self) -> None:
        message = "the site has changed since this form was loaded: go back, load it again, and send it again"
        super().__init__(409, message)


def base_of(content: str | Mapping[str, str]) -> str:
    """The hash that a form carries as ``base``: it tells whether what the form showed is still stored."""
    return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _refuse_outdated(fields: Mapping[str, str], stored_content: str | Mapping[str, str]) -> None:
    if fields.get("base", "") not in {"", base_of(stored_content)}:
        raise OutdatedFormError


def change_named(request: Request, name: str, changes: Mapping[str, dict[str, str]], version: str = "") -> None:
    """Make some of :data:`CHANGES`, each with its fields, to the site of this name: all or none; none if its file has
    another ``version`` than the one that is named."""
    require_role(request, Role.EDITOR)
    if "replace" in changes:
        site = load_site(changes["replace"].get("toml", ""), name)
        refuse_private(site, allowed_addresses(request.app.state.settings))
    if "rules" in changes:
        with open_view(request) as view:
            site = site_named(view.conn, name)
        with_rules(site, changes["rules"])  # checked here, so that no writer waits; the result is cached
    with begin_change(request, Role.EDITOR) as change:
        _refuse_outdated({"base": version}, toml_of(stored_site(change.conn, name)))
        for what, fields in changes.items():
            if what not in CHANGES | MENDS:
                raise HTTPException(400, f"a change is one of {', '.join(CHANGES | MENDS)}")
            if what in MENDS:
                MENDS[what](change, stored_site(change.conn, name), fields)
            else:
                CHANGES[what](change, site_named(change.conn, name), fields)


def add_stored(change: AuditedChange, site: Site) -> None:
    """Store a new site."""
    registry.put(change.conn, site, change.now)
    change.note("site.add", site.name, after={"home": site.home, "weight": site.weight})


def site_named(conn: Connection, name: str) -> Site:
    """The site of this name; status 404 if there is none, 409 if it cannot be used."""
    return usable_site(stored_site(conn, name))


def stored_site(conn: Connection, name: str) -> StoredSite:
    """The site of this name, also if it cannot be used; status 404 if there is none."""
    site = next((site for site in stored_sites(conn) if site.name == name), None)
    if site is None:
        raise HTTPException(404, f"there is no site {name!r}")
    return site


def _weigh(change: AuditedChange, site: Site, fields: dict[str, str]) -> None:
    heavier = site_with_changes(site, weight=fields.get("weight", ""))
    registry.put(change.conn, heavier, change.now)
    change.note("site.weight", site.name, before=site.weight, after=heavier.weight)


def _enable(change: AuditedChange, site: Site, fields: dict[str, str]) -> None:
    registry.enable(change.conn, site.name, True, change.now)
    change.note("site.enable", site.name, before=site.enabled, after=True)


def _disable(change: AuditedChange, site: StoredSite, fields: dict[str, str]) -> None:
    registry.enable(change.conn, site.name, False, change.now)
    change.note("site.disable", site.name, before=site.enabled, after=False)


def _relearn(change: AuditedChange, site: Site, fields: dict[str, str]) -> None:
    change.note("site.relearn", site.name, after=list(relearn_site(change.conn, site, change.now)))


def _remove(change: AuditedChange, site: StoredSite, fields: dict[str, str]) -> None:
    registry.remove(change.conn, site.name, change.now)
    change.note("site.remove", site.name, before=toml_of(site))


def _replace(change: AuditedChange, site: StoredSite, fields: dict[str, str]) -> None:
    new = load_site(fields.get("toml", ""), site.name)
    if new.name != site.name:
        raise HTTPException(400, f"the name of the site must stay {site.name!r}")
    _refuse_outdated(fields, toml_of(site))
    registry.put(change.conn, new, change.now)
    change.note("site.replace", site.name, before=toml_of(site), after=site_toml(new))


def toml_of(site: StoredSite) -> str:
    """The text of its file; of one that cannot be used as it is stored."""
    return site.toml if isinstance(site, BrokenSiteError) else site_toml(site)


def _set_rules(change: AuditedChange, site: Site, fields: dict[str, str]) -> None:
    changed_site, channel = with_rules(site, fields), fields.get("channel", "")
    _refuse_outdated(fields, rule_fields(site, channel))
    registry.put(change.conn, changed_site, change.now)
    old_rules, new_rules = rule_fields(site, channel), rule_fields(changed_site, channel)
    change.note("site.rules", site.name, before=old_rules, after=new_rules)


CHANGES = {"weight": _weigh, "enable": _enable, "relearn": _relearn, "rules": _set_rules}
MENDS = {"disable": _disable, "remove": _remove, "replace": _replace}  # also of a site that cannot be used


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
