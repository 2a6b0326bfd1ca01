"""Sites as OPML and as JSON lists, in and out."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsspider.core.url import canonical
from newsspider.sites import opml
from newsspider.sites.loader import SiteError
from newsspider.sites.model import Channel, ChannelKind, MediaClass, Site
from newsspider.sites.opml import json_of, merge_sites, opml_of, sites_in, sites_in_json
from tests.support.tables import each

HOME, FEED = "https://news.u.example.cn/", "https://news.u.example.cn/rss.xml"
FEEDS = """<?xml version="1.0" encoding="UTF-8"?>
<opml version="2.0"><head><title>订阅</title></head><body>
<outline text="教育">
  <outline text="某大学 新闻" type="rss" xmlUrl="https://news.u.example.cn/rss.xml" htmlUrl="https://news.u.example.cn/"/>
  <outline title="公告" type="rss" xmlUrl="https://news.u.example.cn/notices.xml"/>
  <outline text="日报"><outline text="要闻" xmlUrl="HTTP://Daily.example.cn/feed"/></outline>
</outline>
<outline text="无地址"/><outline text="邮件" xmlUrl="mailto:a@b.cn"/>
</body></opml>""".encode()


def site(name: str, home: str, *channels: Channel) -> Site:
    return Site(name, home, 5, MediaClass.PORTAL, channels)


def test_feeds_are_put_with_the_site_of_their_host() -> None:
    university, daily = sites_in(FEEDS, "feeds.opml")
    assert (university.name, university.home) == ("某大学 新闻", "https://news.u.example.cn/")
    assert [(channel.name, channel.url, channel.kind) for channel in university.channels] == [
        ("某大学 新闻", "https://news.u.example.cn/rss.xml", "feed"),
        ("公告", "https://news.u.example.cn/notices.xml", "feed"),
    ]  # fmt: skip
    assert (daily.name, daily.home, daily.channels[0].url) == ("要闻", "http://daily.example.cn/", "http://daily.example.cn/feed")


@each(
    ("written", "url"),
    [
        ("feed://a.example.cn/rss.xml", "http://a.example.cn/rss.xml"),
        ("FEED://a.example.cn/rss.xml", "http://a.example.cn/rss.xml"),
        ("feed:https://a.example.cn/rss.xml", "https://a.example.cn/rss.xml"),
        ("feed:http://a.example.cn/rss.xml", "http://a.example.cn/rss.xml"),
        ("feed://https://a.example.cn/rss.xml", "https://a.example.cn/rss.xml"),
    ],
)
def test_the_scheme_of_feed_readers_is_http(written: str, url: str) -> None:
    document = f'<opml><body><outline text="要闻" xmlUrl="{written}"/></body></opml>'.encode()
    assert [channel.url for site in sites_in(document, "feeds.opml") for channel in site.channels] == [url]


def test_what_is_written_is_read_again() -> None:
    sites = [
        site("教育部", "http://a.example.cn/", Channel("要闻", "http://a.example.cn/rss", 5, ChannelKind.FEED)),
        site(
            '<b>&"日报', "http://b.example.cn/", Channel("首页", "http://b.example.cn/", 5, ChannelKind.HOME),
            Channel("滚动", "http://b.example.cn/list?a=1&b=2", 5),
        ),
    ]  # fmt: skip
    assert sites_in(opml_of(sites), "x.opml") == sites


@each(
    ("text", "name", "channel"),
    [
        ("👨\u200d👩\u200d👧 亲子", "👨👩👧 亲子", "👨👩👧 亲子"),
        ("\ufeff教\u00ad育\u200b", "教育", "教育"),
        ("\ue000", "a.example.cn", "a.example.cn"),
        ("- 要闻", "要闻", "- 要闻"),
        ("--", "a.example.cn", "--"),
        ("学" * 79 + " 校", "学" * 79, "学" * 79),
    ],
)
@each("folder", [False, True])
def test_every_title_of_a_feed_gives_names_that_a_site_may_have(text: str, name: str, channel: str, folder: bool) -> None:
    feed = f'<outline text="{text}" xmlUrl="http://a.example.cn/rss"/>'
    if folder:
        feed = f'<outline text="{text}" htmlUrl="http://a.example.cn/">{feed}</outline>'
    (listed_site,) = sites_in(f"<opml><body>{feed}</body></opml>".encode(), "x.opml")
    assert (listed_site.name, [listed_channel.name for listed_channel in listed_site.channels]) == (name, [channel])


def test_a_registered_site_keeps_what_it_has_and_gets_what_it_lacks() -> None:
    notices = Channel("公告", "https://news.u.example.cn/notices.xml", 9, ChannelKind.FEED)
    old = site("大学", "https://news.u.example.cn/index.html", notices)
    grown, new = merge_sites([old], sites_in(FEEDS, "x"))
    assert (grown.name, grown.home, [channel.name for channel in grown.channels]) == ("大学", old.home, ["公告", "某大学 新闻"])
    assert grown.channels[0] is old.channels[0]
    assert new.name == "要闻"
    assert list(merge_sites([grown, new], sites_in(FEEDS, "x"))) == []


def test_new_sites_take_no_name_and_no_channel_of_others() -> None:
    old = [site("要闻", "http://x.example.cn/"), site("b.example.cn", "http://y.example.cn/")]
    new = [
        site("要闻", f"http://{host}.example.cn/", Channel(host, f"http://{host}.example.cn/rss", 5, ChannelKind.FEED))
        for host in "abx"
    ]
    first, second, grown = merge_sites(old, new)
    assert [listed_site.name for listed_site in (first, second, grown)] == ["a.example.cn", "b.example.cn 2", "要闻"]
    assert [listed_site.channels[0].name for listed_site in (first, second, grown)] == ["a", "b", "x"]
    assert grown.home == old[0].home


def test_each_url_is_asked_for_once_however_many_feeds_a_site_has(monkeypatch: pytest.MonkeyPatch) -> None:
    count = 500
    normalised_urls: list[str] = []
    monkeypatch.setattr(opml, "canonical", lambda url: normalised_urls.append(url) or canonical(url))
    feeds = "".join(f"<outline text='x' xmlUrl='http://a.cn/{number}'/>" for number in range(count))
    (only,) = sites_in(f"<opml><body>{feeds}</body></opml>".encode(), "x")
    assert [channel.name for channel in only.channels[:3]] == ["x", "x 2", "x 3"]
    assert len({channel.name for channel in only.channels}) == count
    assert list(merge_sites([only], [only])) == []
    assert len(normalised_urls) < 5 * count


@each(
    ("document", "sentence"),
    [
        (b"", "it is not XML"), (b"<opml><body>", "it is not XML"), (b"<rss/>", "its root is not <opml>"),
        (b"<opml version='2.0'/>", "no outline"),
        (b"<opml><body>" + b"<outline text='x'>" * 200 + b"</outline>" * 200 + b"</body></opml>", "no outline"),
        (b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><opml><body><outline text="&b;"/></body></opml>', "no"),
        (b"<opml><body>" + b"<outline xmlUrl='http://a.cn/%d'/>" * 10_001 + b"</body></opml>", "more than 10,000"),
    ],
)  # fmt: skip
def test_a_wrong_document_is_refused_with_a_sentence(document: bytes, sentence: str) -> None:
    with pytest.raises(SiteError, match=sentence):
        sites_in(document, "x.opml")


@given(st.text(max_size=60))
def test_any_name_is_read_or_refused(name: str) -> None:
    original = site("x", "http://a.example.cn/", Channel("x", "http://a.example.cn/rss", 5, ChannelKind.FEED))
    document = opml_of([original]).decode().replace('text="x"', f'text="{name.translate(ESCAPED)}"', 1)
    with suppress(SiteError):
        assert len(sites_in(document.encode("utf-8", "replace"), "x")) == 1


ESCAPED = str.maketrans({"<": "&lt;", "&": "&amp;", '"': "&quot;"})


def test_folders_named_after_regions_are_regions_and_come_out_as_such() -> None:
    document = """<opml version="2.0"><body><outline text="江苏省"><outline text="厅" htmlUrl="http://a.example.cn/">
        <outline text="要闻" xmlUrl="feed://a.example.cn/rss"/></outline></outline>
        <outline text="我的收藏"><outline text="部" xmlUrl="rsshub://gov/moe/newest" htmlUrl="http://b.example.cn/"/></outline>
        </body></opml>"""
    office, ministry = sites_in(document.encode(), "x.opml")
    assert (office.region, office.channels[0].url) == ("江苏", "http://a.example.cn/rss")
    assert (ministry.region, ministry.home) == ("", "http://b.example.cn/")
    assert ministry.channels[0].url == "http://rsshub.invalid/gov/moe/newest"
    written = opml_of([office, ministry])
    assert sites_in(written, "y.opml") == [office, ministry]
    assert 'text="江苏"' in written.decode()
    assert 'xmlUrl="rsshub://gov/moe/newest"' in written.decode()
    assert sites_in_json(json_of([office, ministry]).encode(), "y.json") == [office, ministry]


@each(
    ("name", "document"),
    [
        ("Miniflux", [{"id": 7, "title": "要闻", "site_url": HOME, "feed_url": FEED, "category": {"id": 1, "title": "浙江"}}]),
        (
            "FreshRSS, Inoreader",
            {"subscriptions": [{"id": "feed/9", "title": "要闻", "url": FEED, "htmlUrl": HOME, "categories": [{"label": "浙江"}]}]},
        ),
        ("Feedly", [{"id": f"feed/{FEED}", "title": "要闻", "website": HOME, "categories": [{"label": "必读"}, {"label": "浙江"}]}]),
        ("a list of feeds", [{"name": "要闻", "xmlUrl": f"feed:{FEED}", "htmlUrl": HOME, "folder": "浙江"}, "x", {"title": "y"}]),
    ],
)
def test_json_lists_of_other_readers_are_read(name: str, document: object) -> None:
    (found,) = sites_in_json(json.dumps(document).encode(), "x.json")
    assert (found.home, found.region, found.channels[0].name, found.channels[0].url) == (HOME, "浙江", "要闻", FEED), name


@each(
    ("document", "sentence"),
    [("", "it is not JSON"), ("[" * 100_000, "it is not JSON"), ("{}", "no object"), ("[1]", "no object"), ('[{"url": "x"}]', "no object")],
)
def test_a_json_list_that_cannot_be_used_is_refused_with_one_sentence(document: str, sentence: str) -> None:
    with pytest.raises(SiteError, match=sentence):
        sites_in_json(document.encode(), "x.json")
