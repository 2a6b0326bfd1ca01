"""Reads one article from one page, by a site's own XPaths, else by the general reader; sums it up; bounds what it
holds, so that no page fills memory or store; and makes the record that is stored of it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import accumulate, islice
from typing import Any
from urllib.parse import urlsplit

from lxml import etree

from newsspider.core.dates.date_reader import machine_stamp
from newsspider.core.extraction.body.body import body_of, comments_of
from newsspider.core.extraction.body.nearby_lines import surroundings_of
from newsspider.core.extraction.body.user_posts import (
    account_in_scripts,
    is_account_post,
    is_forum,
    post_in_scripts,
    posted_at,
)
from newsspider.core.extraction.byline.author import authors_of, editors_of
from newsspider.core.extraction.byline.source import account_of, source_of, without_end_credits
from newsspider.core.extraction.dom import GarbledPageError, Page, damage_of, lines_under, linked_data_of, outline_of
from newsspider.core.extraction.dom.json_ld import PageRecords
from newsspider.core.extraction.dom.page import select_by_xpath
from newsspider.core.extraction.dom.script_data import with_packed_data
from newsspider.core.extraction.language import language_of
from newsspider.core.extraction.lines.boilerplate_lines import Boilerplate, without_entry_marks, without_home_link
from newsspider.core.extraction.lines.text_and_mastheads import SENTENCE_ENDS
from newsspider.core.extraction.pictures_and_files import body_with_attachments, images_of, shown_captions
from newsspider.core.extraction.publication_date import modified_at, published_at
from newsspider.core.extraction.script_text import embedded_lines
from newsspider.core.extraction.title.headings import MOST_LINES
from newsspider.core.extraction.title.title import title_of
from newsspider.core.model import (
    LONGEST_TEXT,
    LONGEST_TITLE,
    NO_RULES,
    PAGE_FIELDS,
    Article,
    ArticleRules,
    Image,
    Link,
    LinkKind,
    PageType,
    StoredArticle,
)
from newsspider.core.text.characters import HAN_EXTENDED, one_line, printable_text
from newsspider.core.url import LONGEST_URL, absolute, canonical, is_home, same_site

SHORT_TEXT = 60  # characters of a text below which the browser may assemble the page from its scripts
ENTRY = re.compile("百科|维基|wiki", re.IGNORECASE)  # in <title>, of an encyclopedia
META_KEYWORDS = ("keywords", "news_keywords", "article:tag")
_COMMA = re.compile(r"[,，、;；|\s]+")
_SOURCE_LABEL = re.compile(r"^\s*(?:来源|來源|稿源|作者|记者|文)\s*[:：/]\s*")

MOST_NAMES, LONGEST_NAME = 50, 100  # authors, editors; characters of each, and of the source
MOST_HEADINGS, LONGEST_HEADING = 500, LONGEST_TITLE
MOST_IMAGES, LONGEST_CAPTION = 500, 512
MOST_ATTACHMENTS = 300
MOST_COMMENTS = 2_000
LONGEST_DESCRIPTION = 4_096
SUMMARY_SENTENCES = 3
ENOUGH_LETTERS = 40  # characters that two sentences must lack for a third
SHORTEST_PARAGRAPH = 18  # characters from which a line may be a paragraph and not a caption or byline
SHORTEST_UNENDED = 22  # the same of a line that ends without a mark: shorter ones are subtitles
SHORTEST_SENTENCE = 6  # characters of a sentence

_SENTENCE = re.compile(r"[^。！？!?]+(?:[。！？!?]+[”’」』）)]*|$)")
DATELINE = re.compile(
    r"^(?:[^，。]{0,24}?(?:[讯訊]|\d日[电電])(?:\s*[（(][^）)]{1,40}[）)]\s*|\s+)|[（(〔【][^）)〕】]{0,30}(?:记者|記者|"
    r"通讯员)[^）)〕】]{0,30}[）)〕】]\s*)"
)
_CREDIT_OR_CAPTION = re.compile(
    r"^[（(【\[]?(?:本文)?(?:图为|資料圖|资料图|图片来源|▲|△|原标题|原標題|原题|作者|来源|來源|编者按|文[/／]|记者\s)|摄[）)]?$|供图"
    r"|下[载載][^，。]{0,6}(?:客户端|客戶端|APP)|关注[^，。]{0,12}公众号|(?:长按|扫描?)[^，。]{0,10}二维码|点击[^，。]{0,6}(?:订阅|关注)"
)
_RUNNING = re.compile(r"[。！？!?，,]")
_ENDED = re.compile(r"[。！？!?…][”’」』）)]*$")


def extract_article(page: Page, now: datetime, rules: ArticleRules = NO_RULES) -> Article:
    """The article on the page; its ``keywords`` stay empty:
    :func:`newsspider.core.extraction.keywords.extract_keywords` finds them.

    Fields that the page does not give are ``None`` or empty. Raises
    :exc:`~newsspider.core.extraction.dom.page.UnreadablePageError` if the text is damaged
    (:func:`~newsspider.core.extraction.dom.charset.damage_of`). ``now`` resolves "3小时前" and days without a year.
    """
    outline = outline_of(page)
    linked_data = PageRecords(page).own(linked_data_of(outline)) if outline.ld_json else []
    body, pictures = body_with_attachments(page, outline, body_of(outline, thread=is_forum(page, outline)), now)
    title = title_of(page, outline, body, linked_data)
    around = surroundings_of(outline, body, title)
    lines = _without_title([outline.lines[i].text for i in body.lines], title)
    if ENTRY.search(outline.title or ""):
        lines = [plain for line in lines if (plain := without_entry_marks(line))]
    is_post = is_account_post(page)
    post = post_in_scripts(page) if is_post else []
    if 2 * sum(map(len, post)) > sum(map(len, lines)):  # what the page shows are its buttons
        title = (title or post[0]).partition("\\n")[0].strip()
        lines = _without_title(post, title) or post
        around = replace(around, body_lines=lines)
    short = not post and sum(map(len, lines)) < SHORT_TEXT and not any(line.endswith(SENTENCE_ENDS) for line in lines)
    if short:
        page = with_packed_data(page)
    if short and (embedded := embedded_lines(page, title, linked_data)):
        lines = _without_title(embedded, title)
        around = replace(around, body_lines=lines)
    posted = posted_at(page, now, is_post=is_post)
    published = posted.at if posted else published_at(page, outline, body, around, linked_data, now)
    if pictures is not None and not lines and title and published:
        lines = shown_captions(outline, pictures) or [title]  # the only words of the article
    source = source_of(page, around, title)
    authors = authors_of(page, outline, around, linked_data, title, source)
    lines = without_end_credits([*lines[:-1], *map(without_home_link, lines[-1:])], source, authors)
    text = "\n".join(lines)
    description = page.metas.get("description") or page.metas.get("og:description")
    article = Article(
        title=title,
        authors=authors,
        editors=editors_of(around),
        source=source or (account_in_scripts(page) if is_post else None) or account_of(page, around, authors),
        published_at=published,
        modified_at=modified_at(page, around, linked_data, published, now),
        text=text,
        summary=summary_of(lines, description, title),
        meta_keywords=_meta_keywords(page),
        meta_description=description,
        meta_title=outline.title,
        headings=tuple(text for _, text, _ in outline.headings),
        canonical_url=_canonical_url(page, page.canonical) if page.canonical else None,
        language=language_of(page, title, text),
        images=pictures or (images_of(page, outline, body, title) if outline.pictures else ()),
        comments=comments_of(outline, body) if body.further else (),
    )
    article = article if rules is NO_RULES or rules == NO_RULES else _with_rules(article, page, now, rules)
    if (damage := damage_of(article.text)) is not None:
        raise GarbledPageError(damage)
    return limited(article)


def retitled_article(article: Article, title: str | None) -> Article:
    """The article under another title, which is also its text if the article consists of pictures without captions."""
    if title == article.title:
        return article
    return replace(article, title=title, text=title if title and article.text == article.title else article.text)


def without_boilerplate(article: Article, site: Boilerplate) -> Article:
    """The article without the boilerplate of its site."""
    text = site.without(article.text)
    if text == article.text:
        return article
    return replace(article, text=text, summary=summary_of(text.split("\n"), article.meta_description, article.title))


def _without_title(lines: list[str], title: str | None) -> list[str]:
    """The lines without the title before them, also one in several lines, and behind them."""
    start = next((i for i, line in enumerate(lines[:3]) if line != title), len(lines[:3]))
    plain = "".join((title or "").split())
    if not start and title and lines and plain.startswith("".join(lines[0].split())):
        counts = range(2, min(MOST_LINES, len(lines)) + 1)
        start = next((count for count in counts if "".join("".join(lines[:count]).split()) == plain), 0)
    rest = lines[start:]
    return rest[:-1] if rest and rest[-1] == title else rest


def _with_rules(article: Article, page: Page, now: datetime, rules: ArticleRules) -> Article:
    """``article`` with the fields that the site's XPaths find."""
    if lines := list(_selected_lines(page, rules.body)):
        article = replace(
            article, text="\n".join(lines), summary=summary_of(lines, article.meta_description, article.title)
        )
    if title := " ".join(_selected_lines(page, rules.title)):
        article = retitled_article(article, title)
    if (date := " ".join(_selected_lines(page, rules.date))) and (stamp := machine_stamp(date, now)):
        article = replace(article, published_at=stamp.at)
    if source := " ".join(_selected_lines(page, rules.source)):
        article = replace(article, source=_SOURCE_LABEL.sub("", source))
    if authors := [_SOURCE_LABEL.sub("", line) for line in _selected_lines(page, rules.author)]:
        article = replace(article, authors=tuple(name for line in authors for name in _COMMA.split(line) if name))
    return article


