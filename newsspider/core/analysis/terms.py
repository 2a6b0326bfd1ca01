"""Chooses the words by which articles of one event are known, and joins the names among them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from newsspider.core.extraction.keywords import rarity
from newsspider.core.text.phrases import phrases
from newsspider.core.text.script import plain
from newsspider.core.text.stop_words import STOP_WORDS

LEAD = 400  # characters of a text that are read: what happened stands there
TITLE_TIMES = 3  # a word of the title counts as so many of the lead
MOST_TERMS = 30  # of an article
NAME_TIMES = 1.6  # names tell events of one kind apart
MOST_JOINED = 4  # words of the name of an institution

PLACE, PERSON, NOUN, NUMBER, SITUATED = "ns", "nr", "n", "m", "s"  # tags of jieba; 岭北 is "s"
NAMED = frozenset({PLACE, PERSON, "nt", "nz", "nrt", "nrfg"})
SAYING = NAMED | {"n", "v", "vn", "a", "an", "j", "l", "i", "eng", "s", "b", "ng"}
IN_NAMES = NAMED | {"n", "m", "j", "b", "f", "s", "ng", "a", "vn"}  # what the name of an institution is made of
NOT_IN_NAMES = frozenset({
    "本报讯", "记者", "教师", "学生", "家长", "校长", "全市", "部分", "多所", "一所", "附近", "通报", "回应", "我国",
    "中小学", "某大学",
})  # fmt: skip
# Words that jieba's dictionary takes for names, but are none.
NO_NAMES = frozenset(phrases("no_names"))
# What kind of institution it is, but not which one.
KINDS = frozenset({
    "全国", "全省", "全县", "全区", "有关", "国际", "国家", "国内", "国外", "海外", "本地", "当地", "农村", "乡村",
    "山村", "乡镇", "城市", "城镇", "城乡", "城区", "校外", "校内", "民办", "公办", "民营", "私立", "公立", "省属", "市属", "部属",
    "普惠", "普惠性", "普通", "高等", "中等", "初等", "职业", "技术", "中等职业", "高职", "中职", "技工", "高级技工",
    "重点", "名牌", "一流", "优质", "寄宿制", "教授", "旗下", "产业",
})  # fmt: skip
PROVINCES = frozenset({  # and what has their rank
    "北京", "天津", "上海", "重庆", "河北", "山西", "内蒙古", "辽宁", "吉林", "黑龙江", "江苏", "浙江", "安徽", "福建",
    "江西", "山东", "河南", "湖北", "湖南", "广东", "广西", "海南", "四川", "贵州", "云南", "西藏", "陕西", "甘肃",
    "青海", "宁夏", "新疆", "香港", "澳门", "台湾",
})  # fmt: skip
WHOLE_COUNTRY = "中国"  # is no place that tells happenings apart
# Cities that jieba's dictionary takes for persons, things or verbs.
PLACES = frozenset({
    "石家庄", "秦皇岛", "唐山", "保定", "张家口", "承德", "大同", "阳泉", "长治", "运城", "吕梁", "包头", "通辽", "呼伦贝尔", "阿拉善",
    "大连", "本溪", "营口", "盘锦", "铁岭", "通化", "齐齐哈尔", "伊春", "南通", "连云港", "宿迁", "嘉兴", "金华", "合肥", "三明",
    "龙岩", "宁德", "景德镇", "新余", "烟台", "日照", "开封", "焦作", "许昌", "商丘", "信阳", "周口", "黄石", "孝感", "恩施",
    "仙桃", "神农架", "邵阳", "岳阳", "常德", "张家界", "怀化", "娄底", "茂名", "河源", "清远", "桂林", "玉林", "百色", "崇左",
    "海口", "自贡", "攀枝花", "广元", "资阳", "遵义", "安顺", "毕节", "铜仁", "曲靖", "玉溪", "昭通", "楚雄", "文山", "大理",
    "德宏", "拉萨", "林芝", "那曲", "宝鸡", "安康", "商洛", "金昌", "天水", "武威", "平凉", "酒泉", "海北", "果洛", "玉树", "银川",
    "吴忠", "克拉玛依", "哈密", "昌吉", "博尔塔拉", "和田", "阿勒泰", "石河子",
})  # fmt: skip
ENDS = (
    "大学", "学院", "中学", "小学", "幼儿园", "学校", "教育局", "教育厅", "教育部", "教委", "研究所", "研究院",
    "考试院", "基金会", "计划",
)  # fmt: skip
SCHOOLS = frozenset({"小学", "中学", "幼儿园"})  # are named by any word of two characters: 光明小学
OF_A_SCHOOL = re.compile("(?<=[中小大]学)(?=校[车长园服内外门医舍友])")  # of 中学校车 jieba makes 中, 学校, 车
UNITS = frozenset("省市县区")  # jieba sets them apart from the names of places that it does not know
NUMBERED = re.compile("第[一二三四五六七八九十]+|[一二三四五六七八九十]{2,}")  # 第二中学, 八一中学
PLACE_END = re.compile(r"(?<=..)[省市县区]$")
# Days, else months, years, weekdays, numbers of issues, points and parts, decimals, shares: a series differs there.
FIGURE = re.compile(
    r"\d{1,2}日|\d{1,2}月\d{1,2}|\d{1,2}月|\d{2,4}年|周[一二三四五六日]|\d+[期届点]|第[一二三四五六七八九十]+[章节讲课]"
    r"|[(（]\d+[)）]|\d+\.\d+|\d+%"
)
BARE_YEAR = re.compile(r"(?<![\d.])(?:19|20)\d\d(?![\d.%年元点人名家只个万亿多余平米])")  # 2009 of 2009考研
WORD = re.compile(r"[\u3400-\u9fff]{2,}|[a-z][a-z0-9+.-]+")


@dataclass(frozen=True, slots=True)
class Terms:
    """The words of an article with their weights, the heaviest first, which of them are names, and the figures and
    places of its title."""

    weights: Mapping[str, float]
    names: frozenset[str]
    figures: frozenset[str] = frozenset()
    places: frozenset[str] = frozenset()


def terms(title: str, text: str) -> Terms:
    """The words of the title and of the beginning of the text.

    >>> sorted(terms("杭州市第二中学实验楼起火", "消防车到场。").names)
    ['杭州', '杭州市第二中学', '第二中学']
    """
    counts: dict[str, float] = {}
    names: set[str] = set()
    in_title = list(words(title))
    for times, piece in ((TITLE_TIMES, in_title), (1, words(text[:LEAD]))):
        for word, is_name in piece:
            counts[word] = counts.get(word, 0) + times
            if is_name:
                names.add(word)
    weights = {
        word: (1 + math.log(times)) * rarity(word) * (NAME_TIMES if word in names else 1)
        for word, times in counts.items()
    }
    heaviest = sorted(weights, key=lambda word: (-weights[word], word))[:MOST_TERMS]
    figures = frozenset(FIGURE.findall(BARE_YEAR.sub(r"\g<0>年", plain(title))))
    places = frozenset(word for word, is_name in in_title if is_name and word != WHOLE_COUNTRY and is_place(word))
    return Terms({word: weights[word] for word in heaviest}, frozenset(names.intersection(heaviest)), figures, places)


def words(text: str) -> Iterator[tuple[str, bool]]:
    """Each word that says something, and whether it is a name. The name of an institution comes whole and without the
    place with which it begins, after that place, and not in pieces."""
    run: list[tuple[str, str]] = []
    for word, tag in [*_tagged(plain(text)), ("", "")]:
        if tag in IN_NAMES and word not in NOT_IN_NAMES and (tag != NUMBER or NUMBERED.fullmatch(word)):
            run.append((word, tag))
            if len(run) > 1 and word.endswith(ENDS):
                yield from _institution(run)
                run = []
            continue
        yield from _apart(run)
        run = []
        yield from _apart([(word, tag)])


def _institution(run: list[tuple[str, str]]) -> Iterator[tuple[str, bool]]:
    """The words of a run that ends like the name of an institution."""
    before, parts = run[:-MOST_JOINED], _with_units(run[-MOST_JOINED:])
    start = _start_of_name(parts)
    yield from _apart([*before, *parts[:start]])
    names = [word for word, _ in parts[start:]]
    if not names:
        return
    if parts[start][1] == PLACE and len(names) > 2:
        yield from _apart(parts[start : start + 1])
        yield "".join(names[1:]), True
    yield "".join(names), True


def _with_units(parts: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """``parts`` with 江右 and 省 put together as a place."""
    joined = parts[:1]
    for word, tag in parts[1:]:
        if word in UNITS and len(joined[-1][0]) > 1 and joined[-1][1] in NAMED | {NOUN}:
            joined[-1] = joined[-1][0] + word, PLACE
        else:
            joined.append((word, tag))
    return joined


def _start_of_name(parts: list[tuple[str, str]]) -> int:
    """Where the name of an institution begins, at the last place, else at the first name or number, else at the word
    before a school; ``len(parts)`` if no word says which one it is."""
    inner = parts[:-1]
    for at in range(len(inner) - 1, -1, -1):
        if inner[at][1] == PLACE:
            is_kind = at + 1 < len(inner) and all(word in KINDS for word, _ in inner[at + 1 :])
            return len(parts) if is_kind else at
    for at, (word, tag) in enumerate(inner):
        if tag in NAMED | {NUMBER, SITUATED} and word not in KINDS:
            return at
    is_named = parts[-1][0] in SCHOOLS and inner and len(inner[-1][0]) > 1 and inner[-1][0] not in KINDS
    return len(inner) - 1 if is_named else len(parts)


def _apart(parts: Iterable[tuple[str, str]]) -> Iterator[tuple[str, bool]]:
    """Those of tagged words that say something."""
    for word, tag in parts:
        if tag in SAYING and WORD.fullmatch(word) and word not in STOP_WORDS:
            yield (PLACE_END.sub("", word) if tag == PLACE else word), tag in NAMED


def _tagged(text: str) -> Iterable[tuple[str, str]]:
    import rjieba  # reads its dictionary

    text = OF_A_SCHOOL.sub(" ", text).encode("utf-8", "replace").decode("utf-8")
    return ((word, _tag(word, tag)) for word, tag in rjieba.tag(text))


def _tag(word: str, tag: str) -> str:
    """The tag of a word, which jieba tags as ``tag``."""
    if word in PLACES:
        return PLACE
    return NOUN if tag in NAMED and word in NO_NAMES else tag


def is_verb(word: str) -> bool:
    """Whether a word is a verb and nothing else.

    >>> is_verb("发布"), is_verb("火灾")
    (True, False)
    """
    return [tag for _, tag in _tagged(word)] == ["v"]


def is_place(name: str) -> bool:
    """Whether a name is that of a place.

    >>> is_place("杭州"), is_place("杭州大学")
    (True, False)
    """
    return {tag for _, tag in _tagged(name)} == {PLACE}
