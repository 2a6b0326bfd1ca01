"""Recognises lines of a page that are not the article's: by their words (notices, buttons, labels, lines that end the
text: the lists of ``core/extraction/words``), and by what a site puts around the text of many articles.

Learned boilerplate, which ``BOILERPLATE_LEARNED`` of ``settings.py`` switches off, is a line that stands at the edge of
the text in article after article of one site (Bar-Yossef and Rajagopalan: Template Detection via Data Mining and its
Applications, WWW 2002, for whole blocks). A line between two paragraphs that nobody repeats belongs to the text.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable, Sequence

from newsspider.core.dates.date_reader import CLOCK_PATTERN, DAY_PATTERN
from newsspider.core.extraction.lines.person_names import CHECKED, lists_credits
from newsspider.core.text.phrases import any_of

LONGEST_LINE = 100  # characters above which a line is not boilerplate
LEGAL_LINE = 200  # characters over which a line is no notice of rights
END_LINE = 40  # characters over which a line does not end the article

# What may surround the words of such a line: brackets, marks, bullets.
_AROUND = r"[\W_]*"
_BEHIND = r"[^\w。？?]*"  # ... but for the end of a sentence

# Lines that end the article: all that follows is not its text.
_ENDS = any_of("article_ends")
# The words behind them are set off, or name whose rights these are.
_SET_OFF = r"(?:[\s:：|｜丨/>»©®\]】)）(（\d—-]|(?<=[权權]所有)[，,侵翻违違不未©]|[请請](?:关注|點擊|点击|查看|[见見看]))[^。？！]{0,30}"
ENDS = re.compile(rf"^{_AROUND}(?:{_ENDS})(?:{_SET_OFF}|{_BEHIND})$", re.IGNORECASE)
# Of those that end a text, the notices of rights and the call to say something.
FINAL = re.compile(
    r"^[\W_]*(?:©|(?:版权|版權|免责|免責|特别|特別)(?:声明|聲明|所有)|copyright|我来说两句)", re.IGNORECASE
)
# A disclaimer of this very text, however long: it ends the article for good.
DISCLAIMER = re.compile(
    r"[\W_]*(?:免责声明|免責聲明)(?:[:：】\]）)]|\s)[\W_]*(?:本[文组組篇]|[该該此]文|以上|上述|文[中内內])"
)
# What somebody states in the text itself, unless it is on the site and what it publishes.
_STATED = re.compile(rf"[\W_]*(?:{any_of('statement_heads')})\s?[:：]\s?(?=\S{{6}})")
_OF_SITE = re.compile(any_of("site_statements"))
# Notices of rights and disclaimers of opinions.
NOTICE = re.compile(rf"{_AROUND}(?:{any_of('rights_notices')})")
RIGHTS = re.compile(any_of("rights_words"))
# Lines that stand above what readers say.
_COMMENT = r"(?:评论|評論|跟[贴帖]|留言)"
_UNITS = "条條件个個则則"
_WHOSE = "热门|最新|网友|全部|精彩|所有|文章|用户|读者|發表|发表|我要|参与|查看|最热|熱門|網友|讀者"
_OF = r"(?:网友|本文|文章|新闻|目前|《[^》]{1,24}》|[\W_]){0,3}"
_COUNTED = rf"{_OF}(?:已有|共有?)\s*\d+\s*[{_UNITS}]?{_COMMENT}|\d+\s*[条條個个則则]{_COMMENT}"
_CHINESE = rf"(?:{_WHOSE})(?:{_COMMENT}|回应|回應)|{_COMMENT}(?=[\W_]*\d)|{_COUNTED}"
_ENGLISH = (
    r"(?:(?:\d+\s+)?(?:comments?|responses|feedback|trackbacks?)(?:\s+to\s.*)?"
    r"|leave a (?:reply|comment)|post a comment)"
)
_COMMENTS = (
    rf"^{_AROUND}(?:{_CHINESE})(?:{_AROUND}共?\s*\d*\s*[{_UNITS}]?){_BEHIND}$"
    rf"|^(?:#\s*re\s*[:：].*|{_AROUND}{_ENGLISH}[\W_\d]*)$"
)
COMMENTS = re.compile(_COMMENTS, re.IGNORECASE)
# Lines that head a box with links beside the text; within a text they may be words of its own.
_HEADS = rf"^{_AROUND}(?:{any_of('article_box_headings')}){_BEHIND}$"
BOX = re.compile(rf"^{_AROUND}(?:{_ENDS}){_BEHIND}$|{_HEADS}|{_COMMENTS}", re.IGNORECASE)
# A line that says that what follows is advertised, and one that is only a label in front of files.
ADVERTISEMENT = re.compile(r"[\W_]*(?:广告|廣告|推广|贊助|advertisement)[\W_]*$", re.IGNORECASE)
FILES = re.compile(r"[\W_]*(?:相关|關聯|关联)?(?:附件|文件)(?:下载|下載|列表)?[\W_]*")
# Lines that are boilerplate wherever they stand, links from page to page among them.
_PAGES = r"第?\s*+\d++\s*+[页頁]|共\s*+\d++\s*+[页頁]|[上下]一[页頁]|[首尾末][页頁]|\d++|[/|<>»«\s]"
BOILERPLATE = re.compile(rf"^{_AROUND}(?:{any_of('boilerplate')}|(?=.*[页頁])(?:{_PAGES})++){_BEHIND}$", re.IGNORECASE)
# Calls to the reader, and labels with a value: what words of a sentence make one of the text.
CALL = re.compile(rf"^{_AROUND}(?:{any_of('calls_to_readers')}){_BEHIND}$", re.IGNORECASE)
LABEL = re.compile(rf"^{_AROUND}(?:{any_of('value_labels')}){_BEHIND}$", re.IGNORECASE)
CLOSING_CALL = re.compile(rf"{_AROUND}(?:{any_of('follow_calls')}){_BEHIND}$")
SENTENCE = re.compile(rf"{any_of('sentence_words')}|[。？！]$|。[\u4e00-\u9fff]{{2}}")
TELLS = re.compile(any_of("value_sentences"))  # of a label: no name has these
ORIGINAL = re.compile(r"[\W_]*原文(?:链接|地址|网址|出处)[\W_]*(?:https?://\S*)?")
_PROVINCES = "京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼港滬遼魯蘇贛陝閩貴粵瓊"
_OF_SENTENCES = "”’」。，了成是把被让会该者人的权權"
# Without IGNORECASE, each branch with a plain first character: so the search finds these fast.
_OWNED = rf"版[权權]所有(?:(?=$|[\s:：©|｜(（.0-9]|[，,]?(?:[侵翻违違未禁]|不得|如转载))|(?=[^{_OF_SENTENCES}]*$))"
_FILED = rf"ICP[备備证](?:(?<=[{_PROVINCES}]ICP.)|案?[号號字]?[\s:：]*\w{{0,2}}\d)|公网安备\s?\d"
_RESERVED = "All [Rr]ights [Rr]eserved|all [Rr]ights [Rr]eserved|ALL RIGHTS|COPYRIGHT"
_COPYRIGHT = r"[Rr]ight\s*(?:©|&copy|\d{4}|\([cC]\))"
LEGAL = re.compile(rf"{_OWNED}|{_FILED}|{_RESERVED}|Copy{_COPYRIGHT}|copy{_COPYRIGHT}")
NEIGHBOUR = re.compile(r"\W*[上下前后]一?[篇条则页]")
# A site's imprint: its owner and contacts.
IMPRINT = re.compile(any_of("imprint"), re.IGNORECASE)
CONTACT = re.compile(r"(?:通[讯訊])?(?:地\s?址|[电電]\s?[话話]|[传傳]\s?真|[邮郵]\s?[编編箱])\s?[:：]")
# The disclaimer of a platform below what its users wrote.
STORED = re.compile(r"仅(?:为用户)?提供信息(?:存储|发布)(?:空间|平台)?服?务?[。.”\W]*$")
# A request for consent to cookies: how it begins, and a word that it has.
COOKIES = re.compile(
    r"[\W_]*(?:(?:本|此|该)?(?:网|網)?站|本(?:网|網)[页頁]|我们|我們|[为為]了?|[继繼][续續]|[当當您你]|点击|點擊|We\s|This\s)"
    r"[^。]{0,60}cookies?(?![a-z])",
    re.IGNORECASE,
)
LEAVE = re.compile(
    "同意|接受|[继繼][续續]|[体體][验驗]|政策|偏好|伙伴|夥伴|accept|agree|continu|experience", re.IGNORECASE
)
# What stands below a text: marks of its end, calls to read, follow and share, who checked it, what may be done.
CLOSING = re.compile(rf"{_AROUND}(?:{any_of('closing_lines')}){_BEHIND}$", re.IGNORECASE)
CREDITS = re.compile(
    rf"{_AROUND}(?:{any_of('credit_roles')})\s?[|｜丨/／]\s?(?:(?!，[\u4e00-\u9fff]{{4}})[^。]){{1,60}}{_BEHIND}$"
)
# When and where a text was put online, to the minute; the signature of a document looks different.
POSTED = re.compile(
    rf"[\W_]*{DAY_PATTERN}\s+{CLOCK_PATTERN}"
    r"(?:(?:(?<=:\d\d:\d\d)\s[\u4e00-\u9fffA-Za-z]{2,12}|\s[\u4e00-\u9fffA-Za-z]{1,11}(?:[网網报報社台站刊号]|在[线線])))?[\W_]*"
)
_PROVIDED = r"[內内]容由[^。]{1,20}提供。|本(?:[网網]站?|站|刊|报|報)[^。]{0,24}"
# Whose rights the text itself is about.
_OTHERS = "(?![^。]*(?:[家师師]长|学生|學生|学校|學校|孩子|考生|[老教]师|[老教]師))"
_REPRINT = r"(?:转载|轉載|摘编|鏡像|镜像)[^。]{0,40}|(?:使用|复制|複製)"
_FORBIDDEN = rf"(?:未经|未經|非經)[^。]{{0,20}}(?:不得|禁止|谢绝|謝絕|严禁|嚴禁|[请請]勿)[^。]{{0,12}}(?:{_REPRINT})"
_CALL_TO_CITE = r"[^。]{2,50}转载[^。]{0,6}[请务][^。]{0,6}[注标]明[^。]{0,20}"
_OPINION = r"(?:本文|该文|以上|文中)(?:内容|观点|所述)?[^。]{0,10}(?:仅|不)代表[^。]{0,40}(?:观点|立场)"
CLOSING_RIGHTS = re.compile(
    rf"{_AROUND}{_OTHERS}"
    rf"(?:(?:版权声明\s?[:：]\s?)?凡?(?:{_PROVIDED})?{_FORBIDDEN}|(?:本文|文章|图片)?(?:版权|著作权)归[^。]{{0,20}}所有"
    rf"(?:[，,。][^。]{{0,24}}联系作者.{{0,30}})?|{_CALL_TO_CITE}|{_OPINION}[^。]{{0,40}})。?[)）]?$"
)
ENTRY_MARKS = re.compile(
    r"\s?\[(?:编辑|編輯|\d{1,3}(?:[-–]\d{1,3})?)\]|\s?播报\s?编辑(?:\s?讨论)?(?:\s?上传视频)?$|^目[录錄]$"
)

_HOME_LINK = re.compile(r"(?<=[。！？”」）)])\s?返回搜狐[^。]{0,10}$")
ARTICLES_REMEMBERED = 40  # articles of a site, the latest
FEWEST_ARTICLES = 5  # that must have a line before it is boilerplate
SHARE_OF_ARTICLES = 0.2  # of the remembered articles that must have it
HEAD_LINES, TAIL_LINES = 2, 6  # lines that are the edges of a text
SALUTATION = ("：", ":")  # whoever a notice is addressed to stands above its text, time and again
# With what documents end, time and again, and when, below those who sign them.
FORMULA = re.compile(
    r"[\W_]*(?:特此[\u4e00-\u9fff]{2,6}|此[致复覆令布]|敬礼|(?:妥否|当否|如无不妥)[^。]{0,16}|现予(?:公布|公告|公示|印发)[^。]{0,20}"
    r"|请[^，。]{0,16}(?:遵照|贯彻|参照|照此|按照|结合实际)[^。]{0,16}(?:执行|落实|办理)|以上(?:意见|请示|报告)[^。]{0,24})[\W_]*"
)
SIGNED_DAY = re.compile(
    r"[\W_]*(?:\d{4}|[一二三四五六七八九十〇○零]{4})\s*[年./-][\s\d一二三四五六七八九十月./-]{1,12}日?[\W_]*"
)
LONGEST_SIGNER = 24  # characters of a line that may name who signs
SENTENCE_ENDS = "。！？；"
LONGEST_EDGE = 400  # letters of a line that is no paragraph of its own


def without_home_link(text: str) -> str:
    """The last line of a text without a portal's link to its home page, which stands behind the last sentence.

    >>> without_home_link("新规今天施行。返回搜狐，查看更多"), without_home_link("他放下书包，返回搜狐大厦")
    ('新规今天施行。', '他放下书包，返回搜狐大厦')
    """
    return _HOME_LINK.sub("", text)


def without_entry_marks(text: str) -> str:
    """A line of an encyclopedia without the numbers of its notes and its buttons.

    >>> without_entry_marks("走教是一种教学组织形式[1]。"), without_entry_marks("历史沿革播报编辑"), without_entry_marks("目录")
    ('走教是一种教学组织形式。', '历史沿革', '')
    """
    return ENTRY_MARKS.sub("", text).strip()


def ends_text(text: str) -> bool:
    """Whether the text ends at this line, and what follows is something else.

    >>> ends_text("相关阅读："), ends_text("相关阅读的书目由学校自己选定。"), ends_text("免责声明不能免除平台的责任。")
    (True, False, False)
    """
    if (stated := _STATED.match(text)) and not _OF_SITE.search(text, stated.end()):
        return False
    return bool((len(text) < END_LINE and ENDS.match(text)) or DISCLAIMER.match(text)) or is_stored(text)


def is_stored(text: str) -> bool:
    """Whether a line is what a platform says below what its users wrote.

    >>> is_stored("以上内容为用户上传并发布，本平台仅提供信息存储服务。"), is_stored("条例说，仅提供信息存储空间服务的平台也要审核。")
    (True, False)
    """
    return len(text) < LEGAL_LINE and STORED.search(text) is not None


def is_final(text: str) -> bool:
    """Whether a line that ends the text ends it for good: after a notice of rights or comments the text never goes on.

    >>> is_final("免责声明："), is_final("相关阅读：")
    (True, False)
    """
    return heads_rights(text) or heads_comments(text) or is_stored(text)


def is_notice(text: str) -> bool:
    """Whether a paragraph is a notice of rights, or a disclaimer of opinions.

    >>> is_notice("声明：本文仅代表作者观点，不构成投资建议。"), is_notice("他说，这份声明来得太晚。")
    (True, False)
    """
    return NOTICE.match(text) is not None or RIGHTS.search(text) is not None


def heads_comments(text: str) -> bool:
    """Whether what readers say follows a line.

    >>> heads_comments("热门评论 10条"), heads_comments("评论(3)"), heads_comments("新闻评论")
    (True, True, False)
    """
    return len(text) < END_LINE and COMMENTS.match(text) is not None


def heads_box(text: str) -> bool:
    """Whether a line heads a box beside the text or the comments below it."""
    return BOX.match(text) is not None


def is_boilerplate_line(text: str) -> bool:
    """Whether a line is a button, a notice or a label of the page, wherever it stands.

    >>> is_boilerplate_line("（责任编辑：王小明）"), is_boilerplate_line("编辑们认为，这样的作业太多了。")
    (True, False)
    """
    if len(text) > LONGEST_LINE:
        return False
    calls = CALL.match(text) is not None and SENTENCE.search(text) is None
    return BOILERPLATE.match(text) is not None or ORIGINAL.fullmatch(text) is not None or calls or is_label(text)


def is_label(text: str) -> bool:
    """Whether a line is a label with a value, as they stand around a text and sometimes between its paragraphs.

    >>> is_label("来源：某某报"), is_label("一审：王小明 二审：李红"), is_label("来源：由学校自己选定。")
    (True, True, False)
    """
    if CHECKED.fullmatch(text):
        return True
    return (
        len(text) <= LONGEST_LINE and text[-1:] not in "。？！" and bool(LABEL.match(text)) and not TELLS.search(text)
    )


def closes_text(text: str) -> bool:
    """Whether a line, as the last one of a text, does not belong to it.

    >>> closes_text("— END —"), closes_text("编辑 | 王小明"), closes_text("版权声明：未经授权不得转载。")
    (True, True, True)
    >>> closes_text("©著作权归作者所有,转载请联系作者。"), closes_text("本文为某某网专稿，转载请注明出处。")
    (True, True)
    >>> closes_text("声明：本公司从未授权他人招生。"), closes_text("新规说，转载论文须标明来源。")
    (False, False)
    >>> closes_text("【作者：王小明】(责任编辑：李红)"), closes_text("按讚加入某報粉絲團"), closes_text("他說，加入粉絲團的人更多了。")
    (True, True, False)
    """
    if len(text) > LEGAL_LINE:
        return False
    closing = CLOSING.match(text) or CLOSING_RIGHTS.match(text) or POSTED.fullmatch(text)
    staff = CREDITS.match(text) and not TELLS.search(text)
    calls = CLOSING_CALL.match(text) is not None and SENTENCE.search(text) is None
    return bool(closing or staff) or calls or is_label(text) or lists_credits(text)


def heads_rights(text: str) -> bool:
    """Whether a line is a notice of rights, or heads one."""
    return FINAL.match(text) is not None


def is_legal(text: str) -> bool:
    """Whether a line is a notice of rights, or asks for consent to cookies.

    >>> is_legal("某某网版权所有 京ICP备000000号"), is_legal("必须获得版权所有者的许可。")
    (True, False)
    >>> is_legal("本网站由某某大学版权所有，如转载本网站内容，请注明出处。")
    True
    """
    if len(text) >= LEGAL_LINE:
        return False
    return bool(LEGAL.search(text) or STORED.search(text) or (COOKIES.match(text) and LEAVE.search(text)))


def leads_to_neighbour(text: str) -> bool:
    """Whether a line leads to the article, or the page, before or behind this one.

    >>> leads_to_neighbour("上一篇：双减之后的课堂"), leads_to_neighbour("上一学期的作业")
    (True, False)
    """
    return NEIGHBOUR.match(text) is not None


def is_contact(text: str) -> bool:
    """Whether a line begins with the label of an address or a number, as those below the name of a house do.

    >>> is_contact("地 址：某某市某某路1号"), is_contact("电话打了一整天")
    (True, False)
    """
    return CONTACT.match(text) is not None


def is_imprint(text: str) -> bool:
    """Whether a line may be of the imprint at a page's foot; texts name contacts, too.

    >>> is_imprint("地址：某某市某某路1号 邮编：000000"), is_imprint("某某市某某路26号信箱 000000"), is_imprint("孩子们按地址找到了学校。")
    (True, True, False)
    """
    return len(text) < LEGAL_LINE and IMPRINT.search(text) is not None


class Boilerplate:
    """The boilerplate ``lines`` of one site, and the lines of its latest articles that may become some.

    >>> site = Boilerplate()
    >>> learned = [site.learn(f"第{n}条新闻。\\n扫码关注本报") for n in range(5)]
    >>> learned[-1], site.without("又一条新闻。\\n扫码关注本报")
    (('扫码关注本报',), '又一条新闻。')
    """

    def __init__(self, lines: Iterable[str] = ()) -> None:
        self.lines = set(lines)
        # memory _latest: lines around the texts of ARTICLES_REMEMBERED articles, each up to LONGEST_EDGE letters
        self._latest: deque[tuple[int, tuple[str, ...]]] = deque()  # the hashes of the texts, and the edges of each
        self._counts: Counter[str] = Counter()

    def learn(self, text: str) -> tuple[str, ...]:
        """Take an article's text into account, as it was read; returns the lines that it made boilerplate.

        The same text on another page counts once.
        """
        key = hash(text)
        if any(key == other for other, _ in self._latest):
            return ()
        edges = tuple({line: None for line in _edges(text.split("\n")) if line not in self.lines})
        self._latest.append((key, edges))
        self._counts.update(edges)
        if len(self._latest) > ARTICLES_REMEMBERED:
            self._forget(self._latest.popleft()[1])
        least = max(FEWEST_ARTICLES, SHARE_OF_ARTICLES * len(self._latest))
        result = tuple(line for line in edges if self._counts[line] >= least)
        self.lines.update(result)
        return result

    def _forget(self, edges: Iterable[str]) -> None:
        self._counts.subtract(edges)
        for line in edges:
            if not self._counts[line]:
                del self._counts[line]

    def without(self, text: str) -> str:
        """The text without boilerplate lines at its edges; unchanged if nothing would be left."""
        if not self.lines:
            return text
        lines = text.split("\n")
        start, end = 0, len(lines)
        while start < end and start < HEAD_LINES and lines[start] in self.lines:
            start += 1
        tail_start = max(start, end - TAIL_LINES)
        while end > tail_start and lines[end - 1] in self.lines:
            end -= 1
        return "\n".join(lines[start:end]) or text


def _edges(lines: Sequence[str]) -> Iterable[str]:
    """The lines that may be the site's: the first without salutations, the last without signatures and formulas."""
    front = min(HEAD_LINES, len(lines))
    for line in lines[:front]:
        if line and len(line) <= LONGEST_EDGE and not line.endswith(SALUTATION):
            yield line
    behind: list[str] = []
    signs = False  # what stands right below
    for line in reversed(lines[max(front, len(lines) - TAIL_LINES) :]):
        signs = SIGNED_DAY.fullmatch(line) is not None or (
            signs and len(line) <= LONGEST_SIGNER and line[-1:] not in SENTENCE_ENDS
        )
        if line and len(line) <= LONGEST_EDGE and not signs and not FORMULA.fullmatch(line):
            behind.append(line)
    yield from reversed(behind)
