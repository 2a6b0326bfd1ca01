"""Finds an article's title: the longest heading that <title> contains, or else <title> without the names of the site."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from newsspider.core.body import Body
from newsspider.core.chatter import is_chatter, is_masthead
from newsspider.core.outline import Line, Outline
from newsspider.core.page import Page

SHORTEST = 4  # characters of a title, spaces aside
TITLE_LINE = 8  # characters of a line that may be a title though no heading
PLAIN_TITLE = 6  # characters of one right above the text, where nothing else is known
ABOVE = 12  # lines above the text in which a line may be named a title
LONGEST = 80  # characters of one
NEARER = 0.2  # by how much more of it the text must tell than of <title>
DOUBTFUL = 0.45  # share of <title> told by the text under which it may be the name of the site
UNTOLD, MUCH_NEARER = 0.25, 0.35  # share of <title> under which it tells of something else, and by how much more of another line then
NEAR = 6  # lines above the text in which its heading stands
FAR = 60  # lines above the text in which a line stands that is its title, if the text tells so
TOLD = 0.4  # share of such a line that it must tell
# What speaks for a heading above the text, beside the share of it that the text tells.
HEADINGS = {"h1": 0.4, "h2": 0.3, "h3": 0.2, "h4": 0.1}
NAMED = 0.2
NEARBY = 0.1
LINKED = 0.3
DATED = re.compile(r"\d{4}\s?[-/年.]\s?\d{1,2}\s?[-/月.]|[:：]|[>＞»]")  # lines of dates, labels and breadcrumbs
TITLE_METAS = ("og:title", "twitter:title", "articletitle", "headline", "dc.title", "title")
# What stands between a title and the names of channel and site; the first that splits well wins.
SEPARATOR = re.compile(r"\s*(?:[|｜_＿»›•·>＞]|::|>>|\s[-–—]+\s|--+|——+)\s*")
WEAK_SEPARATOR = re.compile(r"\s*[-–—]\s*")
# A last part that is the name of a site or channel.
SITE_NAME = re.compile(
    r"(?:网|網|报|報|社|台|台网|频道|頻道|新闻|新聞|资讯|資訊|中心|在线|線上|论坛|論壇|博客|部落格|门户|社区|客户端|官网|号|网站|網站|"
    r"日报|晚报|周刊|杂志|大学|学院|政府|委员会|局|厅|教育|财经|科技|首页|专栏|正文|[a-z0-9]+\.(?:com|cn|net|org)\S*)$",
    re.IGNORECASE,
)
CUT = re.compile(r"(?:\.{2,}|…+)$")  # a title that the page cut ends so
MOMENT = re.compile(r"\d{4}\s?[-/年.]\s?\d{1,2}\s?[-/月.]")
# Class and id names of a title that is no heading by tag.
TITLED = re.compile(r"title|biaoti|headline|subject|(?<![a-z])(?:tit|bt)(?![a-z])", re.IGNORECASE)
# What forums and the forms of offices write before a title.
LABEL = re.compile(r"^(?:(?:帖子|本帖|文章|新闻|信息|通知)?(?:主\s?题|标\s?题|题\s?目|主\s?題|標\s?題|題\s?目))\s*[:：]\s*(?=\S)")
_KEY = re.compile(r"[\W_]+")


def title_of(page: Page, outline: Outline, body: Body, linked_data: Iterable[dict[str, Any]] = ()) -> str | None:
    """The title of the article, or ``None`` where the page has none."""
    found = _labelled_title(page, outline, body, linked_data)
    return unlabelled(found) if found else found


def unlabelled(text: str) -> str:
    """``text`` without the label that says that it is a title.

    >>> unlabelled("主题: 双减之后的课堂"), unlabelled("主题教育：双减之后的课堂")
    ('双减之后的课堂', '主题教育：双减之后的课堂')
    """
    return LABEL.sub("", text)


def _labelled_title(page: Page, outline: Outline, body: Body, linked_data: Iterable[dict[str, Any]]) -> str | None:
    whole = outline.title or ""
    trimmed = without_site(whole)
    end = body.lines[-1] if body.lines else len(outline.lines)
    if (cut := CUT.search(trimmed)) and (uncut := _begun_by(trimmed[: cut.start()], page, outline, end, linked_data)):
        whole = trimmed = uncut
    whole_key = _key(whole)
    headings = [text for _, text, at in outline.headings if at <= end and len(_key(text)) >= SHORTEST]
    within = [*(text for text in headings if _key(text) in whole_key), *_lines_within(whole, outline)]
    if within:
        best = max(within, key=lambda text: len(_key(text)))
        key, trimmed_key = _key(best), _key(trimmed)
        of_the_site = (
            key not in trimmed_key
            and trimmed_key not in key
            and not whole_key.startswith(key)
            and len(key) * 2 < len(whole_key)
        )
        of_a_section = len(key) * 2 < len(trimmed_key)
        if not of_the_site and not of_a_section:
            return best
    for text in _told(page, linked_data):
        if len(key := _key(text)) >= SHORTEST and (key in whole_key or not whole_key):
            plain = without_site(text)
            return plain if whole_key else _begun_by(plain, page, outline, end, ()) or plain
    if not within and (named := _named_line(outline, body, trimmed)):
        return named
    above = _heading_above(outline, body)
    says_little = len(_key(trimmed)) <= SHORTEST or bool(SITE_NAME.search(trimmed)) or _is_linked(trimmed, outline)
    if above and (says_little or _tells_more_of(above, trimmed, outline, body)):
        return above
    return trimmed or None


def _tells_more_of(above: str, trimmed: str, outline: Outline, body: Body) -> bool:
    """Whether the text tells much of a line above it and hardly anything of what ``<title>`` says."""
    text = "".join(outline.lines[i].text for i in body.lines)
    rival = _told_share(trimmed, text)
    return rival < UNTOLD and _told_share(above, text) > rival + MUCH_NEARER


def _begun_by(cut: str, page: Page, outline: Outline, end: int, linked_data: Iterable[dict[str, Any]]) -> str | None:
    """What begins like a ``<title>`` that was cut: a heading, what the page tells machines, or a line above the end of the text."""
    key = _key(cut)
    if len(key) < SHORTEST:
        return None
    headings = (text for _, text, at in outline.headings if at <= end)
    lines = (line.text for line in outline.lines[:end] if not line.linked and len(line.text) <= LONGEST)
    told = (without_site(text) for text in _told(page, linked_data))
    return next((text for text in (*headings, *told, *lines) if len(own := _key(text)) > len(key) and own.startswith(key)), None)


def _lines_within(whole: str, outline: Outline) -> Iterator[str]:
    """Lines that are no heading by tag but stand in <title>: old layouts write titles in cells."""
    for line in outline.lines[:400]:
        if TITLE_LINE <= len(line.text) <= len(whole) and line.linked == 0 and line.text in whole:
            yield line.text


def _named_line(outline: Outline, body: Body, trimmed: str) -> str | None:
    """The line above the text that is a title by its name, where the text is about that rather than about what <title> says.

    A line with a date under it needs less: there stands the title of an article.
    """
    lines, first = outline.lines, body.first
    above = [
        at
        for at in range(max(0, first - ABOVE), first)
        if PLAIN_TITLE <= len(lines[at].text) <= LONGEST
        and not lines[at].linked
        and TITLED.search(outline.nodes[lines[at].node].name)
        and not is_masthead(lines[at].text)
        and not is_chatter(lines[at].text)
    ]
    if not above:
        return None
    text = "".join(lines[i].text for i in body.lines)
    shares = {at: _told_share(lines[at].text, text) for at in above}
    best = max(above, key=shares.__getitem__)
    rival = _told_share(trimmed, text)
    dated = MOMENT.search(lines[best + 1].text) is not None and rival < DOUBTFUL
    return lines[best].text if dated or shares[best] > rival + NEARER else None


def _told_share(title: str, text: str) -> float:
    """The share of a title's pairs of characters that the text holds too."""
    key = _key(title)
    pairs = [key[i : i + 2] for i in range(len(key) - 1)]
    return sum(pair in text for pair in pairs) / len(pairs) if pairs else 0.0


