"""The catalogue of sources: each address is named by evidence, and none stands in it twice."""

import re
import tomllib
from collections import Counter
from importlib.resources import files

import pytest

from newsspider.core.text.regions import region_code, region_names
from newsspider.core.url import canonical, host_of
from newsspider.sites.loader import SiteError, shipped_texts
from newsspider.sites.source_catalogue import (
    CatalogueSource,
    Evidence,
    SourceLevel,
    _source,
    chosen_sources,
    read_catalogue,
    sources_of_province,
)
from tests.support.tables import each

THIS_YEAR = 2026
ENTRY = {
    "name": "某省教育厅",
    "home": "http://jyt.example.cn/",
    "weight": 5,
    "media_class": "official",
    "region": "320000",
    "level": "province",
    "evidence": [{"repository": "a/b", "path": "c.py"}],
}


def entry(**values):
    return _source(ENTRY | values, dict(shipped_texts()), "test.toml")


def repeated(values):
    return [value for value, count in Counter(values).items() if count > 1]


def test_every_name_host_and_list_stands_once_in_the_catalogue():
    sources = read_catalogue()
    assert not repeated(source.site.name for source in sources)
    assert not repeated(host_of(source.site.home).removeprefix("www.") for source in sources)
    lists = [
        re.sub(r"^https?://|/(?:index\.s?html?)?$", "", channel.url) for s in sources for channel in s.site.channels
    ]
    assert not repeated(lists)


def test_the_addresses_are_canonical_and_free_of_sessions():
    urls = [url for s in read_catalogue() for url in (s.site.home, *(channel.url for channel in s.site.channels))]
    assert not [url for url in urls if canonical(url) is None or re.search(r"session|token|[\s<>\"]", url, re.I)]


def test_every_region_is_known_and_fits_the_level():
    for source in read_catalogue():
        assert source.region in region_names(), source.site.name
        ends = {
            SourceLevel.NATIONAL: "100000",
            SourceLevel.INTERNATIONAL: "000000",
            SourceLevel.PROVINCE: "0000",
            SourceLevel.UNIVERSITY: "0000",
        }
        assert source.region.endswith(ends.get(source.level, "00")), source.site.name
        assert (source.level is SourceLevel.CITY) == (not source.region.endswith("0000")), source.site.name


def test_every_source_that_is_not_shipped_has_evidence_that_can_be_found():
    for source in read_catalogue():
        assert source.evidence or source.shipped, source.site.name
        for piece in source.evidence:
            assert re.fullmatch(r"[\w.-]+/[\w.-]+", piece.repository), source.site.name
            assert piece.path, source.site.name
            assert piece.year is None or 2005 <= piece.year <= THIS_YEAR, source.site.name
            assert re.fullmatch(r"|[0-9a-f]{7,40}", piece.commit), source.site.name


@each(
    ("evidence", "confirmed"),
    [
        ([], False),
        ([("a/b", None)], False),
        ([("a/b", 2023)], False),
        ([("a/b", 2024)], True),
        ([("a/b", 2019), ("a/c", 2020)], False),  # of one owner
        ([("a/b", None), ("d/e", None)], True),
    ],
)
def test_two_owners_or_one_recent_year_confirm_an_address(evidence, confirmed):
    pieces = tuple(Evidence(repository, "path", year) for repository, year in evidence)
    assert CatalogueSource(entry().site, "320000", SourceLevel.PROVINCE, pieces).is_confirmed is confirmed


def test_a_source_without_lists_is_watched_by_its_home_page():
    assert [(channel.url, channel.kind) for channel in entry().site.channels] == [("http://jyt.example.cn/", "home")]


@each(
    "wrong", [{"level": "village"}, {"evidence": [{"path": "x"}]}, {"weight": 11}, {"charset": "gbk"}]
)
def test_a_wrong_entry_is_named_with_its_file(wrong):
    with pytest.raises(SiteError, match=r"test\.toml"):
        entry(**wrong)


def test_sources_are_chosen_by_region_level_and_class():
    assert {source.region[:2] for source in chosen_sources(region="320000")} == {"32"}
    assert {source.level for source in chosen_sources(level="province")} == {SourceLevel.PROVINCE}
    assert {source.site.media_class for source in chosen_sources(media_class="official")} == {"official"}
    assert chosen_sources() == list(read_catalogue())


def test_a_province_has_its_own_sources_and_the_national_ones():
    chosen = sources_of_province("330000")
    assert {source.region[:2] for source in chosen} <= {"33", "10"}
    assert {"浙江省教育厅", "浙江省教育考试院"} <= {source.site.name for source in chosen}


@each(
    ("word", "code"),
    [("新疆", "650000"), ("新疆维吾尔自治区", "650000"), ("苏州市", "320500"), ("全国", "100000"), ("", None)],
)
def test_a_region_is_known_by_its_names(word, code):
    assert region_code(word) == code


def test_the_files_hold_nothing_but_sources():
    folder = files("newsspider.sites").joinpath("catalogue")
    for entry_file in folder.iterdir():
        assert set(tomllib.loads(entry_file.read_text("utf-8"))) <= {"sources", "regions"}


def test_every_shipped_site_is_in_the_catalogue():
    names = {tomllib.loads(text)["name"] for _, text in shipped_texts()}
    assert {source.site.name for source in read_catalogue() if source.shipped} == names


def test_every_region_has_sources_enough_to_be_watched():
    assert len(read_catalogue()) >= 450
    provinces = [code for code in region_names() if code.endswith("0000")]
    assert not {code: len(chosen) for code in provinces if len(chosen := chosen_sources(code)) < 8}
