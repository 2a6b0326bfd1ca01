"""Weights are learned from labelled texts written for these tests."""

import json
import random
from dataclasses import replace

import pytest

from newsspider.core.relevance.learned_model import WeightsError, Words, pack_weights, probability, unpack_weights
from newsspider.core.relevance.scoring import Document, Model, score, words_of
from newsspider.features.workbench.labelled_texts import CorpusError, PublicCorpus, hash_of, read_labelled
from newsspider.topics.loader import TopicError, load_topic, read_topic, weights_beside
from tests.support.tables import each


def training():
    """The module: whoever only collects the tests need not load scikit-learn."""
    return pytest.importorskip("newsspider.features.workbench.training", reason="the extra 'train' is not installed")


CROPS, DEEDS = ("水稻", "小麦", "玉米", "大豆"), ("丰收在望", "长势喜人", "进入收割期", "播种忙")
CLUBS, FEATS = ("球队", "主教练", "前锋", "门将"), ("赢得比赛", "遭遇红牌", "签下新约", "点球绝杀")
TOPIC = """
name = "farming"
[terms.crops]
"水稻" = 0.8
"""


def samples():
    dice = random.Random(7)
    corpus = []
    for number in range(160):
        crop = f"{dice.choice(CROPS)}{dice.choice(DEEDS)}第{number}天"
        club = f"{dice.choice(CLUBS)}{dice.choice(FEATS)}第{number}轮"
        corpus += [training().Sample("wire", "topic", crop), training().Sample("wire", "sports", club)]
    for number in range(60):
        crop, club = "，".join(dice.choices(DEEDS, k=9)), "，".join(dice.choices(FEATS, k=9))
        corpus += [training().Sample("papers", "topic", "", f"{crop}{number}")]
        corpus += [training().Sample("papers", "other", "", f"{club}{number}")]
    return corpus


@pytest.fixture(scope="module")
def learned():
    return training().train_weights(samples(), lambda headline, _: Words(0.5 * headline.count("水稻"), 0.0, 1))


def test_what_was_learned_is_said_of_texts_never_seen(learned):
    assert probability(sum(learned.of_headline("玉米丰收在望"))) > 0.8
    assert probability(sum(learned.of_headline("门将遭遇红牌"))) < 0.2
    assert probability(sum(learned.of_article("", "今年长势喜人，进入收割期，丰收在望。" * 3))) > 0.5
    assert probability(sum(learned.of_article("", "今晚点球绝杀，赢得比赛，遭遇红牌。" * 3))) < 0.5


def test_the_same_texts_give_the_same_bytes(learned):
    retrained = training().train_weights(samples(), lambda headline, _: Words(0.5 * headline.count("水稻"), 0.0, 1))
    assert pack_weights(retrained) == pack_weights(learned)


def test_what_a_word_added_stands_beside_the_word(learned):
    words = ["玉米", "丰收在望", "，", "门将", "遭遇红牌"]
    contributions = learned.word_contributions("".join(words), words)
    assert min(contributions["玉米"], contributions["丰收在望"]) > 0 > max(contributions["门将"], contributions["遭遇红牌"])
    shifted = learned.word_contributions("".join(["𠮷", *words]), ["𠮷", *words])  # two units of UTF-16
    assert shifted["遭遇红牌"] == pytest.approx(contributions["遭遇红牌"], abs=0.05)


def test_the_opening_of_a_body_is_heard_apart_from_the_rest(learned):
    crop, club = "今年长势喜人，进入收割期，丰收在望。" * 8, "今晚点球绝杀，赢得比赛，遭遇红牌。" * 8
    first, last = (sum(learned.of_article("", text)) for text in (crop + club * 3, club * 3 + crop))
    assert first > last


def test_weights_of_another_format_do_not_prevent_training_again(tmp_path):
    profile = tmp_path / "farming.toml"
    profile.write_text(TOPIC, encoding="utf-8")
    (tmp_path / "farming.bin").write_bytes(b'{"format": 1}\n')
    with pytest.raises(TopicError, match="train again"):
        load_topic(str(profile))
    assert load_topic(str(profile), trained=False).learned is None


