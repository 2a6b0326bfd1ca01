import json

import pytest

from tests.support.process import with_an_ascii_locale
from tests.support.score import rows, scrapy


@pytest.mark.slow
def test_every_line_is_answered_in_order_and_a_bad_one_is_named_by_its_number():
    lines = [
        '{"id": "a", "title": "高考今日开考"}',
        "no json",
        "",
        '{"id": 4, "text": 5}',
        '{"id": 5, "title": "股市收盘"}',
    ]
    results = rows(with_an_ascii_locale("score", "--topic", "education", stdin="\n".join(lines) + "\n"))
    assert [row["id"] for row in results] == ["a", None, None, 4, 5]
    assert results[0]["relevant"]
    assert "高考" in results[0]["terms"]
    assert results[0]["model"] == "blend"
    assert results[1]["error"].startswith("line 2 ")
    assert results[3]["error"].startswith("line 4")
    assert not results[4]["relevant"]


def test_the_tags_of_a_page_count_in_the_tags_model():
    line = json.dumps({"id": 1, "tags": {"title": "高考", "h2": ["考研"], "keywords": ["留学"]}})
    (result,) = rows(scrapy("score", "--model", "tags", stdin=line))
    assert set(result["terms"]) == {"高考", "考研", "留学"}


def test_a_wrong_topic_model_or_option_is_wrong_use():
    for arguments in (("--topic", "nope"), ("--model", "magic"), ("--colour",), ("file",)):
        done = scrapy("score", *arguments)
        assert done.returncode == 2, arguments
        assert b"Traceback" not in done.stderr
        assert done.stdout == b""


def test_a_line_is_judged_by_rules_and_words_as_in_a_crawl(tmp_path):
    topic = tmp_path / "topic.toml"
    topic.write_text(
        'name = "x"\n[terms.a]\n"教育部强基" = 0.1\n[subtopics]\n'
        '"who" = "author:张三 AND channel:专栏 AND media:official AND site:某站"\n"where" = "site:a.cn"\n"part" = "强基"\n'
        '[[rules]]\nwhen = "会议"\nverdict = "keep"\n',
        encoding="utf-8",
    )
    lines = [
        {"title": "会议", "author": ["张三"], "channel": "专栏一", "media_class": "official", "site": "某站"},
        {"title": "会议", "author": "张三", "channel": "专栏", "media": "official", "site": "某站", "url": "http://www.a.cn/1"},
        {"title": "会议", "url": "http://[::1"},
        {"title": "会议 教育部强基"},
        {"title": "会议", "channel": 3},
    ]
    results = rows(scrapy("score", "--topic", str(topic), stdin="\n".join(map(json.dumps, lines))))
    assert [row.get("subtopics") for row in results] == [["who"], ["who", "where"], None, ["part"], None]
    assert results[4]["error"] == "line 5: channel is not a text"
