import json

import pytest

from tests.support.score import rows, scrapy


@pytest.mark.slow
def test_short_notices_in_the_same_words_are_told_apart_by_their_titles():
    notice = "现将评选结果予以公布，名单见附件。"
    longer = (
        "经单位申报、专家评审和集体研究，现将拟立项的课题名单予以公示，公示期为五个工作日。对公示内容有异议的，请以书面形式向科研处反映，"
        "反映情况须实事求是，并签署真实姓名。名单见附件。"
    )
    pairs = [("优秀教师", notice), ("优秀学生", notice), ("优秀教师", notice), ("课题公示", longer), ("教育局公示课题", longer)]
    lines = "".join(f"{json.dumps({'id': n, 'title': title, 'text': text})}\n" for n, (title, text) in enumerate(pairs))
    results = rows(scrapy("dupes", stdin=lines))
    assert [(row["duplicate_of"], row["kind"]) for row in results] == [(None, None), (None, None), (0, "exact"), (None, None), (3, "exact")]


def test_the_same_letters_are_the_first_texts_duplicate():
    lines = """\
{"id": "a", "text": "高考，今天开始。"}
{"id": "b", "text": "中考今天开始"}
{"id": "c", "title": "x", "text": "高考 今天 开始"}
{"id": "d", "text": ""}
{"id": "e", "text": "……"}
broken
"""
    results = rows(scrapy("dupes", stdin=lines))
    assert [(row["id"], row.get("duplicate_of"), row.get("kind"), row.get("containment")) for row in results] == [
        ("a", None, None, 0.0),
        ("b", None, None, 0.0),
        ("c", "a", "exact", 1.0),
        ("d", None, None, 0.0),
        ("e", None, None, 0.0),
        (None, None, None, None),
    ]
    assert results[-1]["error"].startswith("line 6 ")
