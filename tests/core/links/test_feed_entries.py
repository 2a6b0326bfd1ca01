"""Entries of the versions of RSS and Atom that are in use: their title, link and date."""


from newsspider.core.links.feeds import read_feed
from tests.support.tables import each

ITEM = "<item><title>开学</title><link>http://a.cn/1</link>{date}</item>"
RSS = "<pubDate>Fri, 17 May 2024 00:30:00 GMT</pubDate>"
ATOM = '<entry><title>开学</title><link rel="alternate" type="text/html" href="http://a.cn/1"/>{date}</entry>'


@each(
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


DC, MEDIA = 'xmlns:dc="http://purl.org/dc/elements/1.1/"', 'xmlns:media="http://search.yahoo.com/mrss/"'


@each(
    ("written", "title"),
    [
        ("<title>春季招生</title>", "春季招生"),
        ("<title>春季<b>招生</b></title>", "春季招生"),
        ("<title>春季&lt;b&gt;招生&lt;/b&gt;&lt;br/&gt;</title>", "春季招生"),
        ("<title><![CDATA[<span class='x'>春季</span>招生]]></title>", "春季招生"),
        ("<title>春季&amp;lt;招生&amp;gt;</title>", "春季<招生>"),
        ("<title>解读&lt;教师法&gt;修订草案</title>", "解读<教师法>修订草案"),
        ("<title><![CDATA[解读<<家庭教育促进法>>]]></title>", "解读<<家庭教育促进法>>"),
        ("<title>得分 3 &lt; 5，占比 &gt; 60%</title>", "得分 3 < 5，占比 > 60%"),
        ('<title type="text">R&amp;D 经费</title>', "R&D 经费"),
        ('<title type="html">R&amp;amp;D 经费</title>', "R&D 经费"),
        ('<title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">春季<i>招生</i></div></title>', "春季招生"),
        ('<title mode="escaped">&lt;i&gt;春季&lt;/i&gt;招生</title>', "春季招生"),
        ("<title>A&#66;&#x43;&#X44;</title>", "ABCD"),
        ("<title>caf&eacute; &hellip; &#8220;x&#8221; &#146;s</title>", "café … “x” ’s"),
        ("<title>\n  春季\n  招生\n</title>", "春季 招生"),
        ("<title/><dc:title>春季招生</dc:title>", "春季招生"),
        ("<dc:title>春季招生</dc:title>", "春季招生"),
        ("<media:title>春季招生</media:title>", "春季招生"),
        ("<media:title>操场</media:title><title>春季招生</title><dc:title>x</dc:title>", "春季招生"),
        ("<image><title>校徽</title></image><title>春季招生</title>", "春季招生"),
        ("<media:content><media:title>操场</media:title></media:content>", ""),
        ("<source><title>教育报</title></source>", ""),
    ],
)
def test_a_title_is_what_a_reader_sees_of_it(written: str, title: str) -> None:
    for feed in (
        f'<rss version="2.0" {DC} {MEDIA}><channel><item>{written}<link>http://a.cn/1</link></item></channel></rss>',
        f'<feed xmlns="http://www.w3.org/2005/Atom" {DC} {MEDIA}><entry>{written}<link href="http://a.cn/1"/></entry></feed>',
    ):
        (link,) = read_feed(feed.encode(), "http://a.cn/feed.xml")
        assert link.text == title


@each(
    ("written", "url"),
    [
        ("<link>http://a.cn/1</link>", "http://a.cn/1"),
        ("<link> /1 </link>", "http://a.cn/1"),
        ('<link href="1.html"/>', "http://a.cn/feeds/1.html"),
        ('<link rel="alternate">http://a.cn/1</link>', "http://a.cn/1"),
        ('<link rel="enclosure">http://a.cn/1.mp3</link><link rel="alternate">http://a.cn/1</link>', "http://a.cn/1"),
        ('<link rel="enclosure" href="http://a.cn/1.mp3"/><link href="http://a.cn/1"/>', "http://a.cn/1"),
        ('<link rel="service.edit" href="http://a.cn/edit/1"/><link rel="alternate" href="http://a.cn/1"/>', "http://a.cn/1"),
        ('<link href="http://a.cn/1"/><link rel="related" href="http://b.cn/"/>', "http://a.cn/1"),
        ('<link>http://a.cn/1</link><enclosure url="http://a.cn/1.jpg" type="image/jpeg"/>', "http://a.cn/1"),
        ("<guid>http://a.cn/1</guid>", "http://a.cn/1"),
        ('<guid isPermaLink="false">1</guid><link>http://a.cn/1</link>', "http://a.cn/1"),
        ('<guid isPermaLink="true">http://b.cn/9</guid><link>http://a.cn/1</link>', "http://a.cn/1"),
        ("<link></link><guid>http://a.cn/1</guid>", "http://a.cn/1"),
        ("<link>http://a.cn/1</link><image><link>http://a.cn/</link></image>", "http://a.cn/1"),
        ("<image><link>http://a.cn/</link></image><link>http://a.cn/1</link>", "http://a.cn/1"),
        ("<link>http://a.cn/1</link><comments>http://a.cn/1#comments</comments>", "http://a.cn/1"),
        ('<link xml:base="http://b.cn/x/" href="1"/>', "http://b.cn/x/1"),
        ("<link>HTTP://A.cn/1</link>", "http://a.cn/1"),
        ('<link rel="enclosure" href="http://a.cn/1.mp3"/>', None),
        ('<link rel="self" href="http://a.cn/1.atom"/>', None),
        ('<link rel="via">http://b.cn/1</link>', None),
        ('<guid isPermaLink="false">1</guid>', None),
        ("<id>tag:a.cn,2024:1</id>", None),
    ],
)
def test_an_entry_leads_to_the_page_that_it_names(written: str, url: str | None) -> None:
    for feed in (
        f'<rss version="2.0"><channel><item><title>招生</title>{written}</item></channel></rss>',
        f'<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>招生</title>{written}</entry></feed>',
    ):
        links = read_feed(feed.encode(), "http://a.cn/feeds/1.xml")
        assert [link.url for link in links] == ([url] if url else [])
