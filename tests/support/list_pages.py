"""List pages of many makes, written by chance, with what their lists hold: what the tests of lists are measured on."""

# ruff: noqa: E501 - markup reads better whole

import random
from collections.abc import Callable
from dataclasses import dataclass, field

WHO = ["市教育局", "一位班主任", "三年级的学生", "校长", "家长委员会", "乡村教师", "省里的专家组", "食堂师傅", "图书馆", "合唱团"]
DOES = ["宣布了", "讨论着", "整理出", "推迟了", "邀请大家参观", "认真记录", "重新安排", "反复修改", "公开了", "收到了"]
WHAT = ["新学期的课程表", "操场改造的方案", "春游的路线", "晚自习的规定", "一封长信", "科学课的材料", "校车的时刻", "作业的清单"]
SHORT = ["开学啦", "高考放榜", "校庆公告", "春天来了", "寒假通知"]
CHANNELS = ["要闻", "高校", "中小学", "职业教育", "教育视频", "专题报道", "校园风采", "政策法规解读", "数字化教育行动"]
FRIENDS = ["中国某某教育网", "某省教育厅", "某某大学新闻网", "全国学校联合信息平台", "某某日报社教育频道", "某市人民政府门户网站"]
NAMES = ["王小明", "李红", "赵强", "陈静怡", "刘一鸣", "教育观察员"]


@dataclass
class Drawn:
    """One page being drawn: its dice, how its URLs look, and what its list holds so far."""

    dice: random.Random
    shape: str
    items: dict[str, str] = field(default_factory=dict)  # URL as written -> title
    count: int = 0

    def url(self) -> str:
        """The URL of one more article, of the page's own shape."""
        self.count += 1
        number = 40000 + 7 * self.count + self.dice.randint(0, 5)
        day = self.dice.randint(10, 28)
        return self.shape.format(n=number, d=day, h=f"{number * 7919 * 104729:016x}"[:16].upper())

    def title(self) -> str:
        """A headline, now and then a very short one."""
        dice = self.dice
        if dice.random() < 0.06:
            return dice.choice(SHORT)
        return dice.choice(WHO) + dice.choice(DOES) + dice.choice(WHAT)

    def item(self) -> tuple[str, str]:
        """URL and title of one more article of the list."""
        url, title = self.url(), self.title()
        self.items[url] = title
        return url, title

    def other(self) -> tuple[str, str]:
        """URL and title of an article that stands elsewhere on the page."""
        return self.url(), self.title()

    def date(self) -> str:
        """A day as lists write it."""
        return self.dice.choice(["2024-05-{:02}", "05-{:02}", "[05/{:02}]", "2024年5月{}日", "2024.05.{:02} 08:30"]).format(
            self.dice.randint(10, 28)
        )


SHAPES = [
    "/jyxw/202405/t202405{d}_{n}.html",
    "/n1/2024/05{d}/c1001-{n}.html",
    "../info/1001/{n}.htm",
    "show.asp?id={n}",
    "./202405/{n}.shtml",
    "/article/{h}.html",
    "/2024/05/{d}/{n}.html",
    "/a/{n}",
    "/archives/{n}/",
    "/news/school-opens-{n}-new-labs/",
    "/detail/{h}",
    "article-{n}.html",
    "/content.aspx?cid=12&aid={n}",
    "https://mp.weixin.qq.com/s/{h}",
    "/zw/xw{n}.jhtml",
    "/content.jsp?urltype=news.NewsContentUrl&wbnewsid={n}",
]


@dataclass(frozen=True)
class ListPage:
    """A page and the truth about it."""

    make: str
    url: str
    body: bytes
    articles: frozenset[str]  # URLs as written
    next_page: str | None


def _table(page: Drawn) -> str:
    rows = "".join(
        f'<tr><td width=10><img src="dot.gif"></td><td><a href="{url}" target=_blank>{title}</a></td><td>{page.date()}</td></tr>'
        for url, title in (page.item() for _ in range(page.dice.randint(6, 25)))
    )
    return f'<table width="760"><tr><td valign=top><table border=0>{rows}</table></td></tr></table>'


