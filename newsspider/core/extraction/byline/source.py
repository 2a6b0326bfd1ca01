"""Reads the source of an article: the outlet that it was taken from, not its author. What names no outlet stands in
``words/no_sources.txt``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import islice

from newsspider.core.dates.date_reader import CLOCK_PATTERN, DAY_PATTERN
from newsspider.core.extraction.body.nearby_lines import Surroundings
from newsspider.core.extraction.body.user_posts import written_by_users
from newsspider.core.extraction.byline.credit_line import credit_of, wired_by
from newsspider.core.extraction.dom import Page, outline_of
from newsspider.core.extraction.dom.json_ld import PageRecords
from newsspider.core.extraction.dom.page import select_by_xpath
from newsspider.core.extraction.lines.boilerplate_lines import POSTED, TELLS
from newsspider.core.extraction.lines.person_names import COUNT, MONTH_PATTERN, without_count
from newsspider.core.text.characters import HAN
from newsspider.core.text.phrases import any_of
from newsspider.core.text.text_comparison import places_of

SHORT_LINE = 60  # characters of a line of the text that may name its source
_LABEL = (
    r"\b(?:[Ff]rom|[Ss]ource|FROM|SOURCE)|来\s?源(?:网站|单位|媒体|部门|科室|处室)?|來\s?源|"
    r"稿源|信息源|信息提供|综合自|(?<![图片圖])来自|[转轉]自|[转轉][载載]自|出[处處]|摘自|原[载載]|"
    r"[供来]稿单位|发布(?:机构|单位|部门)|[發发][布佈][單单]位|公告單位|(?:发布|發布|上传)[者人]|供稿"
)
# What ends a source's name; an office's account is called "某市发布".
_ENDS = (
    rf"作者|编辑|记者|责编|(?:发[稿文表]|更新|上传|录入|成文|刊发)?(?:时间|日期)|发布(?=时间|日期|[者人于:：]|\s[:：])|"
    rf"来源\s?[:：]|分享[到至]|{COUNT}|{MONTH_PATTERN}|(?:19|20)\d{{6}}|\d\d\.\d"
)
_LETTER = r"[^\s|｜《》“”【】（）()\[\]，,。；;:：]"
_ISSUE = r"《[^《》]{2,30}》\s?(?:杂志)?\s?(?:19|20)\d\d\s?年?[\s，,]*第\s?[\d一二三四五六七八九十]{1,3}\s?[期号]"
_KIND = "(?:文章|转载|信息|新闻|新聞|稿件|本文|内容|资料|消息|原文|图文|圖文|文稿)?"
SOURCE = re.compile(
    rf"{_KIND}(?:{_LABEL})(?:于|自)?\s?[:：|｜丨/／]\s?"
    rf"(?:(?P<issue>{_ISSUE})|(?:(?:微信)?公众号[\s:：]\s?)?"
    rf"[《“\[【（(]?\s?(?P<name>(?:(?!{_ENDS}){_LETTER}){{2,30}}(?:(?<=-)《[^《》]{{2,20}}》)?))"
)
# The same without a colon: "来源[某某报]", "| 来源某某报 |", "（来源 某某报）".
_PLAIN = rf"(?:^|(?<=[\s|｜\[【（(])){_KIND}(?:来源|來源|原[载載]|[转轉]自)"
_NO_WORD = re.compile(rf"(?:{any_of('sources_of_other_things')})$")
_FIELD = re.compile(r"[\W_\d]*[\u4e00-\u9fff]{1,8}$")  # a word at the beginning of a line, as in "报名材料来源："
_LABEL_ALONE = re.compile(rf"[\W_]*{_KIND}(?:{_LABEL})[\W_]*")
_OWN_LABEL = re.compile(r"(?!微信|公众号)[\u4e00-\u9fff]{1,6}[:：]|.*[:：]$")  # of a value that is another label
_SCHOOL = re.compile(r"(?:[一二三四五六七八九十][中小]|[大中小]学|学院|学校|幼儿园)$")
_ET_AL = re.compile(rf".{{1,12}}?(?:{any_of('outlet_kinds')})(?=[、及和与].+等$)")  # the first of several outlets
_UNIT = re.compile(r"\s(?P<unit>[\u4e00-\u9fff]{2,10}(?:组|处|办|科|部|系|中心|办公室|学院|委员会))(?=$|[\s|｜])")
_LABELLED = re.compile(
    r"[源自处處构位门者人稿载載供]|rom|ROM|ource|OURCE"
)  # one of these is in each match, and is found faster
_OUTLETS = rf"[\u4e00-\u9fffA-Za-z0-9]{{1,12}}(?:{any_of('outlet_kinds')})"
_OUTLET = re.compile(rf"(?:^|[\s|｜/·•]|原创[:：]\s?)(?P<name>{_OUTLETS}(?:-{_OUTLETS})?)(?=$|[\s|｜/【（(])")
# The name of a newspaper, an agency or a station that is a line of its own, with its desk perhaps.
_PRESS = re.compile(
    r"(?P<name>[\u4e00-\u9fff]{1,8}(?:[日晚早时晨商导時導]报|[日晚早時晨商導]報|(?:都市|青年|教育)报|(?:通讯|通訊|[新华華])社|[电電][视視]?[台臺])"
    r"|(?:中央|路透|美联|美聯|彭博|共同)社)"
    r"(?:\s?[-·]\s?[\u4e00-\u9fff]{2,4})?"
)
_TAKEN_FROM = re.compile(
    rf"^[\W_]*(?:[本原]?文章?)?(?:转载自|转自|摘自|轉載自|转載自|来自|来源于|原载于?)\s?[《“「]?(?P<name>{_OUTLETS}(?:-{_OUTLETS})?)"
    r"[》”」]?(?:微信)?(?:公众号|客户端|网站)?[\W_]*$"
)
QUOTED_ACCOUNT = re.compile(  # "本文转载自“某某教育”微信公众号"
    r"[^\w“]*(?P<taken>(?:[本原]?文章?)?(?:[转轉][载載]?自|摘自|来自|来源于|选自|原[载載]于?)\s?)?"
    r"“(?P<name>[^“”]{2,20})”\s?(?:官方)?(?:微信)?(?:公众号|公眾號|订阅号|服务号)[^\w:：]*"
)
_PLAINLY = re.compile(
    rf"{_PLAIN}(?:(?P<issue>\s?{_ISSUE})|\s?于?\s?[《\[【（(]\s?(?P<inside>(?:(?!{_ENDS}){_LETTER}){{2,30}})(?=[》\]】）)])"
    rf"|(?P<of>于)?\s?(?P<name>{_OUTLETS}|[\u4e00-\u9fff]{{2,10}}发布|(?(of)[\u4e00-\u9fff]{{2,15}}|(?!)))(?=$|[\s|｜\]】）)]))"
)
_DAYS_ISSUE = re.compile(  # "《某某报》（2024年3月4日 第3版）"
    rf"[\W_]*(?P<name>{_OUTLETS})[》”]?[\s，,（(]*{DAY_PATTERN}[\s，,]*"
    r"(?:第?\s?[A-Z]?\d{1,2}\s?版)?[\W_]*"
)
_WEAK = re.compile("[发發][布佈]|公告|上传|供稿(?!单位)")  # what a page calls its source goes before these
# A name behind 发布者 is a source only if it ends like an office; a line with a date may otherwise hold just that name.
_BY_WHOM = re.compile("(?:发布|發布|上传)[者人]|供稿(?!单位)")
_OFFICE = re.compile(r"(?:[处處科室部局院厅廳委办辦系站馆館校园園会會队隊]|中心|公司|政府|集团|[小中大]学)$")
_STAMP = re.compile(
    r"(?:发布|發布|更新)?(?:时间|時間|日期)?[:：]?\s?(?:(?:19|20)?\d\d)\s?[-/.年]\s?\d{1,2}\s?[-/.月]\s?\d{1,2}日?"
    r"(?:\s*\d{1,2}:\d\d(?::\d\d)?)?"
)
_NAME = re.compile(r"(?!本)[\u4e00-\u9fff]{3,20}")
_BESIDE_NAME = re.compile(r"[\u4e00-\u9fffA-Za-z0-9·]{2,20}")
_BESIDE_DAY = re.compile(r"[\s|｜·•,，/\[\]【】()（）]+|(?:^|\s)由\s|(?<=\s)(?:发[布表]|提交)于")
# From where an account writes, behind the moment and perhaps its name: "2024-03-05 14:08:33某某观察 来自某某市".
_WRITES_FROM = re.compile(
    rf"{DAY_PATTERN}\s?{CLOCK_PATTERN}(?:\s?(?P<name>[\u4e00-\u9fffA-Za-z0-9]{{2,16}}))?"
    r"\s(?:来自|來自|发布于|發布於)[\u4e00-\u9fff]{2,8}"
)
_BESIDE_TITLE = re.compile(r"[\s|｜_\-–—]+")
_CREDIT = re.compile(r"[/／](?:文|图|摄|摄影)$")  # "某学院/文 某部/图"
# What stands behind a label instead of a source: nothing, so that the next label of the line follows; a number.
_NEXT_LABEL = (
    r"作者|编辑|责任|时间|日期|字[号体]|分享|链接|打印|收藏|关闭|\d+(?:[^\d\u4e00-\u9fff]|[年月日时点次人条万个]|$)"
)
_NOT_A_SOURCE = re.compile(rf"^(?:{_NEXT_LABEL}|(?:{any_of('no_sources')})$)|[=<>]")
# Some papers set their name right beside it.
_MOMENT = re.compile(rf"(?:{DAY_PATTERN}\s?)?{CLOCK_PATTERN}")
_DATED = re.compile(r"\d{1,2}:\d{2}|\d{4}[-年/]\d|\d\s?(?:分[钟鐘]|小[时時])前")
ACCOUNTS = (
    "js_name",
    "profile_nickname",
    "wx_follow_nickname",
)  # id and class names of the name of an account in WeChat
# ... and of the element that names the source beside the date, without a label
SOURCE_NAMES = frozenset(("a_source", "where", "source", "ent-source", "article-source"))
_MAY_NAME_SOURCE = '//*[contains(@class, "source") or contains(@class, "where")]'  # looked for in C, which is fast
SOURCE_METAS = (
    "source",
    "mediaid",
    "contentsource",
    "articlesource",
    "og:article:source",
    "dc.source",
    "copyright:source",
)
MOST_CREDITS = 2  # at each end

_SOURCE_ALONE = re.compile(r"[\W_]*(?:from|source)\s?[:：|｜]\s?[《“]?(?P<name>[^《》“”]{2,30}?)[\W_]*", re.IGNORECASE)
# Labels of the people whom a line names, with the mark that sets them off: "通讯员：", "/文图"; and picture credits.
_PICTURES = r"(?:图片?|照片)\s?[:：]\s?[\u4e00-\u9fff]{2,12}|[\u4e00-\u9fff]{2,4}\s?[/／]\s?[图摄]"
_ROLE, _ROLE_MARK = re.compile(f"{_PICTURES}|{any_of('byline_roles')}|[文图]"), re.compile("[:：︰/／|｜丨]")
_UNIT_AND_NAMES = re.compile(  # "[宣传部 李红玉]"
    r"[\[【(（〔]\s?(?P<unit>[\u4e00-\u9fff]{2,16})(?P<names>(?:[\s、]+[\u4e00-\u9fff·]{2,8}){1,4})\s?[\]】)）〕]"
)
# What stands right before the name of an account, and right behind it.
_AHEAD_OF_NAME = r"(?:(?<![\u4e00-\u9fff])|(?<=作者|[楼樓]主|[布佈]者)|(?<=由))"
_BEHIND_NAME = r"(?:(?![\u4e00-\u9fff])|(?=[发發][布佈表]|提交|上[传傳]|[于於]))"

LINES_BELOW_ACCOUNT = 3  # in which the moment stands
MOST_LINKS = 400  # links of a page that are looked at
LONGEST_ACCOUNT_LINE = 100  # characters of a line above the text that may name an account
SHORTEST_NAME, LONGEST_NAME = 2, 20  # characters of a name
NEAR_LETTERS = 1500  # characters of a script around the title in which the names of its author and source stand

PROFILE = re.compile(
    r"space-uid-|//space\.|dispuser|userinfo|viewprofile|home/main\?|u\.php\?|[?&](?:uid|user_?id|authorid)=|"
    r"(?:^|/)(?:user|space|member|profile)-\d|/(?:u|users?|authors?|people|members?|profile)/(?!index)",
    re.IGNORECASE,
)
_HOME = re.compile(r"^(?:https?:)?//[^/]*")  # what stands before the path
LOGIN_LINK = re.compile(rf"{any_of('login_pages')}|登陆", re.IGNORECASE)  # to the reader's own account
# One of these is in every match in lower case, and is found much faster.
_SIGNS = ("space", "u.php", "user", "uid", "author", "profile", "member", "people", "home/main", "/u/")
_VALUE = r"""["']\s*:\s*(?:\{[^{}]{0,80}?"name"\s*:\s*)?"([^"<>{}]{2,120})\""""
AUTHORS = re.compile(r"""["'](?:author|author_?name|writer|reporter)""" + _VALUE, re.IGNORECASE)
SOURCES = re.compile(r"""["'](?:source|source_?name|copy_?from|media(?:_?name)?)""" + _VALUE, re.IGNORECASE)


def source_of(page: Page, around: Surroundings, title: str | None = None) -> str | None:
    """The outlet that the page names as its source, or ``None``."""
    body_lines = around.body_lines
    office = None  # that published it: the source if no other is named
    ends = [text for text in (*body_lines[:2], *reversed(body_lines[-3:])) if len(text) < SHORT_LINE]
    within = len(around.above) + len(around.below)
    for at, text in enumerate((*with_values(around.above, title), *with_values(around.below), *ends)):
        for labelled, name in _labelled(text, is_text=at >= within):
            if labelled.startswith("来自") and written_by_users(page):
                continue
            if _BY_WHOM.search(labelled) and _OFFICE.search(name) is None and _OUTLET.fullmatch(name) is None:
                continue
            if _WEAK.match(labelled) is None:
                return name
            office = office or name
        if plain := _plainly(text, is_text=at >= within):
            return plain
        if reprinted_from := _reprinted_from(text, is_below=len(around.above) <= at < within):
            return reprinted_from
    credited = (credit_of(text).outlet for text in (*around.above, *body_lines[:3]))
    if named := office or next((outlet for outlet in credited if outlet), None) or _declared(page):
        return named
    for text in (*around.above, *filter(POSTED.fullmatch, around.below[:2])):
        if len(text) < 80 and _DATED.search(text):
            if match := _OUTLET.search(_MOMENT.sub(" ", text)):
                return match["name"]
            if beside := _office_beside_day(text) or _account_beside_place(text):
                return beside
    return (
        _account_below_title(page, around.above, title)
        or _press_near_date(around.above)
        or _named_beside_date(page, around.above)
        or _account(page)
        or next((name for name in map(wired_by, body_lines[:2]) if name), None)
        or (scripted_near(page, title, SOURCES) if title else None)
        or _paper_in_title(page, title)
    )


def with_values(texts: Sequence[str], title: str | None = None, label: re.Pattern[str] = _LABEL_ALONE) -> Iterator[str]:
    """The lines, each label that stands alone together with the line behind it; empty ones stand above the addressee of
    a notice, a title or another label."""
    for at, text in enumerate(texts):
        value = texts[at + 1] if len(text) < 8 and at + 1 < len(texts) and label.fullmatch(text) else ""
        is_label = value and _OWN_LABEL.match(value) is None and value not in (title or "")
        yield f"{text.strip(' :：')}：{value}" if is_label else text


def _labelled(text: str, *, is_text: bool) -> Iterator[tuple[str, str]]:
    """The names behind a label in a line, each with its label; in a line of the text a label begins the line."""
    for match in SOURCE.finditer(text) if _LABELLED.search(text) else ():
        before = text[: match.start()]
        if _NO_WORD.search(before) or _FIELD.fullmatch(before):
            continue
        if is_text and TELLS.search(match["name"] or ""):
            continue
        if is_text and match[0][0].isascii() and _OUTLET.fullmatch(match["name"] or "") is None:
            continue  # "From: a letter of a pupil"
        if match["issue"]:
            yield match[0], match["issue"]
        elif not _NOT_A_SOURCE.search(match["name"]):
            name = _CREDIT.sub("", match["name"].rstrip("”-—_" if "《" in match["name"] else "》”-—_"))
            if first := _ET_AL.match(name):
                name = first[0]
            unit = _UNIT.match(text, match.end()) if _SCHOOL.search(name) else None
            yield match[0], name + (unit[0] if unit else "")


def _plainly(text: str, *, is_text: bool) -> str | None:
    """The name behind a label without a colon; a line of the text holds nothing else."""
    match = _PLAINLY.search(text) if _LABELLED.search(text) else None
    if match is None or (is_text and re.search(r"\w", text[: match.start()] + text[match.end() :])):
        return None
    name = (match["issue"] or match["inside"] or match["name"]).strip()
    if match["of"] and (is_text or not (_OFFICE.search(name) or _OUTLET.fullmatch(name))):
        return None
    return None if _NOT_A_SOURCE.search(name) or name[0] in "于自" else name


def _reprinted_from(text: str, *, is_below: bool) -> str | None:
    """The outlet or account from which a line says that the text was taken, or that it only names."""
    if match := _TAKEN_FROM.match(text) or _DAYS_ISSUE.fullmatch(text):
        return match["name"]
    account = QUOTED_ACCOUNT.fullmatch(text)
    # below a text, an account without such a word is the site's own
    return account["name"] if account and (account["taken"] or not is_below) else None


def account_of(page: Page, around: Surroundings, authors: Sequence[str]) -> str | None:
    """The account that published an article on a platform; ``None`` on a blog or forum, or if it is an author."""
    name = None if written_by_users(page) else posted_by(page, around.above)
    return None if name in authors else name


def _office_beside_day(text: str) -> str | None:
    """The office whose name is all that a line has besides a date and a count of readers.

    >>> _office_beside_day("[2024-03-05] 教务处"), _office_beside_day("2024-03-05 星期二 教务处")
    ('教务处', None)
    """
    parts = [part for part in _BESIDE_DAY.split(_STAMP.sub(" ", without_count(text))) if part]
    return parts[0] if len(parts) == 1 and _NAME.fullmatch(parts[0]) and _OFFICE.search(parts[0]) else None


def _account_beside_place(text: str) -> str | None:
    """The account that a line names between a moment and the place from which it writes."""
    match = _WRITES_FROM.fullmatch(text)
    return match["name"] if match else None


def _account_below_title(page: Page, above: Sequence[str], title: str | None) -> str | None:
    """The account to which the line below the title leads, where the line of the moment says from where it writes."""
    at = above.index(title) + 1 if title in above else len(above)
    if not any(map(_WRITES_FROM.fullmatch, above[at + 1 : at + 1 + LINES_BELOW_ACCOUNT])):
        return None
    name = above[at]
    links = islice(page.tree.iter("a"), MOST_LINKS)
    is_linked = any(name == "".join(map(str, link.itertext())).strip() for link in links)
    return name if is_linked and SHORTEST_NAME <= len(name) <= LONGEST_NAME else None


def _paper_in_title(page: Page, title: str | None) -> str | None:
    """The newspaper or station that ``<title>`` names beside the title."""
    whole = outline_of(page).title or ""
    if not title or title not in whole:
        return None
    names = (_PRESS.fullmatch(part.removesuffix("数字报")) for part in _BESIDE_TITLE.split(whole.replace(title, "|")))
    return next((match["name"] for match in names if match), None)


def _declared(page: Page) -> str | None:
    """The source in the page's metadata."""
    declared = (page.metas.get(name, "") for name in SOURCE_METAS)
    return next(
        (name for name in declared if 1 < len(name) < 30 and not _NOT_A_SOURCE.search(name) and "://" not in name), None
    )


def _press_near_date(above: Sequence[str]) -> str | None:
    """The newspaper, agency or station whose name is the line right above or below that of the date."""
    for at, text in enumerate(above):
        if len(text) < SHORT_LINE and _DATED.search(text):
            for near in above[max(0, at - 1) : at + 2]:
                if press := _PRESS.fullmatch(near):
                    return press["name"]
    return None


def _named_beside_date(page: Page, above: Sequence[str]) -> str | None:
    """The text of an element of a dated line that is named for the source."""
    dated = [text for text in above if len(text) < LONGEST_ACCOUNT_LINE and _DATED.search(text)]
    for element in select_by_xpath(page, _MAY_NAME_SOURCE) if dated else ():
        if SOURCE_NAMES.isdisjoint(element.get("class").split()):
            continue
        name = "".join(map(str, element.itertext())).strip()
        if _BESIDE_NAME.fullmatch(name) and not _NOT_A_SOURCE.search(name) and any(name in text for text in dated):
            return name
    return None


def _account(page: Page) -> str | None:
    """The account that published a WeChat article."""
    if not any(name in page.text for name in ACCOUNTS):
        return None
    for element in page.tree.iter("a", "strong", "div"):
        if element.get("id") in ACCOUNTS or (element.get("class") or "").strip() in ACCOUNTS:
            return " ".join("".join(map(str, element.itertext())).split()) or None
    return None


def without_end_credits(lines: list[str], source: str | None, authors: Sequence[str]) -> list[str]:
    """The lines without those at the beginning and the end that hold nothing but the source or the authors.

    >>> without_end_credits(["开学了。", "[宣传部 李红玉]"], None, ["李红玉"])
    ['开学了。']
    >>> without_end_credits(["开学了。", "[宣传部 李红玉]"], None, [])
    ['开学了。', '[宣传部 李红玉]']
    """
    start, end = 0, len(lines)
    while start < min(MOST_CREDITS, end - 1) and _is_credit(lines[start], source, authors):
        start += 1
    while end > max(start + 1, len(lines) - MOST_CREDITS) and (
        _is_credit(lines[end - 1], source, authors) or _is_signature(lines[end - 1], source, authors)
    ):
        end -= 1
    return lines[start:end]


def _is_credit(text: str, source: str | None, authors: Sequence[str]) -> bool:
    """Whether a line names the source or the authors, and nothing else."""
    if match := QUOTED_ACCOUNT.fullmatch(text) or _SOURCE_ALONE.fullmatch(text):
        return source is not None and match["name"].strip() == source
    bracketed = _UNIT_AND_NAMES.fullmatch(text)
    return bracketed is not None and set(re.split(r"[\s、]+", bracketed["names"].strip("、 "))) <= set(authors)


def _is_signature(text: str, source: str | None, authors: Sequence[str]) -> bool:
    """Whether a line names the source or the authors beside a label, and nothing else; above a text it is kept."""
    rest = text if len(text) < SHORT_LINE else ""
    for name in sorted(filter(None, (*authors, source)), key=len, reverse=True):  # one may begin another one
        rest = rest.replace(name, "")
    marks, roles = _ROLE.subn("", rest)  # a pattern of the whole line may take hours: "文/" is "文" and "/", too
    return rest != text and roles > 0 and _ROLE_MARK.search(rest) is not None and not any(map(str.isalnum, marks))


def posted_by(page: Page, above: Sequence[str], home: str | None = None) -> str | None:
    """The name of the account in the lines ``above`` the text that leads to its profile, or to the path ``home``."""
    lines = [text for text in above if len(text) < LONGEST_ACCOUNT_LINE]
    if not lines:
        return None
    for element in islice(page.tree.iter("a"), MOST_LINKS):
        href = element.get("href") or ""
        is_profile = any(map(href.lower().__contains__, _SIGNS)) and PROFILE.search(href) is not None
        if not is_profile and (home is None or _HOME.sub("", href).rstrip("/") != home):
            continue
        name = " ".join("".join(map(str, element.itertext())).split())
        may_name = SHORTEST_NAME <= len(name) <= LONGEST_NAME and not LOGIN_LINK.fullmatch(name)
        if may_name and any(_stands_apart(name, line) for line in lines):
            return name
    return None


def _stands_apart(name: str, line: str) -> bool:
    """Whether a line holds a name that is not part of a longer one: "作者某某发表于"."""
    return name in line and re.search(rf"{_AHEAD_OF_NAME}{re.escape(name)}{_BEHIND_NAME}", line) is not None


def scripted_near(page: Page, title: str, names: re.Pattern[str]) -> str | None:
    """The name that a script gives under one of the keys ``names`` next to the title; ``None`` if there is none, or
    only in the record of another article."""
    others: set[str] | None = None
    for title_at, end in places_of(title, page.text):
        near = names.finditer(page.text, max(0, title_at - NEAR_LETTERS), end + NEAR_LETTERS)
        for match in sorted(near, key=lambda match: abs(match.start() - title_at)):
            name = _decoded(match[1])
            if SHORTEST_NAME <= len(name) <= LONGEST_NAME and HAN.search(name):
                others = PageRecords(page, title).values_of_others() if others is None else others
                if name not in others:
                    return name
    return None


def _decoded(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"')).strip()
    except ValueError:
        return ""
