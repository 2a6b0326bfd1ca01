"""Reads who wrote an article and whence it came; rather nobody than a name that the page does not name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from newsspider.core.body import Body
from newsspider.core.outline import Outline
from newsspider.core.page import Page

# The surnames of nearly everybody; a reporter's name begins with one.
SURNAMES = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付傅方白"
    "邹孟熊秦邱江尹薛闫阎段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤温康施文牛樊葛邢安齐易乔伍庞颜倪庄聂章鲁岳翟殷詹申欧耿关兰焦俞左柳甘祝包宁尚符"
    "舒阮柯纪梅童凌毕单季裴霍涂成苗谷盛曲翁冉骆蓝路游辛靳管柴蒙鲍华喻祁蒲房滕屈饶解牟艾尤阳时穆农司卓古吉缪简车项连芦麦褚娄窦戚岑景党宫费卜冷晏席卫米柏宗"
    "瞿桂全佟应臧闵苟邬边卞姬师和仇栾隋商刁沙荣巫寇桑郎甄丛仲虞敖巩明佘池查麻苑迟邝官封谈匡鞠惠荆乐冀郁胥南班储原栗燕楚鄢劳谌奚皮粟冼蔺楼盘满闻位厉伊仝区郜海"
    "阚花权强帅屠豆朴盖练廉禹井祖漆巴丰支卿国狄平计索宣晋相初门云容敬来扈晁芮都普阙浦戈伏鹿薄邸雍辜羊阿乌母裘亓修邰赫杭况那宿鲜印逯隆茹诺战慕危玉银亢嵇公"
    "張劉陳楊黃趙吳孫馬鄭謝許韓馮鄧蔣葉蘇魏呂盧鐘鍾譚陸範賈韋鄒閻龍賀顧龔萬錢嚴湯溫齊喬龐顏莊聶魯歐關蘭寧紀畢單塗駱藍遊簡車項連婁賴趙鄔邊師應豐計謝郟羅傅東慶鳳蕭衛龍倉麥廣銀嶽澤顧"
)
DOUBLE_SURNAMES = (
    "欧阳",
    "上官",
    "司马",
    "诸葛",
    "皇甫",
    "尉迟",
    "公孙",
    "慕容",
    "令狐",
    "司徒",
    "东方",
    "夏侯",
    "端木",
    "歐陽",
    "張簡",
)
# What stands beside names in a byline and is none.
ROLES = (
    "文[/／]图|图[/／]文|文[/／]摄|文[/／]|特约撰稿人|特约撰稿|专栏作者|专栏作家|首席记者|特派记者|驻.{2,4}记者|实习记者|见习记者|全媒体记者|融媒体记者|客户端记者|实习生|通讯员|特约记者|特约通讯员|首席评论员|评论员|"
    "记者|記者|作者|撰稿人|撰稿|撰文|采写|采访|执笔|编译|主笔|文字|供稿|投稿|通訊員|特派員|撰文者|摄影报道|摄影|攝影|报道|報導|整合|综合|整理|发自|實習|实习|见习|图文|文图"
)
# How often a page was read stands beside its byline, with or without a blank, and often before a script has counted.
COUNT = r"(?:点击|點擊|浏览|瀏覽|阅读|閱讀|访问|訪問|查看|人气|人氣|评论|热度)(?:次数|次數|人数|人次|数|數|量|率)?\s?(?:[:：\[(（\d]|次|$)"
DAY = r"(?:19|20)\d\d\s?[-/.年]\s?\d"
REFUSED = re.compile(
    r"网|網|报|報|社|台|局|部|委|办|辦|中心|公司|大学|大學|学院|小编|佚名|未知|管理员|编辑|編輯|本站|原创|综合|整理|来源|匿名|频道|新闻|新聞|日讯|电$|責任|责任|"
    r"记者|通讯员|单位|简介|簡介|介绍|供图|转载|版权|作者|图片|摄$|admin|editor|unknown|null|none|www|http|时间|发布|分享|点击|浏览|阅读|[0-9:]{3}|博客|首页|关注|登录|客户端",
    re.IGNORECASE,
)

EDITOR = re.compile(r"编辑|责编|編輯|責任|校对|审核")  # many sites name the editor in <meta name="author">
LONGEST_MASTHEAD = 100  # characters of a line of source, date and reporter
_ROLE = re.compile(ROLES)
_SPLIT = re.compile(r"[\s、,，/&＆;；|·•:：]+|(?<=[\u4e00-\u9fff])和(?=[\u4e00-\u9fff]{2})")
_HAN_NAME = re.compile(r"[\u4e00-\u9fff]{2,4}$")
_PEN_NAME = re.compile(r"[\w\u4e00-\u9fff.-]{2,12}$")
_LATIN_NAME = re.compile(r"[A-Z][a-z'’-]+(?:\s[A-Z][a-z'’.-]*){1,3}$")
_LABEL = re.compile(
    r"(?:(?<![\u4e00-\u9fff])|(?<=[网报社刊]))(?:作者|撰文|撰稿|采写|执笔|主笔|编译|文字?\s?[/／]|文|记者|記者|作\s者|供稿|通讯员)(?:[/／](?:图|摄|摄影|拍摄))?\s?(?P<mark>[:：/／|丨])\s?"
    r"(?P<names>[^|｜\n。；;【】\[\]（）()<>:：]{2,40})"
)
_BARE_LABEL = re.compile(r"(?:^|[|｜》]\s?|\s)作者\s?(?P<names>[\u4e00-\u9fff]{2,4})(?=$|[\s|｜])")
_NAME_SLASH = re.compile(
    r"^(?P<names>[\u4e00-\u9fff]{2,4}(?:[\s、][\u4e00-\u9fff]{2,4}){0,2})\s?[/／]\s?[\u4e00-\u9fffA-Za-z]{2,12}$|记者\s?(?P<reporter>[\u4e00-\u9fff]{2,3})\s?[/／]\s?文"
)
_MARK = re.compile(r"[:：/／丨]")  # what _LABEL asks for
_BRACKET = re.compile(r"[（(【\[〔](?P<inside>[^（）()【】\[\]〔〕]{2,60})[）)】\]〕]")
_TAIWANESE = re.compile(
    r"記者(?P<names>[\u4e00-\u9fff]{3}(?:、[\u4e00-\u9fff]{3})*)(?=[\u4e00-\u9fff]{2,4}\d{1,2}日電|\s?[／/])"
)
_BRACKET_ROLE = re.compile(
    r"记者|記者|通讯员|通訊員|作者[\s:：]|实习生|撰稿|撰文|采写|供稿|执笔|评论员|^文[/／图\s:：]|^文[／/]图|特派员"
)
_REPORTER = re.compile(
    r"^[^，。：:（(]{0,16}?(?:记者|記者|通讯员|实习生)[\s/／](?P<names>[\u4e00-\u9fff\s、]{2,30}?)"
    r"(?:$|(?=[\s　](?:[^\s]{2,8}(?:报道|报导|報導|摄|电)|文[/／]|编辑|校对|发自|北京|上海)))"
)
_DATELINE = re.compile(
    r"(?:特约|首席|本报|本刊|本网|见习|实习)(?:记者|記者|撰稿)\s?(?P<names>[\u4e00-\u9fff]{2,4}(?:[\s、][\u4e00-\u9fff]{2,4}){0,3})(?=\s|$|[/／])"
)
_REPORTED = re.compile(r"[/／]|记者|記者|撰稿|通讯员|实习生")  # what each of the four above asks for
_CLOSING_NAME = re.compile(
    r"[。！？”…]\s?[（(](?P<names>[\u4e00-\u9fff\s、]{2,15})[）)]$|^[（(](?P<alone>[\u4e00-\u9fff\s、]{2,15})[）)]$"
)
_COUNT = re.compile(rf"[\[(（]?{COUNT}")
_STAMP = re.compile(rf"{DAY}{{1,2}}(?:\s?[-/.月]\s?\d{{1,2}}\s?日?)?(?:[T\s]*\d{{1,2}}[:：]\d\d(?:[:：]\d\d)?)?")
_MASTHEAD_REPORTER = re.compile(
    r"(?:^|[\s|｜])(?:本报|本刊|本网|本社|见习|实习|特约|首席)*(?:记者|記者|通讯员|通訊員|实习生)[\s:：/／]*(?P<names>[\u4e00-\u9fff\s、]{2,30}?)"
    r"(?=$|[|｜/／]|\s(?:编辑|責任|责任|责编|校对|审核|摄|文[/／]|[^\s]{2,8}(?:报道|报导|報導|电)))"
)
_SOURCE = re.compile(
    rf"(?:文章|信息|新闻|稿件|本文|内容|资料)?(?:来\s?源|來\s?源|稿源|转自|转载自|出处|摘自|供稿单位|发布(?:机构|单位)|發布單位)(?:于|自)?\s?[:：]\s?[《“\[]?\s?(?P<name>(?:(?!作者|编辑|记者|责编|时间|发布|{COUNT}|{DAY})[^\s|｜《》“”【】（）()\[\]，,。；;:：]){{2,30}})"
)
_OUTLET = re.compile(
    r"(?:^|[\s|｜/])(?P<name>[\u4e00-\u9fffA-Za-z0-9]{1,12}(?:日报|晚报|早报|时报|晨报|商报|都市报|快报|周报|导报|青年报|周刊|杂志|新闻网|新闻社|通讯社|电视台|广播网|在线|客户端|教育网|教育报|新闻|网|報|日報|社))(?=$|[\s|｜/])"
)
_NOT_A_SOURCE = re.compile(r"^(?:作者|编辑|责任|时间|日期|字号|分享|\d|本站原创$|互联网$|网络$|未知$)")
AUTHOR_METAS = ("author", "article:author", "og:article:author", "dc.creator", "byl", "mediaid:author")
SOURCE_METAS = (
    "source",
    "mediaid",
    "contentsource",
    "articlesource",
    "og:article:source",
    "dc.source",
    "copyright:source",
)


def authors_of(page: Page, outline: Outline, body: Body, linked_data: Iterable[dict[str, Any]]) -> tuple[str, ...]:
    """The persons who wrote the article, in the page's order; empty where it names none."""
    lines = outline.lines
    kept = [lines[i].text for i in body.lines]
    above, below = _around(outline, body)
    for texts, found in (
        (above, _labelled), ([*kept[:6], *kept[-3:]], _labelled), (below, _labelled),
        (kept[:3], _bracketed), ([*reversed(kept[-3:])], _bracketed), (above, _bracketed),
        ([*above, *kept[:2], *kept[-3:], *below[:3]], _reporters), ([*reversed(kept[-2:])], _closing),
    ):  # fmt: skip
        for text in texts:
            if names := tuple(dict.fromkeys(found(text))):
                return names[:6]
    told = _told(page, linked_data)
    edited = " ".join(line.text for line in lines if len(line.text) < 80 and EDITOR.search(line.text)) if told else ""
    return tuple(name for name in told if name not in edited)