def unmatched_xpaths(page: Page, xpaths: Mapping[str, str | None]) -> dict[str, str]:
    """The named XPaths that select nothing on this page."""
    return {name: xpath for name, xpath in xpaths.items() if xpath is not None and not select_by_xpath(page, xpath)}


def _selected_lines(page: Page, xpath: str | None) -> Iterator[str]:
    """The lines of text that an XPath selects; none if it fails on this page or selects no text."""
    for item in [] if xpath is None else select_by_xpath(page, xpath):
        if isinstance(item, etree._Element):
            yield from lines_under(item)
        elif isinstance(item, str):
            yield from (line for part in item.split("\n") if (line := " ".join(part.split())))


def _meta_keywords(page: Page) -> tuple[str, ...]:
    declared = next((page.metas[name] for name in META_KEYWORDS if name in page.metas), "")
    return tuple(dict.fromkeys(word for word in _COMMA.split(declared) if 1 < len(word) <= 20))[:20]


def _canonical_url(page: Page, declared: str) -> str | None:
    url = absolute(page.base_url, declared)
    if url is None or not same_site(url, page.url):
        return None
    # templates name the home page on every page
    return None if _is_plain_home(url) and not _is_plain_home(page.url) else url


def _is_plain_home(url: str) -> bool:
    return is_home(url) and not urlsplit(url).query


