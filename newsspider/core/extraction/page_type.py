"""Decides the page type: an article, a blog post, a forum thread, a list, a gallery, a soft 404, a login; and how
probably it is that type. A page that shows the texts of other pages (summaries, whole posts, a story whose headline
links to it) is a list. ``body/user_posts.py`` says what a thread is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from urllib.parse import urlsplit

from newsspider.core.extraction.body.user_posts import host_and_path, is_account_card, is_blog, is_forum
from newsspider.core.extraction.dom import Line, Outline, Page, outline_of
from newsspider.core.extraction.guard_page import GUARD_TEXT, guard_line
from newsspider.core.extraction.lines.text_and_mastheads import LEAST_TEXT, is_event_time
from newsspider.core.model import Article, Link, LinkKind, PageType
from newsspider.core.text.file_names import names_file
from newsspider.core.text.phrases import any_of
from newsspider.core.url import is_home

SHORT_TEXT = 120  # characters under which a text may be no article at all
SENTENCE_LETTERS = 30  # characters of a line that holds a sentence
LEAST_PARAGRAPHS = 3  # paragraphs of sentences that make an article of a page that names no title
BLANK_LETTERS = 20  # characters of a page without links under which nothing is there
MEDIA_ELEMENTS = ("img", "video", "audio", "object", "embed", "iframe", "frame")  # what is there without a word
MASTHEAD_LINES = 20  # lines in which title, date and source stand above a text
BUTTON_LETTERS = 6  # characters of a line that may be a button of a player; there are many between title and text
SHORTEST_NOTICE = 40  # characters of a notice among the headlines of menus
ENDINGS = "。！？”」.!?）)]］】：:；"
ADDRESS = re.compile(r"https?://[\w.-]+\.(?:com|cn|net|org)/?")  # of a site, in front of the date of its article
LINKS_BEFORE_DATE = 2  # lines of links between a title and its date

ERROR_WORDS = re.compile(any_of("error_pages"), re.IGNORECASE)
LOGIN_WORDS = re.compile(any_of("login_pages"), re.IGNORECASE)
THREAD_URL = re.compile(  # elsewhere tid is the number of a channel: /plus/list.php?tid=12
    r"/thread-\d|viewthread|showthread|showtopic|/(?:read|topic|thread)\w*\.\w+\?(?:\S*&)?tid=\d", re.IGNORECASE
)
GALLERY_URL = re.compile(
    r"/(?:photo|pic|tupian|gallery|album|slide|tuji|photoview|image)s?[/_-]|(?:^|//)(?:photo|pic|slide|tuku)s?\.",
    re.IGNORECASE,
)
GALLERY_WORDS = re.compile(r"组图|图集|高清图|图片集|图库|組圖|圖集")
SITE_PAGE = re.compile(any_of("site_pages"))
LIST_URL = re.compile(r"[/_-](?:search|sousuo|list|index|tags?|category|channel|more)(?:[/_.?-]|\d|$)", re.IGNORECASE)
BOARD_URL = re.compile(
    r"/forum-\d+-\d+[.-]|[?&]mod=forumdisplay|/forumdisplay\.php|/thread\.php\?fid=|/board-\d", re.IGNORECASE
)
LIST_TITLE = re.compile(
    r"(?:列表|频道|首页|頻道|首頁|新闻中心|滚动新闻|存档|归档|搜索结果|第\s?\d+\s?页)(?:$|[_\-|–—\s])"
)

JSON = re.compile(r'\s{0,100}(?:\[\s{0,100})?\{\s{0,100}"')  # the beginning of an object, or of a list of objects

LONG_TEXT = 400  # characters of a text that almost only articles have
MANY_LINKS = 10  # links to articles
HEADLINES_TIMES = 3  # times the text, characters of linked headlines

# How often the type was right among 490 saved real pages, judged by hand, with one right and one wrong page added to
# each row (Laplace's rule of succession); the more signs of its type a page has, the more often.
OF_ARTICLES = (0.5, 0.75, 0.94, 0.94, 0.98, 0.995)  # by the number of signs: of none, there was no page
OF_LISTS = (0.4, 0.4, 0.92, 0.93, 0.98, 0.98)  # of none, there was no page; with one, two of three were articles
# guessed: too few pages to count
OF_OTHERS = {PageType.ERROR: 0.9, PageType.LOGIN: 0.9, PageType.GALLERY: 0.9, PageType.OTHER: 0.5}
ITEM_LETTERS = 8  # characters of a link that may be a headline
SHORT_ITEM = 4  # the same beside a date, and of the date
DATE_LENGTH = 18  # characters of a date beside a headline, with its brackets and its time
LIST_ITEMS = 6  # article links that make a list
SHORTEST_SUMMARY = 25  # characters of a line that may sum up an article
LEAST_SUMMARIES = 3  # texts below headlines that make a page of summaries
SUMMARY_SHARE = 0.4  # share of summaries among the texts of a page without a headline of its own
SUMMARY_SHARE_HEADED = 0.8  # ... and of a page with one
LONGEST_NOTE = 60  # characters of a line that gives date and author, at most
LINES_ABOVE = 3  # lines above a text in which its heading or a date stands
BULLETS = "·•●◆■★▪ "
NUMBERING = "0123456789.、 "  # before the title of an item
DAY_PATTERN = re.compile(
    r"(?<![\d.])\d{1,4}\s?[-/.年月]\s?(?!0(?!\d))\d{1,2}(?![\dA-Za-z万亿元%％])|\d{1,2}:\d{2}|[前昨今]天|[时時分]前"
)


def page_type_of(page: Page, article: Article, links: Sequence[Link], anchor: str = "") -> PageType:
    """What ``page`` is, from the article read on it, the links found on it, its words and those of its link; never feed
    or sitemap."""
    if JSON.match(page.text):
        return PageType.OTHER  # an answer for programs, whatever its Content-Type says
    outline = outline_of(page)
    length = len(article.text)
    if _is_error(outline, article, links, length) or (length < BLANK_LETTERS and _is_blank(page, outline, links)):
        return PageType.ERROR
    if length < GUARD_TEXT and guard_line(page, article, len(links), anchor) is not None:
        return PageType.ERROR
    if _is_login(outline, article, links, length):
        return PageType.LOGIN
    if is_account_card(page, article):
        return PageType.OTHER
    replied = bool(article.comments and article.title) and is_forum(page, outline)
    if replied and (article.pictured or not article.text):
        return PageType.FORUM  # it opens with a picture, or with nothing
    if not article.pictured and not THREAD_URL.search(page.url) and _is_list(page, outline, article, links, length):
        return PageType.LIST
    named_gallery = GALLERY_URL.search(host_and_path(page.url)) or GALLERY_WORDS.search(article.meta_title or "")
    if named_gallery and length < 4 * SHORT_TEXT and len(outline.pictures) >= 3:
        return PageType.GALLERY
    if replied:
        return PageType.FORUM
    short = length < LEAST_TEXT and not (article.pictured or _hands_out(article, links))
    if short and not _is_short_notice(outline, article, links):
        return PageType.LIST if articles_among(links) >= LIST_ITEMS else PageType.OTHER
    if not (article.title or paragraphs_of(article) >= LEAST_PARAGRAPHS) or _is_about_the_site(
        outline, article, length
    ):
        return PageType.OTHER
    if is_forum(page, outline):
        return PageType.FORUM
    return PageType.BLOG if is_blog(page) else PageType.ARTICLE


def _hands_out(article: Article, links: Sequence[Link]) -> bool:
    """Whether a dated page only names the files that belong to its title."""
    if article.published_at is None:
        return False
    names = [link.text for link in links if link.kind is LinkKind.ATTACHMENT and link.text]
    return names_file(article.text) or any(text in article.text for text in names)


def _is_short_notice(outline: Outline, article: Article, links: Sequence[Link]) -> bool:
    """Whether a dated page says a sentence below its title, however short."""
    is_dated_sentence = article.published_at is not None and article.text.endswith(("。", "！"))
    return is_dated_sentence and _has_masthead(outline, article, links)


def _is_headed_sentence(outline: Outline, article: Article) -> bool:
    """Whether an undated page has only whole sentences, right below a heading that is also in ``<title>``."""
    texts = article.text.split("\n")
    if not all(text.endswith(("。", "！", "？")) for text in texts) or not any(
        len(text) >= LEAST_TEXT for text in texts
    ):
        return False
    if not article.title or article.title in article.text:
        return False  # such a page is about itself
    lines = outline.lines
    first = next((at for at, line in enumerate(lines) if line.text == texts[0]), 0)
    above = lines[max(0, first - LINES_ABOVE) : first]
    return article.title in (article.meta_title or "") and any(
        line.tag and line.text == article.title and not line.linked for line in above
    )


def _is_about_the_site(outline: Outline, article: Article, length: int) -> bool:
    """Whether the page introduces its site, or is an undated word or two."""
    if article.published_at:
        return False
    short = length < SHORT_TEXT and not (_announces_event(article) or _is_headed_sentence(outline, article))
    return short or is_site_page_title(article.title or "")


def _announces_event(article: Article) -> bool:
    """Whether a text says when something takes place: such notices are short, and may have no other date."""
    lines = article.text.split("\n")
    return any(is_event_time(line, lines[at + 1 : at + 3]) for at, line in enumerate(lines))


def _is_error(outline: Outline, article: Article, links: Sequence[Link], length: int) -> bool:
    """Whether the page is a soft 404: an error, in words only."""
    if reports_error(outline.title or "") and length < 4 * SHORT_TEXT and not article.published_at:
        return True
    if length >= 2 * SHORT_TEXT:
        return False
    around = (line.text for line in outline.lines[:40] if not line.linked)
    texts = (text for text in (*article.headings[:3], article.text[:200], *around) if len(text) < 200)
    return any(map(reports_error, texts)) and not _has_masthead(outline, article, links)


def _is_blank(page: Page, outline: Outline, links: Sequence[Link]) -> bool:
    """Whether a page has only a few words that lead nowhere: a guard's script, a text not yet released."""
    if links or outline.passwords or sum(len(line.text) for line in outline.lines) >= BLANK_LETTERS:
        return False
    return next(page.tree.iter(*MEDIA_ELEMENTS), None) is None