def source_of(page: Page, outline: Outline, body: Body, linked_data: Iterable[dict[str, Any]]) -> str | None:
    """The outlet that the page names as its source, or ``None``."""
    above, below = _around(outline, body)
    kept = [outline.lines[i].text for i in body.lines]
    for text in (*above, *below, *(text for text in (*kept[:2], *reversed(kept[-3:])) if len(text) < 60)):
        if (match := _SOURCE.search(text)) and not _NOT_A_SOURCE.match(match["name"]):
            return match["name"].rstrip("》”-—_")
    for name in SOURCE_METAS:
        told = page.metas.get(name, "")
        if 1 < len(told) < 30 and not _NOT_A_SOURCE.match(told) and "://" not in told:
            return told
    for text in above:
        if re.search(r"\d{1,2}:\d{2}|\d{4}[-年/]\d", text) and len(text) < 80 and (match := _OUTLET.search(text)):
            return match["name"]
    return None


def _around(outline: Outline, body: Body) -> tuple[list[str], list[str]]:
    """The short lines above and below the text in which a page says who and whence."""
    lines = outline.lines
    if not body.lines:
        return [], []
    first, last = body.first, body.lines[-1]
    heading = max((at for _, _, at in outline.headings if at <= first), default=max(0, first - 10))
    inside = set(body.lines)
    above = [line.text for line in lines[max(0, min(heading, first) - 4) : first] if len(line.text) < 160]
    dropped = [lines[i].text for i in range(first, last) if i not in inside and len(lines[i].text) < 60]
    below = [
        line.text for line in lines[last + 1 : last + 8] if len(line.text) < 60 and line.linked < len(line.text) / 2
    ]
    return above + dropped[:4], below


