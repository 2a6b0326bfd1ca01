"""Lines with dates as pages write them, under a title, and what each says of the publication."""

# ruff: noqa: E501 - the notations of a kind read better in a row

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

LINES = 400
WEEK = "一二三四五六日"
DIGITS = "〇一二三四五六七八九"
MONTHS = [f"{datetime(2024, month, 1, tzinfo=UTC):%B}" for month in range(1, 13)]


class DateLine(NamedTuple):
    """A line above a text, and the moment of publication that it gives: to the minute, the day alone, or none."""

    text: str
    published: str | None


def date_lines(seed: int) -> Iterator[DateLine]:
    """The lines of a seed, always the same ones."""
    dice = random.Random(seed)
    makers = (_plain, _plain, _plain, _labelled, _labelled, _labelled, _labelled, _beside_event, _updated, _none)
    for at in range(LINES):
        moment = datetime(2024, dice.randint(1, 5), dice.randint(1, 28), dice.randint(0, 23), dice.randint(0, 59), tzinfo=UTC)
        yield makers[at % len(makers)](dice, moment)


def _chinese(number: int) -> str:
    tens, ones = divmod(number, 10)
    return ("" if not tens else "十" if tens == 1 else DIGITS[tens] + "十") + (DIGITS[ones] if ones or not tens else "")


def _days(at: datetime) -> list[str]:
    """The day without the time, in many notations."""
    year = "".join(DIGITS[int(digit)] for digit in str(at.year))
    return [
        f"{at:%Y-%m-%d}", f"{at:%Y/%m/%d}", f"{at:%Y.%m.%d}", f"{at.year}-{at.month}-{at.day}", f"{at.year}/{at.month}/{at.day}",
        f"{at.year}年{at.month}月{at.day}日", f"{at:%Y年%m月%d日}", f"{at.year} 年 {at.month} 月 {at.day} 日", f"{at:%y-%m-%d}",
        f"{year}年{_chinese(at.month)}月{_chinese(at.day)}日", f"民國{at.year - 1911}年{at.month}月{at.day}日", f"{at:%y/%m/%d}",
        f"{at.year}年{at.month}月{at.day}日 星期{WEEK[at.weekday()]}", f"{MONTHS[at.month - 1]} {at.day}, {at.year}",
        f"{at:%Y-%m-%d}（周{WEEK[at.weekday()]}）", f"{at.year}．{at.month}．{at.day}", f"{at:%Y－%m－%d}", f"{at.day} {MONTHS[at.month - 1][:3]} {at.year}",
        f"{at:%Y%m%d}", f"{at:%y}年{at.month}月{at.day}日",
    ]  # fmt: skip


def _minutes(at: datetime) -> list[str]:
    """The day with the time, in many notations."""
    half, hour = ("上午" if at.hour < 12 else "下午"), at.hour % 12 or 12
    week = WEEK[at.weekday()]
    return [
        f"{at:%Y-%m-%d %H:%M}", f"{at:%Y-%m-%d %H:%M}:07", f"{at:%Y/%m/%d %H:%M}", f"{at.year}/{at.month}/{at.day} {at.hour}:{at:%M}:31",
        f"{at:%Y年%m月%d日 %H:%M}", f"{at:%Y年%m月%d日%H:%M}", f"{at.year}年{at.month}月{at.day}日 {at.hour}时{at:%M}分",
        f"{at:%Y.%m.%d %H:%M}", f"{at:%y-%m-%d %H:%M}", f"{at:%y/%m/%d %H:%M}", f"{at:%Y-%m-%dT%H:%M}:00+08:00", f"{at:%m-%d %H:%M}",
        f"{at.month}月{at.day}日 {at:%H:%M}", f"{at.year}-{at.month}-{at.day} {half}{hour}:{at:%M}", f"{at:%Y-%m-%d} {half} {hour:02}:{at:%M}",
        f"{at.year}年{at.month}月{at.day}日{half}{hour}点{at:%M}分", f"{at:%Y-%m-%d}（星期{week}）{at:%H:%M}",
        f"{at:%Y年%m月%d日} 周{week} {at:%H:%M}", f"{at:%H:%M} {at:%Y-%m-%d}", f"{at:%Y-%m-%d %H：%M}", f"{at:%Y-%m-%d} | {at:%H:%M}",
        f"{at:%Y-%m-%d}&nbsp;&nbsp;{at:%H:%M}", f"{MONTHS[at.month - 1][:3]} {at.day}, {at.year} {at:%H:%M}", f"{at:%Y-%m-%d}，{at:%H:%M}",
        f"{at:%Y年%m月%d日} - {at:%H:%M}", f"{at:%y}年{at.month}月{at.day}日 {at:%H:%M}",
    ]  # fmt: skip


