"""Every figure here is worked by hand from the formulas on top of core/relevance/scoring.py."""

from collections.abc import Sequence
from math import sqrt

import pytest

from newsspider.core.relevance.learned_model import Odds, Words
from newsspider.core.relevance.rule_language import RuleVerdict, TopicRule
from newsspider.core.relevance.scoring import Document, Model, Term, Threshold, TopicProfile, score
from tests.support.tables import each

TERMS = (Term("高考", 0.8, synonyms=("普通高考",)), Term("教师", 0.6), Term("学校", 0.5), Term("留学", 0.4))


def profile(**more):
    return TopicProfile("test", TERMS, **more)


def test_boolean_is_the_share_of_the_topics_terms_that_the_document_has():
    result = score(profile(), Document(title="高考教师", text="高考，普通高考"), "boolean")
    assert result.score == 0.5  # 2 of 4 terms; a synonym is the same term
    assert result.terms == ("高考", "教师")


def test_boolean_saturates_where_the_profile_says_so():
    assert score(profile(saturation=3), Document(title="高考教师"), "boolean").score == pytest.approx(2 / 3, abs=1e-4)
    assert score(profile(saturation=2), Document(title="高考教师学校"), "boolean").score == 1.0


def test_tags_are_the_mean_weights_of_the_three_tags():
    document = Document(
        meta_title="高考改革",  # 高考 0.8, 改革 0: mean 0.4
        headings=("教师，学校",),  # 0.6, 0.5: mean 0.55
        meta_keywords=("留学",),  # 0.4
        meta_description="新闻",  # with it a mean of 0.2
    )
    assert score(profile(), document, "tags").score == pytest.approx((0.4 + 0.55 + 0.2) / 3, abs=1e-4)
    weighted = profile(tag_factors=(2.0, 0.5, 1.0))
    assert score(weighted, document, "tags").score == pytest.approx((0.8 + 0.275 + 0.2) / 3, abs=1e-4)


def test_tags_of_a_page_without_tags_are_nothing():
    assert score(profile(), Document(text="高考"), "tags").score == 0.0


def test_vector_is_the_cosine_of_topic_and_page():
    # frequencies 2 and 1: x = 1 and 0.5; page vector (0.8, 0.3, 0, 0); topic vector (0.8, 0.6, 0.5, 0.4)
    result = score(profile(), Document(text="高考，高考，教师"), "vector")
    dot = 0.8 * 0.8 + 0.6 * 0.3
    assert result.score == pytest.approx(dot / (sqrt(0.64 + 0.36 + 0.25 + 0.16) * sqrt(0.64 + 0.09)), abs=1e-4)
    assert result.terms == ("高考", "教师")


def test_blend_of_a_headline_is_the_noisy_or_of_its_terms():
    assert score(profile(), Document(title="高考")).score == pytest.approx(0.8)
    assert score(profile(), Document(title="高考与教师")).score == pytest.approx(1 - 0.2 * 0.4, abs=1e-4)


def test_blend_asks_more_of_a_longer_text():
    # one term of weight 0.5 is evidence 1, divided by (1 + 300 / 100) ** 0.75 * 1.25
    text = "学校" + "山" * 298
    assert score(profile(), Document(text=text)).score == pytest.approx(1 - 2 ** -(1 / (4**0.75 * 1.25)), abs=1e-4)


def test_negative_terms_speak_against():
    against = profile(negative={"球队": 0.5})
    assert score(against, Document(title="高考球队")).score == pytest.approx(1 - 0.2 / 0.5, abs=1e-4)
    assert score(against, Document(title="高考教师球队"), "boolean").score == 0.25  # half of 2/4


def test_thresholds_are_those_of_the_model_and_of_the_length():
    strict = profile(thresholds={Model.BLEND: Threshold(article=0.9, headline=0.8)})
    assert score(strict, Document(title="高考")).relevant
    assert not score(strict, Document(title="高考", text="高考")).relevant


@each("model", ["blend", "boolean", "tags", "vector"])
def test_an_empty_document_is_about_nothing(model):
    result = score(profile(), Document(), model)
    assert (result.score, result.relevant, result.terms, result.model) == (0.0, False, (), model)


def test_any_keeps_everything_whatever_the_model():
    result = score(TopicProfile("any", model=Model.ANY), Document(), "vector")
    assert (result.score, result.relevant, result.model) == (1.0, True, "any")


def test_an_unknown_model_is_refused():
    with pytest.raises(ValueError, match="magic"):
        score(profile(), Document(title="高考"), "magic")


def test_a_headline_alone_does_not_carry_a_long_silent_body():
    # evidence of the headline, bounded to 3, has a share of 0.4; the body says nothing
    sure = TopicProfile("test", (Term("高考", 0.99),))
    assert score(sure, Document(title="高考", text="山" * 400)).score == pytest.approx(1 - 2 ** -(0.4 * 3), abs=1e-4)


