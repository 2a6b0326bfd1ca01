"""Articles that the tests of the reader write: many layouts, with everything around the text."""

import random
from collections import Counter
from dataclasses import dataclass

WHO = [
    "市教育局",
    "一位班主任",
    "三年级的学生",
    "校长",
    "家长委员会",
    "乡村教师",
    "省里的专家组",
    "食堂师傅",
    "图书馆",
    "合唱团",
]
DOES = ["宣布了", "讨论着", "整理出", "推迟了", "邀请大家参观", "认真记录", "重新安排", "反复修改", "公开了", "收到了"]
WHAT = [
    "新学期的课程表",
    "操场改造的方案",
    "春游的路线",
    "晚自习的规定",
    "一封长信",
    "科学课的材料",
    "校车的时刻",
    "作业的清单",
    "比赛的名单",
    "毕业的照片",
]
TAILS = ["，大家觉得很合适。", "；结果下周公布。", "，不过还有人不同意。", "！", "，“我们等了很久”，他说。", "。"]
NAMES = ["王小明", "李红", "赵强", "陈静怡", "刘一鸣"]


@dataclass(frozen=True)
class Sample:
    body: bytes
    content_type: str
    title: str
    text: list[str]
    author: str | None
    minute: str


def sentence(dice: random.Random) -> str:
    return dice.choice(WHO) + dice.choice(DOES) + dice.choice(WHAT) + dice.choice(TAILS)


def layouts(paragraphs: list[str], dice: random.Random) -> str:
    p = "".join(f"<p>　　{x}</p>" for x in paragraphs)
    return dice.choice([
        f"<div class='article-content'>{p}</div>",
        f"<div id='zoom'>{p.replace('<p>', '<div><span>').replace('</p>', '</span></div>')}</div>",
        f"<div class='x1'>{'<br><br>'.join(paragraphs)}</div>",
        f"<table width=600><tr><td class=f14><font>{'<br>'.join(paragraphs)}</font></td></tr></table>",
        f"<section><section>{''.join(f'<section><p>{x}</p></section>' for x in paragraphs)}</section></section>",
        f"<td>{p}</td>",
    ])  # fmt: skip


def sample(seed: int) -> Sample:
    dice = random.Random(seed)
    title = dice.choice(WHO) + dice.choice(DOES) + dice.choice(WHAT)
    paragraphs = ["".join(sentence(dice) for _ in range(dice.randint(1, 4))) for _ in range(dice.randint(3, 14))]
    author = dice.choice([None, *NAMES])
    minute = f"2024-0{dice.randint(1, 5)}-{dice.randint(10, 28)} {dice.randint(10, 23)}:{dice.randint(10, 59)}"

    def lists(count: int) -> str:
        titles = [dice.choice(WHO) + dice.choice(DOES) + dice.choice(WHAT) for _ in range(count)]
        links = [f"<li><a href='/{dice.randint(1, 9999)}.html'>{title}</a> <i>2024-05-20</i></li>" for title in titles]
        return f"<ul>{''.join(links)}</ul>"

    info = dice.choice(
        ["{} 来源：某某日报", "发布时间：{}", "<span>{}</span><span>来源：某某网</span>", "某某在线　{}"]
    ).format(minute)
    heading = dice.choice(["h1", "h2", "div"])
    byline = f"（记者 {author}）" if author else ""
    comments = "".join(f"<div class='c'>网友{i}：{sentence(dice)}</div>" for i in range(dice.randint(0, 6)))
    page = (
        f"<html><head><title>{title}{dice.choice(['_某某网', ' - 某某教育频道', '|某某日报', ''])}</title></head><body>"
        f"<div class='nav'>{lists(12)}</div><table><tr><td>{lists(8)}</td><td>"
        f"<{heading}>{title}</{heading}><div>{info}</div>"
        f"{layouts([byline + paragraphs[0], *paragraphs[1:]], dice)}<div>责任编辑：孙晓</div>"
        f"<div><h3>相关新闻</h3>{lists(10)}</div><div class='comments'>{comments}</div></td></tr></table>"
        f"<div>版权所有 某某网 未经授权，不得转载。 2024-06-01 12:00</div></body></html>"
    )
    encoding = dice.choice(["utf-8", "gb18030"])
    content_type = dice.choice(["text/html", "text/html; charset=utf-8", "text/html; charset=ISO-8859-1"])
    return Sample(page.encode(encoding), content_type, title, [byline + paragraphs[0], *paragraphs[1:]], author, minute)


def grams(text: str) -> Counter[str]:
    text = "".join(text.split())
    return Counter(text[i : i + 4] for i in range(len(text) - 3))


def f1(text: str, expected: str) -> float:
    """F1 over the runs of four characters of two texts."""
    a, b = grams(text), grams(expected)
    return 2 * (a & b).total() / (a.total() + b.total())
