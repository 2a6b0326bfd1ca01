"""Explore: crawls that follow links in the order of a strategy or towards the answer to a question (``scrapy crawl
explore`` and ``query``), the lists that they found (``scrapy sites suggest``), and the graph of links (``scrapy
graph``).

It builds on no other feature. ``rules`` holds its decisions, without I/O or clock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsspider.hooks import hookimpl

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy import Connection, Table

    from newsspider.cli.command_group import CommandGroup
    from newsspider.store.pages import PageStep


@hookimpl(specname="tables")
def _tables() -> Sequence[Table]:
    from newsspider.features.explore import tables

    return (tables.discovered_pages, tables.explore_hosts, tables.explore_pages, tables.ranks, tables.strategy_counters)


@hookimpl(specname="effects")
def _effects() -> Sequence[PageStep]:
    from newsspider.features.explore import discovered, link_placement
    from newsspider.features.explore.effects import DiscoveredPage, Placing
    from newsspider.store.pages import PageStep, Stage

    return (
        PageStep(Stage.FIRST, Placing, link_placement.lock),
        PageStep(Stage.SHARED, Placing, link_placement.follow),
        PageStep(Stage.SHARED, DiscoveredPage, discovered.keep),
        PageStep(Stage.SHARED, Placing, discovered.release),
    )


@hookimpl(specname="spiders")
def _spiders() -> str:
    return "newsspider.features.explore.spiders"


@hookimpl
def hub_scores(conn: Connection) -> Mapping[tuple[str, str], float]:
    from newsspider.features.explore.stored_ranks import hub_scores

    return hub_scores(conn)


@hookimpl
def url_facts(conn: Connection, key: int) -> Iterable[tuple[str, str]]:
    from newsspider.features.explore.explained_url import facts_of

    return facts_of(conn, key)


@hookimpl
def url_forgotten(conn: Connection, url: str) -> None:
    from newsspider.features.explore.explained_url import forget_url_facts

    forget_url_facts(conn, url)


@hookimpl(specname="actions")
def _actions(group: CommandGroup) -> None:
    if group.name == "sites":
        from newsspider.features.explore.sites_suggest import add_actions

        add_actions(group)