def _is_login(outline: Outline, article: Article, links: Sequence[Link], length: int) -> bool:
    """Whether the page asks for a name and a password, and is not a forum's list, which does so above its threads."""
    if length >= SHORT_TEXT or article.published_at:
        return False
    return bool(LOGIN_WORDS.search(outline.title or "")) or (
        outline.passwords > 0 and articles_among(links) < LIST_ITEMS
    )


def _is_list(page: Page, outline: Outline, article: Article, links: Sequence[Link], length: int) -> bool:
    """Whether headlines outweigh text."""
    headlines = headlines_of(outline)
    linked = sum(line.linked for line in headlines)
    articles = articles_among(links)
    count = max(len(headlines), articles)
    if count >= LIST_ITEMS and _is_plainly_list(page, outline, article, links):
        return True
    if _has_masthead(outline, article, links):
        return False
    if is_summary_page(outline, article, links):
        return True
    if count < LIST_ITEMS:
        return False
    named = LIST_TITLE.search(article.meta_title or ""), LIST_URL.search(host_and_path(page.url))
    if (all(named) and not names_itself(outline, article)) or (any(named) and linked > length * 0.6):
        return True
    paragraphs = paragraphs_of(article)
    lines = article.text.split("\n")
    if (
        paragraphs
        < LIST_ITEMS
        <= sum(len(line) < SHORT_TEXT and DAY_PATTERN.search(line) is not None for line in lines)
    ):
        return True
    if length >= 1200 and paragraphs >= 4 and linked < 3 * length:
        return False
    if length >= 200 and paragraphs >= 2 and article.published_at:
        return False
    # Headlines that lead to no articles are those of menus: they outweigh many a short text.
    if length >= SHORTEST_NOTICE and (
        _announces_event(article) or (articles < LIST_ITEMS and names_itself(outline, article))
    ):
        return False
    shows_video = next(page.tree.iter("video"), None) is not None
    if (articles < LIST_ITEMS or shows_video) and _is_headed_sentence(outline, article):
        return False
    return linked > length * 0.8 and (length < 400 or count >= 3 * LIST_ITEMS)