def _bullets(page: Drawn) -> str:
    name = page.dice.choice(['class="news_list"', 'class="lb"', "", 'id="content_list"', 'class="list-group list-unstyled"'])
    rows = []
    for index in range(page.dice.randint(5, 30)):
        url, title = page.item()
        date = page.date()
        rows.append(page.dice.choice([f'<li><a href="{url}">{title}</a><span>{date}</span></li>', f'<li><span>{date}</span><a href="{url}">{title}</a></li>']))
        if index % 5 == 4:
            rows.append('<li class="line"></li>')
    return f"<ul {name}>{''.join(rows)}</ul>"


def _definitions(page: Drawn) -> str:
    rows = []
    for _ in range(page.dice.randint(5, 15)):
        url, title = page.item()
        rows.append(f'<dl><dt><a href="{url}">{title}</a></dt><dd>{page.title()}，{page.title()}……<a href="{url}">[详细]</a></dd><dd>{page.date()}</dd></dl>')
    return "".join(rows)


def _cards(page: Drawn) -> str:
    rows = []
    for _ in range(page.dice.randint(4, 16)):
        url, title = page.item()
        rows.append(
            f'<div class="card col-{page.dice.randint(1, 3)}"><a href="{url}"><img src="p.jpg" alt=""></a><h3><a href="{url}">{title}</a></h3>'
            f'<p>{page.title()}，{page.title()}。</p><div class="meta"><span>{page.date()}</span> <a href="/channel/edu/">教育</a></div></div>'
        )
    return f'<div class="cards">{"".join(rows)}</div>'


def _soup(page: Drawn) -> str:
    rows = []
    for _ in range(page.dice.randint(6, 20)):
        url, title = page.item()
        rows.append(
            f'<div class="x{page.dice.randint(10, 99)}"><div><div><div><a href="{url}"><div><span>{title}</span></div></a></div></div>'
            f'<div><div><span>{page.dice.choice(NAMES)}</span><span>{page.dice.randint(1, 9)}小时前</span></div></div></div></div>'
        )
    return f'<div class="k3a"><div>{"".join(rows)}</div></div>'


def _threads(page: Drawn) -> str:
    rows = []
    for _ in range(page.dice.randint(8, 20)):
        url, title = page.item()
        user = page.dice.randint(1000, 9999)
        rows.append(
            f'<tbody><tr><td><a href="{url}"><img src="folder.gif"></a></td><th><em>[<a href="forum.php?mod=forumdisplay&fid=40&typeid=7">讨论</a>]</em>'
            f'<a href="{url}" class="s xst">{title}</a></th><td><cite><a href="space-uid-{user}.html">{page.dice.choice(NAMES)}</a></cite><em>2024-5-1</em></td>'
            f'<td><a href="{url}">{page.dice.randint(1, 99)}</a></td><td><cite><a href="space-username-{user}.html">{page.dice.choice(NAMES)}</a></cite>'
            f'<em><a href="forum.php?mod=redirect&goto=lastpost&tid={user}">2024-5-2 12:30</a></em></td></tr></tbody>'
        )
    return f'<table class="threadlist">{"".join(rows)}</table>'


def _mix(page: Drawn) -> str:
    blocks = []
    url, title = page.item()
    blocks.append(f'<div class="focus"><h1><a href="{url}">{title}</a></h1></div>')
    for channel in page.dice.sample(CHANNELS, 4):
        rows = "".join(f'<li><a href="{url}">{title}</a></li>' for url, title in (page.item() for _ in range(page.dice.randint(4, 9))))
        blocks.append(
            f'<div class="box"><div class="tt"><h2><a href="/{page.dice.randint(10, 99)}/">{channel}</a></h2><a href="/{page.dice.randint(10, 99)}/">更多&gt;&gt;</a></div><ul>{rows}</ul></div>'
        )
    return f'<div class="wrap">{"".join(blocks)}</div>'


