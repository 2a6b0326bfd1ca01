import json

from tests.commands.test_score import scrapy


def test_the_built_in_topics_are_listed_and_shown():
    assert b"education" in scrapy("topics", "list").stdout
    shown = json.loads(scrapy("topics", "show", "education").stdout)
    assert shown["terms"] >= 500
    assert len(shown["classes"]) >= 10


def test_a_bad_profile_is_wrong_use_that_names_file_and_key(tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text('name = "x"\n[terms.a]\n"象棋" = 2\n', encoding="utf-8")
    done = scrapy("topics", "show", str(path))
    assert done.returncode == 2
    assert "bad.toml: terms.a.象棋: 2" in done.stderr.decode("utf-8")


def test_an_unknown_action_is_wrong_use():
    assert scrapy("topics", "dance").returncode == 2
    assert scrapy("topics").returncode == 2
