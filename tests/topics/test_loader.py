import hashlib
from importlib.resources import files
from pathlib import Path

import pytest

from newsspider.core.relevance.scoring import Document, score
from newsspider.topics.loader import TopicError, load_topic, read_topic, topic_dictionary, topic_names, training_files
from tests.support.tables import each

GOOD = 'name = "chess"\n[terms.play]\n"象棋" = 0.9\n"国际象棋" = { weight = 0.8, synonyms = ["西洋棋"] }\n'


@pytest.fixture(scope="module")
def education():
    return load_topic("education")


def test_education_has_many_terms_in_many_classes(education):
    assert len(education.terms) >= 500
    assert len({term.category for term in education.terms}) >= 10
    assert all(0 < term.weight <= 1 for term in education.terms)


def test_the_jieba_dictionary_holds_the_words_of_the_profile(education):
    shipped = files("newsspider.topics").joinpath("education.txt").read_text("utf-8")
    assert shipped == topic_dictionary(education)


def test_the_shipped_weights_are_those_that_the_docs_say_training_makes():
    shipped = files("newsspider.topics").joinpath("education.bin").read_bytes()
    assert hashlib.sha256(shipped).hexdigest() in (Path(__file__).parents[2] / "docs" / "sources.md").read_text("utf-8")


@pytest.mark.parametrize(
    "headline",
    [
        "“双减”落地一年：课后服务怎么样了",
        "今年考研国家线公布",
        "职教高考来了，中职生多了一条升学路",
        "留学生归国创业政策发布会走进高校",
    ],
)
def test_headlines_about_education_are_kept(education, headline):
    assert score(education, Document(title=headline)).relevant


@pytest.mark.parametrize(
    "headline",
    ["央行下调存款准备金率", "主队客场两球取胜", "委员会提高考核标准", "产业园集中考虑引入外资", "沿海今夜有六级大风"],
)
def test_headlines_about_other_things_are_not(education, headline):
    assert not score(education, Document(title=headline)).relevant


def test_a_company_story_that_names_a_university_once_is_not_kept(education):
    story = "公司今年的销售收入比去年增长两成，新的生产线已经投产，订单排到了年底，管理层对市场前景表示乐观。" * 20
    text = story + "公司还与清华大学签了协议。" + story
    assert not score(education, Document(title="机床厂年产值再创新高", text=text)).relevant


def test_an_article_is_kept_though_its_headline_says_nothing(education):
    text = "期末考试前，班主任带着学生复习，老师们在教室里讲解试题，家长关心孩子的高考志愿填报和录取分数线。" * 8
    assert score(education, Document(title="又到六月", text=text)).relevant


def test_a_users_own_file_is_a_topic(tmp_path):
    path = tmp_path / "chess.toml"
    path.write_text(GOOD, encoding="utf-8")
    verdict = score(load_topic(str(path)), Document(title="西洋棋赛"))
    assert verdict.terms == ("国际象棋",)
    assert verdict.relevant


def test_any_and_education_are_built_in():
    assert {"any", "education"} <= set(topic_names())
    assert score(load_topic("any"), Document()).relevant


