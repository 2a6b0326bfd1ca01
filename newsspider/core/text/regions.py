"""Regions by their codes of GB/T 2260 and their names, and those that an article is about."""

from __future__ import annotations

import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from newsspider.core.text.characters import to_simplified
from newsspider.core.text.tokenizer import cut_by_dictionary

NATION, ABROAD = "100000", "000000"  # codes that stand beside those of GB/T 2260
ENDINGS = ("省", "市", "州", "盟", "地区", "自治区", "壮族自治区", "回族自治区", "维吾尔自治区", "特别行政区")
LEAD_CHARACTERS = 160  # characters in which news says where it happened
SHORT_TEXT = 600  # characters of a text that may say so anywhere, if it names one place alone
MOST_READ = 5_000  # characters of a text that are read; news is mostly shorter
CHARACTERS_BESIDE = 12  # characters on both sides of a name that decide which words it is made of
OFTEN_NAMED = 3  # mentions that make an article one about the place
MOST_PROVINCES = 4  # of a text that names more, only those of its title and its main ones count
MAIN_SHARE = 0.25  # of all mentions, that makes a place one of the main ones
LONGEST_COUNTY = 6  # characters of the name of a county that is no autonomous one
_CAPITAL = "110000"
_BEFORE_SCENES = frozenset("在于从赴抵到来")
_COUNTY_ENDINGS = re.compile("[县市区旗]")
_DATELINE = re.compile(r"[\d一二三四五六七八九十]{1,3}月[\d一二三四五六七八九十]{1,3}日(?:电|讯|消息|[ 　]?[(（])")
# What the name of a university has between its place and 大学 or 学院: 江西财经大学, but not 北京的大学.
_FIELDS = (
    "财经|财政|金融|经济|经贸|贸易|商务|工商|商业|商|管理|审计|会计|政法|司法|警察|公安|消防|行政|外国语|外语|外事|外贸|语言|"
    "国际|中文|师范|教育|学前|幼儿|体育|艺术|美术|音乐|戏剧|舞蹈|电影|传媒|广播|电视|服装|纺织|旅游|理工|工业|轻工业|轻工|"
    "重工|工程|工|科技|科学|技术|职业|应用|信息|电子|邮电|通信|软件|电力|电机|机电|机械|能源|石油|化工|矿业|地质|冶金|钢铁|"
    "建筑|城建|城市|交通|铁道|铁路|航空|航天|航海|海事|海洋|水利|水产|农业|农林|农|林业|粮食|生态|环境|医科|医药|医|中医药|中医|"
    "药科|护理|卫生|健康|民族|民政|开放|第[一二三四]|文理|文化|现代|女子|青年|特殊"
)
# What a company's name has before its last word: no sentence of its own.
_OF_A_COMPANY = "[^，。、；：！？\\s的与和在对向将]{1,16}?"
# Names of others that begin with a place: a company, an institute, a bank, a newspaper, a university.
_OTHERS_NAME = re.compile(
    f"{_OF_A_COMPANY}(?:有限公司|有限责任公司|股份公司|事务所)|(?![省市]){_OF_A_COMPANY}研究[所院]|"
    "[^，。、的]{0,4}银行|[^，。、的]{0,2}交易所|[^，。]{0,3}(?:日|晚|早|时|商|青年|教育|科技)报|"
    f"(?:{_FIELDS}){{0,6}}(?:大学|学院)(?!生(?!命))"
)
# What no place is meant by: 北京时间, 延安精神, 南京路, 海南航空, and 河北区 of another city.
_NO_PLACE_BEHIND = re.compile(
    "时间|方向|(?:省|市|自治区)?除外|精神|[东西南北中]?路|街|大道|航空|证券|人寿|卫视|电视台|师大|师范|理工|出版|军区|烤鸭|拉面|热干面|火锅|"
    "米[粉线]|啤酒|菜|话|籍|网|区(?![域县划])|人(?!民|才|口|社|事|大|工|数|均|文)"
)


@cache
def region_names() -> dict[str, str]:
    """The short Chinese name of each region by its code."""
    return dict(_data()["regions"])


@cache
def province_names() -> tuple[str, ...]:
    """The short names of the provinces, in the order of their codes."""
    return tuple(
        name for code, name in region_names().items() if code.endswith("0000") and code not in (NATION, ABROAD)
    )


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
    if word in region_names():
        return word
    for name in (word, to_simplified(word)):
        code = codes_by_name().get(name) or codes_by_county().get(name) or codes_by_short_county().get(name)
        aliased = codes_by_alias().get(name, ())
        if code or len(aliased) == 1:
            return code or aliased[0]
    return None


def region_name(word: str) -> str | None:
    """The short name of a region by its code or name; ``None`` if there is no such region, or several counties have it.

    >>> region_name("江蘇省"), region_name("320500"), region_name("月球")
    ('江苏', '苏州', None)
    """
    code = region_code(word)
    return None if code is None else region_names()[code]


