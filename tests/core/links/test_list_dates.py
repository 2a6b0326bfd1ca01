from datetime import datetime

from newsspider.core.dates.time_and_zone import SHANGHAI
from newsspider.core.extraction.dom.page import parse
from newsspider.core.links.page_links import links_of
from newsspider.core.model import LinkKind
from tests.support.tables import each

NOW = datetime(2026, 4, 10, 12, 30, tzinfo=SHANGHAI)
TITLES = ("教育部部署春季学期中小学工作", "3月1日起乡村学校的课堂有变化", "高校毕业生就业促进周启动", "这所小学把课堂搬到了田野里")
DAYS = ((4, 9), (3, 27), (3, 2), (11, 18))
EXPECTED = ["2026-04-09", "2026-03-27", "2026-03-02", "2025-11-18"]


def dates(body: str, url: str = "http://www.example.cn/news/", root: str = "html") -> list[str]:
    links = links_of(parse(f"<{root}><body>{body}</body></html>".encode(), url), now=NOW)
    return [str(link.published_at)[:10] for link in links if link.kind is LinkKind.ARTICLE]


def rows(form: str, link: str = "/news/t{}.html", titles: tuple[str, ...] = TITLES) -> str:
    """One row for each title; {a} is the link, {t} the title, {u} the URL, the others the parts of the day."""
    parts = []
    for n, (title, (month, day)) in enumerate(zip(titles, DAYS, strict=True), 4101):
        url = link.format(n)
        year = 2025 if month == 11 else 2026
        parts.append(form.format(
            a=f'<a href="{url}">{title}</a>', t=title, u=url, m=month, d=day, mm=f"{month:02}", dd=f"{day:02}", y=year, r=year - 1911
        ))  # fmt: skip
    return "".join(parts)


@each("form", [
    "<li>{a}<span>{mm}-{dd}</span></li>", "<li>{a}<span>[{mm}/{dd}]</span></li>", "<li><span>({mm}-{dd})</span>{a}</li>",
    "<li>{a}<em>【{mm}.{dd}】</em></li>", "<li>{a} {mm}/{dd}</li>", "<li>[{mm}-{dd}] {a}</li>", "<li>{a}<i>{m}月{d}日</i></li>",
    "<li>{a}<b>{m}-{d}</b></li>", "<li><a href='{u}'><span>{mm}-{dd}</span><h3>{t}</h3></a></li>",
    "<li><a href='{u}'>{t}<i>{mm}/{dd}</i></a></li>", "<li>{a}<span>发布时间：{mm}-{dd}</span></li>",
    "<li>{a}<span>教务处 {mm}-{dd}</span></li>", "<li>{a}<span>{mm}-{dd} 08:30</span></li>", "<li>{a}<p>{m}月{d}日 08:30</p></li>",
    "<div>{a}<span>日期: {mm}/{dd}</span></div>", "<dl><dt>{a}</dt><dd>{mm}-{dd}</dd></dl>",
    "<tr><td>·</td><td>{a}</td><td>{mm}-{dd}</td></tr>", "<tr><td>{a}</td><td>{mm}-{dd}</td><td>128</td></tr>",
    "<p>{a}&nbsp;&nbsp;({mm}/{dd})</p>", "<li>{a}<time>{mm}月{dd}日</time></li>",
])  # fmt: skip
def test_a_day_without_a_year_beside_a_title_is_the_latest_such_day(form: str) -> None:
    listed = rows(form)
    assert dates(f"<table>{listed}</table>" if form.startswith("<tr") else f"<div>{listed}</div>") == EXPECTED


@each("link", ["/news/2019{}/t.html", "/2019/{}/c41.html", "/news/2019-{}/41.html"])
def test_the_year_of_a_day_is_that_of_its_url(link: str) -> None:
    listed = "".join(
        f'<li><a href="{link.format(f"{month:02}")}?{n}">{title}</a><span>{month:02}-{day:02}</span></li>'
        for n, (title, (month, day)) in enumerate(zip(TITLES, DAYS, strict=True))
    )
    assert dates(f"<ul>{listed}</ul>") == ["2019-04-09", "2019-03-27", "2019-03-02", "2019-11-18"]


