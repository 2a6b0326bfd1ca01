

import codecs
import gzip

from hypothesis import given
from hypothesis import strategies as st

from newsspider.core.dates.date_reader import feed_moment
from newsspider.core.links.feeds import Sitemap, read_feed, read_sitemap
from newsspider.core.links.xml_stream import document_kind
from newsspider.core.model import LinkKind, PageType
from tests.support.tables import each

URL = "http://www.example.edu.cn/rss.xml"
RSS = """<?xml version="1.0" encoding="{charset}"?><rss version="2.0"><channel><title>教育</title><link>http://www.example.edu.cn/</link>
<item><title>乡村学校的书声</title><link>/a/1.html</link><pubDate>Fri, 17 May 2024 08:30:00 +0800</pubDate></item>
<item><title><![CDATA[<b>高考</b> &amp; 中考]]></title><guid>http://www.example.edu.cn/a/2.html</guid></item>
<item><title>没有去处</title><guid isPermaLink="false">77</guid></item>
<item><title>又一遍</title><link>http://www.example.edu.cn/a/1.html</link></item></channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><link href="http://www.example.edu.cn/"/><entry><title type="html">A &amp;amp; B</title>
<link rel="self" href="/self"/><link rel="alternate" href="/a/3.html"/><updated>2024-05-18T00:00:00Z</updated>
<published>2024-05-17T08:30:00Z</published></entry></feed>"""
RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel rdf:about="http://a.cn/"><title>x</title></channel>
<item rdf:about="http://a.cn/4.html"><title>四</title><dc:date>2024-05-17</dc:date></item></rdf:RDF>"""

ITEM = "<item><title>开学</title><link>http://a.cn/1</link>{date}</item>"
ENTRIES_RSS = "<pubDate>Fri, 17 May 2024 00:30:00 GMT</pubDate>"
ENTRIES_ATOM = '<entry><title>开学</title><link rel="alternate" type="text/html" href="http://a.cn/1"/>{date}</entry>'


@each("charset", ["utf-8", "gb2312"])
def test_rss_items_are_article_links_each_once(charset: str) -> None:
    links = read_feed(RSS.format(charset=charset).encode(charset), URL)
    assert [(link.url, link.text) for link in links] == [
        ("http://www.example.edu.cn/a/1.html", "乡村学校的书声"),
        ("http://www.example.edu.cn/a/2.html", "高考 & 中考"),
    ]
    assert links[0].published_at is not None
    assert links[0].published_at.isoformat() == "2024-05-17T08:30:00+08:00"
    assert {link.kind for link in links} == {LinkKind.ARTICLE}


def test_a_wrongly_declared_charset_does_not_garble_titles() -> None:
    assert read_feed(RSS.format(charset="utf-8").encode("gb18030"), URL)[0].text == "乡村学校的书声"


def test_a_mark_of_utf_16_in_front_of_utf_8_hides_nothing() -> None:
    mark = codecs.BOM_UTF16_LE
    assert read_feed(mark + RSS.format(charset="utf-8").encode(), URL)[0].text == "乡村学校的书声"
    assert [link.url for link in read_sitemap(mark + b"http://a.cn/1\nhttp://a.cn/2", URL).urls] == ["http://a.cn/1", "http://a.cn/2"]


@each(
    ("written", "resolved"),
    [("\\a\\5.html", "http://www.example.edu.cn/a/5.html"), ("http:\\\\x.cn\\6.html", "http://x.cn/6.html")],
)
def test_backslashes_of_feeds_and_sitemaps_are_slashes(written: str, resolved: str) -> None:
    feed = f"<rss><channel><item><title>五</title><link>{written}</link></item></channel></rss>"
    assert [link.url for link in read_feed(feed.encode(), URL)] == [resolved]
    assert [link.url for link in read_sitemap(f"<urlset><url><loc>{written}</loc></url></urlset>".encode(), URL).urls] == [resolved]


def test_atom_entries_lead_to_their_alternate_and_were_published_before_updated() -> None:
    (link,) = read_feed(ATOM.encode(), URL)
    assert (link.url, link.text) == ("http://www.example.edu.cn/a/3.html", "A & B")
    assert link.published_at is not None
    assert link.published_at.isoformat() == "2024-05-17T08:30:00+00:00"


@each(
    "link",
    [
        '<link href="http://a.cn/show?id=1&amp;type=2"/>',
        '<link href="http://a.cn/show?id=1&type=2"/>',
        "<link>http://a.cn/show?id=1&amp;type=2</link>",
        "<link>http://a.cn/show?id=1&type=2</link>",
        "<link><![CDATA[http://a.cn/show?id=1&type=2]]></link>",
    ],
    ids=["attribute", "bare in attribute", "text", "bare in text", "CDATA"],
)
def test_an_ampersand_of_an_address_is_one_wherever_it_stands(link: str) -> None:
    feed = f"<rss><channel><item><title>t</title>{link}</item></channel></rss>"
    assert [entry.url for entry in read_feed(feed.encode(), URL)] == ["http://a.cn/show?id=1&type=2"]


def test_a_title_of_a_picture_or_an_episode_is_not_that_of_the_entry() -> None:
    declared = ' xmlns:media="http://search.yahoo.com/mrss/" xmlns:itunes="urn:i"'
    picture = "<media:title>图片：教室</media:title>"
    titles = f"{picture}<title>新校舍启用</title><itunes:title>第3期</itunes:title>{picture}"
    for feed in (
        f"<rss{declared}><channel><item>{titles}<link>http://a.cn/1</link></item></channel></rss>",
        f'<feed xmlns="http://www.w3.org/2005/Atom"{declared}><entry>{titles}<link href="http://a.cn/1"/></entry></feed>',
    ):
        assert [(link.url, link.text) for link in read_feed(feed.encode(), "http://a.cn/")] == [("http://a.cn/1", "新校舍启用")]


def test_all_members_of_a_gzipped_sitemap_are_read() -> None:
    lines = [f"http://a.cn/{n}.html\n".encode() for n in range(3)]
    assert len(read_sitemap(b"".join(map(gzip.compress, [b"", *lines])), URL).urls) == 3


def test_rdf_items_are_siblings_of_their_channel() -> None:
    (link,) = read_feed(RDF.encode(), URL)
    assert (link.url, link.text, link.published_at is not None) == ("http://a.cn/4.html", "四", True)


@each(
    "broken",
    [
        "<rss><channel><item><title>a & b&nbsp;c</title><link>http://a.cn/?x=1&y=2</link></item>",
        "\n\n<?xml version='1.0'?><rss><channel><item><title>a & b c\x02</title><link>http://a.cn/?x=1&amp;y=2</link></item></channel>",
        "<rss><channel><item><title>a & b c</title><link>http://a.cn/?x=1&y=2</link><media:x>1</media:x></item></channel></rss>trailing",
    ],
)
def test_broken_xml_is_read_as_far_as_it_goes(broken: str) -> None:
    (link,) = read_feed(broken.encode(), URL)
    assert (link.url, link.text) == ("http://a.cn/?x=1&y=2", "a & b c")


def test_entities_of_the_document_neither_expand_nor_reach_files() -> None:
    doctype = '<!DOCTYPE r [<!ENTITY a "lol"><!ENTITY b "&a;&a;"><!ENTITY f SYSTEM "file:///etc/hostname">]>'
    body = f"{doctype}<rss><channel><item><title>x&b;&f;</title><link>http://a.cn/1</link></item></channel></rss>"
    (link,) = read_feed(body.encode(), URL)
    assert link.text == "x&b;&f;"


def test_links_are_relative_to_the_base_of_the_feed() -> None:
    body = b'<feed xml:base="http://a.cn/x/"><entry><title>t</title><link href="y.html"/></entry></feed>'
    assert [link.url for link in read_feed(body, "http://a.cn/feeds/f.xml")] == ["http://a.cn/x/y.html"]


def test_an_entry_and_a_link_may_have_a_base_of_their_own() -> None:
    entries = (
        '<entry xml:base="/x/"><title>甲</title><link href="1.html"/></entry><entry><title>乙</title><link href="2.html"/></entry>',
        '<entry xml:base="x/"><title>丙</title><link xml:base="y/" href="3.html"/></entry>',
        '<entry xml:base="http://b.cn/"><author><name xml:base="http://c.cn/">丁</name></author><link href="4.html"/></entry>',
    )
    body = f'<feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://a.cn/f/">{"".join(entries)}</feed>'
    assert [link.url for link in read_feed(body.encode(), URL)] == [
        "http://a.cn/x/1.html", "http://a.cn/f/2.html", "http://a.cn/f/x/y/3.html", "http://b.cn/4.html"
    ]  # fmt: skip


@each(
    ("children", "url"),
    [
        ('<id>urn:1</id><content src="/a/1.html"/>', "http://a.cn/a/1.html"),
        ('<id>http://a.cn/?id=1</id><content type="text/html" src="/a/1.html"/>', "http://a.cn/a/1.html"),
        ('<content src="/a/1.html"/><link href="/a/2.html"/>', "http://a.cn/a/2.html"),
        ('<id>http://a.cn/?id=1</id><content type="image/png" src="/a/1.png"/>', "http://a.cn/?id=1"),
        ('<id>http://a.cn/?id=1</id><content type="html">text</content>', "http://a.cn/?id=1"),
        ("<id>HTTP://a.cn/?id=1</id>", "http://a.cn/?id=1"),
        ("<link>javascript:void(0)</link><id>http://a.cn/?id=1</id>", "http://a.cn/?id=1"),
        ('<link href="http://a[b.cn/"/><content src="/a/1.html"/>', "http://a.cn/a/1.html"),
        ('<link href="/1.json" type="application/json"/><link href="/1.html" type="text/html"/>', "http://a.cn/1.html"),
        ('<link rel="ALTERNATE" href="/1.html"/>', "http://a.cn/1.html"),
        ('<link rel="http://www.iana.org/assignments/relation/alternate" href="/1.html"/>', "http://a.cn/1.html"),
    ],
)
def test_an_entry_leads_to_its_link_or_the_page_that_is_its_content_or_its_id(children: str, url: str) -> None:
    body = f'<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>t</title>{children}</entry></feed>'
    assert [link.url for link in read_feed(body.encode(), "http://a.cn/f.xml")] == [url]


@each(
    "complaint",
    ["<br />\n<b>Warning</b>:  Undefined variable $id on line <b>3</b><br />\n", "Notice: 1 < 2 & 3\n", "提示：<!-- x -->"],
)
@each("charset", ["utf-8", "gb2312"])
def test_a_feed_is_read_behind_the_warnings_of_its_program(complaint: str, charset: str) -> None:
    body = (complaint + RSS.format(charset=charset)).encode(charset)
    assert document_kind(body) is PageType.FEED
    assert [link.text for link in read_feed(body, URL)] == ["乡村学校的书声", "高考 & 中考"]


@each(
    "code", ["<description><![CDATA[<pre><?xml version=\"1.0\"?></pre>]]></description>", "<!-- <?xml version=\"1.0\"?> -->"]
)
def test_a_declaration_in_the_text_of_a_feed_is_none(code: str) -> None:
    body = f"<rss><channel>{code}<item><title>开学</title><link>http://a.cn/1</link></item></channel></rss>".encode()
    assert document_kind(body) is PageType.FEED
    assert [link.text for link in read_feed(body, URL)] == ["开学"]


@each(
    ("text", "iso"),
    [
        ("Fri, 17 May 2024 08:30:00 GMT", "2024-05-17T08:30:00+00:00"),
        ("17 May 24 08:30 +0800", "2024-05-17T08:30:00+08:00"),
        ("Fri, 17 May 2024 08:30:00", "2024-05-17T08:30:00+08:00"),
        ("Fri, 17 May 2024 08:30:00 CST", "2024-05-17T08:30:00+08:00"),
        ("Fri, 17 May 2024 08:30:00 -0000", "2024-05-17T08:30:00+00:00"),
        ("2024-05-17 08:30:00 UTC", "2024-05-17T08:30:00+00:00"),
        ("2024-05-17T08:30:00.123Z", "2024-05-17T08:30:00+00:00"),
        ("2024-05-17T08:30+08:00", "2024-05-17T08:30:00+08:00"),
        ("2024-05-17 08:30:05", "2024-05-17T08:30:05+08:00"),
        ("2024-05-17", "2024-05-17T00:00:00+08:00"),
        ("2024年5月17日 08:30", "2024-05-17T08:30:00+08:00"),
        ("2024/5/17 8:30", "2024-05-17T08:30:00+08:00"),
        ("星期五, 17 五月 2024 08:30:00 +0000", "2024-05-17T08:30:00+00:00"),
        ("周五，17 12月 2024 08:30:00 GMT", "2024-12-17T08:30:00+00:00"),
        ("Fri, 17 May 2024 8:30 PM", "2024-05-17T20:30:00+08:00"),
        ("2024-05-17 12:05:00 AM", "2024-05-17T00:05:00+08:00"),
        ("2024/5/17 下午 03:30:00", "2024-05-17T15:30:00+08:00"),
        ("2024-05-17 12:30 p.m.", "2024-05-17T12:30:00+08:00"),
        ("Fri, 17 May 2024 08:30:00 JST", "2024-05-17T08:30:00+09:00"),
        ("Fri, 17 May 2024 08:30:00 GMT-5", "2024-05-17T08:30:00-05:00"),
        ("Fri, 17 May 2024 08:30:00 +8", "2024-05-17T08:30:00+08:00"),
        ("20240517 08:30", "2024-05-17T08:30:00+08:00"),
        ("20240517083000", "2024-05-17T08:30:00+08:00"),
        ("20240517", "2024-05-17T00:00:00+08:00"),
        ("20240517T083000Z", "2024-05-17T08:30:00+00:00"),
        ("05/17/2024 08:30 AM", "2024-05-17T08:30:00+08:00"),
        ("5/17/2024 3:30:00 PM", "2024-05-17T15:30:00+08:00"),
        ("17/05/2024 08:30", "2024-05-17T08:30:00+08:00"),
        ("05/05/2024", "2024-05-05T00:00:00+08:00"),
        ("1715905800", "2024-05-17T00:30:00+00:00"),
        ("05/17/2024 08:30 EST", "2024-05-17T08:30:00-05:00"),
        ("1715905800000", "2024-05-17T00:30:00+00:00"),
    ],
)
def test_moments_are_read_in_all_their_forms(text: str, iso: str) -> None:
    moment = feed_moment(text)
    assert moment is not None
    assert moment.isoformat() == iso


@each("text", ["05/06/2024 08:30 AM", "13/13/2024", "20241345", "2024051", "99999999"])
def test_an_ambiguous_or_odd_moment_is_none(text: str) -> None:
    assert feed_moment(text) is None


@given(st.text(max_size=40) | st.from_regex(r"[0-9/:]{6,20}", fullmatch=True))
def test_no_text_is_too_odd_for_a_moment(text: str) -> None:
    moment = feed_moment(text)
    assert moment is None or moment.tzinfo is not None


URLSET = """<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9">
<url><loc> http://a.cn/1.html </loc><lastmod>2024-05-18</lastmod></url>
<url><loc>http://a.cn/2.html</loc><news:news><news:publication><news:name>甲报</news:name></news:publication>
<news:publication_date>2024-05-17T08:30:00+08:00</news:publication_date><news:title>题目</news:title></news:news></url></urlset>"""


@each("pack", [bytes, gzip.compress])
def test_sitemaps_list_urls_and_news_sitemaps_titles_and_dates(pack: type[bytes]) -> None:
    plain, news = read_sitemap(pack(URLSET.encode()), URL).urls
    assert (plain.url, plain.text, plain.published_at) == ("http://a.cn/1.html", "", None)
    assert (news.url, news.text) == ("http://a.cn/2.html", "题目")
    assert news.published_at is not None
    assert news.published_at.isoformat() == "2024-05-17T08:30:00+08:00"


def test_a_sitemap_index_lists_sitemaps() -> None:
    body = b"<sitemapindex><sitemap><loc>http://a.cn/s1.xml</loc></sitemap><sitemap><loc>/s2.xml.gz</loc></sitemap></sitemapindex>"
    assert read_sitemap(body, "http://a.cn/s.xml") == Sitemap((), ("http://a.cn/s1.xml", "http://a.cn/s2.xml.gz"))


def test_text_sitemaps_and_feeds_serve_as_sitemaps() -> None:
    text = "\ufeffhttp://a.cn/1\nno url\r\nhttp://a.cn/2\nhttp://a.cn/1\n"
    assert [link.url for link in read_sitemap(text.encode(), URL).urls] == ["http://a.cn/1", "http://a.cn/2"]
    assert len(read_sitemap(ATOM.encode(), URL).urls) == 1


def test_the_address_of_a_picture_is_not_that_of_its_page() -> None:
    declared = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
    body = f"<urlset {declared}><url><image:loc>http://a.cn/1.jpg</image:loc><loc>http://a.cn/1.html</loc></url></urlset>"
    assert [link.url for link in read_sitemap(body.encode(), URL).urls] == ["http://a.cn/1.html"]


def test_a_scheme_in_capitals_is_one_in_a_text_sitemap() -> None:
    assert [link.url for link in read_sitemap(b"HTTP://a.cn/1\nHttps://a.cn/2\nhttp://a.cn/1", URL).urls] == ["http://a.cn/1", "https://a.cn/2"]


def test_a_sitemap_ends_at_its_limit() -> None:
    body = "<urlset>" + "".join(f"<url><loc>http://a.cn/{i}</loc></url>" for i in range(50_010)) + "</urlset>"
    assert len(read_sitemap(body.encode(), URL).urls) == 50_000


@each(
    ("body", "kind"),
    [
        (RSS.encode(), PageType.FEED),
        (ATOM.encode(), PageType.FEED),
        (RDF.encode(), PageType.FEED),
        (URLSET.encode(), PageType.SITEMAP),
        (gzip.compress(URLSET.encode()), PageType.SITEMAP),
        (b"<!-- made by <b>x</b> --><sitemapindex/>", PageType.SITEMAP),
        (b"<!DOCTYPE html><html><body>rss feed</body></html>", None),
        (b"plain <text", None),
        (b"", None),
    ],
)
def test_the_first_tag_says_what_a_document_is(body: bytes, kind: PageType | None) -> None:
    assert document_kind(body, "text/html") is kind


@each("body", [b"", b"\x1f\x8b broken", b"\xff\xfe\x00", b"<", b"<rss", b"<html><p>x</p></html>"])
def test_what_is_neither_feed_nor_sitemap_gives_nothing(body: bytes) -> None:
    assert read_feed(body, URL) == ()
    assert read_sitemap(body, URL) == Sitemap()


NEWS = """<?xml version="1.0" encoding="{charset}"?>
<{root}>
<webSite>http://www.example.edu.cn</webSite>
<webMaster>news@example.edu.cn</webMaster>
<updatePeri>15</updatePeri>
<item><title>乡村学校的书声</title><link>http://www.example.edu.cn/a/1.html</link><description>摘要</description>
<text><![CDATA[<p>正文 <a href="/a/9.html">旧闻</a></p>]]></text><image>http://www.example.edu.cn/1.jpg</image>
<headlineImg/><keywords>学校</keywords><category>教育</category><author>某人</author><source>某报</source><pubDate>{date}</pubDate></item>
<item>
<title><![CDATA[高考 &amp; 中考]]></title>
<link><![CDATA[/a/2.html?a=1&b=2]]></link>
<pubDate>{date}</pubDate>
</item>
</{root}>"""


@each("charset", ["utf-8", "gb2312", "gb18030"])
@each("root", ["document", "Document", "DOCUMENT"])
@each(
    "date", ["2024-05-17 08:30", "2024/05/17 08:30:00", "2024年5月17日 08:30", "2024年05月17日8时30分", "20240517083000", "1715905800"]
)
def test_the_news_xml_of_baidu_is_a_feed(charset: str, root: str, date: str) -> None:
    body = NEWS.format(charset=charset, root=root, date=date).encode(charset)
    assert document_kind(body, "text/xml") is PageType.FEED
    links = read_feed(body, URL)
    assert [(link.url, link.text) for link in links] == [
        ("http://www.example.edu.cn/a/1.html", "乡村学校的书声"),
        ("http://www.example.edu.cn/a/2.html?a=1&b=2", "高考 & 中考"),
    ]
    assert {link.published_at.isoformat()[:16] for link in links if link.published_at} in ({"2024-05-17T08:30"}, {"2024-05-17T00:30"})


@each("change", [
    ("<webSite>http://www.example.edu.cn</webSite>\n", ""), ("<updatePeri>15</updatePeri>", ""), ("?>", "?><!-- 百度新闻 -->"),
    ('<?xml version="1.0" encoding="{charset}"?>', ""), ("<{root}>", "<{root} xmlns:news='http://www.baidu.com/news'>"), ("\n", ""),
    ("<?xml", "\n\n<?xml"), ("<webMaster>news@example.edu.cn</webMaster>", "<webMaster></webMaster>"),
])  # fmt: skip
def test_variants_of_the_news_xml_of_baidu_are_feeds(change: tuple[str, str]) -> None:
    body = NEWS.replace(*change).format(charset="utf-8", root="document", date="2024-05-17").encode()
    assert document_kind(body) is PageType.FEED
    assert [link.text for link in read_feed(body, URL)] == ["乡村学校的书声", "高考 & 中考"]
    assert [link.text for link in read_feed(gzip.compress(body), URL)] == ["乡村学校的书声", "高考 & 中考"]


@each("body", [
    "<document><body><p>正文</p></body></document>", "<?xml version='1.0'?><document type='report'><title>年报</title></document>",
    "<documents><item><link>http://a.cn/1</link></item></documents>",
])  # fmt: skip
def test_other_documents_are_no_feeds(body: str) -> None:
    assert document_kind(body.encode()) is None


@each(
    "feed",
    [
        f'<rss version="0.91"><channel>{ITEM.format(date=ENTRIES_RSS)}</channel></rss>',
        f'<rss version="0.92"><channel>{ITEM.format(date=ENTRIES_RSS)}</channel></rss>',
        f'<rss version="2.0"><channel>{ITEM.format(date=ENTRIES_RSS)}</channel></rss>',
        f'<rss version="2.0" xmlns="http://backend.userland.com/rss2"><channel>{ITEM.format(date=ENTRIES_RSS)}</channel></rss>',
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://my.netscape.com/rdf/simple/0.9/" '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/">{ITEM.format(date="<dc:date>2024-05-17T00:30:00Z</dc:date>")}</rdf:RDF>',
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"><item rdf:about="http://a.cn/1"><title>开学</title>'
        "<dc:date>2024-05-17T08:30:00+08:00</dc:date></item></rdf:RDF>",
        '<feed version="0.3" xmlns="http://purl.org/atom/ns#">'
        f'{ENTRIES_ATOM.format(date="<issued>2024-05-17T00:30:00Z</issued><modified>2024-06-01T00:00:00Z</modified>")}</feed>',
        '<feed xmlns="http://www.w3.org/2005/Atom">'
        f'{ENTRIES_ATOM.format(date="<updated>2024-06-01T00:00:00Z</updated><published>2024-05-17T00:30:00Z</published>")}</feed>',
        f'<feed xmlns="http://www.w3.org/2005/Atom">{ENTRIES_ATOM.format(date="<updated>2024-05-17T00:30:00Z</updated>")}</feed>',
        '<rss version="2.0"><channel><item><title><![CDATA[<b>开学</b>]]></title>'
        f'<guid isPermaLink="true">http://a.cn/1</guid>{ENTRIES_RSS}</item></channel></rss>',
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

