"""Articles about education made from a template, each in words of its own, so that none is a reprint of another."""

import random
from html import escape

REAL = 3  # articles of a host that are what they seem
HOSTILE = 9  # the number of the article that the hostile answer shows, where it shows one
PARAGRAPHS = 7

PLACES = ("海淀", "浦东", "武昌", "青羊", "鼓楼", "南山", "雁塔", "思明", "历下", "岳麓", "西湖", "和平", "道里", "市南", "越秀", "云岩")
SCHOOLS = ("实验小学", "第一中学", "第四中学", "师范附属小学", "外国语学校", "职业技术学院", "师范大学", "特殊教育学校", "民族中学", "科技大学")
PEOPLE = ("教师", "班主任", "校长", "学生", "家长代表", "教研员", "辅导员", "毕业生", "支教教师", "教育局负责人")
MATTERS = ("课程改革", "招生计划", "课后服务", "劳动教育", "心理健康课", "中考方案", "阅读课程", "教师培训", "校园足球", "科学实验课", "助学金发放", "职业教育")
ACTS = ("讨论了", "公布了", "试行了", "总结了", "调整了", "推广了", "介绍了", "检查了", "启动了", "评议了")
RESULTS = (
    "有{n}个班级在本学期先行试点", "预计惠及{n}名学生", "学校为此新增了{n}间教室", "已有{n}位教师完成了培训", "家长问卷收回了{n}份",
    "教育局计划在{n}所学校推开", "图书馆添置了{n}册图书", "共安排了{n}节公开课", "收到学生建议{n}条", "比去年多了{n}个学位",
)  # fmt: skip
SAYS = ("表示，教学要从学生的实际出发", "认为，作业应当少而精", "说，课堂上的变化最能说明问题", "建议把好的做法写进学校章程", "介绍了一年来教学中的得失")


def title_of(host: int, number: int) -> str:
    """The headline of an article of a host."""
    dice = random.Random(f"{host}/{number}")
    return f"{dice.choice(PLACES)}{dice.choice(SCHOOLS)}{dice.choice(ACTS)}{dice.choice(MATTERS)}第{host}{number}号方案"


def paragraphs_of(host: int, number: int) -> list[str]:
    """The text of an article, a paragraph each."""
    dice = random.Random(f"{host}:{number}")
    return ["".join(_sentence(dice) for _ in range(3)) for _ in range(PARAGRAPHS)]


def article(host: int, number: int, *, title: str | None = None, head: str = "", before: str = "", after: str = "") -> str:
    """The page of an article; ``title`` (markup) stands for its headline, ``head``, ``before`` and ``after`` are markup beside it."""
    headline = escape(title_of(host, number)) if title is None else title
    text = "".join(f"<p>{line}</p>\n" for line in paragraphs_of(host, number))
    return (
        f"<!DOCTYPE html><html><head><meta charset=utf-8><title>{headline}</title>{head}</head><body>{before}<h1>{headline}</h1>"
        f"<div class=content>{text}</div>{after}</body></html>"
    )


def listing(links: dict[str, str], *, head: str = "", after: str = "") -> str:
    """A list page that shows these links (path: text)."""
    items = "".join(f'<li><a href="{escape(path)}">{escape(text)}</a></li>\n' for path, text in links.items())
    return f"<!DOCTYPE html><html><head><meta charset=utf-8><title>教育新闻</title>{head}</head><body><ul>{items}</ul>{after}</body></html>"


def _sentence(dice: random.Random) -> str:
    place, school, who = dice.choice(PLACES), dice.choice(SCHOOLS), dice.choice(PEOPLE)
    result = dice.choice(RESULTS).format(n=dice.randint(3, 980))
    if dice.random() < 0.3:
        return f"{place}{school}的{who}{dice.choice(SAYS)}，{result}。"
    return f"{dice.randint(1, 28)}日，{place}{school}{dice.choice(ACTS)}{dice.choice(MATTERS)}，{result}。"
