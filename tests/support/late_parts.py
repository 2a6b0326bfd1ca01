"""An article of several pages."""

from tests.support.newsroom import Answer

LINE = "第{part}页第{line}段：学校的教师和学生参加了今年的教育改革座谈会，会上讨论了课程、招生与考试的安排。"
PATHS = {1: "/a/1.html", 2: "/a/1_2.html", 3: "/a/1_3.html"}


def lines(part: int) -> list[str]:
    return [LINE.format(part=part, line=line) for line in range(1, 5)]


def page(part: int) -> Answer:
    title, body = "教育改革座谈会纪要", "".join(f"<p>{line}</p>" for line in lines(part))
    links = "".join(f'<a href="{path}">[{other}]</a>' for other, path in PATHS.items() if other != part)
    following = f'<a href="{PATHS[part + 1]}">下一页</a>' if part + 1 in PATHS else ""
    return 200, (
        f"<html><head><title>{title}</title></head><body><h1>{title}</h1><div class=content>{body}</div>"
        f"<div class=pages>{links}{following}</div></body></html>"
    ), {}