def _rolling(page: Drawn) -> str:
    rows = []
    for _ in range(page.dice.randint(20, 60)):
        url, title = page.item()
        rows.append(f'<p>[<a href="/{page.dice.choice(["edu", "school", "gaokao"])}/">{page.dice.choice(CHANNELS[:4])}</a>] <a href="{url}">{title}</a> <i>{page.dice.randint(10, 23)}:{page.dice.randint(10, 59)}</i></p>')
    return f'<div class="content_list">{"".join(rows)}</div>'


def _posts(page: Drawn) -> str:
    rows = []
    for _ in range(page.dice.randint(4, 10)):
        url, title = page.item()
        rows.append(
            f'<article><h2 class="entry-title"><a href="{url}" rel="bookmark">{title}</a></h2><div class="info"><a href="/author/{page.dice.randint(1, 9)}">{page.dice.choice(NAMES)}</a> '
            f'<time>{page.date()}</time> <a href="{url}#comments">{page.dice.randint(0, 9)} 条评论</a></div><p>{page.title()}，{page.title()}。</p>'
            f'<a class="more" href="{url}">阅读全文</a><div><a href="/tag/{page.dice.randint(1, 99)}/">{page.dice.choice(CHANNELS)}</a></div></article>'
        )
    return f'<div id="primary">{"".join(rows)}</div>'


def _cut(page: Drawn) -> str:
    rows = "".join(
        f'<li><b>·</b><a href="{url}" title="{title}">{title[:12]}...</a><em>{page.date()}</em></li>' for url, title in (page.item() for _ in range(page.dice.randint(10, 20)))
    )
    return f'<div class="right_con"><div class="dqwz">当前位置：<a href="/">首页</a> &gt; <a href="/xwzx/">新闻中心</a></div><ul>{rows}</ul></div>'


def _whole(page: Drawn) -> str:
    rows = "".join(
        f'<a href="{url}"><div class="d"><b>{page.dice.randint(10, 28)}</b>2024-05</div><div class="t"><h4>{title}</h4><p>{page.title()}，{page.title()}。</p></div></a>'
        for url, title in (page.item() for _ in range(page.dice.randint(5, 12)))
    )
    return f'<section class="main-list">{rows}</section>'


def _lines(page: Drawn) -> str:
    rows = "<br>".join(f'·<a class="f14" href="{url}">{title}</a>({page.date()})' for url, title in (page.item() for _ in range(page.dice.randint(8, 25))))
    return f"<table><tr><td class=f14>{rows}</td></tr></table>"


def _slider(page: Drawn) -> str:
    pictures = "".join(f'<div class="swiper-slide"><a href="{url}"><img src="b.jpg"><p>{title}</p></a></div>' for url, title in (page.item() for _ in range(4)))
    rows = "".join(f'<li class="{"odd" if n % 2 else "even"} i{n}"><a href="{url}">{title}</a><span class="date">{page.date()}</span></li>' for n, (url, title) in enumerate(page.item() for _ in range(page.dice.randint(6, 12))))
    return f'<div class="swiper">{pictures}</div><ul class="tzgg">{rows}</ul>'


def _columns(page: Drawn) -> str:
    """Lists in two columns, several links in one cell."""
    cells = []
    for _ in range(6):
        rows = "".join(f'<div><img src="d.gif"><a href="{url}" class="a1">{title}</a></div>' for url, title in (page.item() for _ in range(page.dice.randint(3, 6))))
        cells.append(f'<td valign=top><b><a href="/{page.dice.randint(10, 99)}/">{page.dice.choice(CHANNELS)}</a></b>{rows}</td>')
    return f"<table><tr>{''.join(cells[:3])}</tr><tr>{''.join(cells[3:])}</tr></table>"


def _answers(page: Drawn) -> str:
    """What a search found: the words are marked, the URL is shown again, caches and similar pages are linked."""
    rows = []
    for _ in range(page.dice.randint(6, 10)):
        url, title = page.item()
        marked = title.replace("的", "<em>的</em>")
        rows.append(
            f'<div class="result"><h3><a href="{url}" target="_blank">{marked}</a></h3><p>{page.title()}，<em>教育</em>……</p><cite>news.example.com.cn{url}</cite> {page.date()} <a href="/search?q=similar:{page.count}">相似新闻</a></div>'
        )
    return f'<div id="results">{"".join(rows)}</div>'


