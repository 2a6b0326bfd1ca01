"""Renders everything that leads to articles: homes, framesets, columns and their pagers, tags, the endless calendar."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from html import escape
from random import Random

from demo import chrome
from demo.makes import Column, Pager
from demo.portal import Outlet, Post
from demo.traditional import traditional

HOME_PER_COLUMN = 8


def home(outlet: Outlet, seed: int) -> str:
    """The first page: blocks of all columns between navigation, hot lists, advertisements, tags and friends."""
    random = Random(f"{seed} home {outlet.make.key}")
    blocks = []
    for column in outlet.make.columns:
        if column.nofollow:
            continue
        more = f'<a class="more" href="{chrome.link(outlet, column.path(1))}">更多</a>'
        items = _items(outlet, outlet.shown(column)[:HOME_PER_COLUMN], "home")
        blocks.append(
            f'<div class="block"><h2>{column.label}{more}</h2>\n{items}</div>\n{chrome.advertisement(random)}'
        )
    inner = "".join(
        (
            chrome.navigation(outlet),
            _image_map(outlet),
            chrome.hot(outlet, random, "24小时热文", 10),
            *blocks,
            chrome.hot(outlet, random, "图片新闻", 6),
            _calendar_link(outlet),
            chrome.tags(outlet, random),
            chrome.friends(outlet),
            chrome.footer(outlet),
            chrome.state_code(random),
        )
    )
    return _document(outlet, outlet.make.name, inner)


def column_page(outlet: Outlet, column: Column, number: int, seed: int) -> str:
    """One page of a column: its posts, its pager, and the side blocks of the site."""
    random = Random(f"{seed} list {outlet.make.key} {column.key} {number}")
    posts = outlet.page(column, number)
    inner = (
        f'{chrome.navigation(outlet)}<div class="left">{chrome.hot(outlet, random, "点击排行", 8)}{chrome.advertisement(random)}'
        f'{_calendar_link(outlet)}</div>\n<div class="main" id="listbox"><h2>{column.label}</h2>\n'
        f"{_items(outlet, posts, column.key)}</div>\n{pager(outlet, column, number)}"
        f"{chrome.tags(outlet, random)}{chrome.friends(outlet)}{chrome.footer(outlet)}{chrome.state_code(random)}"
    )
    extra = '<meta name="robots" content="noindex,nofollow">\n' if column.nofollow else ""
    return _document(outlet, f"{column.label}_{outlet.make.name}", inner, extra)


def pager(outlet: Outlet, column: Column, number: int) -> str:
    """The way to the other pages of a column, as its make writes it."""
    last = outlet.pages(column)
    if last == 1 or column.pager is Pager.NONE:
        return ""
    if column.pager is Pager.SCRIPT:
        name, suffix = column.paths[0].rsplit("/", 1)[1].split(".")
        call = f'createPageHTML({last}, {number - 1}, "{name}", "{suffix}");'
        return f'<div class="pages"><script language="javascript">{call}</script></div>\n'

    def to(page: int, label: str) -> str:
        return f'<a href="{chrome.link(outlet, column.path(page))}">{label}</a> '

    previous_link = to(number - 1, "上一页") if number > 1 else ""
    next_link = to(number + 1, "下一页") if number < last else ""
    numbers = ""
    if column.pager is Pager.NUMBERS:
        numbers = "".join(f"<b>{page}</b> " if page == number else to(page, str(page)) for page in range(1, last + 1))
    return f'<div class="pages">{previous_link}{numbers}{next_link} 共{last}页</div>\n'


def frameset(outlet: Outlet) -> str:
    """The paper's front: two frames and nothing else for who has none."""
    return (
        f'<html><head><meta http-equiv="Content-Type" content="text/html; charset={outlet.make.meta}">'
        f"<title>{outlet.make.name}</title></head>\n"
        '<frameset cols="220,*" border="0"><frame name="nav" src="/html/nav.htm"><frame name="main" src="/html/main.htm">'
        "<noframes><body>您的浏览器不支持框架</body></noframes></frameset></html>\n"
    )


def frame_navigation(outlet: Outlet) -> str:
    """The left frame of the paper: its editions."""
    items = "".join(
        f'<a href="{column.path(1)}" target="main">{column.label}</a><br>' for column in outlet.make.columns
    )
    return _document(outlet, "导航", f"<h3>版面导航</h3>{items}{_calendar_link(outlet)}")


def refresh(outlet: Outlet, path: str) -> str:
    """A page that only sends its reader on."""
    return f'<html><head><meta http-equiv="refresh" content="0; url={path}"><title>{outlet.make.name}</title></head><body></body></html>\n'


def tag_page(outlet: Outlet, word: str, seed: int) -> str:
    """A page of what a tag is said to be about."""
    random = Random(f"{seed} tag {outlet.make.key} {word}")
    listed = [post for post in outlet.shown() if post.appears_at < 0 and not post.column.nofollow]
    posts = random.sample(listed, min(10, len(listed)))
    return _small(outlet, f"标签：{word}", _items(outlet, posts, "tag"), random)


