"""The sample portal that a browser's crawl reads."""

from tests.support.serving import Answer

NEWS = [
    ("第一中学操场改造完成，周末向居民开放", "操场铺上新跑道，看台加了顶棚，居民凭身份证就能进来锻炼。"),
    ("乡村教师周转房下月交付二百套", "每套住房四十平方米，水电和暖气都已接通，离学校步行不到十分钟。"),
    ("小学食堂菜单请家长投票", "家长每周五在手机上选出下周的菜，营养师最后核对，结果贴在校门口。"),
    ("高中物理实验课增加到每周两节", "新实验室有三十六张桌子，学生两人一组，自己设计步骤再写报告。"),
    ("大学图书馆延长开放到午夜", "考试前两周最后一班校车也推迟，志愿者在门口提醒大家注意安全。"),
]


def portal(path: str, _: int) -> Answer:
    """A home page that lists articles."""
    number = path.rpartition("/")[2].removesuffix(".html")
    if path == "/robots.txt":
        return 404, "", {}
    if number.isdecimal():
        title, text = NEWS[int(number)]
        head = f"<meta charset=utf-8><title>{title}</title><h1>{title}</h1><p>2026-11-20 08:30 来源：育才报</p>"
        return 200, head + f"<p>{text}</p>" * 3, {}
    links = "".join(f'<li><a href="/2026/1120/{n}.html">{title}</a></li>' for n, (title, _) in enumerate(NEWS))
    return 200, f"<meta charset=utf-8><title>育才报</title><ul class=list>{links}</ul>", {}
