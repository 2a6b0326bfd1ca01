"""``scrapy export``."""

import io
import json
import os
import subprocess
import sys
from datetime import datetime
from types import NoneType

import pytest

from newsspider.commands.export import moment_of_option
from tests.support.commands import FIRST, ROOT, SECOND, database, scrapy

__all__ = ["database", "scrapy"]

FIELDS = {
    "id", "url", "canonical_url", "urls", "site", "channel", "media_class", "region", "places", "anchor", "title", "author", "source",
    "published_at", "crawled_at", "meta_keywords", "meta_description", "text", "summary", "keywords", "language",
    "charset", "kind", "snapshot", "link_count", "priority", "topic", "score", "terms", "model", "subtopics",
    "body_md5", "attachments", "editors", "modified_at", "images", "comments", "parts", "noindex", "reprint_of", "reprints",
    "vanished_at", "absence", "truncated",
}  # fmt: skip


def test_every_article_is_one_json_line_with_all_fields(scrapy):
    ran = scrapy("export")
    records = [json.loads(line) for line in ran.out.splitlines()]
    assert (ran.code, ran.err) == (0, "2 articles\n")
    assert [record["url"] for record in records] == [FIRST, SECOND]
    assert all(set(record) == FIELDS for record in records)
    assert "教育部" in ran.out


def test_an_exported_article_is_what_the_json_schema_says(scrapy):
    schema = json.loads((ROOT / "docs" / "reference" / "article.schema.json").read_text("utf-8"))
    types = {"string": str, "integer": int, "number": float, "boolean": bool, "array": list, "object": dict, "null": NoneType}

    def meets(value, rule):
        names = rule["type"] if isinstance(rule["type"], list) else [rule["type"]]
        return isinstance(value, tuple(types[name] for name in names)) and all(
            meets(item, rule["items"]) for item in (value if isinstance(value, list) else ())
        )

    for line in scrapy("export").out.splitlines():
        record = json.loads(line)
        assert set(record) == set(schema["properties"]) == set(schema["required"])
        assert [name for name, rule in schema["properties"].items() if not meets(record[name], rule)] == []


def test_exported_articles_have_stable_ids_that_dupes_refers_to(scrapy, monkeypatch):
    lines = scrapy("export").out
    ids = [json.loads(line)["id"] for line in lines.splitlines()]
    assert len(set(ids)) == 2
    assert None not in ids
    assert [json.loads(scrapy("export", "--site", "乙").out)["id"]] == ids[1:]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO((lines + lines).encode())))
    results = [json.loads(line) for line in scrapy("dupes").out.splitlines()]
    assert [(row["id"], row["duplicate_of"]) for row in results] == [*((number, None) for number in ids), *zip(ids, ids, strict=True)]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines.encode())))
    assert [json.loads(line)["id"] for line in scrapy("score").out.splitlines()] == ids


def test_filters_and_limit(scrapy):
    assert scrapy("export", "--site", "乙").err == "1 articles\n"
    assert scrapy("export", "--limit", "1").err == "1 articles\n"
    assert scrapy("export", "--topic", "flood").err == "0 articles\n"
    assert json.loads(scrapy("export", "--subtopic", "留学").out)["url"] == SECOND
    assert scrapy("export", "--subtopic", "中小学").err == "2 articles\n"
    assert scrapy("export", "--subtopic", "中小学", "--site", "乙").err == "1 articles\n"
    assert scrapy("export", "--subtopic", "考研").err == "0 articles\n"


def test_a_query_has_all_its_hits_exported_the_latest_first(scrapy, monkeypatch):
    monkeypatch.setattr("newsspider.search.paging.EXPORTED_AT_ONCE", 1)
    urls = {
        words: [json.loads(line)["url"] for line in scrapy("export", "--query", *words).out.splitlines()]
        for words in (("lang:zh",), ("lang:zh", "--reprints"), ("高考改革",), ("lang:zh", "--site", "乙"), ("lang:zh", "--limit", "1"))
    }
    assert list(urls.values()) == [[SECOND, FIRST], [SECOND, FIRST], [FIRST], [SECOND], [SECOND]]
    assert scrapy("export", "--query", "方案高考").err == "searched as 方案 AND 高考\n1 articles\n"
    assert "the query, at character 5" in scrapy("export", "--query", "高考 (").err


@pytest.mark.parametrize(
    ("value", "last", "expected"),
    [
        ("2026-11-01", False, "2026-11-01T00:00:00+08:00"),
        ("2026-11-01", True, "2026-11-02T00:00:00+08:00"),
        ("2026-11-01T08:30", False, "2026-11-01T08:30:00+08:00"),
        ("2026-11-01T08:30", True, "2026-11-01T08:31:00+08:00"),
        ("2026-11-01T08:30Z", False, "2026-11-01T08:30:00+00:00"),
    ],
)
def test_a_date_is_that_of_china_and_an_end_counts_whole(value, last, expected):
    assert moment_of_option("--until", value, last=last) == datetime.fromisoformat(expected)


def test_a_store_that_cannot_be_used_is_one_sentence(scrapy):
    ran = scrapy("export", DATABASE_URL="nonsense")
    assert (ran.code, ran.out) == (2, "")
    assert "DATABASE_URL" in ran.err.splitlines()[-1]


def test_an_argument_is_wrong_use(scrapy):
    assert scrapy("export", "all").code == 2
    assert scrapy("export", "--reprints").err.splitlines()[-1].endswith("--reprints goes with --query; without it every reprint is written")


@pytest.mark.slow
def test_a_reader_that_goes_away_and_an_ascii_locale_are_no_trouble(database):
    environment = {**os.environ, "NEWSSPIDER_DATABASE_URL": database, "LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0"}
    command = f"{sys.executable} -m scrapy export | head -n 1"
    ran = subprocess.run(command, shell=True, capture_output=True, cwd=ROOT, env=environment, check=False)
    assert json.loads(ran.stdout.decode("utf-8"))["url"] == FIRST
    assert b"Traceback" not in ran.stderr