def _is_linked(text: str, outline: Outline) -> bool:
    return any(line.linked >= len(text) and text in line.text for line in outline.lines[:120])


def _heading_above(outline: Outline, body: Body) -> str | None:
    """The heading or line above the text that is most like its title: by its tag, its name, its place and what the text tells of it."""
    lines = outline.lines
    first = body.first if body.lines else len(lines)
    text = "".join(lines[i].text for i in body.lines)
    worth: dict[int, float] = {}
    for tag, heading, at in outline.headings:
        if at <= first and len(_key(heading)) >= SHORTEST and not is_chatter(heading):
            worth[at] = HEADINGS.get(tag, 0.0) + _told_share(heading, text)
    for at in range(max(0, first - FAR), first) if body.lines else ():
        if at not in worth and at not in body.lines and _may_be_title(line := lines[at]) and not outline.nodes[line.node].beside:
            told = _told_share(line.text, text)
            if told >= TOLD or (first - at <= NEAR and _stands_alone(line, at == first - 1)):
                worth[at] = told + NAMED * bool(TITLED.search(outline.nodes[line.node].name))
    for at in worth:
        worth[at] += NEARBY * (first - at <= NEAR) - LINKED * (2 * lines[at].linked > len(lines[at].text))
    best = max(worth, key=worth.__getitem__, default=None)
    return None if best is None else lines[best].text


