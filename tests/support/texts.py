"""Generated articles, and a search through them that knows nothing of tokens."""

import random
import unicodedata
from datetime import UTC, datetime, timedelta
from functools import cache

from sqlalchemy import insert

from newsspider.store.tables import reprints
from tests.support.samples import save_article

WORDS = [
    "高考",
    "改革",
    "教育部",
    "志愿",
    "填报",
    "学校",
    "老师",
    "学生",
    "課程",
    "標準",
    "双减",
    "政策",
    "培训",
    "机构",
    "大学",
    "中学",
    "乡村",
    "教師",
    "职业教育",
    "考研",
    "录取",
    "分数线",
    "公布",
    "关于",
    "的",
    "通知",
    "和",
    "在",
    "了",
    "GRE",
    "TOEFL",
    "2026",
    "100",
    "ＡＩ",
    "Vocational",
    "北京",
    "上海",
    "体育",
    "美育",
    "劳动",
    "家长",
    "作业",
    "负担",
    "义务教育",
    "招生",
]
MARKS = "，。、；：？！（）“” \n\0—·%_\u3000"


def generated(seed: int, characters: int) -> str:
    """A text of about so many characters, of few words, so that phrases come again."""
    source = random.Random(seed)
    text = ""
    while len(text) < characters:
        text += source.choice(WORDS) + (source.choice(MARKS) if source.random() < 0.25 else "")
    return text


SIMPLE = str.maketrans("課標準師", "课标准师")


def scanned(phrase: str, text: str) -> bool:
    """Whether a phrase stands in a text: its characters in order, whatever marks are between, words as wholes."""
    needle, haystack = _marked(phrase).strip("|"), _marked(text)
    if not needle:
        return False
    needle = ("|" if _is_letter(needle[0]) else "") + needle + ("|" if _is_letter(needle[-1]) else "")
    return needle in haystack


def _is_letter(letter: str) -> bool:
    return letter.isalnum() and not unicodedata.name(letter).startswith("CJK")


@cache
def _marked(text: str) -> str:
    """The text with one bar for all that separates, and one around each word."""
    out = "|"
    for letter in unicodedata.normalize("NFKC", text.translate(SIMPLE)).lower():
        kind = "c" if letter.isalnum() and not _is_letter(letter) else "w" if letter.isalnum() else "|"
        last = "|" if out[-1] == "|" else "w" if _is_letter(out[-1]) else "c"
        if kind == "|":
            out += "" if last == "|" else "|"
        else:
            out += ("|" if last not in ("|", kind) else "") + letter
    return out if out[-1] == "|" else out + "|"


NOW = datetime(2026, 11, 25, 1, 0, tzinfo=UTC)
ARTICLES = 60


def fill(conn) -> None:
    """Store articles of a few days, many at one moment; every third is of one of ten groups of reprints."""
    chance = random.Random(7)
    numbers = []
    for number in range(ARTICLES):
        moment = NOW - timedelta(hours=chance.randrange(60))
        text = f"第 {number} 篇。高考改革方案公布，{'家长关心' if number % 2 else '学校准备'}。"
        values = {"published_at": moment, "crawled_at": moment, "title": f"高考 {number}"}
        numbers.append(save_article(conn, f"http://h{number}.cn/", text, **values).article_id)
    for place, number in enumerate(numbers[::3]):
        conn.execute(insert(reprints).values(article_id=number, group_id=place % 10, is_first=place < 10))
