"""Renders articles: one template a make, from clean HTML5 to tables, line breaks, a forum thread and a blog."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from random import Random

from demo import chrome
from demo.articles import Story
from demo.parts import bar
from demo.portal import Fate, Outlet, Post
from demo.traditional import traditional

_NOINDEX = '<meta name="robots" content="noindex,follow">\n'


def article(post: Post, seed: int, part: int = 1) -> str:
    """The page of a post as it stands now, or one of its pages."""
    make, story = post.outlet.make, post.part(post.outlet.clock.seconds, part)
    random = Random(f"{seed} page {post.number}{f' part {part}' if part > 1 else ''}")
    below = bar(post, part) + _attachments(post) + _video(post)
    inner = _TEMPLATES[make.template](post, story, below, random) + chrome.state_code(random)
    page = chrome.document(make, _head_title(post, story), inner, _meta(post, story))
    return traditional(page) if make.traditional else page


def editor(story: Story) -> str:
    """The duty editor whom some papers name below a story."""
    return f"{story.source[:1]}编"


def _head_title(post: Post, story: Story) -> str:
    make = post.outlet.make
    match make.template:
        case "html5" | "div":
            return f"{story.title}_{post.column.label}_{make.name}"
        case "forum":
            return f"{story.title} - {post.column.label} - {make.name} - Powered by Board!"
        case "blog":
            return f"{story.title} | {make.name}"
        case "table":
            return make.name
    return f"{story.title}--{make.name}"


def _meta(post: Post, story: Story) -> str:
    make = post.outlet.make
    parts = [_NOINDEX] if post.fate is Fate.NOINDEX else []
    if make.template in ("html5", "div"):
        words = f"{story.label},{post.column.label},{make.name}"
        parts.append(f'<meta name="keywords" content="{escape(words)}">\n')
        parts.append(f'<meta name="description" content="{escape(story.paragraphs[0][:60])}">\n')
    elif make.template == "br":
        parts.append(f'<meta name="keywords" content="{make.name},新闻,体育,财经,教育,娱乐,社会" />\n')
    if make.key == "qiming":
        parts.append(f'<link rel="canonical" href="{post.url}">\n')
        parts.append(f'<meta property="article:published_time" content="{story.published_at.isoformat()}">\n')
    return "".join(parts)


def _date(post: Post, story: Story) -> str:
    return story.published_at.strftime(post.outlet.make.date)


def _paragraphs(story: Story, opening: str, closing: str, picture: str = "") -> str:
    parts = [f"{opening}{escape(paragraph, quote=False)}{closing}\n" for paragraph in story.paragraphs]
    if picture:
        parts.insert(1, picture)
    return "".join(parts)


def _picture(post: Post) -> str:
    if not post.image:
        return ""
    path = f"/images/{post.number}.jpg"
    return (
        f'<p style="text-align:center"><a href="{path}" target="_blank"><img src="{path}" alt="" width="550"></a></p>\n'
    )


def _attachments(post: Post) -> str:
    items = "".join(f'<li><a href="{path}">{name}</a></li>' for path, name in post.attachments)
    return f'<ul class="attachments">{items}</ul>\n' if items else ""


def _video(post: Post) -> str:
    """Now and then a page links to a film whose address looks like an article's."""
    return (
        f'<div class="video"><a href="/video/{post.number}.shtml">视频：现场画面</a></div>\n'
        if post.number % 40 == 3
        else ""
    )


def _crumb(post: Post) -> str:
    outlet, column = post.outlet, post.column
    home, here = chrome.link(outlet, outlet.make.home), chrome.link(outlet, column.path(1))
    return f'<div class="crumb">当前位置：<a href="{home}">首页</a> &gt; <a href="{here}">{column.label}</a> &gt; 正文</div>\n'


def _sides(outlet: Outlet, random: Random) -> str:
    return (
        chrome.hot(outlet, random, "热点排行", 10)
        + chrome.advertisement(random)
        + chrome.hot(outlet, random, "编辑推荐", 8)
        + chrome.tags(outlet, random)
        + (chrome.blocks(outlet, random) if outlet.crowded else "")
    )