def _labelled(text: str) -> Iterator[str]:
    for match in _LABEL.finditer(text[:300]) if _MARK.search(text) else ():
        yield from _names(match["names"], named=True)
    if "作者" in text and (bare := _BARE_LABEL.search(text[:160])):
        yield from _names(bare["names"])


def _bracketed(text: str) -> Iterator[str]:
    for match in _BRACKET.finditer(text[:400] if len(text) > 800 else text):
        inside = match["inside"]
        if (role := _BRACKET_ROLE.search(inside)) and not inside.endswith(("摄", "攝")):
            yield from _names(inside[role.start() :])


def _reporters(text: str) -> Iterator[str]:
    if not _REPORTED.search(text):
        return
    start = text[:60]
    if len(text) < LONGEST_MASTHEAD and _STAMP.search(text):
        yield from _masthead(text)
    match = _DATELINE.search(start) or _TAIWANESE.search(start) or _NAME_SLASH.search(start)
    if len(text) < 60:
        match = _REPORTER.search(text) or match
    if match:
        yield from _names(match["names"] or match.group("reporter"))


def _masthead(text: str) -> Iterator[str]:
    """The reporters in a line with a date: what else such lines hold, source, date and counts, is cut away."""
    text = _STAMP.sub(" | ", _SOURCE.sub(" | ", _COUNT.split(text)[0]))
    if match := _MASTHEAD_REPORTER.search(text.strip(" |")):
        yield from _names(match["names"])


