"""Reads the dates of list items: the full one beside a title or, where there is none, one without a year, of the
calendar of the Republic of China, told from now, or in the row below or above."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import count, islice, pairwise
from urllib.parse import urlsplit

from lxml import etree
from lxml.html import HtmlElement

from newsspider.core.dates.date_reader import full_date, stamp_in
from newsspider.core.dates.time_and_zone import SHANGHAI
from newsspider.core.extraction.dom.page import Page
from newsspider.core.extraction.publication_date import OTHER
from newsspider.core.links.link_regions import Anchor

# 03-27, [11/18], 3月27日; 9.5 is a mark
_SHORT = re.compile(r"\W*(\d\d?)\s?(?:[-/月]|\.(?=\d\d))\s?(\d\d?)\s?日?\W*")
_FRACTION = re.compile(r"(?<![\d/])(\d+)\s?/\s?(\d+)(?![\d/])")  # a day, or counts of replies and readers
_COUNTED = re.compile(
    r"(?:回[复覆復帖]|查看|[浏瀏][览覽]|[阅閱][读讀]|[评評][论論]|[点點][击擊]|跟[帖贴貼]|人[气氣])\W*\Z"
)
_IN_LINK = re.compile(r"\W*(?:民[國国])?[\d\s年月日./:-]{4,20}\W*")
_SPACES = re.compile(r"[\s|｜:：]+")
_YEAR = r"(?<!\d)((?:19|20)\d\d)[-_/]?{:02}(?![0-9]{{3}})"  # the year of a month in a URL
_TAIWAN = re.compile(r"zh-(?:tw|hant)", re.I)
_BESIDE_PIECES, _BESIDE_LIMIT = 60, 400  # pieces of text and characters of a list item that are searched for a date
_FEW_DAYS = 4  # days whose order says that they are none
_DAYS_A_RISE = 8  # days in columns, one of which may rise
_LONGEST_DATE = 40  # characters of a text that says when
_MOST_PIECES, _MOST_ROWS = 40, 2  # texts of an item, rows around it without a link, that are looked at


def set_full_date(anchor: Anchor) -> None:
    """Set the date of a link to the full one of its list item, if that has one."""
    anchor.published_at = full_date(item_text(anchor))


def item_text(anchor: Anchor) -> str:
    """The text of a list item; for a link that shares its row with others, its own text and the text after it."""
    if anchor.item_text is None:
        item = anchor.item
        anchor.item_text = (
            f"{' '.join(anchor.element.itertext()) if len(anchor.element) else ''} {anchor.element.tail or ''}"
            if item is None
            else " ".join(islice(item.itertext(), _BESIDE_PIECES))[:_BESIDE_LIMIT]
        )
    return anchor.item_text


def add_dates(articles: Sequence[Anchor], page: Page, now: datetime) -> None:
    """Set the dates of the articles of a list that have no full date, if most articles of it then have one."""
    roc = _is_taiwanese(page)
    lists: dict[str, list[Anchor]] = {}
    for anchor in articles:
        lists.setdefault(anchor.path, []).append(anchor)
    for listed in lists.values():
        undated = [anchor for anchor in listed if anchor.published_at is None]
        texts = _without_counts([[" ".join(text.split()) for text in _texts(anchor)] for anchor in undated])
        pairs = zip(undated, texts, strict=True)
        dates = {id(anchor): _date_of(beside, anchor.url, now, roc) for anchor, beside in pairs}
        if not any(dates.values()) and len(undated) == len(listed):
            dates = _in_rows(listed, now, roc)
        dated = sum(anchor.published_at is not None for anchor in listed) + sum(map(bool, dates.values()))
        if 2 * dated > len(listed):
            for anchor in undated:
                anchor.published_at = dates[id(anchor)]


def _is_taiwanese(page: Page) -> bool:
    host = urlsplit(page.url).hostname or ""
    language = page.tree.get("lang") or page.tree.get("{http://www.w3.org/XML/1998/namespace}lang") or ""
    return host.endswith(".tw") or _TAIWAN.match(language) is not None


def _texts(anchor: Anchor) -> Iterator[str]:
    """The texts beside a title: those outside its link, and those inside that consist of a date."""
    item = anchor.item
    if item is None or item is anchor.element:
        yield from filter(_IN_LINK.fullmatch, anchor.element.itertext())
        yield anchor.element.tail or ""
        return
    for text in islice(item.xpath(".//text()"), _MOST_PIECES):
        holder = text.getparent() if text.is_text else text.getparent().getparent()
        in_link = holder.tag == "a" or next(holder.iterancestors("a"), None) is not None
        if not in_link or _IN_LINK.fullmatch(text):
            yield text


def _without_counts(items: list[list[str]]) -> list[list[str]]:
    """The texts of the items of a list, without numbers like 1/22 if they are counts of replies and readers: the first
    of all items, the second, and so on are decided by themselves."""
    numbers = [
        [match for text in item if len(text) <= _LONGEST_DATE for match in _FRACTION.finditer(text)] for item in items
    ]
    counts = {
        place
        for place in range(max(map(len, numbers), default=0))
        if _are_counts([of_item[place] for of_item in numbers if place < len(of_item)])
    }
    return [_without(item, counts) for item in items] if counts else items


def _without(item: list[str], counts: set[int]) -> list[str]:
    """The texts of an item without the numbers at these places."""
    place = count()
    return [
        _FRACTION.sub(lambda match: " " if next(place) in counts else match[0], text)
        if len(text) <= _LONGEST_DATE
        else text
        for text in item
    ]


def _are_counts(numbers: Sequence[re.Match[str]]) -> bool:
    """Whether numbers at the same place of their items are counts: a word says so, one of them is no day, or no more
    reply than read and stand in no order, not even in one of two or three columns."""
    days = [(int(match[1]), int(match[2])) for match in numbers]
    if any(_COUNTED.search(match.string, 0, match.start()) for match in numbers):
        return True
    if not all(1 <= month <= 12 and 1 <= day <= 31 for month, day in days):
        return True
    falls, rises = _steps(days)
    if len(days) < _FEW_DAYS or 3 * min(falls, rises) < len(days) or any(month > day for month, day in days):
        return False
    columns = ([day for at in range(width) for day in days[at::width]] for width in (2, 3))
    return all(_DAYS_A_RISE * _steps(column)[1] > len(days) for column in columns)


def _steps(days: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """How often days fall and rise."""
    pairs = list(pairwise(days))
    return sum(earlier > later for earlier, later in pairs), sum(earlier < later for earlier, later in pairs)


def _date_of(texts: Iterable[str], url: str, now: datetime, roc: bool) -> datetime | None:
    return next((at for text in texts if (at := _date_in(" ".join(text.split()), url, now, roc))), None)


def _date_in(text: str, url: str, now: datetime, roc: bool) -> datetime | None:
    """The date that a text beside or below a title says."""
    if not 3 <= len(text) <= _LONGEST_DATE or OTHER.search(text):
        return None
    if at := full_date(text):
        return at
    for word in (text, *(word for word in _SPACES.split(text) if len(word) >= len("03-27"))):
        if match := _SHORT.fullmatch(word):
            return _latest(int(match[1]), int(match[2]), url, now)
    stamp = stamp_in(text, now, roc=roc, yearless=True)
    return None if stamp is None else stamp.at


def _latest(month: int, day: int, url: str, now: datetime) -> datetime | None:
    """The day in the year that the URL names, else the latest such day."""
    if year := re.search(_YEAR.format(month), urlsplit(url).path):
        try:
            return datetime(int(year[1]), month, day, tzinfo=SHANGHAI)
        except ValueError:
            return None
    stamp = stamp_in(f"{month}月{day}日", now, yearless=True)
    return None if stamp is None else stamp.at


def _in_rows(listed: Sequence[Anchor], now: datetime, roc: bool) -> dict[int, datetime | None]:
    """The dates in the rows below each title; those above if more titles have one there."""
    below, above = (
        {id(anchor): _date_of(_rows(anchor, preceding), anchor.url, now, roc) for anchor in listed}
        for preceding in (False, True)
    )
    return above if sum(map(bool, above.values())) > sum(map(bool, below.values())) else below


def _rows(anchor: Anchor, preceding: bool) -> Iterator[str]:
    """The texts of the elements without links next to a list item."""
    row: HtmlElement | None = next(anchor.element.iterancestors("tr"), None) if anchor.item is None else anchor.item
    if row is None:
        return
    for other in islice(row.itersiblings(etree.Element, preceding=preceding), _MOST_ROWS):
        if next(other.iter("a"), None) is not None:
            return
        yield from islice(other.itertext(), _MOST_PIECES)
