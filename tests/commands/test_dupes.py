from tests.commands.test_score import rows, scrapy


def test_the_same_letters_are_the_first_texts_duplicate():
    lines = """\
{"id": "a", "text": "高考，今天开始。"}
{"id": "b", "text": "中考今天开始"}
{"id": "c", "title": "x", "text": "高考 今天 开始"}
{"id": "d", "text": ""}
{"id": "e", "text": "……"}
broken
"""
    found = rows(scrapy("dupes", stdin=lines))
    assert [(row["id"], row.get("duplicate_of"), row.get("kind"), row.get("containment")) for row in found] == [
        ("a", None, None, 0.0),
        ("b", None, None, 0.0),
        ("c", "a", "exact", 1.0),
        ("d", None, None, 0.0),
        ("e", None, None, 0.0),
        (None, None, None, None),
    ]
    assert found[-1]["error"].startswith("line 6 ")
