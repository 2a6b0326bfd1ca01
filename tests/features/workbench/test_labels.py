"""``scrapy topics label``, ``labels`` and ``train --labels``."""

import io
import json
import resource
import signal

import pytest

from newsspider.store.engine.database import open_store
from tests.support.commands import FIRST, SECOND, database, locked, scrapy
from tests.support.samples import NOW, save_article

__all__ = ["database", "locked", "scrapy"]

UNKNOWN = "http://c.cn/none"
DESCRIBED = '[[training]]\nsource = "wire"\norigin = "x"\nsha256 = "y"\nlayout = "json"\ntopic = ["1"]\n'


def lines(ran):
    return [json.loads(line) for line in ran.out.splitlines()]


def test_labelled_articles_are_printed_as_labelled_lines(scrapy):
    ran = scrapy("topics", "label", "education", FIRST.replace("http://a", "HTTP://A"), "--relevant")
    assert (ran.code, ran.out, ran.err) == (0, "", "1 labelled\n")
    assert scrapy("topics", "label", "education", SECOND, "--irrelevant").code == 0
    first, second = lines(scrapy("topics", "labels", "education"))
    assert (first["url"], first["relevant"], first["text"][:3]) == (FIRST, True, "教育部")
    assert (second["url"], second["title"], second["relevant"]) == (SECOND, "开学", False)
    assert lines(scrapy("topics", "labels", "flood")) == []


