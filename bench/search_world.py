"""Articles and queries of ``bench.search``: generated, with the frequencies of jieba's dictionary and a field's own words."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from importlib.resources import files

import numpy as np

HEADLINE = 18  # characters of a title
RAREST = 20  # occurrences of a word in the corpus that jieba counted
OF_THE_FIELD = 0.15  # of the words of an article
PUNCTUATED = 1 / 9
QUERIES = 40  # of a kind
FIELD = [
    "教育部",
    "高考",
    "改革",
    "方案",
    "公布",
    "志愿",
    "填报",
    "学校",
    "教师",
    "学生",
    "课程",
    "标准",
    "政策",
    "培训",
    "机构",
    "大学",
    "中学",
    "乡村",
    "职业教育",
    "考研",
    "录取",
    "分数线",
    "通知",
    "北京",
    "上海",
    "广东",
    "四川",
    "体育",
    "美育",
    "劳动",
    "家长",
    "作业",
    "负担",
    "义务教育",
    "招生",
    "考试",
    "校园",
    "食堂",
    "安全",
    "科技",
    "创新",
    "专业",
    "就业",
    "毕业生",
    "研究生",
    "博士",
    "论文",
    "图书馆",
    "实验室",
    "竞赛",
    "奖学金",
    "助学",
    "贷款",
    "校长",
    "书记",
    "会议",
    "座谈",
    "调研",
    "督导",
    "评估",
    "质量",
    "均衡",
    "发展",
    "城乡",
    "一体化",
    "信息化",
    "人工智能",
    "平台",
    "数据",
    "资源",
    "共享",
    "开放",
    "合作",
    "国际",
    "留学",
    "交流",
    "汉语",
    "文化",
    "传统",
    "经典",
    "诵读",
    "阅读",
    "写作",
    "数学",
    "物理",
    "化学",
]

Article = tuple[str, str]  # title and text


def generated(count: int, characters: int) -> Iterator[Article]:
    """So many articles; the words of each are drawn independently of each other, those of the field by Zipf's law."""
    words, shares = _words()
    source = np.random.default_rng(26)
    words_of_text = int((HEADLINE + characters) / 1.2) + 10
    for _ in range(count):
        text = "".join(words[np.searchsorted(shares, source.random(words_of_text))]).lstrip("，")
        yield text[:HEADLINE], text[HEADLINE : HEADLINE + characters]


def questions(articles: Sequence[Article]) -> dict[str, list[list[str]]]:
    """Queries by kind: each is the texts that an article must have."""
    source = random.Random(27)

    def phrase(length: int) -> str:
        while True:
            text = "，".join(source.choice(articles))
            start = source.randrange(max(1, len(text) - length))
            piece = text[start : start + length]
            if len(piece) == length and "，" not in piece:
                return piece

    kinds = {f"phrase of {length}": [[phrase(length)] for _ in range(QUERIES)] for length in (1, 2, 4, 6)}
    return kinds | {"two words": [source.sample(FIELD, 2) for _ in range(QUERIES)]}


def _words() -> tuple[np.ndarray, np.ndarray]:
    """The words, and up to which share each is drawn."""
    lines = files("jieba").joinpath("dict.txt").read_text("utf-8").splitlines()
    counted = [(word, int(count)) for word, count, _ in map(str.split, lines) if int(count) >= RAREST]
    total = sum(count for _, count in counted)
    zipf = [1 / place for place in range(1, len(FIELD) + 1)]
    field = [OF_THE_FIELD * total * share / sum(zipf) for share in zipf]
    weights = np.cumsum([*(count for _, count in counted), *field, PUNCTUATED * total])
    return np.array([*(word for word, _ in counted), *FIELD, "，"], dtype=object), weights / weights[-1]
