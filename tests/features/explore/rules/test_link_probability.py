"""How probable it is that a link leads to an article on topic, and how a crawl learns it."""

from hypothesis import given
from hypothesis import strategies as st

from newsspider.features.explore.rules.link_probability import (
    LEAST_SHARE,
    MOST_SHARE,
    SCORE_BANDS,
    UNLEARNED,
    Pair,
    Sight,
    band_of,
    facts_of,
    folder_of,
    names_of,
    probability_of,
    share_of_list,
    weight,
    weight_changes,
)
from tests.support.tables import each

KINS = ["list", "seed", "on", "off", "on elsewhere", "off elsewhere"]
ARTICLE = Sight("http://a.example/edu/2026/1.html", 12, 7, "list", "main")

LIST = Sight("http://a.example/edu/", 0, 7, "list", "navigation", hub=True)


def learned_from(sight: Sight, outcomes: list[float]) -> dict[str, Pair]:
    learned: dict[str, Pair] = {}
    for outcome in outcomes:
        changes = weight_changes(facts_of(sight, 0.5, learned), outcome, learned)
        learned |= {name: learned.get(name, UNLEARNED) + pair for name, pair in changes.items()}
    return learned


@given(st.integers(0, len(SCORE_BANDS) + 1), st.floats(LEAST_SHARE, MOST_SHARE), st.sampled_from(KINS), st.booleans())
def test_a_promise_is_a_probability(band, share, kin, hub):
    sight = Sight("http://a.example/b/1.html", band, 1, kin, "side", hub)
    assert 0 < probability_of(facts_of(sight, share, {}), {}) < 1


def test_better_words_and_a_better_list_promise_more():
    sights = [Sight(ARTICLE.url, band, 7, "list") for band in range(1, len(SCORE_BANDS) + 2)]
    probabilities = [probability_of(facts_of(sight, 0.5, {}), {}) for sight in sights]
    assert probabilities == sorted(probabilities)
    assert probabilities[0] < 0.1
    assert probabilities[-1] > 0.8
    assert probability_of(facts_of(ARTICLE, 0.9, {}), {}) > probability_of(facts_of(ARTICLE, 0.1, {}), {})


def test_a_link_beside_an_article_on_topic_promises_more_than_one_elsewhere_on_its_page():
    kins = ("on", "on elsewhere", "off")
    sights = (Sight(ARTICLE.url, 0, 7, kin, "body") for kin in kins)
    beside_on_topic, elsewhere, beside_off_topic = (probability_of(facts_of(sight, 0.5, {}), {}) for sight in sights)
    assert beside_on_topic > 2 * elsewhere
    assert beside_on_topic > beside_off_topic


def test_what_was_read_of_a_list_outweighs_the_words_beside():
    silent, telling = [0] * 20, [12] * 20
    assert share_of_list(UNLEARNED, telling, {}) > 0.8
    assert share_of_list(Pair(30, 0), telling, {}) < 0.5 < share_of_list(Pair(30, 30), silent, {})


def test_a_place_that_disappoints_promises_less_and_others_of_its_name_too():
    learned = learned_from(ARTICLE, [0.0] * 6)
    elsewhere = Sight("http://b.example/edu/2026/1.html", 12, 8, "list", "main")
    other = Sight("http://c.example/stock/1.html", 12, 9, "list", "main")
    assert probability_of(facts_of(ARTICLE, 0.5, learned), learned) < 0.4 * probability_of(facts_of(ARTICLE, 0.5, {}), {})
    same_place, same_name, unrelated = (probability_of(facts_of(sight, 0.5, learned), learned) for sight in (ARTICLE, elsewhere, other))
    assert same_place < same_name < unrelated


def test_lessons_of_two_workers_add_up_in_any_order():
    first, second = weight_changes(facts_of(ARTICLE, 0.5, {}), 1.0, {}), weight_changes(facts_of(ARTICLE, 0.2, {}), 0.0, {})
    assert {name: first[name] + second[name] for name in first} == {name: second[name] + first[name] for name in first}


def test_a_lesson_that_was_expected_changes_little():
    certain = Sight(ARTICLE.url, 12, 7, "list", "body")
    expected, surprise = (weight_changes(facts_of(certain, 0.9, {}), outcome, {}) for outcome in (1.0, 0.0))
    assert all(abs(expected[name].first) < abs(surprise[name].first) for name in expected if surprise[name].first)


def test_every_value_that_a_promise_needs_is_requested():
    for sight in (ARTICLE, LIST):
        names = set(names_of([sight]))
        assert set(weight_changes(facts_of(sight, 0.5, {}), 1.0, {})) <= names
        assert {f"weight {fact}" for fact in sight.articles()} <= names
        assert sight.beside() in names


def test_a_list_is_worth_what_the_articles_of_its_folder_were():
    learned = learned_from(Sight("http://a.example/edu/1.html", 12, 7, "list", "main"), [0.0] * 6)
    assert probability_of(facts_of(LIST, 0.5, learned), learned) < 0.8 * probability_of(facts_of(LIST, 0.5, {}), {})


def test_what_stands_beside_the_texts_of_a_host_is_learned_apart_from_what_is_in_them():
    in_text, beside_text = (Sight("http://a.example/edu/1.html", 12, 7, "on", region) for region in ("body", "side"))
    learned = {name: pair for name, pair in learned_from(beside_text, [0.0] * 6).items() if " host " in name}
    assert probability_of(facts_of(beside_text, 0.5, learned), learned) < probability_of(facts_of(beside_text, 0.5, {}), {})
    assert probability_of(facts_of(in_text, 0.5, learned), learned) == probability_of(facts_of(in_text, 0.5, {}), {})


def test_a_weight_is_that_of_the_table_and_what_was_learned():
    assert weight("article", {"weight article": Pair(0.5, 1.0)}) == weight("article", {}) + 0.5
    assert weight("article in nowhere/", {}) == 0.0


@each(
    ("text", "score", "band"),
    [
        ("", 0.0, 0),
        ("更多", 0.0, 0),
        ("[图]", 0.02, 0),
        ("高考", 0.9, 11),
        ("两市成", 0.0, 1),
        ("两市成", 0.002, 3),
        ("两市成交额连续回落", 0.5, 9),
    ],
)
def test_few_words_that_score_nothing_say_nothing(text, score, band):
    assert band_of(score, text) == band


@each(
    ("url", "folder"),
    [
        ("http://a.example", "/"),
        ("http://a.example/", "a.example/"),
        ("http://a.example/x", "a.example/"),
        ("http://a.example/edu/?p=/a/", "a.example/edu/"),
        ("https://a.example:8443/2026-11/05/t1.html", "a.example:8443/0/0/"),
        ("http://a.example/node_7/20261105_3/t20261105/5.html", "a.example/node_7/0/t0/"),
    ],
)
def test_digits_of_dates_in_folders_are_normalised(url, folder):
    assert folder_of(url) == folder