def _may_be_title(line: Line) -> bool:
    text = line.text
    return PLAIN_TITLE <= len(text) <= LONGEST and text[-1] not in "。，；、" and not (MOMENT.search(text) or is_chatter(text))


def _stands_alone(line: Line, last: bool) -> bool:
    """Whether a line near the text may be its title whatever the text tells: no label, no date, no link but the ``last`` line above it."""
    alone = not line.linked or (last and " " not in line.text)  # a post's title may link to itself
    return alone and not (DATED.search(line.text) or is_masthead(line.text))


def without_site(text: str) -> str:
    """``text`` without the names of site and channel behind it.

    >>> without_site("双减之后的课堂_教育频道_某某网")
    '双减之后的课堂'
    """
    parts = [part for part in SEPARATOR.split(text) if part]
    if len(parts) > 1:
        if len(_key(parts[0])) >= SHORTEST + 2 and not SITE_NAME.search(parts[0]):
            return _cut_at(text, parts[0])
        return max(parts, key=lambda part: len(_key(part)))
    head, tail = text, ""
    for match in WEAK_SEPARATOR.finditer(text):
        head, tail = text[: match.start()], text[match.end() :]
    if tail and len(_key(head)) >= SHORTEST and len(tail) <= 14 and SITE_NAME.search(tail):
        return without_site(head)
    return text.strip()


def _cut_at(text: str, part: str) -> str:
    return text[: text.index(part) + len(part)].strip()


def _told(page: Page, linked_data: Iterable[dict[str, Any]]) -> Iterator[str]:
    for item in linked_data:
        if isinstance(headline := item.get("headline") or (item.get("title") if "pubDate" in item else None), str):
            yield " ".join(headline.split())
    for name in TITLE_METAS:
        if text := page.metas.get(name):
            yield " ".join(text.split())


@lru_cache(maxsize=1024)  # of one title it is asked a dozen times
def _key(text: str) -> str:
    return _KEY.sub("", unicodedata.normalize("NFKC", text)).lower()


def linked_data_of(outline: Outline) -> list[dict[str, Any]]:
    """The JSON-LD objects of the page, graphs and lists flattened; broken JSON is left out."""
    found: list[dict[str, Any]] = []
    for text in outline.ld_json:
        try:
            stack = [_loaded(text.strip().rstrip(";"))]
        except (ValueError, RecursionError):
            continue
        while stack:
            value = stack.pop()
            if isinstance(value, list):
                stack.extend(reversed(value))
            elif isinstance(value, dict):
                found.append(value)
                if isinstance(graph := value.get("@graph"), list):
                    stack.extend(reversed(graph))
    return found


def _loaded(text: str) -> Any:
    """JSON whose escapes may spell half a character: that is no text, and becomes a question mark."""
    value = json.loads(text, strict=False)
    if "\\u" not in text:
        return value
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
