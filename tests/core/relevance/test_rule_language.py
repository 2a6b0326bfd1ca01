"""What the rule language means, and where it reports an error in a rule."""

import pytest

from newsspider.core.query.parser import RuleError
from newsspider.core.relevance.document import Facts
from newsspider.core.relevance.rule_language import parsed
from tests.support.tables import each


@each(
    ("rule", "title", "holds"),
    [
        ("高考", "今年高考报名", True),
        ("高考", "提高考核标准", False),  # inside other words
        ("*高考*", "提高考核标准", True),  # asked for
        ("高考 AND 报名", "今年高考报名", True),
        ("高考 报名", "今年高考报名", True),
        ("高考 AND 报名", "今年高考成绩", False),
        ("高考 OR 中考", "今年中考报名", True),
        ("高考 AND NOT 电影", "高考电影上映", False),
        ("NOT 电影", "今年高考报名", True),
        ("中考 OR 高考 AND 电影", "今年中考报名", True),  # AND binds closer
        ("(中考 OR 高考) AND 电影", "今年中考报名", False),
        ('"高考报名"', "今年高考报名", True),
        ('"乡村 教师"', "乡村教师招聘", True),
        ('"乡村 教师"', "教师在乡村", False),
        ("校长 NEAR/1 贪污", "校长涉嫌贪污", True),
        ("贪污 NEAR/1 校长", "校长涉嫌贪污", True),  # either order
        ("校长 NEAR/0 贪污", "校长涉嫌贪污", False),
        ("(院长 OR 校长) NEAR/1 贪污", "校长涉嫌贪污", True),
        ("GRE", "gre 考试", True),
        ("教师", "鄉村教師招聘", True),  # traditional
        ("教師", "乡村教师招聘", True),
        ("GRE", "ＧＲＥ考试", True),  # full-width
        ('"乡村 教师"', "乡村 教师招聘", True),
        ('"乡村 教师"', "在乡村\n\u3000教师招聘", True),
        ('"Elon Musk"', "Elon\u00a0 Musk said", True),
        ('"Elon Musk"', "ElonMusk said", False),
        ('"iPhone发布"', "新iPhone 发布", True),
        ("大学", "很大 学校", False),  # a word has no blanks
        ("Musk NEAR/1 Tesla", "Musk buys Tesla", True),  # blanks are no words
        ("Musk NEAR/0 Tesla", "Musk buys Tesla", False),
        ("校长 NEAR/0 贪污", "校长：贪污", True),
        ("校长 NEAR/3 校长", "校长开会", False),  # one is not two
        ("校长 NEAR/3 校长", "校长对校长", True),
        ("马云", "翁杰明邀请马云到重庆", True),  # the segmenter guesses at a word 马云到
        ("马云 NEAR/1 重庆", "翁杰明邀请马云到重庆", True),
        ("云", "翁杰明邀请马云到重庆", False),
        ("（高考 OR 中考） AND 报名", "今年高考报名", True),  # as Chinese keyboards write it
        ("“乡村 教师”", "乡村教师招聘", True),
        ("Title：教师", "乡村教师招聘", True),
        ('"and"', "you and me", True),
        ('"高考、中考"', "高考、中考报名", True),
        ("BRAND OR 中考", "BRAND", True),
        ('"“双减”政策"', "解读“双减”政策", True),
        ('"解读“双减”"', "解读“双减政策”", False),
        ('"比分3:2"', "比分3:2", True),
    ],
)
def test_a_rule_holds_for_the_words_of_a_title(rule, title, holds):
    assert parsed(rule)(Facts(title=title)) is holds


@each(
    ("rule", "holds"),
    [
        ("title:高考", False),
        ("body:高考", True),
        ("高考", True),
        ("site:edu.cn", True),
        ("site:u.cn", False),
        ("site:某大学", True),
        ("url:/gaokao/", True),
        ("author:张三", True),
        ("author:张", False),
        ("channel:招生", True),
        ("media:official", True),
        ("media:official AND NOT author:李四", True),
        ("author:張三", True),
        ("channel:招生 快讯", False),
        ('channel:"生快"', True),
        ("site:SOME.edu.cn", True),
        ("url:/高考/", True),
        ("url:https://news.some", True),
        ("标题 NEAR/9 高考", False),  # one stands in the title, the other in the body
    ],
)
def test_a_field_is_asked_by_its_name(rule, holds):
    facts = Facts(
        title="标题",
        body="今年高考",
        url="https://news.some.edu.cn./gaokao/%E9%AB%98%E8%80%83/1.html",
        site="某大学",
        channel="招生快讯",
        media="official",
        authors=("张三",),
    )
    assert parsed(rule)(facts) is holds


@each(
    ("rule", "at", "reason"),
    [
        ("", 1, "missing at the end"),
        ("高考 AND", 7, "missing at the end"),
        ("OR 高考", 1, "before OR"),
        ("高考 AND OR 中考", 8, "before OR"),
        ("(高考 OR 中考", 1, "nothing closes"),
        ("高考) 中考", 3, "nothing was opened"),
        ('高考 "中考', 4, "quotation mark"),
        ("高考 titel:中考", 4, "no field"),
        ("高考 site:", 9, "followed by nothing"),
        ("高考 NEAR/3 site:edu.cn", 11, "stands between words"),
        ("(高考 中考) NEAR/3 报名", 1, "stands between words"),
        ("title:**", 7, "a word is missing"),
        ("高考 and 中考", 4, "no operator"),
        ("高考 NEAR 中考", 4, "no operator"),
        ("高考 near/3 中考", 4, "no operator"),
        ("高考 NEAR/1000 中考", 4, "no operator"),
        ("高考 && 中考", 4, "&& within a word"),
        ("高考 ！ 中考", 4, "a word is missing"),
        ("(title:高考 OR title:中考) NEAR/3 body:报名", 24, "never near"),
        ("高*考", 1, "at an end"),
        ("title:高考AND中考", 9, "AND within a word"),
        ("*高考*OR中考", 5, "OR within a word"),
        ("高考|中考", 3, "| within a word"),
        ("高考、中考", 3, "、 within a word"),
        ("author:*张*", 8, "takes no star"),
        ("title:author:张三", 7, "a field within title:"),
        ("𠮷 标题：高考", 3, "'标题' is no field"),
        ("高考\t中考\n titel:考研", 8, "no field"),
        ("高考 “中考", 4, "quotation mark"),
        ("(" * 200 + "高考" + ")" * 200, 101, "nested"),
        ("NOT " * 3000 + "高考", 401, "nested"),
    ],
)
def test_a_bad_rule_says_at_which_character_and_why(rule, at, reason):
    with pytest.raises(RuleError) as caught:
        parsed(rule)
    assert caught.value.at == at
    assert reason in caught.value.reason


def test_an_invalid_url_matches_no_site_rule():
    assert not parsed("site:some.edu.cn")(Facts(url="http://[::1"))