def record_of(
    page: Page,
    article: Article,
    kind: PageType,
    links: Collection[Link],
    moment: datetime,
    *,
    url: str,
    site: str = "",
    channel: str = "",
    media_class: str = "",
    region: str = "",
    anchor: str = "",
    priority: int = 0,
) -> StoredArticle:
    """The record of the article that was read on a page at ``moment``; ``links`` are those of the page.

    What was known before is given by name: the canonical URL, its site and channel, the link to it.

    Keywords, topic and ``body_md5`` are filled later. A canonical URL on another site is ignored.
    """
    own = canonical(article.canonical_url, page.base_url) if article.canonical_url else None
    files = (canonical(link.url) for link in links if link.kind is LinkKind.ATTACHMENT)
    read: dict[str, Any] = {name: getattr(article, name) for name in PAGE_FIELDS}
    read |= {"title": article.title or "", "canonical_url": own if own and same_site(own, url) else url}
    return StoredArticle(
        **read,
        url=url,
        site=site,
        channel=channel,
        media_class=media_class,
        region=region,
        anchor=anchor,
        crawled_at=moment,
        charset=page.charset,
        kind=kind,
        link_count=len(links),
        priority=priority,
        attachments=tuple(
            file for file in islice(files, MOST_ATTACHMENTS) if file is not None and len(file) <= LONGEST_URL
        ),
    )


