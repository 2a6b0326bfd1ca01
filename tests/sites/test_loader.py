"""Site files: every key, every default, and the message for every error."""

import re

import pytest

from newsspider.core.model import ArticleRules
from newsspider.sites.loader import SiteError, load_site, load_sites
from newsspider.sites.model import Channel, ChannelKind, MediaClass, Site
from tests.support.site_files import SMALL, problems
from tests.support.tables import each

WHOLE = r"""
name = "示例教育网"
home = "http://edu.example.cn/"
weight = 7
media_class = "trade"
delay_seconds = 0.5
delay_reason = "our own server"
article_url = '/\d{4}/\d+\.html$'
enabled = false
note = "an example"

[xpaths]
title = "//h1"
body = "//div[@class='text']"
date = "string(//time/@datetime)"
source = "//span[@class='source']/text()"
author = "//span[@class='author']"

[[channels]]
name = "要闻"
url = "http://edu.example.cn/yaowen/"
weight = 9
kind = "list"
regions = ["//ul[@class='list']", '//div[@id="top"]']
next_page = "//a[text()='下一页']/@href"

[[channels]]
name = "RSS"
url = "http://edu.example.cn/rss.xml"
kind = "feed"
"""


def test_every_key_of_a_site_file_is_read():
    assert load_site(WHOLE, "example.toml") == Site(
        name="示例教育网",
        home="http://edu.example.cn/",
        weight=7,
        media_class=MediaClass.TRADE,
        delay_seconds=0.5,
        delay_reason="our own server",
        article_url=re.compile(r"/\d{4}/\d+\.html$"),
        enabled=False,
        note="an example",
        rules=ArticleRules(
            title="//h1",
            body="//div[@class='text']",
            date="string(//time/@datetime)",
            source="//span[@class='source']/text()",
            author="//span[@class='author']",
        ),
        channels=(
            Channel(
                "要闻",
                "http://edu.example.cn/yaowen/",
                9,
                ChannelKind.LIST,
                ("//ul[@class='list']", '//div[@id="top"]'),
                "//a[text()='下一页']/@href",
            ),
            Channel("RSS", "http://edu.example.cn/rss.xml", 7, ChannelKind.FEED),
        ),
    )


def test_a_channel_may_be_a_list_api():
    text = SMALL + '\n[[channels]]\nname = "接口"\nurl = "http://a.cn/api"\nkind = "json"\nitems = "data[].{title: t, url: u}"\n'
    (*_, channel) = load_site(text, "a.toml").channels
    assert (channel.kind, channel.items) == (ChannelKind.JSON, "data[].{title: t, url: u}")


def test_items_that_are_no_jmespath_are_refused():
    text = SMALL + '\n[[channels]]\nname = "接口"\nurl = "http://a.cn/api"\nkind = "json"\nitems = "data.["\n'
    with pytest.raises(SiteError, match=r"items.*is not a JMESPath"):
        load_site(text, "a.toml")


def test_missing_optional_keys_have_defaults():
    site = load_site(SMALL, "a.toml")
    assert site.enabled
    assert site.delay_seconds is None
    assert site.article_url is None
    assert site.rules == ArticleRules()
    assert site.channels == (Channel("home", "http://a.cn/", site.weight, ChannelKind.CHANNEL),)


