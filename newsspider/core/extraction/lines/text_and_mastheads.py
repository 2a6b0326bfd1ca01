"""Decides which lines may be text of an article: weighs the running text of a line, and recognises the masthead between
headline and text (date, source, author, where the page stands, rows of buttons).

Lines that say when something takes place or was adopted are recognised, too: such moments are not the publication's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from newsspider.core.dates.date_reader import CLOCK_PATTERN, DAY_PATTERN
from newsspider.core.extraction.dom import Line
from newsspider.core.extraction.lines.boilerplate_lines import SENTENCE, is_boilerplate_line, is_label, is_legal
from newsspider.core.extraction.lines.person_names import without_count
from newsspider.core.text.phrases import any_of

# When something takes place, as notices give it; a bare "时间：" counts only if one of the next lines gives the place.
EVENT = re.compile(
    rf"[\W_]*(?:[一二三四五六七八九十\d]{{1,2}}\s?[、.．]\s?)?(?:{any_of('event_times')})(?:开始|结束|截止)?的?"
    r"(?:时间|時間|日期)\s?[:：]|[\W_]*有效期限?\s?[:：]"
)
CLOCK = re.compile(r"今天是|现在是|今日是|当前时间|(?<![【（(])北京时间\s*[:：]?\s*\d{4}|农历|[现現]在[时時][间間]")
CALENDAR = re.compile(r"(?:星期|周|週)[一二三四五六日天]")  # often the day of the visit
TIME_LABEL = re.compile(r"[\W_]*(?:时\s*间|時\s*間)\s?[:：]")
# When something will be: a day without a year in Chinese, with its time of day. Publications write numbers.
COMING = re.compile(r"[\W_]*(?:时\s*间|時\s*間)\s?[:：]\s?(?:[本下][周週月]|明[天日年]|\d{1,2}\s?月\s?\d{1,2}\s?日)")
# A weekday in brackets behind the day, or how long something takes: publications have neither.
PLANNED = re.compile(
    r"[\W_]*(?:时\s*间|時\s*間)\s?[:：][^:：]*日\s?"
    r"(?:[（(](?:星期|周|週|[礼禮]拜)[一二三四五六日天][)）]|.{0,4}\d{1,2}[:：]\d\d\s?[-–—~～至到]{1,2}\s?\d)"
)
ANY_DAY = re.compile(DAY_PATTERN)
PLACE_LABEL = re.compile(
    r"[\W_]*(?:[一二三四五六七八九十\d]{1,2}\s?[、.．]\s?)?(?:活动|活動|会议|會議|讲座|講座)?地\s*[点點]\s?[:：]"
)
# Details of what a notice announces, behind a label.
ITEM = re.compile(
    r"[\W_]*(?:(?:会议|會議|活动|活動|讲座|講座|报告|報告|考试|考試|比赛|比賽|培训|培訓|招聘|应聘|演讲|参会|项目|招标|采购)(?:[\u4e00-\u9fff]{1,3})"
    r"|[报報]告人|主[讲講]人|[主承协]办(?:单位|方)?|[对對]象|科目|岗位|地[点點]|[时時][间間])\s?[:：]"
)
# When a law was adopted or a document issued, in brackets above it.
ENACTED = re.compile(r"[（(][^（()）]{6,}(?:通过|批准|[公发颁]布|印发|修[订正]|施行)[）)]")

ITEM_NUMBER = re.compile(r"[一二三四五六七八九十]{1,3}\s?、")  # of a text that counts its parts
# Labels with which a masthead begins, and buttons that no text has.
LABELLED = re.compile(
    r"[\W_]*(?:(?:文章|稿件|信息|新闻|本文)?(?:来源|來源)|作者|(?:责任)?编辑|责编|責編|編輯|記者|记者|发布[时人]|[您你]?[的当所]?[的前在]位置"
    r"|(?:发布|发稿|更新|录入|创建|发表)(?:日期|时间)|日期)[\u4e00-\u9fff]{0,2}\s?[:：]"
)
BUTTONED = re.compile(
    r"(?:^|[\s|｜/>·！—-])(?:设为首页|加入收藏)(?:[\s|｜/>·—-]|$)|[\[【(（]点击[^\]】)）]{1,8}[\]】)）]"
)
# A headline in a list and its day.
STAMPED = re.compile(rf"(?<![于在从自至到截定]){DAY_PATTERN}\s?(?:{CLOCK_PATTERN})?\W*$")
HAS_DAY = re.compile(rf"{DAY_PATTERN}|\d{{1,2}}[-/]\d{{1,2}}\s\d{{1,2}}:\d\d")
# A day within a sentence: what is done on it follows at once, or stands before it without a blank.
_KINDS = "网網报報社台刊号站局厅處处委部室科院学校园馆心会組组者"
TOLD = re.compile(
    rf"{DAY_PATTERN}(?:\s?[（(][^（()）]{{1,6}}[)）])?[，,、至到起前后]?[\u4e00-\u9fff“《]{{5,}}(?<![{_KINDS}])(?=$|[^\u4e00-\u9fff])"
    rf"|[于在从自至到截定](?<![布表新稿建传]于){DAY_PATTERN}"
)
TIME = re.compile(
    r"[上下中]午|早上|晚上|晚\d|\d\s?[-—–~～至到]\s?\d{1,2}[:：]|[:：]\d\d\s?(?:前|起|开始|后)"
)  # of an event
MOMENT_PATTERN = re.compile(
    r"(?<![\d:：])\d{1,2}:\d\d(?![-—–~～])|^(?:今天|昨天|前天|刚刚|\S{1,5}前)$|\d\s?(?:分[钟鐘]|小[时時]|天)前\W*$|^[A-Z][a-z]+\.?\s\d{1,2},?\s\d{4}\b"
)
NAMED = re.compile(r"(?:来源|來源|作者|(?<!任)编辑|记者|記者)\s?[:：]")
CLAUSE = re.compile(
    r"(?:[\u4e00-\u9fff”》）)]{4}|\d日?[\u4e00-\u9fff]?)[，；、？！][\u4e00-\u9fff“《（(]{4}"
    r"|[\u4e00-\u9fff]{6}[：:]$|[？！；]$"
)
PATH = re.compile(r"[>＞»/|｜]")
BUTTON_PATTERN = re.compile(any_of("mastheads"))
WORD = re.compile(rf"{BUTTON_PATTERN.pattern}|{any_of('button_words')}")
NO_LETTER = re.compile(r"[\W\d_]+")
SENTENCE_MARK = re.compile("[，。；]")
YEAR_AND_MONTH = re.compile(r"\d{4}\s?[-/年.]\s?\d{1,2}\s?[-/月.]")
LONGEST_MASTHEAD = 80  # characters of a line with the date of an article
LETTERS_BESIDE_BUTTONS = 2  # letters that a row of buttons has besides the words of buttons
LONGEST_STEP = 8  # letters of a step in a path of pages
SENTENCE_LETTERS = 12  # characters outside links from which a line with punctuation counts as running text
LEAST_TEXT = 20  # characters of a text that says something
RUNNING = re.compile(r"[，。]|[,.]\s|”$")  # what sentences have and most headlines have not
LINK_LINE = 0.5  # share of linked characters from which a line is a link, not text
LEAD_WEIGHT = 16.0  # weight of running text from which the lines that say when and who are over
ADDRESSED = ("：", ":")  # ends the line of a notice that names its addressee
SENTENCE_ENDS = ("。", "！", "？", "”")  # of sentences
LONG_LINE = 80  # characters from which a line above the text is no masthead, if it has the marks of sentences


def is_event_time(text: str, following: Iterable[str], preceding: Iterable[str] = ()) -> bool:
    """Whether a line says when something takes place: by its label or how the moment is written, because one of the
    lines that follow says where, or because one that precedes gives the page's own moment.

    >>> is_event_time("会议时间：2024年3月8日14:00", ()), is_event_time("时间：2024-03-08 14:00", ["地点：图书馆"])
    (True, True)
    >>> is_event_time("时间：2024-03-08 14:00", ["来源：某某报"])
    False
    >>> is_event_time("时间：2024-03-08 14:00", (), ["2024-03-01 来源：某某报"])
    True
    """
    if EVENT.match(text) or COMING.match(text) or PLANNED.match(text):
        return True
    return TIME_LABEL.match(text) is not None and (
        any(map(is_event_place, following)) or any(map(ANY_DAY.search, preceding))
    )


def is_event_place(text: str) -> bool:
    """Whether a line says where something takes place.

    >>> is_event_place("二、活动地点：图书馆"), is_event_place("景点：某某寺")
    (True, False)
    """
    return PLACE_LABEL.match(text) is not None


def is_event_detail(text: str) -> bool:
    """Whether a line gives a detail of what a notice announces, behind a label.

    >>> is_event_detail("报告人：王小明 某某大学教授"), is_event_detail("教育部公布课程方案")
    (True, False)
    """
    return ITEM.match(text) is not None


def gives_date(text: str, following: Iterable[str]) -> bool:
    """Whether a line below a headline gives the date of the article, not that of an event or the day of the visit.

    >>> gives_date("时间：2024-03-08 14:00 来源：某某网", ()), gives_date("时间：2024-03-08 14:00", ["地点：图书馆"])
    (True, False)
    """
    if len(text) > LONGEST_MASTHEAD or SENTENCE_MARK.search(text) or CALENDAR.search(text):
        return False
    return YEAR_AND_MONTH.search(text) is not None and not is_event_time(text, following) and is_masthead(text)


def is_adoption(text: str) -> bool:
    """Whether a line says in brackets when the law or document below it was adopted or issued.

    >>> is_adoption("（2004年1月6日某某会议通过）"), is_adoption("（某某报2004年1月6日）")
    (True, False)
    """
    return ENACTED.fullmatch(text) is not None


def is_masthead(text: str) -> bool:
    """Whether a line above the text gives date, source or author, or is a row of buttons.

    >>> is_masthead("2024-03-05 14:08 来源：某某报"), is_masthead("（2004年1月6日某某会议通过）")
    (True, False)
    >>> is_masthead("定于2024年3月5日召开会议，有关事项通知如下："), is_masthead("打印准考证的时间"), is_masthead("大 中 小 打印")
    (False, False, True)
    """
    if ITEM_NUMBER.match(text) is not None or is_adoption(text):
        return False
    if BUTTONED.search(text) or (LABELLED.match(text) and SENTENCE.search(text) is None):
        return True
    if HAS_DAY.search(text) is not None:
        is_sentence = CLAUSE.search(without_count(text)) or TOLD.search(text)
        return not is_sentence or STAMPED.search(text) is not None
    has_moment = MOMENT_PATTERN.search(text) or (NAMED.search(text) and SENTENCE.search(text) is None)
    return bool(has_moment and TIME.search(text) is None and CLAUSE.search(text) is None) or _is_row(text)


def _is_row(text: str) -> bool:
    """Whether a line is a row of buttons and counters, or the path to the page."""
    if BUTTON_PATTERN.search(text) is None:
        return False
    letters = NO_LETTER.sub("", WORD.sub("", text))
    if len(letters) <= LETTERS_BESIDE_BUTTONS:
        return True
    steps = [NO_LETTER.sub("", step) for step in PATH.split(text)]
    return len(steps) > 1 and max(map(len, steps)) <= LONGEST_STEP


def weight_of(line: Line) -> float:
    """The characters of running text in a line; short lines and headlines count less, links and headings nothing."""
    text, linked = line.text, line.linked  # every line of every page comes by here
    length = len(text)
    if linked > LINK_LINE * length or (line.tag and not _is_written_as_heading(line)) or is_legal(text):
        return 0.0
    plain = length - linked
    if not line.marks or plain < SENTENCE_LETTERS:
        return plain * 0.15
    return float(plain) if RUNNING.search(text) else plain * 0.5


def _is_written_as_heading(line: Line) -> bool:
    """Whether a heading is none, but a paragraph that an editor set large."""
    return len(line.text) >= LONG_LINE // 2 and line.marks > 2 and line.text.endswith(SENTENCE_ENDS)


def is_link(line: Line) -> bool:
    """Whether a line is a link rather than text."""
    return line.linked > LINK_LINE * len(line.text)


def is_paragraph(line: Line, weight: float) -> bool:
    """Whether a line of that weight, where it stands, is a paragraph of running text."""
    return weight >= LEAD_WEIGHT and line.marks > 0


def is_text(line: Line, above: bool = False) -> bool:
    """Whether a line of the article's container belongs to the article; ``above``: no running text precedes it."""
    text = line.text
    if is_link(line) and (line.marks < 2 or line.linked > 0.8 * len(text)):
        return False
    if (is_boilerplate_line(text) and (above or not is_label(text))) or is_legal(text):
        return False
    if not above:
        return True
    is_part = _is_written_as_heading(line) or text.endswith(ADDRESSED) or ITEM_NUMBER.match(text)
    if line.tag == "h1" and not is_part:
        return False
    long = len(text) >= LONG_LINE and RUNNING.search(text) is not None
    return long or text.endswith(SENTENCE_ENDS) or not is_masthead(text)
