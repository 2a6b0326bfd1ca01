"""Draws article pages: every structure of ``structures/*.html`` in three variants, with the answers.

A structure begins with a line ``=== name | kind | what it shows``, then ``url:`` and its markup. ``{name}`` is filled in,
``<<a||b||c>>`` is one part for each variant. What it shows are words: ``minute`` or ``date``; ``outlet``, ``office`` or
``account``, its source; ``author``, ``authors``, ``pen`` or ``four``, who wrote; and what text it has: ``notice``, ``short``,
``tiny``, ``picture``, ``poem``,
``question`` or ``encyclopedia``.
"""

import html
import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path

HERE = Path(__file__).parent
VARIANTS = 3
ZONE = timezone(timedelta(hours=8))

OUTLETS = ["江口日报", "西河晚报", "南湖新闻网", "青竹广播电视台", "梧桐教育报", "石桥网", "东岭青年报", "北川教育在线"]
OFFICES = ["教务处", "学生工作部", "党委宣传部", "基础教育科", "校长办公室", "信息中心", "外国语学院", "招生就业处"]
ACCOUNTS = ["江口教育发布", "南湖校园", "梧桐观察", "石桥小记", "青竹课堂", "西河家长圈"]
SCHOOLS = ["江口师范学院", "西河大学", "南湖职业技术学院", "青竹县第一中学", "石桥实验小学", "东岭外国语学校"]
PLACES = ["江口市", "西河区", "南湖县", "青竹县"]
CITIES = ["武汉", "桂林", "白山", "安康", "宁波", "常德"]
PERSONS = ["王小明", "李红玉", "赵强", "陈静怡", "刘一鸣", "常书香", "马丹阳", "周岚", "何婧文", "许又声"]
FOUR = ["格桑边觉", "扎西旺堆", "古丽米娜", "才仁卓玛", "欧阳若水", "次仁央宗"]
PENS = ["叨叨姐", "胡一刀", "云上的老师", "半亩方塘", "豆豆妈", "北岸听风", "粉笔灰", "青禾老师"]
TOPICS = ["课间十五分钟", "县中", "营养餐", "校车", "课后服务", "体育中考", "研学", "图书角", "实验操作", "特殊教育"]
DOINGS = ["有了新办法", "为何受欢迎", "怎样落到实处", "迎来新变化", "还要过几道坎", "走进寻常人家", "写进工作清单"]
CHANNELS = ["教育", "要闻", "校园", "基础教育", "高教", "地方"]

_PLACEHOLDER = re.compile(r"\{([a-z_0-9]+)\}")
_CHOICE = re.compile(r"<<(.*?)>>(?!>)", re.DOTALL)


@dataclass(frozen=True)
class Sample:
    """A page and what a reader should say of it."""

    name: str
    variant: int
    html: str
    url: str
    title: str
    text: tuple[str, ...]
    published: str | None  # "2024-03-05 08:12", or the day alone
    source: str | None
    authors: tuple[str, ...]
    kind: str


def _blocks(name: str) -> list[list[str]]:
    text = "\n".join(line for line in (HERE / name).read_text("utf-8").split("\n") if not line.startswith("#"))
    return [block.strip().split("\n") for block in re.split(r"\n\s*\n", text) if block.strip()]


STORIES = {name: _blocks(f"{name}.txt") for name in ("stories", "notices", "shorts", "tiny", "poems", "encyclopedia", "questions")}


def samples() -> Iterator[Sample]:
    """Every structure in every variant."""
    for path in sorted((HERE / "structures").glob("*.html")):
        for part in path.read_text("utf-8").split("=== ")[1:]:
            head, url, markup = part.split("\n", 2)
            name, kind, shows = (word.strip() for word in head.split("|"))
            for variant in range(VARIANTS):
                yield _drawn(name, kind, shows.split(), url.removeprefix("url:").strip(), markup, variant)


def _drawn(name: str, kind: str, shows: list[str], url: str, markup: str, variant: int) -> Sample:
    dice = random.Random(f"{name} {variant}")
    story_kind = next((LISTED[word] for word in shows if word in LISTED), "stories")
    title, *lines = dice.choice(STORIES[story_kind])
    if story_kind == "stories":
        lines = lines[: (5, 3, 4)[variant]]
    authors = _authors(dice, shows)
    source = next((dice.choice(names) for word, names in SOURCES.items() if word in shows), None)
    words = _words(dice, title, lines, authors, source)
    chosen = _CHOICE.sub(lambda match: match[1].split("||")[variant % len(match[1].split("||"))], markup)

    def filled(text: str) -> str:
        return _PLACEHOLDER.sub(lambda match: words.get(match[1], match[0]), text)

    stamp = words["minute"] if "minute" in shows else words["date"] if "date" in shows else None
    return Sample(
        name, variant, filled(filled(chosen)), filled(url), title, tuple(lines), stamp, source, authors, kind
    )


LISTED = {
    "notice": "notices", "short": "shorts", "picture": "shorts", "tiny": "tiny", "poem": "poems",
    "encyclopedia": "encyclopedia", "question": "questions",
}  # fmt: skip
SOURCES = {"outlet": OUTLETS, "office": OFFICES, "account": ACCOUNTS, "school": SCHOOLS}


def _authors(dice: random.Random, shows: list[str]) -> tuple[str, ...]:
    for word, names, count in (("author", PERSONS, 1), ("authors", PERSONS, 2), ("pen", PENS, 1), ("four", FOUR, 1)):
        if word in shows:
            return tuple(dice.sample(names, count))
    return ()