@each(
    ("old", "new", "key", "reason"),
    [
        ("weight = 5", "", "weight", "missing"),
        ("weight = 5", "weight = 0", "weight", "from 1 to 10, not 0"),
        ("weight = 5", "weight = 11", "weight", "not 11"),
        ("weight = 5", "weight = 5.5", "weight", "not 5.5"),
        ("weight = 5", "weight = true", "weight", "not True"),
        ("weight = 5", 'weight = "5"', "weight", "not '5'"),
        ("weight = 5", "weight = 5\nwieght = 6", "wieght", "is not a key; known are"),
        ('name = "a"', "name = 3", "name", "must be a text"),
        ('name = "a"', 'name = " "', "name", "is empty"),
        ('name = "a"', 'name = "-a"', "name", "begin with"),
        ('name = "a"', r'name = "a\nb"', "name", "one line"),
        ('home = "http://a.cn/"', "", "home", "missing"),
        ('home = "http://a.cn/"', 'home = "ftp://a.cn/"', "home", "is not an http or https URL"),
        ('home = "http://a.cn/"', 'home = "a.cn"', "home", "is not an http or https URL"),
        ('home = "http://a.cn/"', 'home = "http://"', "home", "is not an http or https URL"),
        ('home = "http://a.cn/"', 'home = "http://me:secret@a.cn/"', "home", "is not an http or https URL"),
        ('"portal"', '"newspaper"', "media_class", "must be one of central, portal"),
        ("weight = 5", "weight = 5\ndelay_seconds = 0.5", "delay_reason", "needed for a delay below 1 s"),
        ("weight = 5", "weight = 5\ndelay_seconds = -1", "delay_seconds", "must be a number"),
        ("weight = 5", "weight = 5\ndelay_seconds = nan", "delay_seconds", "must be a number"),
        ("weight = 5", "weight = 5\ndelay_seconds = true", "delay_seconds", "must be a number"),
        ("weight = 5", "weight = 5\narticle_url = '('", "article_url", "is not a regular expression"),
        ("weight = 5", "weight = 5\nenabled = 'no'", "enabled", "must be true or false"),
        ("weight = 5", "weight = 5\nxpaths = 3", "xpaths", "must be a table"),
        ("[[channels]]", "[xpaths]\ntitle = '//h1['\n[[channels]]", "xpaths.title", "is not an XPath"),
        ("[[channels]]", "[xpaths]\ntitle = 'x:y(1)'\n[[channels]]", "xpaths.title", "is not an XPath"),
        ("[[channels]]", "[xpaths]\ntitle = '$x'\n[[channels]]", "xpaths.title", "is not an XPath"),
        ("[[channels]]", "[xpaths]\ntitle = 'count(//a)'\n[[channels]]", "xpaths.title", "selects nothing"),
        ("[[channels]]", "[xpaths]\nbody_text = '//p'\n[[channels]]", "xpaths.body_text", "is not a key"),
        ('url = "http://a.cn/"', "", "channels[1].url", "missing"),
        ('url = "http://a.cn/"', 'url = "javascript:1"', "channels[1].url", "is not an http or https URL"),
        ('name = "home"', 'name = "home"\nweight = 12', "channels[1].weight", "not 12"),
        ('name = "home"', 'name = "home"\nkind = "lists"', "channels[1].kind", "must be one of home, channel, list"),
        ('name = "home"', 'name = "home"\nregions = "//ul"', "channels[1].regions", "must be a list of XPaths"),
        ('name = "home"', 'name = "home"\nregions = [1]', "channels[1].regions", "must be a list of XPaths"),
        ('name = "home"', 'name = "home"\nregions = ["//ul", "//["]', "channels[1].regions[2]", "is not an XPath"),
        ('name = "home"', 'name = "home"\nregions = ["string(//a)"]', "channels[1].regions[1]", "selects no elements"),
        ('name = "home"', 'name = "home"\nnext_page = "//["', "channels[1].next_page", "is not an XPath"),
        ('name = "home"', 'name = "home"\ndelay = 3', "channels[1].delay", "is not a key"),
        ("[[channels]]", "[channels]", "channels", "must be tables, written [[channels]]"),
        ("[[channels]]", "[xpaths]", "channels", "a site needs at least one"),
    ],
)
def test_an_invalid_value_is_refused_with_key_and_reason(old, new, key, reason):
    assert old in SMALL
    refusals = problems(SMALL.replace(old, new))
    assert [message for refused_key, message in refusals if refused_key == key and reason in message], refusals


def test_several_errors_of_one_file_are_reported_together():
    text = SMALL.replace("weight = 5", "weight = 50").replace('"portal"', '"x"')
    assert [key for key, _ in problems(text)] == ["weight", "media_class"]
    with pytest.raises(SiteError, match=r"a\.toml: weight: .*; a\.toml: media_class: "):
        load_site(text, "a.toml")


@each(
    ("key", "line"),
    [("name", 'name = "home"\nurl = "http://a.cn/b"'), ("url", 'name = "b"\nurl = "HTTP://A.cn:80"')],
)
def test_two_channels_with_the_same_name_or_url_are_refused(key, line):
    assert [refused_key for refused_key, _ in problems(f"{SMALL}\n[[channels]]\n{line}")] == [f"channels[2].{key}"]


def test_invalid_toml_is_refused_with_its_line():
    (refused_key, message) = problems("x = 1\nname = \n")[0]
    assert refused_key == "TOML"
    assert "line 2" in message


def test_a_folder_is_read_in_order_of_file_name(tmp_path):
    (tmp_path / "2.toml").write_text(SMALL, "utf-8")
    (tmp_path / "1.toml").write_text(WHOLE, "utf-8-sig")
    (tmp_path / "notes.txt").write_text("no site", "utf-8")
    assert [site.name for site in load_sites(tmp_path)] == ["示例教育网", "a"]
    assert [site.name for site in load_sites(str(tmp_path / "2.toml"))] == ["a"]


def test_two_files_with_the_same_site_name_are_refused(tmp_path):
    for name in ("1.toml", "2.toml"):
        (tmp_path / name).write_text(SMALL, "utf-8")
    with pytest.raises(SiteError, match=r"2\.toml: name: 'a' is the name of a site of another file"):
        load_sites(tmp_path)


@pytest.mark.parametrize(
    ("name", "reason"), [("gone.toml", "No such file"), ("latin.toml", "is not UTF-8"), ("", "holds no")]
)
def test_an_unreadable_file_or_empty_folder_is_refused(tmp_path, name, reason):
    if name == "latin.toml":
        (tmp_path / name).write_bytes(b'name = "\xff"')
    with pytest.raises(SiteError, match=reason):
        load_sites(tmp_path / name if name else tmp_path)