def test_urls_are_read_from_standard_input(scrapy, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{FIRST}\n{SECOND}\n"))
    assert scrapy("topics", "label", "education", "-", "--relevant").err == "2 labelled\n"


def test_a_url_without_an_article_is_named_and_the_others_are_labelled(scrapy):
    ran = scrapy("topics", "label", "education", UNKNOWN, FIRST, "--relevant")
    assert (ran.code, ran.err) == (1, f"{UNKNOWN}: no article is stored of it\n1 labelled\n")
    assert len(lines(scrapy("topics", "labels", "education"))) == 1


def test_a_label_is_taken_back(scrapy):
    scrapy("topics", "label", "education", FIRST, SECOND, "--relevant")
    ran = scrapy("topics", "label", "education", FIRST, UNKNOWN, "--remove")
    assert (ran.code, ran.out, ran.err) == (1, "", f"{UNKNOWN}: it is not labelled\n1 taken back\n")
    assert [label["url"] for label in lines(scrapy("topics", "labels", "education"))] == [SECOND]
    assert scrapy("topics", "label", "education", SECOND, "--remove").code == 0
    assert lines(scrapy("topics", "labels", "education")) == []


@pytest.mark.parametrize(
    "words",
    [
        ("label", "education", FIRST),
        ("label", "education", FIRST, "--relevant", "--remove"),
        ("label", "education", "--remove"),
        ("label", "education", FIRST, "--relevant", "--irrelevant"),
        ("label", "education", "--relevant"),
        ("label", "any", FIRST, "--relevant"),
        ("label", "education", FIRST, "mailto:a@b.cn", "--relevant"),
        ("train", "education", "--out", "weights.bin"),
        ("eval", "education"),
        ("eval", "education", "--labels"),
    ],
    ids=" ".join,
)
def test_wrong_use_is_exit_code_2_and_labels_nothing(scrapy, words):
    ran = scrapy("topics", *words)
    assert (ran.code, ran.out) == (2, "")
    assert lines(scrapy("topics", "labels", "education")) == []


def test_a_store_that_stays_locked_is_one_sentence_and_exit_code_1(scrapy, locked):
    ran = scrapy("topics", "label", "education", FIRST, "--relevant")
    assert (ran.code, len(ran.err.splitlines())) == (1, 1)


def test_a_topic_learns_from_labels_what_its_words_do_not_say(scrapy, database, tmp_path):
    pytest.importorskip("sklearn", reason="the extra 'train' is not installed")
    profile = tmp_path / "farming.toml"
    profile.write_text('name = "farming"\n[terms.crops]\n"水稻" = 0.8\n', encoding="utf-8")
    urls = {True: [], False: []}
    engine = open_store(database)
    with engine.begin() as conn:
        for relevant, title in ((True, "小麦丰收"), (False, "球队赢球")):
            for day in range(40):
                urls[relevant].append(f"http://a.cn/{len(title)}/{relevant:d}/{day}.html")
                save_article(
                    conn,
                    urls[relevant][-1],
                    f"{title}，这是{title}的第{day}天。" * 4,
                    NOW + day,
                    title=f"{title}第{day}天",
                )
    engine.dispose()
    scrapy("topics", "label", str(profile), *urls[True], "--relevant")
    scrapy("topics", "label", str(profile), *urls[False], "--irrelevant")
    (untrained,) = lines(scrapy("topics", "eval", str(profile), "--labels"))
    trained = scrapy("topics", "train", str(profile), "--labels")
    assert (trained.code, lines(trained)[0]["texts"]) == (0, 160), trained.err
    (learned,) = lines(scrapy("topics", "eval", str(profile), "--labels"))
    assert (untrained["source"], untrained["texts"], untrained["f1"], learned["f1"]) == ("labels", 80, 0.0, 1.0)
    printed = tmp_path / "printed.jsonl"
    printed.write_text(scrapy("topics", "labels", str(profile)).out, encoding="utf-8")
    (of_file,) = lines(scrapy("topics", "eval", str(profile), str(printed)))
    assert (of_file["texts"], of_file["f1"]) == (80, 1.0)
    assert lines(scrapy("topics", "train", str(profile), str(printed)))[0]["texts"] == 160
    assert {file.name for file in tmp_path.glob("farming.*")} == {"farming.toml", "farming.bin"}
    profile.write_text(profile.read_text("utf-8") + DESCRIBED, encoding="utf-8")
    refused = scrapy("topics", "train", str(profile), "--labels")
    assert refused.code == 2
    assert "labels alone would replace" in refused.err
    assert scrapy("topics", "train", str(profile), "--labels", "--out", str(tmp_path / "other.bin")).code == 0


def test_drift_tells_the_share_of_each_site_by_week(scrapy):
    ran = scrapy("topics", "drift", "education", "--weeks", "520")
    assert ran.code == 0
    assert ran.err.endswith(" sites\n")
    assert max(map(len, ran.out.splitlines())) <= 80
    assert "100.0% of" in ran.out
    weeks = lines(scrapy("topics", "drift", "education", "--weeks", "520", "--json"))
    assert {"site", "week", "kept", "refused", "share", "drifted"} == set(weeks[0])
    assert lines(scrapy("topics", "drift", "flood", "--json")) == []


@pytest.mark.parametrize("weeks", ["0", "-1", "521", "x"])
def test_an_invalid_number_of_weeks_is_wrong_use(scrapy, weeks):
    assert scrapy("topics", "drift", "education", "--weeks", weeks).code == 2


def test_weights_that_cannot_be_written_leave_those_that_are_there(scrapy, tmp_path):
    pytest.importorskip("sklearn", reason="the extra 'train' is not installed")
    profile, weights = tmp_path / "farming.toml", tmp_path / "farming.bin"
    profile.write_text('name = "farming"\n[terms.crops]\n"水稻" = 0.8\n', encoding="utf-8")
    weights.write_bytes(b"as they were")
    lines = [{"title": f"{title}第{day}天", "relevant": right} for day in range(20) for title, right in (("丰收", True), ("赢球", False))]
    (tmp_path / "own.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, usual[1]))  # no file may be longer, as on a full disk
    try:
        ran = scrapy("topics", "train", str(profile), str(tmp_path / "own.jsonl"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
        signal.signal(signal.SIGXFSZ, handler)
    assert (ran.code, ran.err) == (1, f"scrapy topics: {weights}: File too large\n")
    assert weights.read_bytes() == b"as they were"
    assert {file.name for file in tmp_path.glob("farming.*")} == {"farming.toml", "farming.bin"}


def test_the_articles_that_would_teach_most_are_suggested_until_they_are_labelled(scrapy):
    suggested = lines(scrapy("topics", "label", "education", "--suggest", "1000"))
    assert {FIRST, SECOND} <= {row["url"] for row in suggested}
    assert {"url", "title", "score", "relevant", "summary"} == set(suggested[0])
    best = lines(scrapy("topics", "label", "education", "--suggest", "1"))
    assert best == suggested[:1]
    scrapy("topics", "label", "education", best[0]["url"], "--relevant")
    assert best[0] not in lines(scrapy("topics", "label", "education", "--suggest", "1000"))