def _html5(post: Post, story: Story, below: str, random: Random) -> str:
    outlet = post.outlet
    author = f'<span class="author">作者：{story.author}</span>' if story.author else ""
    return (
        f"<header>{chrome.navigation(outlet)}</header>\n<main>\n{_crumb(post)}<article>\n<h1>{escape(story.title)}</h1>\n"
        f'<div class="info"><time datetime="{story.published_at.isoformat()}">{_date(post, story)}</time>'
        f' <span class="source">来源：{story.source}</span> {author} <a href="#comments">评论</a></div>\n'
        f'<div class="article-content">\n{_paragraphs(story, "<p>", "</p>", _picture(post))}</div>\n'
        f"{below}"
        f'<div class="share"><a href="javascript:;">分享到微博</a> <a href="javascript:;">分享到微信</a></div>\n</article>\n'
        f'{chrome.related(outlet, post, random)}<section id="comments">{chrome.comments(post, random)}</section>\n</main>\n'
        f"<aside>{_sides(outlet, random)}</aside>\n<footer>{chrome.friends(outlet)}{chrome.footer(outlet)}</footer>\n"
    )


def _table(post: Post, story: Story, below: str, random: Random) -> str:
    outlet = post.outlet
    cell = (
        '<table width="960" border="0" align="center" cellpadding="0" cellspacing="0"><tr><td{}>{}</td></tr></table>\n'
    )
    body = _paragraphs(story, "<p>　　", "</p>", _picture(post))
    author = f" 作者：{story.author}" if story.author else ""
    core = (
        f'<table width="100%"><tr><td align="center" class="title"><strong><font size="5">{escape(story.title)}</font></strong></td></tr>'
        f'<tr><td align="center" class="gray">发布时间：{_date(post, story)}　来源：{story.source}{author}　【字体：大 中 小】</td></tr>'
        f'<tr><td class="content"><div id="zoom">{body}</div></td></tr><tr><td>{below}'
        f'<a href="javascript:window.print()">打印</a> <a href="javascript:window.close()">关闭</a></td></tr></table>\n'
    )
    sides = f'<table><tr><td width="700" valign="top">{core}{chrome.related(outlet, post, random, "相关链接")}</td>'
    sides += f'<td width="240" valign="top" bgcolor="#eef">{_sides(outlet, random)}</td></tr></table>'
    return "".join(
        cell.format(attribute, inner)
        for attribute, inner in (
            ("", chrome.navigation(outlet)),
            ("", _crumb(post)),
            (' valign="top"', sides),
            ("", chrome.comments(post, random)),
            (' align="center"', chrome.friends(outlet) + chrome.footer(outlet)),
        )
    )


def _br(post: Post, story: Story, below: str, random: Random) -> str:
    outlet = post.outlet
    author = f"&nbsp;记者：{story.author}" if story.author else ""
    lines = "<br />\n<br />\n".join(f"　　{escape(paragraph, quote=False)}" for paragraph in story.paragraphs)
    picture = f'<img src="/images/{post.number}.jpg" /><br />\n' if post.image else ""
    return (
        f'{chrome.navigation(outlet)}{_crumb(post)}<div id="left">\n<h1 class="bt">{escape(story.title)}</h1>\n'
        f'<div class="ly">{_date(post, story)}&nbsp;&nbsp;来源：{story.source}{author}</div>\n'
        f'<div id="ad1">{chrome.advertisement(random)}</div>\n<div id="content">{picture}{lines}<br />\n</div>\n'
        f'{below}<div class="bj">责任编辑：{editor(story)}</div>\n'
        f"{chrome.related(outlet, post, random, '延伸阅读')}{chrome.comments(post, random)}</div>\n"
        f'<div id="right">{_sides(outlet, random)}</div>\n{chrome.friends(outlet)}{chrome.footer(outlet)}'
    )


def _frames(post: Post, story: Story, below: str, random: Random) -> str:
    outlet = post.outlet
    author = f'<p class="zuozhe">□ 记者 {story.author}</p>' if story.author else ""
    return (
        f'{chrome.navigation(outlet)}<table width="900"><tr><td width="240" valign="top">{_sides(outlet, random)}</td>'
        f'<td valign="top"><div class="lai">{outlet.make.name} {_date(post, story)} 第{post.column.key[1:]}版 {post.column.label}</div>\n'
        f'<div class="biaoti">{escape(story.title)}</div>\n{author}<div id="ozoom"><founder-content>\n'
        f"{_paragraphs(story, '<P>　　', '</P>', _picture(post))}</founder-content></div>\n{below}"
        f"<p>来源：{story.source}</p>{chrome.related(outlet, post, random, '本版新闻')}</td></tr></table>\n"
        f"{chrome.comments(post, random)}{chrome.friends(outlet)}{chrome.footer(outlet)}"
    )