@each(
    ("content", "key", "reason"),
    [
        ("name = ", "", "not TOML"),
        ('[terms.a]\n"象棋" = 0.9\n', "name", "missing"),
        ('name = "x"\n', "terms", "at least one"),
        ('name = "any"\n' + GOOD[GOOD.index("[") :], "name", "built-in"),
        ('name = " any "\n' + GOOD[GOOD.index("[") :], "name", "built-in"),
        ('name = "  "\n' + GOOD[GOOD.index("[") :], "name", "not a text"),
        ('name = "x"\n[terms.a]\n"  " = 0.5\n', "terms.a.  ", "blank"),
        ('name = "x"\n[terms.a]\n"　　" = 0.5\n', "terms.a.　　", "blank"),
        ('name = "x"\n[terms.a]\n" 象棋" = 0.5\n', "terms.a. 象棋", "blank"),
        ('name = "x"\n[terms.a]\n"教師" = 0.5\n"教师" = 0.5\n', "terms.a.教师", "twice"),
        (GOOD + '[negative]\n"GRE" = 0.5\n"ＧＲＥ" = 0.4\n', "negative", "twice"),
        ('name = "x"\n[terms.a]\n"象棋" = { weight = 0.5, synonyms = ["  "] }\n', "terms.a.象棋.synonyms", "blank"),
        ('decoys = ["  "]\n' + GOOD, "decoys", "blank"),
        (GOOD + '[negative]\n"  " = 0.5\n', "negative", "blank"),
        ('name = "x"\ncolour = 1\n' + GOOD[GOOD.index("[") :], "colour", "unknown key"),
        ('name = "x"\n[terms.a]\n"象棋" = 1.5\n', "terms.a.象棋", "1.5"),
        ('name = "x"\n[terms.a]\n"象棋" = true\n', "terms.a.象棋", "True"),
        ('name = "x"\n[terms.a]\n"棋" = 0.5\n', "terms.a.棋", "too short"),
        ('name = "x"\n[terms.a]\n"象棋" = 0.5\n[terms.b]\n"象棋" = 0.5\n', "terms.b.象棋", "twice"),
        ('name = "x"\n[terms.a]\n"象棋" = { weight = 0.5, synonym = [] }\n', "terms.a.象棋.synonym", "unknown key"),
        ('name = "x"\n[terms]\n"象棋" = 0.5\n', "terms.象棋", "table"),
        (GOOD + "[thresholds]\nmagic = 0.5\n", "thresholds.magic", "no model"),
        (GOOD + "[thresholds]\nblend = { article = 0.5 }\n", "thresholds.blend", "headline"),
        (GOOD + '[negative]\n"象棋" = 0.5\n', "negative", "twice"),
        (GOOD + '[negative]\n"足球" = 1\n', "negative.足球", "at most 0.999"),
        ('model = "magic"\n' + GOOD, "model", "no model"),
        ("decoys = [1]\n" + GOOD, "decoys", "list of words"),
        (GOOD + '[subtopics]\nx = "象棋 AND (NOT media:offical)"\n', "subtopics.x", "at character 19: 'offical' is no media class"),
        (GOOD + '[subtopics]\nx = "ｍｅｄｉａ：offical"\n', "subtopics.x", "at character 7: 'offical' is no media class"),
        (GOOD.replace("[terms", 'keep = "all"\n[terms'), "keep", "none of relevant, borderline"),
        (GOOD + '[[rules]]\nwhen = "a"\nverdict = "keep"\nweight = "much"\n', "rules[1].weight", "weighs nothing"),
        (GOOD + '[subtopics]\nx = "' + "(" * 3000 + '"\n', "subtopics.x", "nested"),
    ],
)
def test_an_invalid_file_is_refused_with_file_key_and_reason(content, key, reason):
    with pytest.raises(TopicError) as caught:
        read_topic(content.encode(), "my.toml")
    assert (caught.value.file, caught.value.key) == ("my.toml", key)
    assert reason in caught.value.reason
    assert str(caught.value).startswith("my.toml: ")


def test_a_field_name_inside_a_quoted_phrase_is_plain_text():
    assert read_topic((GOOD + "[subtopics]\nx = '\"social media:foo\"'\n").encode(), "my.toml").subtopics


@each("name", ["no-such-topic", "", "/", "a\0b"])
def test_an_unknown_topic_name_is_refused(name):
    with pytest.raises(TopicError, match="neither a topic"):
        load_topic(name)


@pytest.mark.parametrize(
    ("wrong", "key"),
    [("", "topic"), ('topic = "12"', "topic"), ("topic = []", "topic"), ('topic = ["1"]\ngroups = { a = "bc" }', "groups.a")],
)
def test_a_description_of_training_files_without_lists_of_labels_is_refused(tmp_path, wrong, key):
    path = tmp_path / "my.toml"
    described = f'[[training]]\nsource = "a"\norigin = "b"\nsha256 = "c"\nlayout = "json"\n{wrong}\n'
    path.write_text(GOOD + described, encoding="utf-8")
    with pytest.raises(TopicError) as caught:
        training_files(str(path))
    assert caught.value.key == f"training[1].{key}"
