"""The names of sites and of their files."""

import re
from dataclasses import replace

from newsspider.sites.loader import load_site, site_toml
from newsspider.sites.model import ChannelKind, from_home
from newsspider.sites.site_lines import file_names
from tests.support.tables import each


@each(
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


def test_a_site_from_a_bare_url_is_named_after_its_host():
    site = from_home("http://EDU.Example.cn:8080/news/")
    assert site.name == "edu.example.cn:8080"
    assert [(channel.kind, channel.url) for channel in site.channels] == [(ChannelKind.HOME, site.home)]
    assert load_site(site_toml(site), "again") == site


def test_every_site_has_a_file_name_of_its_own_on_every_file_system():
    names = ["-a", "--", "../x", "a/b:c", "a_b_c", "CON", "con", "Nul.x", "教育部", "𠀀" * 80, "[::1]:80", ".", "A", "a"]
    home = from_home("http://a.cn/")
    files = file_names([replace(home, name=name) for name in names])
    assert [site.name for site in files.values()] == names
    assert len({name.casefold() for name in files}) == len(names)
    for name in files:
        assert name.endswith(".toml")
        assert re.fullmatch(r"(?![-.])[\w.-]+", name)
        assert name.partition(".")[0].upper() not in ("CON", "NUL")
        assert len(name.encode()) <= 255
