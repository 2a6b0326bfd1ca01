"""Finds the list of a list page: which links of a page lead to its articles.

Links with the same path of tags and classes from the root form a group. Each link is weighed by its URL, its text, a
nearby date and its region, such as a menu or a footer (``link_regions.py``). The verdict is that of its group.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from newsspider.core.links.link_regions import LONG_TITLE, TITLE_LENGTH, Anchor
from newsspider.core.links.list_dates import item_text, set_full_date
from newsspider.core.links.url_shape import domain_of, is_short_number, may_be_article
from newsspider.core.model import Region
from newsspider.core.text.file_names import is_file
from newsspider.core.text.phrases import any_of

_DIGITS = re.compile(r"\d+")
_DATE = re.compile(
    r"(?<!\d)(?:19|20)\d\d\s?[-/.年]\s?\d{1,2}\s?[-/.月]\s?\d{1,2}(?!\d)日?(?:[\sT]{0,3}\d{1,2}\s?[:时時点點]\s?\d\d?(?!\d))?"
)
_SHORT_DATE = re.compile(
    r"(?<!\d)\d{1,2}\s?[-/.月]\s?\d{1,2}(?!\d)日?|\d{1,2}:\d\d(?!\d)|(?<!\d)\d+\s?(?:分钟|小时|天)前|昨天|前天|今天|半小时前"
)
_EMPTY_TEXT = re.compile(any_of("empty_anchors"), re.I)
_ACCOUNT = re.compile(rf"https?://(?:{any_of('account_hosts')})/", re.I)
_BRACKETED = re.compile(r"\w{4,}\s?[(（【\[]")
_TITLE_DAY = re.compile(r"(?:(?:19|20)\d\d年)?(?:0?[1-9]|1[0-2])[月.](?:0?[1-9]|[12]\d|3[01])(?!\d)日?|[今昨前]天")
_LABEL = re.compile(r"\s|\d|来自|來自|发[表布]|發[表佈布]|回[复覆帖]|更新|评论|評論|编辑|編輯|浏览|瀏覽|阅读|閱讀")
# Weights of the evidence that one link leads to an article.
_ARTICLE_URL, _HOME_URL = 2.0, -6.0
_DATE_WEIGHT, _SHORT_DATE_WEIGHT = 2.0, 1.0
_TEXT_WEIGHTS = (-2.0,) * 4 + (-0.8,) * 2 + (0.0,) * 2 + (0.8,) * 3 + (1.5,) * 5 + (2.0,)  # from 0 to 16 characters
_LONGEST_TIME, _LABEL_LENGTH = 30, 8
_SHORTEST_TITLE, _FULL_DAY = 3, 8  # characters: of a title beside its day, of a day with its year
# characters of a label after the day; a longer text makes it a title (6.18班级考核通报)
_LABEL_BEHIND = 5
_LEAST_URLS = 4  # similar URLs that form a pattern
_REGION = {Region.FOOTER: -4.0, Region.NAVIGATION: -4.0, Region.SIDE: -4.0, Region.BODY: -4.0}

ARTICLE_THRESHOLD = 2.0  # a link of this weight or more leads to an article
KNOWN_MEDIAN = 3.0  # least median of a group where articles were before
LIST_URL = -2.0  # weight of a list's URL
_THRESHOLD_SLACK = 2.5  # by which one link of a good group may be below ARTICLE_THRESHOLD
_LEAST_TITLES = 3  # titles that are articles although their group is not
_FULL_ARTICLES, _FULL_SHARE = 6, 0.7  # articles, and their share of a group, that make the rest of it articles, too
_SHORT_NAME_WEIGHT = -0.8  # weight of a name of four characters
_REPEATED_ROWS = 3  # rows with the same link: it is their channel or source
_LINKS_IN_ROW = 4  # links of one row of a list: title, channel, author, button


def article_anchors(
    anchors: Sequence[Anchor], page_url: str, article_url: re.Pattern[str] | None = None
) -> list[Anchor]:
    """The links of a page that lead to the articles of its lists, in page order, with their dates.

    Files are articles only on a page that lists nothing else. Articles of other sites are excluded, unless the lists
    lead mainly to one other domain, or to a platform on which schools and papers publish. With ``article_url``, the
    links that match it are the articles; those outside the main part only if there are no others.
    """
    if article_url is not None:
        matching = [anchor for anchor in anchors if article_url.search(anchor.url)]
        chosen = [anchor for anchor in matching if anchor.region is Region.MAIN] or matching
    else:
        pages = [anchor for anchor in anchors if not is_file(anchor.url, anchor.text)]
        chosen = _listed(pages, page_url) or _listed(anchors, page_url)
        ours = _our_domains(chosen, page_url)
        chosen = [anchor for anchor in chosen if domain_of(anchor.url) in ours or _ACCOUNT.match(anchor.url)]
    for anchor in chosen:
        set_full_date(anchor)
    return chosen


def is_button(text: str) -> bool:
    """Whether the text of a link names no article."""
    return not text or _EMPTY_TEXT.fullmatch(text) is not None


def _listed(anchors: Sequence[Anchor], page_url: str) -> list[Anchor]:
    """The links that are articles by their own weight and that of their group, on any site."""
    groups: dict[tuple[str, Region], list[Anchor]] = {}
    numbered = _numbered(anchors)
    alike = _alike(anchors, numbered, page_url.partition("?")[0])
    for anchor in anchors:
        if anchor.url in alike:
            anchor.shape = True
        elif numbered.get(anchor.url):
            anchor.shape = None
        anchor.weight = _weight(anchor)
        # blocks with the same path may be in different regions because of their headings
        groups.setdefault((anchor.path, anchor.region), []).append(anchor)
    results = {id(anchor) for group in groups.values() for anchor in articles_of(group)}
    if not results:
        results = {id(anchor) for group in groups.values() for anchor in dated_titles(group)}
    return [anchor for anchor in anchors if id(anchor) in results]


def _numbered(anchors: Sequence[Anchor]) -> dict[str, bool]:
    """The URLs with a short number, and whether each may be an article: it has a title, and is no source after one."""
    results: dict[str, bool] = {}
    behind = False
    for anchor in anchors:
        if anchor.region is not Region.MAIN:
            continue
        titled = len(anchor.text) >= TITLE_LENGTH
        if anchor.shape is False and is_short_number(anchor.url):
            results[anchor.url] = results.get(anchor.url, False) or (titled and not behind)
            behind = behind and not titled
        elif not behind and anchor.shape and titled and not _is_time(anchor.text):
            behind = True
    return results


def _alike(anchors: Sequence[Anchor], numbered: Mapping[str, bool], own: str) -> set[str]:
    """The URLs that are articles by comparison with others of the page, although their own shape does not say so.

    These are URLs that differ only by their numbers from others, most of which have titles; URLs that share their
    folder, or all but the query, with others, most of which have long titles (except with the page itself, ``own``);
    and URLs with a long title that share their folder with articles.
    """
    forms: dict[str, dict[str, bool]] = {}
    folders: dict[str, dict[str, bool]] = {}
    siblings: Counter[str] = Counter()
    for anchor in anchors:
        url = anchor.url
        if anchor.region is not Region.MAIN:
            continue
        if anchor.shape:
            if len(anchor.text) >= LONG_TITLE:
                siblings[url.rpartition("/")[0]] += 1
            continue
        if anchor.shape is None or url in numbered:
            _note(forms, _DIGITS.sub("0", url), url, numbered.get(url, len(anchor.text) >= TITLE_LENGTH))
        base, _, query = url.partition("?")
        if not query or base != own:
            _note(
                folders,
                base if query else base.rpartition("/")[0],
                url,
                len(anchor.text) >= LONG_TITLE and numbered.get(url, True),
            )
    with_siblings = (
        url for base, urls in folders.items() if siblings[base] >= _LEAST_URLS for url, titled in urls.items() if titled
    )
    return {*_mostly_titled(forms), *(url for url in (*_mostly_titled(folders), *with_siblings) if may_be_article(url))}


def _mostly_titled(forms: Mapping[str, Mapping[str, bool]]) -> Iterator[str]:
    for titled in forms.values():
        if len(titled) >= _LEAST_URLS and 2 * sum(titled.values()) > len(titled):
            yield from titled


def _note(forms: dict[str, dict[str, bool]], form: str, url: str, has_title: bool) -> None:
    titled = forms.setdefault(form, {})
    titled[url] = titled.get(url, False) or has_title


def _weight(anchor: Anchor) -> float:
    weight = _ARTICLE_URL if anchor.shape else 0.0 if anchor.shape is None else LIST_URL
    if anchor.url.count("/") < 4 and anchor.url.endswith("/"):
        weight = _HOME_URL
    if anchor.region is not Region.MAIN:
        return weight + _REGION[anchor.region]
    if is_button(anchor.text) or (_is_time(anchor.text) and not _is_dated_item(anchor)):
        anchor.dated = anchor.text.isdigit() and _DATE.search(item_text(anchor)) is not None
        return weight - 4.0
    weight += _TEXT_WEIGHTS[min(len(anchor.text[:60].encode("gb18030", "replace")) // 2, 16)]  # a letter is half
    text = item_text(anchor)
    dated = _DATE_WEIGHT if _DATE.search(text) else _SHORT_DATE_WEIGHT if _SHORT_DATE.search(text) else 0.0
    anchor.dated = dated > 0
    return weight + dated


def _is_time(text: str) -> bool:
    """Whether a text is just a time, perhaps with a label, like that of a last reply. A title that begins or ends with
    a day is not."""
    if len(text) >= _LONGEST_TIME:
        return False
    rest = _SHORT_DATE.sub("", _DATE.sub("", text))
    if len(rest) > _LABEL_LENGTH or rest == text or _BRACKETED.match(rest):
        return False
    day, label = _TITLE_DAY.match(text), rest.strip()
    return (
        len(label) <= _LABEL_BEHIND
        or day is None
        or not text.startswith(label, day.end())
        or _LABEL.search(label) is not None
    )


def _is_dated_item(anchor: Anchor) -> bool:
    """Whether a link is the only one of its item and has a full date and a short title, unlike a last reply."""
    title = "".join(_DATE.sub("", anchor.text).split())
    alone = anchor.item is not None and anchor.item.tag == "li"
    return alone and _SHORTEST_TITLE <= len(title) <= len(anchor.text) - _FULL_DAY and _LABEL.search(title) is None


def _our_domains(chosen: Sequence[Anchor], page_url: str) -> set[str]:
    """The domains of the page, of most of its articles, and of the longest list, in which dated links count twice."""
    lists: dict[str, list[Anchor]] = {}
    for anchor in chosen:
        lists.setdefault(anchor.path, []).append(anchor)
    longest = sorted(lists.values(), key=lambda group: -sum(1 + anchor.dated for anchor in group))
    return {domain_of(page_url), _main_domain(chosen), next(filter(None, map(_main_domain, longest)), "")}


def _main_domain(chosen: Sequence[Anchor]) -> str:
    domains = Counter(domain_of(anchor.url) for anchor in chosen)
    main, count = domains.most_common(1)[0] if domains else ("", 0)
    return main if count > len(chosen) / 2 and count >= 3 else ""


def articles_of(group: Sequence[Anchor]) -> list[Anchor]:
    """The articles of one group of weighed links.

    A URL counts once, by its heaviest link, so that neither a channel named in each row nor a "[详细]" after each
    headline outweighs the articles. Among links with article URLs, one with a list's URL is a channel with a long name.
    Several titles with article URLs are articles even if the median of the group is too low.
    """
    shapes = {anchor.shape for anchor in group}
    buttons = _buttons(group)
    group = [anchor for anchor in group if anchor.text not in buttons] if buttons else group
    result = _items(group) if group else []
    if True not in shapes:
        return result
    repeated = _repeated(group)
    if len(shapes) > 1:
        own = [anchor for anchor in group if anchor.shape and anchor.weight >= ARTICLE_THRESHOLD - _THRESHOLD_SLACK]
        titled = {anchor.url for anchor in own if len(anchor.text) >= TITLE_LENGTH}
        if len(titled) >= _LEAST_TITLES and 2 * len(titled) > len({anchor.url for anchor in own}):
            result = max(result, _items(own), key=len)
    return [anchor for anchor in result if anchor.shape is not False and anchor.url not in repeated]


def dated_titles(group: Sequence[Anchor]) -> list[Anchor]:
    """The articles of a group with list URLs: a dated title is better evidence than the URL."""
    titles = [anchor for anchor in group if anchor.shape is False and anchor.dated and len(anchor.text) >= TITLE_LENGTH]
    for anchor in titles:
        anchor.weight -= LIST_URL
    return _items(group) if titles else []


def _items(group: Sequence[Anchor]) -> list[Anchor]:
    """The links that are articles by the median weight of their group, without weak ones and shared list URLs."""
    best: dict[str, float] = {}
    for anchor in group:
        best[anchor.url] = max(anchor.weight, best.get(anchor.url, anchor.weight))
    weights = sorted(best.values())
    median = weights[(len(weights) - 1) // 2]
    shared = _shared(group)
    results = [
        anchor
        for anchor in group
        if anchor.url not in shared
        and (anchor.weight + 2 * (max(median, KNOWN_MEDIAN) if anchor.known else median)) / 3 >= ARTICLE_THRESHOLD
        and anchor.weight >= ARTICLE_THRESHOLD - _THRESHOLD_SLACK
    ]
    return _completed(results, group) if len({anchor.url for anchor in results}) >= _FULL_SHARE * len(best) else results


def _completed(result: Sequence[Anchor], group: Sequence[Anchor]) -> list[Anchor]:
    """The articles of a group of almost nothing else, completed by short titles in an item of their own and by
    dated numbers."""
    sure = {anchor.url for anchor in result}
    full = len(sure) >= _FULL_ARTICLES
    return [
        anchor
        for anchor in group
        if anchor.url in sure
        or (full and anchor.shape is not False and anchor.item is not None and anchor.weight >= _SHORT_NAME_WEIGHT)
        or (full and anchor.shape and anchor.item is not None and anchor.dated and anchor.text.isdigit())
    ]


def _buttons(group: Sequence[Anchor]) -> set[str]:
    """The texts of buttons that most rows of a group have: "similar news", "all answers"."""
    if len({anchor.text for anchor in group}) + _REPEATED_ROWS > len(group) + 1:
        return set()
    rows = {(anchor.row, anchor.text) for anchor in group if anchor.neighbours <= _LINKS_IN_ROW}
    counts = Counter(text for _, text in rows)
    urls = len({anchor.url for anchor in group})
    return {text for text, count in counts.items() if text and count >= _REPEATED_ROWS and 2 * count >= urls}


def _shared(group: Sequence[Anchor]) -> set[str]:
    """The list URLs that many titles of a group share: their channel, as they have no pages of their own."""
    titles: dict[str, set[str]] = {}
    for anchor in group:
        if anchor.shape is False and len(anchor.text) >= TITLE_LENGTH:
            titles.setdefault(anchor.url, set()).add(anchor.text)
    return {url for url, texts in titles.items() if len(texts) >= _REPEATED_ROWS}


def _repeated(group: Sequence[Anchor]) -> set[str]:
    """The URLs that many rows of a group name by the same text: their channels and sources.

    A title with a row of its own is neither: the hottest stories are in several boxes.
    """
    if len({anchor.url for anchor in group}) + _REPEATED_ROWS > len(group) + 1:
        return set()
    counts = Counter(
        (anchor.url, anchor.text)
        for anchor in group
        if anchor.text
        and not (
            len(anchor.text) >= LONG_TITLE or (len(anchor.text) >= TITLE_LENGTH and anchor.neighbours > _LINKS_IN_ROW)
        )
    )
    return {url for (url, _), count in counts.items() if count >= _REPEATED_ROWS}
