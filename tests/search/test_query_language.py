"""What a query means, and what is said of one that cannot be read."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from newsspider.core.query.matching import indexed_text, matches_query
from newsspider.core.query.parser import RuleError
from newsspider.core.query.query_dates import moment_of
from newsspider.core.query.query_language import (
    Query,
    conjunction,
    field_tests,
    parse_query,
    quoted_phrase,
    value_test,
    without_tests,
    words_of,
)
from newsspider.core.query.query_tree import All, Either, Every, Near, Not, Text, Value
from newsspider.core.text.tokenizer import units_of_text, value_token
from tests.support.tables import each

NOW = datetime(2026, 11, 25, 9, 0, tzinfo=ZoneInfo("Asia/Shanghai"))
MIDNIGHT = NOW.replace(hour=0)


def texts(*words):
    return tuple(Text(tuple(units_of_text(word))) for word in words)


@each(
    ("query", "expected"),
    [
        ("高考志愿", *texts("高考志愿")),
        ("高考 志愿", All(texts("高考", "志愿"))),
        ("高考 AND 志愿 招生", All(texts("高考", "志愿", "招生"))),
        ('"高考 志愿"', Text(("高考", "志愿"))),
        ("高考、志愿", Text(("高考", "志愿"))),
        ("高考 OR 志愿", Either(texts("高考", "志愿"))),
        ("高考 -电影", All((*texts("高考"), Not(*texts("电影"))))),
        ("高考 NOT 电影", All((*texts("高考"), Not(*texts("电影"))))),
        ('高考 -"新 电影"', All((*texts("高考"), Not(Text(("新", "电影")))))),
        ('-title:"新 高考"', Not(Text(("新", "高考"), "title"))),
        ('高考 -site:“中国 教育”', All((*texts("高考"), Not(Value(value_token("site", "中国教育")))))),
        ("-（电影 OR 电视）", Not(Either(texts("电影", "电视")))),
        ("高考 NEAR/5 作弊", Near(*texts("高考", "作弊"), 5)),
        ("高考 ONEAR/5 作弊", Near(*texts("高考", "作弊"), 5, ordered=True)),
        ("(校长 OR 教师) NEAR/2 贪污", Near(Either(texts("校长", "教师")), *texts("贪污"), 2)),
        ("title:高考", Text(("高考",), "title")),
        ("voca*", Text(("voca",), "", True)),
        ("*高考*", *texts("高考")),
        ("ＧＲＥ 課程", All(texts("gre", "课程"))),
        ("site:教育部", Value(value_token("site", "教育部"))),
        ('source:"新华 社"', Value(value_token("source", "新华社"))),
        ("has:attachment", Value(value_token("has", "attachment"))),
        ("教师减负：青河市清理", Text(("教师减负", "青河市清理"))),
        ("严禁幼儿园“", Text(("严禁幼儿园",))),
        ("从“坐不住”到”", All(texts("从", "坐不住", "到"))),
        ("教育部 · 通知", All(texts("教育部", "通知"))),
        ("教育部 - 新华网", All(texts("教育部", "新华网"))),
        ("教育部 -", *texts("教育部")),
        ("高考 -（电影 OR 电视）", All((*texts("高考"), Not(Either(texts("电影", "电视")))))),
        ("since:3d", Every()),
        ("", Every()),
    ],
)
def test_a_query_means(query, expected):
    assert parse_query(query, NOW).wanted == expected


@each("value", ["中国 教育", '甲"乙', "甲“乙", "甲”乙", "“甲”乙", "甲＂乙“丙"])
def test_the_value_of_a_field_is_asked_for_as_it_is(value):
    assert parse_query(value_test("site", value), NOW).wanted == Value(value_token("site", value))
    assert parse_query(f"{quoted_phrase(value)} 高考”", NOW).wanted == All((Text(tuple(units_of_text(value))), *texts("高考")))


def test_bounds_of_time_count_for_the_whole_query():
    query = parse_query("高考 since:3d until:yesterday -电影 since:1w", NOW)
    assert query == Query(All((*texts("高考"), Not(*texts("电影")))), NOW - timedelta(days=3), MIDNIGHT)


@each(
    ("date", "begins", "ends"),
    [
        ("today", MIDNIGHT, MIDNIGHT + timedelta(days=1)),
        ("Yesterday", MIDNIGHT - timedelta(days=1), MIDNIGHT),
        ("3h", NOW - timedelta(hours=3), NOW - timedelta(hours=3)),
        ("1w", NOW - timedelta(days=7), NOW - timedelta(days=7)),
        ("2y", NOW - timedelta(days=730), NOW - timedelta(days=730)),
        ("2026-11-01", datetime(2026, 11, 1, tzinfo=NOW.tzinfo), datetime(2026, 11, 2, tzinfo=NOW.tzinfo)),
    ],
)
def test_dates_may_be_relative(date, begins, ends):
    assert (moment_of(date, NOW, last=False), moment_of(date, NOW, last=True)) == (begins, ends)


@each(
    ("query", "sentence"),
    [
        ("高考 AND", "at character 7: a word is missing at the end"),
        ("OR 高考", "at character 1: a word is missing before OR"),
        ("(高考", "at character 1: a parenthesis that nothing closes"),
        ("高考)", "at character 3: nothing was opened that this could close"),
        ('"高考', "at character 1: a quotation mark that stands alone"),
        ("高考 and 志愿", "at character 4: and is no operator"),
        ("mood:calm", "at character 1: 'mood' is no field; the fields are title, body, anchor, comment, site"),
        ("since:soon", "at character 7: 'soon' is no date; say 2026-11-01"),
        ("since:0001-01-01", "at character 7: '0001-01-01' is no date"),
        ("until:2000y", "at character 7: '2000y' is no date"),
        ("高考 OR since:3d", "since: counts for the whole query"),
        ("site:", "at character 6: site: is followed by nothing"),
        ("，", "at character 1: a word is missing"),
        ("a*", "at character 1: at least 2 characters stand before a star"),
        ("site:x NEAR/3 高考", "at character 1: NEAR/n stands between words"),
        ("(" * 30 + "高考" + ")" * 30, "at character 21: is nested more than 20 times"),
        ("考 " * 65, "at character 1: a query has at most 64 words"),
        ("考" * 1001, "at most 1,000 characters, not 1,001"),
    ],
)
def test_a_wrong_query_gets_one_sentence_with_the_place(query, sentence):
    with pytest.raises(RuleError) as refused:
        parse_query(query, NOW)
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_run_that_finds_little_can_be_read_as_words():
    assert words_of("高考志愿 OR GRE -title:高考志愿") == "(高考 AND 志愿) OR GRE NOT title:高考志愿"
    assert words_of("高考志愿") == "高考 AND 志愿"
    assert words_of("“高考 志愿") == "高考 志愿"
    assert words_of("高考 -（电影 OR 电视） - 新华网") == "高考 NOT (电影 OR 电视) 新华网"
    assert parse_query("高考志愿", NOW, as_words=True).wanted == All(texts("高考", "志愿"))
    assert parse_query('"高考志愿"', NOW, as_words=True) == parse_query('"高考志愿"', NOW)


@each(
    ("query", "holds"),
    [
        ("高考 NEAR/2 作弊", True),
        ("高考 NEAR/1 作弊", False),
        ("作弊 NEAR/2 高考", True),
        ("作弊 ONEAR/2 高考", False),
        ("gre NEAR/0 考试", True),
        ("作弊 NEAR/1 gre", True),
        ("(电影 OR 高考) NEAR/2 作弊", True),
        ("title:高考 NEAR/2 作弊", False),
        ("高考严防作弊", True),
        ("-高考", False),
        ("site:x OR 考试", True),
    ],
)
def test_nearness_counts_characters_and_whole_words(query, holds):
    text = indexed_text({"title": units_of_text("标题"), "body": units_of_text("高考严防作弊，与GRE考试")}, set())
    assert matches_query(parse_query(query, NOW).wanted, text) is holds


@each(
    ("query", "tests", "rests"),
    [
        ("高考", [], []),
        ("site:甲", ["site 甲"], [""]),
        ("高考 site:甲", ["site 甲"], ["高考"]),
        ('高考 site:"甲 乙" 改革', ["site 甲 乙"], ["高考 改革"]),
        ("高考 site：甲", ["site 甲"], ["高考"]),
        ("高考 -site:甲", ["-site 甲"], ["高考"]),
        ("高考 NOT site:甲 改革", ["-site 甲"], ["高考 改革"]),
        ("高考 NOT NOT site:甲", ["site 甲"], ["高考"]),
        ("高考 AND site:甲 AND 改革", ["site 甲"], ["高考 AND 改革"]),
        ("site:甲 AND 高考", ["site 甲"], ["高考"]),
        ("高考 AND NOT media:local", ["-media local"], ["高考"]),
        ("since:3d 高考 until:today", ["since 3d", "until today"], ["高考 until:today", "since:3d 高考"]),
        ("(高考 OR 考研) site:甲", ["site 甲"], ["(高考 OR 考研)"]),
        ("（高考 OR site:乙） site:甲", ["site 甲"], ["（高考 OR site:乙）"]),
        ("高考 OR site:甲", [], []),
        ("title:高考 body:改革", [], []),
        ("“高考 site:甲", ["site 甲"], ["“高考"]),
    ],
)
def test_a_filter_can_be_taken_out_of_its_query(query, tests, rests):
    found = field_tests(query)
    assert [f"{'-' * test.excludes}{test.field} {test.value}" for test in found] == tests
    assert [without_tests(query, [test]) for test in found] == rests
    assert all(parse_query(rest, NOW) for rest in rests)


@each(
    ("query", "tests"),
    [
        ("高考 OR 志愿", ["since 3d", "site 甲"]),
        ("(高考 OR 志愿)", ["since 3d", "site 甲"]),
        ("(高考 OR (志愿 OR 分数)) -(电影 OR 剧)", ["since 3d", "site 甲"]),
        ("(高考 OR 志愿) OR (分数 OR 投档)", ["since 3d", "site 甲"]),
        ("（高考 OR 志愿） lang:zh", ["lang zh", "since 3d", "site 甲"]),
        ('"高考 OR 志愿"', ["since 3d", "site 甲"]),
    ],
)
def test_filters_that_are_added_one_by_one_can_all_be_taken_out(query, tests):
    once = conjunction(query, "since:3d")
    both = conjunction(once, "site:甲")
    assert [f"{test.field} {test.value}" for test in field_tests(both)] == tests
    assert parse_query(both, NOW).since == parse_query("since:3d", NOW).since
    assert without_tests(both, field_tests(both)[-2:]) == once.removesuffix(" since:3d")
