"""``scrapy sites catalogue``: sources to choose from."""

import json

import pytest

from newsspider.core.text.terminal_columns import column_count
from newsspider.sites.source_catalogue import read_catalogue
from tests.support.sites_command import sites

__all__ = ["sites"]


def watched(sites) -> set[str]:
    return {json.loads(line)["name"] for line in sites("list", "--json").out.splitlines()}


def test_the_chosen_sources_are_a_table_of_80_columns_heaviest_first(sites):
    head, *lines = sites("catalogue", "--region", "江苏", "--class", "official").out.splitlines()
    assert head.split() == ["name", "region", "level", "class", "weight", "confirmed"]
    assert lines[0].split() == ["江苏省教育考试院", "江苏", "province", "official", "7", "yes"]
    assert {"南京", "苏州"} <= {line.split()[1] for line in lines}, "its cities are part of a province"
    assert max(map(column_count, [head, *lines])) <= 80


def test_json_has_addresses_and_evidence(sites):
    records = [json.loads(line) for line in sites("catalogue", "--level", "international", "--json").out.splitlines()]
    (news,) = [record for record in records if record["name"] == "The PIE News"]
    assert news["region_name"] == "海外"
    assert [channel["kind"] for channel in news["channels"]] == ["feed"]
    assert news["evidence"][0].keys() == {"repository", "path", "year", "commit", "read"}


def test_sources_are_counted_by_region(sites):
    head, *lines = sites("catalogue", "--counts").out.splitlines()
    assert max(map(column_count, [head, *lines])) <= 80
    assert lines[-1].split()[0] == "all"
    assert head.split()[-2:] == ["confirmed", "read"]
    assert lines[-1].split()[-3] == str(len(read_catalogue()))


def test_chosen_sources_are_watched_from_now_on_and_others_stay(sites):
    before = watched(sites)
    added = sites("catalogue", "--region", "西藏", "--add").err.splitlines()
    assert len(added) >= 8
    assert watched(sites) - before == {line.removeprefix("added ") for line in added}
    assert sites("catalogue", "--region", "西藏", "--add").err.strip() == "these sources are watched already"
    name = added[0].removeprefix("added ")
    sites("disable", name)
    said = sites("catalogue", "--region", "西藏", "--add").err.strip()
    assert said == f"{name} is disabled, so nothing of it is polled; see `scrapy sites enable`"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--add",), "say which sources to add"),
        (("--region", "月球"), "the catalogue has no region '月球'"),
        (("--level", "village"), "a level is one of national, province, city, university, international"),
        (("--class", "x"), "a class is one of central"),
        (
            ("--region", "江苏", "--level", "university", "--class", "official", "--add"),
            "no source fits; there are 4 without --level, 25 without --class",
        ),
    ],
)
def test_a_wrong_choice_is_refused_with_a_sentence(sites, options, sentence):
    ran = sites("catalogue", *options)
    assert ran.code == 2
    assert sentence in ran.err