def _is_plainly_list(page: Page, outline: Outline, article: Article, links: Sequence[Link]) -> bool:
    """Whether a page of many headlines is a home page or a board by its URL, or its text is another page's."""
    # /index.php?a=show&id=12 is an article's
    if is_home(page.url) and not (urlsplit(page.url).query and names_itself(outline, article)):
        return True
    if BOARD_URL.search(host_and_path(page.url)):
        return True
    return leads_elsewhere(outline, article, page, links) or lists_titles(article, links)


def articles_among(links: Sequence[Link]) -> int:
    """How many of the links lead to articles."""
    return [link.kind for link in links].count(LinkKind.ARTICLE)


def _has_masthead(outline: Outline, article: Article, links: Sequence[Link]) -> bool:
    """Whether title, date and text stand close together, as only in articles: the date mostly between them."""
    texts = article.text.split("\n")
    lines = outline.lines
    for first in (i for i, line in enumerate(lines) if line.text == texts[0]):
        for title in _masthead(lines, first):
            if lines[title].text == article.title and (not lines[title].linked or lines[title].tag == "h1"):
                named = len(lines[title].text) >= ITEM_LETTERS
                dated = next((i for i in range(title + 1, first) if _is_dated(lines[i])), None)
                if dated is not None:
                    return sum(is_headline(line) for line in lines[title + 1 : dated]) <= (
                        LINKS_BEFORE_DATE if named else 0
                    )
                between = any(is_headline(line) and _leads(line, links) for line in lines[title + 1 : first])
                # of a caption, who took the picture stands behind the sentence
                sentence = any(len(text) >= SENTENCE_LETTERS and "。" in text for text in texts)
                return named and not between and sentence and _is_dated_around(lines, title, first, texts[-1])
    return False