LABELS = ["发布时间：{}", "发布日期: {}", "时间：{}", "日期：{}", "发表于 {}", "发布于{}", "上传时间：{}", "录入时间：{}", "發布：{}",
          "張貼日期：{}", "建立於 {}", "刊登日期 {}", "发表时间：{}", "日期 | {}", "Posted on {}", "发布 ： {}", "[发布日期]{}", "公告日期：{}",
          "发稿时间：{}", "编辑于 {}", "添加时间：{}", "信息时间：{}", "发帖时间：{}", "首发时间：{}", "发文时间：{}"]  # fmt: skip
BEFORE = ["", "来源：江口日报 ", "江口日报 ", "作者：王小明 ", "浏览次数：3213 ", "【字体：大 中 小】", "教务处 | ", "文号：江教〔2023〕12号 "]
BEHIND = ["", " 来源：江口日报", " 点击：2023", " 阅读 12345", " 浏览量: 306次", " 责任编辑：李红", " 湖北", " 字号：大中小", "  打印本页"]
EVENTS = ["报名时间", "活动时间", "会议时间", "讲座时间", "考试时间", "截止日期", "报名截止时间", "开课时间", "面试时间", "公示时间", "有效期", "实施日期"]
AGAIN = ["更新於 {}", "更新时间：{}", "最后更新：{}", "修改于 {}", "最近修订 {}", "最后编辑于 {}", "最後更新日期：{}"]


def _stamp(dice: random.Random, at: datetime) -> tuple[str, str]:
    """A moment as written, and what it says."""
    if dice.random() < 0.5:
        return dice.choice(_days(at)), f"{at:%Y-%m-%d}"
    return dice.choice(_minutes(at)), f"{at:%Y-%m-%d %H:%M}"


def _plain(dice: random.Random, at: datetime) -> DateLine:
    text, published = _stamp(dice, at)
    brackets = dice.choice(["{}", "{}", "[{}]", "（{}）", "【{}】"])
    return DateLine(dice.choice(BEFORE) + brackets.format(text) + dice.choice(BEHIND), published)


def _labelled(dice: random.Random, at: datetime) -> DateLine:
    text, published = _stamp(dice, at)
    return DateLine(dice.choice(BEFORE) + dice.choice(LABELS).format(text) + dice.choice(BEHIND), published)


def _event(dice: random.Random, at: datetime) -> str:
    start = at + timedelta(days=dice.randint(-3, 9))
    end = f"{dice.choice([' 至 ', '—', '~'])}{dice.choice(_days(start + timedelta(days=3))[:7])}" if dice.random() < 0.5 else ""
    return f"{dice.choice(EVENTS)}：{dice.choice(_days(start)[:7])}{end}"


def _beside_event(dice: random.Random, at: datetime) -> DateLine:
    text, published = _stamp(dice, at)
    mine = dice.choice(LABELS[:2]).format(text)
    parts = dice.sample([mine, _event(dice, at)], 2)
    return DateLine(dice.choice(["　", " | ", "</span><span>", "</div><div>"]).join(parts), published)


def _updated(dice: random.Random, at: datetime) -> DateLine:
    text, published = _stamp(dice, at)
    later = f"{at + timedelta(days=dice.randint(1, 20), minutes=77):%Y-%m-%d %H:%M}"
    mine = dice.choice(["建立於 {}", "发布时间：{}", "发表于 {}", "發布日期：{}", "创建时间：{}", "{}"]).format(text)
    return DateLine(f"{mine}{dice.choice(['　', ' ', ' | ', '</div><div>'])}{dice.choice(AGAIN).format(later)}", published)


def _none(dice: random.Random, at: datetime) -> DateLine:
    day = dice.choice(_days(at)[:7])
    other = ["今天是{}", "现在时间：{} 09:12", "施行日期：{}", "自{}起施行", "（{}江口市教育局第三次会议通过）"]
    return DateLine(dice.choice([_event(dice, at), _event(dice, at), dice.choice(other).format(day)]), None)
