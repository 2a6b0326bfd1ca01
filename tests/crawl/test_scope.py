"""What a crawl may claim, and which delay holds on its hosts."""

from newsspider.crawl.crawl_sites import WatchedScope
from newsspider.features.explore.rules.strategy_names import make_strategy
from newsspider.features.explore.scope import ExploreScope
from newsspider.sites.loader import load_site
from newsspider.store import sites as registry
from newsspider.store.engine.database import open_store, writing
from tests.support.crawler import lease_of_kind
from tests.support.samples import NOW
from tests.support.servers import new_file

SITE = """
name = "slow"
home = "http://www.a.example/"
weight = 5
media_class = "portal"
delay_seconds = 7.0
delay_reason = "it asked for it"
[[channels]]
name = "home"
url = "http://www.a.example/"
kind = "home"
"""


def test_an_explore_crawl_claims_its_own_urls_and_keeps_the_delays_of_watched_sites(tmp_path):
    expedition = ExploreScope("explore:x", make_strategy("fish"))
    engine = open_store(new_file(tmp_path / "news.db"))
    with writing(engine) as conn:
        registry.put(conn, load_site(SITE, "test"), NOW)
        sites = expedition.begin(conn, NOW)
        assert expedition.changed(conn) is None
    engine.dispose()
    assert expedition.claimed(sites) == {"explore:x"}
    site = expedition.site_of(lease_of_kind(), sites)
    assert site is not None
    assert site.delay_seconds == 7.0


def test_the_topic_spider_claims_the_watched_sites_and_what_was_submitted():
    assert WatchedScope(None).claimed({"a": None, "b": None}) == {"a", "b", ""}  # type: ignore[dict-item]