def calendar(outlet: Outlet, month: str, day: str, seed: int) -> str:
    """A month with a link for every day, or a day's stories; always a month before and a month after."""
    random = Random(f"{seed} calendar {month} {day}")
    first = date.fromisoformat(f"{month or day[:7]}-01")
    previous_month, next_month = first - timedelta(days=1), first + timedelta(days=31)
    items = _items(
        outlet, [post for post in outlet.shown() if f"{post.story.published_at:%Y-%m-%d}" == day], "calendar"
    )
    days = " ".join(f'<a href="/calendar.shtml?date={first:%Y-%m}-{n:02}">{n}</a>' for n in range(1, 29))
    months = "".join(
        f'<a href="/calendar.shtml?month={other:%Y-%m}">{label}</a> '
        for other, label in ((previous_month, "上个月"), (next_month, "下个月"))
    )
    return _small(outlet, f"{first:%Y年%m月}新闻日历", f"{items}<p>{days}</p><p>{months}</p>", random)


def small(outlet: Outlet, title: str, seed: int) -> str:
    """A page that is no news: about us, login, a member's space, a search."""
    form = '<form action="/login.html" method="post">用户名 <input name="user"> 密码 <input type="password" name="pw"></form>'
    text = f"<p>{outlet.make.name}{title}。如需帮助，请与我们联系。</p>{form if title == '登录' else ''}"
    return _small(outlet, title, text, Random(f"{seed} small {outlet.make.key} {title}"))


def _small(outlet: Outlet, title: str, text: str, random: Random) -> str:
    inner = f"{chrome.navigation(outlet)}<h2>{title}</h2>\n{text}{chrome.friends(outlet)}{chrome.footer(outlet)}"
    return _document(outlet, f"{title}_{outlet.make.name}", inner + chrome.state_code(random))


def _document(outlet: Outlet, title: str, inner: str, extra: str = "") -> str:
    page = chrome.document(outlet.make, title, inner, extra)
    return traditional(page) if outlet.make.traditional else page


def _items(outlet: Outlet, posts: Sequence[Post], place: str) -> str:
    """The posts as this make lists them."""
    rows = [_row(outlet, post, place, position) for position, post in enumerate(posts)]
    match outlet.make.template:
        case "table":
            return f'<table width="100%">{"".join(rows)}</table>\n'
        case "forum":
            return f'<table class="threadlist">{"".join(rows)}</table>\n'
        case "blog" | "frames":
            return "".join(rows)
        case _:
            return f'<ul class="newslist">\n{"".join(rows)}</ul>\n'


def _row(outlet: Outlet, post: Post, place: str, position: int) -> str:
    story = post.told(outlet.clock.seconds)
    title, href, when = escape(story.title), chrome.tracked(outlet, post, place, position), story.published_at
    match outlet.make.template:
        case "table":
            short = escape(story.title[:16]) + ("..." if len(story.title) > 16 else "")
            return f'<tr><td>·<a href="{href}" title="{title}" target="_blank">{short}</a></td><td width="90">[{when:%m-%d}]</td></tr>\n'
        case "forum":
            last = f'<td><span title="{when:%Y-%m-%d %H:%M}">{when:%m-%d}</span></td>'
            number = post.number % 40
            member = f'<a href="{chrome.link(outlet, f"/space-uid-{number}.html")}">会员{number}</a>'
            return f'<tbody><tr><th><a href="{href}" class="xst">{title}</a></th><td>{member}</td>{last}</tr></tbody>\n'
        case "blog":
            lead = escape(story.paragraphs[0][:70])
            return (
                f'<div class="post"><h2><a href="{href}">{title}</a></h2><p class="meta">{when:%Y-%m-%d}</p>'
                f'<p>{lead}……<a href="{href}">继续阅读</a></p></div>\n'
            )
        case "frames":
            return f'<p>·<a href="{href}" target="main">{title}</a></p>\n'
        case "div":
            return f'<li><span class="date">{when:%Y-%m-%d}</span><a href="{href}" title="{title}">{title}</a></li>\n'
        case "br":
            return f'<li><a href="{href}" target="_blank">{title}</a> <span>({when:%m月%d日 %H:%M})</span></li>\n'
    return f'<li><a href="{href}">{title}</a><time>{when:%Y-%m-%d %H:%M}</time></li>\n'


def _calendar_link(outlet: Outlet) -> str:
    if not outlet.make.calendar:
        return ""
    return f'<div class="cal"><a href="/calendar.shtml?month={outlet.clock.start:%Y-%m}">按日期查看</a></div>\n'


def _image_map(outlet: Outlet) -> str:
    if outlet.make.template != "table":
        return ""
    areas = "".join(
        f'<area shape="rect" coords="{90 * n},0,{90 * n + 80},40" href="{column.path(1)}" alt="{column.label}">'
        for n, column in enumerate(outlet.make.columns)
    )
    return f'<img src="/static/banner.jpg" usemap="#m"><map name="m">{areas}</map>\n'