def _words(
    dice: random.Random, title: str, lines: list[str], authors: tuple[str, ...], source: str | None
) -> dict[str, str]:
    """What the placeholders of a structure stand for."""
    at = datetime(2024, dice.randint(1, 5), dice.randint(1, 28), dice.randint(7, 21), dice.randint(0, 59), tzinfo=ZONE)
    paragraphs = [html.escape(line, quote=False) for line in lines]
    body = "".join(f"<p>　　{line}</p>\n" for line in paragraphs)
    place = dice.choice(PLACES)
    words = {
        "title": title, "body": body, "first": paragraphs[0], "source": source or "", "place": place,
        "rest": "".join(f"<p>{line}</p>\n" for line in paragraphs[1:]),
        "rest_paras": "".join(f'<div class="para">{line}</div>' for line in paragraphs[1:]),
        "body_br": "<br/><br/>\n".join(f"　　{line}" for line in paragraphs),
        "body_div": "".join(f"<div>&nbsp;&nbsp;&nbsp; {line}</div>" for line in paragraphs),
        "body_span": "".join(f'<p style="text-indent:2em"><span style="font-size:16px">{line}</span></p>' for line in paragraphs),
        "body_section": "".join(f'<section style="margin:8px"><p><span>{line}</span></p></section>' for line in paragraphs),
        "lines": "<br/>".join(paragraphs),
        "body_json": json.dumps(body)[1:-1].replace("/", "\\u002F"), "title_json": json.dumps(title)[1:-1],
        "lead": lines[0], "author": authors[0] if authors else "", "authors": "、".join(authors),
        "authors_blank": " ".join(authors), "author_latin": dice.choice(["zhaoq", "admin", "lihongyu", "xcb01"]),
        "editor": dice.choice([name for name in PERSONS if name not in authors]),
        "editor2": dice.choice([name for name in PERSONS if name not in authors]),
        "city": dice.choice(CITIES), "channel": dice.choice(CHANNELS), "school": dice.choice(SCHOOLS),
        "site": dice.choice(["江口新闻网", "西河教育网", "南湖在线", "石桥日报网"]), "host": dice.choice(["jk", "xh", "nh", "sq"]),
        "minute": f"{at:%Y-%m-%d %H:%M}", "second": f"{at:%Y-%m-%d %H:%M}:{dice.randint(10, 59)}", "date": f"{at:%Y-%m-%d}",
        "cn": f"{at:%Y年%m月%d日}", "cnm": f"{at:%Y年%m月%d日 %H:%M}", "cnj": f"{at:%Y年%m月%d日%H:%M}", "slash": f"{at:%Y/%m/%d}",
        "slashm": f"{at:%Y/%m/%d %H:%M}", "ymd": f"{at:%Y%m%d}", "dots": f"{at:%Y.%m.%d}", "y": f"{at:%Y}", "m": f"{at:%m}",
        "d": f"{at:%d}", "hm": f"{at:%H:%M}", "epoch": str(int(at.timestamp())), "iso": at.isoformat(),
        "yy": f"{at:%y-%m-%d}", "yym": f"{at:%y-%m-%d %H:%M}", "roc": f"{at.year - 1911}-{at:%m-%d}", "md": f"{at.month}月{at.day}日",
        "later": f"{at + timedelta(hours=5, days=2):%Y-%m-%d %H:%M}", "event": f"{at + timedelta(days=20):%Y-%m-%d}",
        "event_cn": f"{at + timedelta(days=20):%Y年%m月%d日}", "earlier": f"{at - timedelta(days=9):%Y-%m-%d}",
        "n": str(dice.randint(1000, 99999)), "count": str(dice.randint(3, 4000)),
    }  # fmt: skip
    return words | _noise(dice, at)


def _headline(dice: random.Random) -> str:
    return dice.choice(TOPICS) + dice.choice(DOINGS)


def _noise(dice: random.Random, at: datetime) -> dict[str, str]:
    """Menus, lists of other articles, comments and the foot of a page."""
    menu = ["首页", "新闻", "通知公告", "校园风采", "教学科研", "招生就业", "党建工作", "联系我们", "English"]

    def listed(count: int, dated: bool) -> str:
        rows = []
        for _ in range(count):
            day = f"<span>{at - timedelta(days=dice.randint(0, 20)):%Y-%m-%d}</span>" if dated else ""
            link = f'<a href="/a/{dice.randint(1000, 99999)}.html">{_headline(dice)}</a>'
            rows.append(f"<li>{link}{day}</li>")
        return f"<ul>{''.join(rows)}</ul>"

    remarks = ["说得真好，我们学校也该这样", "支持一下，希望能坚持下去。", "请问别的县什么时候开始？", "不太同意，还是要看老师。"]
    links = "".join(f'<li><a href="/{at}/">{word}</a></li>' for at, word in enumerate(menu))
    return {
        "nav": f'<div class="nav"><ul>{links}</ul></div>', "related": listed(6, False), "dated": listed(8, True),
        "foot": '<div class="footer"><p>版权所有 江口新闻网 未经书面授权不得转载</p>'
                f'<p>地址：江口市文昌路{dice.randint(1, 300)}号 邮编：430000 电话：027-8{dice.randint(1000000, 9999999)}</p></div>',
        "comments": "".join(f'<div class="comment-item"><span>网友{n}</span><p>{remarks[n]}</p></div>' for n in range(4)),
        "said1": remarks[0], "said2": remarks[1], "said3": remarks[2], "said4": remarks[3],
        "floor2": f"{at + timedelta(hours=2):%Y-%m-%d %H:%M}", "floor3": f"{at + timedelta(hours=30):%Y-%m-%d %H:%M}",
        "floor4": f"{at + timedelta(hours=55):%Y-%m-%d %H:%M}",
        "other1": _headline(dice), "other2": _headline(dice), "other3": _headline(dice),
    }  # fmt: skip