def test_with_few_relevant_texts_differences_below_one_text_do_not_move_the_threshold():
    few = [training().Sample("papers", "topic" if number < 40 else "other", "", str(number)) for number in range(100)]
    many = [training().Sample("wire", "topic" if number < 400 else "other", "", str(number)) for number in range(1000)]
    odds = [3.0] * 39 + [-3.0] + [3.0] + [-3.0] * 59  # as many false negatives as false positives
    assert training().threshold(training().np.array(odds), few) == 0.2
    assert training().threshold(training().np.array(odds), few, 50) == 0.5
    assert training().threshold(training().np.repeat(odds, 10), many) > 0.9


def test_of_few_headlines_no_threshold_below_a_half_is_believed(learned):
    article, headline = learned.thresholds
    assert headline == 0.5
    assert article < 0.5


def test_weights_come_back_from_their_bytes_as_they_were(learned):
    assert unpack_weights(pack_weights(learned)) == learned


@each("content", [b"", b"{}\n", b"not json\nx", b'{"format": 99}\n', b'{"format": 2}\nx'])
def test_bytes_that_are_no_weights_are_refused(content):
    with pytest.raises(WeightsError):
        unpack_weights(content)


@each(("on_topic", "others"), [(160, 0), (0, 160), (19, 160), (160, 19)])
def test_too_few_headlines_of_one_kind_are_refused_with_their_number(on_topic, others):
    headlines = [sample for sample in samples() if sample.headline]
    few = [sample for sample in headlines if sample.relevant][:on_topic] + [sample for sample in headlines if not sample.relevant][:others]
    with pytest.raises(ValueError, match=f"at least 20 headlines .* not {on_topic} and {others}"):
        training().train_weights(few, lambda *_: Words())


def test_too_few_articles_teach_nothing_beside_the_headlines():
    corpus = samples()
    few = [sample for sample in corpus if sample.headline] + [sample for sample in corpus if sample.text][:30]
    assert training().train_weights(few, lambda *_: Words()).bodies is None


def test_weights_beside_a_profile_are_used_and_say_what_decided(learned, tmp_path):
    profile = tmp_path / "farming.toml"
    profile.write_text(TOPIC, encoding="utf-8")
    assert load_topic(str(profile)).learned is None
    (tmp_path / "farming.bin").write_bytes(pack_weights(learned))
    topic = load_topic(str(profile))
    verdict = score(topic, Document(title="玉米丰收在望"))
    assert verdict.relevant
    assert verdict.decided_by == "learned"
    assert "丰收在望" in "".join(verdict.terms) or "玉米" in verdict.terms
    assert score(topic, Document(title="玉米丰收在望"), "words").score == 0.0
    assert score(topic, Document(title="门将遭遇红牌"), "learned").model == Model.LEARNED
    assert words_of(topic, "水稻水稻", "").in_favour > 0


@pytest.mark.parametrize("name", ["farming.toml", "farming.v2", "farming.topic", "farming"])
def test_weights_beside_a_profile_are_found_whatever_it_is_called(learned, tmp_path, name):
    (tmp_path / name).write_text(TOPIC, encoding="utf-8")
    weights_beside(str(tmp_path / name)).write_bytes(pack_weights(learned))
    assert load_topic(str(tmp_path / name)).learned == learned


def test_spoilt_weights_are_refused_by_name(tmp_path):
    (tmp_path / "farming.toml").write_text(TOPIC, encoding="utf-8")
    (tmp_path / "farming.bin").write_bytes(b"spoilt")
    with pytest.raises(TopicError, match=r"farming\.bin"):
        load_topic(str(tmp_path / "farming.toml"))


