"""Home pages and rankings: several boxes, whose stories may repeat."""

# ruff: noqa: E501 - markup reads better whole

from tests.quality.lists.generator import Drawn, Structure, filled

RANKED = '<tr><td class="red"><span>{i}</span><a href="{u}">{t}</a></td><td class="cBlue">{k}</td></tr>'
PORTAL = "https://www.wangyi.cn/edu/article/{id}.html"


def _repeating(drawn: Drawn, heading: str, boxes: list[str], row: str, share: float) -> str:
    """Boxes of ten rows each, the hottest ``share`` of which stand in every box."""
    hottest = [drawn.values() for _ in range(round(10 * share))]
    result = []
    for name in boxes:
        stories = [*hottest, *(drawn.values() for _ in range(10 - len(hottest)))]
        drawn.dice.shuffle(stories)
        rows = "\n".join(filled(row, story | {"i": str(at)}) for at, story in enumerate(stories, 1))
        result.append(filled(heading, {"name": name, "rows": rows}))
    return "".join(result)


def _netease_ranking(drawn: Drawn) -> str:
    heading = (
        '<div class="tabBox"><div class="titleBar"><h2>{name}</h2></div><div class="title-tab"><ul><li>今日</li></ul></div>'
        '<div class="tabContents active"><table width="100%"><tr><th>标题</th><th>点击数</th></tr>{rows}</table></div></div>'
    )
    return f'<div class="area-half">{_repeating(drawn, heading, ["24小时点击榜", "本周点击榜", "本月点击榜", "跟贴榜"], RANKED, 0.5)}</div>'


def _headed_ranking(drawn: Drawn) -> str:
    heading = '<div class="box"><h3>{name}</h3><ul>{rows}</ul></div>'
    names = ["国内新闻点击排行", "社会新闻点击排行", "教育新闻点击排行", "评论排行", "分享排行"]
    return f'<div class="main">{_repeating(drawn, heading, names, "<li><em>{i}</em><a href={u}>{t}</a></li>", 0)}</div>'


def _channel_ranking(drawn: Drawn) -> str:
    heading = '<div class="rank-box"><div class="hd"><h2>{name}点击量排行</h2><a href="/rank/more/">更多</a></div><ol class="rank-list">{rows}</ol></div>'
    return _repeating(drawn, heading, ["总", "国际", "国内", "体育", "教育", "科技"], '<li><span>{i}</span><a href="{u}" title="{t}">{t}</a><i>{k}</i></li>', 0.2)


def _hot_board(drawn: Drawn) -> str:
    heading = '<section class="hot-list"><h2>{name}</h2><div>{rows}</div></section>'
    row = '<div class="hot-item"><span class="num">{i}</span><a class="hot-title" href="{u}">{t}</a><span class="heat">{k}万热度</span></div>'
    return _repeating(drawn, heading, ["热搜榜", "教育热榜"], row, 0)


def _repeated_home(drawn: Drawn) -> str:
    heading = '<div class="mod"><div class="tt"><b>{name}</b></div><ul class="newslist">{rows}</ul></div>'
    return f'<div class="index">{_repeating(drawn, heading, ["头条", "今日要闻", "滚动", "本地"], "<li><a href={u}>{t}</a></li>", 0.4)}</div>'


def _school_home(drawn: Drawn) -> str:
    boxes = []
    for at, name in enumerate(["学校要闻", "通知公告", "学术活动", "媒体聚焦"], 1):
        rows = drawn.rows('<li><a href="{u}" title="{t}"><span class="title">{t}</span></a><em>05-{d}</em></li>', 5, 8)
        boxes.append(f'<div class="ibox{at}"><div class="hd"><h3>{name}</h3><a class="more" href="list{at}.htm">更多+</a></div><ul>{rows}</ul></div>')
    slides = drawn.rows('<div class="swiper-slide"><a href="{u}"><img src="{k}.jpg" alt="{t}"><h2>{t}</h2></a></div>', 4, 5)
    return f'<div class="banner swiper-container">{slides}</div><div class="container">{"".join(boxes)}</div>'


def _office_home(drawn: Drawn) -> str:
    tabs = "".join(f'<li class="{"on" if at == 0 else ""}"><a href="/zwdt/{name}/">{name}</a></li>' for at, name in enumerate(["工作动态", "通知公告", "政策文件"]))
    lists = "".join(f"<ul class='tab-c'>{drawn.rows('<li><a href={u} title={t}>{t}</a><span>05-{d}</span></li>', 6, 8)}</ul>" for _ in range(3))
    top = drawn.values()
    return f'<div class="ttxw"><h1><a href="{top["u"]}">{top["t"]}</a></h1></div><div class="tabBox"><ul class="tab-t">{tabs}</ul>{lists}</div>'


def _portal_columns(drawn: Drawn) -> str:
    cells = ""
    for at in range(6):
        head = f'<div class="col-hd"><h2><a href="/ch{at}/">{drawn.dice.choice(["小学", "初中", "高中", "大学", "留学"])}频道</a></h2></div>'
        picture = drawn.row('<div class="pic"><a href="{u}"><img src="{k}.jpg" alt="{t}"></a><p><a href="{u}">{t}</a></p></div>')
        cells += f'<div class="col">{head}{picture}<ul>{drawn.rows("<li><a href={u}>{t}</a></li>", 4, 7)}</ul></div>'
    return f'<div class="area clearfix">{cells}</div>'


def _hall(drawn: Drawn) -> str:
    """A forum's portal: pictures, hot threads and boards' newest."""
    boxes = "".join(
        f'<div class="module cl xl xl1"><h2>{name}</h2><ul>{drawn.rows("<li><em><a href=forum-{k}-1.html>[家长]</a></em><a href={u} title={t}>{t}</a></li>", 6, 9)}</ul></div>'
        for name in ["最新主题", "最新回复", "精华帖"]
    )
    return f'<div id="diy_chart" class="area">{boxes}</div>'


def homes() -> dict[str, Structure]:
    """The structures of this module."""
    return {
        "netease_ranking": Structure("https://news.wangyi.cn/special/rank/", PORTAL, _netease_ranking),
        "headed_ranking": Structure("http://news.daily-hb.cn/paihang/", "/system/2024/05/{d}/{n}.shtml", _headed_ranking),
        "channel_ranking": Structure("https://news.xinlang.cn/hotnews/", "https://news.xinlang.cn/c/2024-05-{d}/doc-inavz{n}.shtml", _channel_ranking),
        "hot_board": Structure("https://top.souhu.cn/board", "https://www.souhu.cn/a/{n}_{k}", _hot_board),
        "repeated_home": Structure("http://www.local-news.cn/", "/news/202405/{d}/{n}.html", _repeated_home),
        "school_home": Structure("https://www.east-university.edu.cn/", "info/1051/{n}.htm", _school_home),
        "office_home": Structure("http://jyt.north.gov.cn/", "./zwdt/202405/t202405{d}_{n}.html", _office_home),
        "portal_columns": Structure("https://edu.portal-net.cn/", "https://edu.portal-net.cn/a/202405{d}/{n}.html", _portal_columns),
        "forum_hall": Structure("http://bbs.mothers.cn/portal.php", "thread-{n}-1-1.html", _hall),
    }
