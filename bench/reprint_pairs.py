"""Makes pairs of texts of which it is known whether one is a reprint of the other, and who had it first: seeded, from the sample
portal's newsroom and forms of its own."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from random import Random
from zoneinfo import ZoneInfo

from demo.articles import Newsroom, Story
from demo.grammar import Theme, Voice, themes
from newsspider.core.duplicates.first_source import Copy

START = datetime(2026, 11, 20, 12, 0, tzinfo=ZoneInfo("Asia/Shanghai"))
EDITED = 0.05  # of the letters, or of the words
HARD = 0.4  # of all pairs are none, and look like one
SITES = (
    "江临晨报",
    "青河教育网",
    "南陵新闻网",
    "白沙日报",
    "云浦时报",
    "平岭教育局",
    "金川在线",
    "望海都市报",
    "长桥网",
    "石泉广播网",
)
OUTSIDE = ("新华社", "教育时报", "中国青年报")  # outlets that are not watched
LETTERS = "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行学法所民得经"
SYNONYMS = {
    "表示": "指出",
    "开展": "进行",
    "举行": "举办",
    "目前": "现在",
    "介绍": "说",
    "孩子": "子女",
    "参加": "参与",
    "提高": "提升",
    "今年": "本年",
    "学生": "同学",
    "认为": "觉得",
    "发现": "看到",
    "希望": "盼望",
    "问题": "情况",
    "开始": "启动",
    "全部": "全都",
    "负责人": "有关人员",
    "教师": "老师",
    "记者": "笔者",
    "已经": "已",
    "公布": "发布",
    "家长": "父母",
    "增加": "增多",
    "需要": "须",
    "要求": "规定",
    "进一步": "继续",
    "重要": "要紧",
}

FORMS = (
    "关于{year}年{city}普通高中招生报名工作的公告\n根据《{city}普通高中招生办法》，现将{year}年报名工作的有关事项公告如下。一、报名时间：{m}月{d}日至{m}月{e}日，每天8时至17时，逾期"
    "不予补报。二、报名地点：{school}、{other}。三、报名条件：具有{city}户籍的应届初中毕业生，以及符合条件的随迁子女，报名时须出示户口簿和学籍证明。四、报名费每人{fee}元，由学校代收。五、考生须如实填写"
    "信息，弄虚作假的取消报名资格。联系人：{person}，电话：{tel}。\n{city}教育局\n{year}年{m}月{d}日",
    "{school}{year}年公开招聘教师公告\n因教育教学工作需要，{school}面向社会公开招聘教师{n}名，其中语文{a}名、数学{b}名、英语{c}名。应聘者须遵守宪法和法律，具有良好的品行，身体健康，年龄不超过{age}周岁，具有"
    "相应的教师资格证。报名采取网上报名的方式，时间为{m}月{d}日9时至{m}月{e}日16时。笔试满分为100分，面试满分为100分，总成绩按笔试{p}%、面试{q}%计算。体检标准参照公务员录用体检通用标准执行。拟聘"
    "人员在学校网站公示五个工作日，公示期满无异议的，按规定办理聘用手续。咨询电话：{tel}，联系人：{person}。",
    "{city}教育局关于{school}收费标准的公示\n按照民办教育收费管理的有关规定，现将{school}{year}年秋季学期的收费标准公示如下：学费每生每学期{f1}元，住宿费每生每学期{f2}元，伙食费据实收取，代收作业本费{fee}元。学校不得"
    "在公示的项目之外收取任何费用，不得跨学期预收。学生转学或者退学的，按实际在校时间退还剩余费用。家长对收费有异议的，可以向{city}教育局反映，监督电话：{tel}。公示时间为{m}月{d}日至{m}月{e}日。",
    "{city}气象台{m}月{d}日{h}时发布大风蓝色预警信号\n{city}气象台{m}月{d}日{h}时{k}分发布大风蓝色预警信号：预计未来{g}小时，{city}大部分地区有{a}到{b}级偏北风，阵风{c}级。请有关单位和个人做好防风准备，加固围板、棚架和广告牌"
    "等容易被风吹动的搭建物，妥善安置室外物品；机关、学校和幼儿园应当减少户外活动，驾驶人员应当注意路况，行人不要在高大建筑物、广告牌或者大树下停留。预警信号的解除请留意后续通报。",
    "{school}举行{year}年秋季运动会\n{m}月{d}日，{school}{year}年秋季运动会在学校田径场举行。校长{person}在开幕式上致辞，{n}名运动员参加了{a}个大项的比赛。运动员代表和裁判员代表分别宣誓。本届运动会为期{g}天，设有短跑、长跑、跳远、"
    "铅球和接力等项目，各班还表演了广播体操。经过角逐，共有{c}人次打破学校纪录。学校希望全体同学以这次运动会为契机，坚持锻炼，增强体质，把赛场上的拼搏精神带到学习中去。",
)

Text = tuple[str, str]  # its title and itself

FIGURE = re.compile(r"\d+")
NAMES = {"city", "school", "other", "person"}


@dataclass(frozen=True, slots=True)
class Piece:
    """A text on a page."""

    title: str
    text: str
    copy: Copy


@dataclass(frozen=True, slots=True)
class Pair:
    """Two pages in the order in which they are found; ``first`` is the place of the first source if they are reprints."""

    make: str
    same: bool
    pieces: tuple[Piece, Piece]
    first: int = 0


def pairs(count: int, seed: int = 7) -> list[Pair]:
    """So many pairs, :data:`HARD` of them hard negatives, every make about as often."""
    desk = _Desk(seed)
    hard = round(count * HARD)
    reprints = [desk.reprint(number) for number in range(count - hard)]
    return [*reprints, *(desk.stranger(number) for number in range(hard))]


def notices(count: int, seed: int = 7) -> list[Text]:
    """Titles and texts of so many different notices, on a few forms."""
    random = Random(f"{seed} notices")
    texts: dict[Text, None] = {}
    while len(texts) < count:
        texts[_filled(FORMS[len(texts) % len(FORMS)], _filling(random))] = None
    return list(texts)


class _Desk:
    def __init__(self, seed: int) -> None:
        self.random = Random(f"{seed} reprints")
        self.newsroom = Newsroom(seed, START)
        self.number = 0

    def story(self) -> Story:
        self.number += 1
        return self.newsroom.story(self.number, self.random.random() < 0.7)

    def reprint(self, number: int) -> Pair:
        makes = list(REPRINTS)
        make = makes[number % len(makes)]
        story = self.story()
        title, text = REPRINTS[make](self, story)
        return self._dated(make, story, title, text)

    def stranger(self, number: int) -> Pair:
        makes = list(STRANGERS)
        make = makes[number % len(makes)]
        (first_piece, first_copy), (other, second) = STRANGERS[make](self)
        copies = [
            Copy(f"http://s{place}.example/{number}", site) for place, site in enumerate(self.random.sample(SITES, 2))
        ]
        return Pair(make, False, (Piece(first_piece, first_copy, copies[0]), Piece(other, second, copies[1])))

    def _dated(self, make: str, story: Story, title: str, text: str) -> Pair:
        """Who had it, when, with what source line: as pages tell it, so not always rightly."""
        random = self.random
        site, taker = random.sample(SITES, 2)
        at = story.published_at.timestamp()
        later = at + 60 * random.randint(5, 2880)
        crawled_at = [at + random.randint(60, 7200), later + random.randint(60, 7200)]
        if random.random() < 0.25:  # the crawl met the reprint first
            crawled_at.reverse()
        published_at = [_told(at, random), _told(later, random)]
        source = random.choices((site, None, taker, random.choice(OUTSIDE)), (60, 20, 10, 10))[0]
        own = random.choices((site, None), (60, 40))[0]
        weights = sorted((random.randint(1, 10), random.randint(1, 10)), reverse=True)
        first = Copy(f"http://a.example/{self.number}", site, own, published_at[0], crawled_at[0], weights[0])
        second = Copy(f"http://b.example/{self.number}", taker, source, published_at[1], crawled_at[1], weights[1])
        pieces = (Piece(story.title, story.text, first), Piece(title, text, second))
        return Pair(make, True, pieces, 0) if crawled_at[0] <= crawled_at[1] else Pair(make, True, pieces[::-1], 1)


def _told(moment: float, random: Random) -> float | None:
    """What a page says of its time: mostly the minute, at times the day alone, or nothing."""
    kind = random.choices(("minute", "day", "nothing"), (80, 15, 5))[0]
    if kind == "nothing":
        return None
    return moment if kind == "minute" else moment - (moment + 8 * 3600) % 86_400


# ---- reprints --------------------------------------------------------------------------------------------------------


def _retitled(desk: _Desk, story: Story) -> tuple[str, str]:
    return f"{desk.story().title[:6]}：{story.title[::-1]}", story.text


def _cut_lead(desk: _Desk, story: Story) -> tuple[str, str]:
    return story.title, "\n".join(story.paragraphs[1:])


def _first_half(desk: _Desk, story: Story) -> tuple[str, str]:
    half = len(story.text) // 2
    return story.title, story.text[: story.text.find("。", half) + 1 or half]


def _every_other(desk: _Desk, story: Story) -> tuple[str, str]:
    """Paragraphs of here and there, half the letters in all."""
    order = list(range(len(story.paragraphs)))
    desk.random.shuffle(order)
    chosen_places: list[int] = []
    while sum(len(story.paragraphs[place]) for place in chosen_places) < len(story.text) / 2:
        chosen_places.append(order.pop())
    return story.title, "\n".join(story.paragraphs[place] for place in sorted(chosen_places))


def _paragraphs_in(desk: _Desk, story: Story) -> tuple[str, str]:
    paragraphs = list(story.paragraphs)
    for other in desk.random.sample(desk.story().paragraphs, 2):
        paragraphs.insert(desk.random.randrange(len(paragraphs)), other)
    return story.title, "\n".join(paragraphs)


def _shuffled(desk: _Desk, story: Story) -> tuple[str, str]:
    paragraphs = list(story.paragraphs)
    desk.random.shuffle(paragraphs)
    return story.title, "\n".join(paragraphs)


def _letters_edited(desk: _Desk, story: Story) -> tuple[str, str]:
    random, letters = desk.random, []
    for letter in story.text:
        if letter != "\n" and random.random() < EDITED:
            letters.append(random.choice((random.choice(LETTERS), "", letter + random.choice(LETTERS))))
        else:
            letters.append(letter)
    return story.title, "".join(letters)


def _words_edited(desk: _Desk, story: Story) -> tuple[str, str]:
    """Words for words all through, then sentences trimmed, until so much has changed."""
    text, changed = story.text, 0
    for old, new in desk.random.sample(list(SYNONYMS.items()), len(SYNONYMS)):
        if changed >= EDITED * len(story.text):
            break
        changed += len(old) * text.count(old)
        text = text.replace(old, new)
    while changed < EDITED * len(story.text):
        place = desk.random.randrange(len(text) - 4)
        text, changed = text[:place] + text[place + 3 :], changed + 3
    return desk.story().title, text


def _added(desk: _Desk, story: Story) -> tuple[str, str]:
    more = desk.story().text
    return story.title, f"{story.text}\n{more[: len(story.text) // 4]}"


def _edited_half(desk: _Desk, story: Story) -> tuple[str, str]:
    title, text = _letters_edited(desk, story)
    return title, text[: len(text) // 2]


def _figures_corrected(desk: _Desk, story: Story) -> tuple[str, str]:
    """Two figures below the lead, no years."""
    lead = story.text.find("。") + 1
    figures = [place for place in FIGURE.finditer(story.text, lead) if len(place[0]) != len("2026")]
    text = story.text
    for place in sorted(desk.random.sample(figures, min(2, len(figures))), key=lambda place: -place.start()):
        text = f"{text[: place.start()]}{int(place[0]) + desk.random.randint(1, 9)}{text[place.end() :]}"
    return story.title, text


REPRINTS: dict[str, Callable[[_Desk, Story], tuple[str, str]]] = {
    "retitled": _retitled,
    "cut lead": _cut_lead,
    "first half": _first_half,
    "half of the paragraphs": _every_other,
    "paragraphs in": _paragraphs_in,
    "shuffled": _shuffled,
    "5 % of the letters": _letters_edited,
    "5 % of the words": _words_edited,
    "25 % added": _added,
    "edited half": _edited_half,
    "two figures": _figures_corrected,
}

# ---- strangers -------------------------------------------------------------------------------------------------------


def _other_words(desk: _Desk) -> tuple[Text, Text]:
    """One event, the same people and places, told by two reporters: no sentence is the same."""
    theme = desk.random.choice(themes())
    voice = Voice(theme.phrases, desk.random, {"md": "11月3日", "year": "2026"})
    facts = list(theme.phrases["fact"])
    desk.random.shuffle(facts)
    half = len(facts) // 2
    title = voice.one("title")
    return (title, _told_by(voice, theme, facts[:half], 0)), (title, _told_by(voice, theme, facts[half:], 1))


def _told_by(voice: Voice, theme: Theme, facts: list[str], turn: int) -> str:
    leads = theme.phrases["lead"]
    return "\n".join([voice.say(leads[turn % len(leads)]), *(voice.say(fact) for fact in facts[:8])])


def _shared_lead(desk: _Desk) -> tuple[Text, Text]:
    first, other = desk.story(), desk.story()
    return (first.title, first.text), (first.title, "\n".join((first.paragraphs[0], *other.paragraphs[1:])))


def _shared_tail(desk: _Desk) -> tuple[Text, Text]:
    """Two releases of one house, which says the same of itself below both, in about as many letters."""
    first, other, house = desk.story(), desk.story(), desk.story()
    while len({first.theme, other.theme, house.theme}) < 3:
        other, house = desk.story(), desk.story()
    tail = house.text[: min(len(first.text), len(other.text))]
    return (first.title, f"{first.text}\n{tail}"), (other.title, f"{other.text}\n{tail}")


def _digest(desk: _Desk) -> tuple[Text, Text]:
    item = desk.story()
    items = [item.text, *(desk.story().text for _ in range(4))]
    desk.random.shuffle(items)
    return (item.title, item.text), ("教育早报", "\n".join(items))


def _same_theme(desk: _Desk) -> tuple[Text, Text]:
    first = desk.story()
    while (other := desk.story()).theme != first.theme:
        pass
    return (first.title, first.text), (other.title, other.text)


def _notices(names: bool, numbers: bool) -> Callable[[_Desk], tuple[Text, Text]]:
    """Two fillings of one form that have nothing in common in what differs."""

    def made(desk: _Desk) -> tuple[Text, Text]:
        form = desk.random.choice(FORMS)
        filling = again = _filling(desk.random)
        while not {name for name in NAMES if filling[name] != again[name]} >= NAMES:
            again = _filling(desk.random)
        unchanged = {name: value for name, value in filling.items() if not (names if name in NAMES else numbers)}
        return _filled(form, filling), _filled(form, again | unchanged)

    return made


def _filled(form: str, filling: dict[str, str]) -> Text:
    title, _, text = form.format_map(filling).partition("\n")
    return title, text


def _filling(random: Random) -> dict[str, str]:
    voice = Voice({}, random)
    city = voice.one("city")
    day = random.randint(1, 20)
    share = random.choice((40, 50, 60))
    numbers = {
        "year": random.randint(2024, 2026),
        "m": random.randint(1, 12),
        "d": day,
        "e": day + random.randint(1, 8),
        "fee": random.randint(20, 98),
        "tel": random.randint(62010000, 68990000),
        "n": random.randint(12, 240),
        "a": random.randint(2, 9),
        "b": random.randint(2, 9),
        "c": random.randint(2, 9),
        "age": random.choice((30, 35, 40, 45)),
        "p": share,
        "q": 100 - share,
        "f1": random.randint(20, 98) * 100,
        "f2": random.randint(5, 15) * 100,
        "h": random.randint(5, 20),
        "k": random.randint(1, 59),
        "g": random.randint(1, 24),
    }
    words = {
        "city": city,
        "school": voice.one("school"),
        "other": Voice({}, random).one("school"),
        "person": voice.one("person"),
    }
    return {name: str(value) for name, value in numbers.items()} | words


STRANGERS: dict[str, Callable[[_Desk], tuple[Text, Text]]] = {
    "other words": _other_words,
    "shared lead": _shared_lead,
    "shared tail": _shared_tail,
    "digest": _digest,
    "same theme": _same_theme,
    "notice, other numbers": _notices(names=False, numbers=True),
    "notice, other names": _notices(names=True, numbers=False),
    "notice, both": _notices(names=True, numbers=True),
}
