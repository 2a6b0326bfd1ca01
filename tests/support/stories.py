"""A text of several paragraphs, and how copies of it are stored."""

from datetime import UTC, datetime

from newsspider.core.duplicates.content_hashes import body_md5
from newsspider.core.duplicates.reprints import fingerprints_of
from newsspider.core.text.text_comparison import normalise_text
from tests.support.samples import NOW, save_article

STORY = [
    "青河市教育局昨天公布了义务教育学校招生方案，小学一律按照对口学区就近入学，初中实行电脑派位。",
    "记者了解到，方案在征求意见时共收到三百多条建议，家长最关心的是随迁子女的入学材料怎样准备。",
    "基础教育科负责人表示，各校不得以任何形式组织入学考试，也不得提前收取任何费用，违者严肃处理。",
    "在实验小学的报名现场，志愿者为家长准备了热水和雨伞，从登记到确认只用了不到十分钟的时间。",
    "有关专家认为，阳光招生的关键在于公开，学位数量、划片范围和录取结果都应当及时让社会看到。",
]


def day(number: int, hour: int = 8) -> datetime:
    return datetime(2026, 11, number, hour, 0, tzinfo=UTC)


def save(conn, url, paragraphs, now=NOW, **values):
    body = paragraphs if isinstance(paragraphs, str) else "\n".join(paragraphs)
    values.setdefault("source", None)
    prints = fingerprints_of(normalise_text(body), values.get("title", ""))
    return save_article(conn, url, body, now, body_md5=body_md5("", body), fingerprints=prints, **values)