def test_described_files_are_known_by_what_is_in_them(tmp_path):
    (tmp_path / "any.name").write_text("水稻丰收\t1\n球队赢了\t2\n球队赢了\t2\n", encoding="utf-8")
    folder = tmp_path / "folder"
    (folder / "farm").mkdir(parents=True)
    (folder / "farm" / "1.txt").write_bytes("小麦".encode("gb18030"))
    entries = (
        PublicCorpus("papers", "x", hash_of(folder), "folders", ("farm",), {}, articles=True),
        PublicCorpus("wire", "x", hash_of(tmp_path / "any.name"), "text, label", ("1",), {"2": "sports"}),
    )
    labelled_samples = read_labelled([tmp_path / "any.name", folder], entries)
    assert [(sample.source, sample.group, sample.relevant, sample.headline, sample.text) for sample in labelled_samples] == [
        ("papers", "other", True, "", "小麦"),
        ("wire", "other", True, "水稻丰收", ""),
        ("wire", "sports", False, "球队赢了", ""),
    ]


def test_a_described_file_of_json_is_read_line_by_line(tmp_path):
    path = tmp_path / "wire.json"

    def found(*rows):
        path.write_bytes("\r\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode())
        return read_labelled([path], (PublicCorpus("wire", "x", hash_of(path), "json", ("farm",), {}, text="title"),))

    titles = ["一\u2028二", "三\x85四", "五\x0c六"]
    assert [sample.headline for sample in found(*({"title": title, "label": "farm"} for title in titles))] == titles
    for row in ({"text": "水稻", "label": "farm"}, {"title": "水稻", "label": ["farm"]}, ["水稻"], "title"):
        with pytest.raises(CorpusError, match=r"wire\.json: line 2: it is not JSON with the texts 'title' and 'label'"):
            found({"title": "水稻", "label": "farm"}, row)


def test_json_lines_of_ones_own_need_no_description(tmp_path):
    path = tmp_path / "own.jsonl"
    path.write_text(json.dumps({"title": "水稻", "relevant": True}) + "\n", encoding="utf-8")
    assert read_labelled([path], ())[0].headline == "水稻"
    texts = ["一\u2028二", "三\x85四", "五\x0c六"]
    lines = [json.dumps({"title": text, "relevant": True}, ensure_ascii=False) for text in texts]
    path.write_bytes(("\r\n".join(lines) + "\n\n").encode())
    assert [sample.headline for sample in read_labelled([path], ())] == texts
    path.write_text('{"title": "水稻"}\n', encoding="utf-8")
    with pytest.raises(CorpusError, match="line 1"):
        read_labelled([path], ())


def test_a_head_is_solved_to_its_last_digit_so_that_no_processor_finds_another():
    np = training().np
    dice = np.random.default_rng(7)
    rows = dice.normal(size=(2000, 1)) + 0.02 * dice.normal(size=(2000, 12))  # nearly collinear, as the outputs of models are
    relevant = rows[:, 0] + 0.5 * dice.normal(size=2000) > 1
    head = training()._head([rows.tolist()] * 2, relevant.tolist(), [1.0] * 2000)

    design = np.hstack([(rows - rows.mean(axis=0)) / rows.std(axis=0), np.ones((2000, 1))])
    held_back = np.append(np.ones(12), 0.0)
    best = np.zeros(13)
    for _ in range(30):  # Newton's method
        sure = 1 / (1 + np.exp(-design @ best))
        slope = design.T @ (sure - relevant) * (1 + training().STRANGER_WEIGHT) + held_back * best
        curve = (design.T * (sure * (1 - sure))) @ design * (1 + training().STRANGER_WEIGHT) + np.diag(held_back)
        best -= np.linalg.solve(curve, slope)
    assert head.weights == pytest.approx(best[:12] / rows.std(axis=0), abs=2e-6)


def test_a_training_line_may_have_a_weight(tmp_path):
    path = tmp_path / "labelled.jsonl"
    path.write_text('{"title": "水稻", "relevant": true, "weight": 0.3}\n', encoding="utf-8")
    assert [text.weight for text in read_labelled([path], ())] == [0.3]
    for wrong in ("0", "-1", "11", '"much"', "null"):
        path.write_text(f'{{"title": "水稻", "relevant": true, "weight": {wrong}}}\n', encoding="utf-8")
        with pytest.raises(CorpusError, match="line 1"):
            read_labelled([path], ())


def test_texts_without_weight_in_a_regression_change_nothing():
    rows = [[float(number % 2), float(number % 3)] for number in range(60)]
    relevant = [number % 2 == 1 for number in range(60)]
    more, answers = [*rows, *rows[:20]], [*relevant, *(not answer for answer in relevant[:20])]
    light = training()._head([more, more], answers, [1.0] * 60 + [1e-9] * 20)
    heavy = training()._head([more, more], answers, [1.0] * 80)
    assert light.weights[0] > heavy.weights[0] > 0


def test_a_curve_counts_every_source_alike():
    big = [training().Sample("wire", "topic" if number < 100 else "other", str(number)) for number in range(200)]
    small = [training().Sample("paper", "topic" if number < 1 else "other", str(number)) for number in range(2)]
    odds = training().np.array([3.0] * 100 + [-3.0] * 100 + [-3.0, -3.0])
    points = training().curve(odds, [*big, *small])
    assert len(points) == 99
    assert points[49] == (1.0, 0.5)  # the one text of the small source weighs as the hundred of the other


TARGET = TOPIC.replace("[terms.crops]", "threshold = {recall = 0.9}\n[terms.crops]")


def test_a_threshold_can_be_given_as_a_target_recall_or_precision(learned):
    recall, precision = (
        read_topic(TARGET.replace("recall = 0.9", target).encode(), "f.toml", pack_weights(learned)).thresholds["blend"]
        for target in ("recall = 0.9", "precision = 0.9")
    )
    assert recall.headline >= precision.headline  # as high as the recall allows, and as low as the precision allows
    assert learned.curves[1][round(recall.headline * 100) - 1][1] >= 0.9
    assert learned.curves[1][round(precision.headline * 100) - 1][0] >= 0.9


@each(
    ("wrong", "reason"),
    [
        ("{recall = 1.5}", "threshold.recall: 1.5 is not a number"),
        ("{recal = 0.5}", "threshold: a number, or a table with precision or recall"),
        ('{recall = 0.9}\nmodel = "words"', "threshold: a target needs trained weights"),
        ("0.4\nthresholds = {blend = 0.5}", "threshold: thresholds.blend says it, too"),
    ],
)
def test_a_target_that_makes_no_sense_is_refused(wrong, reason):
    with pytest.raises(TopicError, match=reason):
        read_topic(TARGET.replace("{recall = 0.9}", wrong).encode(), "f.toml")


def test_weights_without_a_curve_reach_no_target(learned):
    with pytest.raises(TopicError, match="train again"):
        read_topic(TARGET.encode(), "f.toml", pack_weights(replace(learned, curves=((), ()))))


def test_a_target_without_trained_weights_is_refused_but_can_be_trained(tmp_path):
    (file := tmp_path / "crops.toml").write_text(TARGET)
    with pytest.raises(TopicError, match="make them with `scrapy topics train`"):
        load_topic(str(file))
    assert load_topic(str(file), trained=False).target


def test_few_labels_of_the_store_are_learned_as_texts_of_the_largest_source():
    from newsspider.features.workbench.labelled_texts import LABELS, Labelled
    from newsspider.features.workbench.train_and_measure import MANY_LABELS, _few_labels_joined

    wire = [Labelled("wire", "other", False, str(n)) for n in range(3)]
    labels = [Labelled(LABELS, "other", True, "高考")]
    assert {text.source for text in _few_labels_joined([*wire, Labelled("app", "other", False, "x"), *labels])} == {"wire", "app"}
    assert {text.source for text in _few_labels_joined(labels)} == {LABELS}
    assert LABELS in {text.source for text in _few_labels_joined([*wire, *labels * MANY_LABELS])}
