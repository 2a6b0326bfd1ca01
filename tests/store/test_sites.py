"""The registry of sites."""

from dataclasses import replace

import pytest
from sqlalchemy import text

from newsspider.sites.loader import load_site, shipped_texts, site_toml
from newsspider.sites.model import Channel, from_home
from newsspider.store import sites

NOW = 1_800_000_000.0
SITE = from_home("http://edu.example.cn/")
TOML = site_toml(SITE)


def one(conn):
    (site,) = sites.every_site(conn)
    return site


def test_the_shipped_sites_are_taken_over_once(conn):
    assert sites.sync_shipped(conn, NOW) == len(shipped_texts())
    old_version = sites.version(conn)
    assert sites.sync_shipped(conn, NOW) == 0
    assert sites.version(conn) == old_version
    assert {site.name for site in sites.every_site(conn)} == {load_site(toml, name).name for name, toml in shipped_texts()}


def test_shipped_sites_have_changed_until_they_are_taken_over(conn):
    own = load_site(shipped_texts()[0][1], "own")
    sites.put(conn, own, NOW)
    assert sites.shipped_changed(conn)
    sites.sync_shipped(conn, NOW)
    assert not sites.shipped_changed(conn)  # also of the one whose name people took
    conn.execute(text("UPDATE sites SET origin_hash = 'older' WHERE origin LIKE 'shipped:%'"))
    assert sites.shipped_changed(conn)


def test_a_file_that_calls_its_site_otherwise_is_taken_over_once(conn):
    for site in (SITE, replace(SITE, name="教育"), replace(SITE, weight=2)):
        imported = [(site, site_toml(site), "shipped:x.toml")]
        assert [sites.import_sites(conn, imported, NOW) for _ in range(2)] == [1, 0]


def test_every_change_gives_a_higher_version(conn):
    versions = [sites.version(conn)]
    for change in (
        lambda: sites.put(conn, SITE, NOW),
        lambda: sites.enable(conn, SITE.name, False, NOW),
        lambda: sites.put(conn, replace(SITE, weight=9), NOW),
        lambda: sites.remove(conn, SITE.name, NOW),
    ):
        change()
        versions.append(sites.version(conn))
    assert versions == sorted(set(versions))


def test_a_site_comes_back_as_it_was_put(conn):
    sites.put(conn, SITE, NOW)
    assert one(conn) == SITE


def test_what_people_changed_stays_while_the_origin_says_the_same(conn):
    sites.import_sites(conn, [(SITE, TOML, "file")], NOW)
    sites.put(conn, replace(SITE, weight=9), NOW)
    sites.enable(conn, SITE.name, False, NOW)
    assert sites.import_sites(conn, [(SITE, TOML, "file")], NOW) == 0
    assert (one(conn).weight, one(conn).enabled) == (9, False)
    assert sites.enabled_sites(conn) == []


def test_a_new_text_of_the_origin_counts_but_switches_nothing_on(conn):
    sites.import_sites(conn, [(SITE, TOML, "file")], NOW)
    sites.enable(conn, SITE.name, False, NOW)
    newer = replace(SITE, weight=8)
    assert sites.import_sites(conn, [(newer, site_toml(newer), "file")], NOW) == 1
    assert (one(conn).weight, one(conn).enabled) == (8, False)


def test_a_removed_site_stays_away_until_it_is_put_again(conn):
    sites.import_sites(conn, [(SITE, TOML, "file")], NOW)
    assert sites.remove(conn, SITE.name, NOW)
    assert not sites.remove(conn, SITE.name, NOW)
    newer = replace(SITE, weight=8)
    sites.import_sites(conn, [(newer, site_toml(newer), "file")], NOW)
    assert sites.every_site(conn) == []
    assert conn.execute(text("SELECT count(*) FROM channels")).scalar() == 0
    sites.put(conn, SITE, NOW)
    assert one(conn) == SITE


def test_a_shipped_site_takes_no_name_from_a_site_of_peoples_own(conn):
    own = replace(SITE, weight=2)
    sites.put(conn, own, NOW)
    assert sites.import_sites(conn, [(SITE, TOML, "shipped:x.toml")], NOW) == 0
    assert one(conn) == own
    assert sites.import_sites(conn, [(SITE, TOML, "file")], NOW, take_over=True) == 1
    assert one(conn) == SITE


def test_a_text_that_is_no_site_file_any_more_stops_what_needs_its_site_and_nothing_else(conn):
    other = from_home("http://other.example.cn/")
    for site in (SITE, other):
        sites.put(conn, site, NOW)
    conn.execute(text("UPDATE sites SET toml = 'weight = [' WHERE name = :name"), {"name": SITE.name})
    broken, whole = sites.stored_sites(conn)
    assert (broken.name, broken.enabled, broken.toml, whole) == (SITE.name, True, "weight = [", other)
    for needed in (sites.every_site, sites.enabled_sites):
        with pytest.raises(
            sites.BrokenSiteError, match=rf"'{SITE.name}' cannot be used: TOML: .*`scrapy sites remove {SITE.name}`"
        ):
            needed(conn)
    sites.enable(conn, SITE.name, False, NOW)
    assert sites.enabled_sites(conn) == [other]
    sites.put(conn, SITE, NOW)
    assert sites.every_site(conn) == [SITE, other]


def test_a_text_with_the_name_of_another_site_cannot_be_used(conn):
    sites.put(conn, SITE, NOW)
    conn.execute(text("UPDATE sites SET toml = :toml"), {"toml": site_toml(replace(SITE, name="x"))})
    (broken,) = sites.stored_sites(conn)
    assert (broken.name, broken.cause) == (SITE.name, "name: 'x' is that of another site")


def test_channels_keep_their_figures_as_long_as_they_are_there(conn):
    two = replace(SITE, channels=(*SITE.channels, Channel("新", "http://edu.example.cn/new", 3)))
    sites.put(conn, two, NOW)
    conn.execute(text("UPDATE channels SET polls = 7"))
    sites.put(conn, replace(two, channels=two.channels[1:]), NOW)
    assert conn.execute(text("SELECT name, weight, polls FROM channels")).all() == [("新", 3, 7)]


def test_a_site_that_is_not_there_cannot_be_switched(conn):
    assert not sites.enable(conn, "nobody", True, NOW)