def _streamed(page: Drawn) -> str:
    """A portal's stream: a tag, the title, the source and the comments of each item."""
    rows = []
    for _ in range(page.dice.randint(8, 20)):
        url, title = page.item()
        rows.append(
            f'<div class="feed-item ndi"><a class="pic" href="{url}"><img src="a.jpg" width=140></a><div class="tx"><h4 class="title"><a href="{url}">{title}</a></h4><div class="sub"><span class="source">'
            f'<a href="/media/{page.dice.randint(100, 999)}">{page.dice.choice(FRIENDS)}</a></span><span class="time">{page.dice.randint(1, 59)}分钟前</span><div class="keyword"><a href="/keywords/{page.dice.randint(1, 99)}.html">教育</a><a href="/keywords/7.html">改革</a></div>'
            f'<a class="cmt" href="{url}#cmt">{page.dice.randint(0, 999)}跟贴</a></div></div></div>'
        )
    return f'<div class="data_wrap">{"".join(rows)}</div>'


MAKES: dict[str, Callable[[Drawn], str]] = {
    "table": _table, "bullets": _bullets, "definitions": _definitions, "cards": _cards, "soup": _soup, "threads": _threads,
    "mix": _mix, "rolling": _rolling, "posts": _posts, "cut": _cut, "whole": _whole, "lines": _lines, "slider": _slider, "columns": _columns,
    "answers": _answers, "streamed": _streamed,
}  # fmt: skip


def _navigation(page: Drawn) -> str:
    links = "".join(f'<li><a href="/{page.dice.randint(10, 99)}/">{name}</a></li>' for name in CHANNELS)
    name = page.dice.choice(['class="nav"', 'id="menu"', "", 'class="mainmenu"', 'class="channel-bar"'])
    return f'<div {name}><ul><li><a href="/">首页</a></li>{links}</ul></div>'


def _hot(page: Drawn) -> str:
    rows = "".join(f'<li><i>{n}</i><a href="{url}">{title}</a></li>' for n, (url, title) in enumerate(page.other() for _ in range(8)))
    name = page.dice.choice(['class="hot_list"', 'class="side-box"', 'class="rank"', 'class="box"', ""])
    heading = page.dice.choice(["点击排行", "热门文章", "一周热点排行", "热点推荐", "阅读排行榜", "推荐阅读"])
    head = page.dice.choice([f"<h3>{heading}</h3>", f'<div class="tit"><span>{heading}</span></div>', f'<div class="hd"><h2>{heading}</h2><a href="/more/">更多</a></div>'])
    return f"<div {name}>{head}<ul>{rows}</ul></div>"


def _menu(page: Drawn) -> str:
    names = ["学校概况", "机构设置", "师资队伍建设", "招生与就业工作", "校务公开信息", "规章制度汇编", "联系方式"]
    shape = page.dice.choice(["/{n}/list.htm", "/col/col{n}/index.html", "/channel/{n}.html", "list.asp?classid={n}", "/xxgk/{n}/"])
    links = "".join(f'<li><a href="{shape.format(n=page.dice.randint(1000, 9999))}">{name}</a></li>' for name in names)
    return f'<div class="{page.dice.choice(["left-menu", "lm", "sub", "zl"])}"><h2>新闻中心</h2><ul>{links}</ul></div>'


def _cloud(page: Drawn) -> str:
    links = "".join(f'<a href="/{page.dice.choice(["tag", "t", "tags"])}/{page.dice.randint(100, 9999)}.html">{word}</a> ' for word in ("高考改革", "双减", "义务教育均衡发展", "民办学校", "研究生考试"))
    return f'<div class="{page.dice.choice(["tags", "keywords", "wd"])}"><h3>热门标签</h3>{links}</div>'


