"""Regions by their codes of GB/T 2260, and their names."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any

from newsspider.core.text.chinese_characters import simplified

NATION, ABROAD = "100000", "000000"  # codes that stand beside those of GB/T 2260


@cache
def regions() -> dict[str, str]:
    """The short Chinese name of each region by its code."""
    return dict(_data()["regions"])


@cache
def provinces() -> tuple[str, ...]:
    """The short names of the provinces, in the order of their codes."""
    return tuple(name for code, name in regions().items() if code.endswith("0000") and code not in (NATION, ABROAD))


def region_prefix(code: str) -> str:
    """What the codes of a region and of all places in it begin with.

    >>> region_prefix("320000"), region_prefix("320100")
    ('32', '3201')
    """
    return code[:2] if code.endswith("0000") else code[:4] if code.endswith("00") else code


def region_code(word: str) -> str | None:
    """The code of a region by its code or name, in full or short, in simplified or traditional characters. A county or
    district has the code of its city. A name of several regions means the largest; one of several counties, none.

    >>> region_code("江苏"), region_code("江蘇省"), region_code("320000"), region_code("海外"), region_code("月球")
    ('320000', '320000', '320000', '000000', None)
    >>> region_code("昆山"), region_code("大理市"), region_code("朝阳"), region_code("朝阳区")
    ('320500', '532900', '211300', None)
    """
    return word if word in regions() else _code_named(word) or _code_named(simplified(word))


def region_name(word: str) -> str | None:
    """The short name of a region by its code or name; ``None`` if there is no such region.

    >>> region_name("江蘇省"), region_name("320500"), region_name("月球")
    ('江苏', '苏州', None)
    """
    code = region_code(word)
    return None if code is None else regions()[code]


def province_of(name: str) -> str | None:
    """The short name of the province that a region lies in, or is; ``None`` if there is no such region.

    >>> province_of("苏州"), province_of("江苏"), province_of("全国"), province_of("月球")
    ('江苏', '江苏', '全国', None)
    """
    code = region_code(name)
    if code is None or code in (NATION, ABROAD):
        return None if code is None else regions()[code]
    return regions()[f"{code[:2]}0000"]


def with_provinces(names: Iterable[str]) -> list[str]:
    """The short names of these regions, each behind that of its province; once each, without unknown ones.

    >>> with_provinces(["苏州", "南京", "全国", "月球"])
    ['江苏', '苏州', '南京', '全国']
    """
    both = (region for name in names for region in (province_of(name), region_name(name)))
    return list(dict.fromkeys(region for region in both if region))


def regions_within(name: str) -> list[str]:
    """The short names of a region and of all places in it.

    >>> regions_within("海南")[:3], regions_within("苏州")
    (['海南', '海口', '三亚'], ['苏州'])
    """
    prefix = region_prefix(region_code(name) or "-")
    return [place for code, place in regions().items() if code.startswith(prefix)]


@cache
def codes_by_name() -> dict[str, str]:
    """The codes of provinces and cities by their names, short and full. A name that two share means the larger one."""
    short = {name: code for code, name in reversed(regions().items())}
    full = {full_name(code): code for code in regions()}
    # 延边州 and 广西自治区 are usual, too; 毕节地区 is a city today
    usual = {
        regions()[code].removesuffix("州") + ending: code
        for name, code in full.items()
        for ending in ("州", "自治区")
        if name.endswith(f"自治{ending[-1]}")
    }
    former = {f"{name}地区": code for code, name in regions().items() if not code.endswith("0000")}
    return former | usual | full | short


@cache
def codes_by_alias() -> dict[str, tuple[str, ...]]:
    """The codes of places by other names: 羊城, 京津冀."""
    return {name: tuple(codes.split()) for codes, names in _data()["aliases"].items() for name in names.split()}


@cache
def codes_by_county() -> dict[str, str]:
    """The codes of the cities of counties and districts by their names, in full and as 道真县 is usual; without those that
    several places have."""
    return _of_one_place(_counties())


@cache
def codes_by_short_county() -> dict[str, str]:
    """The same by their short names, without those that are words."""
    words = ambiguous_names()
    return _of_one_place([(name[:-1], code) for name, code in _counties() if len(name) > 2 and name not in words])


@cache
def county_names() -> frozenset[tuple[str, str]]:
    """The names of all counties and districts, in full and short, each with the code of its city."""
    return frozenset([*_counties(), *[(name[:-1], code) for name, code in _counties()]])


def full_name(code: str) -> str:
    """The full name of a province or city."""
    full: str | None = _data()["full"].get(code)
    return full or regions()[code] + ("省" if code.endswith("0000") else "市")


@cache
def ambiguous_names() -> frozenset[str]:
    """The names that are words or other names, too: places only with an ending or behind their province."""
    return frozenset(f"{_data()['ambiguous']} {_data()['common']}".split())


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(files("newsspider.core.text").joinpath("regions.toml").read_text("utf-8"))


def _code_named(word: str) -> str | None:
    codes = codes_by_alias().get(word, ())
    one = codes[0] if len(codes) == 1 else None
    return codes_by_name().get(word) or codes_by_county().get(word) or codes_by_short_county().get(word) or one


@cache
def _counties() -> list[tuple[str, str]]:
    """The names of each county, each with the code of its city. Usual ones are 道真县 of 道真-仡佬族苗族自治县 and 浦东区 of
    浦东新区."""
    counties = [(name, code) for code, names in _data()["counties"].items() for name in names.split()]
    full = [(name.replace("-", ""), code) for name, code in counties]
    of_peoples = [(name.partition("-")[0] + name[-1], code) for name, code in counties if "-" in name]
    new = [(f"{name[:-2]}区", code) for name, code in counties if name.endswith("新区")]
    return full + of_peoples + new


def _of_one_place(names: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The codes by the names that have only one."""
    codes_of = defaultdict(set)
    for name, code in names:
        codes_of[name].add(code)
    return {name: min(codes) for name, codes in codes_of.items() if len(codes) == 1}