def test_a_rule_weighs_as_a_term_of_its_weight():
    ruled = profile(rules=(TopicRule("url:/gaokao/", weight=0.5),))
    assert score(ruled, Document(title="教师", url="http://a.example/gaokao/1")).score == pytest.approx(1 - 0.4 * 0.5)
    assert score(ruled, Document(title="教师", url="http://a.example/b")).score == pytest.approx(0.6)
    against = profile(rules=(TopicRule("title:电影", weight=-0.5),))
    assert score(against, Document(title="高考电影")).score == pytest.approx(1 - 0.2 / 0.5)


def test_a_rule_that_keeps_or_drops_has_the_last_word():
    watched = profile(rules=(TopicRule("author:张三", RuleVerdict.KEEP), TopicRule("media:forum", RuleVerdict.DROP)))
    verdict = score(watched, Document(title="球队", authors=("张三",)))
    assert (verdict.relevant, verdict.decided_by) == (True, "rules")
    assert not score(watched, Document(title="高考", media="forum")).relevant
    assert not score(watched, Document(title="高考", media="forum", authors=("张三",))).relevant


def test_the_rules_that_hold_are_named_and_words_or_rules_decided():
    shows = TopicRule("title:电影 OR title:电视剧 OR title:综艺节目 OR title:演唱会", weight=-0.5)
    rules = (TopicRule("title:考试", weight=0.6, name="exams"), shows)
    ruled = profile(negative={"股价": 0.9}, rules=rules)
    result = score(ruled, Document(title="学校考试"))
    assert (result.score, result.decided_by, result.rules) == (0.8, "rules", ("exams",))
    assert dict(result.parts) == {"words": 0.0, "rules": pytest.approx(0.916, abs=1e-3)}
    assert score(ruled, Document(title="高考考试教师")).decided_by == "words"
    assert score(ruled, Document(title="学校")).parts == ()
    against = score(ruled, Document(title="学校股价考试"))  # 0.5 and 0.6 for, 0.9 against
    assert (against.score, against.relevant, against.decided_by) == (0.0, False, "words")
    (long,) = score(ruled, Document(title="学校电影")).rules
    assert long.startswith("title:电影 OR")
    assert len(long) <= 40
    assert score(ruled, Document(title="学校考试"), "words").rules == ()


def test_a_rule_with_the_last_word_is_named_alone():
    kept, dropped = TopicRule("site:a.cn", RuleVerdict.KEEP, name="ours"), TopicRule("招聘", RuleVerdict.DROP, name="jobs")
    last = profile(rules=(TopicRule("考试", weight=0.6), kept, dropped))
    assert score(last, Document(title="考试", url="http://a.cn/")).rules == ("ours",)
    assert score(last, Document(title="考试招聘", url="http://a.cn/")).rules == ("jobs",)


def test_a_relevant_document_is_tagged_with_the_parts_of_the_field_that_hold():
    parts = profile(subtopics={"考试": TopicRule("高考 OR 中考"), "师资": TopicRule("教师")})
    assert score(parts, Document(title="高考与教师")).subtopics == ("考试", "师资")
    assert score(parts, Document(title="学校与高考")).subtopics == ("考试",)
    assert score(parts, Document(title="中考")).subtopics == ()  # off topic


def test_without_trained_weights_the_blend_is_that_of_the_words():
    assert score(profile(), Document(title="高考"), "learned") == score(profile(), Document(title="高考"), "words")
    strict = profile(thresholds={Model.WORDS: Threshold(article=0.9, headline=0.9)})
    assert not score(strict, Document(title="高考")).relevant


class Refusing:
    """Trained weights that judge every text to be off topic."""

    thresholds = (0.5, 0.5)
    bodies = None

    def of_headline(self, headline: str, words: Words | None = None) -> Odds:
        return Odds(-6.0, 1.0 if words and words.in_favour else 0.0)

    def of_article(self, headline: str, text: str, words: Words | None = None) -> Odds:
        return self.of_headline(headline, words)

    def word_contributions(self, headline: str, words: Sequence[str]) -> dict[str, float]:
        return {}


def test_trained_weights_do_not_overrule_a_strong_term_in_a_headline():
    learned = Refusing()
    topic = profile(learned=learned, negative={"股价": 0.5})
    assert score(topic, Document(title="高考今日开考")).relevant  # 0.8
    assert not score(topic, Document(title="教师今日开会")).relevant  # 0.6 is no strong term
    assert not score(topic, Document(title="高考概念股价大涨")).relevant  # a term against the topic
    assert not score(topic, Document(title="高考今日开考"), "learned").relevant  # grams alone
