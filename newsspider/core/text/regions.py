"""Regions by their codes of GB/T 2260, and the provinces and cities that an article is about."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from typing import Any

from newsspider.core.text.characters import simplified
from newsspider.core.text.words import cut_by_dictionary

NATION, ABROAD = "100000", "000000"  # codes that stand beside those of GB/T 2260
ENDINGS = ("省", "市", "州", "盟", "地区", "自治区", "壮族自治区", "回族自治区", "维吾尔自治区", "特别行政区")
LEAD = 160  # characters in which news says where it happened
MOST_READ = 5_000  # characters of a text that are read; news is mostly shorter
BESIDE = 12  # characters on both sides of a name that decide which words it is made of
OFTEN = 3  # mentions that make an article one about the place
MOST_PROVINCES = 4  # of a text that names more, only those of its title and its main ones count
MAIN_SHARE = 0.25  # of all mentions, that makes a place one of the main ones
_CAPITAL = "110000"
_BEFORE_SCENES = frozenset("在于从赴抵到来")
_DATELINE = re.compile(r"[\d一二三四五六七八九十]{1,3}月[\d一二三四五六七八九十]{1,3}日(?:电|讯|消息|[ 　]?[(（])")
# What the name of a university has between its place and 大学 or 学院: 江西财经大学, but not 北京的大学.
_FIELDS = (
    "财经|财政|金融|经济|经贸|贸易|商务|工商|商业|商|管理|审计|会计|政法|司法|警察|公安|消防|行政|外国语|外语|外事|外贸|语言|"
    "国际|中文|师范|教育|学前|幼儿|体育|艺术|美术|音乐|戏剧|舞蹈|电影|传媒|广播|电视|服装|纺织|旅游|理工|工业|轻工业|轻工|"
    "重工|工程|工|科技|科学|技术|职业|应用|信息|电子|邮电|通信|软件|电力|电机|机电|机械|能源|石油|化工|矿业|地质|冶金|钢铁|"
    "建筑|城建|城市|交通|铁道|铁路|航空|航天|航海|海事|海洋|水利|水产|农业|农林|农|林业|粮食|生态|环境|医科|医药|医|中医药|中医|"
    "药科|护理|卫生|健康|民族|民政|开放|第[一二三四]|文理|文化|现代|女子|青年|特殊"
)
# What no place is meant by: 北京时间, 延安精神, 南京路, 海南航空, 北京日报, and 河北区 of another city.
_NO_PLACE_BEHIND = re.compile(
    "时间|精神|[东西南北中]?路|街|大道|航空|银行|证券|人寿|[^，。]{0,3}(?:日|晚|早|时|商|青年|教育|科技)报|卫视|电视台|"
    f"(?:{_FIELDS}){{0,6}}(?:大学|学院)(?!生(?!命))|师大|师范|理工|出版|烤鸭|菜|话|籍|网|区(?![域县划])|人(?!民|才|口|社|事|大|工|数|均|文)"
)


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
    """The code of a region by its code or name, in full or short, in simplified or traditional characters.

    >>> region_code("江苏"), region_code("江蘇省"), region_code("320000"), region_code("海外"), region_code("月球")
    ('320000', '320000', '320000', '000000', None)
    """
    return word if word in regions() else _codes().get(word) or _codes().get(simplified(word))


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


def regions_named(title: str, text: str) -> tuple[str, ...]:
    """The short names of the provinces and cities that an article is about; of a city not its province, too.

    Those that the title names, those of the first sentences, and those that the text names often; of a text about many
    provinces only those of the title and the main ones.

    >>> regions_named("苏州发布新规", "近日，苏州市教育局发布通知。")
    ('苏州',)
    >>> regions_named("北京大学教授谈高考", "他说，扩大连接是好事。")
    ()
    """
    in_title = [_codes()[name] for _, name in _mentions(simplified(title[:LEAD]))]
    text = simplified(text[:MOST_READ])
    mentions = list(_mentions(text))
    in_text = Counter(_codes()[name] for _, name in mentions)
    chosen, often = dict.fromkeys(in_title), max(OFTEN, MAIN_SHARE * len(mentions))
    if len({code[:2] for code in in_text}) <= MOST_PROVINCES:
        in_lead = ((at, name) for at, name in mentions if at < LEAD)
        scenes = (_codes()[name] for at, name in in_lead if in_text[_codes()[name]] > 1 or _is_scene(text, at, name))
        chosen, often = chosen | dict.fromkeys(scenes), OFTEN
    chosen |= dict.fromkeys(code for code, count in in_text.most_common() if count >= often)
    around = {f"{code[:2]}0000" for code in chosen if not code.endswith("0000")}
    return tuple(regions()[code] for code in chosen if code not in around)


def _is_scene(text: str, at: int, name: str) -> bool:
    """Whether a place that is named once is where something happened: 在苏州, 苏州市. What happens in the capital is
    mostly about the country."""
    end, code = at + len(name), _codes()[name]
    in_full = name != regions()[code] or text.startswith(ENDINGS, end) or _DATELINE.match(text, end) is not None
    return code != _CAPITAL and (in_full or text[max(at - 1, 0) : at] in _BEFORE_SCENES)


def _mentions(text: str) -> Iterator[tuple[int, str]]:
    """Where a text names a region, and how."""
    for found in _names().finditer(text):
        name, start, end = found[0], found.start(), found.end()
        if _NO_PLACE_BEHIND.match(text, end) or not _is_word(text, start, end):
            continue
        code = _codes()[name]
        if code == _CAPITAL and _DATELINE.match(text, end):  # an agency's: 新华社北京8月31日电
            continue
        if name in _ambiguous() and not (text.startswith(ENDINGS, end) or _follows_its_province(text, start, code)):
            continue
        yield start, name


def _is_word(text: str, start: int, end: int) -> bool:
    """Whether a word of the dictionary begins at the start of a name, and none goes on behind its end that began within
    it. 中国 always ends a word, also that of the dictionary's 中国香港."""
    at = start if text.endswith("中国", 0, start) else max(start - BESIDE, 0)
    begins = False
    for word in cut_by_dictionary(text[at : end + BESIDE]):
        if at == start:
            begins = True
        elif start < at < end < at + len(word):
            return False
        at += len(word)
    return begins


