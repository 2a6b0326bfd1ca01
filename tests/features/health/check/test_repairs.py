"""Repairs in the text of a site file."""

import pytest

from newsspider.features.health.check.repairs import repaired_site, repaired_text
from newsspider.features.health.check.site_check import Repair
from newsspider.sites.loader import SiteError, load_site

TEXT = """\
# of a city
name = "市教育局"   # its name
home = 'http://a.cn/'
weight = 5
media_class = "official"

[xpaths]
title = "//h1"

[[channels]]
# news
name = "新闻"
url = "http://a.cn/news/"  # since 2019
regions = [
    "//ul[@class='a']",  # left ]
    '//ul[@id="b"]',
]
kind = "list"

[[channels]]
name = "通知"
url = 'http://a.cn/notices/'
regions = ["//ul[@class='a']"]
"""
URL = Repair("通知", "url", ("http://a.cn/notices/",), ("https://a.cn/tz/?a=\"b\"",))
REGIONS = Repair("新闻", "regions", ("//ul[@class='a']", '//ul[@id="b"]'), ('//div[@class="new"]//a', "//ol"))
HOME = Repair("", "home", ("http://a.cn/",), ("https://a.cn/",))


def test_only_the_values_of_the_repaired_keys_change() -> None:
    text = repaired_text(TEXT, "a.toml", [URL, REGIONS, HOME])
    assert load_site(text, "a.toml") == repaired_site(load_site(TEXT, "a.toml"), [URL, REGIONS, HOME])
    old, new = TEXT.splitlines(), text.splitlines()
    assert [line for line in new if line not in old] == [
        'home = "https://a.cn/"',
        """regions = ['//div[@class="new"]//a', "//ol"]""",
        """url = 'https://a.cn/tz/?a="b"'""",
    ]
    assert [line for line in old if line not in new] == [
        "home = 'http://a.cn/'",
        "regions = [",
        "    \"//ul[@class='a']\",  # left ]",
        "    '//ul[@id=\"b\"]',",
        "]",
        "url = 'http://a.cn/notices/'",
    ]


def test_a_position_that_cannot_be_told_is_taken_out() -> None:
    text = repaired_text(TEXT, "a.toml", [Repair("新闻", "regions", REGIONS.old, ())])
    assert text == TEXT.replace(TEXT[TEXT.index("regions") : TEXT.index("kind")], "")


def test_a_file_with_line_feeds_of_windows_keeps_them() -> None:
    text = repaired_text(TEXT.replace("\n", "\r\n"), "a.toml", [URL])
    assert text == TEXT.replace("'http://a.cn/notices/'", """'https://a.cn/tz/?a="b"'""").replace("\n", "\r\n")


def test_what_cannot_be_changed_in_place_is_said() -> None:
    inline = """\
name = "a"
home = "http://a.cn/"
weight = 5
media_class = "official"
channels = [{ name = "通知", url = "http://a.cn/notices/" }]
"""
    with pytest.raises(SiteError, match=r"write by hand: url = 'https://a.cn/tz/"):
        repaired_text(inline, "a.toml", [URL])


def test_an_address_that_another_channel_has_is_refused() -> None:
    taken = Repair("通知", "url", ("http://a.cn/notices/",), ("http://a.cn/news/",))
    with pytest.raises(SiteError, match="is that of another channel, too"):
        repaired_text(TEXT, "a.toml", [taken])


@pytest.mark.parametrize("repair", [
    Repair("通知", "url", ("http://a.cn/old/",), ("http://a.cn/new/",)),
    Repair("新闻", "regions", ("//ol",), ()),
    Repair("公告", "url", ("http://a.cn/notices/",), ("http://a.cn/new/",)),
    Repair("", "home", ("http://b.cn/",), ("https://b.cn/",)),
])  # fmt: skip
def test_a_value_that_was_changed_after_the_visit_is_not_repaired(repair: Repair) -> None:
    with pytest.raises(SiteError, match="any more"):
        repaired_site(load_site(TEXT, "a.toml"), [repair])
