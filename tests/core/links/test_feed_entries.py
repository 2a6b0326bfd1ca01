"""Entries of the versions of RSS and Atom that are in use: their title, link and date."""

import pytest

from newsspider.core.links.feeds import read_feed

ITEM = "<item><title>开学</title><link>http://a.cn/1</link>{date}</item>"
RSS = "<pubDate>Fri, 17 May 2024 00:30:00 GMT</pubDate>"
ATOM = '<entry><title>开学</title><link rel="alternate" type="text/html" href="http://a.cn/1"/>{date}</entry>'


@pytest.mark.parametrize(
    "feed",
    [
        f'<rss version="0.91"><channel>{ITEM.format(date=RSS)}</channel></rss>',
        f'<rss version="0.92"><channel>{ITEM.format(date=RSS)}</channel></rss>',
        f'<rss version="2.0"><channel>{ITEM.format(date=RSS)}</channel></rss>',
        f'<rss version="2.0" xmlns="http://backend.userland.com/rss2"><channel>{ITEM.format(date=RSS)}</channel></rss>',
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://my.netscape.com/rdf/simple/0.9/" '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/">{ITEM.format(date="<dc:date>2024-05-17T00:30:00Z</dc:date>")}</rdf:RDF>',
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"><item rdf:about="http://a.cn/1"><title>开学</title>'
        "<dc:date>2024-05-17T08:30:00+08:00</dc:date></item></rdf:RDF>",
        '<feed version="0.3" xmlns="http://purl.org/atom/ns#">'
        f'{ATOM.format(date="<issued>2024-05-17T00:30:00Z</issued><modified>2024-06-01T00:00:00Z</modified>")}</feed>',
        '<feed xmlns="http://www.w3.org/2005/Atom">'
        f'{ATOM.format(date="<updated>2024-06-01T00:00:00Z</updated><published>2024-05-17T00:30:00Z</published>")}</feed>',
        f'<feed xmlns="http://www.w3.org/2005/Atom">{ATOM.format(date="<updated>2024-05-17T00:30:00Z</updated>")}</feed>',
        '<rss version="2.0"><channel><item><title><![CDATA[<b>开学</b>]]></title>'
        f'<guid isPermaLink="true">http://a.cn/1</guid>{RSS}</item></channel></rss>',
    ],
)
def test_an_entry_has_its_title_link_and_date_in_every_version(feed: str) -> None:
    (link,) = read_feed(feed.encode(), "http://a.cn/feed.xml")
    assert (link.url, link.text) == ("http://a.cn/1", "开学")
    assert link.published_at is not None
    assert link.published_at.timestamp() == 1715905800