def _follows_its_province(text: str, start: int, code: str) -> bool:
    province = regions()[f"{code[:2]}0000"]
    return text[max(start - 10, 0) : start].endswith(tuple(province + ending for ending in ("", *ENDINGS)))


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(files("newsspider.core.text").joinpath("regions.toml").read_text("utf-8"))


@cache
def _ambiguous() -> frozenset[str]:
    """The names that are words or other names, too: places only with an ending or behind their province."""
    return frozenset(str(_data()["ambiguous"]).split())


@cache
def _codes() -> dict[str, str]:
    """The codes by names, short and full; of two regions of one name the larger one has it."""
    short = {name: code for code, name in reversed(regions().items())}
    full = {_full_name(code): code for code in regions()}
    # 延边州 and 广西自治区 are usual, too
    usual = {
        regions()[code].removesuffix("州") + ending: code
        for name, code in full.items()
        for ending in ("州", "自治区")
        if name.endswith(f"自治{ending[-1]}")
    }
    return usual | full | short


def _full_name(code: str) -> str:
    full: str | None = _data()["full"].get(code)
    return full or regions()[code] + ("省" if code.endswith("0000") else "市")


@cache
def _names() -> re.Pattern[str]:
    """The short names and the full ones: 海南藏族自治州 is not in 海南. 市 is no part of a name, since 北京市民 has it."""
    names = {name for code in regions() if code not in (NATION, ABROAD) for name in (regions()[code], _full_name(code))}
    names = {name for name in names if not name.endswith(("省", "市")) or name in regions().values()}
    return re.compile("|".join(sorted(names, key=len, reverse=True)))
