"""What a site file may say, and how a bad one is refused."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsspider.core.article import Rules
from newsspider.sites.listing import file_names
from newsspider.sites.loader import BadSite, load_site, load_sites, shipped, site_toml
from newsspider.sites.model import Channel, ChannelKind, MediaClass, Site, from_home
from newsspider.sites.xpath import xpath_problem

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
SMALL = """
name = "a"
home = "http://a.cn/"
weight = 5
media_class = "portal"
[[channels]]
name = "home"
url = "http://a.cn/"
"""


def problems(text: str) -> list[tuple[str, str]]:
    with pytest.raises(BadSite) as caught:
        load_site(text, "a.toml")
    assert caught.value.file == "a.toml"
    assert (caught.value.key, caught.value.reason) == caught.value.problems[0]
    return list(caught.value.problems)


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
        rules=Rules(
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


@pytest.mark.parametrize(
    "xpath",
    [
        "//p[foo(.)]",
        "//div[@class='never']/p[foo(.)]",
        "//div[@class='never' and string-length(., 3) > 1]",
        "//p[position(1)]",
        "//p[$x]",
        "//p[x:y]",
        "//div[@class='never'][count('a') = 1]",
        "//div[@class='never'][a[b[foo()]]]",
        "string(//p, 3)",
        "count(//p)",
        "//p = 'x'",
        "//namespace::*",
        "re:test(//p, 'x')",
    ],
)
def test_an_xpath_that_would_fail_on_a_page_is_refused(xpath):
    assert xpath_problem(xpath)
    text = SMALL.replace("[[channels]]", f'[xpaths]\nbody = """{xpath}"""\n[[channels]]')
    ((key, reason),) = problems(text)
    assert key == "xpaths.body"
    assert xpath in reason


@pytest.mark.parametrize(
    "xpath",
    [
        "//div[@class='a[b](c)' or text()=\"don't (\"]",
        "//div[@class='never'][last()]/following-sibling::*[position() < 3]//text()[normalize-space()]",
        "//a[contains(concat(' ', @class, ' '), ' x ')] | //table//tr[td[2]]/td[1 + 1]",
        "string(//meta[@name='author']/@content)",
        "substring-after(//span[contains(., '来源：')], '：')",
        "//p[count(a) < 2 and not(ancestor::footer)]",
        "//comment()/parent::node()",
        "id('text')",
    ],
)
def test_an_xpath_of_any_make_serves(xpath):
    assert xpath_problem(xpath) == ""


@pytest.mark.parametrize("xpath", ["//a/@href", "//p/text()", "string(//a)"])
def test_a_region_is_made_of_elements(xpath):
    assert xpath_problem(xpath) == ""
    assert "selects no elements" in xpath_problem(xpath, elements=True)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("http://127.0.0.1:8900/", "127.0.0.1:8900"),
        ("http://127.0.0.1/", "127.0.0.1"),
        ("http://中文.中国/", "中文.中国"),
        ("http://xn--fiq228c.xn--fiqs8s:8080/", "中文.中国:8080"),
        ("http://[::1]:8900/", "[::1]:8900"),
        ("http://-a.example.cn/", "a.example.cn"),
        ("http://---/", "site"),
    ],
)
def test_a_site_of_a_url_is_named_after_its_host(url, name):
    site = from_home(url)
    assert site.name == name
    assert load_site(site_toml(site), "a.toml") == site


def test_every_site_has_a_file_name_of_its_own_on_every_file_system():
    names = ["-a", "--", "../x", "a/b:c", "a_b_c", "CON", "con", "Nul.x", "教育部", "𠀀" * 80, "[::1]:80", ".", "A", "a"]
    home = from_home("http://a.cn/")
    found = file_names([replace(home, name=name) for name in names])
    assert [site.name for site in found.values()] == names
    assert len({name.casefold() for name in found}) == len(names)
    for name in found:
        assert name.endswith(".toml")
        assert re.fullmatch(r"(?![-.])[\w.-]+", name)
        assert name.partition(".")[0].upper() not in ("CON", "NUL")
        assert len(name.encode()) <= 255


def test_what_a_site_file_leaves_out_has_a_default():
    site = load_site(SMALL, "a.toml")
    assert site.enabled
    assert site.delay_seconds is None
    assert site.article_url is None
    assert site.rules == Rules()
    assert site.channels == (Channel("home", "http://a.cn/", site.weight, ChannelKind.CHANNEL),)


@pytest.mark.parametrize(
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
def test_a_bad_thing_is_refused_with_key_and_reason(old, new, key, reason):
    assert old in SMALL
    found = problems(SMALL.replace(old, new))
    assert [why for where, why in found if where == key and reason in why], found


def test_several_errors_of_one_file_are_reported_together():
    text = SMALL.replace("weight = 5", "weight = 50").replace('"portal"', '"x"')
    assert [key for key, _ in problems(text)] == ["weight", "media_class"]
    with pytest.raises(BadSite, match=r"a\.toml: weight: .*; a\.toml: media_class: "):
        load_site(text, "a.toml")


@pytest.mark.parametrize(
    ("key", "line"),
    [("name", 'name = "home"\nurl = "http://a.cn/b"'), ("url", 'name = "b"\nurl = "HTTP://A.cn:80"')],
)
def test_two_channels_of_one_name_or_page_are_refused(key, line):
    assert [where for where, _ in problems(f"{SMALL}\n[[channels]]\n{line}")] == [f"channels[2].{key}"]


def test_what_is_not_toml_is_refused_with_its_line():
    (where, why) = problems("x = 1\nname = \n")[0]
    assert where == "TOML"
    assert "line 2" in why


ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda text: text.strip() == text)
NAMES = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=80)
WEIGHTS = st.integers(1, 10)
XPATHS = st.none() | st.sampled_from(
    ["//h1", '//a[@class="x"]', "//a[@title='\\']", "string(//h1)", "//a[text()='下一页']"]
)
CHANNELS = st.builds(
    Channel,
    NAMES,
    st.integers(0).map("http://a.cn/{}".format),
    WEIGHTS,
    st.sampled_from(ChannelKind),
    st.lists(st.sampled_from(["//ul", "//div[@id='a']", '//p[@id="b"]'])).map(tuple),
    XPATHS,
)
SITES = st.builds(
    Site,
    name=NAMES,
    home=st.just("http://a.cn/"),
    weight=WEIGHTS,
    media_class=st.sampled_from(MediaClass),
    channels=st.lists(CHANNELS, min_size=1, unique_by=(lambda one: one.name, lambda one: one.url)).map(tuple),
    delay_seconds=st.none() | st.floats(0, 3600),
    delay_reason=ANY_TEXT,
    article_url=st.none() | st.sampled_from([r"\d+\.html", "'", '"', "\\\\", "\x7f"]).map(re.compile),
    rules=st.builds(Rules, XPATHS, XPATHS, XPATHS, XPATHS, XPATHS),
    enabled=st.booleans(),
    note=st.just("") | ANY_TEXT,
)


@settings(deadline=None)  # a busy machine is no bug
@given(SITES)
def test_a_site_written_and_read_again_is_the_same(site):
    assert load_site(site_toml(site), "again") == site


VALUES = st.recursive(st.booleans() | st.integers() | ANY_TEXT, lambda inner: st.lists(inner, max_size=3), max_leaves=4)


@settings(deadline=None)  # a busy machine is no bug
@given(VALUES, st.sampled_from(["name", "weight", "xpaths", "channels", "note", "article_url", "delay_seconds"]))
def test_a_value_of_any_type_is_read_or_refused(value, key):
    kept = "".join(line for line in SMALL.splitlines(keepends=True) if not line.startswith(f"{key} ="))
    text = f"{key} = {json.dumps(value, ensure_ascii=False)}\n{kept}".replace("\x7f", "")
    with suppress(BadSite):  # and nothing else
        assert load_site(text, "a.toml").channels


def test_a_folder_is_read_in_order_of_file_name(tmp_path):
    (tmp_path / "2.toml").write_text(SMALL, "utf-8")
    (tmp_path / "1.toml").write_text(WHOLE, "utf-8-sig")
    (tmp_path / "notes.txt").write_text("no site", "utf-8")
    assert [site.name for site in load_sites(tmp_path)] == ["示例教育网", "a"]
    assert [site.name for site in load_sites(str(tmp_path / "2.toml"))] == ["a"]


def test_two_files_of_one_name_are_refused(tmp_path):
    for name in ("1.toml", "2.toml"):
        (tmp_path / name).write_text(SMALL, "utf-8")
    with pytest.raises(BadSite, match=r"2\.toml: name: 'a' is the name of a site of another file"):
        load_sites(tmp_path)


@pytest.mark.parametrize(
    ("name", "reason"), [("gone.toml", "No such file"), ("latin.toml", "is not UTF-8"), ("", "holds no")]
)
def test_what_cannot_be_read_is_refused(tmp_path, name, reason):
    if name == "latin.toml":
        (tmp_path / name).write_bytes(b'name = "\xff"')
    with pytest.raises(BadSite, match=reason):
        load_sites(tmp_path / name if name else tmp_path)


def test_a_site_from_a_bare_url_is_named_after_its_host():
    site = from_home("http://EDU.Example.cn:8080/news/")
    assert site.name == "edu.example.cn:8080"
    assert [(channel.kind, channel.url) for channel in site.channels] == [(ChannelKind.HOME, site.home)]
    assert load_site(site_toml(site), "again") == site


def test_the_shipped_sites_are_good_and_explain_their_weights():
    sites = [load_site(text, name) for name, text in shipped()]
    assert len(sites) >= 20
    assert len({site.name for site in sites}) == len(sites)
    assert all(site.note for site in sites)
    assert {MediaClass.OFFICIAL, MediaClass.CENTRAL, MediaClass.PORTAL, MediaClass.FORUM, MediaClass.COLUMN} <= {
        site.media_class for site in sites
    }


def test_no_xpath_is_shipped_that_was_not_tried_on_its_site():
    for name, text in shipped():
        site = load_site(text, name)
        assert site.rules == Rules()
        assert not any(channel.regions or channel.next_page for channel in site.channels)
