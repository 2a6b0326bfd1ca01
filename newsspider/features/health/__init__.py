"""The health of the sources: which lists are not read well, bring nothing, or bring articles that lack something;
``check`` visits sites to find that out.

It builds on no other feature. ``rules`` holds its decisions, without I/O or clock; what a page shows of its source
(``core/crawling/observations.py``) travels in the result of the page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsspider.hooks import ListHealth, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence, Set

    from sqlalchemy import Connection, Table

    from newsspider.cli.command_group import CommandGroup
    from newsspider.core.crawling.visit import Saved
    from newsspider.hooks import BarrenSource
    from newsspider.sites.holidays import Holidays


@hookimpl(specname="tables")
def _tables() -> Sequence[Table]:
    from newsspider.features.health.tables import channel_days, site_checks

    return channel_days, site_checks


@hookimpl(specname="actions")
def _actions(group: CommandGroup) -> None:
    if group.name == "sites":
        from newsspider.features.health.check.sites_check import add_action

        add_action(group)


@hookimpl
def page_steps(conn: Connection, pages: Sequence[Saved]) -> None:
    from newsspider.features.health import stored_channel_days

    stored_channel_days.note(conn, pages)


@hookimpl
def channels_dropped(conn: Connection, site: str, names: Sequence[str]) -> None:
    from newsspider.features.health import stored_channel_days

    stored_channel_days.drop(conn, site, names)


@hookimpl
def list_health(conn: Connection, holidays: Holidays, now: float) -> ListHealth:
    from newsspider.features.health.sources import source_health

    health = source_health(conn, holidays, now)
    alarms = [(problem.site, str(problem.health)) for problem in health.problems if problem.is_alarm]
    return ListHealth(health.counts, alarms)


@hookimpl
def barren_sources(conn: Connection, sites: Set[str], now: float) -> Sequence[BarrenSource]:
    from newsspider.features.health.barren_diagnosis import barren_of

    return barren_of(conn, sites, now)
