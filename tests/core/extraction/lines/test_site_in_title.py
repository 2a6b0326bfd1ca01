
from newsspider.core.extraction.lines.site_in_title import short_head, without_site
from tests.support.tables import each


@each(
    ("text", "plain"),
    [
        ("双减之后的课堂_教育频道_某某网", "双减之后的课堂"),
        ("双减之后的课堂-某某大学新闻网", "双减之后的课堂"),
        ("COVID-19之后的学校", "COVID-19之后的学校"),
        ("中小学-幼儿园衔接方案公布", "中小学-幼儿园衔接方案公布"),
        ("双减之后的课堂_课后服务,作业设计,校外培训,教育部", "双减之后的课堂"),
        ("双减之后-课堂,家庭,社会", "双减之后-课堂,家庭,社会"),
        ("2026年高考_志愿填报指南", "2026年高考_志愿填报指南"),
        ("秋季开学|一年级家长备忘录", "秋季开学|一年级家长备忘录"),
        ("课后服务_怎样办到孩子心坎上", "课后服务_怎样办到孩子心坎上"),
        ("2026年高考_招生考试信息网", "2026年高考"),
        ("期中考试怎么改_某某市第一中学", "期中考试怎么改"),
        ("乡村学校里的排球队走进省运会_家校共育平台", "乡村学校里的排球队走进省运会"),
        ("", ""),
    ],
)
def test_site_names_are_cut_and_hyphens_of_titles_stay(text: str, plain: str) -> None:
    assert without_site(text) == plain


@each(
    "site",
    ["某某市第一中学", "某某大学附属小学", "某某省博物馆", "某某市人民政府办公室", "某某教育有限公司", "某某集团"],
)
def test_schools_museums_and_offices_are_names_of_sites(site: str) -> None:
    assert without_site(f"双减之后的课堂-{site}") == "双减之后的课堂"


def test_the_name_of_the_site_may_come_first() -> None:
    assert without_site("某某市人民政府门户网站-图书馆-新馆开放公告") == "新馆开放公告"
    assert without_site("某某市人民政府-2023-2024学年校历公布") == "2023-2024学年校历公布"
    assert without_site("某某网-教育频道-某地高考综合改革方案出台") == "某地高考综合改革方案出台"
    assert without_site("某某网-教育频道") == "某某网-教育频道"
    assert without_site("某某教育网-让COVID-19走出课堂") == "让COVID-19走出课堂"
    assert without_site("人工智能与教育-新的机会") == "人工智能与教育-新的机会"
    assert without_site("移动互联网-课堂的新机会") == "移动互联网-课堂的新机会"


def test_two_or_three_characters_before_the_name_of_a_site_are_a_short_head() -> None:
    assert short_head("喜讯-某某市第一中学") == "喜讯"
    assert short_head("喜讯-新学期作业怎么写") is None
    assert short_head("新学期作业怎么写-某某市第一中学") is None


@each(
    ("text", "plain"),
    [
        ("中考|体育怎么考才公平-某某教育在线", "中考|体育怎么考才公平"),
        ("第二中学 | 一堂没有铃声的课_某某网", "第二中学 | 一堂没有铃声的课"),
        ("把课堂搬进田野——某校劳动教育观察-教育频道-某某网", "把课堂搬进田野——某校劳动教育观察"),
        ("把课堂搬进田野——某某大学的实践", "把课堂搬进田野——某某大学的实践"),
        ("把课堂搬进田野——某某教育网", "把课堂搬进田野"),
        ("全市运动会开幕«某某大学", "全市运动会开幕"),
        ("全市运动会开幕 » 某某大学", "全市运动会开幕"),
        ("全市运动会开幕，某某教育网", "全市运动会开幕"),
        ("开学了，我们准备好了", "开学了，我们准备好了"),
        ("图解丨新学期的变化_新闻中心_某某网", "图解丨新学期的变化"),
        ("2025_2026学年度考试安排公布-某某新闻网", "2025_2026学年度考试安排公布"),
        ("第一中学 - 第二中学结对帮扶启动-某某新闻网", "第一中学 - 第二中学结对帮扶启动"),
        ("985-211高校如何选择_高考频道_某某网", "985-211高校如何选择"),
        ("校园要闻_新学期的作业怎么写_某某网", "新学期的作业怎么写"),
        ("全市运动会今天开幕-某某网-某某人的精神家园", "全市运动会今天开幕"),
        ("全市运动会今天开幕-手机版-某某网", "全市运动会今天开幕"),
        ("全市运动会今天开幕 / 某某大学", "全市运动会今天开幕"),
        ("全市运动会今天开幕 某某教育信息网", "全市运动会今天开幕"),
        ("乡村学校通了路 也通了网", "乡村学校通了路 也通了网"),
    ],
)
def test_names_of_sites_are_cut_from_the_right_and_separators_of_titles_stay(text: str, plain: str) -> None:
    assert without_site(text) == plain


HEAD = "全市中小学体育课增加到每天一节"


@each(
    "separator",
    [
        "-",
        " - ",
        "_",
        "|",
        " | ",
        "——",
        "—",
        "–",
        "－",
        "«",
        "»",
        "，",
        ",",
        "、",
        "·",
        ":",
        "：",
        "::",
        ">",
        " < ",
        "||",
        "丨",
        "/",
    ],
)
@each(
    "name", ["永平教育网", "永平日报", "永平新闻频道", "永平教育公众号", "永平日报客户端", "永平县人民政府门户网站"]
)
def test_each_separator_before_the_name_of_a_site_goes_with_it(separator: str, name: str) -> None:
    assert without_site(HEAD + separator + name) == HEAD


@each(
    "text", [f"{HEAD}【永平教育网】", f"{HEAD}[永平教育网]", f"{HEAD}-Yongping Daily", f"永平日报-{HEAD}", f"Yongping Daily | {HEAD}"]
)
def test_names_in_brackets_in_latin_letters_and_in_front_are_cut(text: str) -> None:
    assert without_site(text) == HEAD


@each(
    "title",
    [
        "让农村孩子也能上大学",
        "孩子们办起了一张报",
        "全市启动农村家庭教育",
        "走进课堂——记永平一中教师李芳",
        "校园食堂怎么管？——来自三所学校的调查",
        "2025-2026学年度校历公布",
        "2025—2026学年中小学校历",
        "985-211高校名单更新",
        "COVID-19疫情后的课堂",
        "专访丨校长周明远：让孩子动起来",
        "图说|新学期的一天",
        "2026年高考录取分数线公布|附一分一段表",
    ],
)
@each("suffix", ["", "-永平教育网", "_教育频道_永平网", " - 永平日报", "|永平网", "——永平教育网"])
def test_a_title_stays_whole_whatever_name_stands_behind_it(title: str, suffix: str) -> None:
    assert without_site(title + suffix) == title


@each(
    "title",
    [
        "作业写完了，孩子别急着上网",
        "把课堂搬进田野——访永平县教育局",
        "高考成绩公布【附查询入口】",
        "课后服务怎么办：家长谈联网",
    ],
)
def test_an_end_that_only_looks_like_a_name_stays(title: str) -> None:
    assert without_site(title) == title