def _forum(post: Post, story: Story, below: str, random: Random) -> str:
    outlet = post.outlet
    user = story.author or f"会员{random.randint(1000, 9999)}"
    space = '<td class="pls"><a href="{}">{}</a><p>积分 {}</p><p>注册时间 20{}-{}-12</p></td>'
    first = space.format(
        chrome.link(outlet, f"/space-uid-{random.randint(1, 40)}.html"), user, random.randint(1, 9999), 19, 3
    )
    rows = [
        f'<tr id="post_1">{first}<td class="plc"><div class="authi">楼主 发表于 {_date(post, story)}</div>'
        f'<div class="t_fsz"><table><tr><td class="t_f">{_paragraphs(story, "", "<br />", _picture(post))}</td></tr></table></div>'
        f"{below}</td></tr>\n"
    ]
    for floor, text in enumerate(story.comments, 2):
        number = random.randint(1, 40)
        member = space.format(
            chrome.link(outlet, f"/space-uid-{number}.html"), f"会员{number}", random.randint(1, 999), 21, 7
        )
        moment = f"{story.published_at:%Y-%m-%d} {random.randint(20, 23)}:{random.randint(10, 59)}"
        reply = chrome.link(outlet, f"/post.php?action=reply&tid={post.number}&floor={floor}")
        rows.append(
            f'<tr id="post_{floor}">{member}<td class="plc"><div class="authi">{floor}楼 发表于 {moment}</div>'
            f'<div class="t_fsz"><table><tr><td class="t_f">{text}</td></tr></table></div><a href="{reply}">回复</a></td></tr>\n'
        )
    return (
        f'{chrome.navigation(outlet)}{_crumb(post)}<h1 class="ts"><span id="thread_subject">{escape(story.title)}</span></h1>\n'
        f'<table id="postlist">{"".join(rows)}</table>\n{chrome.related(outlet, post, random, "相关帖子")}'
        f'<div id="sd">{_sides(outlet, random)}</div>{chrome.friends(outlet)}{chrome.footer(outlet)}'
    )


def _blog(post: Post, story: Story, below: str, random: Random) -> str:
    outlet = post.outlet
    author = f'<span class="byline">文/{story.author}</span>' if story.author else ""
    return (
        f'<header class="site">{chrome.navigation(outlet)}</header>\n<div class="post">\n'
        f'<h2 class="entry-title">{escape(story.title)}</h2>\n'
        f'<div class="entry-meta">{_date(post, story)} {author} 分类：{post.column.label}</div>\n'
        f'<div class="entry">\n{_paragraphs(story, "<p>", "</p>", _picture(post))}</div>\n{below}</div>\n'
        f'{chrome.comments(post, random)}<div class="widgets">{_sides(outlet, random)}</div>\n'
        f"{chrome.related(outlet, post, random, '你可能也喜欢')}{chrome.friends(outlet)}{chrome.footer(outlet)}"
    )


def _div(post: Post, story: Story, below: str, random: Random) -> str:
    outlet = post.outlet
    author = f"<span>作者：{story.author}</span>" if story.author else ""
    return (
        f'<div class="hd">{chrome.navigation(outlet)}</div>\n<div class="wrap"><div class="l fl">{_sides(outlet, random)}</div>\n'
        f'<div class="r fr">{_crumb(post)}<div class="tit">{escape(story.title)}</div>\n'
        f'<div class="inf"><span>发布日期：{_date(post, story)}</span><span>来源：{story.source}</span>{author}'
        f"<span>点击：{random.randint(9, 9999)}</span></div>\n"
        f'<div class="txt v_news_content">\n{_paragraphs(story, "<div><span>", "</span></div>", _picture(post))}</div>\n'
        f"{below}{chrome.related(outlet, post, random, '上一条 下一条')}"
        f"{chrome.comments(post, random)}</div></div>\n"
        f'<div class="ft">{chrome.friends(outlet)}{chrome.footer(outlet)}</div>\n'
    )


_TEMPLATES: dict[str, Callable[[Post, Story, str, Random], str]] = {
    "html5": _html5,
    "table": _table,
    "br": _br,
    "frames": _frames,
    "forum": _forum,
    "blog": _blog,
    "div": _div,
}
