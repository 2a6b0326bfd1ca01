import json

import pytest

from tests.support.score import scrapy


def test_the_built_in_topics_are_listed_and_shown():
    assert b"education" in scrapy("topics", "list").stdout
    topic = json.loads(scrapy("topics", "show", "education").stdout)
    assert topic["terms"] >= 500
    assert len(topic["classes"]) >= 10


def test_a_bad_profile_is_wrong_use_that_names_file_and_key(tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text('name = "x"\n[terms.a]\n"象棋" = 2\n', encoding="utf-8")
    done = scrapy("topics", "show", str(path))
    assert done.returncode == 2
    assert "bad.toml: terms.a.象棋: 2" in done.stderr.decode("utf-8")


def test_an_unknown_action_is_wrong_use():
    assert scrapy("topics", "dance").returncode == 2
    assert scrapy("topics").returncode == 2


def test_headlines_are_tried_on_a_topic():
    done = scrapy("topics", "test", "education", "教育部部署高考", "青岛啤酒股价大涨")
    results = [json.loads(line) for line in done.stdout.decode("utf-8").splitlines()]
    assert [row["relevant"] for row in results] == [True, False]
    assert "高考" in results[0]["terms"]
    assert results[0]["subtopics"] == ["高考"]
    assert set(results[0]["parts"]) == {"learned", "words", "tags", "rules"}


def test_a_topic_is_trained_and_measured_on_labelled_lines(tmp_path):
    pytest.importorskip("sklearn", reason="the extra 'train' is not installed")
    profile = tmp_path / "farming.toml"
    profile.write_text('name = "farming"\n[terms.crops]\n"水稻" = 0.8\n', encoding="utf-8")
    lines = [{"title": f"小麦{deed}第{day}天", "relevant": True} for deed in ("丰收", "收割", "播种") for day in range(40)]
    lines += [{"title": f"球队{feat}第{day}轮", "relevant": False} for feat in ("赢球", "输球", "平局") for day in range(40)]
    texts = tmp_path / "labelled.jsonl"
    texts.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    trained = scrapy("topics", "train", str(profile), str(texts))
    assert trained.returncode == 0, trained.stderr.decode()
    assert (tmp_path / "farming.bin").stat().st_size == json.loads(trained.stdout)["bytes"]
    measured = json.loads(scrapy("topics", "eval", str(profile), str(texts)).stdout)
    assert measured["f1"] == 1.0
    alone = json.loads(scrapy("topics", "eval", str(profile), str(texts), "--model", "words").stdout)
    assert alone["f1"] == 0.0
    assert trained.stderr == b""
    profile.write_text(f"{profile.read_text('utf-8')}[thresholds]\nblend = 0.7\nwords = 0.5\n", encoding="utf-8")
    warning = f"{profile} has [thresholds] of its own for blend, which hold instead of the trained ones\n"
    assert scrapy("topics", "train", str(profile), str(texts)).stderr.decode() == warning


def test_files_that_teach_nothing_are_wrong_use(tmp_path):
    texts = tmp_path / "texts.jsonl"
    texts.write_text('{"title": "没有答案"}\n', encoding="utf-8")
    done = scrapy("topics", "eval", "education", str(texts))
    assert done.returncode == 2
    assert b"line 1" in done.stderr
    assert scrapy("topics", "train", "education", str(texts)).returncode == 2
    texts.write_bytes(b"")
    done = scrapy("topics", "eval", "education", str(texts))
    assert (done.returncode, done.stdout) == (2, b"")
    assert f"there is no labelled line in {texts}\n".encode() in done.stderr


def test_eval_draws_the_curve_of_a_topic(tmp_path):
    lines = [{"title": "教育部部署高考", "relevant": True}, {"title": "股价大涨", "relevant": False}]
    labelled = tmp_path / "labelled.jsonl"
    labelled.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    drawn = scrapy("topics", "eval", "education", str(labelled), "--curve").stdout.decode("utf-8")
    assert "  0.50  precision 1.000 ####################  recall 1.000" in drawn
    points = json.loads(scrapy("topics", "eval", "education", str(labelled), "--curve", "--json").stdout)["curve"]
    assert {"threshold": 0.5, "precision": 1.0, "recall": 1.0, "f1": 1.0} in points