@each("form", [
    "<tr><td>{a}</td></tr><tr><td>{y}-{mm}-{dd}</td></tr>", "<tr><td>{a}</td></tr><tr><td>{mm}-{dd}</td></tr>",
    "<tr><td>{a}</td></tr><tr><td>发布日期：{y}年{m}月{d}日</td></tr>",
    "<tr><td>{a}</td></tr><tr><td>来源：教务处</td><td>{y}/{mm}/{dd}</td></tr>",
    "<tr><td>{a}</td></tr><tr><td>摘要：全市中小学迎来新的学期。</td></tr><tr><td>[{mm}-{dd}]</td></tr>",
    "<tr><td>{y}-{mm}-{dd}</td></tr><tr><td>{a}</td></tr>", "<dt>{a}</dt><dd>{y}-{mm}-{dd}</dd>", "<h3>{a}</h3><p>{y}.{mm}.{dd}</p>",
    "<p>{a}</p><p>时间：{mm}-{dd}</p>", "<div>{a}</div><div>{m}月{d}日</div>", "<p>{y}-{mm}-{dd}</p><h3>{a}</h3>",
    "<tr><td><img src='x.gif'></td><td>{a}</td></tr><tr><td colspan='2'>{y}-{mm}-{dd}　阅读 12</td></tr><tr><td height='1'></td></tr>",
])  # fmt: skip
def test_a_date_in_the_row_below_or_above_a_title_is_its_own(form: str) -> None:
    listed = rows(form)
    assert dates(f"<table><tbody>{listed}</tbody></table>" if form.startswith("<tr") else f"<div>{listed}</div>") == EXPECTED


@each("form", [
    "<li>{a}<span>{r}-{mm}-{dd}</span></li>", "<li>{a}<span>{r}/{mm}/{dd}</span></li>", "<li>{a}<span>[{r}.{m}.{d}]</span></li>",
    "<li>{a}<span>民國{r}年{m}月{d}日</span></li>", "<li>{a}<span>{r}年{m}月{d}日</span></li>", "<li>發布日期：{r}-{mm}-{dd}{a}</li>",
    "<tr><td>{r}-{mm}-{dd}</td><td>{a}</td></tr>", "<tr><td>{a}</td></tr><tr><td>民國{r}年{mm}月{dd}日</td></tr>",
    "<li><a href='{u}'><i>{r}/{mm}/{dd}</i><b>{t}</b></a></li>",
])  # fmt: skip
@each(("url", "root"), [
    ("http://www.example.edu.tw/news/", "html"), ("http://www.example.org/news/", "html lang='zh-TW'"),
    ("http://www.example.org/news/", "html lang='zh-Hant-TW'"),
])  # fmt: skip
def test_days_of_the_republics_calendar_are_read_on_pages_of_taiwan(form: str, url: str, root: str) -> None:
    listed = rows(form)
    assert dates(f"<table>{listed}</table>" if form.startswith("<tr") else f"<ul>{listed}</ul>", url, root) == EXPECTED


@each("form", [
    "<li>{a}</li>", "<li>{a}<span>128</span></li>", "<li>{a}<span>13-{dd}</span></li>", "<li>{a}<span>02-31</span></li>",
    "<li>{a}<span>115-13-27</span></li>", "<li>{a}<span>4.8分</span></li>", "<li>{a}<b>9.5</b></li>",
    "<li>{a}<span>1-3年级</span></li>", "<li>{a}<span>08:30</span></li>",
    "<li>{a}<p>报名时间：{mm}月{dd}日</p></li>", "<li>{a}<span>截止日期：{mm}-{dd}</span></li>",
    "<li>{a}<p>全校师生在3月27日这一天参加了植树活动，种下了一百多棵树苗，大家都说收获很大，明年还要再来。</p></li>",
])  # fmt: skip
def test_other_numbers_beside_a_title_are_no_days(form: str) -> None:
    assert dates(f"<ul>{rows(form)}</ul>") == ["None"] * 4


def test_a_year_of_three_digits_is_one_only_on_pages_of_taiwan() -> None:
    assert dates(f"<ul>{rows('<li>{a}<span>{r}-{mm}-{dd}</span></li>')}</ul>") == ["None"] * 4


def test_one_day_among_many_titles_is_no_date_of_the_list() -> None:
    first, *others = rows("<li>{a}</li>").split("</li>")
    assert dates(f"<ul>{first}<span>03-27</span></li>{'</li>'.join(others)}</ul>") == ["None"] * 4