def _advertisements(page: Drawn) -> str:
    words = ["名师一对一暑期提分班火热报名中", "雅思托福考研培训免费试听课程", "全屋净水器厂家直销包邮到家"]
    links = "".join(f'<a href="http://ad.shop{n}.com/c/{4000 + n}.html" target="_blank">{word}</a> ' for n, word in enumerate(words))
    return f'<div class="{page.dice.choice(["ad", "gg_box", "banner", "tl"])}">{links}<a href="http://click.union.com/?id=88"><img src="b.gif"></a></div>'


def _friends(page: Drawn) -> str:
    links = " ".join(f'<a href="http://www.friend{n}.cn/">{name}</a>' for n, name in enumerate(FRIENDS))
    own = "".join(f'<option value="http://www.o{n}.cn">{name}</option>' for n, name in enumerate(FRIENDS))
    head = page.dice.choice(["<b>友情链接：</b>", "<h3>友情链接</h3>", '<div class="t">友情链接</div>'])
    return f"<div {page.dice.choice(['class=link', 'id=yqlj', ''])}>{head}<div>{links}</div><select>{own}</select></div>"


def _footer(page: Drawn) -> str:
    return (
        f'<div class="{page.dice.choice(["footer", "bottom", "copyright"])}"><a href="/about.html">关于我们</a> | <a href="/contact.html">联系我们</a> | '
        '<a href="/law/declare.html">版权声明与网站使用条款</a> <a href="http://beian.miit.gov.cn/">京ICP备12345678号</a>'
        '<a href="http://www.beian.gov.cn/portal/registerSystemInfo?recordcode=1101020200">京公网安备 1101020200号</a></div>'
    )


def _pager(page: Drawn) -> tuple[str, str | None]:
    """A pager and the URL of the next page that it tells."""
    numbers = "".join(f'<a href="list_{n}.html">{n}</a> ' for n in range(2, 8))
    cells = "".join(f'<li><a href="?page={n}">{n}</a></li>' for n in range(2, 6))
    return page.dice.choice(
        [
            ("", None),
            (f'<div class="page"><span>1</span> {numbers}<a href="list_2.html">下一页</a> <a href="list_40.html">尾页</a></div>', "list_2.html"),
            (f'<div class="fy"><b>1</b> {numbers}</div>', "list_2.html"),
            (f'<ul class="pagination"><li class="active"><a href="?page=1">1</a></li>{cells}<li><a href="?page=2">&raquo;</a></li></ul>', "?page=2"),
            ("<script>createPageHTML(9, 0, 'index', 'html');</script>", "index_1.html"),
            ('<div>共 120 条 第1/8页 <a href="index_2.htm">下页</a> <a href="index_8.htm">末页</a></div>', "index_2.htm"),
            ('<a class="more" data-url="/ajax/list?page=2" href="/ajax/list?page=2">加载更多</a>', "/ajax/list?page=2"),
        ]
    )


def list_page(make: str, seed: int) -> ListPage:
    """The page of one make and one seed."""
    dice = random.Random(f"{make} {seed}")
    shape = "thread-{n}-1-1.html" if make == "threads" else dice.choice(SHAPES)
    page = Drawn(dice, shape)
    main = MAKES[make](page)
    pager, following = _pager(page)
    side = "".join(part(page) for part in dice.sample([_hot, _advertisements, _hot, _menu, _cloud], dice.randint(0, 3)))
    columns = dice.choice(
        [
            f'<div class="main"><div class="l">{main}{pager}</div><div class="r">{side}</div></div>',
            f'<div class="content"><div class="fl">{side}</div><div class="fr">{main}{pager}</div></div>',
            f"<table><tr><td width=200 valign=top>{side}</td><td>{main}{pager}</td></tr></table>",
            f"{main}{pager}{side}",
        ]
    )
    friends = _friends(page) if dice.random() < 0.6 else ""
    whole = f"<html><head><title>教育新闻_某某网</title></head><body>{_navigation(page)}{columns}{friends}{_footer(page)}</body></html>"
    return ListPage(make, "http://news.example.com.cn/jyxw/index.html", whole.encode(dice.choice(["utf-8", "gb18030"])), frozenset(page.items), following)