def province_of(name: str) -> str | None:
    """The short name of the province that a region lies in, or is; ``None`` if there is no such region.

    >>> province_of("苏州"), province_of("江苏"), province_of("全国"), province_of("月球")
    ('江苏', '江苏', '全国', None)
    """
    code = region_code(name)
    if code is None or code in (NATION, ABROAD):
        return None if code is None else region_names()[code]
    return region_names()[f"{code[:2]}0000"]


def with_provinces(names: Iterable[str]) -> list[str]:
    """The short names of these regions, each behind that of its province; once each, without unknown ones.

    >>> with_provinces(["苏州", "南京", "全国", "月球"])
    ['江苏', '苏州', '南京', '全国']
    """
    codes = [code for name in names if (code := region_code(name))]
    both = ((code if code in (NATION, ABROAD) else f"{code[:2]}0000", code) for code in codes)
    return list(dict.fromkeys(region_names()[code] for pair in both for code in pair))


def regions_within(name: str) -> list[str]:
    """The short names of a region and of all places in it.

    >>> regions_within("海南")[:3], regions_within("苏州")
    (['海南', '海口', '三亚'], ['苏州'])
    """
    prefix = region_prefix(region_code(name) or "-")
    return [place for code, place in region_names().items() if code.startswith(prefix)]


@cache
def codes_by_name() -> dict[str, str]:
    """The codes of provinces and cities by their names, short and full. A name that two share means the larger one."""
    short = {name: code for code, name in reversed(region_names().items())}
    full = {full_name(code): code for code in region_names()}
    # 延边州 and 广西自治区 are usual, too; 毕节地区 is a city today
    usual = {
        region_names()[code].removesuffix("州") + ending: code
        for name, code in full.items()
        for ending in ("州", "自治区")
        if name.endswith(f"自治{ending[-1]}")
    }
    former = {f"{name}地区": code for code, name in region_names().items() if not code.endswith("0000")}
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
    return full or region_names()[code] + ("省" if code.endswith("0000") else "市")


@cache
def ambiguous_names() -> frozenset[str]:
    """The names that are words or other names, too: places only with an ending or behind their province."""
    return frozenset(f"{_data()['ambiguous']} {_data()['common']}".split())


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(files("newsspider.core.text").joinpath("regions.toml").read_text("utf-8"))


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


class PlaceMention(NamedTuple):
    """A place that a text names."""

    at: int
    name: str
    code: str  # of the province or city that it is, or lies in

    @property
    def end(self) -> int:
        return self.at + len(self.name)


def regions_named(title: str, text: str) -> tuple[str, ...]:
    """The short names of the provinces and cities that an article is about; of a city not its province, too, and of a
    county its city.

    Those that the title names, those of the first sentences, and those that the text names often; of a text about many
    provinces only those of the title and the main ones.

    >>> regions_named("苏州发布新规", "近日，苏州市教育局发布通知。"), regions_named("昆山市扩建学校", "")
    (('苏州',), ('苏州',))
    >>> regions_named("北京大学教授谈高考", "他说，扩大连接是好事。")
    ()
    """
    in_title = [mention.code for mention in _mentions(to_simplified(title[:LEAD_CHARACTERS]))]
    text = to_simplified(text[:MOST_READ])
    mentions = _mentions(text)
    in_text = Counter(mention.code for mention in mentions)
    chosen, often = dict.fromkeys(in_title), max(OFTEN_NAMED, MAIN_SHARE * len(mentions))
    if len({code[:2] for code in in_text}) <= MOST_PROVINCES:
        of_one_place = len(text) <= SHORT_TEXT and len(in_text) == 1
        in_lead = (mention for mention in mentions if mention.at < LEAD_CHARACTERS or of_one_place)
        scenes = (mention.code for mention in in_lead if in_text[mention.code] > 1 or _is_scene(text, mention))
        chosen, often = chosen | dict.fromkeys(scenes), OFTEN_NAMED
    chosen |= dict.fromkeys(code for code, count in in_text.most_common() if count >= often)
    around = {f"{code[:2]}0000" for code in chosen if not code.endswith("0000")}
    return tuple(region_names()[code] for code in chosen if code not in around)


def _is_scene(text: str, mention: PlaceMention) -> bool:
    """Whether a place that is named once is where something happened: 在苏州, 苏州市, 江苏苏州, 苏州昆山. What happens in the
    capital is mostly about the country, unless one of its districts is named."""
    _, name, code = mention
    if name != region_names()[code] or _county_behind(text, mention):
        return True
    if code == _CAPITAL:
        return False
    in_full = text.startswith(ENDINGS, mention.end) or _DATELINE.match(text, mention.end)
    return bool(in_full) or text[max(mention.at - 1, 0) : mention.at] in _BEFORE_SCENES


