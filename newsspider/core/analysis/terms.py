"""Chooses the words by which articles of one event are known, and joins the names among them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from newsspider.core.extraction.keywords import rarity
from newsspider.core.text.script import plain
from newsspider.core.text.stop_words import STOP_WORDS

LEAD = 400  # characters of a text that are read: what happened stands there
TITLE_TIMES = 3  # a word of the title counts as so many of the lead
MOST_TERMS = 30  # of an article
NAME_TIMES = 1.6  # names tell events of one kind apart
MOST_JOINED = 4  # words of the name of an institution

PLACE = "ns"  # tags of jieba
NAMED = frozenset({PLACE, "nr", "nt", "nz", "nrt", "nrfg"})
SAYING = NAMED | {"n", "v", "vn", "a", "an", "j", "l", "i", "eng", "s", "b", "ng"}
IN_NAMES = NAMED | {"n", "m", "j", "b", "f", "s", "ng", "a", "vn"}  # what the name of an institution is made of
NOT_IN_NAMES = frozenset({
    "本报讯", "记者", "教师", "学生", "家长", "校长", "全市", "部分", "多所", "一所", "附近", "通报", "回应", "我国",
})  # fmt: skip
# What jieba's dictionary takes for names and places, but is none; and a place that it takes for a person.
NO_NAMES = frozenset({
    "曝光", "上市", "英雄", "城市", "明星", "荣耀", "快讯", "中考", "英语", "上联", "下联", "独栋", "高招", "加盟",
    "大战", "老公", "江湖", "小镇", "卡片", "晋级", "高三", "保安", "大奖", "玉米", "季后赛", "武林", "高尔夫",
    "高清", "欧元", "山寨", "入市", "连胜", "阳光", "美丽", "宝贝", "青春", "富豪", "巨星", "上市公司", "广角",
    "博客", "慈善", "入门", "太阳", "幼儿园", "孔雀", "王子", "抗议", "特惠", "母亲节", "智慧", "明珠", "解密",
    "东西", "文明", "老汉", "黎明", "深度", "新秀", "摩托车", "大佬", "家族", "高中生", "福利", "荣誉", "小学生",
    "卫星", "和平", "文科", "新区", "二本", "新星", "外国", "普通", "小姐", "武侠", "公开赛", "令人", "青少年",
    "华丽", "扎堆", "之王", "聊天", "宝宝", "银行卡", "哥哥", "国家队", "嘉年华", "顾客", "勒索", "庄园", "成人高考",
    "熊猫", "井喷", "山水", "黑客", "中文", "回国", "大胜", "黑马", "大礼", "保姆", "嘉宾", "恩爱", "新一轮", "顾问",
    "滑坡", "台风", "新城", "三国", "京东", "奥巴马", "普京", "都市", "建国", "庆典", "台庆", "海归", "普及", "之夏", "扎根",
    "权威", "高峰", "红利", "祝福", "中断", "路沟", "论文", "雷同", "师生", "奖学金", "强降雨", "开放日", "中毒",
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
OF_A_SCHOOL = re.compile("(?<=[中小大]学)(?=校[车长园服内外门医舍友])")  # of 中学校车 jieba makes 中, 学校, 车
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
        if tag in IN_NAMES and word not in NOT_IN_NAMES:
            run.append((word, tag))
            if len(run) > 1 and word.endswith(ENDS):
                yield from _institution(run)
                run = []
            continue
        yield from filter(None, (_saying(*pair) for pair in run))
        run = []
        if pair := _saying(word, tag):
            yield pair


def _institution(run: list[tuple[str, str]]) -> Iterator[tuple[str, bool]]:
    """The words of a run that ends with the name of an institution."""
    before, parts = run[:-MOST_JOINED], run[-MOST_JOINED:]
    start = next((at for at in range(len(parts) - 1, -1, -1) if parts[at][1] == PLACE and at < len(parts) - 1), 0)
    yield from filter(None, (_saying(*pair) for pair in [*before, *parts[:start]]))
    names = [word for word, _ in parts[start:]]
    if parts[start][1] == PLACE and len(names) > 2:
        yield from filter(None, [_saying(*parts[start])])
        yield "".join(names[1:]), True
    yield "".join(names), True


def _saying(word: str, tag: str) -> tuple[str, bool] | None:
    if tag not in SAYING or WORD.fullmatch(word) is None or word in STOP_WORDS:
        return None
    return (PLACE_END.sub("", word) if tag == PLACE else word), tag in NAMED and word not in NO_NAMES


def _tagged(text: str) -> Iterable[tuple[str, str]]:
    import rjieba  # reads its dictionary

    text = OF_A_SCHOOL.sub(" ", text).encode("utf-8", "replace").decode("utf-8")
    return ((word, PLACE if word in PLACES else tag) for word, tag in rjieba.tag(text))


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
