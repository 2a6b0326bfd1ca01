"""Writes list pages in the structures of structures.toml, homes.py and scripted.py, each in variants, with the right answers."""

# ruff: noqa: E501 - markup reads better whole

import random
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

VARIANTS = 3
WHO = ["王晓明", "李红", "赵长江", "陈静怡", "刘一鸣", "周敏", "吴思远"]
MEDIA = ["江城晚报", "教务处", "校团委", "城市教育网", "学生工作部", "海滨日报"]
PLACES = ["西山县", "江城", "东湖区", "南岭市", "北川镇", "海滨新区", "云台山区", "青石街道"]
ACTORS = ["教育局", "第一中学", "实验小学", "师范大学", "家长学校", "职教中心", "少年宫", "特教学校", "幼儿园", "招生办"]
ACTS = ["启动暑期校舍安全排查", "举行青年教师讲课比赛", "公布新学年招生范围", "开展防溺水主题班会", "召开课后服务座谈会", "新增学位三千个", "探索走班教学新路径"]
ACTS += ["与企业共建实训基地", "为毕业生送上专场招聘会", "组织学生走进博物馆", "调整作息时间受到欢迎", "发布本年度预算说明", "评选出十佳班主任", "邀请专家解读新课标"]
SHORTS = ["开学第一天", "校庆公告", "致家长的信", "寒假安排"]
SENTENCES = ["据介绍，活动持续两周，参加的师生超过八百人", "有关负责人表示，下一步将继续完善制度", "这项工作去年已在三所学校试点", "不少家长说，孩子每天都盼着上学"]
CHANNELS = ["要闻", "高等教育", "基础教育", "职业教育", "政策解读", "校园风采", "专题", "视频", "教师", "考试招生"]


@dataclass(frozen=True)
class ListPage:
    """A page and the truth about it: its articles and attachments, as absolute URLs with their titles."""

    url: str
    body: bytes
    articles: Mapping[str, str]
    attachments: frozenset[str] = frozenset()


@dataclass
class Drawn:
    """One page being drawn: its dice, its URLs, and what its lists hold so far."""

    dice: random.Random
    page: str
    pattern: str | list[str]
    count: int = 0
    articles: dict[str, str] = field(default_factory=dict)
    attachments: set[str] = field(default_factory=set)

    def values(self, *, listed: bool = True) -> dict[str, str]:
        """What one row says; an article of the page's lists unless it is not ``listed``."""
        dice, self.count = self.dice, self.count + 1
        number, day = 400_000 + 37 * self.count + dice.randint(0, 30), dice.randint(10, 28)
        title = dice.choice(SHORTS) if dice.random() < 0.04 else self.title()
        values = {
            "n": str(number), "d": str(day), "i": str(self.count), "k": str(dice.randint(11, 999)), "k1": str(dice.randint(1, 9)), "t": title,
            "h": f"{number * 7919 * 104729 * 31:032x}"[:32], "id": self._drawn(), "who": dice.choice(WHO), "media": dice.choice(MEDIA),
            "s": "，".join(dice.sample(SENTENCES, 2)) + "。", "t2": self.title(), "pdf": f"./P02024{day}{number}.pdf", "date": self._date(day),
        }  # fmt: skip
        pattern = self.pattern if isinstance(self.pattern, str) else self.pattern[self.count % len(self.pattern)]
        values["u"] = filled(pattern, values)
        if listed:
            self.articles[urljoin(self.page, values["u"])] = title
        return values

    def title(self) -> str:
        """A headline."""
        return self.dice.choice(PLACES) + self.dice.choice(ACTORS) + self.dice.choice(ACTS)

    def row(self, template: str, *, listed: bool = True) -> str:
        """One row, whose article, and attachment if it names one, join the answers."""
        values = self.values(listed=listed)
        if "{pdf}" in template:
            self.attachments.add(urljoin(self.page, values["pdf"]))
            if "{u}" not in template:
                self.articles.pop(urljoin(self.page, values["u"]), None)
        return filled(template, values)

    def rows(self, template: str | list[str], least: int = 8, most: int = 20, *, listed: bool = True) -> str:
        """Several rows, of these templates in turn."""
        templates = [template] if isinstance(template, str) else template
        return "\n".join(self.row(templates[at % len(templates)], listed=listed) for at in range(self.dice.randint(least, most)))

    def around(self, main: str) -> str:
        """A whole page around its main part: menus, boxes beside it, a pager, a footer."""
        dice = self.dice
        nav = "".join(f'<li><a href="/{dice.randint(10, 99)}/">{name}</a></li>' for name in CHANNELS)
        nav = f"<div {dice.choice(['class=nav', 'id=menu', 'class=channel-bar', 'class=header'])}><ul><li><a href='/'>首页</a></li>{nav}</ul></div>"
        side = "".join(part(self) for part in dice.sample([_hot, _cloud, _menu, _adverts], dice.randint(0, 2)))
        pager = dice.choice(["", '<div class="page"><span>1</span> <a href="?p=2">2</a> <a href="?p=3">3</a> <a href="?p=2">下一页</a></div>'])
        main = dice.choice([f"{main}{pager}", f'<div class="fl left">{main}{pager}</div>', f'<div class="wrap"><div class="con">{main}{pager}</div></div>'])
        columns = dice.choice([f"{main}<div class='fr right'>{side}</div>", f"<div class='content'>{main}</div>{side}", f"<div>{side}</div>{main}"])
        foot = '<div class="footer"><a href="/about.html">关于我们</a> <a href="/contact.html">联系我们</a> <a href="http://beian.miit.gov.cn/">京ICP备12345678号</a></div>'
        friends = '<div class="link"><b>友情链接：</b><a href="http://www.friend1.cn/">某某教育信息网</a> <a href="http://www.friend2.cn/">某某市人民政府门户网站</a></div>'
        return f"{nav}{columns}{dice.choice(['', friends])}{foot}"

    def _date(self, day: int) -> str:
        return self.dice.choice([f"2024-05-{day}", f"05-{day}", f"2024年5月{day}日", f"2024.05.{day} 08:30", f"2024/05/{day}"])

    def _drawn(self) -> str:
        letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        return "J2b" + "".join(self.dice.choice(letters) for _ in range(19))


