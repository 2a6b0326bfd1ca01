"""Reads who wrote an article, preferring no author to a wrong one, and which editors signed for its page.
A byline is split into names by ``persons_in`` of ``lines/person_names.py``, at the roles in ``words/byline_roles.txt``.
What no name contains stands in ``words/never_in_person_names.txt``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from newsspider.core.extraction.body.nearby_lines import LONGEST_ABOVE, Surroundings
from newsspider.core.extraction.body.user_posts import host_and_path, written_by_users
from newsspider.core.extraction.byline.credit_line import credit_of
from newsspider.core.extraction.byline.source import AUTHORS, SHORT_LINE, SOURCE, posted_by, scripted_near, with_values
from newsspider.core.extraction.dom import Outline, Page
from newsspider.core.extraction.lines.person_names import (
    MONTH_PATTERN,
    STAMP,
    is_latin_name,
    is_pen_name,
    is_person,
    persons_in,
    unspaced_names,
    without_count,
)
from newsspider.core.text.characters import HAN
from newsspider.core.url import host_of

LONGEST_MASTHEAD = 100  # characters of a line of source, date and reporter
LONGEST_NAMES = 40  # characters of the names behind a label
LONGEST_SIGNERS = 20  # characters that names at the end of a paragraph may have
SITE_METAS = ("application-name", "og:site_name")  # what forums write into the author's, too
_BEFORE = r"(?<![\u4e00-\u9fff])|(?<=[网报社刊])|(?<=本文)|(?<=法庭|财经|財經|体育|體育|首席|特约|特約)"
_WRITER = r"[Aa]uthor|作者|撰文|撰稿人?|采写|执笔人?|主笔|编译|文字|文、?图|图文|文|[记記]者|作\s者|供稿人?|投稿人|通讯员|[楼樓]主|原作者"
_BRACKETED = r"[\[【(（〔]\w{1,4}[\]】)）〕]"
_LABEL = re.compile(
    rf"(?:{_BEFORE})(?:{_WRITER})(?:[/／](?:图|摄|摄影|拍摄))?\s?(?P<mark>[:：︰﹕/／|｜丨])\s?(?:{_BRACKETED}\s?)?"
    rf"(?P<names>(?:(?!责编|责任编辑)[^|｜\n。；;【】\[\]（）()<>:：]){{2,{LONGEST_NAMES}}})"
)
_WRITER_ALONE = re.compile(r"[\W_]*(?:作\s?者|记\s?者|撰稿人?)[\W_]*")
_HAN_NAME = r"[\u4e00-\u9fff]{2,4}"
_BARE_LABEL = re.compile(
    rf"^\W*作者\s(?P<all>{_HAN_NAME}(?:[\s、]{_HAN_NAME}){{1,3}})\W*$"
    rf"|(?:^|[|｜》]\s?|\s)作者\s?(?P<names>{_HAN_NAME})(?=$|[\s|｜\d])"
)
_OTHER_ROLE = "摄|攝|图|圖|供图|制图|绘|繪|编辑|編|剪|译|譯|[审審校]"
_OTHER_WORK = re.compile(  # "《某书》 作者：王小明", "书名：某书 作者：王小明"
    r"》[\s，,、|｜/（(]*作者\s?[:：/]|(?:书名|書名|篇名|歌名|片名|出版社|定价|定價|ISBN|作品名?称?|获奖作品)\s?[:：]"
)
# "（王小明/文 李红/图）"
_SLASH_WRITER = re.compile(
    rf"(?:^|[\s,，;；、])(?P<names>{_HAN_NAME}(?:[\s、]{_HAN_NAME}){{0,2}})\s?[/／]\s?(?:撰?文|文字|采写)(?=$|[\s,，;；、/／])"
)
_OFFICES = r"[\u4e00-\u9fff]{0,12}[馆館处處院系部室科组組局办辦大学學会會委中园園班级級]\s"
_OFFICE = re.compile(rf"^{_OFFICES}(?=[\u4e00-\u9fff]{{2,4}}\s?$)")
_NAME_SLASH = re.compile(
    rf"^(?P<names>{_HAN_NAME}(?:[\s、]{_HAN_NAME}){{0,2}})(?:(?:\s?[/／]\s?文|\s文\s?[/／]\s?图)(?=\s|$)"
    rf"|\s?[/／]\s?(?!{_OTHER_ROLE})[\u4e00-\u9fffA-Za-z]{{2,12}}$)|"
    rf"记者\s?(?P<reporter>[\u4e00-\u9fff]{{2,3}})\s?[/／]\s?文"
)
# Who took the pictures or translated: a label behind the writers' names. And any other label there.
_BESIDES = re.compile(
    r"(?:摄影|攝影|拍摄|供图|制图|配图|图片|[图圖摄攝]|[译譯]者?|翻译|插画|[审審][核校定]人?)\s?[/／|｜丨:：]"
)
_NEXT_LABEL = re.compile(r"[\s、，,][^\s、，,]{2,}$")
_GLUED_LABEL = re.compile(  # ... without a blank before it
    r"(?:(?:发布|发表|录入|更新|上传)?(?:时间|日期)|(?:浏览|阅读|点击|访问)(?:次数|量|数)?|来源|编辑|审核|摄影|图片)$"
)
_POSTED_BY = re.compile(  # who put it on the net, or began a thread
    r"(?:发布|發布|上传)[者人]\s?[:：]\s?(?P<name>[\u4e00-\u9fff]{2,4}?)(?=$|[^\u4e00-\u9fff]|发布|时间|浏览|阅读|所属)"
    r"|^楼主\s(?!发[表布]于)(?P<name2>\S{2,12})\s(?:发[表布]于|\d)"
)
_OWNER = re.compile(  # whose blog it is, as the path of a post on a platform begins
    r"[^/]*(?P<home>/(?!(?:\d{4}|blogs?|news|\w\w-\w\w)/)[\w-]{3,})/(?:articles?|p|posts?|archives?|blog)/"
)
_MARK = re.compile(r"[:：︰﹕/／|｜丨]")  # one of these is in every match of _LABEL
_SLASH = re.compile("[/／╱∕]")
_BRACKET = re.compile(r"[（(【\[〔［](?P<inside>[^（）()【】\[\]〔〕［］]{2,60})[）)】\]〕］]")
_HELPED = re.compile(r"参与(?:采写|报道)?的?(?:记者)?\s?[:：]")  # "（参与记者：王小明）": a further one wrote the text
_TAIWANESE = re.compile(
    r"記者(?P<names>[\u4e00-\u9fff]{3}(?:、[\u4e00-\u9fff]{3})*)(?=[\u4e00-\u9fff]{2,4}(?:\d{1,2}日[專专]?電|報導)|\s?[／/])"
)
_BRACKET_ROLE = re.compile(
    r"记者|記者|通讯员|通訊員|作者[\s:：]|实习生|撰稿|撰文|采写|供稿|执笔|评论员|^文[/／图\s:：]|^图[/／]文|特派员"
)
_AFTER_NAMES = r"(?=[\s　](?:[^\s]{2,8}(?:报道|报导|報導|摄|电)|文[/／]|来源|编辑|校对|发自|北京|上海))"
_REPORTER = re.compile(
    r"^[^，。：:（(]{0,16}?(?:(?:记者|記者|通讯员|实习生|评论员|撰稿人?)[\s/／](?P<names>[\u4e00-\u9fff\s、·]{2,30}?)"
    rf"(?:$|{_AFTER_NAMES})|(?:记者|記者)(?P<reporter>[\u4e00-\u9fff]{{2,3}})(?=[\s　]文[/／]))"
)
# How a text begins: "某某报讯 记者 王小明 ...", "某某新闻记者 王小明 通讯员 李红 ..."; behind the names stands a blank.
_OPENING = re.compile(
    r"^[\W_]*(?:[\u4e00-\u9fff·-]{1,14}?[讯电]\s+)?[\u4e00-\u9fff·]{0,12}?记者\s*"
    rf"(?P<names>{_HAN_NAME}(?:[\s、]+(?:通讯员|实习生)?\s*{_HAN_NAME}){{0,3}})"
    r"(?=\s|$|(?<=\s..)报道|(?<=\s...)报道|(?<=记者...)报道)"
)
_DATELINE = re.compile(
    r"(?:特约|首席|本报|本刊|本网|见习|实习)(?:记者|記者|撰稿)\s?"
    rf"(?P<names>{_HAN_NAME}(?:[\s、]{_HAN_NAME}){{0,3}})(?=\s|$|[/／])"
)
_WIRED = re.compile(  # "某某网南京3月5日电 (王小明)", "本报讯（王小明）"
    r"(?:\d日[电電]|^[\W_]*[\u4e00-\u9fff]{1,8}[报網网社台]讯[:：]?)\s?"
    r"[（(](?P<names>[\u4e00-\u9fff\s、·]{2,15}?)(?:报道)?[）)]"
)
_REPORTED = re.compile(r"[/／記记撰讯习评电電]")  # one of these is in every match of the patterns above
_PHOTOGRAPHER = re.compile(r"(?<![/／])(?:[摄攝]|供图|制图|(?<!编)译)\W*$|[/／\s](?:[图绘]|摄影|攝影)\W*$")
_MARKED_NAME = re.compile(r"^[□■◎●○◆◇▲△☆★]\s*(?P<names>[\u4e00-\u9fff\s、]{2,15})$")
_AUTHOR_IS = re.compile(r"作者[\s:：]?(?P<names>[\u4e00-\u9fff]{2,4}?)(?:系|为(?![，,]|系|是|\s)|是(?!为)|[，,])")
_CLOSING_NAME = re.compile(
    r"(?:[。！？”…]|(?<![通简簡快短资資喜问問])讯)\s?[（(](?P<names>[\u4e00-\u9fff\s、]{2,20})[）)]$"
    r"|^[（(](?P<alone>[\u4e00-\u9fff\s、]{2,15}(?<!编辑|編輯))[）)]$"
    rf"|(?:^|[。！？”…]\s?)[\[［【](?P<square>{_OFFICES}{_HAN_NAME})\s?[\]］】]$"
)
_MASTHEAD_REPORTER = re.compile(
    r"(?:^|[\s|｜])[\u4e00-\u9fff·]{0,10}?(?:记者|記者|通讯员|通訊員|实习生|撰稿人?|文[/／]图|图[/／]文)[\s:：/／]*(?P<names>[\u4e00-\u9fff\s、·]{2,30}?)"
    r"(?=$|[|｜/／]|\s(?:编辑|責任|责任|责编|校对|审核|摄|文[/／]|[^\s]{2,8}(?:报道|报导|報導|电)))"
)
# "王小明 李红玉 報導", or nothing but a name: those of three characters, for channels have names of two.
_MASTHEAD_ALONE = re.compile(
    r"^(?P<all>[\u4e00-\u9fff]{3}(?:[\s、][\u4e00-\u9fff]{3}){0,3})(?:\s(?:採訪)?報導(?=$|\s)|$)"
)
_MASTHEAD_NAME = re.compile(r"[\[【(（]\s?(?P<names>[\u4e00-\u9fff]{2,4}(?:[\s、][\u4e00-\u9fff]{2,4})?)\s?[\]】)）]")
# An account says that it wrote this itself.
_ORIGINAL = re.compile(rf"^原创\s(?P<names>\S{{2,12}})\s(?:(?:最后)?(?:发布|修改)于\s?)?{MONTH_PATTERN}")
_OWN = re.compile(r"原创\s(?P<names>[\u4e00-\u9fff]{2,8})")  # ... in front of its own name
_CONTRIBUTED = re.compile(r"(?:本文|文章)(?:为|系|由)(?P<names>[^，。\s]{2,12}?)(?:授权|投稿|供稿)")
_SIGNED = re.compile(r"^[\W_]*(?:采写|撰文|撰稿|作者|执笔|文|记者|記者)\s?[:：︰﹕/／|丨]")
_BREAK = re.compile(r"[\s、,，/／&＆;；|:：︰﹕]+")

MOST_AUTHORS = 6  # authors of one article
EDITOR = re.compile(r"编辑|责编|編輯|責任|校对|审核")  # many sites name the editor in <meta name="author">
LONGEST_SIGNATURE = 40  # characters of a line of the text that may be a byline wherever it stands
AUTHOR_METAS = (
    "author",
    "article:author",
    "og:article:author",
    "dc.creator",
    "byl",
    "mediaid:author",
    "citation_authors",
)
ITEM_AUTHOR = re.compile(r"itemprop=[\"']?author")
ACCOUNT = re.compile(  # class and id names of the name of whoever posted it
    r"(?:author|nick|user|account|media|up)[-_]?name|nickname|(?<![a-z])writer(?![a-z])", re.IGNORECASE
)
# An account is an author only where the page calls it one, or, in a forum, where it has a real name.
CALLED = re.compile(r"原创作者|原創作者|(?:本文|文章|作品)作者")
POSTED_BY = re.compile(r"发表于|發表於|楼主|樓主")
NEAR_LINES = 6  # lines from the title on in which both stand
_WORD = re.compile(r"[\s,，|｜·]+(?:作者)?")  # what sets the name of an account apart in a line above its text
_BY = re.compile(r"(?:^|[|｜]\s?)[Bb]y\s(?=[A-Z])")  # in front of the name in English
_LIST = re.compile(r"[,，、;；&]|\sand\s")

MOST_EDITORS = 4
# lines of the text in which the editor may sign below the writer, and characters of such a line
EDITOR_LINES, LONGEST_EDITOR_LINE = 4, 24
_EDITOR = re.compile(
    r"(?<![总主])(?:(?:责任|責任|执行|值班|本文|网络|新媒体|栏目|文字)?(?:编辑|編輯)|责编|責編|选稿)"
    r"(?:[/／][\u4e00-\u9fff]{2,4})?\s?[:：︰﹕/／|｜丨]\s?[(（]?"
    r"(?P<names>(?:(?!\s(?:责任|責任)?(?:编辑|編輯|责编|責編))[^:：︰﹕(（)）\]】\n。；;|｜]){2,40})"
)
_BARE_EDITOR = re.compile(
    r"(?<![\u4e00-\u9fff])(?:(?:责任|責任|见习|实习)?(?:编辑|編輯)|责编|責編)\s(?P<name>[\u4e00-\u9fff]{2,4})(?![\u4e00-\u9fff])"
)
_ON_DUTY = re.compile(r"责任编辑|責任編輯|责编|責編")
_NAME_BREAK = re.compile(r"[\s、,，/／&＆]+")
_CODE = re.compile(r"[_ -]?[A-Z]{1,5}\d{2,}$")  # the editor's number in the newsroom's system


def authors_of(
    page: Page,
    outline: Outline,
    around: Surroundings,
    linked_data: Iterable[dict[str, Any]],
    title: str | None,
    source: str | None = None,
) -> tuple[str, ...]:
    """The persons who wrote the article, in page order; empty if the page names none but its ``source``."""
    above = [*with_values([text for text in around.above if text != title], title, _WRITER_ALONE)]
    lines, below = around.body_lines, around.below
    for texts, names_in in (
        (above, _labelled),
        ([*lines[:6], *lines[-3:]], _labelled_in_text),
        (below, _labelled),
        (lines[6:-3], _signed),
        (above, _credited),
        (lines[:8], _credited),
        (lines[:3], _bracketed),
        ([*reversed(lines[-3:])], _bracketed),
        (above, _bracketed),
        (lines[-3:], _contributed),
        (below[:3], _bracketed),
        ([*above, *lines[:2], *lines[-3:], *below[:3]], _reporters),
        (lines[:1] if len(lines) > 1 and not any(_together(lines[1])) else (), _together),
        ([*reversed(lines[-2:]), *below[:2]], _closing),
        (above, partial(_original, account=source)),
        ([*above[-3:], *lines[:2], *lines[-1:]], _marked),
        (lines[-3:], partial(_bracketed, helpers=True)),
    ):
        for text in texts:
            if names := tuple(dict.fromkeys(names_in(text))):
                return names[:MOST_AUTHORS]
    sites = {source, *(page.metas.get(name) for name in SITE_METAS)}
    host = host_of(page.url)
    declared = declared_authors(page, linked_data)
    declared = tuple(name for name in declared if name not in sites and name.lower() not in host)
    edited = (
        " ".join(line.text for line in outline.lines if len(line.text) < 80 and EDITOR.search(line.text))
        if declared
        else ""
    )
    declared = tuple(name for name in declared if name not in edited)
    persons = tuple(name for name in declared if is_person(name) or is_latin(name))
    if not persons and title and (scripted := scripted_near(page, title, AUTHORS)):
        persons = tuple(persons_in(scripted))
    if persons:
        return persons
    return _poster(page, outline, above) or posting_account(outline, around, declared)


def _poster(page: Page, outline: Outline, above: list[str]) -> tuple[str, ...]:
    """Who posted, as a line above the text says, or the account on a page that users write."""
    for text in above:
        if (match := _POSTED_BY.search(text)) and is_pen_name(name := match["name"] or match["name2"]):
            return (name,)
    if not written_by_users(page):
        return ()
    owner = _OWNER.match(host_and_path(page.url))
    name = posted_by(page, above, home=owner["home"] if owner else None)
    return () if name is None or not is_pen_name(name) or name in (outline.title or "") else (name,)


def _labelled(text: str) -> Iterator[str]:
    for match in _LABEL.finditer(text[:300]) if _MARK.search(text) else ():
        names = _BESIDES.split(match["names"], maxsplit=1)[0]
        mark = text[match.end() : match.end() + 1] if names == match["names"] else ""
        labelled = mark in (":", "：", "︰", "﹕")  # its last word is the next label
        is_cut = mark != "" and len(match["names"]) == LONGEST_NAMES and "，" in names
        is_question = mark == "。" or "？" in names or is_cut  # in an interview they are a sentence
        names = _NEXT_LABEL.sub("", _GLUED_LABEL.sub("", names)) if labelled else names
        yield from persons_in(names, named=not is_question)
    if "作者" in text and (bare := _BARE_LABEL.search(text[:160])):
        names = _BREAK.split(bare["all"] or bare["names"])
        yield from names if all(map(is_person, names)) else persons_in(names[0])


def _labelled_in_text(text: str) -> Iterator[str]:
    """The names behind a label in a line of the text, unless it tells the author of another work."""
    return iter(()) if _OTHER_WORK.search(text[:300]) else _labelled(text)


def _signed(text: str) -> Iterator[str]:
    """The names of a line in the middle of the text that is only a byline."""
    if len(text) <= LONGEST_SIGNATURE and _SIGNED.match(text):
        yield from _labelled(text)


def _credited(text: str) -> Iterator[str]:
    """The writers in a credit line, or in the credit in front of a text."""
    yield from credit_of(text).persons if _SLASH.search(text[:LONGEST_SIGNATURE]) else ()


def _contributed(text: str) -> Iterator[str]:
    if match := _CONTRIBUTED.search(text[:60]):
        yield from persons_in(match["names"], named=True)


def _bracketed(text: str, *, helpers: bool = False) -> Iterator[str]:
    for match in _BRACKET.finditer(text[:400] if len(text) > 800 else text):
        inside = match["inside"]
        if _HELPED.match(inside) and not helpers:
            continue
        if _OTHER_WORK.match(text[match.start() - 1 : match.end()]):
            continue
        if called := _AUTHOR_IS.search(inside):
            yield from persons_in(called["names"])
        elif _SLASH.search(inside) and (writer := _SLASH_WRITER.search(inside)):
            yield from persons_in(writer["names"])
        elif (role := _BRACKET_ROLE.search(inside)) and not _credits_no_writer(inside):
            first = _BREAK.split(inside, maxsplit=1)[0]
            yield from persons_in(inside if is_person(first) and len(first) > 2 else inside[role.start() :])


def _credits_no_writer(text: str) -> bool:
    """Whether a byline names the photographer or translator, and no writer."""
    return _PHOTOGRAPHER.search(text) is not None and "文" not in text


def _reporters(text: str) -> Iterator[str]:
    if len(text) < LONGEST_MASTHEAD and STAMP.search(text):
        yield from _masthead(text)
    if not _REPORTED.search(text):
        return
    start = text[: 60 if len(text) > 60 + LONGEST_SIGNERS else None]  # no name at the end is cut off
    if len(text) < LONGEST_SIGNATURE and _credits_no_writer(text):
        return
    forms = (_OPENING, _WIRED, _DATELINE, _TAIWANESE, _NAME_SLASH)
    match = next((match for form in forms if (match := form.search(start))), None)
    if len(text) < 60:
        match = _REPORTER.search(text) or match
    if match:
        yield from persons_in(match["names"] or match["reporter"])


def _masthead(text: str) -> Iterator[str]:
    """The reporters in a line with a date, after its source, date and counts are cut away."""
    plain = STAMP.sub(" | ", without_count(text)).strip(" |0123456789")  # a count may have an icon as its label
    rest = SOURCE.sub(" | ", plain).strip(" |")
    if match := _MASTHEAD_REPORTER.search(rest) or _MASTHEAD_NAME.search(rest):
        yield from persons_in(match["names"])
    elif alone := _MASTHEAD_ALONE.search(plain):
        names = _BREAK.split(alone["all"])
        yield from names if all(map(is_person, names)) else ()
    elif by := _BY.search(plain):
        yield from persons_in(plain[by.end() :].split("|")[0].strip())


def _together(text: str) -> Iterator[str]:
    """The names of a line that holds several of them and nothing else.

    >>> [*_together("王小明 李红")], [*_together("王小明")]
    (['王小明', '李红'], [])
    """
    names = _BREAK.split(text) if len(text) <= LONGEST_SIGNERS else []
    yield from names if len(names) > 1 and all(map(is_person, names)) else ()


def _closing(text: str) -> Iterator[str]:
    if (match := _CLOSING_NAME.search(text)) and not _credits_no_writer(text):
        yield from persons_in(
            _OFFICE.sub("", (match["names"] or match["alone"] or match["square"]).removesuffix("报道"))
        )


def _marked(text: str) -> Iterator[str]:
    """The names behind a mark, with which newspapers set off the writers."""
    if match := _MARKED_NAME.match(text):
        yield from (name for name in persons_in(match["names"]) if len(name) > 2 or " " in match["names"])


def _original(text: str, account: str | None) -> Iterator[str]:
    if account and text.endswith(account) and (own := _OWN.fullmatch(text.removesuffix(account).rstrip())):
        yield own["names"]
    elif (match := _ORIGINAL.search(text)) and is_pen_name(match["names"]):
        yield match["names"]


def declared_authors(page: Page, linked_data: Iterable[dict[str, Any]]) -> tuple[str, ...]:
    """The authors that JSON-LD, <meta> or microdata name: those of the first that names any."""
    declared = [_writers(item) for item in linked_data]
    declared += [[page.metas[key]] for key in AUTHOR_METAS if key in page.metas] + [_marked_up(page)]
    for texts in declared:
        if names := tuple(dict.fromkeys(name for text in texts for name in _declared_names(text.strip()))):
            return names
    return tuple(name for texts in declared for name in map(str.strip, texts) if is_pen_name(name))


def _writers(item: dict[str, Any]) -> list[str]:
    """The persons whom a JSON-LD object calls its authors."""
    declared = item.get("author")
    names = []
    for writer in declared if isinstance(declared, list) else [declared]:
        name = writer
        if isinstance(writer, dict):
            types = writer.get("@type", "Person")
            name = writer.get("name") if "Person" in (types if isinstance(types, list) else [types]) else None
        if isinstance(name, str):
            names.append(name)
    return names


def _marked_up(page: Page) -> list[str]:
    """The name of the first author of microdata."""
    if "itemprop" not in page.text or ITEM_AUTHOR.search(page.text) is None:  # the first is found much faster
        return []
    for author in page.tree.iterfind(".//*[@itemprop='author']"):
        for element in (*author.iterfind(".//*[@itemprop='name']"), author):
            if name := " ".join((element.get("content") or "".join(element.itertext())).split()):
                return [name]
    return []


def _declared_names(text: str) -> tuple[str, ...]:
    if EDITOR.search(text):
        return ()
    listed = tuple(part for part in map(str.strip, _LIST.split(_BY.sub("", text))) if part)
    return tuple(part for part in _BREAK.split(text) if is_person(part)) or (
        listed if listed and all(map(is_latin, listed)) else ()
    )


def is_latin(text: str) -> bool:
    """Whether a text of the metadata looks like a name in Latin letters, which may all be lower case or capitals."""
    return is_latin_name(text if " " in text and not text.isupper() else text.title())


def posting_account(outline: Outline, around: Surroundings, declared: Iterable[str]) -> tuple[str, ...]:
    """The account that posted the article: named in the metadata and above the text, or labelled as its author."""
    words = {
        word
        for text in around.above
        if len(text) <= LONGEST_SIGNATURE
        for word in _WORD.split(text)
        if HAN.search(word)
    }
    if named_above := tuple(dict.fromkeys(name for name in declared if name in words or name in around.above)):
        return named_above[:MOST_AUTHORS]
    lines = outline.lines[around.heading : around.heading + NEAR_LINES]
    if any(POSTED_BY.search(text) for text in around.above):
        return tuple(line.text for line in lines if line.linked == len(line.text) and is_person(line.text))[:1]
    if any(CALLED.search(line.text) for line in lines):
        for line in lines:
            if len(line.text) <= 12 and ACCOUNT.search(outline.nodes[line.node].name) and is_pen_name(line.text):
                return (line.text,)
    return ()


def editors_of(around: Surroundings) -> tuple[str, ...]:
    """The duty editors that the page names, in its order.

    They usually stand below the text, in Taiwan in brackets after its last sentence, on some sites above it. The
    responsible editors (责任编辑) come before others.
    """
    opening = (
        text for text in around.body_lines[:EDITOR_LINES] if len(text) < LONGEST_EDITOR_LINE and _EDITOR.match(text)
    )
    texts = (*around.below, *reversed(around.body_lines[-2:]), *around.above, *opening)
    for text in sorted(texts, key=lambda text: _ON_DUTY.search(text) is None):
        named = sorted(
            _EDITOR.finditer(text if len(text) < LONGEST_ABOVE else text[-SHORT_LINE:]),
            key=lambda match: _ON_DUTY.match(match[0]) is None,
        )
        if names := tuple(dict.fromkeys(name for match in named for name in _editors(match["names"]))):
            return names[:MOST_EDITORS]
        if (bare := _BARE_EDITOR.search(text)) and len(text) < SHORT_LINE and is_person(bare["name"]):
            return (bare["name"],)
    return ()


def _editors(text: str) -> Iterator[str]:
    """The names behind the label, up to the first part that is no name: the next label, a number."""
    if is_latin_name(text.strip()):
        yield text.strip()
        return
    for place, part in enumerate(_NAME_BREAK.split(unspaced_names(text.strip()))):
        name = _CODE.sub("", part).removeprefix("实习生")
        if not is_pen_name(name) or (place and not is_person(name)):
            return
        yield name