def test_days_told_from_now_stand_beside_full_ones() -> None:
    forms = ("今天 08:30", "昨天 21:10", "3天前", "2025-12-31")
    listed = "".join(
        f'<li><a href="/news/t410{n}.html">{title}</a><span>{form}</span></li>'
        for n, (title, form) in enumerate(zip(TITLES, forms, strict=True))
    )
    assert dates(f"<ul>{listed}</ul>") == ["2026-04-10", "2026-04-09", "2026-04-07", "2025-12-31"]


COUNTS = ("1/22", "0/8", "3/5", "12/30")  # replies and readers: the second is no day
ORDERLESS = ("1/22", "4/8", "2/5", "12/30", "3/11", "9/17")


@each("counts", [COUNTS, ("1/22", "3/480", "5/6", "2/9"), ("15/30", "1/2", "3/3", "4/8"), ORDERLESS])
@each("form", [
    "<li>{a}<span>{c}</span></li>", "<li><em>{c}</em>{a}</li>", "<li>{a}<p>回复/查看：{c}</p></li>", "<li>{a} [{c}]</li>",
    "<li>{a}<span>李老师</span><span>{c}</span></li>", "<li>{a}<span>{c} 李老师</span></li>",
])  # fmt: skip
def test_counts_of_replies_and_readers_are_no_days(form: str, counts: tuple[str, ...]) -> None:
    titles = (*TITLES, "县城新增三所公办幼儿园", "家长学校开出第一堂公开课")
    listed = "".join(
        form.format(a=f'<a href="/news/t{4101 + n}.html">{title}</a>', c=count)
        for n, (title, count) in enumerate(zip(titles, counts, strict=False))
    )
    assert set(dates(f"<ul>{listed}</ul>")) == {"None"}


def test_counts_beside_days_leave_the_days() -> None:
    listed = rows("<li>{a}<span>0/{d}</span><span>{mm}-{dd}</span></li>")
    assert dates(f"<ul>{listed}</ul>") == EXPECTED


@each("counts", [COUNTS, ("1/22", "3/480", "5/6", "2/9"), ("12/480",) * 4])
@each("form", [
    "<li>{a}<span>{mm}/{dd}</span><span>{c}</span></li>", "<li>{a}<span>{m}/{d}</span><span>回复 {c}</span></li>",
    "<li><em>{c}</em>{a}<span>{mm}/{dd}</span></li>", "<li>{a}<p>{c} {mm}/{dd}</p></li>",
    "<li>{a}<p>{mm}/{dd} 李老师 {c}</p></li>", "<tr><td>{a}</td><td>{mm}/{dd}</td><td>{c}</td></tr>",
])  # fmt: skip
def test_counts_beside_days_of_their_form_leave_the_days(form: str, counts: tuple[str, ...]) -> None:
    listed = rows("§" + form.replace("{c}", "%")).split("§")[1:]
    body = "".join(row.replace("%", count) for row, count in zip(listed, counts, strict=True))
    assert dates(f"<table>{body}</table>" if form.startswith("<tr") else f"<ul>{body}</ul>") == EXPECTED


@each("word", ["回复", "回复/查看：", "浏览", "阅读:", "回覆／瀏覽：", "评论 "])
def test_numbers_behind_a_word_for_counts_are_none(word: str) -> None:
    counts = ("3/12", "2/9", "2/8", "1/6")
    listed = "".join(
        f'<li><a href="/news/t410{n}.html">{title}</a><p>{word}{counts[n]}</p></li>' for n, title in enumerate(TITLES)
    )
    assert dates(f"<ul>{listed}</ul>") == ["None"] * 4


@each("days", [
    "3/28 3/20 3/27 3/19", "4/9 3/27 4/8 3/26 4/7 3/25", "3/28 3/20 3/12 3/27 3/19 3/11", "1/5 12/28 1/3 12/27 1/2 12/26 1/1 12/20",
    "4/9 3/9 4/8 3/8 4/8 3/8 4/7 3/30", "3/20 4/9 3/27 4/1 3/9 4/3",
])  # fmt: skip
def test_days_in_columns_and_of_what_is_read_most_are_days(days: str) -> None:
    titles = (*TITLES, "县城新增三所公办幼儿园", "家长学校开出第一堂公开课", "学校食堂公布一周菜谱", "老教师讲述山村教学点")
    listed = "".join(
        f'<li><a href="/news/t410{n}.html">{titles[n]}</a><span>{day}</span></li>' for n, day in enumerate(days.split())
    )
    found = [date and f"{int(date[5:7])}/{int(date[8:])}" for date in dates(f"<ul>{listed}</ul>") if date != "None"]
    assert found == days.split()