Maker = Callable[[Drawn], str]


@dataclass(frozen=True)
class Structure:
    """How the pages of one system look: their URL, those of their articles, and what draws their main part."""

    page: str
    u: str | list[str]
    draw: Maker
    bare: bool = False  # nothing stands around the list

    def variant(self, name: str, number: int) -> ListPage:
        """One page of this structure."""
        dice = random.Random(f"{name} {number}")
        drawn = Drawn(dice, self.page, self.u)
        main = self.draw(drawn)
        body = main if self.bare else drawn.around(main)
        markup = f'<!DOCTYPE html><html><head><meta charset="utf-8"><title>教育新闻_某某网</title></head><body>{body}</body></html>'
        return ListPage(self.page, markup.encode(), drawn.articles, frozenset(drawn.attachments))


def filled(template: str, values: Mapping[str, str]) -> str:
    """A template with its braces filled; those of scripts and styles stay."""
    return re.sub(r"\{([a-z]+[12]?)\}", lambda match: values.get(match[1], match[0]), template)


def tabled() -> dict[str, Structure]:
    """The structures of structures.toml."""
    table = tomllib.loads(Path(__file__).with_name("structures.toml").read_text("utf-8"))
    return {name: Structure(row["page"], row["u"], _drawing(row), row.get("bare", False)) for name, row in table.items()}


def _drawing(row: Mapping[str, Any]) -> Maker:
    return lambda drawn: filled(row["box"], {"rows": drawn.rows(row["row"])} | drawn.values(listed=False))


def _hot(drawn: Drawn) -> str:
    rows = drawn.rows('<li><i>{k1}</i><a href="{u}">{t}</a></li>', 5, 8, listed=False)
    return f'<div class="{drawn.dice.choice(["hot", "box", "rank"])}"><h3>{drawn.dice.choice(["点击排行", "热门文章", "一周热点排行"])}</h3><ul>{rows}</ul></div>'


def _cloud(drawn: Drawn) -> str:
    return '<div class="tags"><h3>热门标签</h3><a href="/tag/12.html">高考改革</a> <a href="/tag/13.html">义务教育均衡发展</a> <a href="/tag/14.html">双减</a></div>'


def _menu(drawn: Drawn) -> str:
    names = ["学校概况", "机构设置", "师资队伍建设", "招生与就业工作", "校务公开信息"]
    links = "".join(f'<li><a href="/channel/{drawn.dice.randint(10, 99)}/">{name}</a></li>' for name in names)
    return f'<div class="left-menu"><h2>栏目导航</h2><ul>{links}</ul></div>'


def _adverts(drawn: Drawn) -> str:
    return '<div class="ad"><a href="http://ad.shop1.com/c/4001.html" target="_blank">名师一对一暑期提分班火热报名中</a></div>'
