"""The makes of the portal's sites: address, charset and what is declared of it, template, columns, pagers, robots."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Pager(StrEnum):
    """How a list goes on."""

    NONE = "none"  # all on one page
    NEXT = "next"  # previous and next
    NUMBERS = "numbers"  # 1 2 3 ... next
    SCRIPT = "script"  # createPageHTML(pages, current, name, suffix), with no link at all


class Bar(StrEnum):
    """How the pages of one article lead to each other."""

    NEXT = "next"  # previous and next
    NUMBERS = "numbers"  # 1/3 [1] [2] [3]
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Column:
    """One list of a site. ``education`` is the share of its stories that are; ``paths``: first page, further pages."""

    key: str
    label: str
    education: float
    paths: tuple[str, str]
    pager: Pager = Pager.NUMBERS
    weight: int | None = None  # in the site file; None: the column is not in it
    kind: str = "list"
    per_page: int = 14
    nofollow: bool = False  # the list's META robots

    def path(self, page: int) -> str:
        """Path of list page ``page``, counted from 1."""
        return self.paths[0] if page == 1 else self.paths[1].format(page=page, index=page - 1)


@dataclass(frozen=True, slots=True)
class Make:
    """How a site is made. ``codec`` writes the bytes; ``header`` and ``meta`` are what its pages declare."""

    key: str
    host: str
    name: str
    share: float  # of all articles
    template: str
    codec: str
    header: str | None
    meta: str | None
    article: str  # path of an article: {date:%Y}, {id}
    date: str  # strftime
    columns: tuple[Column, ...]
    weight: int
    media_class: str
    region: str  # the province that it is of, in the site file
    home: str = "/"
    kind: str = "article"
    robots: str | None = "User-agent: *\nDisallow: /internal/\nDisallow: /search\n"
    feed: str | None = None  # path of an RSS feed, or Atom on the blog
    news_sitemap: str | None = None
    sitemap_index: str | None = None
    traditional: bool = False
    sessions: bool = False  # ?PHPSESSID= in every link
    tracking: bool = False  # utm_ parameters on list links
    calendar: bool = False  # an endless calendar
    compressed: bool = False
    article_url: str | None = None  # what a stranger would write into the site file
    regions: tuple[str, ...] = ()  # of its list columns, in the site file
    parts: str | None = None  # path of a further page of an article: {date:%Y}, {id}, {page} from 2 or {index} from 1
    bar: Bar = Bar.NEXT


def _pages(folder: str, first: str = "", more: str = "index_{page}.html") -> tuple[str, str]:
    return f"/{folder}/{first}", f"/{folder}/{more}"


ALL = 1_000_000  # on one page
_TRS = ("index.htm", "index_{index}.htm")  # counted from 0 behind the first
GALLOP = "User-agent: BadBot\nDisallow: /\n\nUser-agent: *\nAllow: /internal/open/\nDisallow: /internal/\nDisallow: /*?sort=\n"
SLOW = "# please be slow\nUser-agent: *\nCrawl-delay: {crawl_delay}\nDisallow: /internal/\nDisallow: /*.php$\n"

MAKES = (
    Make(
        "qiming",
        "127.0.0.1",
        "启明教育网",
        0.16,
        "html5",
        "utf-8",
        "utf-8",
        "utf-8",
        "/a/{date:%Y%m%d}/{id:06}.html",
        "%Y-%m-%d %H:%M",
        (
            Column("yaowen", "要闻", 0.67, _pages("yaowen"), weight=9),
            Column("gaokao", "高考", 0.75, _pages("gaokao"), weight=9),
            Column("jichu", "基础教育", 0.67, _pages("jichu"), weight=7, kind="channel"),
            Column("zhijiao", "职教", 0.67, _pages("zhijiao"), Pager.NEXT, weight=6),
            Column("shehui", "社会", 0.25, _pages("shehui"), weight=3),
            Column("hudong", "互动", 0.6, _pages("hudong"), Pager.NONE, weight=1, nofollow=True),
            Column("tiyu", "体育", 0.04, _pages("tiyu")),
        ),
        10,
        "portal",
        region="全国",
        robots=GALLOP,
        feed="/rss/news.xml",
        news_sitemap="/sitemap-news.xml",
        tracking=True,
        article_url=r"/a/\d{8}/\d+\.html",
        parts="/a/{date:%Y%m%d}/{id:06}_{page}.html",
        bar=Bar.BOTH,
    ),
    Make(
        "kaoshi",
        "localhost",
        "云川招生考试信息港",
        0.1,
        "table",
        "gbk",
        None,
        "gb2312",
        "/art/{date:%Y}/{date:%m}/{date:%d}/art_{id}.htm",
        "%Y年%m月%d日 %H:%M",
        (
            Column("zkdt", "招考动态", 0.8, _pages("zkdt", *_TRS), Pager.SCRIPT, weight=9),
            Column("zcwj", "政策文件", 0.8, _pages("zcwj", *_TRS), Pager.SCRIPT, weight=8),
            Column("zhxx", "综合信息", 0.25, _pages("zhxx"), Pager.NONE, weight=3, per_page=ALL),
        ),
        9,
        "official",
        region="四川",
        parts="/art/{date:%Y}/{date:%m}/{date:%d}/art_{id}_{page}.htm",
    ),
    Make(
        "chenbao",
        "127.0.0.2",
        "江临晨报网",
        0.16,
        "br",
        "gbk",
        "utf-8",
        "gb2312",
        "/news/{date:%Y-%m}/{date:%d}/content_{id}.htm",
        "%Y/%m/%d %H:%M:%S",
        (
            Column("yw", "要闻", 0.25, _pages("yw"), Pager.NEXT, weight=5),
            Column("jy", "教育", 0.67, _pages("jy"), Pager.NEXT, weight=8),
            Column("sh", "社会", 0.12, _pages("sh"), Pager.NEXT, weight=3),
            Column("ty", "体育", 0.04, _pages("ty"), Pager.NEXT, weight=1),
            Column("cj", "财经", 0.0, _pages("cj"), Pager.NEXT),
            Column("yl", "娱乐", 0.0, _pages("yl"), Pager.NEXT),
        ),
        6,
        "local",
        region="江苏",
        feed="/rss.xml",
        regions=("//div[@id='listbox']",),
        parts="/news/{date:%Y-%m}/{date:%d}/content_{id}.htm?page={page}",
        bar=Bar.NUMBERS,
    ),
    Make(
        "qinghe",
        "127.0.0.3",
        "青河日报数字报",
        0.08,
        "frames",
        "utf-8",
        None,
        "gb2312",
        "/html/{date:%Y-%m}/{date:%d}/content_{id}.htm",
        "%Y年%m月%d日",
        (
            Column(
                "a05", "教育周刊", 0.7, ("/html/node_5.htm", "/html/node_5_{page}.htm"), Pager.NONE, 7, per_page=ALL
            ),
            Column("a01", "要闻版", 0.3, ("/html/node_1.htm", "/html/node_1_{page}.htm"), Pager.NONE, per_page=ALL),
            Column("a08", "经济", 0.0, ("/html/node_8.htm", "/html/node_8_{page}.htm"), Pager.NONE, per_page=ALL),
        ),
        5,
        "local",
        region="山东",
    ),
    Make(
        "luntan",
        "127.0.0.4",
        "家长驿站论坛",
        0.08,
        "forum",
        "gbk",
        "gbk",
        "gbk",
        "/thread-{id}-1-1.html",
        "%Y-%m-%d %H:%M",
        (
            Column("f2", "升学交流", 0.75, ("/forum-2-1.html", "/forum-2-{page}.html"), weight=5),
            Column("f3", "家校之间", 0.67, ("/forum-3-1.html", "/forum-3-{page}.html"), weight=5),
            Column("f9", "闲聊灌水", 0.1, ("/forum-9-1.html", "/forum-9-{page}.html"), weight=1),
        ),
        4,
        "forum",
        region="北京",
        kind="forum",
        sessions=True,
    ),
    Make(
        "guancha",
        "127.0.0.5",
        "讲台边的观察者",
        0.06,
        "blog",
        "utf-8",
        "utf-8",
        "utf-8",
        "/archives/{id}",
        "%Y-%m-%d %H:%M",
        (
            Column(
                "notes", "随笔", 0.7, ("/category/notes/", "/category/notes/page/{page}/"), Pager.NEXT, 5, per_page=10
            ),
            Column("life", "生活", 0.1, ("/category/life/", "/category/life/page/{page}/"), Pager.NEXT),
        ),
        5,
        "blog",
        region="浙江",
        kind="blog",
        robots=None,
        feed="/feed/atom/",
        parts="/archives/{id}/{page}",
        bar=Bar.NUMBERS,
    ),
    Make(
        "haidong",
        "127.0.0.6",
        "海东教育资讯网",
        0.06,
        "html5",
        "big5",
        None,
        "big5",
        "/news/{date:%Y%m%d}/{id}.html",
        "%Y-%m-%d %H:%M",
        (
            Column("edu", "教育新闻", 0.7, _pages("edu"), weight=6, per_page=12),
            Column("life", "生活", 0.1, _pages("life"), weight=2),
        ),
        5,
        "local",
        region="香港",
        traditional=True,
        parts="/news/{date:%Y%m%d}/{id}_{page}.html",
        bar=Bar.NUMBERS,
    ),
    Make(
        "tongxun",
        "127.0.0.7",
        "海东通讯社",
        0.14,
        "br",
        "gbk",
        "ISO-8859-1",
        "gbk",
        "/{date:%Y}/{date:%m-%d}/{id}.shtml",
        "%Y-%m-%d %H:%M:%S",
        (
            Column(
                "scroll", "滚动", 0.4, ("/scroll-news.shtml", "/scroll-news_{page}.shtml"), weight=8, kind="rolling"
            ),
            Column("edu", "教育", 0.67, ("/edu/index.shtml", "/edu/index_{page}.shtml"), weight=8),
            Column("gn", "国内", 0.25, ("/gn/index.shtml", "/gn/index_{page}.shtml"), weight=4),
            Column("fin", "财经", 0.04, ("/fin/index.shtml", "/fin/index_{page}.shtml"), weight=1),
            Column("mil", "军事", 0.0, ("/mil/index.shtml", "/mil/index_{page}.shtml")),
        ),
        8,
        "central",
        region="全国",
        feed="/rss/scroll.xml",
        calendar=True,
        parts="/{date:%Y}/{date:%m-%d}/{id}_{index}.shtml",
    ),
    Make(
        "ligong",
        "127.0.0.8",
        "云川理工大学新闻网",
        0.09,
        "div",
        "utf-8",
        "UTF-8",
        "utf-8",
        "/info/{date:%m}{date:%d}/{id}.htm",
        "%Y-%m-%d %H:%M",
        (
            Column("xxyw", "学校要闻", 0.85, ("/list.jsp?cid=1", "/list.jsp?cid=1&page={page}"), weight=6, per_page=10),
            Column("mtlg", "媒体理工", 0.5, ("/list.jsp?cid=2", "/list.jsp?cid=2&page={page}"), weight=4, per_page=10),
            Column("tzgg", "通知公告", 0.8, ("/list.jsp?cid=3", "/list.jsp?cid=3&page={page}"), weight=6, per_page=10),
        ),
        6,
        "official",
        region="四川",
        home="/xww/index.htm",
        compressed=True,
        tracking=True,
        parts="/info/{date:%m}{date:%d}/{id}.htm?page={page}",
        bar=Bar.BOTH,
    ),
    Make(
        "zhijiao",
        "127.0.0.9",
        "职教在线",
        0.07,
        "div",
        "gb18030",
        None,
        "gb18030",
        "/show-{id}-1.html",
        "%Y-%m-%d %H:%M",
        (
            Column("news", "新闻", 0.7, _pages("news"), Pager.NONE, 6, per_page=ALL),
            Column("industry", "产业", 0.1, _pages("industry"), Pager.NONE, 2, per_page=ALL),
        ),
        5,
        "trade",
        region="湖北",
        robots=SLOW,
        sitemap_index="/sitemap.xml",
        parts="/show-{id}-{page}.html",
        bar=Bar.BOTH,
    ),
)
