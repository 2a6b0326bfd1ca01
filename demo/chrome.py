"""What stands around the news on every page: code, navigation, side lists, comments, advertisements, footers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from html import escape
from random import Random
from urllib.parse import quote

from demo.grammar import Voice, common
from demo.makes import Make
from demo.portal import Outlet, Post
from demo.traditional import traditional

SESSION = "0" * 26  # the server writes another session id in its place, on every answer
HEAD_CODE, FOOT_CODE = (15000, 19000), (9000, 12000)  # bytes of styles and scripts, chosen once a site
STATE_CODE = (1500, 16000)  # bytes of inline data, chosen once a page
BLOCKS, BLOCK_ITEMS = 5, 11  # of a crowded page, beside what every page has

_STYLE = (
    ".{a}-{b}{{display:block;margin:0 auto {n}px;padding:{m}px;color:#{c:06x};background:url(/static/{a}.png) no-repeat -{n}px 0}}"
    ".{b} .{a} li{{float:left;width:{n}px;line-height:{m}px;overflow:hidden;text-overflow:ellipsis}}\n"
)
_SCRIPT = (
    "function {a}_{b}(e,t){{var n=document.getElementById('{b}{n}');if(!n)return!1;for(var r=0;r<{m};r++)"
    "{{n.className=r%2?'{a}':'{b}';t&&t.call(e,n.offsetTop+{n})}}return n.innerHTML.length>{m}}}\n"
)
_WORDS = (
    "nav",
    "top",
    "hot",
    "side",
    "main",
    "foot",
    "list",
    "item",
    "box",
    "news",
    "tab",
    "pic",
    "slide",
    "login",
    "share",
    "search",
    "tag",
    "link",
    "ad",
    "logo",
    "menu",
    "wrap",
)
_FOOT_WORDS = ("关于我们", "联系方式", "版权声明", "网站地图", "诚聘英才", "法律顾问")


def link(outlet: Outlet, path: str) -> str:
    """An address as this site writes it into its pages: with a session id where the site has them."""
    if outlet.make.sessions and path.startswith("/") and not path.startswith(("/files/", "/images/", "/static/")):
        return f"{path}{'&amp;' if '?' in path else '?'}PHPSESSID={SESSION}"
    return escape(path)


def tracked(outlet: Outlet, post: Post, place: str, position: int) -> str:
    """The address of a post as a list writes it; some lists of some sites add where they were clicked."""
    if outlet.make.tracking and (position + len(place)) % 3 == 0:
        return f"{post.link}?utm_source={place}&amp;utm_medium=list&amp;spm=a2c.{position}.{len(place)}"
    return link(outlet, post.link)


@cache
def head_code(make: Make) -> str:
    """The styles and scripts in the head of every page of a site."""
    random = Random(f"head {make.key}")
    size = random.randint(*HEAD_CODE)
    return (
        f'<style type="text/css">\n{_filler(_STYLE, size // 2, random)}</style>\n'
        f'<script type="text/javascript">\n//<![CDATA[\n{_filler(_SCRIPT, size // 2, random)}//]]>\n</script>\n'
        '<script src="/static/page.js"></script>\n'
    )


@cache
def foot_code(make: Make) -> str:
    """The scripts at the end of every page of a site."""
    random = Random(f"foot {make.key}")
    return f"<script>\n{_filler(_SCRIPT, random.randint(*FOOT_CODE), random)}</script>\n"


def state_code(random: Random) -> str:
    """The data for scripts that a page carries; its size differs from page to page."""
    rows = []
    size = random.randint(*STATE_CODE)
    while size > 0:
        bits = random.getrandbits(128)
        rows.append(f'{{"id":{bits % 10**7},"pv":{bits % 99991},"k":"{bits:032x}"}}')
        size -= len(rows[-1])
    return f'<script>var __STATE__={{"rows":[{",".join(rows)}]}};</script>\n'


def navigation(outlet: Outlet) -> str:
    """The bar with home, all columns, the login and the search."""
    items = [("首页", outlet.make.home), *((column.label, column.path(1)) for column in outlet.make.columns)]
    items += [("登录", "/login.html"), ("搜索", "/search?q=")]
    bar = "".join(f'<li><a href="{link(outlet, path)}">{label}</a></li>' for label, path in items)
    today = outlet.clock.start
    return (
        f'<div class="top"><span>今天是{today.year}年{today.month}月{today.day}日 欢迎访问{outlet.make.name}</span></div>\n'
        f'<div class="nav"><ul>{bar}</ul></div>\n'
    )


def hot(outlet: Outlet, random: Random, label: str, count: int) -> str:
    """A numbered side list of some of the site's stories."""
    posts = _some(outlet, random, count)
    items = "".join(
        f'<li><em>{rank}</em><a href="{tracked(outlet, post, "hot", rank)}" title="{escape(post.story.title)}">'
        f"{escape(post.story.title[:18])}</a></li>"
        for rank, post in enumerate(posts, 1)
    )
    return f'<div class="side-{label_class(label)}"><h3>{label}</h3><ol>{items}</ol></div>\n'


def blocks(outlet: Outlet, random: Random) -> str:
    """Lists of stories of several columns, with pictures, dates and more links, as they fill the sides of a large portal."""
    return "".join(_block(outlet, random, random.choice(outlet.make.columns).label) for _ in range(BLOCKS))