def _county_behind(text: str, mention: PlaceMention) -> bool:
    """Whether a county of the place stands right behind its name, in full or short."""
    start = mention.end + text.startswith("市", mention.end)
    return any(
        (text[start : start + length], mention.code) in county_names() for length in range(2, LONGEST_COUNTY + 1)
    )


def _mentions(text: str) -> list[PlaceMention]:
    """The places that a text names, in its order."""
    return sorted((*_regions_in(text), *_counties_in(text)))


def _regions_in(text: str) -> Iterator[PlaceMention]:
    """The provinces and cities."""
    for found in _names().finditer(text):
        name, start, end = found[0], found.start(), found.end()
        if not _is_place(text, start, end):
            continue
        for code in codes_by_alias().get(name) or (codes_by_name()[name],):
            if code == _CAPITAL and _DATELINE.match(text, end):  # an agency's: 新华社北京8月31日电
                continue
            if name in ambiguous_names() and not (
                text.startswith(ENDINGS, end) or _follows_its_city(text, start, code)
            ):
                continue
            yield PlaceMention(start, name, code)
            yield from _county_of(code, text, end)


def _county_of(code: str, text: str, end: int) -> Iterator[PlaceMention]:
    """The county in short right behind the name of its province or city: 山西襄汾, 苏州市昆山."""
    start = end + next((len(ending) for ending in ENDINGS if text.startswith(ending, end)), 0)
    counties, prefix = codes_by_short_county(), region_prefix(code)
    for length in range(LONGEST_COUNTY, 1, -1):
        name = text[start : start + length]
        if counties.get(name, "").startswith(prefix) and _is_place(text, start, start + length):
            yield PlaceMention(start, name, counties[name])
            return


def _counties_in(text: str) -> Iterator[PlaceMention]:
    """The counties and districts: by their full names, and of those that have one in the text by short ones."""
    in_full: dict[str, str] = {}
    for found in _COUNTY_ENDINGS.finditer(text):
        end = found.end()
        name = _county_before(text, end)
        if name is None or not _is_place(text, end - len(name), end):
            continue
        code = codes_by_county()[name]
        if (len(name) == 2 or name in ambiguous_names()) and not _follows_its_city(text, end - len(name), code):
            continue
        in_full[name] = code
        yield PlaceMention(end - len(name), name, code)
    for name, code in in_full.items():
        stem = name[:-1]
        if len(stem) > 1 and stem not in codes_by_name():
            for found in re.finditer(re.escape(stem) + f"(?!{name[-1]})", text):
                if _is_place(text, found.start(), found.end()):
                    yield PlaceMention(found.start(), stem, code)


def _county_before(text: str, end: int) -> str | None:
    """The longest name of a county that ends there."""
    longest = _longest_county() if text.endswith(("自治县", "自治旗"), 0, end) else LONGEST_COUNTY
    codes = codes_by_county()
    for length in range(min(longest, end), 1, -1):
        if (name := text[end - length : end]) in codes:
            return name
    return None


def _is_place(text: str, start: int, end: int) -> bool:
    # 格尔木市委 is 格尔木 and 市委 to the dictionary
    of_office = text.startswith(("市委", "市长", "县委", "县长", "区委", "区长", "旗委", "旗长"), end - 1)
    stands_alone = not (_NO_PLACE_BEHIND.match(text, end) or _OTHERS_NAME.match(text, end))
    return stands_alone and _is_word(text, start, end - of_office)


def _is_word(text: str, start: int, end: int) -> bool:
    """Whether a word of the dictionary begins at the start of a name, and none goes on behind its end that began within
    it. 中国 always ends a word, also that of the dictionary's 中国香港."""
    at = start if text.endswith("中国", 0, start) else max(start - CHARACTERS_BESIDE, 0)
    begins = False
    for word in cut_by_dictionary(text[at : end + CHARACTERS_BESIDE]):
        if at == start:
            begins = True
        elif start < at < end < at + len(word):
            return False
        at += len(word)
    return begins


def _follows_its_city(text: str, start: int, code: str) -> bool:
    """Whether the city or province of a place stands right before it."""
    around = {region_names()[f"{code[:2]}0000"], region_names()[code]}
    before = text[max(start - 10, 0) : start]
    return before.endswith(tuple(name + ending for name in around for ending in ("", *ENDINGS)))


@cache
def _longest_county() -> int:
    return max(map(len, codes_by_county()))


@cache
def _names() -> re.Pattern[str]:
    """The short names and the full ones: 海南藏族自治州 is not in 海南. 市 is no part of a name, since 北京市民 has it."""
    names = {
        name
        for code in region_names()
        if code not in (NATION, ABROAD)
        for name in (region_names()[code], full_name(code))
    }
    names = {name for name in names if not name.endswith(("省", "市")) or name in region_names().values()}
    return re.compile("|".join(sorted(names | codes_by_alias().keys(), key=len, reverse=True)))