def _leads(line: Line, links: Sequence[Link]) -> bool:
    """Whether a line leads to another page: a button that shows a larger picture does not."""
    return any(len(link.text) >= ITEM_LETTERS and link.text in line.text for link in links)


def _masthead(lines: Sequence[Line], first: int) -> Iterator[int]:
    """The :data:`MASTHEAD_LINES` above a text, the nearest first, that may be its title; buttons are not counted."""
    remaining = MASTHEAD_LINES - 1
    for at in range(first - 1, max(-1, first - 3 * MASTHEAD_LINES), -1):
        yield at
        remaining -= lines[at].linked > 0 or len(lines[at].text) > BUTTON_LETTERS
        if not remaining:
            return


def _is_dated(line: Line) -> bool:
    """Whether a line that is no link has a date; the address of the site may stand before it."""
    address = ADDRESS.match(line.text)
    beside = len(address[0]) if address and line.linked else 0
    return DAY_PATTERN.search(line.text) is not None and (line.linked - beside) * 2 < len(line.text) - beside


def _is_dated_around(lines: Sequence[Line], title: int, first: int, end: str) -> bool:
    """Whether a date stands close above a title, or in or close below its text, before any headline."""
    if any(_is_dated(line) for line in lines[max(0, title - LINES_ABOVE) : title]):
        return True
    last = next((i for i in range(first, len(lines)) if lines[i].text == end), first)
    below = takewhile(lambda line: not is_headline(line), lines[first + 1 : last + 1 + 2 * LINES_ABOVE])
    return any(len(line.text) < LONGEST_NOTE and _is_dated(line) for line in below)


def paragraphs_of(article: Article) -> int:
    """How many paragraphs of whole sentences a text has."""
    return sum(len(line) >= SENTENCE_LETTERS and line[-1] in ENDINGS for line in article.text.split("\n"))


def reports_error(text: str) -> bool:
    """Whether a title or a line says that the page is missing.

    >>> reports_error("您访问的页面不存在"), reports_error("不存在的页面一词")
    (True, False)
    """
    return ERROR_WORDS.search(text) is not None


def is_site_page_title(title: str) -> bool:
    """Whether a title is that of a page about the site itself.

    >>> is_site_page_title("关于我们"), is_site_page_title("我们的课堂")
    (True, False)
    """
    return SITE_PAGE.match(title) is not None


def probability_of(kind: PageType, page: Page, article: Article, links: Sequence[Link]) -> float:
    """From 0 to 1, how probable it is that ``page`` is of the kind that
    :func:`~newsspider.core.extraction.page_type.page_type_of` says."""
    outline = outline_of(page)
    if kind.stored:
        return OF_ARTICLES[sum(_signs_of_article(outline, article))]
    if kind is PageType.LIST:
        return OF_LISTS[sum(_signs_of_list(page, outline, article, links))]
    return OF_OTHERS[kind]


def _signs_of_article(outline: Outline, article: Article) -> tuple[bool, ...]:
    return (
        paragraphs_of(article) >= LEAST_PARAGRAPHS,
        len(article.text) >= LONG_TEXT,
        _linked(outline) < len(article.text),
        article.published_at is not None,
        names_itself(outline, article),
    )


def _signs_of_list(page: Page, outline: Outline, article: Article, links: Sequence[Link]) -> tuple[bool, ...]:
    address = host_and_path(page.url)
    named = LIST_TITLE.search(article.meta_title or "") or LIST_URL.search(address)
    return (
        articles_among(links) >= MANY_LINKS,
        not names_itself(outline, article),
        article.published_at is None,
        named is not None or is_home(page.url),
        _linked(outline) > HEADLINES_TIMES * len(article.text),
    )


