"""Changes of the watched sites."""

from dataclasses import replace

import pytest
from sqlalchemy import Connection

from newsspider.actions.sites import watch_all
from newsspider.core.fetching.address_guard import AllowedAddresses
from newsspider.sites.loader import SiteError
from newsspider.sites.model import from_home
from newsspider.store import sites as registry

NOW = 1_800_000_000.0
LONG = "a" * 90


@pytest.fixture
def backend() -> str:
    """The kind of database."""
    return "sqlite"


def watch(conn: Connection, *urls: str) -> list[tuple[str, bool]]:
    watched = watch_all(conn, registry.stored_sites(conn), urls, AllowedAddresses(), NOW)
    return [(channel.site, channel.is_new) for channel in watched]


@pytest.mark.parametrize(
    "urls",
    [
        ("https://www.example.cn/", "https://www.example.cn/a/", "http://www.example.cn/a/"),
        ("http://example.cn/", f"http://example.cn/1/{LONG}", f"http://example.cn/2/{LONG}", f"http://example.cn/3/{LONG}"),
    ],
)
def test_urls_whose_names_are_alike_become_channels_of_their_own(conn: Connection, urls: tuple[str, ...]) -> None:
    for address in urls:
        assert [is_new for _, is_new in watch(conn, address)] == [True]
    (site,) = registry.enabled_sites(conn)
    assert [channel.url for channel in site.channels] == list(urls)
    assert {row["url"] for row in registry.channel_polls(conn)} == set(urls)
    assert watch(conn, *urls) == [(site.name, False)] * len(urls)


def test_a_new_site_never_takes_the_place_of_another_of_its_name(conn: Connection) -> None:
    registry.put(conn, replace(from_home("http://old.example.com/"), name="news.example.cn"), NOW)
    ((name, _),) = watch(conn, "http://news.example.cn/")
    assert name != "news.example.cn"
    assert {site.home for site in registry.every_site(conn)} == {"http://old.example.com/", "http://news.example.cn/"}


def test_a_site_that_could_not_be_read_again_is_not_stored(conn: Connection) -> None:
    site = from_home("http://example.cn/")
    with pytest.raises(SiteError):
        registry.put(conn, replace(site, channels=site.channels * 2), NOW)
    assert registry.stored_sites(conn) == []
