"""The sites that newsspider ships with."""

from newsspider.core.model import ArticleRules
from newsspider.sites.loader import load_site, shipped_texts
from newsspider.sites.model import MediaClass


def test_the_shipped_sites_are_good_and_explain_their_weights():
    sites = [load_site(text, name) for name, text in shipped_texts()]
    assert 20 <= len(sites) <= 60
    assert len({site.name for site in sites}) == len(sites)
    assert all(site.note for site in sites)
    classes = {site.media_class for site in sites}
    assert {MediaClass.OFFICIAL, MediaClass.CENTRAL, MediaClass.PORTAL, MediaClass.FORUM} <= classes


def test_no_xpath_is_shipped_that_was_not_tried_on_its_site():
    for name, text in shipped_texts():
        site = load_site(text, name)
        assert site.rules == ArticleRules()
        assert not any(channel.regions or channel.next_page for channel in site.channels)