def _linked(outline: Outline) -> int:
    """Characters of linked headlines."""
    return sum(line.linked for line in headlines_of(outline))


def is_summary_page(outline: Outline, article: Article, links: Sequence[Link]) -> bool:
    """Whether most paragraphs of the text are summaries: each stands below a headline of its own, or begins with it."""
    noted = {line.text for line in outline.lines if _is_noted(line)}
    long = [line for line in article.text.split("\n") if len(line) >= SHORTEST_SUMMARY and line not in noted]
    if len(long) < LEAST_SUMMARIES:
        return False
    texts = set(long)
    titles = {link.text[:ITEM_LETTERS] for link in links if len(link.text) >= ITEM_LETTERS}
    summaries = 0
    headed = False
    for line in outline.lines:
        if line.text in texts:
            summaries += headed or (line.linked >= ITEM_LETTERS and line.text.lstrip(BULLETS)[:ITEM_LETTERS] in titles)
            headed = False
        elif is_headline(line) or line.text in noted:
            headed = True
        elif len(line.text) >= SHORTEST_SUMMARY:
            headed = False
    return summaries >= LEAST_SUMMARIES and summaries >= (
        SUMMARY_SHARE_HEADED if names_itself(outline, article) else SUMMARY_SHARE
    ) * len(long)


def leads_elsewhere(outline: Outline, article: Article, page: Page, links: Sequence[Link]) -> bool:
    """Whether the heading close above the text links to another page, so that the text is that page's."""
    start, _, _ = article.text.partition("\n")
    lines = outline.lines
    first = next((i for i, line in enumerate(lines) if line.text == start), 0)
    above = range(first - 1, max(-1, first - LINES_ABOVE - 1), -1)
    at = next((at for at in above if lines[at].tag or lines[at].text == article.title), None)
    if (
        at is None
        or not is_headline(heading := lines[at])
        or not article.meta_title
        or heading.text in article.meta_title
    ):
        return False
    if names_itself(outline, article) or _is_one_of_many(lines, at):
        return False
    targets = {link.url.partition("#")[0] for link in links if link.text == heading.text}
    return bool(targets) and page.url.partition("#")[0] not in targets


def _is_one_of_many(lines: Sequence[Line], at: int) -> bool:
    """Whether a linked heading is the last of a row of them: then they are no title of the text."""
    return lines[at].tag != "" and at > 0 and lines[at - 1].tag == lines[at].tag and is_headline(lines[at - 1])


def names_itself(outline: Outline, article: Article) -> bool:
    """Whether the page shows the title that ``<title>`` has, too, and does not link it."""
    title = article.title or ""
    if len(title) < ITEM_LETTERS or title not in (article.meta_title or ""):
        return False
    return any(line.text == title and not line.linked for line in outline.lines)


def is_headline(line: Line) -> bool:
    """Whether a line is a link long enough to be a headline."""
    return line.linked >= ITEM_LETTERS and line.linked > 0.6 * len(line.text)


def headlines_of(outline: Outline) -> list[Line]:
    """The lines that read like headlines of other pages: a long link, or little more than a short one and a date."""
    results = []
    for line in outline.lines:
        unlinked = len(line.text) - line.linked
        short = SHORT_ITEM <= line.linked < ITEM_LETTERS or (line.linked >= ITEM_LETTERS and unlinked <= DATE_LENGTH)
        if is_headline(line) or (short and unlinked >= SHORT_ITEM and DAY_PATTERN.search(line.text)):
            results.append(line)
    return results


def _is_noted(line: Line) -> bool:
    """Whether a line is a headline with a note of channel, date and author."""
    return (
        line.linked >= ITEM_LETTERS
        and len(line.text) < line.linked + LONGEST_NOTE
        and DAY_PATTERN.search(line.text) is not None
    )


def lists_titles(article: Article, links: Sequence[Link]) -> bool:
    """Whether the lines of the text are titles of articles that the page links to. Such a list has no links in its
    text if a script opens its items."""
    titles = {link.text for link in links if link.kind is LinkKind.ARTICLE}
    if len(titles) < LIST_ITEMS:
        return False
    return len(titles.intersection(line.lstrip(NUMBERING) for line in article.text.split("\n"))) >= LIST_ITEMS - 1
