"""Anchor texts for synthetic sites: real headlines where labelled files lie, phrases of our own where not."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

OWN = 4000  # phrases of each kind, where there are no headlines

_PLACES = (
    "北京",
    "上海",
    "江苏",
    "浙江",
    "四川",
    "湖北",
    "广东",
    "河南",
    "山东",
    "陕西",
    "云南",
    "甘肃",
    "吉林",
    "福建",
    "贵州",
    "安徽",
    "重庆",
)
_ON = (
    "{place}{year}年高考报名{when}开始",
    "{place}公布{year}年中考录取分数线",
    "{place}{count}所高校调整招生计划",
    "{place}中小学{when}开学",
    "{place}启动{year}年教师资格考试报名",
    "{place}一小学开设劳动课程 家长点赞",
    "{year}年考研国家线公布 {place}考生{when}可查分",
    "{place}职业院校与{count}家企业共建实训基地",
    "{place}推进学前教育普惠 新增幼儿园{count}所",
    "{place}高校毕业生专场招聘会{when}举行",
    "{place}出台规定减轻学生作业负担",
    "{place}{count}名乡村教师获表彰",
)
_OFF = (
    "{place}{when}迎来强降雨",
    "{place}楼市成交量{when}回升{count}%",
    "{place}球队客场{count}分大胜对手",
    "{place}地铁{count}号线{when}试运行",
    "{place}警方通报一起交通事故",
    "股市{when}收评：两市成交{count}亿元",
    "{place}新车发布 售价{count}万元起",
    "{place}影展{when}开幕 {count}部影片入围",
    "{place}农产品丰收 网上热销{count}吨",
    "新款手机{when}发售 {place}用户排队",
    "{place}旅游收入同比增长{count}%",
    "{place}医院引进新设备 已服务{count}人",
)
_SHARED = (
    "{place}{count}个项目{when}签约",
    "{place}召开{year}年工作会议",
    "{place}一大学实验室获{count}万元奖励",
    "{place}青年讲述奋斗故事",
)
_WHEN = ["今日", "明日", "本周", "下周", "月底", "周末"]

Reader = Callable[[Sequence[str]], Iterator[tuple[str, bool]]]


@dataclass(frozen=True, slots=True)
class Phrases:
    """Headlines of articles on topic and of others, and where they are from."""

    on: tuple[str, ...]
    off: tuple[str, ...]
    origin: str


def headlines(folder: Path | None) -> Phrases:
    """Those of :data:`SETS` that lie in the folder, each once; our own if none does."""
    return _read(folder, SETS) or own_phrases()


def teaching(folder: Path | None) -> Phrases:
    """Others, from which a scorer may learn."""
    return _read(folder, TEACHING) or own_phrases(seed=2)


def _read(folder: Path | None, sets: Mapping[str, Reader]) -> Phrases | None:
    phrases: dict[bool, dict[str, None]] = {True: {}, False: {}}
    origins = []
    for name, read in sets.items():
        if folder is not None and (folder / name).is_file():
            origins.append(name)
            for headline, on in read((folder / name).read_text(encoding="utf-8").splitlines()):
                phrases[on][headline] = None
    return (
        Phrases(tuple(phrases[True]), tuple(phrases[False]), "headlines of " + ", ".join(origins)) if origins else None
    )


def _tabbed(lines: Sequence[str]) -> Iterator[tuple[str, bool]]:
    for line in lines:
        headline, _, label = line.rpartition("\t")
        yield headline, label == "3"


def _json(lines: Sequence[str]) -> Iterator[tuple[str, bool]]:
    for line in lines:
        row = json.loads(line)
        yield row["sentence"], row["label"] in (108, "108")


# Sets of labelled headlines that the shipped weights were not trained on, and such as peers may learn from
SETS: dict[str, Reader] = {"thucnews-headlines/dev.txt": _tabbed, "tnews-fewclue/dev_few_all.json": _json}
TEACHING: dict[str, Reader] = {"thucnews-headlines/train.txt": _tabbed, "tnews-fewclue/train_few_all.json": _json}


def own_phrases(seed: int = 1) -> Phrases:
    """Phrases made of templates; some templates serve both kinds, so that no reader is always right."""
    random = Random(seed)
    return Phrases(_made(random, (*_ON, *_SHARED)), _made(random, (*_OFF, *_SHARED)), "phrases of our own")


def _made(random: Random, templates: Sequence[str]) -> tuple[str, ...]:
    phrases: dict[str, None] = {}
    while len(phrases) < OWN:
        values = {"place": random.choice(_PLACES), "when": random.choice(_WHEN), "year": random.randint(2019, 2026)}
        phrases[random.choice(templates).format(**values, count=random.randint(2, 900))] = None
    return tuple(phrases)