def _closing(text: str) -> Iterator[str]:
    if match := _CLOSING_NAME.search(text):
        yield from _names(match["names"] or match["alone"])


def _names(text: str, *, named: bool = False) -> Iterator[str]:
    """The persons in a byline; ``named``: a label says that it is one, so a pen name will do."""
    text = _COUNT.split(text)[0]
    if _LATIN_NAME.match(text.strip()):
        yield text.strip()
        return
    for part in _SPLIT.split(_ROLE.sub(" ", text).strip()):
        if is_person(part):
            yield part
        elif named and part and _PEN_NAME.match(part) and not REFUSED.search(part) and not part.isdigit():
            yield part
            return  # after a pen name stands something else
        elif part and not REFUSED.search(part):
            return


def is_person(text: str) -> bool:
    """Whether ``text`` looks like a Chinese name: two to four characters behind a surname."""
    if not _HAN_NAME.match(text) or REFUSED.search(text):
        return False
    return (text[0] in SURNAMES and len(text) <= 3) or (text.startswith(DOUBLE_SURNAMES) and len(text) >= 3)


def _told(page: Page, linked_data: Iterable[dict[str, Any]]) -> tuple[str, ...]:
    told: list[str] = []
    for item in linked_data:
        writers = item.get("author")
        for writer in writers if isinstance(writers, list) else [writers]:
            name: Any = (
                writer.get("name") if isinstance(writer, dict) and writer.get("@type", "Person") == "Person" else writer
            )
            if isinstance(name, str):
                told.append(name)
    told += [page.metas[key] for key in AUTHOR_METAS if key in page.metas]
    for text in told:
        names = tuple(dict.fromkeys(part for part in _SPLIT.split(text.strip()) if is_person(part)))
        if names or _LATIN_NAME.match(text):
            return names or (text,)
    return ()