def _block(outlet: Outlet, random: Random, label: str) -> str:
    items = "".join(
        f'<li><i class="dot"></i><a href="{tracked(outlet, post, "block", rank)}" target="_blank">{escape(post.story.title)}</a>'
        f'<span class="time">{post.story.published_at:%m-%d}</span></li>'
        for rank, post in enumerate(_some(outlet, random, BLOCK_ITEMS))
    )
    (picture,) = _some(outlet, random, 1)
    image = (
        f'<a href="{link(outlet, picture.link)}"><img src="/images/{picture.number}.jpg" width="80" height="60"></a>'
    )
    return (
        f'<div class="mod"><div class="mod-hd"><h3>{label}</h3><span class="more"><a href="{link(outlet, outlet.make.home)}">更多</a>'
        f'</span></div><div class="mod-bd"><div class="pic">{image}<p>{escape(picture.story.title)}</p></div><ul>{items}</ul></div></div>\n'
    )


def label_class(label: str) -> str:
    """A class name for a block of this label."""
    return f"b{sum(map(ord, label)) % 97}"


def advertisement(random: Random) -> str:
    """A banner with a text, to somewhere outside."""
    text = Voice({}, random).one("ad")
    return (
        f'<div class="ad"><a href="http://ad{random.randint(1, 9)}.example.com/click?id={random.randint(1000, 9999)}"'
        f' rel="nofollow" target="_blank">{text}</a><span>广告</span></div>\n'
    )


def tags(outlet: Outlet, random: Random) -> str:
    """A cloud of tag pages."""
    words = random.sample(common()["tag"], 20)
    cloud = " ".join(f'<a href="{link(outlet, tag_path(outlet, word))}">{word}</a>' for word in words)
    return f'<div class="tags"><h3>热门标签</h3><p>{cloud}</p></div>\n'


def tag_path(outlet: Outlet, word: str) -> str:
    """The path of a tag page; the word is written in the site's own bytes."""
    written = traditional(word) if outlet.make.traditional else word
    return f"/tag/{quote(written, encoding=outlet.make.codec)}"


def friends(outlet: Outlet) -> str:
    """Links to the other sites of the portal and to some outside."""
    inside = "".join(
        f'<a href="{other.base}{other.make.home}" target="_blank">{other.make.name}</a> ' for other in outlet.others
    )
    outside = "".join(f'<a href="http://www{n}.example.org/">友情站点{n}</a> ' for n in range(1, 9))
    return f'<div class="friends"><h3>友情链接</h3>{inside}{outside}</div>\n'


def comments(post: Post, random: Random) -> str:
    """What readers wrote under a story, with names and times of their own."""
    rows = []
    for text in post.story.comments:
        name = f"网友{random.randint(1000, 99999)}"
        time = f"{post.story.published_at:%m-%d} {random.randint(7, 23)}:{random.randint(10, 59)}"
        rows.append(
            f'<div class="comment"><span class="user">{name}</span><span class="time">{time}</span>'
            f'<p>{text}</p><a href="javascript:void(0)">顶[{random.randint(0, 300)}]</a></div>\n'
        )
    return f'<div class="comments"><h3>网友评论</h3>\n{"".join(rows)}</div>\n'


def footer(outlet: Outlet) -> str:
    """The small print."""
    words = " | ".join(f'<a href="{link(outlet, f"/about-{n}.html")}">{word}</a>' for n, word in enumerate(_FOOT_WORDS))
    return (
        f'<div class="footer"><p>{words}</p><p>{outlet.make.name} 版权所有 未经授权不得转载 新闻热线：62{len(outlet.make.key)}01234</p>'
        "<p>网络视听许可证 互联网新闻信息服务许可证 备案号2025001号</p></div>\n"
    )


def related(outlet: Outlet, post: Post, random: Random, label: str = "相关阅读") -> str:
    """Links to other stories under a story, advertisements between them."""
    items = "".join(
        f'<li><a href="{tracked(outlet, other, "related", rank)}">{escape(other.story.title)}</a>'
        f" <span>{other.story.published_at:%m-%d}</span></li>"
        for rank, other in enumerate(_some(outlet, random, 6))
        if other is not post
    )
    return f'<div class="relate"><h3>{label}</h3><ul>{items}</ul></div>\n{advertisement(random)}'


def document(make: Make, title: str, inner: str, extra: str = "", body: str = "") -> str:
    """A whole page around ``inner``, declaring the charset that this make declares."""
    modern = make.template in ("html5", "blog", "div")
    doctype = (
        "<!DOCTYPE html>"
        if modern
        else (
            '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">'
        )
    )
    declared = (
        f'<meta charset="{make.meta}">'
        if modern
        else f'<meta http-equiv="Content-Type" content="text/html; charset={make.meta}" />'
    )
    return (
        f"{doctype}\n<html>\n<head>\n{declared}\n<title>{escape(title)}</title>\n{extra}{head_code(make)}</head>\n"
        f"<body{body}>\n{inner}{foot_code(make)}</body>\n</html>\n"
    )


def _some(outlet: Outlet, random: Random, count: int) -> Sequence[Post]:
    """Some of the posts that stood there from the start, so that a page stays as it was first rendered."""
    posts = [post for post in outlet.posts if post.appears_at < 0 and not post.column.nofollow]
    return random.sample(posts, min(count, len(posts)))


def _filler(pattern: str, size: int, random: Random) -> str:
    parts: list[str] = []
    while size > 0:
        a, b = random.sample(_WORDS, 2)
        part = pattern.format(a=a, b=b, n=random.randint(10, 400), m=random.randint(4, 60), c=random.getrandbits(24))
        parts.append(part)
        size -= len(part)
    return "".join(parts)
