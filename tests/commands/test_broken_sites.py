"""Commands on a store with a site whose text no longer is a site file."""

import pytest
from sqlalchemy import text

from newsspider.sites.loader import site_toml
from newsspider.sites.model import Site, from_home
from newsspider.store import sites as registry
from newsspider.store.engine.database import open_store
from tests.support.commands import database, scrapy
from tests.support.samples import NOW

__all__ = ["database", "scrapy"]

SITE = from_home("http://edu.example.cn/")
OTHER = from_home("http://other.example.cn/")
NAME = SITE.name
CAUSE = f"the stored site '{NAME}' cannot be used: weight: "


@pytest.fixture
def broken(database):
    """The store with the site and another one; returns what the store has of the site."""
    engine = open_store(database)
    with engine.begin() as conn:
        registry.sync_shipped(conn, NOW)
        for site in (SITE, OTHER):
            registry.put(conn, site, NOW)
        toml = site_toml(SITE).replace(f"weight = {SITE.weight}", "weight = 50", 1)
        conn.execute(text("UPDATE sites SET toml = :toml WHERE name = :name"), {"toml": toml, "name": NAME})

    def stored() -> registry.StoredSite | None:
        with engine.begin() as conn:
            return next((site for site in registry.stored_sites(conn) if site.name == NAME), None)

    yield stored
    engine.dispose()


@pytest.fixture
def site_file(tmp_path):
    file = tmp_path / "site.toml"
    file.write_text(site_toml(SITE), "utf-8")
    return str(file)


@pytest.mark.parametrize("words", [("sites", "list"), ("sites", "list", "--json"), ("health",)])
def test_what_lists_goes_on_and_names_the_site_with_its_cause(scrapy, broken, words):
    ran = scrapy(*words)
    assert ran.code == 0, ran.err
    assert ran.err.count(CAUSE) == 1
    assert words[0] != "sites" or OTHER.name in ran.out
    assert NAME not in ran.out


@pytest.mark.parametrize(
    "words",
    [
        ("sites", "enable", NAME), ("sites", "weight", NAME, "3"), ("sites", "relearn", NAME), ("sites", "test", NAME),
        ("sites", "export", "-"), ("submit", "--watch", "http://new.example.cn/list/"), ("reread",),
        ("links", "http://edu.example.cn/", "--site", NAME),
        ("explain", "http://nobody.example.cn/"),
    ],
)  # fmt: skip
def test_what_needs_the_site_is_refused_with_one_sentence(scrapy, broken, words):
    ran = scrapy(*words)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.count(CAUSE) == 1
    assert f"`scrapy sites remove {NAME}` removes it" in ran.err
    assert "Traceback" not in ran.err


def test_feeds_are_not_taken_in_while_a_site_cannot_be_used(scrapy, broken, tmp_path):
    feeds = tmp_path / "feeds.opml"
    feeds.write_text('<opml><body><outline text="a" xmlUrl="http://edu.example.cn/rss"/></body></opml>')
    ran = scrapy("sites", "import", str(feeds))
    assert (ran.code, ran.err.count(CAUSE)) == (2, 1)
    assert isinstance(broken(), registry.BrokenSiteError)


def test_the_site_is_shown_as_it_is_stored(scrapy, broken):
    ran = scrapy("sites", "show", NAME)
    assert (ran.code, ran.out) == (0, broken().toml)
    assert CAUSE in ran.err


def test_the_site_is_removed(scrapy, broken):
    assert scrapy("sites", "remove", NAME).code == 0
    assert broken() is None


def test_the_site_is_disabled(scrapy, broken):
    assert scrapy("sites", "disable", NAME).code == 0
    assert not broken().enabled


def test_the_site_is_replaced_by_a_file(scrapy, broken, site_file):
    ran = scrapy("sites", "add", site_file)
    assert (ran.code, "--replace" in ran.err) == (2, True)
    assert scrapy("sites", "add", site_file, "--replace").code == 0
    assert broken() == SITE


def test_the_site_is_replaced_by_an_import(scrapy, broken, site_file):
    assert scrapy("sites", "import", site_file).code == 0
    assert isinstance(broken(), Site)


def test_other_sites_are_changed_as_ever(scrapy, broken):
    for words in (("weight", OTHER.name, "3"), ("disable", OTHER.name), ("enable", OTHER.name), ("show", OTHER.name)):
        assert scrapy("sites", *words).code == 0