def limited(article: Article) -> Article:
    """The printable article, each field cut to its limit; :attr:`Article.truncated` is set if title or text was cut."""
    comments = [printable_text(text) for text in article.comments[:MOST_COMMENTS]]
    totals = accumulate(map(len, comments))
    return replace(
        article,
        title=one_line(article.title or "", LONGEST_TITLE) or None,
        authors=_names(article.authors),
        editors=_names(article.editors),
        source=printable_text(article.source or "")[:LONGEST_NAME] or None,
        text=printable_text(article.text[:LONGEST_TEXT]),
        summary=printable_text(article.summary),
        meta_keywords=tuple(map(printable_text, article.meta_keywords)),
        meta_description=printable_text(article.meta_description or "")[:LONGEST_DESCRIPTION] or None,
        meta_title=one_line(article.meta_title or "", LONGEST_TITLE) or None,
        headings=tuple(one_line(heading, LONGEST_HEADING) for heading in article.headings[:MOST_HEADINGS]),
        images=limited_images(article.images),
        comments=tuple(text for text, total in zip(comments, totals, strict=True) if total <= LONGEST_TEXT),
    )


def limited_images(images: Iterable[Image]) -> tuple[Image, ...]:
    """The first images, with their captions cut; without ``data:`` URLs and others that are too long."""
    short = [image for image in images if len(image.url) <= LONGEST_URL]
    return tuple(Image(image.url, one_line(image.caption, LONGEST_CAPTION)) for image in short[:MOST_IMAGES])


def _names(names: Iterable[str]) -> tuple[str, ...]:
    cut = (one_line(name, LONGEST_NAME) for name in names)
    return tuple(name for name in cut if name)[:MOST_NAMES]


def summary_of(lines: Sequence[str], description: str | None = None, title: str | None = None) -> str:
    """The first two sentences of the text without dateline and byline, three if they are short: news says the main
    thing first.

    A text that consists of captions, subtitles and lines in another script than the title's gives no sentences; then
    the summary is the page's own description, or else such lines.
    """
    chinese = title is not None and HAN_EXTENDED.search(title) is not None
    paragraphs = (
        line
        for line in lines
        if line != title
        and len(line) >= (SHORTEST_PARAGRAPH if _ENDED.search(line) else SHORTEST_UNENDED)
        and not _CREDIT_OR_CAPTION.search(line)
        and _RUNNING.search(line)
        and (not chinese or HAN_EXTENDED.search(line))
    )
    others = (line for line in lines if line != title and len(line) >= SHORTEST_PARAGRAPH and _RUNNING.search(line))
    return _first_sentences(paragraphs) or description or _first_sentences(others)


def _first_sentences(lines: Iterable[str]) -> str:
    sentences = (match.strip() for line in lines for match in _SENTENCE.findall(DATELINE.sub("", line, count=1)))
    chosen: list[str] = []
    for sentence in sentences:
        if len(sentence) < SHORTEST_SENTENCE:
            continue
        if len(chosen) == SUMMARY_SENTENCES or (
            len(chosen) == SUMMARY_SENTENCES - 1 and sum(map(len, chosen)) >= ENOUGH_LETTERS
        ):
            break
        chosen.append(sentence)
    return "".join(chosen)
